"""The simulations that docstrings lean on: each part runs, and the committed results say what is claimed of them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load("calibrate_comparison")


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (ROOT / "benchmarks" / "calibration_comparison.json").read_text(encoding="utf-8")
    )
    return found


def test_every_part_was_run_as_it_stands(script: ModuleType, results: dict[str, Any]) -> None:
    for name, (_, size) in script.PARTS.items():
        assert results[name]["simulations"] == size, name
        assert results[name]["seed"] == script.SEED


def test_a_part_runs_again(script: ModuleType, results: dict[str, Any]) -> None:
    row = next(script.levels(3))
    assert row.keys() == results["comparison levels"]["rows"][0].keys()
    row = next(script.drift_powers(1))
    assert row["rejects"].keys() == results["drift powers"]["rows"][0]["rejects"].keys()


def test_tests_have_their_level(results: dict[str, Any]) -> None:
    rows = results["comparison levels"]["rows"]
    assert {row["test"] for row in rows} == {
        "cka",
        "procrustes_distance",
        "drift_test, energy",
        "drift_test, mmd",
    }
    for row in rows:
        assert row["rejects"]["n"] >= 2000
        assert 0.04 <= row["rejects"]["share"] <= 0.06, row


def test_intervals_cover_what_their_docstrings_say(results: dict[str, Any]) -> None:
    shares = [row["covers"]["share"] for row in results["cka coverage"]["rows"]]
    assert 0.925 <= min(shares) <= max(shares) <= 0.99
    assert sum(0.93 <= share <= 0.97 for share in shares) > 0.75 * len(shares)
    for row in results["overlap coverage"]["rows"]:
        low, high = (0.9, 0.97) if row["tail"] == "lognormal" else (0.925, 0.995)
        assert low <= row["covers"]["share"] <= high, row
    for row in results["unrelated coverage"]["rows"]:
        assert min(row["covers"][measure]["share"] for measure in ("cka", "overlap")) > 0.97
    for row in results["compression coverage"]["rows"]:
        assert row["covers"]["share"] > 0.97


def test_chance_levels_are_what_unrelated_clouds_give(results: dict[str, Any]) -> None:
    for row in results["chance levels"]["rows"]:
        assert row["plug_in"] == pytest.approx(row["plug_in_chance"], rel=0.02)
        assert row["procrustes"] == pytest.approx(row["procrustes_chance"], rel=0.01)
        assert abs(row["unbiased"]) < 0.01


def test_the_least_shift_is_found_in_new_samples(results: dict[str, Any]) -> None:
    for row in results["least shifts"]["rows"]:
        assert row["power"]["share"] == pytest.approx(0.8, abs=0.06), row


def test_a_null_of_the_reference_alone_raises_false_alarms(results: dict[str, Any]) -> None:
    rows = results["drift powers"]["rows"]
    for row in rows:
        if row["shift"] == "none":
            assert row["rejects"]["Evidently's mmd"]["share"] > 0.9
            for ours in ("energy", "mmd"):
                assert row["rejects"][ours]["low"] <= 0.05 <= row["rejects"][ours]["high"]


def test_simulations_of_models_run() -> None:
    models = load("calibrate_models")
    assert next(models.levels(2))["rejects"].keys() == models.SCORES.keys()
    row = next(models.coverage(3))
    assert row["covers"]["n"] == 3
    assert 1.5 < row["mean"] < 4.0  # the truth is 2.4
    assert next(models.tied_sets(2))["mean_size"] >= 1.0
    assert next(models.least_differences(2))["least"] > 1.0
