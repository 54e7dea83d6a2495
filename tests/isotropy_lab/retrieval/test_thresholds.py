import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import ndcg_score

from isotropy_lab.results import TopK
from isotropy_lab.retrieval import (
    answer_ranks,
    score_at_threshold,
    similarity_threshold,
    threshold_percentile,
    thresholds,
    top_k,
)


def retrieval(n_questions=300, k=10, seed=0):
    """Ranks and similarities in which a lower similarity of the right document goes with a higher rank."""
    rng = np.random.default_rng(seed)
    ranks = rng.geometric(0.12, size=n_questions)
    top = np.sort(
        0.5 + 0.12 * rng.standard_normal((n_questions, 1)) + 0.1 * rng.uniform(size=(n_questions, k)), axis=1
    )
    return top[:, ::-1], ranks


def loop_score(similarities, ranks, threshold, metric):
    """Hide documents one question at a time and look for the right one among what is left."""
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


def test_ndcg_of_hidden_documents_is_scikit_learns():
    """Hidden documents are put behind all others; a hidden right one has no gain."""
    rng = np.random.default_rng(1)
    questions, documents = rng.standard_normal((60, 8)), rng.standard_normal((40, 8))
    gold = rng.integers(40, size=60)
    documents[gold] += questions
    best, ranks = top_k(questions, documents, 10), answer_ranks(questions, documents, gold)
    table = (questions / np.linalg.norm(questions, axis=1)[:, None]) @ (
        documents / np.linalg.norm(documents, axis=1)[:, None]
    ).T
    relevant = np.eye(40)[gold]
    for threshold in (-1.0, 0.5, 0.7):
        shown = np.where(table >= threshold, table, -2.0)
        with_answer = np.where(table >= threshold, relevant, 0.0)
        expected = np.mean(
            [
                ndcg_score(w[None], s[None], k=10) if w.any() else 0.0
                for w, s in zip(with_answer, shown, strict=True)
            ]
        )
        assert score_at_threshold(best, ranks, threshold, metric="ndcg") == pytest.approx(expected, abs=1e-9)
    everything = score_at_threshold(best, ranks, -1.0)
    assert everything == np.mean(ranks <= 10)


def test_pooled_percentiles_are_linear():
    assert threshold_percentile([[4.0, 1.0], [3.0, 2.0]], 50) == 2.5
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
    drawn = threshold_percentile(
        similarities, psi, method="gamma", n_questions=size, n_resamples=20_000, rng=1
    )
    below = np.array([100 * np.mean(least < limit) for limit in drawn])
    up_to = np.array([100 * np.mean(least <= limit) for limit in drawn])
    assert (below <= psi + 3).all()
    assert (up_to >= psi - 3).all()


def test_the_threshold_is_the_highest_that_passes():
    similarities, ranks = retrieval(800)
    order = np.random.default_rng(0).permutation(800)
    half, others = order[:400], order[400:]
    found = similarity_threshold(similarities, ranks, margin=0.04, rng=0)
    limits = threshold_percentile(similarities[half], np.arange(101))
    assert found.threshold == limits[int(found.psi)]
    after = np.array([score_at_threshold(similarities[half], ranks[half], limit) for limit in limits])
    before = np.mean(ranks[half] <= 10)
    # exact binomial bounds of the loss at the threshold and at the next percentages
    lost = np.rint((before - after) * 400).astype(int)
    exact = stats.beta.ppf(0.95, lost + 1, 400 - lost)
    passes = np.flatnonzero(exact <= 0.04)
    assert abs(found.psi - passes.max()) <= 2
    assert found.calibration_bound <= 0.04
    assert found.calibration_loss == pytest.approx(before - after[int(found.psi)])
    assert found.before == np.mean(ranks[others] <= 10)
    assert found.after == pytest.approx(
        score_at_threshold(similarities[others], ranks[others], found.threshold)
    )
    assert found.loss == pytest.approx(found.before - found.after)
    kept = [sum(s >= found.threshold for s in row) for row in similarities[others].tolist()]
    assert found.suppressed == pytest.approx(1 - sum(kept) / 4000)
    assert found.mean_kept == pytest.approx(np.mean(kept))
    assert found.n_empty == kept.count(0)
    assert found.holds == (found.loss_bound <= 0.04)
    assert (found.n_calibration, found.n_report) == (400, 400)
    assert 0 < found.psi < 50


@pytest.mark.parametrize("metric", ["accuracy", "ndcg"])
def test_bounds_are_those_of_a_loop_over_questions(metric):
    similarities, ranks = retrieval(500, seed=3)
    half = np.random.default_rng(0).permutation(500)[:250]
    found = similarity_threshold(similarities, ranks, margin=0.06, metric=metric, bound="percentile", rng=0)
    scores = np.where(ranks <= 10, 1.0 if metric == "accuracy" else 1 / np.log2(1 + ranks), 0.0)[half]
    gold = np.array(
        [s[r - 1] if r <= 10 else -np.inf for s, r in zip(similarities[half], ranks[half], strict=True)]
    )
    loss = np.where(gold < found.threshold, scores, 0.0)
    rng = np.random.default_rng(1)
    means = [loss[rng.integers(250, size=250)].mean() for _ in range(4000)]
    assert found.calibration_bound == pytest.approx(np.quantile(means, 0.95), abs=0.003)
    assert found.calibration_loss == pytest.approx(loss.mean())


@pytest.mark.rest
def test_the_chosen_threshold_costs_more_than_the_margin_in_few_worlds():
    """The error of the whole procedure: 200 calibrations, judged by the loss among 60,000 questions."""
    similarities, ranks = retrieval(60_000, k=3, seed=8)
    too_much = {"bca": 0, "percentile": 0}
    rng = np.random.default_rng(0)
    hit = ranks <= 3
    gold = np.sort(similarities[hit, ranks[hit] - 1])
    for _ in range(200):
        part = rng.integers(60_000, size=500)
        for bound in too_much:
            found = similarity_threshold(
                similarities[part], ranks[part], margin=0.02, n_resamples=500, bound=bound, rng=rng
            )
            too_much[bound] += np.searchsorted(gold, found.threshold) > 0.02 * len(ranks)
    assert too_much["bca"] <= 19  # Binomial(200, .05) is at most 19 with probability .998
    assert too_much["percentile"] > too_much["bca"]  # plain percentiles are too low where losses are rare


def test_random_halves_come_from_the_seed():
    similarities, ranks = retrieval(301)
    one = similarity_threshold(similarities, ranks, margin=0.05, rng=3)
    assert one == similarity_threshold(similarities, ranks, margin=0.05, rng=3)
    assert (one.n_calibration, one.n_report) == (150, 151)


def test_the_number_of_questions_named_by_the_error_is_enough_and_no_more():
    similarities, ranks = retrieval(600)
    found = similarity_threshold(similarities[:536], ranks[:536], margin=0.01, rng=0)
    assert found.calibration_loss == 0
    with pytest.raises(ValueError, match="268"):
        similarity_threshold(similarities[:535], ranks[:535], margin=0.01, rng=0)


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


def test_a_document_at_the_threshold_is_kept_and_the_odd_question_reports():
    assert score_at_threshold([[0.5], [0.4]], [1, 1], 0.5) == 0.5
    chosen, others = thresholds._halves(5, np.random.default_rng(0))
    assert (chosen.size, others.size, sorted([*chosen, *others])) == (2, 3, [0, 1, 2, 3, 4])
    gold, scores, limits = np.array([0.5, 0.4]), np.ones(2), np.array([0.4, 0.45, 0.5, 0.6])
    losses, _ = thresholds._bounded_losses(gold, scores, limits, 40, "percentile", np.random.default_rng(0))
    assert losses.tolist() == [0, 0.5, 0.5, 1]
