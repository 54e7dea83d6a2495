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

from benchmarks import association, isotropy, projection
from benchmarks.__main__ import RESULTS, WINGS, main

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("wing", [isotropy, projection])
def test_the_peers_environment_can_run_ours_too(wing: ModuleType) -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for line in core:
        name = Requirement(line).name
        (version,) = re.findall(rf"(?m)^{name}==(\S+)", lock)
        assert f"{name}=={version}" in wing.PEERS
    if wing is projection:
        (version,) = re.findall(r"(?m)^numba==(\S+)", lock)
        assert f"numba=={version}" in projection.PEERS


def test_the_committed_results_cover_every_wing_and_meet_the_targets_but_for_those_named() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert set(results) == set(WINGS)
    missed = {
        row["task"] for wing in results.values() for row in wing["rows"] if row["meets_target"] is False
    }
    assert missed == set(projection.MISSED)


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
        ("ranks", (400, 40), ("ours", "ours, exact", "ours, histogram"), 1e-3),
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


def test_an_unknown_wing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cosmology"])
    assert "there are isotropy, association, projection" in capsys.readouterr().err
