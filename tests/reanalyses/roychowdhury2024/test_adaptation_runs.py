"""What the record says of every run of the adaptation, and the script that computes it."""

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.experiments.adaptation_runs import adaptation_runs, spread_of_runs

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "pack_adapted_embeddings.py"
N, D, Q = 60, 8, 30


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("pack_adapted_embeddings", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def unit(x):
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def run():
    """Two folds of documents, of which the first thirty are asked for, and models that turn and bend them."""
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


def test_what_is_taken_from_the_answers_lowers_their_ranks(script, run):
    _, gold, _, parts = run
    lowered = [np.where(np.isin(np.arange(N), gold), 5.0, 0.0)] * 2
    assert (script.cross_fitted_ranks(parts, gold, lowered) > N - Q).all()


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


def test_only_whole_runs_enter(script, run, tmp_path):
    base, gold, folds, parts = run
    for name, n_parts in (("answers-0", 2), ("modules-3", 2), ("answers-1", 1), ("none-0", 2)):
        folder = tmp_path / name
        folder.mkdir()
        record = {"document_folds": folds.tolist(), "settings": {"folds": {"n_folds": 2}}}
        (folder / "record.json").write_text(json.dumps(record))
        for fold in range(n_parts):
            np.savez(folder / f"FT-{fold}.npz", **parts[fold])
            np.savez(folder / f"FT-merged-{fold}.npz", **parts[fold])
    rows = script.runs(tmp_path, base, gold)
    assert [(row["folds"], row["seed"], row["variant"]) for row in rows] == [
        ("answers", 0, "FT"),
        ("answers", 0, "FT-merged"),
        ("modules", 3, "FT"),
        ("modules", 3, "FT-merged"),
    ]
    ranks = script.cross_fitted_ranks(parts, gold)
    assert rows[0]["accuracy_at_10"] == pytest.approx((ranks <= 10).mean(), abs=1e-6)
    assert rows[0]["interval_at_1"][0] <= rows[0]["accuracy_at_1"] <= rows[0]["interval_at_1"][1]


def test_the_record_agrees_with_the_bundled_embeddings():
    pytest.importorskip("pyang")
    table = adaptation_runs()
    assert not table.duplicated(["folds", "seed", "variant"]).any()
    bundled = table.query("folds == 'answers' and seed == 0").set_index("variant")
    assert set(bundled.index) == set(ADAPTED_VARIANTS) - {"PT"}
    gold = questions()["gold"].to_numpy()
    for name, row in bundled.iterrows():
        # Rounding moves a few answers across the tenth place.
        assert row["accuracy"] == pytest.approx((adapted_embeddings(name).ranks(gold) <= 10).mean(), abs=0.01)
        assert row["low"] < row["accuracy"] < row["high"]


def test_the_spread_is_that_of_the_seeds():
    runs = pd.DataFrame(
        {
            "folds": ["answers"] * 3 + ["modules"],
            "variant": "FT",
            "seed": [0, 1, 2, 0],
            "accuracy": [0.8, 0.9, 0.85, 0.7],
            "fair": [0.8, 0.8, 0.83, 0.7],
        }
    )
    table = spread_of_runs(runs)
    assert table[["folds", "seeds"]].to_numpy().tolist() == [["answers", 3], ["modules", 1]]
    assert table.loc[0, ["accuracy", "lowest", "highest", "sd"]].tolist() == pytest.approx(
        [0.85, 0.8, 0.9, 0.05]
    )
    assert np.isnan(table["sd"][1])
