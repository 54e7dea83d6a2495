"""The record of what the lock installs is current, no license surprises, and bandit's exceptions are those with reasons."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "supply.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tool() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "scripts"))
    import supply_chain

    yield supply_chain
    sys.path.remove(str(ROOT / "scripts"))


def test_the_record_lists_the_lock(tool: Any) -> None:
    found = {row["name"]: (row["version"], row["only_where"]) for row in RECORD["dependencies"]}
    assert found == tool.locked()
    direct = {row["name"] for row in RECORD["dependencies"] if row["direct"]}
    asked = {re.sub(r"[-_.]+", "-", r.name).lower() for group in tool.wanted().values() for r in group}
    assert direct == asked & set(found)
    assert all(row["for"] for row in RECORD["dependencies"])


def test_licenses_are_those_that_the_installed_packages_state(tool: Any) -> None:
    here = {d.metadata["Name"].lower().replace("_", "-") for d in importlib.metadata.distributions()}
    rows = [row for row in RECORD["dependencies"] if row["name"] in here]
    assert len(rows) > 0.9 * len(RECORD["dependencies"])
    for row in rows:
        assert tool.license_of(tool.metadata(row["name"], row["version"])) == row["license"], row["name"]
        assert tool.kind(row["license"]) == row["kind"], row["name"]


def test_what_asks_for_something_in_return_is_named_and_none_of_it_comes_with_the_package() -> None:
    for row in RECORD["dependencies"]:
        assert row["kind"] != "unknown", row
        if row["kind"] != "permissive":
            assert row["note"]
            assert "package" not in row["for"]
    assert {row["name"] for row in RECORD["dependencies"] if row["kind"] == "copyleft"} == {"docutils"}


def test_purposes_follow_what_packages_ask_for() -> None:
    purposes = {row["name"]: set(row["for"]) for row in RECORD["dependencies"]}
    assert {"package", "book"} <= purposes["scipy"]
    assert {"fast"} <= purposes["llvmlite"]
    assert purposes["docutils"] == {"book"}
    assert purposes["hypothesis"] == {"test"}
    assert "package" not in purposes["matplotlib"]


@pytest.mark.parametrize(
    ("events", "version", "affected"),
    [
        ([{"introduced": "0"}, {"fixed": "1.2"}], "1.1", True),
        ([{"introduced": "0"}, {"fixed": "1.2"}], "1.2", False),
        ([{"introduced": "2"}, {"fixed": "2.2"}, {"introduced": "0"}, {"fixed": "1.2"}], "1.5", False),
        ([{"introduced": "2"}, {"fixed": "2.2"}, {"introduced": "0"}, {"fixed": "1.2"}], "2.10", False),
        ([{"introduced": "2"}, {"fixed": "2.2"}, {"introduced": "0"}, {"fixed": "1.2"}], "2.1.9", True),
        ([{"introduced": "0"}], "9", True),
        ([{"introduced": "0"}, {"last_affected": "1.2"}], "1.2", True),
        ([{"introduced": "0"}, {"last_affected": "1.2"}], "1.3", False),
    ],
)
def test_an_advisory_is_about_the_versions_that_it_names(
    tool: Any, events: Any, version: str, affected: bool
) -> None:
    entry = {"affected": [{"package": {"name": "A.b"}, "ranges": [{"type": "ECOSYSTEM", "events": events}]}]}
    assert tool.affects(entry, "a-b", version) is affected
    assert not tool.affects(entry, "c", version)
    assert tool.affects({"affected": [{"package": {"name": "c"}, "versions": [version]}]}, "c", version)


def test_nothing_known_is_left_unmended() -> None:
    assert RECORD["vulnerabilities"]["found"] == []
    assert RECORD["bandit"]["findings"] == []


def test_exceptions_are_those_of_the_record_each_with_a_test_and_a_reason(tool: Any) -> None:
    assert tool.exceptions() == RECORD["bandit"]["exceptions"]
    for row in RECORD["bandit"]["exceptions"]:
        assert re.fullmatch(r"B\d{3}", row["test"]), row
        assert len(row["reason"].split()) >= 2, row


def test_what_bandit_would_ask_about_is_excepted(tool: Any) -> None:
    """Ruff has bandit's rules under the same numbers, but for a few: what bandit itself says stands in the record."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select",
        "S",
        "--ignore",
        "S101,S107,S404",
        "--ignore-noqa",
    ]
    done = subprocess.run([*command, "--output-format", "json", *tool.CODE], cwd=ROOT, capture_output=True, text=True, check=False)  # fmt: skip
    found = json.loads(done.stdout)
    assert len(found) > 10
    for finding in found:
        lines = Path(finding["filename"]).read_text(encoding="utf-8").splitlines()
        # Of a call over several lines the comment stands on the first.
        near = "\n".join(lines[finding["location"]["row"] - 2 : finding["location"]["row"]])
        assert finding["code"].replace("S", "B") in re.findall(r"B\d{3}", near), finding
