"""Tests of the tables on the pages against direct computations, and of bounds on published numbers."""

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics.pairwise import cosine_similarity as cosines

from isotropy_lab.isotropy import isoscore, partition_score_second_order
from isotropy_lab.retrieval import LinearAdapter, answer_ranks, cross_fitted, folds
from isotropy_lab.retrieval.scores import interval_of_samples
from reanalyses.roychowdhury2024 import experiments
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, N_QUESTIONS, some_variants

VARIANTS = some_variants()
BY_NAME = {variant.name: variant for variant in VARIANTS}
RANKS = experiments.ranks_of(VARIANTS, GOLD)
PLAIN_RANKS = RANKS["plain 2"]


def test_ranks_use_the_documents_of_each_fold():
    for variant in VARIANTS:
        for question in range(N_QUESTIONS):
            row = cosines(variant.questions[[question]], variant.documents_of(variant.folds[question]))[0]
            assert RANKS[variant.name][question] == 1 + (row > row[GOLD[question]]).sum()


@pytest.mark.parametrize("name", ["plain 3", "three models"])
def test_samples_equal_a_loop(name):
    variant = BY_NAME[name]
    samples = experiments.samples_of(variant, GOLD, k=4)
    drawn = np.random.default_rng(0).integers(0, 150, size=N_QUESTIONS)
    for question in range(N_QUESTIONS):
        row = cosines(variant.questions[[question]], variant.documents_of(variant.folds[question]))[0]
        assert samples.S_corr[question] == pytest.approx(row[GOLD[question]])
        assert samples.S_rand[question] == pytest.approx(row[drawn[question]])
        np.testing.assert_allclose(samples.S_topK[question], np.sort(row)[::-1][:4], atol=1e-11)
        assert samples.hit_ranks[question] == min(RANKS[name][question], 5)


def test_linear_adapter_is_fitted_on_other_folds():
    base = BY_NAME["plain 2"]
    fold = folds(GOLD, n_folds=3)
    adapted = experiments.linear_variant(base, GOLD, fold)
    questions = base.questions.copy()
    first, *others = np.flatnonzero(fold == 1)
    questions[first] *= -1
    changed_base = EmbeddingVariant("x", "x", questions, base.documents, base.folds)
    changed = experiments.linear_variant(changed_base, GOLD, fold)
    # The model of fold 1 is not fitted on its own questions, so it maps the others as before.
    np.testing.assert_array_equal(changed.questions[others], adapted.questions[others])
    assert not np.allclose(changed.questions[fold != 1], adapted.questions[fold != 1])
    np.testing.assert_array_equal(adapted.documents[0], base.documents[0])


def test_centering_subtracts_the_mean_of_unit_rows():
    base = BY_NAME["plain 2"]
    centered = experiments.center_variant(base)
    unit = base.documents[0] / np.linalg.norm(base.documents[0], axis=1, keepdims=True)
    rows = unit - unit.mean(axis=0)
    np.testing.assert_allclose(centered.documents[0], rows / np.linalg.norm(rows, axis=1, keepdims=True))
    assert centered.agnostic is not None


def test_wilson_interval_equals_statsmodels():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    table = experiments.interval_methods(PLAIN_RANKS, n_resamples=200)
    row = table[table["method"] == "wilson"].iloc[0]
    expected = proportion.proportion_confint((PLAIN_RANKS <= 10).sum(), PLAIN_RANKS.size, method="wilson")
    assert (row["low"], row["high"]) == pytest.approx(expected)
    assert set(table["metric"]) == {"accuracy", "ndcg", "mrr"}


def test_bootstrap_draws_equal_resampled_questions():
    draws = experiments.bootstrap_draws(PLAIN_RANKS, n_resamples=4000)
    hits = PLAIN_RANKS <= 10
    rng = np.random.default_rng(1)
    expected = rng.choice(hits, size=(4000, hits.size)).mean(axis=1)
    assert stats.ks_2samp(draws, expected).pvalue > 0.001
    assert draws.mean() == pytest.approx(hits.mean(), abs=0.01)
    for options in ({"n_questions": 100, "n_resamples": 100}, {"n_resamples": 400}):
        interval = interval_of_samples(PLAIN_RANKS, metric="accuracy", k=10, rng=0, **options)
        ends = np.quantile(experiments.bootstrap_draws(PLAIN_RANKS, **options), [0.025, 0.975])
        np.testing.assert_allclose(ends, [interval.low, interval.high])


def test_duplicated_documents_multiply_ranks():
    table = experiments.duplicated_documents(BY_NAME["plain 2"], GOLD, copies=(0, 2)).set_index(
        ["copies", "ties"]
    )
    lower, worst = table.loc[(2, "lower-index")], table.loc[(2, "worst")]
    assert lower["mean_rank"] == pytest.approx(3 * (PLAIN_RANKS.mean() - 1) + 1)
    assert worst["mean_rank"] == pytest.approx(lower["mean_rank"] + 2)
    assert worst["accuracy_1"] == 0
    assert table.loc[(0, "worst"), "accuracy_1"] == table.loc[(2, "lower-index"), "accuracy_1"]


def test_centered_rows_satisfy_the_bound_of_i_a():
    """The published values violate the bound; random rows satisfy it under standardization and centering."""
    table = experiments.printed_isotropy_bounds().set_index(["model", "transform"])
    assert table.loc[("bge_large", "Standardized"), "least_i_a"] == pytest.approx(23.82, abs=0.005)
    np.testing.assert_allclose(table.xs("PCA", level="transform")["least_i_a"], 200 / 3)
    assert (table["i_a"] < table["least_i_a"]).all()

    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0, 5.0):
        rows = rng.standard_normal((400, 6)) * np.array([scale, 1, 1, 1, 1, 1]) @ rng.standard_normal((6, 6))
        rows += rng.standard_normal(6)
        standard = (rows - rows.mean(axis=0)) / rows.std(axis=0)
        effective_dimension = 1 + 5 * isoscore(standard)
        largest = 1 + math.sqrt(5 * (6 / effective_dimension - 1))
        assert partition_score_second_order(standard) >= 1 / (1 + largest / 2) - 1e-12
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        assert partition_score_second_order(unit - unit.mean(axis=0)) >= 2 / 3


def test_training_on_test_questions_inflates_accuracy():
    rng = np.random.default_rng(3)
    documents = rng.standard_normal((200, 10))
    answers = np.arange(50)
    questions = documents[:50] + 1.5 * rng.standard_normal((50, 10))
    base = EmbeddingVariant("made up", "x", questions, (documents,), np.zeros(50, dtype=np.int64))
    modules = np.repeat(list("abcdefghij"), 5)
    adapter = LinearAdapter(strength=0.01)
    others = experiments.linear_variant(base, answers, folds(answers), adapter=adapter)
    table = experiments.cross_fitting_table(base, answers, modules, other_questions=others, adapter=adapter)
    table = table.set_index("trained_on")
    assert table.loc["nothing", "accuracy"] == pytest.approx(100 * (base.ranks(answers) <= 10).mean())
    assert table.loc["nothing", ["difference", "low", "high"]].isna().all()
    unseen = table.loc[["other questions", "other modules"]]
    assert table.loc["the same questions", "accuracy"] > unseen["accuracy"].max() + 20
    adapted = cross_fitted(questions, documents, answers, folds(modules), adapter=adapter)
    ranks = answer_ranks(adapted, documents, answers)
    assert table.loc["other modules", "accuracy_1"] == pytest.approx(100 * (ranks == 1).mean())
    gains = table["accuracy"] - table.loc["nothing", "accuracy"]
    np.testing.assert_allclose(table["difference"].iloc[1:], gains.iloc[1:])
