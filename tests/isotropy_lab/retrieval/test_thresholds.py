"""Tests of similarity thresholds and their bounds against loops over questions, definitions, and MAPIE."""

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.results import RelevantRanks, TopK
from isotropy_lab.retrieval import (
    question_scores,
    relevant_ranks,
    score_at_threshold,
    similarity_threshold,
    threshold_percentile,
    thresholds,
    top_k,
)


def random_retrieval(n_questions=300, k=10, seed=0):
    """Return ranks and similarities in which less similar relevant documents have higher ranks."""
    rng = np.random.default_rng(seed)
    ranks = rng.geometric(0.12, size=n_questions)
    top = np.sort(
        0.5 + 0.12 * rng.standard_normal((n_questions, 1)) + 0.1 * rng.uniform(size=(n_questions, k)), axis=1
    )
    return top[:, ::-1], ranks


def loop_score(similarities, ranks, threshold, metric):
    """Hide documents one question at a time, and search the remaining ones for the relevant document."""
    total = 0.0
    for row, rank in zip(similarities, ranks, strict=True):
        remaining = [new_rank for new_rank, s in enumerate(row, 1) if s >= threshold]
        if rank in remaining:
            new_rank = remaining.index(rank) + 1
            total += {"accuracy": 1.0, "ndcg": 1 / np.log2(1 + new_rank), "mrr": 1 / new_rank}[metric]
    return total / len(ranks)


@pytest.mark.parametrize("metric", ["accuracy", "ndcg", "mrr"])
def test_scores_agree_with_a_loop_over_questions(metric):
    similarities, ranks = random_retrieval(80)
    for threshold in (-1.0, 0.3, 0.5, similarities[3, 4], 0.6, 0.99):
        score = score_at_threshold(similarities, ranks, threshold, metric=metric)
        assert score == pytest.approx(loop_score(similarities, ranks, threshold, metric), abs=1e-12)


def test_pooled_percentiles_are_linear():
    percentile = threshold_percentile([[4.0, 1.0], [3.0, 2.0]], 50)
    assert (type(percentile), percentile) == (float, 2.5)
    assert threshold_percentile([[4.0, 1.0], [3.0, 2.0]], [0, 25, 100]).tolist() == [1.0, 1.75, 4.0]
    indices = np.zeros((2, 2), dtype=int)
    assert threshold_percentile(TopK(indices, np.array([[4.0, 1.0], [3.0, 2.0]])), 50) == 2.5


def test_gamma_is_the_percentile_of_the_smallest_similarity():
    similarities, _ = random_retrieval(200)
    n_questions, psi = 30, np.array([5.0, 25.0, 40.0, 75.0, 95.0])
    rng = np.random.default_rng(0)
    smallest = np.array([similarities[rng.integers(200, size=n_questions)].min() for _ in range(20_000)])
    exact = threshold_percentile(similarities, psi, method="gamma", n_questions=n_questions)
    # the samples' share below the exact percentile, and up to it, encloses ψ
    for percentage, limit in zip(psi, exact, strict=True):
        error = 4 * np.sqrt(percentage * (100 - percentage) / 20_000)
        assert 100 * np.mean(smallest < limit) <= percentage + error
        assert 100 * np.mean(smallest <= limit) >= percentage - error


def loop_losses(similarities, ranks, threshold, metric, hide):
    """Return the loss of each question, by hiding documents one question at a time."""
    losses = []
    for row, rank in zip(similarities, ranks, strict=True):
        score = {"accuracy": 1.0, "recall": 1.0, "ndcg": 1 / np.log2(1 + rank), "mrr": 1 / rank}[metric]
        deciding_similarity = row[0] if hide == "lists" else row[min(rank, len(row)) - 1]
        losses.append(score if rank <= len(row) and deciding_similarity < threshold else 0.0)
    return np.array(losses)


def next_threshold(similarities, ranks, limit, hide="documents"):
    """Return the lowest threshold that loses one more question than the given one."""
    hit = ranks <= 10
    gold = similarities[hit, 0 if hide == "lists" else ranks[hit] - 1]
    return np.nextafter(gold[gold >= limit].min(), 1)


@pytest.mark.parametrize("hide", ["documents", "lists"])
def test_threshold_is_the_highest_with_an_accepted_bound(hide):
    similarities, ranks = random_retrieval(800)
    result = similarity_threshold(similarities, ranks, margin=0.04, hide=hide)
    lost = loop_losses(similarities, ranks, result.threshold, "accuracy", hide).sum()
    above = next_threshold(similarities, ranks, result.threshold, hide)
    one_more = loop_losses(similarities, ranks, above, "accuracy", hide).sum()
    assert one_more > lost > 0
    assert (
        stats.beta.ppf(0.95, lost + 1, 800 - lost)
        <= 0.04
        < stats.beta.ppf(0.95, one_more + 1, 800 - one_more)
    )
    assert result.loss == pytest.approx(lost / 800)
    assert result.loss_bound == pytest.approx(stats.beta.ppf(0.95, lost + 1, 800 - lost))
    assert result.before == pytest.approx(np.mean(ranks <= 10))
    assert result.after == pytest.approx(result.before - result.loss)
    kept = [[s for s in r if (r[0] if hide == "lists" else s) >= result.threshold] for r in similarities]
    assert result.suppressed == pytest.approx(1 - sum(map(len, kept)) / 8000)
    assert result.mean_kept == pytest.approx(sum(map(len, kept)) / 800)
    assert result.n_empty == kept.count([])
    assert (result.k, result.n_questions, result.n_groups) == (10, 800, None)
    assert (result.rejected, result.rejected_low, result.n_out_of_scope) == (None, None, 0)


def p_value_by_definition(losses, margin):
    """Return the p-values of Hoeffding and Bentkus, as written in the papers."""
    n, mean = len(losses), min(np.mean(losses), margin)
    relative = mean * np.log(mean / margin) if mean else 0.0
    relative += (1 - mean) * np.log((1 - mean) / (1 - margin))
    tail = sum(stats.binom.pmf(i, n, margin) for i in range(int(np.ceil(np.sum(losses) - 1e-9)) + 1))
    return min(np.exp(-n * relative), np.e * tail)


@pytest.mark.parametrize(
    ("margin", "threshold"),
    [(0.02, 0.2103390034436151), (0.05, 0.22520944404901536), (0.1, 0.2528071593585638)],
)
def test_thresholds_agree_with_mapie(margin, threshold):
    """MAPIE 1.6.0, ltt_procedure with binary risks and fwer_method="fixed_sequence", on all candidates."""
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 13, size=600)
    similarities = np.sort(rng.uniform(0.2, 0.9, size=(600, 10)))[:, ::-1]
    result = similarity_threshold(similarities, ranks, margin=margin).threshold
    assert result == pytest.approx(threshold, rel=1e-3)
    assert not ((result <= similarities) & (similarities < threshold)).any()


@pytest.mark.parametrize("metric", ["ndcg", "mrr", "recall"])
def test_fractional_losses_have_hoeffding_bentkus_bounds(metric):
    similarities, ranks = random_retrieval(700, seed=3)
    result = similarity_threshold(similarities, ranks, margin=0.06, metric=metric, confidence_level=0.9)
    losses, larger_losses = (
        loop_losses(similarities, ranks, limit, metric, "documents")
        for limit in (result.threshold, next_threshold(similarities, ranks, result.threshold))
    )
    assert result.loss == pytest.approx(losses.mean())
    assert p_value_by_definition(losses, 0.06) <= 0.1 < p_value_by_definition(larger_losses, 0.06)
    assert p_value_by_definition(losses, result.loss_bound) == pytest.approx(0.1, abs=1e-6)
    assert result.before == pytest.approx(question_scores(np.where(ranks <= 10, ranks, 99), metric).mean())


def test_losses_count_each_relevant_document():
    rng = np.random.default_rng(5)
    questions, documents = rng.standard_normal((400, 4)), rng.standard_normal((30, 4))
    judgments = {q: {int(d): int(rng.integers(1, 4)) for d in rng.choice(30, 3, False)} for q in range(400)}
    ranks, best = relevant_ranks(questions, documents, judgments), top_k(questions, documents, 2)
    for metric in ("recall", "ndcg", "map", "accuracy"):
        result = similarity_threshold(best, ranks, margin=0.03, metric=metric)
        scores = []
        for question_ranks, row in zip(ranks.ranks, best.similarities, strict=True):
            n_shown = int((row >= result.threshold).sum())
            scores.append([rank if rank <= n_shown else 0 for rank in question_ranks])
        remaining = RelevantRanks(np.array(scores), ranks.grades, ranks.documents)
        assert result.after == pytest.approx(question_scores(remaining, metric, k=2).mean())
        at_threshold = score_at_threshold(best, ranks, result.threshold, metric=metric)
        assert at_threshold == pytest.approx(result.after)
        assert result.before == pytest.approx(question_scores(ranks, metric, k=2).mean())
        assert result.loss > 0


def test_groups_are_averaged_and_counted_once():
    similarities, ranks = random_retrieval(300)
    groups = np.repeat(np.arange(240), [61, *[1] * 239])
    result = similarity_threshold(similarities, ranks, margin=0.05, groups=groups)
    losses = loop_losses(similarities, ranks, result.threshold, "accuracy", "documents")
    means = [losses[groups == group].mean() for group in range(240)]
    assert result.loss == pytest.approx(np.mean(means))
    assert p_value_by_definition(means, 0.05) <= 0.05
    assert result.n_groups == 240
    assert result.before == pytest.approx(np.mean([(ranks[groups == g] <= 10).mean() for g in range(240)]))
    text = " ".join(str(result).split())
    assert "averaged over groups, if they are independent. On these (240 groups)" in text
    with pytest.raises(ValueError, match=r"10 groups.*at least 59 groups"):
        similarity_threshold(similarities, ranks, margin=0.05, groups=np.arange(300) % 10)


def test_out_of_scope_questions_do_not_change_the_threshold():
    similarities, ranks = random_retrieval(800)
    out_of_scope = -np.sort(-np.random.default_rng(1).uniform(0.2, 0.7, (90, 4)), axis=1)
    plain_result = similarity_threshold(similarities, ranks, margin=0.04)
    result = similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=out_of_scope)
    n_rejected = int((out_of_scope.max(axis=1) < plain_result.threshold).sum())
    assert result.threshold == plain_result.threshold
    assert result.rejected == n_rejected / 90
    assert result.rejected_low == pytest.approx(stats.beta.ppf(0.05, n_rejected, 91 - n_rejected))
    assert 0 < n_rejected < 90
    u = stats.mannwhitneyu(similarities[:, 0], out_of_scope.max(axis=1)).statistic
    assert result.auc == pytest.approx(u / (800 * 90), rel=1e-12)
    with pytest.raises(ValueError, match="out_of_scope increases along 90 of 90 rows"):
        similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=out_of_scope[:, ::-1])
    vector = similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=out_of_scope.max(axis=1))
    assert vector == result
    for value, fraction, low in ((0.0, 1, 0.05 ** (1 / 5)), (0.9, 0, 0)):
        five = similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=[value] * 5)
        assert five.rejected == fraction
        assert five.rejected_low == pytest.approx(low, abs=1e-9)


def test_threshold_is_invariant_under_order_and_scale():
    similarities, ranks = random_retrieval(500)
    result = similarity_threshold(similarities, ranks, margin=0.05, metric="mrr")
    order = np.random.default_rng(2).permutation(500)
    transformed = similarity_threshold(4 * similarities[order] - 1, ranks[order], margin=0.05, metric="mrr")
    assert transformed.threshold == pytest.approx(4 * result.threshold - 1, abs=1e-3)
    assert (transformed.loss, transformed.loss_bound) == pytest.approx((result.loss, result.loss_bound))


@pytest.mark.parametrize("margin", [0.01, 0.02, 0.3])
def test_error_names_the_smallest_sufficient_number_of_questions(margin):
    needed = int(np.ceil(np.log(0.05) / np.log(1 - margin)))
    similarities, ranks = np.linspace(0.9, 0.1, needed)[:, None], np.ones(needed, dtype=int)
    for metric in ("accuracy", "mrr"):
        result = similarity_threshold(similarities, ranks, margin=margin, metric=metric)
        assert (result.threshold, result.loss) == (0.1, 0)
        with pytest.raises(ValueError, match=f"at least {needed} questions"):
            similarity_threshold(similarities[1:], ranks[1:], margin=margin, metric=metric)


@pytest.mark.parametrize("difference", [1e-2, 1e-5, 1e-9, 1e-14, 0.0])
@pytest.mark.parametrize("hide", ["documents", "lists"])
def test_threshold_is_rounded_without_changing_its_effect(difference, hide):
    """A threshold copied from the printed text has exactly the printed loss."""
    similarities, ranks = random_retrieval(800)
    plain_result = similarity_threshold(similarities, ranks, margin=0.04, hide=hide)
    limit = np.sort(similarities[similarities >= plain_result.threshold])[0]
    result = similarity_threshold(
        similarities, ranks, margin=0.04, hide=hide, out_of_scope=[limit - difference, 0.1, 0.9]
    )
    assert limit - difference < result.threshold <= limit or difference == 0.0
    assert difference != 1e-2 or result.threshold == pytest.approx(round(result.threshold, 4), abs=1e-12)
    assert result.rejected == (1 if difference == 0.0 else 2) / 3
    assert (result.loss, result.suppressed) == (plain_result.loss, plain_result.suppressed)
    text = " ".join(str(result).split())
    assert all(part in text for part in (f"below {result.threshold}.", "95%", "3 out-of-scope"))
    assert f"at most 0.04 of accuracy@10 ({0.04 / result.before:.1%} of its value here)" in text
    assert ("each document" in str(result)) == (hide == "documents")


def test_round_down_keeps_four_digits_if_possible():
    for exact, expected in (
        (0.55129, 0.5512),
        (-0.55121, -0.5513),
        (0.0, 0.0),
        (12345.9, 12340.0),
        (0.1, 0.1),
    ):
        assert thresholds.round_down(exact, -np.inf) == expected <= exact
    assert thresholds.round_down(0.55129, 0.5512) == 0.55129


@pytest.mark.parametrize("step", [1.0, 1e6])
def test_percentiles_at_a_similarity_equal_it_exactly(step):
    """Otherwise rounding would hide the document at the percentile, or show the one just below it."""
    similarities = step * np.arange(101.0)[::-1].reshape(1, -1) - 30 * step
    percentages = np.arange(101)
    thresholds = threshold_percentile(similarities, percentages)
    assert thresholds.tolist() == (step * percentages - 30 * step).tolist()
    hidden = (np.asarray(similarities) < thresholds[:, None]).mean(axis=1)
    assert hidden == pytest.approx(percentages / 101, abs=1e-9)
    interpolated = threshold_percentile(similarities, [12.5, 99.75])
    np.testing.assert_allclose(interpolated, [-17.5 * step, 69.75 * step], rtol=1e-14)


def test_gamma_equals_hand_computed_values():
    similarities = np.array([[4.0], [1.0], [3.0], [2.0]])
    options = {"method": "gamma", "n_questions": 1}  # the least of one question: any with equal chance
    percentiles = [threshold_percentile(similarities, psi, **options) for psi in (0, 25, 26, 50, 51, 100)]
    assert percentiles == [1, 1, 2, 2, 3, 4]
    # Of two questions, both are above the least value with a probability of (3/4)².
    percentiles = threshold_percentile(similarities, [43, 44, 75, 76], method="gamma", n_questions=2)
    assert percentiles.tolist() == [1, 2, 2, 3]
