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


def retrieval(n_questions=300, k=10, seed=0):
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
        left = [place for place, s in enumerate(row, 1) if s >= threshold]
        if rank in left:
            place = left.index(rank) + 1
            total += {"accuracy": 1.0, "ndcg": 1 / np.log2(1 + place), "mrr": 1 / place}[metric]
    return total / len(ranks)


@pytest.mark.parametrize("metric", ["accuracy", "ndcg", "mrr"])
def test_scores_are_those_of_a_loop(metric):
    similarities, ranks = retrieval(80)
    for threshold in (-1.0, 0.3, 0.5, similarities[3, 4], 0.6, 0.99):
        found = score_at_threshold(similarities, ranks, threshold, metric=metric)
        assert found == pytest.approx(loop_score(similarities, ranks, threshold, metric), abs=1e-12)


def test_pooled_percentiles_are_linear():
    one = threshold_percentile([[4.0, 1.0], [3.0, 2.0]], 50)
    assert (type(one), one) == (float, 2.5)
    assert threshold_percentile([[4.0, 1.0], [3.0, 2.0]], [0, 25, 100]).tolist() == [1.0, 1.75, 4.0]
    indices = np.zeros((2, 2), dtype=int)
    assert threshold_percentile(TopK(indices, np.array([[4.0, 1.0], [3.0, 2.0]])), 50) == 2.5


def test_gamma_is_the_percentile_of_the_least_similarity_in_samples():
    similarities, _ = retrieval(200)
    size, psi = 30, np.array([5.0, 25.0, 40.0, 75.0, 95.0])
    rng = np.random.default_rng(0)
    least = np.array([similarities[rng.integers(200, size=size)].min() for _ in range(20_000)])
    exact = threshold_percentile(similarities, psi, method="gamma", n_questions=size)
    # the samples' share below the exact percentile, and up to it, encloses ψ
    for percentage, limit in zip(psi, exact, strict=True):
        error = 4 * np.sqrt(percentage * (100 - percentage) / 20_000)
        assert 100 * np.mean(least < limit) <= percentage + error
        assert 100 * np.mean(least <= limit) >= percentage - error


def loop_losses(similarities, ranks, threshold, metric, hide):
    """Return the loss of each question, by hiding documents one question at a time."""
    losses = []
    for row, rank in zip(similarities, ranks, strict=True):
        score = {"accuracy": 1.0, "recall": 1.0, "ndcg": 1 / np.log2(1 + rank), "mrr": 1 / rank}[metric]
        decides = row[0] if hide == "lists" else row[min(rank, len(row)) - 1]
        losses.append(score if rank <= len(row) and decides < threshold else 0.0)
    return np.array(losses)


def next_threshold(similarities, ranks, limit, hide="documents"):
    """Return the lowest threshold that loses one more question than the given one."""
    found = ranks <= 10
    gold = similarities[found, 0 if hide == "lists" else ranks[found] - 1]
    return np.nextafter(gold[gold >= limit].min(), 1)


@pytest.mark.parametrize("hide", ["documents", "lists"])
def test_the_threshold_is_the_highest_that_the_exact_bound_accepts(hide):
    similarities, ranks = retrieval(800)
    found = similarity_threshold(similarities, ranks, margin=0.04, hide=hide)
    lost = loop_losses(similarities, ranks, found.threshold, "accuracy", hide).sum()
    above = next_threshold(similarities, ranks, found.threshold, hide)
    one_more = loop_losses(similarities, ranks, above, "accuracy", hide).sum()
    assert one_more > lost > 0
    assert (
        stats.beta.ppf(0.95, lost + 1, 800 - lost)
        <= 0.04
        < stats.beta.ppf(0.95, one_more + 1, 800 - one_more)
    )
    assert found.loss == pytest.approx(lost / 800)
    assert found.loss_bound == pytest.approx(stats.beta.ppf(0.95, lost + 1, 800 - lost))
    assert found.before == pytest.approx(np.mean(ranks <= 10))
    assert found.after == pytest.approx(found.before - found.loss)
    kept = [[s for s in row if (row[0] if hide == "lists" else s) >= found.threshold] for row in similarities]
    assert found.suppressed == pytest.approx(1 - sum(map(len, kept)) / 8000)
    assert found.mean_kept == pytest.approx(sum(map(len, kept)) / 800)
    assert found.n_empty == kept.count([])
    assert (found.k, found.n_questions, found.n_groups) == (10, 800, None)
    assert (found.rejected, found.rejected_low, found.n_out_of_scope) == (None, None, 0)


def naive_p_value(losses, margin):
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
def test_thresholds_are_those_of_mapie(margin, threshold):
    """MAPIE 1.6.0, ltt_procedure with binary risks and fwer_method="fixed_sequence", on all candidates."""
    rng = np.random.default_rng(0)
    ranks = rng.integers(1, 13, size=600)
    similarities = np.sort(rng.uniform(0.2, 0.9, size=(600, 10)))[:, ::-1]
    found = similarity_threshold(similarities, ranks, margin=margin).threshold
    assert found == pytest.approx(threshold, rel=1e-3)
    assert not ((found <= similarities) & (similarities < threshold)).any()


@pytest.mark.parametrize("metric", ["ndcg", "mrr", "recall"])
def test_losses_between_0_and_1_are_bounded_by_hoeffding_and_bentkus(metric):
    similarities, ranks = retrieval(700, seed=3)
    found = similarity_threshold(similarities, ranks, margin=0.06, metric=metric, confidence_level=0.9)
    losses, more = (
        loop_losses(similarities, ranks, limit, metric, "documents")
        for limit in (found.threshold, next_threshold(similarities, ranks, found.threshold))
    )
    assert found.loss == pytest.approx(losses.mean())
    assert naive_p_value(losses, 0.06) <= 0.1 < naive_p_value(more, 0.06)
    assert naive_p_value(losses, found.loss_bound) == pytest.approx(0.1, abs=1e-6)
    assert found.before == pytest.approx(question_scores(np.where(ranks <= 10, ranks, 99), metric).mean())


def test_several_relevant_documents_are_lost_one_by_one():
    rng = np.random.default_rng(5)
    questions, documents = rng.standard_normal((400, 4)), rng.standard_normal((30, 4))
    judgments = {q: {int(d): int(rng.integers(1, 4)) for d in rng.choice(30, 3, False)} for q in range(400)}
    ranks, best = relevant_ranks(questions, documents, judgments), top_k(questions, documents, 2)
    for metric in ("recall", "ndcg", "map", "accuracy"):
        found = similarity_threshold(best, ranks, margin=0.03, metric=metric)
        scores = []
        for numbers, row in zip(ranks.ranks, best.similarities, strict=True):
            shown = int((row >= found.threshold).sum())
            scores.append([rank if rank <= shown else 0 for rank in numbers])
        left = RelevantRanks(np.array(scores), ranks.grades, ranks.documents)
        assert found.after == pytest.approx(question_scores(left, metric, k=2).mean())
        at_threshold = score_at_threshold(best, ranks, found.threshold, metric=metric)
        assert at_threshold == pytest.approx(found.after)
        assert found.before == pytest.approx(question_scores(ranks, metric, k=2).mean())
        assert found.loss > 0


def test_groups_count_once_and_their_number_decides():
    similarities, ranks = retrieval(300)
    groups = np.repeat(np.arange(240), [61, *[1] * 239])
    found = similarity_threshold(similarities, ranks, margin=0.05, groups=groups)
    losses = loop_losses(similarities, ranks, found.threshold, "accuracy", "documents")
    means = [losses[groups == group].mean() for group in range(240)]
    assert found.loss == pytest.approx(np.mean(means))
    assert naive_p_value(means, 0.05) <= 0.05
    assert found.n_groups == 240
    assert found.before == pytest.approx(np.mean([(ranks[groups == g] <= 10).mean() for g in range(240)]))
    text = " ".join(str(found).split())
    assert "averaged over groups, if they are independent. On these (240 groups)" in text
    with pytest.raises(ValueError, match=r"10 groups.*at least 59 groups"):
        similarity_threshold(similarities, ranks, margin=0.05, groups=np.arange(300) % 10)


def test_out_of_scope_questions_choose_nothing_and_are_a_second_promise():
    similarities, ranks = retrieval(800)
    outside = -np.sort(-np.random.default_rng(1).uniform(0.2, 0.7, (90, 4)), axis=1)
    alone = similarity_threshold(similarities, ranks, margin=0.04)
    found = similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=outside)
    n_rejected = int((outside.max(axis=1) < alone.threshold).sum())
    assert found.threshold == alone.threshold
    assert found.rejected == n_rejected / 90
    assert found.rejected_low == pytest.approx(stats.beta.ppf(0.05, n_rejected, 91 - n_rejected))
    assert 0 < n_rejected < 90
    u = stats.mannwhitneyu(similarities[:, 0], outside.max(axis=1)).statistic
    assert found.auc == pytest.approx(u / (800 * 90), rel=1e-12)
    with pytest.raises(ValueError, match="out_of_scope increases along 90 of 90 rows"):
        similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=outside[:, ::-1])
    vector = similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=outside.max(axis=1))
    assert vector == found
    for value, fraction, low in ((0.0, 1, 0.05 ** (1 / 5)), (0.9, 0, 0)):
        five = similarity_threshold(similarities, ranks, margin=0.04, out_of_scope=[value] * 5)
        assert five.rejected == fraction
        assert five.rejected_low == pytest.approx(low, abs=1e-9)


def test_the_order_of_questions_and_the_scale_do_not_matter():
    similarities, ranks = retrieval(500)
    found = similarity_threshold(similarities, ranks, margin=0.05, metric="mrr")
    order = np.random.default_rng(2).permutation(500)
    moved = similarity_threshold(4 * similarities[order] - 1, ranks[order], margin=0.05, metric="mrr")
    assert moved.threshold == pytest.approx(4 * found.threshold - 1, abs=1e-3)
    assert (moved.loss, moved.loss_bound) == pytest.approx((found.loss, found.loss_bound))


@pytest.mark.parametrize("margin", [0.01, 0.02, 0.3])
def test_the_number_of_questions_named_by_the_error_is_enough_and_no_more(margin):
    needed = int(np.ceil(np.log(0.05) / np.log(1 - margin)))
    similarities, ranks = np.linspace(0.9, 0.1, needed)[:, None], np.ones(needed, dtype=int)
    for metric in ("accuracy", "mrr"):
        found = similarity_threshold(similarities, ranks, margin=margin, metric=metric)
        assert (found.threshold, found.loss) == (0.1, 0)
        with pytest.raises(ValueError, match=f"at least {needed} questions"):
            similarity_threshold(similarities[1:], ranks[1:], margin=margin, metric=metric)


@pytest.mark.parametrize("gap", [1e-2, 1e-5, 1e-9, 1e-14, 0.0])
@pytest.mark.parametrize("hide", ["documents", "lists"])
def test_the_threshold_is_as_short_as_hides_the_same_documents(gap, hide):
    """So what is printed, copied and used costs exactly what is printed beside it."""
    similarities, ranks = retrieval(800)
    plain = similarity_threshold(similarities, ranks, margin=0.04, hide=hide)
    limit = np.sort(similarities[similarities >= plain.threshold])[0]
    found = similarity_threshold(
        similarities, ranks, margin=0.04, hide=hide, out_of_scope=[limit - gap, 0.1, 0.9]
    )
    assert limit - gap < found.threshold <= limit or gap == 0.0
    assert gap != 1e-2 or found.threshold == pytest.approx(round(found.threshold, 4), abs=1e-12)
    assert found.rejected == (1 if gap == 0.0 else 2) / 3
    assert (found.loss, found.suppressed) == (plain.loss, plain.suppressed)
    said = " ".join(str(found).split())
    assert all(text in said for text in (f"below {found.threshold}.", "95%", "3 out-of-scope"))
    assert f"at most 0.04 of accuracy@10 ({0.04 / found.before:.1%} of its value here)" in said
    assert ("each document" in str(found)) == (hide == "documents")


def test_thresholds_have_four_digits_where_these_are_enough():
    for exact, printed in (
        (0.55129, 0.5512),
        (-0.55121, -0.5513),
        (0.0, 0.0),
        (12345.9, 12340.0),
        (0.1, 0.1),
    ):
        assert thresholds.rounded_down(exact, -np.inf) == printed <= exact
    assert thresholds.rounded_down(0.55129, 0.5512) == 0.55129


@pytest.mark.parametrize("gap", [1.0, 1e6])
def test_a_percentile_that_falls_on_a_similarity_is_that_similarity(gap):
    """Else rounding hides a document that the percentile itself is, or a document just below it is shown."""
    similarities = gap * np.arange(101.0)[::-1].reshape(1, -1) - 30 * gap
    percentages = np.arange(101)
    found = threshold_percentile(similarities, percentages)
    assert found.tolist() == (gap * percentages - 30 * gap).tolist()
    hidden = (np.asarray(similarities) < found[:, None]).mean(axis=1)
    assert hidden == pytest.approx(percentages / 101, abs=1e-9)
    between = threshold_percentile(similarities, [12.5, 99.75])
    np.testing.assert_allclose(between, [-17.5 * gap, 69.75 * gap], rtol=1e-14)


def test_the_closed_form_of_gamma_by_hand():
    similarities = np.array([[4.0], [1.0], [3.0], [2.0]])
    options = {"method": "gamma", "n_questions": 1}  # the least of one question: any with equal chance
    found = [threshold_percentile(similarities, psi, **options) for psi in (0, 25, 26, 50, 51, 100)]
    assert found == [1, 1, 2, 2, 3, 4]
    # Of two questions, both are above the least value with a probability of (3/4)².
    found = threshold_percentile(similarities, [43, 44, 75, 76], method="gamma", n_questions=2)
    assert found.tolist() == [1, 2, 2, 3]
