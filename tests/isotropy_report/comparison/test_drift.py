"""Tests of the drift report: its test and power, scaled or normalized rows, and shared rows."""

import numpy as np
import pytest

from isotropy_report.comparison import drift_report
from isotropy_report.measures import drift_test

A = np.random.default_rng(0).standard_normal((40, 3))
B = np.random.default_rng(1).standard_normal((30, 3)) + 2.0


def test_report_contains_the_test_of_the_measure():
    report = drift_report(A, B, names=("old", "new"), n_resamples=99, rng=5)
    table = report.table("test")
    rows = dict(zip(table["what"], table["value"], strict=True))
    assert report.test.statistic == pytest.approx(drift_test(A, B).statistic, rel=1e-12)
    assert (rows["old: rows"], rows["new: rows"], rows["permutations"]) == (40, 30, 99)
    assert report.to_json() == drift_report(A, B, names=("old", "new"), n_resamples=99, rng=5).to_json()


def test_power_needs_ten_rows_per_side():
    """This holds for any number of tested rows."""
    nine_rows = drift_report(A[:9], B, rng=0)
    assert nine_rows.power is None
    assert "fewer than 10 rows" in nine_rows.to_text()
    ten_rows = drift_report(A[:10], B, rng=0)
    assert ten_rows.power.n_a == 10
    assert "fewer than 10 rows" not in ten_rows.to_text()
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
def test_normalized_or_scaled_rows_have_not_drifted(first, second, typical):
    report = drift_report(first, second, names=("old", "new"), n_resamples=99)
    assert (report.test.pvalue, report.power.n_a) == (1.0, 90)
    assert f"new {typical}," in " ".join(report.summary)


def test_normalized_files_are_compared_by_direction():
    shifted = UNIT[50:] + 0.3
    shifted /= np.linalg.norm(shifted, axis=1)[:, None]
    for rows, drifted in ((UNIT[50:], False), (shifted, True)):
        report = drift_report(ROWS[:50], 3 * rows, n_resamples=99)
        assert report.test.statistic == pytest.approx(drift_test(UNIT[:50], rows).statistic)
        assert (report.test.pvalue <= 0.05) == drifted
        assert (report.test.n_rows_a, report.test.n_rows_b) == (50, 40)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ROWS[:45], ROWS[45:] + 0.5),  # lengths that vary, and other directions
        (UNIT[:45], UNIT[45:]),  # all of length 1
        (np.where(np.arange(90)[:, None] == 3, 0.0, ROWS), UNIT),  # a row without a direction
        (np.ones((20, 1)), 2 + np.arange(20.0)[:, None]),  # directions that are all one
    ],
)
def test_other_files_are_compared_untransformed(first, second):
    report = drift_report(first, second, n_resamples=99)
    assert report.test.statistic == pytest.approx(drift_test(first, second, n_resamples=99).statistic)


@pytest.mark.parametrize("factor", [0.5, 1.1, 2.0])
def test_scaled_vectors_are_no_drift(factor):
    report = drift_report(ROWS[:45], factor * ROWS[45:], n_resamples=199)
    assert report.verdict == "no significant drift"
    assert factor == 1.1 or any("as if one file were normalized or scaled" in text for text in report.summary)
    assert drift_report(ROWS[:45], factor * ROWS[45:] + 0.7, n_resamples=199).verdict == "drift"


def test_subsets_give_no_verdict_unless_they_differ():
    """Shared and repeated rows cause warnings, and subsets have no stated power."""
    subset = drift_report(ROWS, ROWS[::-1][:60], n_resamples=99)
    assert subset.summary[0].startswith("No verdict, because 60 of 60 rows of B are also in A: ")
    few_new = drift_report(ROWS, np.vstack([ROWS[:57], ROWS[57:60] + 9]), n_resamples=99)
    assert (subset.verdict, few_new.verdict) == ("no verdict", "no verdict")
    assert len(subset.summary) == 1
    assert [caution.key for caution in subset.cautions] == ["shared_rows"]
    assert subset.to_text().count("Beware: ") == 1
    selected = drift_report(A, A[A[:, 0] > 0], n_resamples=99)
    assert selected.summary[0].startswith("The texts differ")
    repeated = drift_report(A, np.vstack([B, B[:1]]), n_resamples=99)
    assert ["1 row of B" in caution.text for caution in repeated.cautions] == [True]
    first, second = np.random.default_rng(0).standard_normal((2, 200, 3))
    second[:2] = first[0], second[2]  # one shared row, and one repeated
    (only,) = drift_report(first, second, n_resamples=99).cautions
    assert "2 shared or repeated rows (1.0%)" in only.text
    short = UNIT * np.where(np.arange(90) % 10, 1, 0.5)[:, None]
    assert "90% of B have lengths from 0.5 to 1." in drift_report(UNIT, short, n_resamples=99).summary[-1]
