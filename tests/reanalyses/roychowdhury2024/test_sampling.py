"""Tests of interval widths, deviations of NDCG, and losses for small samples of questions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.retrieval import score_at_threshold, threshold_percentile
from reanalyses.roychowdhury2024.sampling import (
    interval_widths,
    largest_loss,
    ndcg_deviation_bounds,
    questions_needed,
)
from tests.isotropy_lab.retrieval.test_thresholds import retrieval

ranks_of = st.lists(st.integers(1, 30), min_size=1, max_size=60)


def gain(rank, k):
    return 1 / np.log2(1 + rank) if rank <= k else 0.0


def test_widths_beside_the_binomial():
    table = interval_widths(0.669, [25, 100, 400, 5167], n_repeats=400, rng=0).set_index("n_questions")
    for size, row in table.iterrows():
        low, high = stats.binom.ppf([0.025, 0.975], size, 0.669)
        assert row["mean"] == pytest.approx((high - low) / size, rel=0.1)
        assert row["normal"] == pytest.approx(2 * 1.959964 * np.sqrt(0.669 * 0.331 / size))
        assert row["low"] <= row["mean"] <= row["high"]
    assert (table["normal"] * np.sqrt(table.index)).to_numpy() == pytest.approx(1.8445, abs=1e-3)
    assert (table["sd"] > 0).all()


def test_questions_for_a_width():
    assert questions_needed(0.02, 0.5) == 9604
    assert questions_needed(0.02, 0.0) == 1
    # By the definition: the normal interval is no wider; with one question less it is.
    n = questions_needed(0.05, 0.3)
    half = stats.norm.ppf(0.975) * 0.3
    assert 2 * half / np.sqrt(n) <= 0.05 < 2 * half / np.sqrt(n - 1)


@settings(deadline=None, max_examples=80)
@given(ranks=ranks_of, k=st.integers(1, 12))
def test_the_deviation_of_ndcg_lies_within_its_bounds(ranks, k):
    values = np.array([gain(r, k) for r in ranks])
    accuracy = float(np.mean(np.array(ranks) <= k))
    low, high = ndcg_deviation_bounds(float(values.mean()), accuracy, k=k)
    assert low - 1e-7 <= values.std() <= high + 1e-7


@settings(deadline=None, max_examples=150)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 400),
    k=st.integers(1, 5),
    psi=st.floats(1, 99),
    size=st.integers(1, 200),
)
def test_no_more_than_the_bound_can_be_lost_to_gamma(seed, n, k, psi, size):
    """Even if every right document is the last of the K best, the first to be hidden."""
    similarities, _ = retrieval(n, k, seed)
    ranks = np.full(n, k)
    limit = threshold_percentile(similarities, psi, method="gamma", n_questions=size)
    lost = 1.0 - score_at_threshold(similarities, ranks, limit)
    assert lost <= largest_loss(psi, size) + 1e-12


def test_the_bound_is_attained():
    """1,000 questions with K-th similarities 1, …, 1000: nearly as many as the bound allows are lost."""
    similarities = np.arange(1, 1001.0)[:, None]
    for psi, size in ((25, 10), (40, 10), (90, 3)):
        limit = threshold_percentile(similarities, psi, method="gamma", n_questions=size)
        lost = 1.0 - score_at_threshold(similarities, np.ones(1000, dtype=int), limit)
        assert largest_loss(psi, size) - 0.001 <= lost <= largest_loss(psi, size)
