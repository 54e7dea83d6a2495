"""The script that puts mistakes into the package: what it changes, what it finds in a toy, and its record."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import mutants
from benchmarks.mutants.__main__ import EQUIVALENT, RESULTS, Reason, draw, read_journal, reasons, summary

TOY = '''"""A toy: 1 < 2 in a docstring is no code."""

from typing import Literal

__all__ = ["clip"]


def clip(x: float, low: int = 0, *, kind: Literal["hard"] = "hard") -> float:
    """Return x, at least low."""
    if kind != "hard":
        raise ValueError(f"kind is {kind!r}, {1 + 1} things; expected 'hard'")
    if x < low:
        return low
    return x
'''
TESTS = """import pytest

from isotropy_lab.toy import clip


def test_clip():
    assert clip(-1) == 0
    assert clip(3) == 3
    with pytest.raises(ValueError, match="soft"):
        clip(1, kind="soft")
"""
RUN = """import pathlib, sys
import benchmarks.mutants as making, benchmarks.mutants.__main__ as running

root = pathlib.Path(sys.argv[1])
making.ROOT = running.ROOT = root
making.PACKAGE, making.MODULES, running.HEAVY = root / "isotropy_lab", ("toy.py",), ()
running.RESULTS, running.EQUIVALENT = root / "results.json", root / "equivalent.toml"
sys.exit(running.main(["--n", "100", "--work", str(root / ".work"), *sys.argv[2:]]))
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    for name, text in {
        "isotropy_lab/__init__.py": "",
        "isotropy_lab/toy.py": TOY,
        "tests/isotropy_lab/test_toy.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def of_toy(toy: Path, monkeypatch: pytest.MonkeyPatch) -> list[mutants.Mutant]:
    monkeypatch.setattr(mutants, "PACKAGE", toy / "isotropy_lab")
    return mutants.mutants(toy / "isotropy_lab" / "toy.py")


def test_what_is_changed(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boundaries, defaults, conditions and returns; no docstring, message, type or list of names."""
    found = of_toy(toy, monkeypatch)
    assert [mutant.change for mutant in found] == [
        "0 → 1",
        "0 → -1",
        '"hard" → "another"',
        "!= → ==",
        "raise ValueError(f\"kind is {kind!r}, {1 + 1} thin… → pass",
        "< → <=",
        "< → >=",
        "low → None",
        "x → None",
    ]  # fmt: skip
    for mutant in found:
        changed = mutant.apply(TOY.encode()).decode()
        ast.parse(changed)
        assert changed != TOY
        assert changed.count("\n") == TOY.count("\n")
        assert TOY.splitlines()[mutant.line - 1].split() == mutant.text.split()


def test_a_mutant_is_known_again_when_lines_move(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = of_toy(toy, monkeypatch)
    file = toy / "isotropy_lab" / "toy.py"
    file.write_text("# A comment.\n\n" + TOY, encoding="utf-8")
    after = of_toy(toy, monkeypatch)
    assert [mutant.key for mutant in after] == [mutant.key for mutant in before]
    assert [mutant.line for mutant in after] == [mutant.line + 2 for mutant in before]
    assert [mutant.key for mutant in draw(after, 3, 7)] == [mutant.key for mutant in draw(before[::-1], 3, 7)]


def test_every_module_can_be_changed() -> None:
    """Of many modules a few mutants are made and compile; none is made twice."""
    for file in mutants.modules()[::8]:
        found, source = mutants.mutants(file), file.read_bytes()
        assert len({mutant.key for mutant in found}) == len(found)
        for mutant in draw(found, 2, 0):
            compile(mutant.apply(source), str(file), "exec")


def test_a_known_mutant_is_killed_and_another_survives(toy: Path) -> None:
    command = [sys.executable, "-c", RUN, str(toy)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    found = json.loads((toy / "results.json").read_text(encoding="utf-8"))
    assert done.returncode == 1, done.stderr  # 8 of 9 are fewer than 95 %
    assert found["total"] == {"killed": 8, "timed out": 0, "survived": 1, "equivalent": 0, "not run": 0}
    assert found["survivors"] == [
        {"module": "toy.py", "line": "if x < low:", "change": "< → <=", "why": None, "equivalent": False}
    ]
    assert (toy / "isotropy_lab" / "toy.py").read_text(encoding="utf-8") == TOY

    (toy / "equivalent.toml").write_text(
        '[[mutant]]\nmodule = "toy.py"\nline = "if x < low:"\nchange = "< → <="\nwhy = "then x is low"\n',
        encoding="utf-8",
    )
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    found = json.loads((toy / "results.json").read_text(encoding="utf-8"))
    assert done.returncode == 0, done.stderr
    assert "killed  " not in done.stdout  # what is known is not run again
    assert (found["share_killed"], found["total"]["equivalent"]) == (1.0, 1)
    assert found["survivors"][0]["why"] == "then x is low"


def test_what_a_mutant_came_to_first_and_last(tmp_path: Path) -> None:
    lines = [{"key": ["a.py", "x", "x → None"], "outcome": outcome} for outcome in ("survived", "killed")]
    journal = tmp_path / "journal.jsonl"
    journal.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    key = ("a.py", "x", "x → None")
    assert read_journal(journal) == {key: "killed"}
    assert read_journal(journal, first=True) == {key: "survived"}
    assert read_journal(tmp_path / "none") == {}


def test_the_summary_by_hand() -> None:
    outcomes = {
        ("isotropy/a.py", "x < y", "< → <="): "survived",
        ("isotropy/a.py", "x < y", "< → >="): "killed",
        ("isotropy/a.py", "while x:", "x → (not (x))"): "timed out",
        ("moments.py", "x < y", "< → <="): "survived",
        ("moments.py", "return x", "x → None"): "not run",
    }
    known = {
        ("moments.py", "x < y", "< → <="): Reason("equal"),
        ("isotropy/a.py", "x < y", "< → <="): Reason("too many rows for a test", equivalent=False),
        ("isotropy/a.py", "x < y", "< → >="): Reason("was killed nevertheless"),
    }
    found = summary(outcomes, known)
    assert (found["mutants"], found["share_killed"]) == (5, 0.5)
    assert found["wings"]["isotropy"] == {
        "killed": 1,
        "timed out": 1,
        "survived": 1,
        "equivalent": 0,
        "not run": 0,
    }
    assert [survivor["why"] for survivor in found["survivors"]] == ["too many rows for a test", None, "equal"]
    assert found["wings"]["shared"] == {
        "killed": 0,
        "timed out": 0,
        "survived": 0,
        "equivalent": 1,
        "not run": 1,
    }


def test_the_committed_record() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert found["mutants"] == sum(found["total"].values()) >= 300
    assert found["share_killed"] >= 0.95
    assert found["share_killed_at_first"] <= found["share_killed"]
    noticed = found["total"]["killed"] + found["total"]["timed out"]
    assert found["share_killed"] == round(noticed / (found["mutants"] - found["total"]["equivalent"]), 4)
    for survivor in found["survivors"]:
        assert survivor["why"], survivor
    for wing in (
        "association",
        "comparison",
        "isotropy",
        "projection",
        "report",
        "retrieval",
        "shared",
        "vectors",
    ):
        assert found["wings"][wing]["killed"] > 0, wing


def test_every_reason_is_one_and_stands_once() -> None:
    known = reasons()
    assert len(known) == EQUIVALENT.read_text(encoding="utf-8").count("[[mutant]]")
    for (module, _, change), (why, _) in known.items():
        assert (mutants.PACKAGE / module).exists(), module
        assert " → " in change
        assert len(why.split()) >= 4, why
