"""Formatting of the book's tables."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from reanalyses.zeros import unsigned_zeros

_NAMES = "NS SNS FSNS SGS NMS KL SNKL FSKL COE ROE NDCG MRR MDS PCA LSA WEAT HTML BCa Wilson"
#: Spelling of names in the literature, keyed by their form in code.
SPELLINGS = {
    **{name.lower(): name for name in _NAMES.split()},
    "i a": "I<sub>A</sub>",
    "i b": "I<sub>B</sub>",
    "isoscore": "IsoScore",
    "id score": "ID score",
    "varex score": "VarEx score",
    "kl 1": "KL at 1",
    "kl 10": "KL at 10",
    "psi": "ψ",
    "tau": "τ",
}
_CAPTION = "caption-side: top; text-align: left; padding-bottom: 0.4em"
#: Numbers of the captions shown so far, so that a cell that runs again keeps its numbers.
_NUMBERS: dict[str, int] = {}
_SPELLING = re.compile(
    rf"(?<![\w-])({'|'.join(sorted(map(re.escape, SPELLINGS), key=len, reverse=True))})(?![\w-])"
)


class Table:
    """A table with caption and number, readable names, and right-aligned numbers with meaningful digits.

    A notebook shows it as HTML without a library or style sheet, in a frame that scrolls on narrow pages; `html`
    returns the same text. `frame` contains the numbers.

    Numbers have as many decimals as distinguish the values of their column: `precision` if the largest is
    below 10, one fewer for each additional digit, and none if all are integers; a column of very small
    numbers uses powers of ten. Probabilities, in columns named "p" or "p_value" and the like, are ".034" or
    "< .001".
    """

    def __init__(
        self,
        frame: pd.DataFrame,
        caption: str = "",
        *,
        precision: int | Mapping[str, int | str] = 3,
        index: bool = False,
        units: Mapping[str, str] | None = None,
        words: Mapping[str, tuple[str, str]] | None = None,
    ) -> None:
        self.frame, self.caption, self.index = frame, caption, index
        self.precision, self.units, self.words = precision, units or {}, words or {}
        #: Number of the caption in a notebook, in the order of first display.
        self.number = _NUMBERS.setdefault(caption, len(_NUMBERS) + 1) if caption else 0

    def __repr__(self) -> str:
        caption = f"Table {self.number}. {self.caption}\n" if self.caption else ""
        return caption + str(self.frame.to_string(index=self.index))

    def _repr_html_(self) -> str:
        return self.html()

    def html(self) -> str:
        """Return the table as HTML."""
        columns = [self._column(i) for i in range(self.frame.shape[1])]
        if self.index:
            index = self.frame.index
            columns = [
                self._cells(name, index.get_level_values(level), head=True)
                for level, name in enumerate(index.names)
            ] + columns
        head = "".join(
            f"<tr>{''.join(cells)}</tr>"
            for cells in [self._groups(), [column[0] for column in columns]]
            if cells
        )
        body = "".join(
            f"<tr>{''.join(cells)}</tr>" for cells in zip(*(column[1:] for column in columns), strict=True)
        )
        caption = ""
        if self.caption:
            number = f'<span class="il-number" style="font-weight: bold">Table {self.number}.</span>'
            caption = f'<caption style="{_CAPTION}">{number} {html.escape(self.caption)}</caption>'
        region = f' role="region" aria-label="{html.escape(self.caption)}"' if self.caption else ""
        return f'<div class="il-table" tabindex="0"{region} style="overflow-x: auto"><table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table></div>'

    def _groups(self) -> list[str]:
        """Return a header row above that of the columns, with the names of groups of columns, or [] if there are none."""
        columns = self.frame.columns
        empty = "<td></td>" * (self.frame.index.nlevels if self.index else 0)
        if columns.nlevels > 1:
            runs = [(name, len(list(run))) for name, run in groupby(columns.get_level_values(0))]
            return [empty, *(_header(_label(name), f' colspan="{n}" scope="colgroup"') for name, n in runs)]
        if columns.name is not None and all(isinstance(name, int | float) for name in columns):
            return [empty, _header(_label(columns.name), f' colspan="{len(columns)}" scope="colgroup"')]
        return []

    def _column(self, i: int) -> list[str]:
        name = self.frame.columns[i]
        return self._cells(name[-1] if isinstance(name, tuple) else name, self.frame.iloc[:, i])

    def _cells(self, name: Any, values: Any, *, head: bool = False) -> list[str]:
        """Return the header and the cells of a column."""
        values = pd.Series(values)
        is_numeric = not head and all(_is_number(value) or pd.isna(value) for value in values)
        text = _label("" if name is None else name) + (f" ({self.units[name]})" if name in self.units else "")
        precision = self.precision if isinstance(self.precision, int) else self.precision.get(name, 3)
        words = self.words.get(name, ("yes", "no"))
        render = _label if head else _formatter(str(name), values, precision, words)
        side = "right" if is_numeric else "left"
        align = f' style="text-align: {side}{"; white-space: nowrap" if is_numeric else ""}"'
        template = '<th scope="row"{}>{}</th>' if head else "<td{}>{}</td>"
        return [  # headers may wrap, so that many columns fit
            _header(text, f' style="text-align: {side}" scope="col"'),
            *(template.format(align, render(value)) for value in values),
        ]


#: Return a table for display on a page: `readable(frame, "Caption")`.
readable = Table


def span(low: Iterable[float], high: Iterable[float], decimals: int) -> list[str]:
    """Return interval ends as texts for one column, without line breaks; missing intervals become a dash."""

    def render(value: float) -> str:
        return unsigned_zeros(f"{value:.{decimals}f}").replace("-", "−")

    return [
        "–" if math.isnan(a) or math.isnan(b) else f"{render(a)}\u00a0to\u00a0{render(b)}"
        for a, b in zip(low, high, strict=True)
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | np.number) and not isinstance(value, bool | np.bool_)


def _header(text: str, attributes: str) -> str:
    return f"<th{attributes}>{text}</th>"


def _label(name: Any) -> str:
    """Return a readable label as HTML."""
    if isinstance(name, float):
        return _scientific(f"{name:g}") if "e" in f"{name:g}" else f"{name:g}".replace("-", "−")
    if not isinstance(name, str):
        return html.escape(f"{name:,}" if isinstance(name, int) else str(name))
    return str(
        _SPELLING.sub(lambda match: SPELLINGS[match[0]], html.escape(_weat_label(name.replace("_", " "))))
    )


def _scientific(number: str) -> str:
    """Return a number such as "1.5e-05" as HTML with a power of ten."""
    mantissa, exponent = number.split("e")
    power = f"10<sup>{int(exponent)}</sup>"
    return (power if mantissa == "1" else f"{mantissa} × {power}").replace("-", "−")


def _weat_label(cell: str) -> str:
    return re.sub(r"^weat-(\d+)$", "WEAT\u00a0\\1", cell)


def _formatter(
    name: str, values: pd.Series, precision: int | str, words: tuple[str, str]
) -> Callable[[Any], str]:
    """Return a function that formats the cells of a column as HTML."""
    numbers = [float(value) for value in values if _is_number(value)]
    finite = [abs(number) for number in numbers if math.isfinite(number)]
    largest = max(finite, default=0.0)
    whole = all(number == int(number) for number in finite)
    decimals = 0 if whole or isinstance(precision, str) else max(0, precision + 1 - len(str(int(largest))))
    probability = (
        re.search(r"(^|[_ ])p([_ -]?values?)?$|^p_", name) is not None
        and any(isinstance(value, float | np.floating) for value in values)
        and largest <= 1
    )

    def render(value: Any) -> str:
        if isinstance(value, bool | np.bool_):
            return words[0] if value else words[1]
        if not _is_number(value):
            if isinstance(value, str):
                return (
                    html.escape(SPELLINGS.get(value.replace("_", " ")) or _weat_label(value))
                    .replace("&lt;sub&gt;", "<sub>")
                    .replace("&lt;/sub&gt;", "</sub>")
                )
            return "–" if value is None or pd.isna(value) else html.escape(str(value))
        number = float(value)
        if math.isnan(number):
            return "–"
        if precision == "powers" and math.isfinite(number):
            return _scientific(f"{number:.1e}")
        if math.isinf(number):
            return "∞" if number > 0 else "−∞"
        if probability:
            return "&lt; .001" if number < 0.001 else f"{number:.3f}".removeprefix("0")
        if 0 < largest < 0.5 * 10.0**-decimals and number and not whole:
            return _scientific(f"{number:.1e}")
        return unsigned_zeros(f"{number:,.{decimals}f}").replace("-", "−")

    return render
