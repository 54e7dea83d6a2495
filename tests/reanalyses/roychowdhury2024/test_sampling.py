"""Tests of interval widths, deviations of NDCG, and accuracy losses in small samples of questions."""

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
from tests.isotropy_lab.retrieval.test_thresholds import random_retrieval

ranks_of = st.lists(st.integers(1, 30), min_size=1, max_size=60)


def test_interval_widths_agree_with_binomial_quantiles():
    table = interval_widths(0.669, [25, 100, 400, 5167], n_repeats=400, rng=0).set_index("n_questions")
    for n_questions, row in table.iterrows():
        low, high = stats.binom.ppf([0.025, 0.975], n_questions, 0.669)
        assert row["mean"] == pytest.approx((high - low) / n_questions, rel=0.1)
        assert row["normal"] == pytest.approx(2 * 1.959964 * np.sqrt(0.669 * 0.331 / n_questions))
        assert row["low"] <= row["mean"] <= row["high"]
    assert (table["normal"] * np.sqrt(table.index)).to_numpy() == pytest.approx(1.8445, abs=1e-3)
    assert (table["sd"] > 0).all()


def test_questions_needed_for_a_width():
    assert questions_needed(0.02, 0.5) == 9604
    assert questions_needed(0.02, 0.0) == 1
    # With n questions, the normal interval is narrow enough; with n − 1, it is not.
    n = questions_needed(0.05, 0.3)
    half = stats.norm.ppf(0.975) * 0.3
    assert 2 * half / np.sqrt(n) <= 0.05 < 2 * half / np.sqrt(n - 1)


@settings(deadline=None, max_examples=80)
@given(ranks=ranks_of, k=st.integers(1, 12))
def test_ndcg_deviation_is_within_its_bounds(ranks, k):
    ranks = np.array(ranks)
    values = np.where(ranks <= k, 1 / np.log2(1 + ranks), 0.0)
    accuracy = float(np.mean(ranks <= k))
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
def test_loss_at_gamma_threshold_is_within_its_bound(seed, n, k, psi, size):
    """The bound holds even if every relevant document has rank K, which is hidden first."""
    similarities, _ = random_retrieval(n, k, seed)
    ranks = np.full(n, k)
    threshold = threshold_percentile(similarities, psi, method="gamma", n_questions=size)
    loss = 1.0 - score_at_threshold(similarities, ranks, threshold)
    assert loss <= largest_loss(psi, size) + 1e-12


def test_largest_loss_is_nearly_attained():
    """With 1,000 evenly spaced similarities, the loss is within 0.001 of the bound."""
    similarities = np.arange(1, 1001.0)[:, None]
    for psi, size in ((25, 10), (40, 10), (90, 3)):
        threshold = threshold_percentile(similarities, psi, method="gamma", n_questions=size)
        loss = 1.0 - score_at_threshold(similarities, np.ones(1000, dtype=int), threshold)
        assert largest_loss(psi, size) - 0.001 <= loss <= largest_loss(psi, size)
