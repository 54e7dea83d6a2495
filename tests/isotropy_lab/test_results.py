"""The base of all results."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd

from isotropy_lab._results import Result


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


@dataclass(frozen=True)
class Nested(Result):
    name: str
    inner: Result
    other: Result | None


def test_the_text_fits_a_line_or_has_a_line_for_each_field():
    assert str(Inner(0.123456)) == "Inner(low=0.1235)"
    assert str(OUTER).splitlines() == [
        "Outer",
        "  name     a",
        "  score    0.3333",
        "  values   array(3,)",
        "  parts    (Inner(low=0.5), np.int64(2))",
        "  by_name  {1: Inner(low=0.25)}",
    ]
    assert str(Nested("a", Inner(1.0), None)) == "Nested(name=a, inner=Inner(low=1), other=None)"
    assert str(Nested("a", OUTER, None)).splitlines()[2:4] == ["  inner  Outer", "           name     a"]


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

    @dataclass(frozen=True)
    class Two(Result):
        a: np.ndarray
        b: np.ndarray
        m: np.ndarray
        n: int | None

    assert Two(np.zeros(2), np.zeros(3), np.eye(2), None).to_frame().columns.tolist() == ["n"]
    assert len(Two(np.zeros(2), np.zeros(2), np.eye(2), 1).to_frame()) == 2
    assert len(Two(np.zeros(0), np.zeros(0), np.eye(2), 1).to_frame()) == 0
