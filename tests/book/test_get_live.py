"""Tests of the script that fetches the files of the browser's Python, checks them, and writes them reproducibly."""

import hashlib
import json
import urllib.error
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import script_module

ROOT = Path(__file__).resolve().parents[2]

get_live = script_module("get_live")

CONTENT = b"what runs"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a tree whose lock file lists one file, without network access."""
    lock = json.loads((ROOT / get_live.LOCK).read_text(encoding="utf-8"))
    about = {"size": len(CONTENT), "sha256": hashlib.sha256(CONTENT).hexdigest()}
    lock["files"] = [{"name": "core.wasm", "kind": "core", "from": "release", **about}]
    file = tmp_path / get_live.LOCK
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(lock), encoding="utf-8")

    def unreachable(*arguments: Any, **options: Any) -> None:
        raise urllib.error.URLError("no network")

    monkeypatch.setattr(get_live.urllib.request, "urlopen", unreachable)
    return tmp_path


def carrier(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    def download(source: dict[str, str], folder: Path) -> Path:
        with zipfile.ZipFile(folder / source["archive"], "w") as wheel:
            wheel.writestr(source["folder"] + "core.wasm", content)
        return folder / source["archive"]

    monkeypatch.setattr(get_live.packages, "download", download)


def test_without_the_release_a_published_wheel_does(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carrier(monkeypatch, CONTENT)
    get_live.get(small)
    assert (small / get_live.KEPT / "core.wasm").read_bytes() == CONTENT
    carrier(monkeypatch, b"is not asked again")
    get_live.get(small)
    (small / get_live.KEPT / "core.wasm").write_bytes(b"damaged")
    carrier(monkeypatch, CONTENT)
    get_live.get(small)
    assert (small / get_live.KEPT / "core.wasm").read_bytes() == CONTENT


def test_other_files_are_refused(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carrier(monkeypatch, b"something else")
    with pytest.raises(SystemExit, match=r"core\.wasm from open_webui.*SHA-256 is .*the file was not stored"):
        get_live.get(small)
    assert list((small / get_live.KEPT).iterdir()) == []


def test_files_from_the_package_index_are_those_of_our_lock() -> None:
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    for file in get_live.read_lock(ROOT)["files"]:
        if file["from"] == "index":
            assert f"{file['package']}=={file['version']}" in locked
            assert file["sha256"] in locked
