"""Tests that passes over blocks of rows equal direct computations on the whole array."""

import math
import subprocess
import sys
import textwrap
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isotropy_lab.isotropy import average_cosine, isoscore
from isotropy_report.card.leaving_out import statistics_without
from isotropy_report.card.rows import Rows, sample_rows
from isotropy_report.card.survey import survey
from isotropy_report.measures.equal_rows import count_duplicates, row_hashes

pytestmark = pytest.mark.usefixtures("small_blocks")


def cloud(rng, n_points=300, n=7, *, mean=1.0):
    return rng.standard_normal((n_points, n)) * np.linspace(1, 3, n) + mean


def surveyed(X, size=1_000):
    return survey(Rows(X), sample_size=size, rng=np.random.default_rng(1))


# --- rows ---------------------------------------------------------------------------------------------------


def test_a_sample_is_spread_and_has_no_row_twice(rng):
    places = sample_rows(1_000, 100, rng)
    assert len(set(places.tolist())) == 100
    assert (np.diff(places) > 0).all()
    assert 350 < places.mean() < 650
    assert sample_rows(10**12, 5, rng).size == 5  # no list of all rows


# --- the first pass -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f2", ">f8", "i4", "?"])
def test_the_survey_is_what_the_whole_array_says(rng, dtype):
    X = (cloud(rng) * 20).astype(dtype)
    X[100] = X[7]
    if dtype != "?":
        X[11] = 0
    found = surveyed(X)
    Z = X.astype(np.float64)
    lengths = np.linalg.norm(Z, axis=1)
    assert found.n_zero == int((lengths == 0).sum())
    np.testing.assert_allclose(found.lengths, np.quantile(lengths, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]))
    assert found.mean_length == pytest.approx(lengths.mean())
    assert found.mean_fraction == pytest.approx((Z.mean(axis=0) ** 2).sum() / (lengths**2).mean(), rel=1e-5)
    assert found.average_cosine == pytest.approx(average_cosine(Z[lengths > 0]), abs=1e-12)
    assert found.moments.count == len(X)
    np.testing.assert_allclose(found.moments.covariance(), np.cov(Z, rowvar=False), rtol=1e-5, atol=1e-9)
    counts = Counter(map(bytes, np.ascontiguousarray(Z + 0.0)))
    assert found.duplicates.n_duplicates == len(X) - len(counts)
    assert found.duplicates.most_occurrences == max(counts.values())


@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1e200])
def test_the_unit_changes_no_fraction(rng, scale):
    X = cloud(rng, 80, 4)
    found, scaled = surveyed(X), surveyed(X * scale)
    assert scaled.mean_fraction == pytest.approx(found.mean_fraction, rel=1e-9)
    assert scaled.average_cosine == pytest.approx(found.average_cosine, rel=1e-9)
    np.testing.assert_allclose(scaled.lengths, np.array(found.lengths) * scale)


# --- equal rows ---------------------------------------------------------------------------------------------


def test_what_half_precision_cannot_hold_is_named():
    half = np.ones((10, 2), np.float16)
    half[3] = np.inf
    with pytest.raises(ValueError, match=r"first in row 3 .* float16 numbers above 65504"):
        surveyed(half)


@settings(max_examples=100, deadline=None)
@given(
    hnp.arrays(
        st.sampled_from(["f8", "f4", "f2", "i2", "u1"]),
        st.tuples(st.integers(1, 60), st.integers(1, 5)),
        elements=st.integers(0, 2),
    ),
    st.integers(1, 7),
)
def test_equal_rows_are_counted(X, step):
    found = count_duplicates(
        np.concatenate([row_hashes(X[start : start + step]) for start in range(0, len(X), step)])
    )
    counts = Counter(map(tuple, X.tolist()))
    assert found.n_duplicates == len(X) - len(counts)
    assert found.most_occurrences == max(counts.values())
    if found.most_frequent:
        i, j = found.most_frequent
        assert i < j
        np.testing.assert_array_equal(X[i], X[j])


def test_rows_that_differ_in_one_bit_differ(rng):
    """All small whole numbers, whose words end in many zeros, and all single bits."""
    grid = np.stack(np.meshgrid(*[np.arange(16.0)] * 4), axis=-1).reshape(-1, 4)
    for dtype in ("f8", "f2", "u1"):
        assert count_duplicates(row_hashes(grid.astype(dtype))).n_duplicates == 0
    bits = np.zeros((640, 10), np.uint64)
    for i in range(640):
        bits[i, i // 64] = np.uint64(1) << np.uint64(i % 64)
    assert count_duplicates(row_hashes(bits)).n_duplicates == 0


# --- leaving out --------------------------------------------------------------------------------------------


def together(parts, *keys):
    parts = list(parts)
    return {key: np.concatenate([getattr(part, key) for part in parts]) for key in keys}


def test_leaving_out_is_leaving_out(rng):
    """Against the statistics of the array without the rows."""
    X = cloud(rng, 150, 4)
    X[20] = 0
    found = surveyed(X)

    def check(part, i, rest):
        score = isoscore(rest, estimator="corrected")
        cosine = average_cosine(rest[np.linalg.norm(rest, axis=1) > 0])
        assert (math.exp(part["log_ratio"][i]) - 1) / 3 == pytest.approx(score, rel=1e-9)
        assert part["cosine"][i] == pytest.approx(cosine, rel=1e-9)

    parts = list(statistics_without(Rows(X), found))
    rows = together(parts, "log_ratio", "cosine")
    for i in (0, 20, 70, 149):
        check(rows, i, np.delete(X, i, axis=0))
    groups = rng.integers(0, 10, 150)
    in_groups = list(statistics_without(Rows(X), found, groups))
    for g in range(10):
        check(together(in_groups, "log_ratio", "cosine"), g, X[groups != g])
    centered = X - X.mean(axis=0)
    units = (centered / np.linalg.norm(centered, axis=1)[:, None]).sum(axis=0)
    np.testing.assert_allclose(sum(p.directions for p in parts), units, atol=1e-9)
    np.testing.assert_allclose(sum(p.directions for p in in_groups), units, atol=1e-9)


def test_many_groups_are_left_out_some_at_a_time(rng):
    """600 groups, some in each block."""
    X = cloud(rng, 1_500, 3)
    groups = rng.permutation(np.r_[np.repeat(np.arange(600), 2), rng.integers(0, 600, 300)])
    parts = list(statistics_without(Rows(X), surveyed(X), groups))
    logs = together(parts, "log_ratio")["log_ratio"]
    assert 10 < len(parts) < logs.size == 600
    for g in (0, 255, 256, 511, 512, 599):
        rest = isoscore(X[groups != g], estimator="corrected")
        assert (math.exp(logs[g]) - 1) / 2 == pytest.approx(rest, rel=1e-9)


# --- memory -------------------------------------------------------------------------------------------------


@pytest.mark.rest
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of a process in /proc")
def test_a_card_of_a_large_file_needs_little_memory(tmp_path):
    """800 MB, most of them holes, in a process that may have 500 MB of its own."""
    path, n_points, n = tmp_path / "large.npy", 400_000, 250
    with path.open("wb") as stream:
        shape = {"descr": "<f8", "fortran_order": False, "shape": (n_points, n)}
        np.lib.format.write_array_header_1_0(stream, shape)
        start = stream.tell()
        stream.write(np.random.default_rng(0).standard_normal((3_000, n)).tobytes())
        stream.truncate(start + 8 * n_points * n)
    code = f"""
        import re, resource
        # What is mapped from a file does not count.
        resource.setrlimit(resource.RLIMIT_DATA, (500 * 2**20,) * 2)
        from isotropy_report import report_card
        from isotropy_report.io import read
        card = report_card(read({str(path)!r}))
        print(card.value("n_zero"), card.value("n_duplicates"), card.value("isoscore_corrected"))
        # Not ru_maxrss, which begins with the peak of the process that started this one.
        print(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    n_zero, n_duplicates, score, peak = done.stdout.split()
    assert int(n_zero) == n_points - 3_000
    assert int(n_duplicates) == n_points - 3_001
    assert float(score) > 0.5
    assert int(peak) < 700_000  # kilobytes, what was mapped included
