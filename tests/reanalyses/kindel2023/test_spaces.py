"""Tests that the extracts of GoogleNews agree with their records and with external facts."""

import json
from pathlib import Path

import numpy as np

from reanalyses.kindel2023 import spaces
from reanalyses.records import record

LISTS = json.loads(
    (Path(__file__).parents[3] / "scripts" / "association_words.json").read_text(encoding="utf-8")
)["words"]


def test_requested_words_are_present_or_recorded_as_missing():
    requested = {word for line in LISTS.values() for word in line.split()}
    stored = record("kindel2023", "googlenews-weat")
    present, missing = set(spaces.load("googlenews-weat")), set(stored["missing"])
    assert present | missing == requested
    assert not present & missing
    assert stored["words_asked"] == len(requested)


def test_both_extracts_have_the_same_directions():
    """Two packages, one raw and one normalized, give the same directions up to the rounding of float16."""
    raw, pool = spaces.load("googlenews-weat"), spaces.load("googlenews-pool")
    shared = [word for word in raw if word in pool]
    assert len(shared) > 100
    a, b = (
        vectors[shared] / np.linalg.norm(vectors[shared], axis=1, keepdims=True) for vectors in (raw, pool)
    )
    assert np.linalg.norm(a - b, axis=1).max() < 2.0**-11  # the rounding of float16
