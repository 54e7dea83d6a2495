"""Tests of the book's tables: captions, numbering, digits, and text."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from reanalyses.tables import readable, span


def formatted_cells(values, name="x", **options):
    """Return the cells of a table of one column, as text."""
    html = readable(pd.DataFrame({name: values}), **options).html()
    cells = re.findall(r"<td[^>]*>(.*?)</td>", html)
    return [cell.replace("&lt;", "<") for cell in cells]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.12345, 2.0], ["0.123", "2.000"]),
        ([29577.73, 12.5], ["29,578", "12"]),
        ([123.456, 1.5], ["123.5", "1.5"]),
        ([1000.0, 2.0], ["1,000", "2"]),
        ([5, 7000], ["5", "7,000"]),
        ([-0.00004, 0.3], ["0.000", "0.300"]),
        ([-0.5, 0.3], ["−0.500", "0.300"]),
        ([2.6e-10, -1e-12], ["2.6 × 10<sup>−10</sup>", "−1.0 × 10<sup>−12</sup>"]),
        ([0.0, 0.0], ["0", "0"]),
        ([np.nan, 0.25], ["–", "0.250"]),
        ([np.inf, -np.inf], ["∞", "−∞"]),
        ([None, "a"], ["–", "a"]),
        ([True, False], ["yes", "no"]),
    ],
)
def test_numbers_have_expected_digits(values, shown):
    assert formatted_cells(values) == shown


@pytest.mark.parametrize("name", ["p", "p_value", "pvalue", "p value", "welch_p", "p_holm"])
def test_probabilities_are_not_shown_as_zero(name):
    assert formatted_cells([0.0, 0.00001, 0.034, 1.0], name) == ["< .001", "< .001", ".034", "1.000"]
    assert formatted_cells([0.0, 1.0], name) == ["< .001", "1.000"]


def test_span_formats_intervals():
    texts = span([-0.004, -1.25, np.nan], [0.504, -0.75, 1.0], 2)
    assert texts == ["0.00\u00a0to\u00a00.50", "−1.25\u00a0to\u00a0−0.75", "–"]


def test_captions_are_numbered_in_order_of_first_use():
    frame = pd.DataFrame({"a": [1]})
    code = """if True:
        import pandas as pd
        from reanalyses.tables import readable
        frame = pd.DataFrame({"a": [1]})
        print([readable(frame, caption).number for caption in ("First", "Second", "First", "", "Third")])
        print(readable(frame, "Second & more").html())
    """
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    numbers, html = output.split("\n", 1)
    assert numbers == "[1, 2, 1, 0, 3]"
    assert "Table 4.</span> Second &amp; more</caption>" in html
    assert "<caption" not in readable(frame).html()


def test_text_is_escaped_in_html_only():
    table = readable(pd.DataFrame({"<b>": ["1 < 2 & so on"]}))
    assert "&lt;b&gt;" in table.html()
    assert "1 &lt; 2 &amp; so on" in table.html()
    assert "1 < 2 & so on" in repr(table)
