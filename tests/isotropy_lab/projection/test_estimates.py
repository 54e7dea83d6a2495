"""Tests of estimates from sampled pairs: bias, standard errors, intervals, and exact values for all pairs."""

import math
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from isotropy_lab import projection as measures
from isotropy_lab.projection._pairs.distances import pairs_of
from isotropy_lab.projection.estimates import _nonmetric_stress, _Sample, _shepard_goodness, stress_estimate

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
    "scale-normalized": measures.scale_normalized_stress,
    "normalized": measures.normalized_stress,
    "optimal-scale": measures.optimal_scale,
    "Shepard": measures.shepard_goodness,
    "non-metric": measures.nonmetric_stress,
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("projection", ["linear", "noisy", "random"])
def test_all_pairs_give_the_exact_measure(name, projection):
    X, Y = projections()[projection]
    result = stress_estimate(X, Y, measure=name, n_pairs=N * (N - 1) // 2, rng=0)
    assert result.estimate == pytest.approx(MEASURES[name](X, Y), rel=1e-9)
    assert (result.method, result.n_pairs) == ("all pairs", N * (N - 1) // 2)
    assert result.standard_error == pytest.approx(0.0, abs=1e-9)
    assert result.low == pytest.approx(result.high, abs=1e-9)


def test_stress_of_a_constant_projection_needs_no_copy_of_the_data():
    X, Y = np.random.default_rng(0).random((2**15, 256)), np.ones((2**15, 1))
    tracemalloc.start()
    result = stress_estimate(X, Y, measure="normalized", n_pairs=100, rng=0)
    assert tracemalloc.get_traced_memory()[1] < X.nbytes / 2
    tracemalloc.stop()
    assert (result.estimate, result.standard_error, result.low, result.high) == (1.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize("name", ["scale-normalized", "optimal-scale", "Shepard", "non-metric"])
@pytest.mark.parametrize(
    ("heavy", "n_pairs", "method"),
    [
        (False, N - 1, "random pairs"),
        *((heavy, n_pairs, "balanced pairs") for heavy in (False, True) for n_pairs in (N, 5 * N)),
    ],
)
def test_intervals_cover_and_standard_errors_match_the_scatter(name, heavy, n_pairs, method):
    """Of 240 intervals (3 projections, 80 draws each) 228 should cover; below 209 has probability 1e-3."""
    n_covering, ratios = 0, []
    for X, Y in projections(heavy).values():
        truth = MEASURES[name](X, Y)
        results = [stress_estimate(X, Y, measure=name, n_pairs=n_pairs, rng=seed) for seed in range(80)]
        assert {result.method for result in results} == {method}
        n_covering += sum(result.low <= truth <= result.high for result in results)
        scatter = np.std([result.estimate for result in results], ddof=1)
        ratios.append(np.mean([result.standard_error for result in results]) / scatter)
        bias = np.mean([result.estimate for result in results]) - truth
        assert abs(bias) < scatter
    assert n_covering >= 209
    # The correction for the steps of the fit makes the error of non-metric stress one on the safe side.
    assert 0.7 < min(ratios) <= max(ratios) < (1.8 if name == "non-metric" else 1.5)


@pytest.mark.parametrize("level", [0.5, 1 - 1e-15])
def test_estimates_from_random_pairs_equal_hand_computed_ones(level):
    """A regression on d² and e²: intercept and slopes cost three degrees of freedom."""
    rng = np.random.default_rng(5)
    n, m = 400, 120
    X, Y = (1e-4 * rng.standard_normal((n, k)) ** 7 for k in (6, 2))
    # The same draw again: m first points, and second points that differ from them.
    generator = np.random.default_rng(0)
    i = generator.integers(n, size=m)
    j = (i + generator.integers(1, n, size=m)) % n
    d, e = np.linalg.norm(X[i] - X[j], axis=1), np.linalg.norm(Y[i] - Y[j], axis=1)
    # The estimated mean of d·e is the fitted value at the known means of d² and e².
    controls = np.column_stack([np.ones(m), d**2, e**2])
    fitted, *_ = np.linalg.lstsq(controls, d * e, rcond=None)
    residuals = d * e - controls @ fitted
    error = np.sqrt(residuals @ residuals / (m - 3) / m)
    d2, e2 = (2 * n / (n - 1) * side.var(axis=0).sum() for side in (X, Y))
    de = fitted @ [1.0, d2, e2]
    half_width = stats.norm.ppf(0.5 + level / 2) * error
    assert (de - half_width < 0) == (level > 0.9)
    squares = [1 + e2 / d2 - 2 * v / d2 for v in (de, de + half_width, de - half_width)]
    cosines = [1 - max(v, 0) ** 2 / d2 / e2 for v in (de, de + half_width, de - half_width)]
    for name, (value, low, high), slope in (
        ("optimal-scale", (de / e2, max(de - half_width, 0) / e2, (de + half_width) / e2), 1 / e2),
        ("normalized", np.sqrt(np.maximum(squares, 0)), 1 / d2 / np.sqrt(squares[0])),
        ("scale-normalized", np.sqrt(np.maximum(cosines, 0)), de / d2 / e2 / np.sqrt(cosines[0])),
    ):
        result = stress_estimate(X, Y, measure=name, n_pairs=m, confidence_level=level, rng=0)
        assert (result.method, result.n_pairs, result.confidence_level) == ("random pairs", m, level)
        assert (result.estimate, result.low, result.high) == pytest.approx(
            (value, low, high), rel=1e-8, abs=1e-12
        )
        bound = math.inf if name == "optimal-scale" else (high - low) / 2 / stats.norm.ppf(0.5 + level / 2)
        assert result.standard_error == pytest.approx(min(slope * error, bound), rel=1e-8), name


def test_estimated_shepard_goodness_equals_hand_computed_one():
    """Distances are integers with many ties, and influences are counted pair by pair."""
    rng = np.random.default_rng(8)
    d = rng.integers(0, 30, 50).astype(float)
    e = np.rint(0.5 * rng.integers(0, 20, 50) - d)
    f, g = ((stats.rankdata(side) - 0.5) / 50 - 0.5 for side in (d, e))
    above_d, above_e = ((side > side[:, None]) + 0.5 * (side == side[:, None]) for side in (d, e))
    influence = f * g + above_d @ g / 50 + above_e @ f / 50
    error = influence.std(ddof=1) / np.sqrt(50 * (f @ f) * (g @ g)) * 50
    rho = stats.spearmanr(d, e).statistic
    for sign, level in ((1, 0.9), (-1, 0.9), (1, 1 - 1e-15), (-1, 1 - 1e-15)):
        sample = _Sample(9, *np.zeros((2, 50), int), d, sign * e, "random pairs", level)
        result, half_width = _shepard_goodness(sample), stats.norm.ppf(0.5 + level / 2) * error
        assert (result.estimate, result.standard_error) == pytest.approx((sign * rho, error), rel=1e-12)
        ends = max(sign * rho - half_width, -1), min(sign * rho + half_width, 1)
        assert (result.low, result.high) == pytest.approx(ends, rel=1e-12)


def test_standard_error_of_balanced_pairs_equals_hand_computed_one():
    """Points that explain everything leave a fiftieth of the variance; others may leave all."""
    rng = np.random.default_rng(10)
    n, k = 13, 6
    first = np.tile(np.arange(n), k // 2)
    second = (first + np.repeat([1, 3, 4], n)) % n
    distances = np.ones((2, first.size))
    sample = _Sample(n, first, second, *distances, "balanced pairs", 0.95)
    point_effects, pair_effects = rng.standard_normal(n), rng.standard_normal(first.size)
    for weight, rest_of in ((1, lambda V, a2: V - 2 * a2), (50, lambda V, _: 0.02 * V), (0, lambda V, _: V)):
        values = pair_effects + weight * (point_effects[first] + point_effects[second])
        centered = values - values.mean()
        variance = centered @ centered / (values.size - 2)
        means = np.array([centered[(first == i) | (second == i)].mean() for i in range(n)])
        # Means of k values vary by a² + (s² + a²)/k, where V = s² + 2a².
        point_variance = (means @ means / (n - 1) - variance / k) / (1 - 1 / k)
        assert point_variance > 0.1 if weight else point_variance < 0
        remaining = rest_of(variance, point_variance) * (1 - values.size / (n * (n - 1) / 2))
        assert sample.error(values, n_fitted=2) == pytest.approx(np.sqrt(remaining / values.size), rel=1e-12)


@pytest.mark.parametrize(("last", "steps"), [([30, 20], [2, 1, 6, 1, 2]), ([20, 30], [2, 1, 6, 1, 1, 1])])
def test_estimated_nonmetric_stress_equals_hand_computed_one(last, steps):
    """Steps cost degrees of freedom and add to the error unless they are half as many as the pairs."""
    d, e = np.arange(1.0, 13.0), np.array([2.0, 1, 3, 9, 8, 7, 4, 6, 5, 12, *last])
    sample = _Sample(9, *np.zeros((2, 12), int), d, e, "random pairs", 0.5)
    d2, e2 = (np.square(side).mean() for side in (d, e))
    fit = np.concatenate([np.full(step.size, step.mean()) for step in np.split(e, np.cumsum(steps[:-1]))])
    correction = 12 / (12 - len(steps)) if len(steps) < 6 else 1.0
    values = np.square(e - fit) * correction
    controls = np.column_stack([np.ones(12), d**2, e**2])
    residuals = values - controls @ np.linalg.lstsq(controls, values, rcond=None)[0]
    error = math.hypot(np.sqrt(residuals @ residuals / 9 / 12), (correction - 1) * values.mean())
    result, half_width = _nonmetric_stress(sample, d2, e2), stats.norm.ppf(0.75) * error
    assert result.estimate**2 * e2 == pytest.approx(values.mean(), rel=1e-12)
    ends = np.sqrt((values.mean() + half_width * np.array([-1, 1])) / e2)
    assert (result.low, result.high) == pytest.approx(ends, rel=1e-12)
    assert result.standard_error == pytest.approx(error / e2 / 2 / result.estimate, rel=1e-12)


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
def test_roots_of_estimated_squares_and_their_errors(square, error, low, high, root_error, ends):
    """An error is at most half the interval, in standard errors; what leaves [0, 1] is cut off."""
    sample = _Sample(9, *np.zeros((4, 4)), "random pairs", 0.9)
    bound = (ends[1] - ends[0]) / 2 / stats.norm.ppf(0.95)
    result = sample.result_of_square(square, error, low, high, maximum=1.0)
    assert result.estimate == math.sqrt(min(max(square, 0.0), 1.0))
    assert (result.low, result.high) == pytest.approx(ends, rel=1e-12)
    assert result.standard_error == pytest.approx(bound if root_error is None else root_error, rel=1e-12)


def test_balanced_pairs_use_all_points_equally_often():
    rng = np.random.default_rng(6)
    for n, requested in ((15, 104), (16, 119), (40, 100), (41, 700)):
        pairs = pairs_of(rng.standard_normal((n, 3)), rng.standard_normal((n, 2)), metric="euclidean")
        sample = _Sample.of(pairs, requested, 0.95, 0)
        # The n pairs of each shift are all different, and no point is paired with itself.
        n_shifts = min(math.ceil(requested / n), (n - 1) // 2)
        drawn = {frozenset(pair) for pair in zip(sample.first.tolist(), sample.second.tolist(), strict=True)}
        assert (sample.method, sample.n_pairs, len(drawn)) == ("balanced pairs", n_shifts * n, n_shifts * n)
        assert np.bincount(np.concatenate([sample.first, sample.second])).tolist() == [2 * n_shifts] * n
