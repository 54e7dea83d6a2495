"""The peers' environment must hold what our package imports, in the locked versions."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from benchmarks.isotropy import PEERS

ROOT = Path(__file__).resolve().parents[2]


def test_the_peers_environment_can_run_ours_too() -> None:
    core = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for line in core:
        name = Requirement(line).name
        (version,) = re.findall(rf"(?m)^{name}==(\S+)", lock)
        assert f"{name}=={version}" in PEERS
