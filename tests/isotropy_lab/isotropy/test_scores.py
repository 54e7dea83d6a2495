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


def cloud(seed):
    """Return a cloud with distinct variances, a mean, and a moderate scale, so that all scores can change."""
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
def test_each_score_is_invariant_exactly_where_the_table_says_so(score, transform, seed):
    function = getattr(isotropy, score)
    X = cloud(seed)
    before = function(X)
    after = function(TRANSFORMS[transform](X, np.random.default_rng(seed + 1)))
    if getattr(isotropy.INVARIANCES[score], transform):
        assert after == pytest.approx(before, rel=1e-7, abs=1e-9)
    else:
        assert abs(after - before) > 1e-6


def test_the_table_knows_every_score():
    fields = {field.name for field in dataclasses.fields(IsotropyScores)}
    counts = {"n_points", "n_dimensions", "n_duplicates", "n_queries"}
    assert set(isotropy.INVARIANCES) == fields - counts - {"isoscore_corrected"}


def test_of_many_points_a_stated_number_look_up_their_neighbors(monkeypatch):
    """All neighbors of 200,000 rows took minutes without a word."""
    X = cloud(5)
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
    "X", [load_iris().data, cloud(0).astype(np.float32), np.random.default_rng(0).random((30, 70))]
)
def test_all_scores_equal_their_functions(X):
    scores = isotropy.isotropy_scores(X)
    # float32 data are multiplied in float32, and the two paths add in slightly different orders.
    rel = 1e-12 if X.dtype == np.float64 else 1e-6
    for name in isotropy.INVARIANCES:
        assert getattr(scores, name) == pytest.approx(getattr(isotropy, name)(X), rel=rel), name
    assert scores.isoscore_corrected == isotropy.isoscore(X, estimator="corrected")
    assert (scores.n_points, scores.n_dimensions) == X.shape
    assert scores.n_duplicates == intrinsic_dimension_details(X).n_duplicates
    assert all(np.isfinite(value) for value in dataclasses.astuple(scores))
