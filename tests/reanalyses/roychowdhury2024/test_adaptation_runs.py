"""Tests of the record of every adaptation run, and of the script that computes it."""

import sys

import numpy as np
import pytest

from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings
from reanalyses.roychowdhury2024.datasets.adapted_runs import AdaptedRun, adapted_runs
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.experiments.adaptation_runs import adaptation_runs, loss_on_new_modules
from tests.conftest import script_module

runs_module = sys.modules[loss_on_new_modules.__module__]
N, D, Q = 60, 8, 30


@pytest.fixture(scope="module")
def script():
    return script_module("pack_adapted_embeddings")


def unit(x):
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def run():
    """Return two folds of documents, thirty of them with questions, and models that transform them."""
    rng = np.random.default_rng(0)
    base = unit(rng.standard_normal((Q, D))), unit(rng.standard_normal((N, D)))
    gold, folds = np.arange(Q), np.arange(N) % 2
    parts = [
        {
            "mine": np.flatnonzero(folds[gold] == fold),
            "questions": unit(base[0] + 0.3 * rng.standard_normal((Q, D)))[folds[gold] == fold],
            "documents": unit(base[1] + 0.3 * rng.standard_normal((N, D))),
        }
        for fold in range(2)
    ]
    return base, gold, folds, parts


def test_ranks_are_by_the_model_of_the_fold(script, run):
    _, gold, _, parts = run
    ranks = script.cross_fitted_ranks(parts, gold)
    lowered = [np.zeros(N), np.zeros(N)]
    np.testing.assert_array_equal(ranks, script.cross_fitted_ranks(parts, gold, lowered))
    for part in parts:
        cosines = part["questions"] @ part["documents"].T
        for row, question in enumerate(part["mine"]):
            assert ranks[question] == 1 + (cosines[row] > cosines[row, gold[question]]).sum()


def test_the_advantage_is_that_of_sentences_that_others_ask_for(script, run):
    base, gold, folds, parts = run
    found, errors = script.asked_advantage(parts, base, folds, gold)
    for fold, part in enumerate(parts):
        gains = {True: [], False: []}
        for document in np.flatnonzero(folds == fold):
            each = [
                part["questions"][row] @ part["documents"][document] - base[0][question] @ base[1][document]
                for row, question in enumerate(part["mine"])
                if gold[question] != document
            ]
            gains[document in gold].append(np.mean(each))
        assert found[fold] == pytest.approx(np.mean(gains[True]) - np.mean(gains[False]), abs=1e-6)
        square = sum(np.var(x, ddof=1) / len(x) for x in gains.values())
        assert errors[fold] == pytest.approx(np.sqrt(square), abs=1e-6)


def test_the_bundled_ranks_agree_with_the_bundled_embeddings():
    table = adaptation_runs()
    assert not table.duplicated(["folds", "seed", "variant"]).any()
    bundled = table.query("folds == 'answers' and seed == 0").set_index("variant")
    assert set(bundled.index) == set(ADAPTED_VARIANTS) - {"PT"}
    gold = questions()["gold"].to_numpy()
    of = {run.variant: run for run in adapted_runs()[0] if (run.folds, run.seed) == ("answers", 0)}
    for name, row in bundled.iterrows():
        # Rounding moves a few answers by a place or two.
        ranks = adapted_embeddings(name).ranks(gold)
        assert np.mean(ranks != of[name].ranks) < 0.15
        assert row["accuracy"] == pytest.approx((ranks <= 10).mean(), abs=0.01)


@pytest.fixture
def made_up(monkeypatch):
    """Return two seeds with twelve questions of three modules; by modules, those of the last are lost."""
    base = np.repeat([1, 30], 6)
    answers = [np.r_[np.ones(11, int), 30], np.ones(12, int)]
    modules = [np.r_[np.ones(8, int), 30, 30, 30, 30], np.r_[np.ones(8, int), 30, 30, 30, 30]]
    runs = tuple(
        AdaptedRun(by, seed, "FT", ranks, ranks, 0.0, 0.0)
        for by, many in (("answers", [*answers, base]), ("modules", modules))
        for seed, ranks in enumerate(many)  # the third seed has no folds by modules
    )
    monkeypatch.setattr(runs_module, "adapted_runs", lambda: (runs, base))
    return np.repeat(["a", "b", "c"], 4)


def test_what_new_subjects_cost(made_up):
    table = loss_on_new_modules(made_up, n_resamples=2000).set_index("compared")
    assert table["seeds"].tolist() == [2, 2, 2]
    # Hits: 6 as published; 11 and 12 by answers; 8 and 8 by modules.
    expected = {
        "by answers less MiniLM": (11.5 - 6, 5, 6),
        "by modules less MiniLM": (2, 2, 2),
        "by modules less by answers": (8 - 11.5, -4, -3),
    }
    for name, values in expected.items():
        row = table.loc[name, ["difference", "lowest", "highest"]]
        assert row.tolist() == pytest.approx([100 * value / 12 for value in values])
    last = table.loc["by modules less by answers"]
    assert last["low"] <= last["difference"] <= last["high"] < 0
    # All that is lost is lost in one of three modules, and a sample may have none of it.
    assert last["module_high"] == 0
    assert last["module_low"] < last["low"]
