"""The peers' environment must hold what our package imports, in the locked versions."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from benchmarks import association
from benchmarks.__main__ import RESULTS, WINGS, main
from benchmarks.isotropy import PEERS

ROOT = Path(__file__).resolve().parents[2]


def test_the_peers_environment_can_run_ours_too() -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for line in core:
        name = Requirement(line).name
        (version,) = re.findall(rf"(?m)^{name}==(\S+)", lock)
        assert f"{name}=={version}" in PEERS


def test_the_committed_results_cover_every_wing_and_meet_the_targets() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert set(results) == set(WINGS)
    for wing in results.values():
        assert [row["task"] for row in wing["rows"] if row["meets_target"] is False] == []


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


def test_an_unknown_wing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["cosmology"])
    assert "there are isotropy, association" in capsys.readouterr().err
