"""Tests that errors of projection measures name the cause."""

import math

import numpy as np
from scipy.spatial.distance import cdist

from isotropy_lab import projection
from isotropy_lab.projection import (
    affinities,
    crossings,
    kl_divergence,
    neighborhood_scores,
    nonmetric_stress,
    normalized_stress,
    optimal_scale,
    pair_sums,
    scale_normalized_kl,
    shepard_goodness,
    stress_curve,
    stress_estimate,
    trustworthiness,
)
from isotropy_lab.projection.stress import PairSums
from tests.isotropy_lab.bad_input import invalid_argument_test, refusal_test

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 4))
Y = X[:, :2] + 0.3 * RNG.standard_normal((40, 2))
ONE_POINT, EQUAL_POINTS = np.ones((40, 2)), np.ones((40, 4))
D = cdist(X, X)
INVERSE = {"kernel": "inverse-square"}
PRECOMPUTED = {"metric": "precomputed"}
EVEN = (np.ones((40, 40)) - np.eye(40)) / (40 * 39)
SIMPLEX = np.eye(40)
CURVE = stress_curve(X, Y, [1.0])
TINY_CURVES = [stress_curve(size * X, Y, [1.0]) for size in (1e-9, 2e-9)]

VALID_ARGUMENTS = {
    "X": X, "Y": Y, "perplexity": 5, "n_neighbors": 3,
    "scales": np.array([0.5, 1.0]), "curves": [CURVE, CURVE],
}  # fmt: skip
test_errors_name_invalid_arguments = invalid_argument_test(projection, VALID_ARGUMENTS)


def edit(i, j, value, of=D):
    matrix = of.copy()
    matrix[i, j] = value
    return matrix


test_errors_name_the_cause = refusal_test(
    [
        (ValueError, "X 40 Y 39 points row", lambda: normalized_stress(X, Y[1:])),
        (ValueError, "X Y 2 points 3", lambda: normalized_stress(X[:2], Y[:2])),
        (ValueError, "Y 0 dimensions", lambda: normalized_stress(X, Y[:, :0])),
        (ValueError, "metric 'affinities' 'euclidean'", lambda: normalized_stress(X, Y, metric="affinities")),
        (ValueError, "scale -1 [0, inf)", lambda: normalized_stress(X, Y, scale=-1)),
        (ValueError, "scale inf", lambda: normalized_stress(X, Y, scale=math.inf)),
        (ValueError, "X (40, 4) 'precomputed' square", lambda: normalized_stress(X, Y, **PRECOMPUTED)),
        (ValueError, "X 2 Y 40", lambda: normalized_stress(D[:2, :2], Y, **PRECOMPUTED)),
        (ValueError, "X 0 Y 40", lambda: normalized_stress(D[:0, :0], Y, **PRECOMPUTED)),
        (ValueError, "X (2, 2)", lambda: normalized_stress(1e-4 * edit(2, 2, 0.5), Y, **PRECOMPUTED)),
        (ValueError, "X distances of 0", lambda: pair_sums(EQUAL_POINTS, Y)),
        (ValueError, "X distances of 0", PairSums(3, 0.0, 1.0, 0.0, 0.0, 1.0).normalized_stress),
        (ValueError, "X distances of 0", lambda: normalized_stress(0 * D, Y, **PRECOMPUTED)),
        (ValueError, "Y distances of 0", lambda: optimal_scale(X, ONE_POINT)),
        (ValueError, "normalized stress overflows", lambda: normalized_stress(1e-100 * X, 1e100 * Y)),
        (ValueError, "X largest coordinate 1e-152 1e+152", lambda: pair_sums(1e200 * X, Y)),
        (ValueError, "Y largest coordinate rescaled", lambda: pair_sums(X, 1e-200 * Y)),
        (ValueError, "sum pairs overflows", lambda: pair_sums(1e160 * D, Y, **PRECOMPUTED)),
        (ValueError, "scales -1 entry 1", lambda: stress_curve(X, Y, [1.0, -1.0])),
        (ValueError, "scales empty", lambda: stress_curve(X, Y, [])),
        (ValueError, "scales NaN 1 of 2 entry 0 inf", lambda: stress_curve(X, Y, [np.inf, 1.0])),
        (ValueError, "scales 0 axes", lambda: stress_curve(X, Y, 1.0)),
        (ValueError, "scales overflows", lambda: stress_curve(X, Y, [1e200])),
        (ValueError, "curves 1 2", lambda: crossings([CURVE])),
        (TypeError, "curves ndarray 1 StressCurve PairSums", lambda: crossings([CURVE, CURVE.values])),
        (ValueError, "curves different 0 780", lambda: crossings([CURVE, stress_curve(1.1 * X, Y, [1.0])])),
        (ValueError, "curves different", lambda: crossings([CURVE, stress_curve(X[1:], Y[1:], [1.0])])),
        (ValueError, "curves different", lambda: crossings(TINY_CURVES)),
        (ValueError, "X same distance", lambda: shepard_goodness(SIMPLEX, Y)),
        (ValueError, "Y same distance", lambda: shepard_goodness(X, SIMPLEX)),
        (ValueError, "Y distances of 0", lambda: nonmetric_stress(X, ONE_POINT)),
        (ValueError, "n_neighbors 20 1 19", lambda: neighborhood_scores(X, Y, n_neighbors=20)),
        (ValueError, "n_neighbors 0", lambda: neighborhood_scores(X, Y, n_neighbors=0)),
        (ValueError, "n_neighbors shape", lambda: neighborhood_scores(X, Y, n_neighbors=[])),
        (TypeError, "n_neighbors 5, 9", lambda: trustworthiness(X, Y, n_neighbors=[5, 9])),
        (ValueError, "n_rows 1", lambda: neighborhood_scores(X, Y, n_rows=1)),
        (ValueError, "n_pairs 99 100", lambda: stress_estimate(X, Y, n_pairs=99)),
        (ValueError, "confidence_level 1", lambda: stress_estimate(X, Y, confidence_level=1.0)),
        (ValueError, "X", lambda: stress_estimate(EQUAL_POINTS, Y, n_pairs=500)),
        (ValueError, "Y", lambda: stress_estimate(X, ONE_POINT, measure="non-metric", n_pairs=500)),
        (ValueError, "Y distances of 0", lambda: stress_estimate(X, ONE_POINT, n_pairs=500)),
        (ValueError, "X same distance", lambda: stress_estimate(SIMPLEX, Y, measure="Shepard")),
        (ValueError, "Y same distance", lambda: stress_estimate(X, SIMPLEX, measure="Shepard")),
        (ValueError, "overflows", lambda: stress_estimate(1e-100 * X, 1e100 * Y, measure="normalized")),
        (ValueError, "X 2 points 3", lambda: affinities(X[:2])),
        (ValueError, "X distances of 0", lambda: affinities(EQUAL_POINTS)),
        (ValueError, "perplexity 39 X 40 39", lambda: affinities(X, perplexity=39)),
        (ValueError, "perplexity 0.5 [1, inf)", lambda: affinities(X, perplexity=0.5)),
        (ValueError, "Y distances of 0", lambda: kl_divergence(X, ONE_POINT)),
        (ValueError, "scale -1 [0, inf]", lambda: kl_divergence(X, Y, scale=-1)),
        (ValueError, "scale 1e+200 squares overflow", lambda: kl_divergence(X, Y, scale=1e200)),
        (ValueError, "X (40, 4) 'affinities'", lambda: kl_divergence(X, Y, metric="affinities")),
        (ValueError, "X 0.1 (0, 0)", lambda: kl_divergence(edit(0, 0, 0.1, EVEN), Y, metric="affinities")),
        (ValueError, "X 40 Y 39", lambda: kl_divergence(X, Y[1:])),
        (ValueError, "X 40 Y 39", lambda: kl_divergence(EVEN, Y[1:], metric="affinities")),
        (ValueError, "X NaN", lambda: kl_divergence(edit(0, 1, np.nan, EVEN), Y, metric="affinities")),
        (ValueError, "X sums 2", lambda: kl_divergence(2 * EVEN, Y, metric="affinities")),
        (ValueError, "X symmetric", lambda: kl_divergence(2 * np.triu(EVEN), Y, metric="affinities")),
        (ValueError, "X negative", lambda: kl_divergence(-EVEN, Y, metric="affinities")),
        (ValueError, "kernel 'inverse-square' 'gaussian'", lambda: scale_normalized_kl(X, Y, **INVERSE)),
    ]
)  # fmt: skip
