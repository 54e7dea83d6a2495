"""Tests that passes over blocks of rows equal direct computations on the whole array."""

import math
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
from tests.isotropy_lab.projection.test_stress import run
from tests.isotropy_report.card.test_card import random_points

pytestmark = pytest.mark.usefixtures("small_blocks")


def survey_of(X, size=1_000):
    return survey(Rows(X), sample_size=size, rng=np.random.default_rng(1))


def test_spread_samples_are_increasing_and_distinct(rng):
    positions = sample_rows(1_000, 100, rng)
    assert len(set(positions.tolist())) == 100
    assert (np.diff(positions) > 0).all()
    assert 350 < positions.mean() < 650
    assert sample_rows(10**12, 5, rng).size == 5  # no list of all rows


@pytest.mark.parametrize("dtype", ["f4", "f2", ">f8", "i4", "?"])
def test_survey_agrees_with_the_whole_array(rng, dtype):
    X = (random_points(rng, 300, 7, mean=1.0) * 20).astype(dtype)
    X[100] = X[7]
    if dtype != "?":
        X[11] = 0
    result = survey_of(X)
    Z = X.astype(np.float64)
    lengths = np.linalg.norm(Z, axis=1)
    assert result.n_zero == int((lengths == 0).sum())
    np.testing.assert_allclose(result.lengths, np.quantile(lengths, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]))
    assert result.mean_length == pytest.approx(lengths.mean())
    assert result.mean_fraction == pytest.approx((Z.mean(axis=0) ** 2).sum() / (lengths**2).mean(), rel=1e-5)
    assert result.average_cosine == pytest.approx(average_cosine(Z[lengths > 0]), abs=1e-12)
    assert result.moments.count == len(X)
    np.testing.assert_allclose(result.moments.covariance(), np.cov(Z, rowvar=False), rtol=1e-5, atol=1e-9)
    counts = Counter(map(bytes, np.ascontiguousarray(Z + 0.0)))
    assert result.duplicates.n_duplicates == len(X) - len(counts)
    assert result.duplicates.most_occurrences == max(counts.values())


@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1e200])
def test_scale_does_not_change_fractions(rng, scale):
    X = random_points(rng, 80, 4, mean=1.0)
    result, scaled = survey_of(X), survey_of(X * scale)
    assert scaled.mean_fraction == pytest.approx(result.mean_fraction, rel=1e-9)
    assert scaled.average_cosine == pytest.approx(result.average_cosine, rel=1e-9)
    np.testing.assert_allclose(scaled.lengths, np.array(result.lengths) * scale)


def test_error_names_float16_overflow():
    half = np.ones((10, 2), np.float16)
    half[3] = np.inf
    with pytest.raises(ValueError, match=r"first in row 3 .* float16 numbers above 65504"):
        survey_of(half)


@settings(max_examples=100, deadline=None)
@given(
    hnp.arrays(
        st.sampled_from(["f8", "f4", "f2", "i2", "u1"]),
        st.tuples(st.integers(1, 60), st.integers(1, 5)),
        elements=st.integers(0, 2),
    ),
    st.integers(1, 7),
)
def test_equal_rows_are_counted(X, block_rows):
    duplicates = count_duplicates(
        np.concatenate([row_hashes(X[start : start + block_rows]) for start in range(0, len(X), block_rows)])
    )
    counts = Counter(map(tuple, X.tolist()))
    assert duplicates.n_duplicates == len(X) - len(counts)
    assert duplicates.most_occurrences == max(counts.values())
    if duplicates.most_frequent:
        i, j = duplicates.most_frequent
        assert i < j
        np.testing.assert_array_equal(X[i], X[j])


def test_rows_that_differ_in_one_bit_have_different_hashes(rng):
    """The rows are small whole numbers, whose bytes end in many zeros, and single bits."""
    grid = np.stack(np.meshgrid(*[np.arange(16.0)] * 4), axis=-1).reshape(-1, 4)
    for dtype in ("f8", "f2", "u1"):
        assert count_duplicates(row_hashes(grid.astype(dtype))).n_duplicates == 0
    bits = np.zeros((640, 10), np.uint64)
    for i in range(640):
        bits[i, i // 64] = np.uint64(1) << np.uint64(i % 64)
    assert count_duplicates(row_hashes(bits)).n_duplicates == 0


def concatenate_fields(results, *keys):
    results = list(results)
    return {key: np.concatenate([getattr(result, key) for result in results]) for key in keys}


def test_statistics_without_rows_agree_with_reduced_arrays(rng):
    X = random_points(rng, 150, 4, mean=1.0)
    X[20] = 0
    statistics = survey_of(X)

    def assert_agrees(fields, i, remaining):
        score = isoscore(remaining, estimator="corrected")
        cosine = average_cosine(remaining[np.linalg.norm(remaining, axis=1) > 0])
        assert (math.exp(fields["log_ratio"][i]) - 1) / 3 == pytest.approx(score, rel=1e-9)
        assert fields["cosine"][i] == pytest.approx(cosine, rel=1e-9)

    parts = list(statistics_without(Rows(X), statistics))
    rows = concatenate_fields(parts, "log_ratio", "cosine")
    for i in (0, 20, 70, 149):
        assert_agrees(rows, i, np.delete(X, i, axis=0))
    groups = rng.integers(0, 10, 150)
    in_groups = list(statistics_without(Rows(X), statistics, groups))
    for g in range(10):
        assert_agrees(concatenate_fields(in_groups, "log_ratio", "cosine"), g, X[groups != g])
    centered = X - X.mean(axis=0)
    units = (centered / np.linalg.norm(centered, axis=1)[:, None]).sum(axis=0)
    np.testing.assert_allclose(sum(p.directions for p in parts), units, atol=1e-9)
    np.testing.assert_allclose(sum(p.directions for p in in_groups), units, atol=1e-9)


def test_many_groups_are_left_out_in_chunks(rng):
    """Each block contains some of the 600 groups."""
    X = random_points(rng, 1_500, 3, mean=1.0)
    groups = rng.permutation(np.r_[np.repeat(np.arange(600), 2), rng.integers(0, 600, 300)])
    chunks = list(statistics_without(Rows(X), survey_of(X), groups))
    log_ratios = concatenate_fields(chunks, "log_ratio")["log_ratio"]
    assert 10 < len(chunks) < log_ratios.size == 600
    for g in (0, 255, 256, 511, 512, 599):
        score = isoscore(X[groups != g], estimator="corrected")
        assert (math.exp(log_ratios[g]) - 1) / 2 == pytest.approx(score, rel=1e-9)


@pytest.mark.rest
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of a process in /proc")
def test_cards_of_large_files_need_little_memory(tmp_path):
    """The file has 800 MB, mostly holes; beyond its imports, the process may use 320 MB of its own."""
    path, n_points, n = tmp_path / "large.npy", 400_000, 250
    with path.open("wb") as stream:
        shape = {"descr": "<f8", "fortran_order": False, "shape": (n_points, n)}
        np.lib.format.write_array_header_1_0(stream, shape)
        start = stream.tell()
        stream.write(np.random.default_rng(0).standard_normal((3_000, n)).tobytes())
        stream.truncate(start + 8 * n_points * n)
    code = f"""
        import re, resource
        from isotropy_report import report_card
        from isotropy_report.io import read
        # What is mapped from a file does not count; what BLAS takes when it is imported differs by processor.
        imported = 1024 * int(re.search(r"VmData:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
        resource.setrlimit(resource.RLIMIT_DATA, (imported + 320 * 2**20,) * 2)
        card = report_card(read({str(path)!r}))
        print(card.value("n_zero"), card.value("n_duplicates"), card.value("isoscore_corrected"))
        # Not ru_maxrss, which begins with the peak of the process that started this one.
        print(re.search(r"VmHWM:\\s*(\\d+) kB", open("/proc/self/status").read())[1])
    """
    completed = run(textwrap.dedent(code))
    assert completed.returncode == 0, completed.stderr
    n_zero, n_duplicates, score, peak = completed.stdout.split()
    assert int(n_zero) == n_points - 3_000
    assert int(n_duplicates) == n_points - 3_001
    assert float(score) > 0.5
    assert int(peak) < 700_000  # kilobytes, what was mapped included
