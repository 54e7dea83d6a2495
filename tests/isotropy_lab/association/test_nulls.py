"""Tests of null intervals against naive draws, and of the random lists and neighborhoods that they draw."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.association import nulls
from isotropy_lab.association.canonical import canonical_congruences, row_basis
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.nulls import null_intervals
from tests.isotropy_lab.invariance import invariance_test

NULLS = ("A random", "B random", "both random")
ignore_crowding = pytest.mark.filterwarnings("ignore:.*congruences are 1 by geometry:UserWarning")


def random_lists_and_pool(seed, k_a, k_b, p, n, shift=0.4):
    rng = np.random.default_rng(seed)
    return (
        rng.standard_normal((k_a, p)) + shift,
        rng.standard_normal((k_b, p)) + shift,
        rng.standard_normal((n, p)) + shift,
    )


def compare_lists(A, B):
    """Return zero-padded congruences and the three totals, computed by the functions for pairs of lists."""
    congruences = canonical_congruences(A, B)
    padded = np.zeros(min(len(A), len(B)))
    padded[: congruences.size] = congruences
    trace = congruences @ congruences
    ranks = row_basis(A).shape[1] * row_basis(B).shape[1]
    return padded, np.array([trace / np.sqrt(ranks), trace, mean_cosine_similarity(A, B)])


def simulate_intervals(A, B, pool, n_resamples, seed, confidence):
    """Compute the draws one by one, using the same order of random numbers."""
    source = nulls.Pool(A, B, pool)
    indices_a, indices_b = source.draw(n_resamples, np.random.default_rng(seed))
    lists = {
        "A random": [(pool[i], B) for i in indices_a],
        "B random": [(A, pool[j]) for j in indices_b],
        "both random": [(pool[i], pool[j]) for i, j in zip(indices_a, indices_b, strict=True)],
    }
    observed, result = compare_lists(A, B), {}
    for null, pairs in lists.items():
        for quantity in (0, 1):
            draws = np.array([compare_lists(X, Y)[quantity] for X, Y in pairs])
            greater = (1 + (draws >= observed[quantity] - 1e-8).sum(axis=0)) / (n_resamples + 1)
            less = (1 + (draws <= observed[quantity] + 1e-8).sum(axis=0)) / (n_resamples + 1)
            low, high = np.percentile(draws, [50 - 50 * confidence, 50 + 50 * confidence], axis=0)
            result[null, quantity] = low, draws.mean(axis=0), high, greater, less
    return observed, result


@ignore_crowding
@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 10_000),
    k_a=st.integers(1, 5),
    k_b=st.integers(1, 5),
    p=st.integers(4, 12),
    dependent=st.booleans(),
)
def test_batched_draws_agree_with_single_draws(seed, k_a, k_b, p, dependent):
    A, B, pool = random_lists_and_pool(seed, k_a, k_b, p, 30)
    if dependent:  # drawn and observed lists of deficient rank
        pool[1::3] = 2 * pool[::3]
        A[-1] = A[0]
    intervals = null_intervals(A, B, pool, n_resamples=25, confidence_level=0.8, rng=seed)
    observed, expected = simulate_intervals(A, B, pool, 25, seed, 0.8)
    for null in NULLS:
        for quantity, table in enumerate((intervals.congruences, intervals.totals)):
            rows = table[table["null"] == null]
            values = expected[null, quantity]
            np.testing.assert_allclose(rows["observed"], observed[quantity], atol=1e-9)
            for name, value in zip(("low", "mean", "high"), values[:3], strict=True):
                np.testing.assert_allclose(rows[name], value, atol=1e-7)
            np.testing.assert_allclose(
                rows["p_value"], np.minimum(1, 2 * np.minimum(rows["p_greater"], rows["p_less"]))
            )
            if not dependent:  # with repeated words some draws equal what is observed up to rounding
                np.testing.assert_allclose(rows["p_greater"], values[3])
                np.testing.assert_allclose(rows["p_less"], values[4])
    assert (intervals.congruences[["low", "mean", "high", "observed"]].to_numpy() >= 0).all()
    assert (intervals.congruences[["low", "mean", "high", "observed"]].to_numpy() <= 1).all()
    assert intervals.pool_size == 30
    assert intervals.n_resamples == 25
    assert list(intervals.totals["quantity"][:3]) == ["canonical", "canonical-trace", "mean-cosine"]


def test_intervals_of_nearly_dependent_lists_agree_with_naive_draws():
    A, B, pool = random_lists_and_pool(3, 4, 4, 30, 40)
    pool[20:] = pool[:20] + 1e-6 * pool[20:]  # pairs of words that are nearly the same
    intervals = null_intervals(A, B, pool, n_resamples=60, rng=5)
    _, expected = simulate_intervals(A, B, pool, 60, 5, 0.95)
    for null in NULLS:
        rows = intervals.congruences[intervals.congruences["null"] == null]
        np.testing.assert_allclose(rows["mean"], expected[null, 0][1], atol=1e-6)


def test_orthonormal_bases_of_full_and_deficient_rank():
    """The first list repeats a word: its Gram matrix has a pivot of exactly zero, which Cholesky refuses."""
    rows = np.eye(6)[[0, 0, 1, 2]]
    spans, means, ranks = nulls._orthonormalize(rows, np.array([[0, 1], [2, 3], [0, 2]]), 1e-10)
    assert list(ranks) == [1, 2, 2]
    np.testing.assert_allclose(means, [np.eye(6)[0], np.eye(6)[[1, 2]].mean(0), np.eye(6)[[0, 1]].mean(0)])
    for span, axes in zip(spans, ([0], [1, 2], [0, 1]), strict=True):
        projection = np.diag(np.isin(np.arange(6), axes).astype(float))
        np.testing.assert_allclose(span.T @ span, projection, atol=1e-12)


@pytest.mark.parametrize(("pool_size", "k"), [(8, 8), (10, 3), (50, 4), (7, 1)])
def test_draws_are_uniform_and_without_replacement(pool_size, k):
    draws = nulls._draw_samples(pool_size, k, 20_000, np.random.default_rng(0))
    assert nulls._has_no_repeats(draws).all()
    for column in draws.T:
        assert stats.chisquare(np.bincount(column, minlength=pool_size)).pvalue > 1e-4
    if k > 1:  # the two lists of a draw share no word either
        source = nulls.Pool(np.ones((1, 2)), np.ones((k - 1, 2)), np.ones((pool_size, 2)))
        assert nulls._has_no_repeats(np.hstack(source.draw(100, np.random.default_rng(0)))).all()


@ignore_crowding
def test_rounding_leaves_cosines_and_means_within_their_bounds():
    """Cosines of a word with itself and its opposite round to either side of 1."""
    units = np.random.default_rng(3).standard_normal((500, 1, 6))
    units /= np.linalg.norm(units, axis=2, keepdims=True)
    assert np.abs(np.einsum("mkp,mkp->m", units, units)).max() > 1.0
    ranks, mean = np.ones(500), units[:, 0]
    for sign in (1.0, -1.0):
        cosines, totals = nulls.compare((units, mean, ranks), (units, sign * mean, ranks))
        expected = np.array([[1.0, 1.0, sign]])
        np.testing.assert_allclose(totals, np.repeat(expected, 500, axis=0), rtol=1e-14)
        assert max(np.abs(totals).max(), cosines.max()) == 1.0


def test_more_words_than_dimensions_have_congruences_of_1():
    A, B, pool = random_lists_and_pool(0, 6, 2, 4, 50)
    intervals = null_intervals(A, B, pool, n_resamples=20, rng=0)
    np.testing.assert_allclose(intervals.congruences[["observed", "low", "high"]], 1.0, atol=1e-9)
    assert (intervals.congruences["p_value"] == 1.0).all()  # all draws tie with what is observed


def test_congruences_of_1_by_geometry_cause_a_warning():
    A, B, pool = random_lists_and_pool(0, 3, 3, 5, 50)
    with pytest.warns(UserWarning, match="1 of the 3 congruences are 1 by geometry") as warned:
        intervals = null_intervals(A, B, pool, n_resamples=5, rng=0)
    assert warned[0].filename == __file__
    assert intervals.congruences["index"].tolist() == [1, 2, 3] * 3
    assert intervals.totals.index.tolist() == list(range(9))
    A, B, pool = random_lists_and_pool(0, 3, 3, 6, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        null_intervals(A, B, pool, n_resamples=5, rng=0)


def test_neighborhoods_are_a_word_and_its_nearest_words():
    A, B, pool = random_lists_and_pool(3, 3, 4, 6, 60)
    source = nulls.Pool(A, B, pool)
    indices_a, indices_b = source.neighborhoods(200, np.random.default_rng(0))
    units = pool / np.linalg.norm(pool, axis=1, keepdims=True)
    ranked = np.argsort(-(units @ units.T), axis=1)  # a word is nearest to itself
    for indices in (indices_a, indices_b):
        possible = {frozenset(row[: indices.shape[1]].tolist()) for row in ranked}
        assert all(frozenset(row.tolist()) in possible for row in indices)
        assert len({frozenset(row.tolist()) for row in indices}) > 20
    assert not any(set(a) & set(b) for a, b in zip(indices_a.tolist(), indices_b.tolist(), strict=True))


def test_seeds_of_neighborhoods_are_uniform():
    # The pool has five pairs of equal, distant words: every drawn list is one pair, all equally often.
    pool = np.repeat(np.eye(5), 2, axis=0)
    source = nulls.Pool(np.ones((2, 5)), np.ones((2, 5)), pool)
    indices_a, indices_b = source.neighborhoods(4_000, np.random.default_rng(1))
    counts = np.zeros((5, 5))
    np.add.at(counts, (indices_a.min(axis=1) // 2, indices_b.min(axis=1) // 2), 1)
    assert (np.abs(indices_a[:, 0] - indices_a[:, 1]) == 1).all()
    assert counts.diagonal().sum() == 0
    assert stats.chisquare(counts[~np.eye(5, dtype=bool)]).pvalue > 1e-3


test_intervals_are_invariant = invariance_test(
    lambda seed: random_lists_and_pool(seed, 3, 3, 8, 40),
    {
        "congruences": (
            lambda A, B, pool: null_intervals(A, B, pool, n_resamples=20, rng=0).congruences.drop(
                columns="null"
            ),
            "rotation lengths single tiny huge",
            1e-8,
        )
    },
)


def test_p_values_include_the_observed_value_and_ties():
    draws = np.array([[0.0], [1.0], [1.0 + 5e-9], [2.0]])
    p_values = [nulls._p_values(draws, np.array([observed])) for observed in (1.0, 2.0, 3.0)]
    assert [values["p_greater"][0] for values in p_values] == [4 / 5, 2 / 5, 1 / 5]
    assert [values["p_less"][0] for values in p_values] == [4 / 5, 1, 1]
    assert [values["p_value"][0] for values in p_values] == [1, 4 / 5, 2 / 5]
