"""Tests of the repository: lock files, notebooks, addresses, vendored files, and no traces of a machine."""

import hashlib
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import script_module

ROOT = Path(__file__).resolve().parents[2]
LOCKS = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("requirements.lock", "requirements-test.lock")
}
LOCK = "".join(LOCKS.values())


def pins(lock: str = LOCK) -> list[Requirement]:
    """Return the requirements of one or both lock files, including markers."""
    lines = [line.rstrip(" \\") for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    return [Requirement(line) for line in lines]


def tracked_files(*patterns: str) -> list[Path]:
    """Return the tracked files, or all files outside of a checkout."""
    run = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", *patterns], capture_output=True, text=True
    )
    if run.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in run.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_lock_contains_only_pins_and_hashes() -> None:
    for line in LOCK.splitlines():
        assert re.fullmatch(
            r"[a-z0-9][\w.-]*==[^ ]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line
        ), line


def test_lock_contains_no_torch() -> None:
    assert not {"torch", "sentence-transformers", "transformers"} & {pin.name for pin in pins()}


def test_reader_lock_has_no_test_tools_and_locks_agree() -> None:
    first, second = (
        {(pin.name, str(pin.marker)): str(pin.specifier) for pin in pins(lock)} for lock in LOCKS.values()
    )
    tools = {"pytest", "playwright", "mypy", "ruff", "hypothesis", "polars", "pgserver"}
    assert not (tools | {"pyarrow", "numba", "statsmodels"}) & {name for name, _ in first}
    assert {key for key in first.keys() & second.keys() if first[key] != second[key]} == set()


def test_installed_versions_are_locked() -> None:
    wrong = {}
    for pin in pins():
        if pin.marker is None or pin.marker.evaluate():
            version = importlib.metadata.version(pin.name)
            if version not in pin.specifier:
                wrong[pin.name] = (version, str(pin.specifier))
    assert not wrong


def test_declared_dependencies_are_locked() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    book = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text(encoding="utf-8"))
    # Groups for other engines, data, and peers, which neither the book nor the tests need.
    excluded = {"data", "peers", "sphinx", "torch", "weekly"}
    groups = root["project"]["optional-dependencies"] | root["dependency-groups"]
    declared = [
        *root["project"]["dependencies"],
        *book["project"]["dependencies"],
        *(line for name, lines in groups.items() if name not in excluded for line in lines),
    ]
    pin_of = {canonicalize_name(pin.name): pin for pin in pins()}
    for line in declared:
        requirement = Requirement(line)
        if requirement.name != "isotropy-lab":
            pin = pin_of[canonicalize_name(requirement.name)]
            (version,) = {specifier.version for specifier in pin.specifier}
            assert version in requirement.specifier, line


def test_pip_check_reports_only_excluded_dependencies() -> None:
    run = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    # Nothing is missing if transformers is installed.
    excluded = tomllib.loads((ROOT / "uv.toml").read_text(encoding="utf-8"))["exclude-dependencies"]
    expected = re.compile(rf"\S+ \S+ requires ({'|'.join(excluded)}), which is not installed\.")
    lines = run.stdout.strip().splitlines()
    assert [line for line in lines if not expected.fullmatch(line)] in ([], ["No broken requirements found."])


def test_binder_and_conda_install_only_the_lock() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["dependencies"] == ["python=3.11", "pip"]
    lines = (ROOT / "postBuild").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python -m pip")]
    assert len(commands) == 2
    assert "--no-deps --require-hashes -r requirements.lock" in commands[0]
    assert "--no-deps --no-build-isolation -e ." in commands[1]
    assert (ROOT / "postBuild").stat().st_mode & 0o100


@pytest.mark.parametrize("script", ["data_licenses", "repository_address", "strip_notebooks"])
def test_nothing_is_left_to_write_for_a_script(script: str) -> None:
    """The licenses of data, the copies of the address, and notebooks without outputs are current."""
    command = [sys.executable, str(ROOT / f"scripts/{script}.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_new_address_replaces_every_copy(tmp_path: Path) -> None:
    copies = ("pyproject.toml", "README.md", "CITATION.cff", "book/reference/command-line.md")
    (tmp_path / "book" / "reference").mkdir(parents=True)
    for name in copies:
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    slug = urls["Repository"].removeprefix("https://github.com/")
    before = sum((tmp_path / name).read_text(encoding="utf-8").count(slug) for name in copies[1:])
    assert before >= 3
    command = [sys.executable, str(ROOT / "scripts/repository_address.py"), "--root", str(tmp_path)]
    subprocess.run([*command, "--set", "https://github.com/someone/a-fork"], check=True)
    for name in copies:
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert slug not in text
        assert "someone/a-fork" in text
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    assert urls["Documentation"] == "https://someone.github.io/a-fork"
    refused = subprocess.run([*command, "--set", "somewhere"], capture_output=True, text=True)
    assert "address must look like https://github.com/owner/name, got 'somewhere'" in refused.stderr


def test_all_files_agree_on_version_and_release() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == version
    deposit = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    assert [deposit["title"], deposit["license"]] == [citation["title"], citation["license"]]
    assert deposit["creators"] == citation["authors"]
    newest, *_ = re.findall(r"(?m)^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    if "dev" in version:
        assert "date-released" not in citation
        assert newest == "Unreleased"
    else:
        assert newest == f"{version} - {citation['date-released']}"


def test_files_contain_no_trace_of_a_registry_or_machine() -> None:
    hosts = "|".join(
        ["py" + r"pi\.org", "python" + "hosted", "registry" + r"\.npmjs", "deb" + r"\.debian\.org"]
    )
    paths = "|".join(["wo" + "rk", "fa" + "rm", "ro" + "ot"])
    trace = re.compile(rf"({hosts})|(^|[^A-Za-z0-9_.])/({paths})/")
    traces = []
    for path in tracked_files():
        if path.suffix in {".npz", ".npy", ".png", ".woff", ".gz"} or "_vendor" in path.parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if trace.search(line):
                traces.append(f"{path.relative_to(ROOT)}:{number}: {line[:120]}")
    assert not traces


def test_large_files_have_a_provenance_record() -> None:
    for path in tracked_files():
        if path.stat().st_size > 500_000 and path.name != "requirements.lock":
            records = [path.with_suffix(".json"), *path.parent.glob("PROVENANCE*")]
            records = [record for record in records if record.exists() and record != path]
            if not records:  # a record of several files contains the hash of each
                digest = hashlib.sha256(path.read_bytes()).hexdigest()
                records = [file for file in path.parent.glob("*.json") if digest in file.read_text("utf-8")]
            assert records, f"{path.relative_to(ROOT)} has no provenance record next to it"


def test_vendored_files_match_their_records() -> None:
    for record in tracked_files("*PROVENANCE.toml"):
        files = tomllib.loads(record.read_text(encoding="utf-8"))["files"]
        digests = {
            path.relative_to(record.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in record.parent.rglob("*")
            if path.is_file() and path.name not in {"LICENSE", record.name}
        }
        assert digests == {name: file["sha256"] for name, file in files.items()}


def test_workflows_and_ci_call_make() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [line for line in ci.splitlines() if line.startswith("make ")]
    # The browser tests open the built site.
    assert commands == ["make book", "make test", "make test-rest"]
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = path.read_text(encoding="utf-8")
        assert yaml.safe_load(workflow)["jobs"], path
        for action in re.findall(r"uses: (.*)", workflow):
            # A tag can be moved to another commit. Dependabot reads the version in the comment.
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), (path, action)


def test_all_make_targets_are_phony() -> None:
    """`book` is a folder: without .PHONY, `make book` would do nothing and succeed."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (line,) = (line for line in makefile.splitlines() if line.startswith(".PHONY:"))
    targets = set(re.findall(r"(?m)^([a-z][a-z ]*):", makefile))
    target_names = {word for target in targets for word in target.split()}
    assert target_names <= set(line.split()[1:])


def test_strip_removes_only_outputs(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "id": "a", "metadata": {"tags": ["x"]}, "source": ["1"]}
    dirty = {"cells": [{**cell, "outputs": [{"a": 1}], "execution_count": 3}], "metadata": {}, "nbformat": 4}
    clean = json.loads(script_module("strip_notebooks").strip_outputs(json.dumps(dirty)))
    assert clean["cells"] == [{**cell, "outputs": [], "execution_count": None}]
