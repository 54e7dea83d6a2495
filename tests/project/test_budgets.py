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


def matching_files(patterns: list[str]) -> set[str]:
    """Return the matching files of the repository; ``**/`` also matches no folder."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    globs = [*patterns, *(pattern.replace("**/", "") for pattern in patterns)]
    return {name for name in listed if any(fnmatch(name, g) for g in globs) and (ROOT / name).is_file()}


@pytest.mark.parametrize("budget", BUDGETS["lines"], ids=lambda budget: budget["what"])
def test_lines_are_within_their_budget(budget: dict[str, Any]) -> None:
    chosen = matching_files(budget["files"]) - matching_files(budget.get("without", []))
    lines = sum(len((ROOT / name).read_bytes().splitlines()) for name in chosen)
    assert 0 < lines <= budget["most"], (
        f"{budget['what']} has {lines:,} lines, its budget is {budget['most']:,}"
    )


def public_objects() -> Iterator[tuple[str, Any]]:
    """Yield the distinct public functions, classes, and constants of the measures by full name."""
    seen: list[Any] = []
    for package in BUDGETS["names"]["packages"]:
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            if (
                not inspect.ismodule(value)
                and not name.startswith("__")
                and all(value is not other for other in seen)
            ):
                seen.append(value)
                yield f"{package}.{name}", value


def test_public_names_are_within_their_budget() -> None:
    names = [name for name, _ in public_objects()]
    assert len(names) <= BUDGETS["names"]["most"], f"{len(names)} public names: {', '.join(names)}"


def test_options_of_functions_are_within_their_budget() -> None:
    report = importlib.import_module("isotropy_report")
    measures = importlib.import_module("isotropy_report.measures")
    objects = dict(public_objects())
    objects |= {f"isotropy_report.{name}": getattr(report, name) for name in report.__all__}
    objects |= {f"isotropy_report.measures.{name}": getattr(measures, name) for name in measures.__all__}
    exceeding = []
    for name, value in objects.items():
        if inspect.isfunction(value):
            options = [p for p in inspect.signature(value).parameters.values() if p.kind is p.KEYWORD_ONLY]
            if len(options) > BUDGETS["options"]["most_of"].get(name, BUDGETS["options"]["most"]):
                exceeding.append(f"{name} has {len(options)} options")
    assert not exceeding, exceeding
