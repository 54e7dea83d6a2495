"""Tests that all isotropy scores equal their functions and have exactly the invariances of the table."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group
from sklearn.datasets import load_iris

from isotropy_lab import isotropy
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details
from isotropy_lab.results import IsotropyScores


def random_points(seed):
    """Return points with distinct variances and a nonzero mean, so that all scores can change."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((60, 4)) * [0.5, 0.8, 1.2, 1.9] + [0.3, -0.2, 0.5, 0.1]


TRANSFORMS = {
    "translation": lambda X, rng: X + rng.standard_normal(4) * 3,
    "rotation": lambda X, rng: X @ ortho_group.rvs(4, random_state=rng),
    "scale": lambda X, rng: X * rng.choice([0.2, 0.5, 2.0, 3.0]),
}
CASES = [
    (score, transform) for score in isotropy.INVARIANCES for transform in ("translation", "rotation", "scale")
]


@pytest.mark.parametrize(("score", "transform"), CASES)
@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_scores_have_exactly_the_invariances_of_the_table(score, transform, seed):
    function = getattr(isotropy, score)
    X = random_points(seed)
    before = function(X)
    after = function(TRANSFORMS[transform](X, np.random.default_rng(seed + 1)))
    if getattr(isotropy.INVARIANCES[score], transform):
        assert after == pytest.approx(before, rel=1e-7, abs=1e-9)
    else:
        assert abs(after - before) > 1e-6


def test_table_of_invariances_lists_all_scores():
    fields = {field.name for field in dataclasses.fields(IsotropyScores)}
    counts = {"n_points", "n_dimensions", "n_duplicates", "n_queries"}
    assert set(isotropy.INVARIANCES) == fields - counts - {"isoscore_corrected"}


def test_large_data_use_a_sample_of_queries(monkeypatch):
    X = random_points(5)
    assert isotropy.isotropy_scores(X).n_queries == len(X)
    monkeypatch.setattr(isotropy.scores, "_MAX_ALL_QUERIES", len(X) - 1)
    monkeypatch.setattr(isotropy.scores, "_N_QUERIES", 40)
    first, second = isotropy.isotropy_scores(X), isotropy.isotropy_scores(X)
    assert first.n_queries == 40
    assert first == second
    expected = isotropy.intrinsic_dimension(X, n_queries=40, rng=0)
    assert first.intrinsic_dimension == expected
    assert isotropy.isotropy_scores(X, n_queries=len(X)).n_queries == len(X)
    assert isotropy.isotropy_scores(X[:4, :2], n_neighbors=2).n_points == 4


@pytest.mark.parametrize(
    "X", [load_iris().data, random_points(0).astype(np.float32), np.random.default_rng(0).random((30, 70))]
)
def test_all_scores_equal_their_functions_alone(X):
    scores = isotropy.isotropy_scores(X)
    # float32 data are multiplied in float32, and the two paths add in slightly different orders.
    rel = 1e-12 if X.dtype == np.float64 else 1e-6
    for name in isotropy.INVARIANCES:
        assert getattr(scores, name) == pytest.approx(getattr(isotropy, name)(X), rel=rel), name
    assert scores.isoscore_corrected == isotropy.isoscore(X, estimator="corrected")
    assert (scores.n_points, scores.n_dimensions) == X.shape
    assert scores.n_duplicates == intrinsic_dimension_details(X).n_duplicates
    assert all(np.isfinite(value) for value in dataclasses.astuple(scores))
