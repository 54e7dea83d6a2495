"""Tests of the drift report: progress messages, and the number of rows that each part uses."""

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
    assert "fewer than 10 rows" in few.to_text()
    just = drift_report(A[:10], B, rng=0)
    assert just.power.n_a == 10
    assert "fewer than 10 rows" not in just.to_text()
    capped = drift_report(A, B, max_rows=5, rng=0)
    assert (capped.test.n_a, capped.test.n_b) == (5, 5)
    assert (capped.power.n_a, capped.power.n_b) == (10, 10)


ROWS = np.random.default_rng(2).standard_normal((90, 40)) + 0.5
UNIT = ROWS / np.linalg.norm(ROWS, axis=1)[:, None]


@pytest.mark.parametrize(
    ("first", "second", "typical"),
    [
        (ROWS, UNIT, "1"),
        (UNIT, ROWS, f"{np.median(np.linalg.norm(ROWS, axis=1)):.3g}"),
        (ROWS, 7 * ROWS[::-1], f"{7 * np.median(np.linalg.norm(ROWS, axis=1)):.3g}"),
        (UNIT, (2 * UNIT).astype(np.float16), "2"),
    ],
)
def test_rows_that_are_only_normalized_or_scaled_have_not_drifted(first, second, typical):
    found = drift_report(first, second, names=("old", "new"), n_resamples=99)
    assert (found.test.pvalue, found.power.n_a) == (1.0, 90)
    assert f"new {typical}," in " ".join(found.summary)


def test_other_texts_are_compared_by_direction_where_one_file_is_normalized():
    shifted = UNIT[50:] + 0.3
    shifted /= np.linalg.norm(shifted, axis=1)[:, None]
    for rows, differ in ((UNIT[50:], False), (shifted, True)):
        found = drift_report(ROWS[:50], 3 * rows, n_resamples=99)
        assert found.test.statistic == pytest.approx(drift_test(UNIT[:50], rows).statistic)
        assert (found.test.pvalue <= 0.05) == differ
        assert (found.test.n_rows_a, found.test.n_rows_b) == (50, 40)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ROWS[:45], 2 * ROWS[45:]),  # lengths that vary
        (UNIT[:45], UNIT[45:]),  # all of length 1
        (np.where(np.arange(90)[:, None] == 3, 0.0, ROWS), UNIT),  # a row without a direction
        (np.ones((20, 1)), 2 + np.arange(20.0)[:, None]),  # directions that are all one
    ],
)
def test_vectors_are_compared_as_they_are_where_lengths_are_no_sign(first, second):
    found = drift_report(first, second, n_resamples=99)
    assert found.test.statistic == pytest.approx(drift_test(first, second, n_resamples=99).statistic)


def test_a_file_that_contains_the_other_gives_no_verdict_unless_they_differ():
    """Shared and repeated rows are warnings, and no power is promised for copies."""
    copied = drift_report(ROWS, ROWS[::-1][:60], n_resamples=99)
    assert copied.summary[0].startswith("No verdict, because all rows of B are also in A: ")
    assert len(copied.summary) == 1
    assert [one.key for one in copied.cautions] == ["shared_rows"]
    assert copied.to_text().count("Beware: ") == 1
    chosen = drift_report(A, A[A[:, 0] > 0], n_resamples=99)
    assert chosen.summary[0].startswith("The texts differ")
    repeated = drift_report(A, np.vstack([B, B[:1]]), n_resamples=99)
    assert ["1 row of B" in one.text for one in repeated.cautions] == [True]
    few = UNIT * np.where(np.arange(90) % 10, 1, 0.5)[:, None]
    assert "90% of B have lengths from 0.5 to 1." in drift_report(UNIT, few, n_resamples=99).summary[2]
