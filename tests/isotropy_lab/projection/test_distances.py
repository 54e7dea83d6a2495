"""Distances of metrics, whatever their size."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr
from sklearn.datasets import load_iris

from isotropy_lab.projection.affinities import affinities
from isotropy_lab.projection.ranks import rank_scores, shepard_goodness
from isotropy_lab.projection.stress import (
    forced_scale_stress,
    optimal_scale,
    scale_normalized_stress,
)
from tests.isotropy_lab.projection.test_stress import random_pair


@pytest.mark.parametrize("size", [1e-60, 1e60])
def test_distances_of_a_metric_may_lie_outside_float32(size):
    X, Y = random_pair(3, 30, 3, 2)
    rho = spearmanr(pdist(X, "sqeuclidean"), pdist(Y)).statistic
    options = {"metric": "sqeuclidean", "precision": "histogram", "ties": "secondary"}
    here, far = rank_scores(X, Y, **options), rank_scores(size * X, Y, **options)
    assert far.shepard_goodness == pytest.approx(rho, abs=1e-3)
    assert far.nonmetric_stress == pytest.approx(here.nonmetric_stress, rel=1e-3)


@pytest.mark.parametrize("size", [1e-170, 1e170])
@pytest.mark.parametrize("metric", ["cityblock", "chebyshev"])
def test_distances_whose_squares_leave_float64(metric, size):
    X, Y = random_pair(4, 30, 3, 2)
    X[:2] = X[2]  # the first distances are 0
    for f in (scale_normalized_stress, forced_scale_stress):
        assert f(size * X, Y, metric=metric) == pytest.approx(f(X, Y, metric=metric), rel=1e-10)
    scale = optimal_scale(size * X, Y, metric=metric)
    assert scale == pytest.approx(size * optimal_scale(X, Y, metric=metric), rel=1e-10)
    P = affinities(X, perplexity=7, metric=metric)
    np.testing.assert_allclose(affinities(size * X, perplexity=7, metric=metric), P, rtol=1e-8)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "minkowski"])
def test_rounding_breaks_no_ties_of_any_metric(metric):
    tenths = np.rint(10 * load_iris().data)  # whole numbers: the same flowers without rounding
    Y = np.random.default_rng(0).random((150, 2))
    truth = shepard_goodness(tenths, Y, metric=metric)
    for X in (tenths / 10, tenths / 10 + 100, (tenths / 10).astype(np.float32)):
        assert shepard_goodness(X, Y, metric=metric) == pytest.approx(truth, abs=1e-12)
