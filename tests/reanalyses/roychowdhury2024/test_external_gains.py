"""Tests of gains on Open vSwitch's questions against direct computations, and with better models."""

import numpy as np
import pytest

from isotropy_lab.retrieval import compare_models, question_scores
from reanalyses.roychowdhury2024.datasets.judgments import judged_open_vswitch
from reanalyses.roychowdhury2024.datasets.text_collections import open_vswitch
from reanalyses.roychowdhury2024.experiments.external_gains import count_changes, gains_on_open_vswitch
from reanalyses.roychowdhury2024.experiments.searches import searches


@pytest.fixture(scope="module")
def table():
    return gains_on_open_vswitch(["PT", "FT"], n_resamples=1000).set_index(["first", "metric"])


def test_the_judged_difference_is_that_of_the_searches(table):
    of = searches("open-vswitch")
    for name in ("PT", "FT"):
        for metric in ("accuracy", "ndcg"):
            pair = [of[one].found if metric == "ndcg" else of[one].answers for one in (name, "MiniLM")]
            found = compare_models(*pair, metric=metric, n_resamples=1000, rng=0)
            row = table.loc[(name, metric)]
            assert row[["difference", "low", "high"]].tolist() == pytest.approx(
                [100 * found.estimate, 100 * found.low, 100 * found.high]
            )
            by_file = [
                100 * np.subtract(*(question_scores(one, metric)[rows] for one in pair)).mean()
                for rows in files()
            ]
            assert min(by_file) <= row["file_low"] <= row["difference"] <= row["file_high"] <= max(by_file)


def files():
    asked = open_vswitch()[0]["file"].iloc[judged_open_vswitch()[2]].to_numpy()
    return [asked == name for name in np.unique(asked)]


def test_printed_paragraphs_are_a_gold_of_their_own(table):
    of = searches("open-vswitch")
    texts, _, asked = judged_open_vswitch()
    hits = {
        name: [min(of[name].ranks[row][list(texts.gold[place])]) <= 10 for row, place in enumerate(asked)]
        for name in ("FT", "MiniLM")
    }
    expected = 100 * (np.mean(hits["FT"]) - np.mean(hits["MiniLM"]))
    row = table.loc[("FT", "accuracy")]
    assert row["printed"] == pytest.approx(expected)
    assert row["printed_low"] <= expected <= row["printed_high"]


def test_missed_and_found_counts_questions():
    found = count_changes([1, 2, 30, 4, 50], [1, 20, 30, 40, 5])
    assert found.to_dict() == {"missed": 3, "found": 2, "lost": 1}
