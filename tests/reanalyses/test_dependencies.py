"""Tests that dependencies of computations are found, recorded, and compared."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from reanalyses import dependencies, ledger

FILES = {
    "requirements.lock": "",
    "isotropy_lab/__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from isotropy_lab.lazy import card",
    "isotropy_lab/lazy.py": "",
    "isotropy_report/__init__.py": "",
    "isotropy_report/plots.py": "",
    "isotropy_lab/area/__init__.py": "",
    "isotropy_lab/area/clouds.py": "",
    "isotropy_lab/area/measure.py": "from ._checks import check",
    "isotropy_lab/area/_checks.py": "check = None",
    "isotropy_lab/area/data/words.txt": "",
    "book/reanalyses/__init__.py": "",
    "book/reanalyses/paper/__init__.py": "",
    "book/reanalyses/paper/figures.py": "import isotropy_report.plots",
    "book/reanalyses/paper/ledger.toml": "",
    "book/reanalyses/paper/data/table.csv": "",
}


def write_tree(root: Path) -> Path:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def imports_of_claims(root: Path, text: str) -> set[str]:
    """Return the dependencies of a module of the paper, without those common to all of them."""
    (write_tree(root) / "book/reanalyses/paper/claims.py").write_text(text, encoding="utf-8")
    always = {f"book/reanalyses/{name}" for name in ("__init__.py", "paper/__init__.py", "paper/claims.py")}
    files = dependencies.imported_files("reanalyses.paper.claims", root)
    assert always | {"book/reanalyses/paper/data/table.csv"} <= files
    return {Path(name).name for name in files - always} - {"table.csv"}


def test_imports_are_followed_in_every_form(tmp_path: Path) -> None:
    area = {"__init__.py", "words.txt"}
    assert imports_of_claims(tmp_path / "a", "import numpy") == set()
    measure = imports_of_claims(tmp_path / "b", "def f():\n    from isotropy_lab.area.measure import score")
    assert measure == area | {"measure.py", "_checks.py"}
    attribute = imports_of_claims(tmp_path / "c", "from isotropy_lab import area as w\nx = w.clouds.ball(3)")
    assert attribute == area | {"clouds.py"}
    assert imports_of_claims(tmp_path / "d", "from isotropy_lab import card") == {"__init__.py", "lazy.py"}
    assert imports_of_claims(tmp_path / "e", "from reanalyses.paper import figures") == {
        "__init__.py",
        "figures.py",
        "plots.py",
    }
    stars = "from isotropy_lab.area.measure import *\nfrom isotropy_lab.area.clouds import *"
    assert imports_of_claims(tmp_path / "f", stars) == area | {"measure.py", "_checks.py", "clouds.py"}
    assert dependencies.imported_files("some.other", tmp_path) == frozenset()


@pytest.mark.rest
def test_imported_files_include_all_imports_of_claims() -> None:
    entries = (*ledger.load(), *ledger.load_errata())
    modules = {entry.compute.rpartition(".")[0] for entry in entries} - {""}
    code = f"import {', '.join(modules)}\nfrom reanalyses import dependencies\nprint(*sorted(dependencies.files_used()))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported = set(run.stdout.split())
    assert len(imported) > 100
    assert imported <= set().union(*map(dependencies.imported_files, modules))


READS = """
import os, subprocess, sys
from pathlib import Path
from reanalyses import dependencies
dependencies.start_recording()
import isotropy_lab.area.measure
open("isotropy_lab/area/data/words.txt").read()
os.chdir("book")
Path("reanalyses/paper/ledger.toml").read_bytes()
list(Path("reanalyses/paper/data").iterdir())
Path("written.txt").write_text("x")
os.makedirs("_build", exist_ok=True)
Path("_build/kept").write_text("x"), Path("_build/kept").read_text()
if len(sys.argv) > 1:
    subprocess.run([sys.executable, "-c", ""])
print(*sorted(dependencies.files_used(Path(os.environ["ROOT"]))))
"""


def test_files_used_include_read_files_and_subprocess_sources(tmp_path: Path) -> None:
    root = write_tree(tmp_path)
    path = os.pathsep.join([str(root), str(dependencies.ROOT / "book")])
    environment = {**os.environ, "PYTHONPATH": path, "ROOT": str(root), "PYTHONDONTWRITEBYTECODE": "1"}

    def files_used(*arguments: str) -> list[str]:
        command = [sys.executable, "-c", READS, *arguments]
        run = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        return run.stdout.split()

    read = ["book/reanalyses/paper/data", "book/reanalyses/paper/ledger.toml"]
    used = ["__init__.py", "area/__init__.py", "area/_checks.py", "area/data/words.txt", "area/measure.py"]
    assert files_used() == [*read, *(f"isotropy_lab/{name}" for name in used)]
    all_files = {name for name in FILES if name.startswith(("isotropy_lab/", "book/reanalyses/"))}
    assert all_files <= set(files_used("with a command of ours")), "a subprocess may read any file"


def test_digests_change_with_files_and_folder_contents(tmp_path: Path) -> None:
    root = write_tree(tmp_path)
    names = ("isotropy_report/plots.py", "isotropy_lab/area/data", "not/there.txt")
    before = dependencies.digests_of(names, root)
    (root / "isotropy_lab/lazy.py").write_text("changed")
    (root / "isotropy_lab/area/data/words.txt").write_text("changed")
    (root / "isotropy_lab/area/data/__pycache__").mkdir()
    assert dependencies.digests_match(before, root)
    assert not dependencies.digests_match({}, root)
    for name in (names[0], "isotropy_lab/area/data/more.txt", names[2]):
        before = dependencies.digests_of(names, root)
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("changed")
        assert not dependencies.digests_match(before, root)
    assert dependencies.are_unmodified(["requirements.lock"], root, since=2e10)
    assert not dependencies.are_unmodified(["requirements.lock"], root)
