"""Tests of the base class of results."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from isotropy_lab._core.results import Result


@dataclass(frozen=True)
class Inner(Result):
    low: float


@dataclass(frozen=True)
class Outer(Result):
    name: str
    score: float
    values: np.ndarray
    parts: tuple
    by_name: dict


OUTER = Outer("a", np.float64(1 / 3), np.arange(3.0), (Inner(0.5), np.int64(2)), {1: Inner(0.25)})


def test_a_dictionary_holds_plain_values_only():
    expected = {
        "name": "a",
        "score": 1 / 3,
        "values": [0.0, 1.0, 2.0],
        "parts": [{"low": 0.5}, 2],
        "by_name": {"1": {"low": 0.25}},
    }
    assert OUTER.to_dict() == expected
    assert json.loads(json.dumps(OUTER.to_dict())) == expected


def test_a_table_is_its_rows():
    table = pd.DataFrame({"null": ["A random", "B random"], "low": [0.25, 0.5], "index": [1, 2]})
    rows = [{"null": "A random", "low": 0.25, "index": 1}, {"null": "B random", "low": 0.5, "index": 2}]
    result = Inner(table)
    assert result.to_dict() == {"low": rows}
    assert json.loads(json.dumps(result.to_dict())) == {"low": rows}
    assert str(result) == "Inner(low=table(2, 3))"


def test_a_table_has_a_row_for_each_entry_of_the_vectors():
    frame = OUTER.to_frame()
    assert frame.columns.tolist() == ["name", "score", "values"]  # a tuple and a dictionary fit no cell
    assert frame["values"].tolist() == [0.0, 1.0, 2.0]
    assert frame["name"].tolist() == ["a"] * 3
    assert Inner(0.5).to_frame().to_dict("records") == [{"low": 0.5}]
    assert Inner(Inner(0.5)).to_frame().to_dict("records") == [{"low.low": 0.5}]


def test_a_notebook_shows_a_table_of_the_fields():
    shown = Inner("<a> & b")._repr_html_()
    assert '<th scope="row">low</th><td>&lt;a&gt; &amp; b</td>' in shown
