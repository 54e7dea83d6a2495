"""Tests of ranks, scores, intervals, and comparisons with several graded relevant documents."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab import retrieval as lab
from isotropy_lab._core import neighbors
from isotropy_lab.results import RelevantRanks
from isotropy_lab.retrieval.scores import interval_of_samples
from tests.isotropy_lab.retrieval.test_ranking import KINDS, random_embeddings, rounded_cosines
from tests.oracles import retrieval_scores

METRICS = ("accuracy", "recall", "ndcg", "ndcg-exponential", "mrr", "map")


def random_gold(n_questions, n_documents, seed, max_documents=4):
    """Return grades of one to `max_documents` documents of each question, and some of grade 0."""
    rng = np.random.default_rng(seed)
    return {
        question: {
            int(document): int(grade)
            for document, grade in zip(
                rng.permutation(n_documents)[: 2 + rng.integers(1, max_documents)],
                [1 + rng.integers(3), 0, *rng.integers(0, 4, max_documents)],
                strict=False,
            )
        }
        for question in range(n_questions)
    }


def sorted_documents(table, gold, ties):
    """Return the documents of every question in descending order, by definition."""
    for question, row in enumerate(table):
        relevant = {d for d, grade in gold[question].items() if grade > 0}
        later = relevant if ties == "worst" else set()
        yield sorted(range(len(row)), key=lambda d, row=row, later=later: (-row[d], d in later, d)), relevant


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ties", ["lower-index", "worst"])
def test_ranks_of_relevant_documents_agree_with_a_sorted_list(kind, ties, monkeypatch):
    questions, documents = random_embeddings(kind, 30, 90, 7)
    gold = random_gold(30, 90, 1) | {0: {0: 1, 5: 2}}
    expected = [
        sorted((1 + order.index(d), d, gold[i][d]) for d in relevant)
        for i, (order, relevant) in enumerate(
            sorted_documents(rounded_cosines(questions, documents), gold, ties)
        )
    ]
    for chunk in (13, 4096):
        monkeypatch.setattr(neighbors, "_TILE_COLUMNS", chunk)
        best = lab.answer_ranks(questions, documents, gold, ties=ties)
        assert best.dtype == np.int64
        assert best.tolist() == [row[0][0] for row in expected]
        if ties == "worst":
            continue
        result = lab.relevant_ranks(questions, documents, gold)
        assert [array.dtype for array in (result.ranks, result.grades, result.documents)] == [np.int64] * 3
        for i, row in enumerate(expected):
            rows = zip(result.ranks[i], result.documents[i], result.grades[i], strict=True)
            assert list(rows) == row + [(0, -1, 0)] * (result.ranks.shape[1] - len(row))
        assert result.best.tolist() == best.tolist()
        assert result.n_relevant.tolist() == [len(row) for row in expected]


def test_equivalent_forms_of_gold_give_equal_ranks():
    questions, documents = random_embeddings("many ties", 6, 20, 4)
    assert lab.relevant_ranks(questions[:1], documents, [[3, 7, 9]]).n_relevant.tolist() == [3]
    gold = np.array([[3, 7, -1], [0, -1, -1], [19, 2, -1], [5, -1, 6], [-1, 8, 9], [1, 0, 2]])
    expected = lab.relevant_ranks(questions, documents, gold)
    lists = [[d for d in row if d >= 0] for row in gold.tolist()]
    grades = {i: dict.fromkeys(row, 1) for i, row in enumerate(lists)}
    for form in (
        lists,
        dict(reversed(grades.items())),
        gold[:, ::-1],
        pd.DataFrame(gold),
        pd.Series(lists, index=list("fedcba")),
        [row[0] if len(row) == 1 else row for row in lists],
        {i: set(row) for i, row in enumerate(lists)},
    ):
        result = lab.relevant_ranks(questions, documents, form)
        assert result.to_dict() == expected.to_dict()
        assert (lab.answer_ranks(questions, documents, form) == expected.best).all()
    single = gold.max(axis=1)
    ranks = lab.answer_ranks(questions, documents, single)
    for form in (single[:, None], [[g] for g in single], {i: {g: 3} for i, g in enumerate(single)}):
        assert (lab.answer_ranks(questions, documents, form) == ranks).all()
        assert (lab.relevant_ranks(questions, documents, form).ranks == ranks[:, None]).all()
        assert (
            lab.pair_similarities(questions, documents, form)
            == lab.pair_similarities(questions, documents, single)
        ).all()


def test_missing_documents_and_grade_0_are_no_hits():
    ranks = lab.run_ranks({"q": {"a": 1.0}}, {"q": {"a": 1}, "r": {"b": 1}})
    assert lab.bootstrap_interval(ranks, rng=0).estimate == 0.5
    ranks = RelevantRanks(np.array([[1, 2]]), np.array([[0, 1]]), np.array([[5, 6]]))
    assert [lab.question_scores(ranks, "accuracy", k=k)[0] for k in (1, 2)] == [0, 1]
    assert repr(ranks) == "<RelevantRanks of 1 question: first for 0.0%, in the top 10 for 100.0%>"


@settings(deadline=None, max_examples=60)
@given(
    grades=st.lists(
        st.dictionaries(st.integers(0, 14), st.integers(-1, 4), min_size=1), min_size=1, max_size=4
    ),
    k=st.integers(1, 18) | st.none(),
    seed=st.integers(0, 99),
)
def test_scores_agree_with_their_definitions(grades, k, seed):
    grades = [{**row, 7: 2} for row in grades]
    rng = np.random.default_rng(seed)
    questions, documents = rng.standard_normal((len(grades), 3)), rng.standard_normal((15, 3))
    ranks = lab.relevant_ranks(questions, documents, dict(enumerate(grades)))
    listed = lab.top_k(questions, documents, 15).indices.tolist()
    for metric in METRICS if k else ("mrr", "map"):
        scores = lab.question_scores(ranks, metric, k=k)
        name, _, gain = metric.partition("-")
        expected = [
            retrieval_scores(row, g, k, gain or "linear")[name] for row, g in zip(listed, grades, strict=True)
        ]
        assert scores == pytest.approx(expected, abs=1e-12)
        assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()
        interval = lab.bootstrap_interval(ranks, metric=metric, k=k, n_resamples=40, rng=0)
        assert interval.estimate == pytest.approx(np.mean(expected), abs=1e-12)
    scaled = RelevantRanks(ranks.ranks, 3 * ranks.grades, ranks.documents)
    assert lab.question_scores(scaled, "ndcg", k=9) == pytest.approx(
        lab.question_scores(ranks, "ndcg", k=9), abs=1e-12
    )


def test_one_relevant_document_equals_plain_ranks():
    rng = np.random.default_rng(0)
    ranks = rng.geometric(0.1, size=300)
    graded = RelevantRanks(ranks[:, None], np.full((300, 1), 2), np.zeros((300, 1), dtype=np.int64))
    intervals = {}
    for metric in ("accuracy", "recall", "ndcg", "mrr", "map"):
        intervals[metric] = lab.bootstrap_interval(ranks, metric=metric, n_resamples=200, rng=3)
        assert lab.bootstrap_interval(graded, metric=metric, n_resamples=200, rng=3) == intervals[metric]
    assert intervals["recall"].low == intervals["accuracy"].low
    assert intervals["map"].high == intervals["mrr"].high
    assert lab.compare_models(graded, graded).pvalue == 1.0


@pytest.mark.parametrize("metric", ["accuracy", "ndcg"])
def test_intervals_of_groups_agree_with_scipy(metric):
    """Questions are alike within groups of unequal size."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(40), rng.integers(1, 12, 40))
    chance = np.where(rng.random(40) > 0.5, 0.9, 0.1)
    hits = rng.random(labels.size) < chance[labels]
    ranks = np.where(hits, rng.integers(1, 4, labels.size), 30)
    options = {"metric": metric, "k": 10, "n_resamples": 20_000, "rng": 0}
    interval = interval_of_samples(ranks, groups=labels, **options)
    scores = lab.question_scores(ranks, metric, k=10)
    sums, sizes = np.bincount(labels, weights=scores), np.bincount(labels).astype(float)
    reference = stats.bootstrap(
        (sums, sizes),
        lambda a, b, axis=-1: a.sum(axis) / b.sum(axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    limits = tuple(reference.confidence_interval)
    assert (interval.low, interval.high) == pytest.approx(limits, abs=0.04 * interval.width)
    assert interval.standard_error == pytest.approx(reference.standard_error, rel=0.03)
    assert (interval.n_groups, interval.n_questions, interval.method) == (40, ranks.size, "percentile")
    assert interval.estimate == pytest.approx(scores.mean())
    assert interval.width > 1.5 * interval_of_samples(ranks, **options).width


def test_groups_with_equal_scores_have_wilson_intervals():
    ranks = [1, 30] * 20
    result = lab.bootstrap_interval(ranks, groups=[i // 2 for i in range(40)], rng=0)
    bound = stats.binomtest(0, 20).proportion_ci(0.95, method="wilson").high
    assert (result.method, result.estimate, result.standard_error) == ("wilson", 0.5, 0.0)
    assert (result.low, result.high) == pytest.approx((0.5 - bound / 2, 0.5 + bound / 2))
    result = lab.compare_models(
        [1] * 40, [1, 30] * 20, groups=[i // 2 for i in range(40)], n_resamples=10_000
    )
    assert (result.method, result.estimate) == ("wilson", 0.5)
    assert result.pvalue == pytest.approx(2 * 0.5**20)
    assert result.low == pytest.approx(0.5 - 1.5 * bound)


@pytest.mark.parametrize("metric", METRICS)
def test_comparisons_use_all_relevant_documents(metric):
    gold = random_gold(80, 60, 8)
    rng = np.random.default_rng(9)
    documents = rng.standard_normal((60, 6))
    relevant = np.array([next(iter(gold[i])) for i in range(80)])
    a, b = (
        lab.relevant_ranks(documents[relevant] + noise * rng.standard_normal((80, 6)), documents, gold)
        for noise in (0.7, 1.5)
    )
    groups = np.arange(80) // 4
    for options in ({}, {"groups": groups}):
        result = lab.compare_models(a, b, metric=metric, k=5, n_resamples=4000, rng=0, **options)
        first, second = lab.question_scores(a, metric, k=5), lab.question_scores(b, metric, k=5)
        assert (result.first, result.second) == (first.mean(), second.mean())
        assert result.estimate == pytest.approx((first - second).mean(), abs=1e-12)
        assert (result.n_better, result.n_worse) == (
            (first > second + 1e-12).sum(),
            (first < second - 1e-12).sum(),
        )
        d, label = first - second, options.get("groups", np.arange(80))
        sums, sizes = np.bincount(label, weights=d), np.bincount(label)
        draws = np.random.default_rng(1)
        chosen = draws.integers(sums.size, size=(4000, sums.size))
        means = sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
        step = 1 / 80 if metric == "accuracy" else 0.0
        tolerance = step + 0.15 * means.std(ddof=1)
        assert (result.low, result.high) == pytest.approx(
            tuple(np.quantile(means, [0.025, 0.975])), abs=tolerance
        )
        swapped = lab.compare_models(b, a, metric=metric, k=5, n_resamples=4000, rng=0, **options)
        assert (result.estimate, result.low, result.high) == (-swapped.estimate, -swapped.high, -swapped.low)
        assert result.pvalue == swapped.pvalue
        assert result.n_groups == (20 if options else None)
        assert (result.method == "score") == (metric == "accuracy" and not options)
    reversed_ranks = RelevantRanks(a.ranks[:, ::-1], a.grades[:, ::-1], a.documents[:, ::-1])  # other sums
    assert (lab.question_scores(a, "ndcg", k=60) != lab.question_scores(reversed_ranks, "ndcg", k=60)).any()
    assert lab.compare_models(a, reversed_ranks, metric="ndcg", k=60, n_resamples=40).n_better == 0
    table = lab.compare_all_models({"a": a, "b": b}, metric=metric, k=5, groups=groups, rng=0)
    assert (table["estimate"].tolist(), table["n_groups"].tolist()) == ([result.estimate], [20])


def test_at_least_keeps_higher_grades():
    ranks = lab.relevant_ranks(
        [[1.0, 0.1], [0.1, 1.0]], [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]], {0: {0: 1, 1: 2, 2: 3}, 1: {0: 2}}
    )
    strict = ranks.at_least(2)
    assert strict.to_dict() == {
        "ranks": [[2, 3], [3, 0]],
        "grades": [[2, 3], [2, 0]],
        "documents": [[1, 2], [0, -1]],
        "questions": None,
    }
    assert ranks.at_least(1).to_dict() == ranks.to_dict()
    run = lab.run_ranks({"q": {"a": 1.0}}, {"q": {"a": 2, "b": 2}, "r": {"c": 2, "d": 1}}).at_least(2)
    assert (run.documents.tolist(), run.ranks.tolist()) == ([["a", "b"], ["c", ""]], [[1, 0], [0, 0]])


def test_compared_models_need_the_same_judgments():
    Q, D = random_embeddings("gaussian", 3, 8, 3)
    a = lab.relevant_ranks(Q, D, {0: {1: 1}, 1: {2: 1, 3: 2}, 2: {0: 1}})
    for gold in ({0: 1, 1: {2}, 2: [0]}, [{1}, {2}, {0}]):
        assert lab.answer_ranks(Q, D, gold).tolist() == lab.answer_ranks(Q, D, [1, 2, 0]).tolist()
    qrels = {"0": {"d1": 1}, "1": {"d2": 1, "d3": 2}, "2": {"d0": 1}}
    run = {question: {f"d{i}": float(i) for i in range(3)} for question in qrels}
    b = lab.run_ranks(run, qrels)
    # Positions and ids cannot be compared, but grades can.
    assert lab.compare_models(a, b).n_questions == 3
    assert lab.compare_models(b, lab.run_ranks({"1": {"d3": 0.5}}, qrels)).n_questions == 3
    parts = zip((a.ranks, a.grades, a.documents), (0, 0, -1), strict=True)
    wider = RelevantRanks(*(np.pad(array, ((0, 0), (0, 1)), constant_values=fill) for array, fill in parts))
    assert lab.compare_models(a, wider).estimate == lab.compare_models(wider, a).estimate == 0.0
    with pytest.raises(ValueError, match="question 2"):
        lab.compare_models(b, lab.run_ranks(run, {**qrels, "2": {"d": 1}}))


def test_grades_have_up_to_nine_digits():
    ranks = lab.relevant_ranks([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], {0: {1: 999_999_999}})
    assert ranks.grades.tolist() == [[999_999_999]]
    ranks = RelevantRanks(ranks.ranks, np.array([[50]]), ranks.documents)
    assert lab.question_scores(ranks, "ndcg-exponential") == pytest.approx(1 / np.log2(3))
