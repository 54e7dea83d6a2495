"""Tests that competitors in benchmarks agree, use the locked packages, and are optional."""

import json
import re
import time
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement

from benchmarks import association, isotropy, processes, projection, retrieval
from benchmarks.__main__ import RESULTS
from isotropy_lab.retrieval import run_ranks

ROOT = Path(__file__).resolve().parents[2]


def values(
    wing: ModuleType, calls: str, shape: tuple[int, ...], *contenders: str, **more: Any
) -> dict[str, float]:
    task = {"calls": calls, "shape": shape, "contenders": contenders}
    task |= {"threads": 1, "turns": 1, "measure": "time"}
    found: dict[str, float] = wing.measure(task | more)["values"]
    return found


@pytest.mark.parametrize("wing", [isotropy, projection, retrieval])
def test_the_peers_environment_can_run_ours_too(wing: ModuleType) -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lock = (ROOT / "requirements-test.lock").read_text(encoding="utf-8")
    names = [Requirement(line).name for line in core] + (["numba"] if wing is projection else [])
    for packages in [wing.PEERS, *(found[0] for found in getattr(wing, "ENVIRONMENTS", {}).values())]:
        for name in names:
            (version,) = re.findall(rf"(?m)^{name}==(\S+)", lock)
            assert f"{name}=={version}" in packages


@pytest.mark.parametrize("task", [association.TASKS[i] for i in (0, 2, 5)], ids=lambda task: task["name"])
def test_contenders_of_the_association_wing_agree(task: dict[str, Any]) -> None:
    found = values(association, task["calls"], (), *task["contenders"])
    assert len(found) >= 2
    assert max(found.values()) == pytest.approx(min(found.values()), rel=1e-9)


@pytest.mark.parametrize(
    ("calls", "shape", "contenders", "tolerance"),
    [
        # The distances of scikit-learn are float32.
        ("affinities", (300, 20), ("ours", "ours, distances known", "scikit-learn"), 1e-4),
        ("divergence", (300, 20), ("ours", "dense, every scale"), 1e-6),
    ],
)
def test_contenders_of_the_projection_wing_agree(
    calls: str, shape: tuple[int, int], contenders: tuple[str, ...], tolerance: float
) -> None:
    found = values(projection, calls, shape, *contenders)
    assert max(found.values()) == pytest.approx(min(found.values()), rel=tolerance)


def test_the_parts_of_a_run_are_all_of_it() -> None:
    X, Y = projection.points((1100, 40), "float32")
    seconds: dict[str, float] = {}
    start = time.process_time()
    value = projection.in_parts(projection.neighbors(X, Y)["ours"], seconds)
    whole = time.process_time() - start
    assert value == projection.neighbors(X, Y)["ours"]()
    assert whole / 2 < sum(seconds.values()) <= whole
    assert min(seconds[part] for part in projection.PARTS) > 0


def test_the_floor_of_the_projection_wing_takes_every_pair() -> None:
    X, _ = projection.points((1100, 12), "float32")
    assert projection.half_product(X) == pytest.approx(float(X[1024] @ X[1024]), rel=1e-6)


def test_contenders_of_the_retrieval_wing_find_the_same(tmp_path: Path) -> None:
    shape = (60, 900, 24)
    data = retrieval.embeddings(shape)
    ranks = [(data["D"] @ q > data["D"][i] @ q).sum() for q, i in zip(data["Q"], data["gold"], strict=True)]
    found = values(retrieval, "search", shape, "ours", "ours, ten best", "product")
    assert found["ours"] == found["ours, ten best"] == np.mean(np.less(ranks, 10))
    assert 0.2 < found["ours"] < 0.95  # neither all nor nothing is found
    last = float(data["Q"][-1] @ data["D"][4096 * (899 // 4096)])
    assert found["product"] == pytest.approx(last, rel=1e-5)
    retrieval.write_map(tmp_path, shape)
    assert isinstance(retrieval.read_map(tmp_path)["D"], np.memmap)
    mapped = values(retrieval, "search", shape, "ours", "ours, ten best", folder=str(tmp_path))
    assert 0.2 < mapped["ours"] == mapped["ours, ten best"] < 0.95
    drawn = values(retrieval, "bootstraps", (150, 400, 1), "ours", "question by question")
    assert drawn["ours"] == pytest.approx(drawn["question by question"], rel=0.03)
    assert values(retrieval, "encoding", (32, 2, 384), "ours")["ours"] == pytest.approx(32, rel=1e-5)


def test_equal_scores_in_float32_decide_the_metrics_of_a_run() -> None:
    run, qrels = retrieval.judged_run(40, 50)
    exact, rounded = (run_ranks(run, qrels, ties=ties).ranks for ties in ("listed", "trec_eval"))
    assert (exact != rounded).any()


def test_a_row_has_the_verdict_on_each_target(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(_python: str, _wing: str, request: Any) -> dict[str, Any]:
        seconds = {"ours": [1.0, 1.2, 1.4], "peer": [2.0, 2.4, 2.8]}
        return {"extra": 5 * processes.MB, "seconds": seconds, "processor": seconds, "values": {}}

    monkeypatch.setattr(processes, "measure_separately", measured)
    request = {"shape": (1,), "threads": 1, "contenders": ("ours", "peer")}
    for limits, verdict in (
        ({"ratio": 0.5}, True),
        ({"seconds": 1.1}, False),
        ({"bytes": 1}, False),
        ({}, None),
    ):
        task = {"name": "one", "beside": "peer", "judged": (1,), **limits}
        row = processes.compare("python", "wing", task, request, missed={"one": "so"}, quick=False)
        assert (row["ratio"], row["meets_target"]) == (0.5, verdict)
        assert row["why"] == ("so" if verdict is False else None)
        assert "÷ peer" in processes.table({"rows": [row]})


def test_a_wing_goes_without_its_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOTROPY_LAB_FAISS", "")
    assert processes.interpreter_with(*retrieval.ENVIRONMENTS["faiss"]) is None


def test_what_the_record_has_of_peers_agrees_with_ours() -> None:
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["retrieval"]["rows"]
    assert {"faiss", "ir_measures"} <= {name for row in rows for name in row["values"]}
    for row in rows:
        found, ours = row["values"], row["values"][row["contender"]]
        # In float32 faiss may put a document before the right one that is as similar.
        assert abs(found.get("faiss", ours) - ours) <= 2 / row["shape"][0]
        assert found.get("ir_measures", ours) == pytest.approx(ours, rel=1e-12)
