"""Tests that every stored data file has a record of source, version, license, hash, and origin."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import reanalyses

ROOT = Path(__file__).resolve().parents[2]
FILES = [
    path
    for folder in sorted(Path(reanalyses.__file__).parent.rglob("data"))
    for path in sorted(folder.iterdir())
    if path.suffix != ".json" and not path.name.startswith(".")
]


def read_records(folder: Path) -> dict[str, dict]:
    """Return the records of a folder by the files that they describe; a record may describe several."""
    records = {}
    for path in folder.glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        for variant in record.get("variants", {"": record}).values():
            assert variant["file"] not in records, f"{variant['file']} has two records"
            records[variant["file"]] = {**record, **variant}
    return records


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parents[1].name}/{path.name}")
def test_files_have_complete_records(path):
    record = read_records(path.parent)[path.name]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == record["sha256"]
    for field in ("source", "version", "license", "made"):
        assert isinstance(record[field], str), field
        assert record[field].strip(), field
    # Manually copied data have no script.
    if record["script"] is None:
        assert record["made"].startswith(("transcribed", "copied")) or path.name.endswith("questions.tsv")
    else:
        assert (ROOT / record["script"]).is_file()


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix == ".npz"], ids=lambda path: path.name
)
def test_arrays_load_without_pickle(path):
    with np.load(path, allow_pickle=False) as arrays:
        assert arrays.files
        assert not any(arrays[name].dtype.hasobject for name in arrays.files)


@pytest.mark.parametrize(
    "folder", sorted({path.parent for path in FILES}), ids=lambda folder: folder.parent.name
)
def test_records_describe_existing_files(folder):
    assert set(read_records(folder)) == {path.name for path in FILES if path.parent == folder}
