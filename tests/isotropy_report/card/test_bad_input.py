"""Tests that errors of cards, comparisons, and gates name the argument, its value, and a remedy."""

import numpy as np
import pytest

import isotropy_lab
from isotropy_report import compare, report_card
from isotropy_report.card import failures
from isotropy_report.comparison import drift_report

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 6))
B = X[:, :5] + rng.standard_normal((40, 5))
PAIR = {"a": X, "b": B}
CARD = report_card(X, pictures=False)
WITH_INFINITY = np.where(np.arange(40)[:, None] == 3, np.inf, X)
LARGE_INTEGERS = 2**62 - rng.integers(0, 100, (50, 4))  # equal points once they are float64
WORDS = [f"w{i}" for i in range(40)]

#: A call with its options, its error, and what the message has to name.
CALLS = [
    (report_card, [np.ones((10, 3))], {}, ValueError, ["X"]),
    (report_card, [WITH_INFINITY], {}, ValueError, ["X", "row 3"]),
    (report_card, [[["a", "b"]] * 5], {}, TypeError, ["text"]),
    (report_card, [LARGE_INTEGERS], {}, ValueError, ["X", "2^53", "subtract"]),
    (isotropy_lab.isoscore, [LARGE_INTEGERS], {}, ValueError, ["X", "2^53", "subtract"]),
    (report_card, [X], {"labels": ["a"]}, ValueError, ["labels has 1 labels"]),
    (report_card, [X], {"questions": X[:2]}, ValueError, ["questions was given without gold"]),
    (report_card, [X], {"gold": [0]}, ValueError, ["gold was given without questions"]),
    (report_card, [X], {"documents": X}, ValueError, ["documents was given without questions"]),
    (report_card, [np.where(X[0] == X, 0, X)], {"questions": X[:1], "gold": [0]}, ValueError,
     ["zero vectors", "row 0"]),
    (report_card, [X], {"sample_size": 2}, ValueError, ["sample_size is 2"]),
    (report_card, [X], {"confidence_level": 1.0}, ValueError, ["confidence_level is 1"]),
    (report_card, [X], {"rng": -1}, ValueError, ["rng is -1"]),
    (CARD.value, ["isoscor"], {}, ValueError, ["'isoscor'", "'isoscore'"]),
    (CARD.section, ["x"], {}, ValueError, ["'x'", "'isotropy'"]),
    (CARD.table, ["tables"], {}, ValueError, ["'tables'", "'lengths'"]),
    (CARD.write, ["card.txt"], {}, ValueError, [".html or .json"]),
    (CARD.write, [3], {}, TypeError, ["path"]),
    (CARD.write, ["none/card.html"], {}, FileNotFoundError, ["no folder"]),
    (failures, [{}], {}, TypeError, ["ReportCard"]),
    (failures, [{"sections": {"isotropy": {"numbers": {"isoscore": 3}}}, "options": {}}],
     {"below": {"isoscore": 0}}, TypeError, ["sections"]),
    (failures, [CARD], {}, ValueError, ["worse_than"]),
    (failures, [CARD], {"tolerance": {"isoscore": 1}}, ValueError, ["tolerance", "earlier card"]),
    (failures, [CARD], {"worse_than": CARD, "tolerance": {"average_cosine": 1}}, ValueError,
     ["average_cosine"]),
    (drift_report, [X, B], {}, ValueError, ["6", "5"]),
    (drift_report, [X, X + 1], {"max_rows": 1}, ValueError, ["max_rows is 1"]),
    (compare, [[X, B]], {}, TypeError, ["mapping from names"]),
    (compare, [{"a": X}], {}, ValueError, ["1 model", "at least 2"]),
    (compare, [{"a": X, 2: B}], {}, TypeError, ["strings"]),
    (compare, [{"a": X, "b": B[:2]}], {}, ValueError, ["models['b']", "2 points"]),
    (compare, [{"a": X, "b": WITH_INFINITY}], {}, ValueError, ["models['b']", "NaN or inf"]),
    (compare, [{"a": X, "b": B[0]}], {}, ValueError, ["models['b']"]),
    (compare, [{"a": X, "b": np.ones((40, 5))}], {}, ValueError, ["models['b']"]),
    (compare, [PAIR], {"questions": {"a": X}}, ValueError, ["questions", "gold"]),
    (compare, [PAIR], {"questions": {"a": X}, "gold": [0]}, ValueError, ["the same names"]),
    (compare, [PAIR], {"questions": {"a": X[:3], "b": B[:2]}, "gold": [0, 1]}, ValueError, ["gold"]),
    (compare, [PAIR], {"documents": PAIR}, ValueError, ["documents", "questions"]),
    (compare, [{"a": X, "b": B[:30]}], {"questions": PAIR, "gold": [0]}, ValueError, ["documents"]),
    (compare, [{"a": X, "b": B[:30]}], {"groups": np.arange(40)}, ValueError, ["groups", "paired"]),
    (compare, [PAIR], {"ids": "other"}, TypeError, ["ids", "'other'"]),
    # Of models whose names could be taken for those of others.
    (compare, [{"B": X, "A": B}], {"ids": {"B": WORDS, "A": ["x", *WORDS[1:]]}}, ValueError,
     ["1 of the 40 items of B are not in A", "'w0'"]),
    (compare, [PAIR], {"ids": {"a": WORDS, "b": ["w0", *WORDS[:-1]]}}, ValueError,
     ["ids of b", "'w0' twice"]),
    (compare, [PAIR], {"k": 0}, ValueError, ["k is 0"]),
    (compare, [PAIR], {"k": 39}, ValueError, ["k is 39", "40 rows"]),
    (compare, [PAIR], {"confidence_level": 1.0}, ValueError, ["confidence_level"]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "arguments", "options", "error", "expected"), CALLS)
def test_errors_name_the_cause_and_a_remedy(call, arguments, options, error, expected):
    with pytest.raises(error) as error_info:
        call(*arguments, **options)
    assert [text for text in expected if text not in str(error_info.value)] == []
