"""Tests of the budgets for lines, public names, and options of functions."""

import importlib
import inspect
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = tomllib.loads(Path(__file__).with_name("budgets.toml").read_text(encoding="utf-8"))


def files(patterns: list[str]) -> set[str]:
    """Return the matching files of the repository; ``**/`` also matches no folder."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    wanted = [*patterns, *(pattern.replace("**/", "") for pattern in patterns)]
    return {name for name in listed if any(fnmatch(name, one) for one in wanted) and (ROOT / name).is_file()}


@pytest.mark.parametrize("budget", BUDGETS["lines"], ids=lambda budget: budget["what"])
def test_a_room_has_no_more_lines_than_its_budget(budget: dict[str, Any]) -> None:
    chosen = files(budget["files"]) - files(budget.get("without", []))
    lines = sum(len((ROOT / name).read_bytes().splitlines()) for name in chosen)
    assert 0 < lines <= budget["most"], (
        f"{budget['what']} has {lines:,} lines, its budget is {budget['most']:,}"
    )


def public() -> Iterator[tuple[str, Any]]:
    """Yield the distinct public functions, classes, and constants of the measures by full name."""
    seen: list[Any] = []
    for package in BUDGETS["names"]["packages"]:
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if (
                not inspect.ismodule(thing)
                and not name.startswith("__")
                and all(thing is not one for one in seen)
            ):
                seen.append(thing)
                yield f"{package}.{name}", thing


def test_the_measures_have_no_more_public_names_than_their_budget() -> None:
    names = [name for name, _ in public()]
    assert len(names) <= BUDGETS["names"]["most"], f"{len(names)} public names: {', '.join(names)}"


def test_functions_have_no_more_options_than_their_budget() -> None:
    applied = importlib.import_module("isotropy_report")
    measures = importlib.import_module("isotropy_report.measures")
    things = dict(public())
    things |= {f"isotropy_report.{name}": getattr(applied, name) for name in applied.__all__}
    things |= {f"isotropy_report.measures.{name}": getattr(measures, name) for name in measures.__all__}
    over = []
    for name, thing in things.items():
        if inspect.isfunction(thing):
            options = [
                one for one in inspect.signature(thing).parameters.values() if one.kind is one.KEYWORD_ONLY
            ]
            if len(options) > BUDGETS["options"]["most_of"].get(name, BUDGETS["options"]["most"]):
                over.append(f"{name} has {len(options)} options")
    assert not over, over
