"""Tests of distances from a domain to the nearest sentence outside, against single distances."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from isotropy_lab.retrieval import separation
from isotropy_lab.retrieval._separation import _nearest


def random_embeddings(seed, n_inside=20, n_outside=15, n=6):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_inside, n)) + 1.0, rng.standard_normal((n_outside, n))


def distances_by_definition(domain, agnostic):
    outside = [[math.dist(d, a) for a in agnostic] for d in domain]
    inside = [[math.dist(d, e) for j, e in enumerate(domain) if j != i] for i, d in enumerate(domain)]
    return [min(row) for row in outside], [min(row) for row in inside], math.sqrt(np.mean(np.square(outside)))


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_agrees_with_single_distances(seed):
    domain, agnostic = random_embeddings(seed)
    result = separation(domain, agnostic)
    domain, agnostic = normalize(domain), normalize(agnostic)
    distances, within, spread = distances_by_definition(domain, agnostic)
    np.testing.assert_allclose(result.distances, distances, rtol=1e-12)
    np.testing.assert_allclose(result.within, within, rtol=1e-12)
    np.testing.assert_allclose(
        result.distances, np.linalg.norm(domain - agnostic[result.nearest], axis=1), rtol=1e-12
    )
    assert result.spread == pytest.approx(spread, rel=1e-12)
    assert result.mean == pytest.approx(np.mean(distances), rel=1e-12)
    assert result.ratio == pytest.approx(np.mean(distances) / np.mean(within), rel=1e-12)
    assert result.relative_mean == pytest.approx(np.mean(distances) / spread, rel=1e-12)
    assert (result.distances <= 2).all()
    assert (result.n_candidates, result.n_duplicates) == (None, 0)


def test_distances_use_n_random_candidates():
    domain, agnostic = map(normalize, random_embeddings(1, 40, 60))
    for n in (1, 5, 39):
        result = separation(domain, agnostic, n=n, rng=4)
        rng = np.random.default_rng(4)
        outside = rng.choice(60, size=n, replace=False)
        inside = rng.choice(40, size=n + 1, replace=False).tolist()
        for i, d in enumerate(domain):
            others = [j for j in inside if j != i][:n]
            assert len(others) == n
            assert result.within[i] == pytest.approx(min(math.dist(d, domain[j]) for j in others), rel=1e-12)
            assert result.distances[i] == pytest.approx(
                min(math.dist(d, agnostic[j]) for j in outside), rel=1e-12
            )
        assert set(result.nearest) <= set(outside.tolist())
        assert result.n_candidates == n


def test_duplicates_are_counted():
    domain, agnostic = random_embeddings(3)
    domain[7] = 4 * domain[2]  # the same row once both have unit length
    assert separation(domain, agnostic).n_duplicates == 2


@pytest.mark.parametrize("side", ["domain", "agnostic"])
def test_outliers_do_not_reduce_precision(side):
    """An outlier shifts the mean, so that products lose the digits in which the nearest rows differ."""
    domain, agnostic = random_embeddings(6, 40, 30)
    outlier = np.full((1, 6), 1e12)
    if side == "domain":
        domain = np.vstack([domain, outlier])
    else:
        agnostic = np.vstack([outlier, agnostic])
    outside, inside, _ = distances_by_definition(domain, agnostic)
    np.testing.assert_allclose(_nearest(domain, agnostic)[0], outside, rtol=1e-14)
    nearest_inside = _nearest(domain, domain, np.arange(len(domain)))[0]
    np.testing.assert_allclose(nearest_inside, inside, rtol=1e-14)
    close = np.array([[1.0, 0.0], [1.0 - 2.0**-44, 0.0], [5.0, 0.0]])  # a tie of two to 40 bits
    assert _nearest(np.zeros((1, 2)), close)[1].tolist() == [1]
