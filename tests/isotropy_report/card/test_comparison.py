"""Tests of the paired interval of a ratio of scores by definition, and of the average cosine by coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.isotropy import dimensions_used, isoscore
from isotropy_report import compare, report_card
from isotropy_report.card.measures import measure_spread
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import survey
from isotropy_report.comparison.paired import best_or_tied, compare_scores
from tests.isotropy_lab.isotropy.test_intervals import rows_on_fitted_axes
from tests.isotropy_report.comparison.test_models import as_model


def differences(A, B):
    comparison = compare_scores([as_model("a", A), as_model("b", B)], paired=True, confidence_level=0.95)
    return {d.measure: d for d in comparison.differences}


def compare_isoscores(A, B):
    return differences(A, B)["isoscore_corrected"]


def test_comparison_is_invariant(rng):
    z, noise = rng.standard_normal((2, 100, 6))  # A and B are correlated
    A = z / np.sqrt(np.arange(1, 7))
    B = (0.9 * z + math.sqrt(0.19) * noise) * np.linspace(1, 2, 6)
    same, result, exchanged = compare_isoscores(A, A), compare_isoscores(A, B), compare_isoscores(B, A)
    assert (same.estimate, same.low, same.high) == (1.0, 1.0, 1.0)
    assert result.low == pytest.approx(1 / exchanged.high)
    assert result.estimate == pytest.approx(1 / exchanged.estimate)
    moved = compare_isoscores(7 * A @ np.linalg.qr(rng.standard_normal((6, 6)))[0] + 2, B - 5)
    assert (result.low, result.high) == pytest.approx((moved.low, moved.high), rel=1e-7)


def test_interval_of_the_average_cosine_covers():
    rng = np.random.default_rng(3)
    n_points, n, mean = 60, 10, 0.5
    population = rng.standard_normal((300_000, n)) + mean
    truth = float(np.square((population / np.linalg.norm(population, axis=1)[:, None]).mean(axis=0)).sum())
    n_covering = 0
    for _ in range(250):
        rows = Rows(rng.standard_normal((n_points, n)) + mean)
        statistics = survey(rows, sample_size=1, rng=rng)
        half_width = measure_spread(rows, statistics, groups=None, confidence_level=0.95).cosine_half_width
        n_covering += abs(statistics.average_cosine - truth) <= half_width
    assert n_covering >= 225


def test_ratio_of_a_line_is_undefined(rng):
    line = rng.standard_normal((50, 1)) @ np.ones((1, 4))
    other = rng.standard_normal((50, 4))
    assert "isoscore_corrected" not in differences(line, other)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    N=st.integers(8, 60),
    sizes=st.tuples(st.integers(2, 12), st.integers(2, 12)),
    steep=st.floats(0.0, 0.6),
    fitted=st.booleans(),
)
def test_ratios_agree_with_the_printed_scores_or_are_missing(seed, N, sizes, steep, fitted):
    """Estimate, interval, ratio, p-value, and tied models are consistent for any two samples."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((N, sizes[0])) * np.arange(1, sizes[0] + 1) ** -steep
    B = rows_on_fitted_axes(rng, sizes[1], N) if fitted else rng.standard_normal((N, sizes[1]))
    models = [as_model(name, X) for name, X in (("a", A), ("b", B))]
    comparison = compare_scores(models, paired=True, confidence_level=0.95, within_bounds=True)
    for key, score in (("isoscore_corrected", isoscore), ("dimensions_used_corrected", dimensions_used)):
        printed = {name: score(X, estimator="corrected") for name, X in (("a", A), ("b", B))}
        bounds = {"a": 1, "b": 1} if score is isoscore else {"a": A.shape[1], "b": B.shape[1]}
        differences = [d for d in comparison.differences if d.measure == key]
        best = best_or_tied(comparison.values[key], 1, differences, 0.95)
        if any(printed[name] > (1 - 1e-9) * bounds[name] for name in printed):
            assert (differences, best) == ([], ())
        for d in differences:
            assert d.estimate == pytest.approx(printed["a"] / printed["b"], rel=1e-7)
            assert d.low <= d.estimate <= d.high
            assert (d.pvalue <= 0.05) == (not d.low <= 1.0 <= d.high)
            assert best[0] == max(printed, key=printed.get)


def test_scores_at_their_bound_are_not_compared(rng):
    """Both scores are printed as 1.000, so that a ratio of 0.82 between them would be wrong."""
    files = {"svd32": rows_on_fitted_axes(rng, 32), "svd16": rows_on_fitted_axes(rng, 16)}
    card = report_card(files["svd32"], pictures=False)
    assert card.value("isoscore_corrected") == 1.0
    assert card.line("isoscore_corrected").low < 1.0
    assert "beyond_a_ball" in [caution.key for caution in card.cautions]
    comparison = compare(files, rng=0, k=3)
    corrected = {"isoscore_corrected", "dimensions_used_corrected"}
    assert corrected.isdisjoint([*comparison.tied, *comparison.to_frame()["measure"]])
    assert "svd32 and svd16 is at its largest value" in " ".join(comparison.summary)


def test_balls_are_not_reported_as_fitted_axes():
    """Half of all balls have a corrected score that is cut off at 1, and chance explains that."""
    for seed in range(5):
        card = report_card(np.random.default_rng(seed).standard_normal((60, 16)), pictures=False)
        assert "beyond_a_ball" not in [caution.key for caution in card.cautions]
        assert 0.7 < card.line("isoscore_corrected").low < 1.0 == card.line("isoscore_corrected").high
