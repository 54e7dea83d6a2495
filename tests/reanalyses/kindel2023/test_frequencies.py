"""Tests of word frequencies: their source, and missing words."""

import json
from pathlib import Path

import pytest

from reanalyses.kindel2023 import spaces
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.records import record

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def frequencies():
    return word_frequencies()


def test_known_frequencies(frequencies):
    """What the package itself prints in its documentation, and orders that anybody would expect."""
    assert frequencies["the"] == 7.73
    assert frequencies["word"] == 5.26
    assert frequencies["frequency"] == 4.36
    assert frequencies["love"] > frequencies["peace"] > frequencies["hyacinth"]
    assert frequencies["emily"] > frequencies["shaniqua"]


def test_every_word_asked_is_present_or_recorded_as_missing(frequencies):
    found = record("kindel2023", "word_frequencies")
    lists = json.loads((ROOT / "scripts" / "association_words.json").read_text(encoding="utf-8"))["words"]
    tests = {word.casefold() for line in lists.values() for word in line.split()}
    pools = {
        word.casefold()
        for name in ("googlenews-pool", "glove-pool")
        for word in spaces.load(name).index_to_key
    } - tests
    assert tests - set(frequencies.index) == set(found["missing"])
    assert len(pools - set(frequencies.index)) == found["missing_from_pools"]
    assert set(frequencies.index) <= tests | pools
    assert (found["words"], found["words_asked"]) == (len(frequencies), len(tests) + len(pools))
    assert "short-term" in found["missing"]
