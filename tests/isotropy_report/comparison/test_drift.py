"""The report on drift: what it tells while it works, and how many rows each part looks at."""

import numpy as np
import pytest

from isotropy_report.comparison import drift_report
from isotropy_report.measures import drift_test

A = np.random.default_rng(0).standard_normal((40, 3))
B = np.random.default_rng(1).standard_normal((30, 3)) + 2.0


def test_the_test_is_that_of_the_measure():
    found = drift_report(A, B, names=("old", "new"), n_resamples=99, rng=5)
    table = found.table("test")
    rows = dict(zip(table["what"], table["value"], strict=True))
    assert found.test.statistic == pytest.approx(drift_test(A, B).statistic, rel=1e-12)
    assert (rows["old: rows"], rows["new: rows"], rows["permutations"]) == (40, 30, 99)
    assert found.to_json() == drift_report(A, B, names=("old", "new"), n_resamples=99, rng=5).to_json()


def test_power_is_told_from_ten_rows_on():
    """However few rows are tested: with fewer than ten on a side there is no power to speak of."""
    few = drift_report(A[:9], B, rng=0)
    assert few.power is None
    assert "With fewer than 10 rows" in few.to_text()
    just = drift_report(A[:10], B, rng=0)
    assert just.power is not None
    assert "With fewer than 10 rows" not in just.to_text()
    capped = drift_report(A, B, max_rows=5, rng=0)
    assert capped.power is not None
    assert (capped.test.n_a, capped.test.n_b) == (5, 5)
    assert (capped.power.n_a, capped.power.n_b) == (10, 10)
