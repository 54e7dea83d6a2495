"""Tests of tables of sublist similarities against direct computation and proved properties."""

import itertools
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import cosine_similarities, mean_cosine_similarity
from reanalyses.kindel2023.lattice import between_subset_similarities, subset_similarities
from reanalyses.kindel2023.similarities import normalized_mean_cosine_similarity
from tests.isotropy_lab.invariance import invariance_test

PAIRWISE = {
    "mean-cosine": mean_cosine_similarity,
    "normalized": normalized_mean_cosine_similarity,
    "mean-squared-cosine": lambda A, B: (cosine_similarities(A, B) ** 2).mean(),
}
TRIANGLE = np.array([[0.5, -(0.75**0.5)], [1.0, 0.0], [0.5, 0.75**0.5]])
pytestmark = pytest.mark.filterwarnings("ignore:.*congruences are 1 by geometry:UserWarning")


def between_tables(A, B, **options):
    """Return the tables of two lists for every length of sublist."""
    lengths = range(1, min(len(A), len(B)) + 1)
    return [between_subset_similarities(A, B, q, **options) for q in lengths]


def within_tables(W, **options):
    """Return the tables of a list for every length of sublist."""
    return [subset_similarities(W, q, **options) for q in range(1, len(W))]


def random_words(seed, k, p, shift=0.5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((k, p)) + shift


def cell(A, B, similarity, scale):
    if similarity == "canonical":
        return canonical_similarity(A, B, scale=scale)
    return PAIRWISE[similarity](A, B)


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(2, 5),
    p=st.integers(2, 7),
    similarity=st.sampled_from(["mean-cosine", "normalized", "canonical"]),
    scale=st.sampled_from(["geometric", None]),
    repeat=st.booleans(),
)
def test_subset_similarities_equal_direct_computation(seed, k, p, similarity, scale, repeat):
    W = random_words(seed, k, p)
    if repeat:
        W[-1] = 3.0 * W[0]  # a repeated word: dependent sublists
    for q in range(1, k):
        table = subset_similarities(W, q, similarity=similarity, scale=scale)
        assert table.subsets.tolist() == [list(s) for s in itertools.combinations(range(k), q)]
        expected = [[cell(W[s], W[t], similarity, scale) for t in table.subsets] for s in table.subsets]
        np.testing.assert_allclose(table.values, expected, atol=1e-9)
        np.testing.assert_allclose(table.values, table.values.T, atol=1e-14)


@settings(deadline=None, max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    k_a=st.integers(1, 5),
    k_b=st.integers(1, 4),
    p=st.integers(3, 8),
    similarity=st.sampled_from(["mean-cosine", "canonical", "mean-squared-cosine"]),
    scale=st.sampled_from(["geometric", None]),
)
def test_between_lattice_equals_direct_computation(seed, k_a, k_b, p, similarity, scale):
    A, B = random_words(seed, k_a, p), random_words(seed + 1, k_b, p)
    for q in range(1, min(k_a, k_b) + 1):
        table = between_subset_similarities(A, B, q, similarity=similarity, scale=scale)
        expected = [
            [cell(A[list(s)], B[list(t)], similarity, scale) for t in itertools.combinations(range(k_b), q)]
            for s in itertools.combinations(range(k_a), q)
        ]
        np.testing.assert_allclose(table, expected, atol=1e-9)


def test_nearly_dependent_words_keep_full_rank():
    W = random_words(1, 4, 10)
    nearly_dependent, dependent = W.copy(), W.copy()
    nearly_dependent[3] = W[0] + 1e-7 * W[1]
    dependent[3] = W[0] * (1 + 1e-15)
    for variant, rank in ((nearly_dependent, 2), (dependent, 1)):
        values = subset_similarities(variant, 2, similarity="canonical", scale=None).values
        assert values[2, 2] == pytest.approx(rank, abs=1e-6)


def test_counterexamples_have_known_similarities():
    triangle = subset_similarities(TRIANGLE, 2).values
    np.testing.assert_allclose(triangle[1], [0.375, 0.25, 0.375], atol=1e-15)
    t = 0.3  # values of an independent implementation
    values = subset_similarities([[np.cos(t), np.sin(t)], [np.cos(t), -np.sin(t)], [1, 0]], 2).values
    assert values[0, 0] == pytest.approx(0.9126678074548391, abs=1e-15)
    assert values[0, 1] == pytest.approx(0.9340021482902225, abs=1e-15)
    assert values[1, 1] == pytest.approx(0.9776682445628029, abs=1e-15)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k_a=st.integers(2, 5), k_b=st.integers(2, 5), p=st.integers(3, 12))
def test_means_are_constant_or_monotone_in_sublist_length(seed, k_a, k_b, p):
    A, B = random_words(seed, k_a, p), random_words(seed + 1, k_b, p)
    for similarity in ("mean-cosine", "mean-squared-cosine"):
        means = [values.mean() for values in between_tables(A, B, similarity=similarity)]
        np.testing.assert_allclose(means, means[0], atol=1e-14)
    assert (np.diff([(values**2).mean() for values in between_tables(A, B)]) <= 1e-14).all()
    traces = between_tables(A, B, similarity="canonical", scale=None)
    assert (np.diff([values.mean() for values in traces]) >= -1e-12).all()
    within = [level.values.mean() for level in within_tables(A)]
    np.testing.assert_allclose(within, within[0], atol=1e-14)


def all_tables(W, similarity):
    return np.concatenate([level.values.ravel() for level in within_tables(W, similarity=similarity)])


test_tables_are_invariant = invariance_test(
    lambda seed: (random_words(seed, 5, 6),),
    {
        similarity: (partial(all_tables, similarity=similarity), "rotation lengths single huge", 1e-9)
        for similarity in ("mean-cosine", "normalized", "canonical")
    },
)
