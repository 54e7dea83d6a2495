"""Tests of word frequencies: their source, missing words, and the reader of their format."""

import gzip
import json
import struct
from pathlib import Path

import pytest

from reanalyses.kindel2023 import spaces
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.records import record
from tests.conftest import script_module

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def frequencies():
    return word_frequencies()


@pytest.fixture(scope="module")
def script():
    return script_module("make_word_frequencies")


def test_frequencies_agree_with_documented_values(frequencies):
    """Values from the documentation of the source package, and orders that are obvious."""
    assert frequencies["the"] == 7.73
    assert frequencies["word"] == 5.26
    assert frequencies["frequency"] == 4.36
    assert frequencies["love"] > frequencies["peace"] > frequencies["hyacinth"]
    assert frequencies["emily"] > frequencies["shaniqua"]


def test_requested_words_are_present_or_recorded_as_missing(frequencies):
    stored = record("kindel2023", "word_frequencies")
    lists = json.loads((ROOT / "scripts" / "association_words.json").read_text(encoding="utf-8"))["words"]
    tests = {word.casefold() for line in lists.values() for word in line.split()}
    pools = {
        word.casefold()
        for name in ("googlenews-pool", "glove-pool")
        for word in spaces.load(name).index_to_key
    } - tests
    assert tests - set(frequencies.index) == set(stored["missing"])
    assert len(pools - set(frequencies.index)) == stored["missing_from_pools"]
    assert set(frequencies.index) <= tests | pools
    assert (stored["words"], stored["words_asked"]) == (len(frequencies), len(tests) + len(pools))
    assert "short-term" in stored["missing"]


def pack(value):
    """Encode a value by the specification of MessagePack."""
    if isinstance(value, dict):
        return bytes([0x80 | len(value)]) + b"".join(pack(k) + pack(v) for k, v in value.items())
    if isinstance(value, list):
        head = bytes([0x90 | len(value)]) if len(value) < 16 else b"\xdc" + struct.pack(">H", len(value))
        return head + b"".join(map(pack, value))
    if isinstance(value, str):
        text = value.encode()
        return (bytes([0xA0 | len(text)]) if len(text) < 32 else b"\xd9" + bytes([len(text)])) + text
    return bytes([value])


def test_read_frequencies_decodes_groups_by_level(script):
    groups = [[] for _ in range(20)]
    groups[0], groups[3], groups[19] = ["often"], ["é" * 20, "x"], [f"w{i}" for i in range(20)]
    content = gzip.compress(pack([{"format": "cB", "version": 1}, *groups]))
    levels = script.read_frequencies(content)
    assert levels["often"] == 900
    assert levels["é" * 20] == levels["x"] == 897
    assert levels["w19"] == 881
    assert len(levels) == 23
