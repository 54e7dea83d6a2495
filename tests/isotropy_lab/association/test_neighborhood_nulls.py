import numpy as np
import pytest
from scipy import stats

from isotropy_lab.association import nulls
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.nulls import null_intervals


def setting(seed, k_a, k_b, p, n, shift=0.4):
    r = np.random.default_rng(seed)
    return (
        r.standard_normal((k_a, p)) + shift,
        r.standard_normal((k_b, p)) + shift,
        r.standard_normal((n, p)) + shift,
    )


def test_a_neighborhood_is_a_word_and_the_words_nearest_to_it():
    A, B, pool = setting(3, 3, 4, 6, 60)
    source = nulls.Pool(A, B, pool)
    places_a, places_b = source.neighborhoods(200, np.random.default_rng(0))
    units = pool / np.linalg.norm(pool, axis=1, keepdims=True)
    ranked = np.argsort(-(units @ units.T), axis=1)  # a word is nearest to itself
    for places in (places_a, places_b):
        possible = {frozenset(row[: places.shape[1]].tolist()) for row in ranked}
        assert all(frozenset(row.tolist()) in possible for row in places)
        assert len({frozenset(row.tolist()) for row in places}) > 20
    assert not any(set(a) & set(b) for a, b in zip(places_a.tolist(), places_b.tolist(), strict=True))


def test_seeds_of_neighborhoods_are_uniform():
    # Pairs of equal words far apart: a list of two is one of the pairs, each as often.
    pool = np.repeat(np.eye(5), 2, axis=0)
    source = nulls.Pool(np.ones((2, 5)), np.ones((2, 5)), pool)
    places_a, places_b = source.neighborhoods(4_000, np.random.default_rng(1))
    counts = np.zeros((5, 5))
    np.add.at(counts, (places_a.min(axis=1) // 2, places_b.min(axis=1) // 2), 1)
    assert (np.abs(places_a[:, 0] - places_a[:, 1]) == 1).all()
    assert counts.diagonal().sum() == 0
    assert stats.chisquare(counts[~np.eye(5, dtype=bool)]).pvalue > 1e-3


def test_neighborhoods_are_tighter_than_words_drawn_one_by_one():
    A, B, pool = setting(5, 4, 4, 12, 400, shift=0.5)
    both = "null == 'both random' and quantity == 'mean-cosine'"
    words = null_intervals(A, B, pool, n_resamples=500, rng=0).totals.query(both)
    lists = null_intervals(A, B, pool, n_resamples=500, rng=0, draw="neighborhoods").totals.query(both)
    assert (lists["high"] - lists["low"]).item() > 1.5 * (words["high"] - words["low"]).item()
    assert lists["observed"].item() == words["observed"].item() == pytest.approx(mean_cosine_similarity(A, B))
