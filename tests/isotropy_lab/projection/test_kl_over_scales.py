"""Tests of KL curves, their histograms, and the scale-normalized KL divergence."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize_scalar
from scipy.spatial.distance import pdist, squareform

from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.kernels import kl as kernels_kl
from isotropy_lab.projection._pairs.kl_histogram import histogram_of
from isotropy_lab.projection._pairs.kl_pairs import kl_pairs
from isotropy_lab.projection.affinities import affinities
from isotropy_lab.projection.kl import ScaleNormalizedKL, kl_curve, kl_divergence, scale_normalized_kl
from reanalyses.smelser2025.kl_derivative import kl_derivative
from tests import oracles
from tests.isotropy_lab.projection.test_kl import KERNELS, P_B, Y_B, data_and_projection
from tests.isotropy_lab.projection.test_stress import random_pair

SCALES = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 33)])


def histogram(X, Y, **options):
    return histogram_of(kl_pairs(X, Y, perplexity=8, metric="euclidean"), **options)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), t=st.sampled_from([1, 2, 3, 30]), kernel=st.sampled_from(KERNELS))
def test_curves_of_both_methods_equal_the_divergence(seed, t, kernel):
    X, Y = random_pair(seed, N=30, t=t)
    options = {"perplexity": 8, "kernel": kernel}
    exact = kl_curve(X, Y, SCALES, method="exact", **options)
    divergences = [kl_divergence(X, Y, scale=scale, **options) for scale in SCALES]
    np.testing.assert_array_equal(exact, divergences)
    approximate = kl_curve(X, Y, SCALES, **options)
    np.testing.assert_allclose(approximate, exact, rtol=1e-10, atol=2.6e-9)
    if kernel != "inverse-square":
        np.testing.assert_array_equal(approximate, histogram(X, Y).values(SCALES, kernel=kernel))


def test_histograms_of_equal_distances_agree_with_exact_curves():
    """Two points coincide, all distances are equal, or they have two nearly equal values."""
    X, Y = random_pair(1, N=30)
    Y[3] = Y[4]
    scales = np.geomspace(1e-3, 1e12, 16)
    for projection in (Y, np.eye(30), np.hstack([np.eye(30)[:, :29], np.full((30, 1), 1e-3)])):
        exact = kl_curve(X, projection, scales, perplexity=8, method="exact")
        approximate = histogram(X, projection).values(scales)
        np.testing.assert_allclose(approximate, exact, rtol=0, atol=2.6e-9)


def test_more_bins_reduce_the_error():
    X, Y = random_pair(2, N=40, t=8)
    exact = kl_curve(X, Y, SCALES, perplexity=8, method="exact")
    errors = [np.abs(histogram(X, Y, bits=bits).values(SCALES) - exact).max() for bits in (0, 4, 8, 12)]
    assert (np.diff(np.log(errors)) < -3).all()
    # The leading bits of e² − min e² determine the bin; a bin with several values has two atoms.
    Y = Y[:, :1]
    squares = np.square(Y - Y.T)[np.triu_indices(40, k=1)]
    for bits in (0, 3):
        counts = np.unique((squares - squares.min()).view(np.int64) >> (52 - bits), return_counts=True)[1]
        assert histogram(X, Y, bits=bits).number.size == np.minimum(counts, 2).sum()


# Values and scales of the authors' code, whose search was bounded to (0, 300): all minima here lie inside.
# Its affinities come from distances in float32, and its search stops at a tolerance of 1e-5 in the scale.
@pytest.mark.parametrize(
    ("data", "projection", "value", "scale"),
    [
        ("iris", "rnd", 1.5277087106314888, 0.41116378268132375),
        ("iris", "pca2", 0.25191341940848283, 3.8015347502546355),
        ("iris", "cols", 0.6062415768523826, 4.446810363156241),
        ("wine", "rnd", 1.7350755572194485, 0.2405302791554368),
        ("wine", "pca2", 0.3117469306296178, 0.03396783113458382),
        ("wine", "pca2x10", 0.311746948814928, 0.0033956620646203917),
        ("digits500", "pca2x10", 1.390821112134614, 0.037102823080316635),
        ("digits500", "cols", 2.7322661260324965, 0.3085159606637588),
    ],
)
def test_smallest_divergences_agree_with_the_code_of_the_authors(data, projection, value, scale):
    result = scale_normalized_kl(*data_and_projection(data, projection))
    assert result.value == pytest.approx(value, abs=3e-7)
    assert result.scale == pytest.approx(scale, rel=5e-4)
    assert (result.n_minima, result.at_zero, result.at_infinity) == (1, False, False)
    assert result.minima == ((result.scale, result.value),)
    assert float(result) == result.value


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10_000), kernel=st.sampled_from(KERNELS[:2]), spread=st.sampled_from([0.0, 1.0, 2.0])
)
def test_no_scale_has_a_smaller_divergence(seed, kernel, spread):
    X, Y = random_pair(seed, N=16)
    Y *= np.exp(spread * np.random.default_rng(seed).standard_normal((16, 1)))
    P = affinities(X, perplexity=4)
    result = scale_normalized_kl(P, Y, kernel=kernel, metric="affinities")
    scales = np.concatenate([[0.0], np.geomspace(1e-5, 1e6, 300)])
    curve = kl_curve(P, Y, scales, kernel=kernel, metric="affinities", method="exact")
    assert result.value <= curve.min() + 1e-12
    assert result.value >= 0
    # The result is the divergence at its scale, and every minimum of the grid has one of its minima.
    value_at_scale = kl_divergence(P, Y, scale=result.scale, kernel=kernel, metric="affinities")
    assert result.value == pytest.approx(value_at_scale, rel=1e-12)
    grid_minima = np.flatnonzero((np.diff(curve)[:-1] < -1e-9) & (np.diff(curve)[1:] > 1e-9))
    assert result.n_minima >= grid_minima.size
    if kernel == "gaussian":
        assert result.n_minima <= 1
    for scale, value in result.minima:
        polished = minimize_scalar(
            lambda x: oracles.kl_divergence(P, Y, math.exp(x), kernel),
            bounds=(math.log(scale) - 0.05, math.log(scale) + 0.05),
            method="bounded",
            options={"xatol": 1e-9},
        )
        assert value == pytest.approx(polished.fun, rel=1e-11, abs=1e-13)
        slope = kl_derivative(P, Y, scale=scale, kernel=kernel, metric="affinities")
        curvature = kl_derivative(P, Y, scale=scale, kernel=kernel, metric="affinities", order=2)
        assert abs(slope) < 1e-6 * curvature * scale
        assert curvature > 0


def test_smallest_divergence_is_0_where_q_equals_p():
    """The minimum lies on a point of the search grid, where the slope is 0, or between two points."""
    Y = np.random.default_rng(4).standard_normal((7, 2))
    squares = np.square(pdist(Y))
    low, high = np.log(1e-3 / np.sqrt(squares.max())), np.log(1e3 / np.sqrt(squares.min()))
    grid, step = np.linspace(low, high, math.ceil(16 * (high - low)) + 1, retstep=True)
    for x in np.concatenate([grid[80:-80], grid[80:-80:5] + 0.4 * step]):
        weights = 1.0 / (1.0 + np.exp(2.0 * x) * squares)
        result = scale_normalized_kl(squareform(weights / weights.sum() / 2), Y, metric="affinities")
        assert result.minima == ((pytest.approx(math.exp(x), rel=1e-7), pytest.approx(0.0, abs=1e-14)),)


def test_both_minima_of_a_student_t_curve_are_found():
    # Iris with a point that is far from all others, in the data and in the projection.
    X, Y = data_and_projection("iris", "pca2")
    P = affinities(np.vstack([X, np.full(4, 1e4)]))
    Y = np.vstack([Y, [1e4, 1e4]])
    result = scale_normalized_kl(P, Y, metric="affinities")
    assert result.n_minima == 2
    (small_scale, larger_value), (large_scale, smaller_value) = result.minima
    assert (result.value, result.scale) == (smaller_value, large_scale)
    assert (small_scale, larger_value) == pytest.approx((7.12e-5, 1.529), rel=1e-3)
    assert (large_scale, smaller_value) == pytest.approx((3.75, 0.3773), rel=1e-3)
    # Both are minima of the plain formula.
    for scale, value in result.minima:
        values = [oracles.kl_divergence(P, Y, scale * f) for f in (0.9, 1, 1.1)]
        assert values[0] > values[1] < values[2]
        assert values[1] == pytest.approx(value, rel=1e-12)
    assert scale_normalized_kl(P, Y, kernel="gaussian", metric="affinities").n_minima == 1


@pytest.mark.parametrize(("sign", "middle"), [(1, -2.0), (-1, -2.5)])
def test_minima_close_to_a_maximum_are_found(sign, middle):
    """A linear program finds a P for which two roots of the derivative are 0.02 apart."""
    Y = np.array([[0.0], [1.0], [7.0], [49.0], [343.0]])
    i, j = np.triu_indices(5, k=1)
    for center in middle + np.linspace(0.0, 0.06, 5):
        logs = center + np.array([-0.03, -0.01, 0.0, 0.01, 0.03])
        w = 1.0 + np.exp(2.0 * logs) * np.square(Y[i] - Y[j])
        v = 1.0 - 1.0 / w
        # Smelser et al. (2025), equation (8): the slope is linear in P.
        slopes = sign * 1e5 * (v - (v / w).sum(axis=0) / (1.0 / w).sum(axis=0)).T
        roots = np.column_stack([np.vstack([np.ones(10), slopes[[1, 3]]]), np.zeros(3)])
        between = np.column_stack([slopes[[2, 0, 4]] * [[1.0], [-1.0], [-1.0]], np.ones(3)])
        shares = linprog([0.0] * 10 + [-1.0], A_ub=between, b_ub=np.zeros(3), A_eq=roots, b_eq=[1, 0, 0]).x
        P = np.zeros((5, 5))
        P[i, j] = P[j, i] = shares[:-1] / 2
        result = scale_normalized_kl(P, Y, metric="affinities")
        distances = [abs(math.log(scale) - center - sign * 0.01) for scale, _ in result.minima]
        assert min(distances) < 1e-6


def test_minimum_at_a_large_scale_is_found():
    """Two points coincide and have nearly all of P; the other pairs are equally distant and probable."""
    Y = np.eye(40)[[0, *range(39)]]
    n_others, rest = 40 * 39 / 2 - 1, 1e-4
    P = np.full((40, 40), rest / n_others / 2) * (1 - np.eye(40))
    P[0, 1] = P[1, 0] = (1 - rest) / 2
    result = scale_normalized_kl(P, Y, metric="affinities")
    weight = rest / (1 - rest) / n_others  # of a pair whose square distance is 2
    assert result.scale == pytest.approx(math.sqrt((1 / weight - 1) / 2), rel=1e-6)
    assert result.value == pytest.approx(0.0, abs=1e-12)


def test_curves_without_minimum_end_at_0_or_infinity():
    result = scale_normalized_kl(P_B, Y_B, metric="affinities")
    ends = {"at_zero": False, "at_infinity": True}
    assert result == ScaleNormalizedKL(pytest.approx(0, abs=1e-15), math.inf, n_minima=0, minima=(), **ends)
    assert result.value == kl_divergence(P_B, Y_B, kernel="inverse-square", metric="affinities")
    # The curve rises first if a distant pair has much of P.
    Y = np.vstack([np.random.default_rng(0).random((30, 2)), [[100.0, 0.0]]])
    P = np.zeros((31, 31))
    nearest_pair = np.argmin(squareform(pdist(Y)) + 1e3 * np.eye(31))
    P.flat[nearest_pair] = P.T.flat[nearest_pair] = 0.45
    P[0, 30] = P[30, 0] = 0.05
    assert kl_derivative(P, Y, order=2, scale=0.0, metric="affinities") > 0
    result = scale_normalized_kl(P, Y, metric="affinities")
    assert (result.at_infinity, result.at_zero, result.scale, result.n_minima) == (True, False, math.inf, 0)
    # No scale is better than 0 if P is uniform.
    P = (np.ones((31, 31)) - np.eye(31)) / (31 * 30)
    for kernel in KERNELS[:2]:
        result = scale_normalized_kl(P, Y, kernel=kernel, metric="affinities")
        assert (result.scale, result.at_zero, result.at_infinity, result.minima) == (0.0, True, False, ())
    # The Gaussian curve decreases forever if P is positive for the nearest pairs only.
    P = np.zeros((4, 4))
    P[0, 1] = P[1, 0] = P[2, 3] = P[3, 2] = 0.25
    gaussian = scale_normalized_kl(P, [[0.0], [1.0], [5.0], [6.0]], kernel="gaussian", metric="affinities")
    assert (gaussian.at_infinity, gaussian.value) == (True, pytest.approx(0, abs=1e-15))
    # Equal distances: every scale is as good.
    triangle = np.array([[0, 0], [1, 0], [0.5, math.sqrt(0.75)]])
    for kernel in KERNELS[:2]:
        result = scale_normalized_kl(triangle, triangle, perplexity=1.5, kernel=kernel)
        assert (result.value, result.n_minima, result.at_zero) == (pytest.approx(0, abs=1e-15), 0, True)


def test_histogram_of_three_pairs_equals_hand_computed_sums():
    """Squared distances 1, 4 and 9: every pair has a bin of its own, so the sums are exact."""
    P = np.array([[0.0, 0.1, 0.15], [0.1, 0.0, 0.25], [0.15, 0.25, 0.0]])
    sums = histogram_of(kl_pairs(P, [[0.0], [1.0], [3.0]], perplexity=30, metric="affinities"))
    assert (sums.size, sums.nearest, sums.farthest) == (4.0, 1 / 16, 9 / 16)
    order = np.argsort(sums.number_at)
    assert sums.number[order].tolist() == [1.0, 1.0, 1.0]
    assert sums.number_at[order].tolist() == [0.0, 3 / 16, 8 / 16]
    assert sums.probability[np.argsort(sums.probability_at)] == pytest.approx([0.2, 0.5, 0.3], rel=1e-15)
    assert sums.mean_delta == pytest.approx((0.5 * 3 + 0.3 * 8) / 16, rel=1e-15)
    entropy = 2 * (0.1 * math.log(0.1) + 0.15 * math.log(0.15) + 0.25 * math.log(0.25))
    assert sums.log_p == pytest.approx(entropy, rel=1e-15)
    limit = kl_divergence(P, [[0.0], [1.0], [3.0]], kernel="gaussian", scale=math.inf, metric="affinities")
    assert limit == math.inf
    weights = {"student-t": lambda e2: 1 / (1 + 0.25 * e2), "gaussian": lambda e2: math.exp(-0.25 * e2)}
    for kernel, weight in weights.items():
        q = [weight(e2) / sum(map(weight, (1, 4, 9))) for e2 in (1, 4, 9)]
        expected = sum(p * math.log(p / q) for p, q in zip((0.2, 0.5, 0.3), q, strict=True))
        assert sums.values([0.5], kernel=kernel)[0] == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("loops", [plain, kernels_kl])
def test_extreme_distances_equal_hand_computed_ones(loops):
    assert loops.extremes(np.array([[0.0, 0.0, 1.0, 3.0, 3.0, 3.0]])) == (0.0, 1.0, 9.0, 4)
    Yt = np.array([[0.0, 1e-146, 1e-144, 1.0]])  # the first two coincide
    assert loops.extremes(Yt)[:3] == (0.0, pytest.approx(0.9801e-288), 1.0)
    assert loops.extremes(np.vstack([Yt[:, :3], [[5.0, 2.0, 8.0]]])) == (9.0, 9.0, 36.0, 2)


def test_exponentials_are_exact_to_two_units_in_the_last_place():
    t = np.concatenate([[0.0], -np.geomspace(1e-20, 707.9, 20_000), [-708.1, -1e5, -np.inf]])
    actual = np.empty(t.size)
    kernels_kl.exponentials(t, np.empty(t.size), actual)
    expected = np.exp(np.maximum(t, -708)) * (t > -708)
    assert (np.abs(actual - expected) <= 2 * np.spacing(expected)).all()
    assert (actual[-3:] == 0).all()


@pytest.mark.parametrize("block", [3, 2**18])
def test_affinity_sums_equal_hand_computed_ones(block, monkeypatch):
    monkeypatch.setattr(plain, "_CHUNK_ENTRIES", block)
    P = np.array([[-0.01, 0.1, 0.2], [0.13, 0.0, 0.05], [0.2, 0.05, 0.04]])
    total, entropy, gap, lowest, i, j = plain.affinity_sums(P)
    assert total == pytest.approx(2 * 0.35, rel=1e-15)
    logs = sum(p * math.log(p) for p in (0.1, 0.2, 0.05))
    assert entropy == pytest.approx(2 * logs, rel=1e-15)
    # The diagonal entry 0.04 differs from 0 by more than any two entries differ from each other.
    assert (gap, lowest, i, j) == (0.04, -0.01, 2, 2)
    P[2, 1] = 0.1
    assert plain.affinity_sums(P)[2:] == (pytest.approx(0.05, rel=1e-14), -0.01, 1, 2)
    # Asymmetric entries are found in every tile and every block of rows of a larger matrix.
    monkeypatch.setattr(plain, "_CHUNK_ENTRIES", 150 * 40)
    P = affinities(np.random.default_rng(0).random((150, 2)))
    total, entropy, *rest = plain.affinity_sums(P)
    assert (total, rest) == (pytest.approx(1.0, rel=1e-14), [0.0, 0.0, 0, 0])
    assert entropy == pytest.approx(np.sum(P * np.log(P, out=np.zeros_like(P), where=P > 0)), rel=1e-14)
    for i, j in ((0, 149), (64, 65), (3, 70), (63, 64), (77, 77), (149, 149), (128, 130)):
        P[i, j] -= 1.0
        assert plain.affinity_sums(P)[2:] == (pytest.approx(1.0, rel=1e-14), P[i, j], i, j)
        P[i, j] += 1.0
