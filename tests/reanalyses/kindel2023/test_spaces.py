"""Tests that the extracts of GoogleNews agree with their records and with external facts."""

import json
from pathlib import Path

import numpy as np
import pytest

from reanalyses.kindel2023 import spaces
from reanalyses.records import record

LISTS = json.loads(
    (Path(__file__).parents[3] / "scripts" / "association_words.json").read_text(encoding="utf-8")
)["words"]


def test_words_asked_are_present_or_recorded_as_missing():
    asked = {word for line in LISTS.values() for word in line.split()}
    found = record("kindel2023", "googlenews-weat")
    present, missing = set(spaces.load("googlenews-weat")), set(found["missing"])
    assert present | missing == asked
    assert not present & missing
    assert found["words_asked"] == len(asked)


def test_the_two_extracts_point_the_same_way():
    """Two packages, one raw and one normalized, give the same directions up to the rounding of float16."""
    raw, pool = spaces.load("googlenews-weat"), spaces.load("googlenews-pool")
    shared = [word for word in raw if word in pool]
    assert len(shared) > 100
    a, b = (
        vectors[shared] / np.linalg.norm(vectors[shared], axis=1, keepdims=True) for vectors in (raw, pool)
    )
    assert np.linalg.norm(a - b, axis=1).max() < 2.0**-11  # the rounding of float16


def test_effect_sizes_published_by_caliskan_come_out():
    """Flowers and insects, instruments and weapons: 1.54 and 1.63 on GoogleNews (Caliskan et al., 2017)."""
    vectors = spaces.load("googlenews-weat")

    def unit(words):
        rows = vectors[[word for word in words.split() if word in vectors]].astype(float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    # The flat lists hold the words of WEAT 5 to 8 as well, behind these 25.
    pleasant = unit(" ".join(LISTS["pleasant"].split()[:25]))
    unpleasant = unit(" ".join(LISTS["unpleasant"].split()[:25]))
    for x, y, published in (("flowers", "insects", 1.54), ("instruments", "weapons", 1.63)):
        s_x, s_y = (
            (rows @ pleasant.T).mean(axis=1) - (rows @ unpleasant.T).mean(axis=1)
            for rows in (unit(LISTS[x]), unit(LISTS[y]))
        )
        effect = (s_x.mean() - s_y.mean()) / np.concatenate([s_x, s_y]).std(ddof=1)
        assert effect == pytest.approx(published, abs=0.01)
