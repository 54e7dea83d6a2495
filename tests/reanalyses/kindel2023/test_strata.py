"""Tests of random lists whose words have frequencies similar to the given words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.association import canonical_similarity, mean_cosine_similarity
from reanalyses.kindel2023.nulls import draw_strata, matched_pools, stratified_nulls


def test_draws_from_strata_are_uniform_without_repetition() -> None:
    strata = [np.array([0, 1]), np.array([0, 1, 2]), np.array([5])]
    drawn = draw_strata(strata, 12_000, np.random.default_rng(0))
    distinct, counts = np.unique(drawn, axis=0, return_counts=True)
    assert distinct.tolist() == [[0, 1, 5], [0, 2, 5], [1, 0, 5], [1, 2, 5]]
    assert stats.chisquare(counts).pvalue > 1e-4


def test_stratified_nulls_replace_words_within_strata() -> None:
    rng = np.random.default_rng(0)
    A, B, pool = rng.standard_normal((2, 6)), rng.standard_normal((2, 6)), rng.standard_normal((40, 6))
    nulls = stratified_nulls(A, B, pool, [[3], [4, 4, 4], [5], [6]], n_resamples=10, rng=0).totals
    for null, (X, Y) in {
        "A random": (pool[[3, 4]], B),
        "B random": (A, pool[[5, 6]]),
        "both random": (pool[[3, 4]], pool[[5, 6]]),
    }.items():
        totals = nulls[nulls["null"] == null].set_index("quantity")
        for name in ("low", "mean", "high"):
            assert totals.loc["canonical", name] == pytest.approx(canonical_similarity(X, Y), abs=1e-10)
            assert totals.loc["mean-cosine", name] == pytest.approx(mean_cosine_similarity(X, Y), abs=1e-10)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 40), width=st.floats(0, 3), at_least=st.integers(1, 50))
def test_matched_pools_contain_nearest_frequencies(seed: int, n: int, width: float, at_least: int) -> None:
    rng = np.random.default_rng(seed)
    targets, available = rng.uniform(1, 7, 5), rng.uniform(1, 7, n)
    available[0] = np.nan
    targets[0] = np.nan
    strata = matched_pools(targets, available, width=width, at_least=at_least)
    assert strata[0].tolist() == list(range(n))
    for frequency, stratum in zip(targets[1:], strata[1:], strict=True):
        assert 0 not in stratum
        distances = np.abs(available[1:] - frequency)
        inside = 1 + np.flatnonzero(distances <= width)
        if inside.size >= at_least:
            assert stratum.tolist() == inside.tolist()
        else:
            assert stratum.size == min(at_least, n - 1)
            assert np.abs(available[stratum] - frequency).max() == np.sort(distances)[stratum.size - 1]
