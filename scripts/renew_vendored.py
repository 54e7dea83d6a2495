"""Renew the vendored files next to each PROVENANCE.toml from npm packages.

``python scripts/renew_vendored.py`` fetches the recorded version of every package, and rejects files whose
SHA-256 is not the recorded one. ``python scripts/renew_vendored.py crelt@1.0.7 …`` fetches these versions
instead and records their hashes. Nothing in a package is run. A changed license is rejected; compare it, and
then copy it into LICENSE.
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("book/_vendor/codemirror", "book/_vendor/fonts", "book/_vendor/mathjax", "tests/book/axe-core")
#: Everything below this line of a record is written by this script.
FILES_HEADER = "[files]\n"


def recorded_files(folder: Path) -> dict[str, dict[str, str]]:
    """Return the recorded files of a folder: package, version, file in the package, and SHA-256 hash."""
    files: dict[str, dict[str, str]] = tomllib.loads(
        (folder / "PROVENANCE.toml").read_text(encoding="utf-8")
    )["files"]
    return files


def fetch(package: str, version: str) -> dict[str, bytes]:
    """Return the files of an npm package."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder]
        subprocess.run([*command, f"{package}@{version}"], check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(folder).iterdir()
        with tarfile.open(archive) as tarball:
            members = {
                member.name: tarball.extractfile(member) for member in tarball.getmembers() if member.isfile()
            }
            return {name.removeprefix("package/"): file.read() for name, file in members.items() if file}


def renew(folder: Path, versions: dict[str, str]) -> None:
    """Write the files of a folder again, and the hashes of packages whose version has changed."""
    files = recorded_files(folder)
    license_words = (folder / "LICENSE").read_text(encoding="utf-8").split()
    packages = {
        (package, versions.get(package, file["version"]))
        for file in files.values()
        for package in [file["package"]]
    }
    for package, version in sorted(packages):
        members = fetch(package, version)
        words = members.get("LICENSE", b"").decode().split()
        if " ".join(words) not in " ".join(license_words):
            raise SystemExit(f"{package} {version} has a license other than that in {folder.name}/LICENSE")
        for name, file in files.items():
            if file["package"] != package:
                continue
            data = members[file["file"]]
            digest = hashlib.sha256(data).hexdigest()
            if package not in versions and digest != file["sha256"]:
                raise SystemExit(f"{folder.name}/{name} of {package} {version} is not the recorded file")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
            file |= {"version": version, "sha256": digest}
        print(f"{package} {version}", flush=True)
    record = folder / "PROVENANCE.toml"
    header = record.read_text(encoding="utf-8").partition(FILES_HEADER)[0]
    lines = [
        f'"{name}" = {{ ' + ", ".join(f'{key} = "{value}"' for key, value in file.items()) + " }\n"
        for name, file in files.items()
    ]
    record.write_text(header + FILES_HEADER + "".join(lines), encoding="utf-8")


def main() -> None:
    """Renew all folders with the requested versions."""
    versions = dict(argument.rsplit("@", 1) for argument in sys.argv[1:])
    folders = [ROOT / name for name in FOLDERS]
    known = {file["package"] for folder in folders for file in recorded_files(folder).values()}
    if not versions.keys() <= known:
        raise SystemExit(f"No record contains {', '.join(sorted(versions.keys() - known))}")
    for folder in folders:
        renew(folder, versions)


if __name__ == "__main__":
    main()
