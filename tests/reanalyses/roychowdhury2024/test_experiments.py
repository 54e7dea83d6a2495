"""Tests that the tables of the pages agree with the measures, and of the analysis of printed numbers."""

import math

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.isotropy import isoscore, partition_score_second_order
from isotropy_lab.retrieval import LinearAdapter, answer_ranks, cross_fitted, folds
from isotropy_lab.retrieval.scores import interval_of_samples
from reanalyses.roychowdhury2024 import experiments
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, N_QUESTIONS, some_variants

VARIANTS = some_variants()
BY_NAME = {variant.name: variant for variant in VARIANTS}
RANKS = experiments.ranks_of(VARIANTS, GOLD)
FIRST = RANKS["plain 2"]


def cosines(questions, documents):
    left = questions / np.linalg.norm(questions, axis=1, keepdims=True)
    return left @ (documents / np.linalg.norm(documents, axis=1, keepdims=True)).T


def test_ranks_of_cross_fitted_variants_use_the_documents_of_the_right_model():
    for variant in VARIANTS:
        for question in range(N_QUESTIONS):
            row = cosines(variant.questions[[question]], variant.documents_of(variant.folds[question]))[0]
            assert RANKS[variant.name][question] == 1 + (row > row[GOLD[question]]).sum()


@pytest.mark.parametrize("name", ["plain 3", "three models"])
def test_samples_are_those_of_a_loop(name):
    variant = BY_NAME[name]
    found = experiments.samples_of(variant, GOLD, k=4)
    drawn = np.random.default_rng(0).integers(0, 150, size=N_QUESTIONS)
    for question in range(N_QUESTIONS):
        row = cosines(variant.questions[[question]], variant.documents_of(variant.folds[question]))[0]
        assert found.S_corr[question] == pytest.approx(row[GOLD[question]])
        assert found.S_rand[question] == pytest.approx(row[drawn[question]])
        np.testing.assert_allclose(found.S_topK[question], np.sort(row)[::-1][:4], atol=1e-11)
        assert found.hit_ranks[question] == min(RANKS[name][question], 5)


def test_linear_adapter_sees_neither_question_nor_answer():
    base = BY_NAME["plain 2"]
    fold = folds(GOLD, n_folds=3)
    adapted = experiments.linear_variant(base, GOLD, fold)
    changed = base.questions.copy()
    mine = fold == 1
    changed[mine] = np.random.default_rng(0).standard_normal(changed[mine].shape)
    other = EmbeddingVariant("x", "x", changed, base.documents, base.folds)
    again = experiments.linear_variant(other, GOLD, fold)
    # What fold 1 asks is not seen by its own model: that map is the same, and so are questions that are the same.
    both = np.linalg.lstsq(base.questions[mine], adapted.questions[mine], rcond=None)[0]
    assert both.shape == (12, 12)
    assert not np.allclose(again.questions[~mine], adapted.questions[~mine])
    np.testing.assert_array_equal(adapted.documents[0], base.documents[0])


def test_centered_documents_have_the_mean_of_unit_rows_taken_off():
    base = BY_NAME["plain 2"]
    moved = experiments.center_variant(base)
    unit = base.documents[0] / np.linalg.norm(base.documents[0], axis=1, keepdims=True)
    expected = unit - unit.mean(axis=0)
    np.testing.assert_allclose(moved.documents[0], expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert moved.agnostic is not None


def test_wilson_in_the_table_of_methods_is_statsmodels():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    table = experiments.interval_methods(FIRST, n_resamples=200)
    row = table[table["method"] == "wilson"].iloc[0]
    expected = proportion.proportion_confint((FIRST <= 10).sum(), FIRST.size, method="wilson")
    assert (row["low"], row["high"]) == pytest.approx(expected)
    assert set(table["metric"]) == {"accuracy", "ndcg", "mrr"}


def test_draws_are_those_of_resampled_questions():
    draws = experiments.bootstrap_draws(FIRST, n_resamples=4000)
    hits = FIRST <= 10
    rng = np.random.default_rng(1)
    naive = rng.choice(hits, size=(4000, hits.size)).mean(axis=1)
    assert stats.ks_2samp(draws, naive).pvalue > 0.001
    assert draws.mean() == pytest.approx(hits.mean(), abs=0.01)
    for options in ({"n_questions": 100, "n_resamples": 100}, {"n_resamples": 400}):
        found = interval_of_samples(FIRST, metric="accuracy", k=10, rng=0, **options)
        ends = np.quantile(experiments.bootstrap_draws(FIRST, **options), [0.025, 0.975])
        np.testing.assert_allclose(ends, [found.low, found.high])


def test_copies_of_documents_multiply_ranks():
    table = experiments.duplicated_documents(BY_NAME["plain 2"], GOLD, copies=(0, 2)).set_index(
        ["copies", "ties"]
    )
    lower, worst = table.loc[(2, "lower-index")], table.loc[(2, "worst")]
    assert lower["mean_rank"] == pytest.approx(3 * (FIRST.mean() - 1) + 1)
    assert worst["mean_rank"] == pytest.approx(lower["mean_rank"] + 2)
    assert worst["accuracy_1"] == 0
    assert table.loc[(0, "worst"), "accuracy_1"] == table.loc[(2, "lower-index"), "accuracy_1"]


def test_rows_of_mean_zero_keep_the_bound_of_i_a():
    """Made-up rows under all three transformations, and the case in which the bound is attained."""
    table = experiments.printed_isotropy_bounds().set_index(["model", "transform"])
    assert table.loc[("bge_large", "Standardized"), "least_i_a"] == pytest.approx(23.82, abs=0.005)
    np.testing.assert_allclose(table.xs("PCA", level="transform")["least_i_a"], 200 / 3)
    assert (table["i_a"] < table["least_i_a"]).all()

    rng = np.random.default_rng(0)
    for spread in (0.1, 1.0, 5.0):
        rows = rng.standard_normal((400, 6)) * np.array([spread, 1, 1, 1, 1, 1]) @ rng.standard_normal((6, 6))
        rows += rng.standard_normal(6)
        standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
        used = 1 + 5 * isoscore(standard)
        largest = 1 + math.sqrt(5 * (6 / used - 1))
        assert partition_score_second_order(standard) >= 1 / (1 + largest / 2) - 1e-12
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        assert partition_score_second_order(unit - unit.mean(axis=0)) >= 2 / 3


def test_training_on_the_test_questions_flatters():
    rng = np.random.default_rng(3)
    documents = rng.standard_normal((200, 10))
    places = np.arange(50)
    questions = documents[:50] + 1.5 * rng.standard_normal((50, 10))
    base = EmbeddingVariant("made up", "x", questions, (documents,), np.zeros(50, dtype=np.int64))
    modules = np.repeat(list("abcdefghij"), 5)
    adapter = LinearAdapter(strength=0.01)
    others = experiments.linear_variant(base, places, folds(places), adapter=adapter)
    table = experiments.cross_fitting_table(base, places, modules, other_questions=others, adapter=adapter)
    table = table.set_index("trained_on")
    assert table.loc["nothing", "accuracy"] == pytest.approx(100 * (base.ranks(places) <= 10).mean())
    assert table.loc["nothing", ["difference", "low", "high"]].isna().all()
    unseen = table.loc[["other questions", "other modules"]]
    assert table.loc["the same questions", "accuracy"] > unseen["accuracy"].max() + 20
    by_hand = cross_fitted(questions, documents, places, folds(modules), adapter=adapter)
    ranks = answer_ranks(by_hand, documents, places)
    assert table.loc["other modules", "accuracy_1"] == pytest.approx(100 * (ranks == 1).mean())
    gains = table["accuracy"] - table.loc["nothing", "accuracy"]
    np.testing.assert_allclose(table["difference"].iloc[1:], gains.iloc[1:])
