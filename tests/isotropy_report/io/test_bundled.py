"""Tests that bundled data agree with their records and with external facts."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import isotropy_lab
import isotropy_report
from isotropy_report.io import load_word_vectors
from isotropy_report.io.bundled import NAMES, data_file

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(
    path
    for package in (isotropy_lab, isotropy_report)
    for path in Path(package.__file__).parent.rglob("data/*")
    if path.suffix != ".json" and "__pycache__" not in path.parts
)
REFERENCE = ROOT / "tests" / "reanalyses" / "corpora" / "minilm_reference.npz"


def record_of(name):
    return json.loads(data_file(f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", [*FILES, REFERENCE], ids=lambda path: path.name)
def test_bundled_files_have_records_with_their_hashes(path):
    record = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert record["file"] == path.name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == record["sha256"]
    fields = ["license"] if path == REFERENCE else ["source", "version", "license"]
    assert all(record[field] for field in fields)
    if record["script"] is not None:
        assert (ROOT / record["script"]).is_file()


@pytest.mark.parametrize("name", NAMES)
def test_extracts_have_the_recorded_shape_and_distinct_rows(name):
    record = record_of(name)
    vectors = load_word_vectors(name)
    assert list(vectors.vectors.shape) == record["shape"]
    assert vectors.vectors.dtype == np.float32
    assert np.linalg.norm(vectors.vectors.astype(float), axis=1).std() > 0.1  # lengths are kept
    # One row per word: no two share a vector, as in pruned collections.
    assert len(np.unique(vectors.vectors, axis=0)) == len(vectors)


def test_requested_words_are_present_or_recorded_as_missing():
    lists = json.loads((ROOT / "scripts" / "association_words.json").read_text(encoding="utf-8"))["words"]
    requested = {word.lower() for line in lists.values() for word in line.split()}
    present, missing = set(load_word_vectors("glove-weat")), set(record_of("glove-weat")["missing"])
    assert present | missing == requested
    assert not present & missing
    assert record_of("glove-weat")["words_asked"] == len(requested)


def test_glove_extract_contains_published_numbers():
    """The first numbers of "the" in glove.6B.100d, as often printed."""
    stored = load_word_vectors("glove-pool")["the"][:4]
    np.testing.assert_allclose(stored, [-0.038194, -0.24487, 0.72812, -0.39961], rtol=5e-4)
