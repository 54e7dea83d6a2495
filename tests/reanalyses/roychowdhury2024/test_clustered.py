"""Samples of whole groups of questions: what they are, and when they matter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reanalyses.roychowdhury2024.experiments.clustered import accuracy_by_group, clustered_intervals
from reanalyses.roychowdhury2024.experiments.precision import interval_methods

RNG = np.random.default_rng(0)
MODULES = np.repeat(np.arange(40), RNG.integers(1, 25, size=40))
LUCK = RNG.standard_normal(40)


def ranks_of(own, shared):
    """Ranks whose difficulty is a question's own, or shared by its group."""
    noise = np.random.default_rng(1).standard_normal(MODULES.size)
    return np.where(own * noise + shared * LUCK[MODULES] > -0.5, 3, 40)


def of(table, metric, drawn):
    return table[(table["metric"] == metric) & (table["drawn"] == drawn)].iloc[0]


def slow(ranks, groups, k, m, seed):
    """Groups drawn one by one, all their questions put side by side."""
    rng = np.random.default_rng(seed)
    names = np.unique(groups)
    means = []
    for _ in range(m):
        drawn = [ranks[groups == name] for name in rng.choice(names, size=names.size)]
        means.append((np.concatenate(drawn) <= k).mean())
    return np.array(means)


def test_groups_are_drawn_as_wholes():
    ranks = ranks_of(1.0, 1.0)
    found = of(clustered_intervals(ranks, MODULES), "accuracy", "groups")
    means = slow(ranks, MODULES, 10, 4000, seed=2)
    assert (found["low"], found["high"]) == pytest.approx(np.percentile(means, [2.5, 97.5]), abs=0.012)
    spread = (ranks <= 10).std()
    assert found["worth"] == pytest.approx((spread / means.std()) ** 2, rel=0.08)
    assert found["n_drawn"] == 40


def test_groups_that_share_their_difficulty_are_worth_fewer_questions():
    table = clustered_intervals(ranks_of(0.5, 2.0), MODULES)
    for metric in ("accuracy", "ndcg", "mrr"):
        single, whole = of(table, metric, "questions"), of(table, metric, "groups")
        assert whole["width"] > 1.8 * single["width"]
        assert whole["worth"] < 0.3 * MODULES.size
        assert single["worth"] == pytest.approx(MODULES.size, rel=0.05)


def test_groups_at_random_make_no_difference():
    labels = np.random.default_rng(3).permutation(MODULES)
    table = clustered_intervals(ranks_of(1.0, 0.0), labels)
    assert of(table, "accuracy", "groups")["width"] == pytest.approx(
        of(table, "accuracy", "questions")["width"], rel=0.25
    )


def test_groups_of_one_question_are_questions():
    ranks = np.where(np.arange(200) < 150, 2, 30)
    table = clustered_intervals(ranks, [f"q{i}" for i in range(200)], n_resamples=20_000)
    single, whole = of(table, "accuracy", "questions"), of(table, "accuracy", "groups")
    assert whole["width"] == pytest.approx(single["width"], rel=0.05)
    assert whole["worth"] == pytest.approx(200, rel=0.05)


def test_estimates_are_those_of_all_questions_and_seeds_repeat():
    ranks = ranks_of(1.0, 1.0)
    table = clustered_intervals(ranks, MODULES, n_resamples=100, rng=4)
    assert of(table, "accuracy", "groups")["estimate"] == (ranks <= 10).mean()
    assert of(table, "mrr", "questions")["estimate"] == pytest.approx((1 / ranks).mean())
    pd.testing.assert_frame_equal(table, clustered_intervals(ranks, MODULES, n_resamples=100, rng=4))


def test_accuracy_by_group_counts_hits():
    ranks = ranks_of(1.0, 1.0)
    table = accuracy_by_group(ranks, MODULES, n_least=10)
    for row in table.itertuples():
        mine = ranks[row.group == MODULES]
        assert (row.n, row.accuracy) == (mine.size, pytest.approx((mine <= 10).mean()))
    assert table["accuracy"].is_monotonic_increasing
    assert len(table) == (np.bincount(MODULES) >= 10).sum()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 20, 3], ["a", "a", "a"]), {}, "groups puts all 3 questions into one group"),
        (([1, 20, 3], ["a", "b"]), {}, "groups has 2 labels"),
        (([1, 1, 1], ["a", "b", "c"]), {}, "ranks have the same accuracy for all 3 questions"),
        (([1, 20, 1], ["a", "b", "c"]), {"n_resamples": 10}, "n_resamples is 10"),
        (([1, 20, 1], ["a", "b", "c"]), {"k": 0}, "k is 0"),
        (([1, 20, 1], ["a", "b", "c"]), {"confidence_level": 95}, "confidence_level is 95"),
    ],
)
def test_bad_input_is_refused_in_words(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        clustered_intervals(*arguments, **options)


def test_no_group_is_large_enough():
    with pytest.raises(ValueError, match="n_least is 3"):
        accuracy_by_group([1, 2, 3], ["a", "a", "b"], n_least=3)


def test_groups_that_are_all_alike_are_worth_any_number_of_questions():
    table = clustered_intervals([1, 50] * 20, np.repeat(np.arange(20), 2), n_resamples=100)
    accuracy = of(table, "accuracy", "groups")
    assert (accuracy["estimate"], accuracy["worth"]) == (0.5, np.inf)
    assert (table.loc[table["drawn"] == "groups", "worth"] == np.inf).all()
    assert np.isfinite(table.loc[table["drawn"] == "questions", "worth"]).all()


def test_metrics_that_do_not_vary_are_refused_in_words():
    with pytest.raises(
        ValueError,
        match="ranks have the same accuracy for all 40 questions; expected some hits and some misses",
    ):
        clustered_intervals([1, 2] * 20, np.repeat(np.arange(20), 2), n_resamples=100)


def test_single_questions_have_the_interval_of_every_other_table():
    ranks = np.random.default_rng(0).integers(1, 30, size=300)
    table = clustered_intervals(ranks, np.arange(300) // 10, rng=0).query("drawn == 'questions'")
    methods = interval_methods(ranks).query("method == 'percentile'").set_index("metric")
    for row in table.itertuples():
        assert (row.low, row.high) == (methods["low"][row.metric], methods["high"][row.metric])
