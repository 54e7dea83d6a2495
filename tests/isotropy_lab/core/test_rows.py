"""Tests of the release of memory-mapped rows."""

import sys
from pathlib import Path

import numpy as np
import pytest

from isotropy_lab._core.rows import release
from isotropy_report import report_card
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import survey


def resident_kilobytes(path):
    """Return how many kilobytes of a file are resident in this process."""
    lines = iter(Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines())
    return sum(
        next(int(rest.split()[1]) for rest in lines if rest.startswith("Rss:"))
        for line in lines
        if line.endswith(str(path))
    )


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((20_000, 32)).astype(np.float32))
    return tmp_path / "x.npy"


@pytest.mark.skipif(sys.platform != "linux", reason="counts resident pages in /proc")
def test_read_pages_are_released(path):
    X = np.load(path, mmap_mode="r")
    X[:].sum()
    assert resident_kilobytes(path) > 2_000
    release(X[::2].T)
    assert resident_kilobytes(path) < 300
    survey(Rows(X), sample_size=9, rng=np.random.default_rng(0))
    assert resident_kilobytes(path) < 300


def test_changes_in_a_copy_on_write_map_survive(path):
    X = np.load(path, mmap_mode="c")
    X[:] = X[::-1] * 2
    before = np.array(X)
    report_card(X, pictures=False, rng=0)
    np.testing.assert_array_equal(X, before)
