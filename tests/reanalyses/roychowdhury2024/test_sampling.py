"""Widths of intervals, deviations of NDCG, and losses that samples of a few questions allow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.retrieval import (
    questions_needed,
    score_at_threshold,
    threshold_percentile,
)
from reanalyses.roychowdhury2024.sampling import (
    interval_width,
    largest_loss,
    ndcg_deviation_bounds,
)

ranks_of = st.lists(st.integers(1, 30), min_size=1, max_size=60)


def gain(rank, k):
    return 1 / np.log2(1 + rank) if rank <= k else 0.0


def test_widths_beside_the_binomial():
    table = interval_width(0.669, [25, 100, 400, 5167], n_repeats=400, rng=0).set_index("n_questions")
    for size, row in table.iterrows():
        low, high = stats.binom.ppf([0.025, 0.975], size, 0.669)
        assert row["binomial"] == pytest.approx((high - low) / size)
        wilson = stats.binomtest(round(0.669 * size), size).proportion_ci(0.95, method="wilson")
        assert row["wilson"] == pytest.approx(wilson.high - wilson.low, rel=0.02)
        assert row["normal"] == pytest.approx(2 * 1.959964 * np.sqrt(0.669 * 0.331 / size))
        assert row["low"] <= row["mean"] <= row["high"]
    assert (table["normal"] * np.sqrt(table.index)).to_numpy() == pytest.approx(1.8445, abs=1e-3)
    assert (table["sd"] > 0).all()
    # with many samples the width approaches the binomial one, and varies less
    many = interval_width(0.669, 100, n_resamples=10_000, n_repeats=30, rng=0).iloc[0]
    assert many["mean"] == pytest.approx(0.18, abs=0.006)
    # (though by whole steps of 1/100, the binomial's percentiles being next to one)
    assert many["sd"] < 0.01 < table.loc[100, "sd"]


# Roychowdhury et al. (2025), Table II: accuracy, the width of its interval, NDCG, the width of its interval, in percent
TABLE_II = (
    (66.87, 17.04, 29.6, 0.6),
    (62.64, 17.0, 27.2, 0.4),
    (81.61, 14.04, 34.2, 1.2),
    (81.67, 13.04, 34.9, 0.5),
    (70.06, 14.52, 29.2, 1.6),
    (57.12, 19.57, 25.2, 0.8),
    (81.58, 13.52, 34.3, 0.6),
    (80.37, 12.52, 33.7, 0.5),
)


def test_the_papers_widths_are_those_of_a_hundred_samples_of_a_hundred_questions():
    distance = {}
    for m in (100, 500):
        rows = [
            interval_width(a / 100, 100, n_resamples=m, n_repeats=1000, rng=0).iloc[0] for a, *_ in TABLE_II
        ]
        distance[m] = sum(
            ((w / 100 - row["mean"]) / row["sd"]) ** 2 for (_, w, *_), row in zip(TABLE_II, rows, strict=True)
        )
    assert stats.chi2.sf(distance[100], 8) > 0.2
    assert stats.chi2.sf(distance[500], 8) < 1e-6
    finetuned, both = (
        interval_width(a / 100, 100, n_repeats=1000, rng=0).iloc[0] for a, *_ in (TABLE_II[2], TABLE_II[3])
    )
    # 14.04 → 13.04 "tighter": less than one standard deviation of such a difference
    assert np.hypot(finetuned["sd"], both["sd"]) > 0.01


def test_ndcg_widths_need_other_samples_than_the_accuracies():
    needed = [
        [questions_needed(width / 100, d) for d in ndcg_deviation_bounds(ndcg / 100, accuracy / 100)]
        for accuracy, _, ndcg, width in TABLE_II
    ]
    assert min(low for low, _ in needed) > 20 * 100
    assert min(high for _, high in needed) > 5000
    assert max(high for _, high in needed) > 90_000


@settings(deadline=None, max_examples=80)
@given(ranks=ranks_of, k=st.integers(1, 12))
def test_the_deviation_of_ndcg_lies_within_its_bounds(ranks, k):
    values = np.array([gain(r, k) for r in ranks])
    accuracy = float(np.mean(np.array(ranks) <= k))
    low, high = ndcg_deviation_bounds(float(values.mean()), accuracy, k=k)
    assert low - 1e-7 <= values.std() <= high + 1e-7


def test_the_bounds_of_the_deviation_are_attained():
    for ranks, place in (([2] * 3 + [3] * 5 + [99] * 4, 0), ([1] * 3 + [10] * 5 + [99] * 4, 1)):
        values = np.array([gain(r, 10) for r in ranks])
        assert ndcg_deviation_bounds(values.mean(), 8 / 12)[place] == pytest.approx(values.std())
    assert ndcg_deviation_bounds(0.0, 0.0) == (0.0, 0.0)


# --- losses to the threshold by Γ


def retrieval(n_questions=300, k=10, seed=0):
    """Ranks and similarities in which a lower similarity of the right document goes with a higher rank."""
    rng = np.random.default_rng(seed)
    ranks = rng.geometric(0.12, size=n_questions)
    top = np.sort(
        0.5 + 0.12 * rng.standard_normal((n_questions, 1)) + 0.1 * rng.uniform(size=(n_questions, k)), axis=1
    )
    return top[:, ::-1], ranks


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


# Roychowdhury et al. (2025), Table II: bootstrapped accuracy, ψ, accuracy at τ(ψ), in percent
LOSSES = (
    (66.87, 35, 67.18),
    (62.64, 25, 61.36),
    (81.61, 25, 79.46),
    (81.67, 35, 77.73),
    (70.06, 30, 69.9),
    (57.12, 30, 52.53),
    (81.58, 40, 80.69),
    (80.37, 25, 77.97),
)


def test_the_papers_losses_are_not_those_of_its_gamma():
    losses = np.array([before - after for before, _, after in LOSSES])
    bounds = np.array([100 * largest_loss(psi, 100) for _, psi, _ in LOSSES])
    assert bounds.round(2).tolist() == [0.43, 0.29, 0.29, 0.43, 0.36, 0.36, 0.51, 0.29]
    assert losses.min() < 0  # "keep accuracy same or reduced"
    assert (losses > bounds).sum() == 6
    # Two means of 100 samples of 100 questions each, drawn anew for the threshold, differ by chance with this standard
    # deviation (in points); the largest losses are far outside.
    chance = np.array([np.sqrt(2 * a * (100 - a) / 1e4) for a, *_ in LOSSES])
    assert ((losses - bounds) / chance).max() > 5
    # with all 5,167 questions in each sample nothing but single questions could be lost
    assert largest_loss(40, 5167) < 1 / 5167
