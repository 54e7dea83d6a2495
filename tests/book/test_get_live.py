"""Tests of the script that downloads and checks the files for Python in the browser."""

import hashlib
import json
import urllib.error
import zipfile
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.conftest import script_module

ROOT = Path(__file__).resolve().parents[2]

get_live = script_module("get_live")

CONTENT = b"program"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a tree whose lock file lists one file, without network access."""
    lock = json.loads((ROOT / get_live.LOCK).read_text(encoding="utf-8"))
    checksums = {"size": len(CONTENT), "sha256": hashlib.sha256(CONTENT).hexdigest()}
    lock["files"] = [{"name": "core.wasm", "kind": "core", "from": "release", **checksums}]
    file = tmp_path / get_live.LOCK
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(lock), encoding="utf-8")
    unreachable = Mock(side_effect=urllib.error.URLError("no network"))
    monkeypatch.setattr(get_live.urllib.request, "urlopen", unreachable)
    return tmp_path


def patch_download(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    def download(source: dict[str, str], folder: Path) -> Path:
        with zipfile.ZipFile(folder / source["archive"], "w") as wheel:
            wheel.writestr(source["folder"] + "core.wasm", content)
        return folder / source["archive"]

    monkeypatch.setattr(get_live.packages, "download", download)


def test_published_wheel_replaces_missing_release(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patch_download(monkeypatch, CONTENT)
    get_live.get(repository)
    assert (repository / get_live.STORE_FOLDER / "core.wasm").read_bytes() == CONTENT
    patch_download(monkeypatch, b"is not downloaded again")
    get_live.get(repository)
    (repository / get_live.STORE_FOLDER / "core.wasm").write_bytes(b"damaged")
    patch_download(monkeypatch, CONTENT)
    get_live.get(repository)
    assert (repository / get_live.STORE_FOLDER / "core.wasm").read_bytes() == CONTENT


def test_files_with_a_wrong_hash_are_rejected(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patch_download(monkeypatch, b"something else")
    with pytest.raises(SystemExit, match=r"core\.wasm from open_webui.*SHA-256 is .*the file was not stored"):
        get_live.get(repository)
    assert list((repository / get_live.STORE_FOLDER).iterdir()) == []


def test_files_from_the_package_index_are_locked() -> None:
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for file in get_live.read_lock(ROOT)["files"]:
        if file["from"] == "index":
            assert f"{file['package']}=={file['version']}" in locked
            assert file["sha256"] in locked
