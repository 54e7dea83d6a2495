"""Tests of gains on the Open vSwitch questions against direct computations."""

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


def test_judged_differences_equal_model_comparisons(table):
    runs = searches("open-vswitch")
    file_of_question = open_vswitch()[0]["file"].iloc[judged_open_vswitch()[2]].to_numpy()
    rows_by_file = [file_of_question == name for name in np.unique(file_of_question)]
    for name in ("PT", "FT"):
        for metric in ("accuracy", "ndcg"):
            outcomes = [runs[m].found if metric == "ndcg" else runs[m].answers for m in (name, "MiniLM")]
            comparison = compare_models(*outcomes, metric=metric, n_resamples=1000, rng=0)
            row = table.loc[(name, metric)]
            assert row[["difference", "low", "high"]].tolist() == pytest.approx(
                [100 * comparison.estimate, 100 * comparison.low, 100 * comparison.high]
            )
            by_file = [
                100 * np.subtract(*(question_scores(outcome, metric)[rows] for outcome in outcomes)).mean()
                for rows in rows_by_file
            ]
            assert min(by_file) <= row["file_low"] <= row["difference"] <= row["file_high"] <= max(by_file)


def test_published_paragraphs_give_their_own_accuracy(table):
    runs = searches("open-vswitch")
    texts, _, asked = judged_open_vswitch()
    hits = {
        name: [min(runs[name].ranks[row][list(texts.gold[q])]) <= 10 for row, q in enumerate(asked)]
        for name in ("FT", "MiniLM")
    }
    expected = 100 * (np.mean(hits["FT"]) - np.mean(hits["MiniLM"]))
    row = table.loc[("FT", "accuracy")]
    assert row["printed"] == pytest.approx(expected)
    assert row["printed_low"] <= expected <= row["printed_high"]


def test_changes_are_counted():
    counts = count_changes([1, 2, 30, 4, 50], [1, 20, 30, 40, 5])
    assert counts.to_dict() == {"missed": 3, "found": 2, "lost": 1}
