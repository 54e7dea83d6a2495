"""Tests of the paired interval of a ratio of scores, by definition, and of the average cosine by coverage."""

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
from tests.isotropy_lab.isotropy.test_intervals import svd_fitted
from tests.isotropy_report.comparison.test_models import model


def differences(A, B):
    found = compare_scores([model("a", A), model("b", B)], paired=True, confidence_level=0.95)
    return {one.measure: one for one in found.differences}


def compared(A, B):
    return differences(A, B)["isoscore_corrected"]


def pair(rng, n_points, n, n_other):
    """Return two clouds whose samples vary together."""
    z = rng.standard_normal((n_points, max(n, n_other)))
    noise = rng.standard_normal((n_points, n_other))
    A = z[:, :n] / np.sqrt(np.arange(1, n + 1))
    B = (0.9 * z[:, :n_other] + math.sqrt(0.19) * noise) * np.linspace(1, 2, n_other)
    return A, B


def test_order_unit_place_and_rotation_do_not_matter(rng):
    A, B = pair(rng, 100, 6, 6)
    same, one, other = compared(A, A), compared(A, B), compared(B, A)
    assert (same.estimate, same.low, same.high) == (1.0, 1.0, 1.0)
    assert one.low == pytest.approx(1 / other.high)
    assert one.estimate == pytest.approx(1 / other.estimate)
    moved = compared(7 * A @ np.linalg.qr(rng.standard_normal((6, 6)))[0] + 2, B - 5)
    assert (one.low, one.high) == pytest.approx((moved.low, moved.high), rel=1e-7)


def test_coverage_of_the_average_cosine():
    rng = np.random.default_rng(3)
    n_points, n, mean = 60, 10, 0.5
    many = rng.standard_normal((300_000, n)) + mean
    truth = float(np.square((many / np.linalg.norm(many, axis=1)[:, None]).mean(axis=0)).sum())
    held = 0
    for _ in range(250):
        rows = Rows(rng.standard_normal((n_points, n)) + mean)
        found = survey(rows, sample_size=1, rng=rng)
        reach = measure_spread(rows, found, groups=None, confidence_level=0.95).cosine_reach
        held += abs(found.average_cosine - truth) <= reach
    assert held >= 225


def test_a_line_has_no_ratio(rng):
    line = rng.standard_normal((50, 1)) @ np.ones((1, 4))
    other = rng.standard_normal((50, 4))
    assert "isoscore_corrected" not in differences(line, other)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    N=st.integers(8, 60),
    sizes=st.tuples(st.integers(2, 12), st.integers(2, 12)),
    steep=st.floats(0.0, 0.6),
    on_fitted=st.booleans(),
)
def test_ratios_are_those_of_the_printed_scores_or_there_are_none(seed, N, sizes, steep, on_fitted):
    """Estimate, interval, ratio, p-value and tied set contradict each other for no two clouds."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((N, sizes[0])) * np.arange(1, sizes[0] + 1) ** -steep
    B = svd_fitted(rng, sizes[1], N) if on_fitted else rng.standard_normal((N, sizes[1]))
    models = [model(name, X) for name, X in (("a", A), ("b", B))]
    compared = compare_scores(models, paired=True, confidence_level=0.95, within_bounds=True)
    for key, score in (("isoscore_corrected", isoscore), ("dimensions_used_corrected", dimensions_used)):
        printed = {name: score(X, estimator="corrected") for name, X in (("a", A), ("b", B))}
        most = {"a": 1, "b": 1} if score is isoscore else {"a": A.shape[1], "b": B.shape[1]}
        own = [one for one in compared.differences if one.measure == key]
        best = best_or_tied(compared.values[key], 1, own, 0.95)
        if any(printed[name] > (1 - 1e-9) * most[name] for name in printed):
            assert (own, best) == ([], ())
        for one in own:
            assert one.estimate == pytest.approx(printed["a"] / printed["b"], rel=1e-7)
            assert one.low <= one.estimate <= one.high
            assert (one.pvalue <= 0.05) == (not one.low <= 1.0 <= one.high)
            assert best[0] == max(printed, key=printed.get)


def test_nothing_is_compared_with_axes_fitted_on_the_rows(rng):
    """Both print 1.000; a ratio of .82 stood below, and one of them was called the best."""
    files = {"svd32": svd_fitted(rng, 32), "svd16": svd_fitted(rng, 16)}
    card = report_card(files["svd32"], pictures=False)
    assert card.value("isoscore_corrected") == 1.0
    assert card.line("isoscore_corrected").low < 1.0
    assert "beyond_a_ball" in [caution.key for caution in card.cautions]
    found = compare(files, rng=0, k=3)
    corrected = {"isoscore_corrected", "dimensions_used_corrected"}
    assert corrected.isdisjoint([*found.tied, *found.to_frame()["measure"]])
    assert "svd32 and svd16 is at its largest value" in " ".join(found.summary)


def test_a_ball_is_not_taken_for_axes_that_were_fitted():
    """Half of all balls have a corrected score that is cut off; chance gives no more than that."""
    for seed in range(5):
        card = report_card(np.random.default_rng(seed).standard_normal((60, 16)), pictures=False)
        assert "beyond_a_ball" not in [caution.key for caution in card.cautions]
        assert 0.7 < card.line("isoscore_corrected").low < 1.0 == card.line("isoscore_corrected").high
