"""The peers' environment must hold what our package imports, in the locked versions."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from packaging.requirements import Requirement

from benchmarks import association, isotropy, projection, retrieval
from benchmarks.__main__ import RESULTS, WINGS, main
from isotropy_lab.retrieval import run_ranks

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("wing", [isotropy, projection, retrieval])
def test_the_peers_environment_can_run_ours_too(wing: ModuleType) -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for line in core:
        name = Requirement(line).name
        (version,) = re.findall(rf"(?m)^{name}==(\S+)", lock)
        assert f"{name}=={version}" in wing.PEERS
        for packages, _, _ in getattr(wing, "ENVIRONMENTS", {}).values():
            assert f"{name}=={version}" in packages
    if wing is projection:
        (version,) = re.findall(r"(?m)^numba==(\S+)", lock)
        assert f"numba=={version}" in projection.PEERS


def test_the_committed_results_cover_every_wing_and_meet_the_targets_but_for_those_named() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert set(results) == set(WINGS)
    for wing in (projection, retrieval):
        found = [row["task"] for row in results[wing.__name__.rpartition(".")[2]]["rows"]]
        assert list(dict.fromkeys(found)) == [task["name"] for task in wing.TASKS]
    missed = {
        row["task"] for wing in results.values() for row in wing["rows"] if row["meets_target"] is False
    }
    assert missed == set(projection.MISSED) | set(retrieval.MISSED)


@pytest.mark.parametrize(
    "name",
    [
        "WEAT p, 8-word lists, exact",
        "lattice of 8 words, both metrics",
        "canonical similarity, 25 + 25 words",
    ],
)
def test_contenders_of_the_association_wing_agree(name: str) -> None:
    values = association.measure(name, 1)["values"]
    assert len(values) >= 2
    assert max(values.values()) == pytest.approx(min(values.values()), rel=1e-9)


@pytest.mark.parametrize(
    ("calls", "shape", "contenders", "tolerance"),
    [
        # A histogram knows Kruskal's secondary approach only, which without ties is the primary one, and its bins tie.
        ("ranks", (400, 40), ("ours", "ours, histogram"), 1e-3),
        (
            "affinities",
            (300, 20),
            ("ours", "ours, distances known", "scikit-learn", "scikit-learn, distances known"),
            1e-4,
        ),  # scikit-learn's distances are float32
        ("divergence", (300, 20), ("ours", "dense, every scale"), 1e-6),
    ],
)
def test_contenders_of_the_projection_wing_agree(
    calls: str, shape: tuple[int, int], contenders: tuple[str, ...], tolerance: float
) -> None:
    task = {"calls": calls, "shape": shape, "contenders": contenders, "threads": 1, "turns": 1}
    found = projection.measure(task | {"measure": "time"})
    assert set(found["values"]) == set(contenders)
    assert max(found["values"].values()) == pytest.approx(min(found["values"].values()), rel=tolerance)
    for name in contenders:
        assert projection.measure(task | {"measure": "memory", "contenders": [name]})["extra"] >= 0


def test_the_floor_of_the_projection_wing_takes_every_pair() -> None:
    X, Y = projection.points((1100, 12), "float32")
    assert (X.dtype, Y.dtype) == (np.float32, np.float64)
    assert projection.half_product(X) == pytest.approx(float(X[1024] @ X[1024]), rel=1e-6)
    assert projection.stress(X, Y, 1)["ours"]() > 0


def small_search(contenders: tuple[str, ...], **more: object) -> dict[str, object]:
    return {
        "calls": "search",
        "shape": (60, 900, 24),
        "contenders": contenders,
        "threads": 1,
        "turns": 1,
        "measure": "time",
    } | more


def test_contenders_of_the_retrieval_wing_find_the_same(tmp_path: Path) -> None:
    values = retrieval.measure(small_search(("ours", "ours, ten best", "product")))["values"]
    data = retrieval.embeddings((60, 900, 24))
    expected = np.mean(
        [
            (data["D"] @ q > data["D"][place] @ q).sum() < 10
            for q, place in zip(data["Q"], data["gold"], strict=True)
        ]
    )
    assert values["ours"] == values["ours, ten best"] == expected
    assert 0.2 < expected < 0.95  # neither all nor nothing is found
    assert values["product"] == pytest.approx(
        float(data["Q"][-1] @ data["D"][4096 * (899 // 4096)]), rel=1e-5
    )
    retrieval.write_map(tmp_path, (60, 900, 24))
    mapped = retrieval.read_map(tmp_path)
    assert isinstance(mapped["D"], np.memmap)
    assert np.linalg.norm(mapped["D"], axis=1) == pytest.approx(1, abs=1e-6)
    found = retrieval.measure(small_search(("ours", "ours, ten best"), folder=str(tmp_path)))["values"]
    assert 0.2 < found["ours"] == found["ours, ten best"] < 0.95
    memory = retrieval.measure(small_search(("ours",), folder=str(tmp_path), measure="memory"))
    assert memory["values"]["ours"] == found["ours"]
    assert memory["extra"] >= 0


def test_intervals_drawn_question_by_question_are_as_wide_as_those_of_the_retrieval_wing() -> None:
    names = ("ours", "question by question")
    task = small_search(names, calls="bootstraps", shape=(150, 400, 1))
    values = retrieval.measure(task)["values"]
    assert values["ours"] == pytest.approx(values["question by question"], rel=0.03)


def test_the_encoder_of_the_retrieval_wing_encodes_every_sentence() -> None:
    task = small_search(("ours",), calls="encoding", shape=(32, 2, 384))
    assert retrieval.measure(task)["values"]["ours"] == pytest.approx(32, rel=1e-5)


def test_the_retrieval_wing_goes_without_its_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOTROPY_LAB_FAISS", "")
    assert retrieval.peer_python() is None
    task = small_search(("ours", "faiss", "product"), name="small", beside="faiss", ratio=1.2, judged=(1,))
    row = retrieval._measure(task, 1, None, None, False, 1)
    assert set(row["seconds"]) == {"ours", "product"}
    assert (row["ratio"], row["meets_target"]) == (None, None)
    assert "–" in retrieval.table({"rows": [row]})
    monkeypatch.setenv("ISOTROPY_LAB_IR_MEASURES", "")
    assert retrieval.peer_python("ir_measures") is None
    task = small_search(("ours", "ir_measures"), name="run", calls="metrics", beside="ir_measures", judged=())
    row = retrieval._measure(task, 1, None, None, False, 1)
    assert set(row["values"]) == {"ours"}
    runs = [task for task in retrieval.TASKS if retrieval._needs(task, None)]
    assert 0 < len(runs) < len(retrieval.TASKS)


def test_the_committed_searches_of_faiss_and_ours_agree() -> None:
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["retrieval"]["rows"]
    rows = [row for row in rows if "faiss" in row["values"]]
    assert len(rows) == 8
    for row in rows:
        # In float32 faiss may put a document before the right one that is as similar.
        assert abs(row["values"]["faiss"] - row["values"][row["contender"]]) <= 2 / row["shape"][0]


def test_the_committed_metrics_of_ir_measures_and_ours_are_equal() -> None:
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))["retrieval"]["rows"]
    (row,) = (row for row in rows if "ir_measures" in row["values"])
    assert row["values"]["ours"] == pytest.approx(row["values"]["ir_measures"], rel=1e-12)
    # and they would not be if scores that are equal in float32 only were no ties
    run, qrels = retrieval.judged_run(40, 50)
    exact, rounded = (run_ranks(run, qrels, ties=ties).ranks for ties in ("listed", "trec_eval"))
    assert (exact != rounded).any()


def test_an_unknown_wing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cosmology"])
    assert "there are isotropy, association, projection, retrieval" in capsys.readouterr().err
