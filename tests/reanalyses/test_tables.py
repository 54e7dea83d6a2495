"""Tables of the book: captions and numbers, honest digits, words."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from reanalyses.tables import readable, span


def column(values, name="x", **options):
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
def test_digits_are_honest(values, shown):
    assert column(values) == shown


@pytest.mark.parametrize("name", ["p", "p_value", "pvalue", "p value", "welch_p", "p_holm"])
def test_probabilities_are_never_zero(name):
    assert column([0.0, 0.00001, 0.034, 1.0], name) == ["< .001", "< .001", ".034", "1.000"]
    assert column([0.0, 1.0], name) == ["< .001", "1.000"]


@pytest.mark.parametrize("name", ["psi", "points"])
def test_other_numbers_are_no_probabilities(name):
    assert column([0.5, 0.25], name) == ["0.500", "0.250"]


def test_a_number_of_dimensions_called_p_is_none():
    assert column([100, 300], "p") == ["100", "300"]
    assert column([1, 1], "p") == ["1", "1"]


def test_words_units_and_digits_of_a_column():
    frame = pd.DataFrame({"agrees": [True, False], "time": [1.23456, 2.0], "share": [0.5, 0.25]})
    table = readable(
        frame, words={"agrees": ("agrees", "differs")}, units={"time": "s"}, precision={"share": 2, "time": 1}
    )
    html = table.html()
    for part in (">agrees</td>", ">differs</td>", ">time (s)</th>", ">1.2</td>", ">0.25</td>"):
        assert part in html, part
    assert table.frame is frame


def test_numbers_stand_to_the_right_and_words_to_the_left():
    html = readable(pd.DataFrame({"name": ["a"], "value": [1.5], "holds": [True]})).html()
    align = re.findall(r'<th style="text-align: (\w+)[^>]*>(\w+)</th>', html)
    assert align == [("left", "name"), ("right", "value"), ("left", "holds")]
    assert "white-space: nowrap" in html
    assert "white-space" not in "".join(re.findall(r"<th[^>]*>", html)), "a header may take two lines"


def test_intervals_in_one_column():
    texts = span([-0.004, -1.25, np.nan], [0.504, -0.75, 1.0], 2)
    assert texts == ["0.00\u00a0to\u00a00.50", "−1.25\u00a0to\u00a0−0.75", "–"]


def test_captions_are_numbered_in_their_order_and_keep_their_numbers():
    frame = pd.DataFrame({"a": [1]})
    code = """if True:
        import pandas as pd
        from reanalyses.tables import readable
        frame = pd.DataFrame({"a": [1]})
        print([readable(frame, caption).number for caption in ("First", "Second", "First", "", "Third")])
        print(readable(frame, "Second & more").html())
    """
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    numbers, html = said.split("\n", 1)
    assert numbers == "[1, 2, 1, 0, 3]"
    assert "Table 4.</span> Second &amp; more</caption>" in html
    assert "<caption" not in readable(frame).html()


def test_headers_are_written_once():
    wide = pd.DataFrame({"method": ["a", "b"] * 2, "n": [1, 1, 2, 2], "value": [0.1, 0.2, 0.3, 0.4]}).pivot(
        index="method", columns="n", values="value"
    )
    html = readable(wide, index=True).html()
    assert re.findall(r"<tr>(.*?)</tr>", html)[0].count('colspan="2"') == 1  # what the numbers 1 and 2 are
    assert re.findall(r"<th[^>]*>([^<]*)</th>", html)[:4] == ["n", "method", "1", "2"]
    named = wide.rename(columns={1: "one", 2: "two"})
    assert re.findall(r"<th[^>]*>([^<]*)</th>", readable(named, index=True).html())[:3] == [
        "method",
        "one",
        "two",
    ]


def test_text_is_escaped_and_shown_without_html_too():
    table = readable(pd.DataFrame({"<b>": ["1 < 2 & so on"]}))
    assert "&lt;b&gt;" in table.html()
    assert "1 &lt; 2 &amp; so on" in table.html()
    assert "1 < 2 & so on" in repr(table)


def test_no_library_is_needed():
    code = "import sys; sys.modules['jinja2'] = None; import pandas as pd; from reanalyses.tables import readable; print(readable(pd.DataFrame({'a': [1]})).html())"
    assert (
        "<table>"
        in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    )


def test_powers_of_ten_can_be_asked_for():
    assert column([1e-7, 0.25], "p_value", precision={"p_value": "powers"}) == [
        "1.0 × 10<sup>−7</sup>",
        "2.5 × 10<sup>−1</sup>",
    ]
