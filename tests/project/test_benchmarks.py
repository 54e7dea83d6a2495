"""Tests that the contenders of benchmarks agree, use the locked packages, and are optional."""

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


def contender_values(
    area: ModuleType, calls: str, shape: tuple[int, ...], *contenders: str, **options: Any
) -> dict[str, float]:
    task = {"calls": calls, "shape": shape, "contenders": contenders}
    task |= {"threads": 1, "turns": 1, "measure": "time"}
    result: dict[str, float] = area.measure(task | options)["values"]
    return result


@pytest.mark.parametrize("area", [isotropy, projection, retrieval])
def test_peer_environments_have_our_locked_dependencies(area: ModuleType) -> None:
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lock = (ROOT / "requirements-test.lock").read_text(encoding="utf-8")
    names = [Requirement(line).name for line in needed] + (["numba"] if area is projection else [])
    for packages in [area.PEERS, *(pins for pins, *_ in getattr(area, "ENVIRONMENTS", {}).values())]:
        for name in names:
            (version,) = re.findall(rf"(?m)^{name}==(\S+)", lock)
            assert f"{name}=={version}" in packages


@pytest.mark.parametrize("task", [association.TASKS[i] for i in (0, 2, 5)], ids=lambda task: task["name"])
def test_association_contenders_agree(task: dict[str, Any]) -> None:
    values = contender_values(association, task["calls"], (), *task["contenders"])
    assert len(values) >= 2
    assert max(values.values()) == pytest.approx(min(values.values()), rel=1e-9)


@pytest.mark.parametrize(
    ("calls", "shape", "contenders", "tolerance"),
    [
        # The distances of scikit-learn are float32.
        ("affinities", (300, 20), ("ours", "ours, distances known", "scikit-learn"), 1e-4),
        ("divergence", (300, 20), ("ours", "dense, every scale"), 1e-6),
    ],
)
def test_projection_contenders_agree(
    calls: str, shape: tuple[int, int], contenders: tuple[str, ...], tolerance: float
) -> None:
    values = contender_values(projection, calls, shape, *contenders)
    assert max(values.values()) == pytest.approx(min(values.values()), rel=tolerance)


def test_times_of_parts_sum_to_the_total() -> None:
    X, Y = projection.points((1100, 40), "float32")
    seconds: dict[str, float] = {}
    start = time.process_time()
    value = projection.in_parts(projection.neighbors(X, Y)["ours"], seconds)
    total = time.process_time() - start
    assert value == projection.neighbors(X, Y)["ours"]()
    assert total / 2 < sum(seconds.values()) <= total
    assert min(seconds[part] for part in projection.PARTS) > 0


def test_half_product_uses_every_pair() -> None:
    X, _ = projection.points((1100, 12), "float32")
    assert projection.half_product(X) == pytest.approx(float(X[1024] @ X[1024]), rel=1e-6)


def test_retrieval_contenders_agree(tmp_path: Path) -> None:
    shape = (60, 900, 24)
    data = retrieval.embeddings(shape)
    ranks = [(data["D"] @ q > data["D"][i] @ q).sum() for q, i in zip(data["Q"], data["gold"], strict=True)]
    values = contender_values(retrieval, "search", shape, "ours", "ours, ten best", "product")
    assert values["ours"] == values["ours, ten best"] == np.mean(np.less(ranks, 10))
    assert 0.2 < values["ours"] < 0.95  # some but not all documents are found
    last = float(data["Q"][-1] @ data["D"][4096 * (899 // 4096)])
    assert values["product"] == pytest.approx(last, rel=1e-5)
    retrieval.write_map(tmp_path, shape)
    assert isinstance(retrieval.read_map(tmp_path)["D"], np.memmap)
    mapped = contender_values(retrieval, "search", shape, "ours", "ours, ten best", folder=str(tmp_path))
    assert 0.2 < mapped["ours"] == mapped["ours, ten best"] < 0.95
    bootstraps = contender_values(retrieval, "bootstraps", (150, 400, 1), "ours", "question by question")
    assert bootstraps["ours"] == pytest.approx(bootstraps["question by question"], rel=0.03)
    encoding = contender_values(retrieval, "encoding", (32, 2, 384), "ours")
    assert encoding["ours"] == pytest.approx(32, rel=1e-5)


def test_float32_ties_change_ranks_of_a_run() -> None:
    run, qrels = retrieval.judged_run(40, 50)
    exact, rounded = (run_ranks(run, qrels, ties=ties).ranks for ties in ("listed", "trec_eval"))
    assert (exact != rounded).any()


def test_rows_have_verdicts_on_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    def fake_measure(_python: str, _wing: str, request: Any) -> dict[str, Any]:
        seconds = {"ours": [1.0, 1.2, 1.4], "peer": [2.0, 2.4, 2.8]}
        return {"extra": 5 * processes.MB, "seconds": seconds, "processor": seconds, "values": {}}

    monkeypatch.setattr(processes, "measure_separately", fake_measure)
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


def test_missing_peer_has_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOTROPY_LAB_FAISS", "")
    assert processes.interpreter_with(*retrieval.ENVIRONMENTS["faiss"]) is None


def test_recorded_peer_values_agree_with_ours() -> None:
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["retrieval"]["rows"]
    assert {"faiss", "ir_measures"} <= {name for row in rows for name in row["values"]}
    for row in rows:
        values, ours = row["values"], row["values"][row["contender"]]
        # In float32, faiss may rank an equally similar document above the relevant one.
        assert abs(values.get("faiss", ours) - ours) <= 2 / row["shape"][0]
        assert values.get("ir_measures", ours) == pytest.approx(ours, rel=1e-12)
