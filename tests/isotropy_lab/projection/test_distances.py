"""Tests of distances against SciPy, including data for which inner products lose precision."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from isotropy_lab.projection._pairs.distances import pairs_of


def points(kind, N=155, n=37):
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
    elif kind == "wide":
        X = rng.standard_normal((N, 5000))
    elif kind == "huge":
        X *= 1e150
    elif kind == "tiny":
        X *= 1e-150
    return X


KINDS = ["plain", "offset", "clusters", "few near", "duplicates", "outlier", "whole numbers"]
KINDS += ["float32", "wide", "huge", "tiny"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [(0, 128), (5, 6), (128, 150), (128, 155)])
def test_distances_agree_with_scipy(kind, rows):
    X = points(kind)
    pairs = pairs_of(X, np.ones((155, 2)), metric="euclidean")
    assert (pairs.x.n_points, pairs.x.n_dimensions) == X.shape
    A = X.astype(np.float64)
    expected = cdist(A[rows[0] : rows[1]], A)
    actual = np.full((rows[1] - rows[0], 155), np.nan)
    pairs.x.tile(slice(*rows), slice(155), actual)
    np.testing.assert_allclose(actual, expected, rtol=1e-14)
    assert (actual[expected == 0] == 0).all()


def test_resolution_follows_from_the_rounding_of_coordinates():
    X = np.array([[-3.0, 1.0], [2.0, 0.5], [1.0, 1.0]])
    for dtype, eps in ((np.float64, 2.0**-52), (np.float32, 2.0**-23)):
        pairs = pairs_of(X.astype(dtype), X[:, :1], metric="euclidean")
        assert (pairs.x.resolution, pairs.y.resolution) == (12 * eps, 12 * 2.0**-52)
    D = cdist(X, X)
    assert pairs_of(D, X, metric="precomputed").x.resolution == 0.0
    rounded = D.astype(np.float32)
    side = pairs_of(rounded, X, metric="precomputed").x
    assert side.resolution == 4 * 2.0**-23 * float(rounded.max())
    assert side.n_dimensions == 0


@pytest.mark.parametrize("scale", [1e152, 1e-152])
def test_coordinates_beyond_1e152_are_refused(scale):
    assert pairs_of(scale * np.eye(3), np.eye(3), metric="euclidean").n_pairs == 3
    with pytest.raises(ValueError, match="largest coordinate"):
        pairs_of(scale ** (1 + 1e-12) * np.eye(3), np.eye(3), metric="euclidean")
