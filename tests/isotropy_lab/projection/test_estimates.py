"""Estimates from sampled pairs: right on average, honest about their error, exact where all pairs fit."""

import math

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.projection import (
    nonmetric_stress,
    normalized_stress,
    optimal_scale,
    scale_normalized_stress,
    shepard_goodness,
)
from isotropy_lab.projection.estimates import _nonmetric, _Sample, stress_estimate

N = 300


def projections(heavy=False):
    rng = np.random.default_rng(1)
    noise = rng.standard_t(3, (N, 8)) if heavy else rng.standard_normal((N, 8))
    X = noise * np.linspace(3, 1, 8)
    return {
        "linear": (X, X[:, :2]),
        "noisy": (X, X[:, :2] + rng.standard_normal((N, 2))),
        "random": (X, rng.standard_normal((N, 2))),
    }


MEASURES = {
    "scale-normalized": scale_normalized_stress,
    "normalized": normalized_stress,
    "optimal-scale": optimal_scale,
    "Shepard": shepard_goodness,
    "non-metric": nonmetric_stress,
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("projection", ["linear", "noisy", "random"])
def test_all_pairs_give_the_measure_itself(name, projection):
    X, Y = projections()[projection]
    found = stress_estimate(X, Y, measure=name, n_pairs=N * N, rng=0)
    assert found.estimate == pytest.approx(MEASURES[name](X, Y), rel=1e-9)
    assert found.method == "all pairs"
    assert found.n_pairs == N * (N - 1) // 2
    assert found.standard_error == pytest.approx(0.0, abs=1e-9)
    assert found.low == pytest.approx(found.high, abs=1e-9)


@pytest.mark.parametrize("name", ["scale-normalized", "optimal-scale", "Shepard", "non-metric"])
@pytest.mark.parametrize(
    ("heavy", "n_pairs", "method"),
    [
        (False, N - 1, "random pairs"),
        *((heavy, n_pairs, "balanced pairs") for heavy in (False, True) for n_pairs in (N, 5 * N)),
    ],
)
def test_intervals_cover_and_standard_errors_are_what_estimates_scatter_by(name, heavy, n_pairs, method):
    """Of 240 intervals (3 projections, 80 draws each) 228 should cover; below 209 has probability 1e-3."""
    covered, ratios = 0, []
    for X, Y in projections(heavy).values():
        truth = MEASURES[name](X, Y)
        found = [stress_estimate(X, Y, measure=name, n_pairs=n_pairs, rng=seed) for seed in range(80)]
        assert {f.method for f in found} == {method}
        covered += sum(f.low <= truth <= f.high for f in found)
        scatter = np.std([f.estimate for f in found], ddof=1)
        ratios.append(np.mean([f.standard_error for f in found]) / scatter)
        bias = np.mean([f.estimate for f in found]) - truth
        assert abs(bias) < scatter
    assert covered >= 209
    # The correction for the steps of the fit makes the error of non-metric stress one on the safe side.
    assert 0.7 < min(ratios) <= max(ratios) < (1.8 if name == "non-metric" else 1.5)


def test_the_standard_error_of_random_pairs_by_hand():
    """Residuals of a regression on d² and e², whose intercept and slopes cost three degrees of freedom."""
    rng = np.random.default_rng(5)
    n, m = 400, 120
    X, Y = rng.standard_normal((n, 6)), rng.standard_normal((n, 2))
    found = stress_estimate(X, Y, measure="optimal-scale", n_pairs=m, rng=0)
    assert (found.method, found.n_pairs) == ("random pairs", m)
    # The same draw again: m first points, and second points that differ from them.
    generator = np.random.default_rng(0)
    i = generator.integers(n, size=m)
    j = (i + generator.integers(1, n, size=m)) % n
    d, e = np.linalg.norm(X[i] - X[j], axis=1), np.linalg.norm(Y[i] - Y[j], axis=1)
    # α = Σde/Σe²: the sum of e² is known, and d·e is regressed on the controls.
    controls = np.column_stack([np.ones(m), d**2, e**2])
    fitted, *_ = np.linalg.lstsq(controls, d * e, rcond=None)
    residuals = d * e - controls @ fitted
    error = np.sqrt(residuals @ residuals / (m - 3) / m)
    d2, e2 = (2 * n / (n - 1) * side.var(axis=0).sum() for side in (X, Y))
    assert found.standard_error == pytest.approx(error / e2, rel=1e-9)
    # SNS = √(1 − α² e²/d²), whose derivative by α is −α e² / (d² SNS).
    stress = stress_estimate(X, Y, measure="scale-normalized", n_pairs=m, rng=0)
    slope = found.estimate * e2 / d2 / stress.estimate
    assert stress.standard_error == pytest.approx(slope * found.standard_error, rel=1e-9)


def test_the_standard_error_of_balanced_pairs_by_hand():
    """Of few points, for the number of points and its predecessor to differ."""
    rng = np.random.default_rng(7)
    n, k = 13, 6
    first = np.tile(np.arange(n), k // 2)
    second = (first + np.repeat([1, 3, 4], n)) % n
    distances = np.ones((2, first.size))
    sample = _Sample(n, first, second, *distances, "balanced pairs", 0.95)
    values = rng.standard_normal(first.size) + rng.standard_normal(n)[first] + rng.standard_normal(n)[second]
    centered = values - values.mean()
    variance = centered @ centered / (values.size - 2)
    means = np.array([centered[(first == i) | (second == i)].mean() for i in range(n)])
    # Means of k values vary by a² + (s² + a²)/k, where V = s² + 2a².
    own = (means @ means / (n - 1) - variance / k) / (1 - 1 / k)
    assert own > 0.1
    left = (variance - 2 * own) * (1 - values.size / (n * (n - 1) / 2))
    assert sample.error(values, n_fitted=2) == pytest.approx(np.sqrt(left / values.size), rel=1e-12)


@pytest.mark.parametrize(("e", "residuals", "correction"), [([4, 3, 2, 1], 5, 4 / 3), ([2, 1, 4, 3], 1, 1)])
def test_steps_of_a_fit_cost_degrees_of_freedom_unless_they_are_half_the_pairs(e, residuals, correction):
    sample = _Sample(9, *np.zeros((2, 4), int), np.arange(1.0, 5.0), np.array(e, float), "random pairs", 0.95)
    squares = [np.square(side).mean() for side in (sample.d, sample.e)]
    found = _nonmetric(sample, *squares)
    assert found.estimate == pytest.approx(np.sqrt(correction * residuals / 30), rel=1e-12)


@pytest.mark.parametrize(
    ("square", "error", "low", "high", "root_error", "ends"),
    [
        (0.25, 0.01, 0.16, 0.36, 0.01, (0.4, 0.6)),  # the derivative of a root is 1/2√
        (0.0, 0.01, -0.02, 0.04, None, (0.0, 0.2)),  # which has no bound near 0
        (0.01, 0.5, -0.97, 0.99, None, (0.0, math.sqrt(0.99))),
        (-0.1, 0.5, -0.3, -0.2, 0.0, (0.0, 0.0)),
        (1.1, 0.04, 0.81, 1.3, 0.02, (0.9, 1.0)),
    ],
)
def test_roots_of_squares_and_their_errors_by_hand(square, error, low, high, root_error, ends):
    """An error is at most half the interval, in standard errors; what leaves [0, 1] is cut off."""
    sample = _Sample(9, *np.zeros((4, 4)), "random pairs", 0.9)
    half = (ends[1] - ends[0]) / 2 / stats.norm.ppf(0.95)
    found = sample.result_of_square(square, error, low, high, top=1.0)
    assert found.estimate == math.sqrt(min(max(square, 0.0), 1.0))
    assert (found.low, found.high) == pytest.approx(ends, rel=1e-12)
    assert found.standard_error == pytest.approx(half if root_error is None else root_error, rel=1e-12)


def test_balanced_pairs_take_every_point_equally_often():
    rng = np.random.default_rng(6)
    for n in (15, 16):
        X = rng.standard_normal((n, 3))
        # At most (n − 1) // 2 shifts, each of n pairs, differ from each other and pair no point twice.
        found = stress_estimate(
            X, X, measure="scale-normalized", n_pairs=max(100, n * (n - 1) // 2 - 1), rng=0
        )
        assert (found.method, found.n_pairs) == ("balanced pairs", n * ((n - 1) // 2))
