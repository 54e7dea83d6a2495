"""Distances from inner products are those from differences, also where products alone would lose their digits."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from isotropy_lab.projection._pairs.distances import by_products, pairs_of
from isotropy_lab.projection.stress import normalized_stress, pair_sums


def points(kind, N=150, n=37):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((N, n))
    if kind == "offset":
        X += 1e6
    elif kind == "clusters":  # tight ones, far from each other: near pairs are a fifth of all
        X = 1e-6 * X + np.repeat(rng.standard_normal((5, n)), N // 5, axis=0)
    elif kind == "few near":
        X[::10] = X[0] + 1e-9 * X[::10]
    elif kind == "duplicates":
        X[1::7] = X[0]
    elif kind == "outlier":  # everything else is near
        X[3] += 1e9
    elif kind == "whole numbers":
        X = np.rint(2 * X)
    elif kind == "float32":
        X = (X + 100).astype(np.float32)
    elif kind == "huge":
        X *= 1e250
    elif kind == "tiny":
        X *= 1e-250
    return X


KINDS = ["plain", "offset", "clusters", "few near", "duplicates", "outlier", "whole numbers"]
KINDS += ["float32", "huge", "tiny"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [(0, 128), (5, 6), (128, 149)])
def test_distances_are_those_of_differences(kind, rows):
    X = points(kind)
    pairs = pairs_of(X, np.ones((150, 2)), metric="euclidean")
    fast = by_products(pairs)
    assert fast.y is pairs.y
    assert (fast.x.n_points, fast.x.n_dimensions) == (150, 37)
    assert (fast.x.exponent, fast.x.resolution) == (pairs.x.exponent, pairs.x.resolution)
    A = np.ldexp(X.astype(np.float64), -pairs.x.exponent)
    expected = cdist(A[rows[0] : rows[1]], A)
    found = np.full((rows[1] - rows[0], 150), np.nan)
    fast.x.tile(*rows, 0, 150, found)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert (found[expected == 0] == 0).all()


def test_the_same_sums_at_any_number_of_threads_and_a_perfect_projection():
    X = points("few near", N=700)
    Y = X[:, :3]
    assert pair_sums(X, Y) == pair_sums(X, Y, n_threads=3)
    assert normalized_stress(X, 8 * X, scale=0.125) == 0.0
    turn = np.linalg.qr(np.random.default_rng(7).standard_normal((37, 37)))[0]
    assert normalized_stress(X, X @ turn + 3.0) < 1e-13


# --- products in float32 ----------------------------------------------------------------------------------------


def two_ways(X, Y):
    return pair_sums(X, Y), pair_sums(X, Y, precision="float32")


def stress_squared(sums):
    return sums.normalized_stress(sums.optimal_scale)


@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_float32_products_are_near_and_say_how_near(kind):
    X = points(kind, N=700, n=100)
    X = X * {"huge": 1e-150, "tiny": 1e150}.get(kind, 1.0)  # their squares are numbers
    Y = X[:, :2] + np.random.default_rng(6).standard_normal((700, 2)) * np.abs(X).max() / 9
    double, single = two_ways(X, Y)
    assert double.error == 0.0
    assert 0.0 <= single.error < 1e-7
    scale = single.optimal_scale
    for off in (
        double.sum_d2 - single.sum_d2,
        scale * (double.sum_de - single.sum_de),
        scale**2 * (double.sum_e2 - single.sum_e2),
        double.sum_d2 * (stress_squared(double) - stress_squared(single)) / 4,
    ):
        assert abs(off) <= (single.error + 1e-15) * double.sum_d2
    assert single.max_d == pytest.approx(double.max_d, rel=1e-6)
    assert single == pair_sums(X, Y, precision="float32", n_threads=3)


@pytest.mark.filterwarnings("error")
def test_the_error_is_a_number_where_the_first_tile_is_all_but_a_point():
    """Its scale is of no use, and residuals at it leave float64."""
    X, Y = points("plain", N=1100, n=64), np.random.default_rng(6).standard_normal((1100, 2))
    Y[:512] *= 1e-153
    double, single = two_ways(X, Y)
    assert 0.0 <= single.error < 1e-7
    assert abs(single.sum_d2 - double.sum_d2) <= (single.error + 1e-15) * double.sum_d2


@pytest.mark.parametrize("options", [{"metric": "cityblock"}, {"metric": "precomputed"}, {}])
def test_other_distances_stay_in_float64(options):
    X = points("plain", N=60, n=40)
    X = cdist(X, X) if options.get("metric") == "precomputed" else X if options else X[:, :31]
    Y = np.random.default_rng(6).standard_normal((60, 2))
    assert pair_sums(X, Y, precision="float32", **options) == pair_sums(X, Y, **options)
