"""Intrinsic dimension from some queries: exact with all, and an interval that covers."""

import numpy as np
import pytest

from isotropy_lab.isotropy import id_score, intrinsic_dimension
from isotropy_lab.isotropy.estimates import intrinsic_dimension_estimate


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return np.vstack([rng.random((900, 3)), np.repeat(rng.random((600, 1)), 3, axis=1) + 2.0])


def test_every_query_gives_the_measure_itself(X):
    found = intrinsic_dimension_estimate(X, n_queries=10**6)
    assert found.value == pytest.approx(intrinsic_dimension(X), rel=1e-12)
    assert found.id_score == pytest.approx(id_score(X), rel=1e-12)
    assert found.standard_error == 0.0
    assert found.low == pytest.approx(found.value) == found.high
    assert found.n_queries == found.n_points == 1500


@pytest.mark.parametrize("n_queries", [50, 400])
def test_the_interval_covers_and_the_error_is_the_scatter(X, n_queries):
    """Part of the cloud is a line and part a box, so that queries differ much."""
    truth = intrinsic_dimension(X)
    found = [intrinsic_dimension_estimate(X, n_queries=n_queries, rng=seed) for seed in range(150)]
    covered = sum(f.low <= truth <= f.high for f in found)
    assert covered >= 130  # of 143 expected; fewer is a chance of 1e-4
    scatter = np.std([f.value for f in found], ddof=1)
    assert 0.8 < np.mean([f.standard_error for f in found]) / scatter < 1.25


def test_scores_are_the_dimension_over_the_dimensions_of_the_space(X):
    found = intrinsic_dimension_estimate(X, n_queries=100, rng=0)
    assert found.id_score == pytest.approx(found.value / 3)
    assert found.id_score_low == pytest.approx(found.low / 3)
    flat = intrinsic_dimension_estimate(np.random.default_rng(0).random((500, 1)), n_queries=100, rng=0)
    assert flat.id_score_high == 1.0


def test_bad_input_is_refused_in_words(X):
    with pytest.raises(ValueError, match="n_queries is 29; expected at least 30"):
        intrinsic_dimension_estimate(X, n_queries=29)
    with pytest.raises(ValueError, match="confidence"):
        intrinsic_dimension_estimate(X, confidence=0.0)
    with pytest.raises(ValueError, match="infinite"):
        intrinsic_dimension_estimate(np.eye(60), n_queries=40, rng=0)
