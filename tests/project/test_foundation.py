"""Tests of the repository: one lock file, clean notebooks, one address, and no traces of a machine."""

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


def locked(lock: str = LOCK) -> list[Requirement]:
    """Return the requirements of one or both lock files, including markers."""
    lines = [line.rstrip(" \\") for line in lock.splitlines() if line and not line.startswith((" ", "#"))]
    return [Requirement(line) for line in lines]


def tracked(*patterns: str) -> list[Path]:
    """Return the tracked files, or all files outside of a checkout."""
    run = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", *patterns], capture_output=True, text=True
    )
    if run.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in run.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_every_line_of_the_lock_is_a_pin_or_a_hash() -> None:
    for line in LOCK.splitlines():
        assert re.fullmatch(
            r"[a-z0-9][\w.-]*==[^ ]+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line
        ), line


def test_the_lock_holds_no_torch() -> None:
    assert not {"torch", "sentence-transformers", "transformers"} & {pin.name for pin in locked()}


def test_a_reader_installs_no_tools_of_tests_and_both_locks_agree() -> None:
    first, second = (
        {(pin.name, str(pin.marker)): str(pin.specifier) for pin in locked(lock)} for lock in LOCKS.values()
    )
    tools = {"pytest", "playwright", "mypy", "ruff", "hypothesis", "polars", "pgserver"}
    assert not (tools | {"pyarrow", "numba", "statsmodels"}) & {name for name, _ in first}
    assert {key for key in first.keys() & second.keys() if first[key] != second[key]} == set()


def test_what_is_installed_is_what_is_locked() -> None:
    wrong = {}
    for pin in locked():
        if pin.marker is None or pin.marker.evaluate():
            version = importlib.metadata.version(pin.name)
            if version not in pin.specifier:
                wrong[pin.name] = (version, str(pin.specifier))
    assert not wrong


def test_every_declared_dependency_is_in_the_lock() -> None:
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    book = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text(encoding="utf-8"))
    # Other engines, makers of data and peers, which neither the book nor the tests need.
    left_out = {"data", "peers", "sphinx", "torch", "weekly"}
    several = root["project"]["optional-dependencies"] | root["dependency-groups"]
    wanted = [
        *root["project"]["dependencies"],
        *book["project"]["dependencies"],
        *(line for name, lines in several.items() if name not in left_out for line in lines),
    ]
    pins = {canonicalize_name(pin.name): pin for pin in locked()}
    for line in wanted:
        requirement = Requirement(line)
        if requirement.name != "isotropy-lab":
            pin = pins[canonicalize_name(requirement.name)]
            (version,) = {specifier.version for specifier in pin.specifier}
            assert version in requirement.specifier, line


def test_pip_check_complains_of_what_uv_toml_leaves_out_only() -> None:
    run = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    # Nothing to complain of where transformers are installed as well.
    left_out = tomllib.loads((ROOT / "uv.toml").read_text(encoding="utf-8"))["exclude-dependencies"]
    expected = re.compile(rf"\S+ \S+ requires ({'|'.join(left_out)}), which is not installed\.")
    lines = run.stdout.strip().splitlines()
    assert [line for line in lines if not expected.fullmatch(line)] in ([], ["No broken requirements found."])


def test_binder_and_conda_install_the_lock_and_nothing_else() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert environment["dependencies"] == ["python=3.11", "pip"]
    lines = (ROOT / "postBuild").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python -m pip")]
    assert len(commands) == 2
    assert "--no-deps --require-hashes -r requirements.lock" in commands[0]
    assert "--no-deps --no-build-isolation -e ." in commands[1]
    assert (ROOT / "postBuild").stat().st_mode & 0o100


def test_the_address_is_the_same_everywhere() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts/repository_address.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr


def test_a_new_address_reaches_every_copy(tmp_path: Path) -> None:
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
    bad = subprocess.run([*command, "--set", "somewhere"], capture_output=True, text=True)
    assert "address must look like https://github.com/owner/name, got 'somewhere'" in bad.stderr


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


def test_no_trace_of_a_registry_or_a_machine() -> None:
    hosts = "|".join(
        ["py" + r"pi\.org", "python" + "hosted", "registry" + r"\.npmjs", "deb" + r"\.debian\.org"]
    )
    paths = "|".join(["wo" + "rk", "fa" + "rm", "ro" + "ot"])
    trace = re.compile(rf"({hosts})|(^|[^A-Za-z0-9_.])/({paths})/")
    found = []
    for path in tracked():
        if path.suffix in {".npz", ".npy", ".png", ".woff", ".gz"} or "_vendor" in path.parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if trace.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line[:120]}")
    assert not found


def test_large_files_have_a_provenance_record() -> None:
    for path in tracked():
        if path.stat().st_size > 500_000 and path.name != "requirements.lock":
            records = [path.with_suffix(".json"), *path.parent.glob("PROVENANCE*")]
            records = [record for record in records if record.exists() and record != path]
            if not records:  # one record of several files holds the hash of each
                found = hashlib.sha256(path.read_bytes()).hexdigest()
                records = [other for other in path.parent.glob("*.json") if found in other.read_text("utf-8")]
            assert records, f"{path.relative_to(ROOT)} has no provenance record beside it"


def test_vendored_files_are_those_recorded() -> None:
    for record in tracked("*PROVENANCE.toml"):
        files = tomllib.loads(record.read_text(encoding="utf-8"))["files"]
        found = {
            path.relative_to(record.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in record.parent.rglob("*")
            if path.is_file() and path.name not in {"LICENSE", record.name}
        }
        assert found == {name: file["sha256"] for name, file in files.items()}


def test_workflows_and_ci_call_the_two_commands() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [line for line in ci.splitlines() if line.startswith("make ")]
    # The browser tests open the site that was built.
    assert commands == ["make book", "make test", "make test-rest"]
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        workflow = path.read_text(encoding="utf-8")
        assert yaml.safe_load(workflow)["jobs"], path
        for action in re.findall(r"uses: (.*)", workflow):
            # A tag can be moved to another commit. Dependabot reads the version beside the commit.
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), (path, action)


def test_phony_targets_that_are_also_folders() -> None:
    """`book` is a folder: without .PHONY, `make book` would do nothing and succeed."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (line,) = (line for line in makefile.splitlines() if line.startswith(".PHONY:"))
    targets = set(re.findall(r"(?m)^([a-z][a-z ]*):", makefile))
    named = {word for target in targets for word in target.split()}
    assert named <= set(line.split()[1:])


def test_notebooks_hold_no_outputs() -> None:
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts/strip_notebooks.py"), "--check"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout


def test_strip_keeps_everything_but_outputs(tmp_path: Path) -> None:
    cell = {"cell_type": "code", "id": "a", "metadata": {"tags": ["x"]}, "source": ["1"]}
    dirty = {"cells": [{**cell, "outputs": [{"a": 1}], "execution_count": 3}], "metadata": {}, "nbformat": 4}
    clean = json.loads(script_module("strip_notebooks").stripped(json.dumps(dirty)))
    assert clean["cells"] == [{**cell, "outputs": [], "execution_count": None}]
