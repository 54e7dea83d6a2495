"""Distances from inner products are those from differences, also where products alone would lose their digits."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from isotropy_lab.projection._pairs.distances import by_products, pairs_of
from isotropy_lab.projection.ranks import rank_scores
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


def test_products_alone_would_not_do():
    X = points("few near")
    X = np.ldexp(X, -3)
    X -= X.mean(axis=0)
    squares = (X * X).sum(axis=1)
    naive = np.sqrt(np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0.0))
    true = cdist(X, X)
    near = (true > 0) & (true < 1e-6)
    assert near.sum() > 100
    assert np.abs(naive[near] / true[near] - 1).max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_distances(kind):
    X = points(kind)
    Y = np.random.default_rng(6).standard_normal((150, 2))
    scaled = np.ldexp(X.astype(np.float64), -math.frexp(float(np.abs(X).max()))[1])
    d, e = pdist(scaled), pdist(Y)
    size = float(d @ e / (e @ e))
    assert normalized_stress(scaled, Y, scale=size) == pytest.approx(
        math.sqrt(((d - size * e) ** 2).sum() / (d @ d)), rel=1e-9
    )
    exact = rank_scores(X, Y, tie_tolerance=0.0)
    options = {"precision": "histogram", "ties": "secondary"}
    binned = rank_scores(X, Y, **options)
    assert binned.shepard_goodness == pytest.approx(exact.shepard_goodness, abs=binned.shepard_error + 1e-6)
    assert binned == rank_scores(X, Y, n_threads=3, **options)


def test_the_same_sums_at_any_number_of_threads_and_a_perfect_projection():
    X = points("few near", N=700)
    Y = X[:, :3]
    assert pair_sums(X, Y) == pair_sums(X, Y, n_threads=3)
    assert normalized_stress(X, 8 * X, scale=0.125) == 0.0
    turn = np.linalg.qr(np.random.default_rng(7).standard_normal((37, 37)))[0]
    assert normalized_stress(X, X @ turn + 3.0) < 1e-13
