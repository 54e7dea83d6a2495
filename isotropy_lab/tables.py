"""How every table of the book is shown."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from isotropy_lab import _validation

__all__ = ["readable"]


def readable(table: pd.DataFrame, *, precision: int = 3, index: bool = False) -> Any:
    """Style a table for a page: words instead of underscores, a fixed number of digits, no running index.

    The name of a word association test, "weat-1", is shown as WEAT 1, which does not break at a line's end.

    Parameters
    ----------
    table : pandas.DataFrame
        Any table of this package; it is not changed.
    precision : int, default 3
        Digits after the point of numbers that are not whole, in row and column labels without zeros at their end; a
        number that does not exist is shown as a dash.
    index : bool, default False
        Whether to show the row labels.

    Returns
    -------
    pandas.io.formats.style.Styler
        Needs jinja2, which comes with the extra [book].

    Raises
    ------
    ValueError
        If ``precision`` is negative.

    Examples
    --------
    >>> "dimensions used" in readable(pd.DataFrame({"dimensions_used": [2.0]})).to_html()
    True
    """
    precision = _validation.check_integer(precision, "precision", low=0)

    def words(name: Any) -> Any:
        if isinstance(name, float):
            return number(name)
        return test(name.replace("_", " ")) if isinstance(name, str) else name

    def number(name: float) -> str:
        short = f"{name:,.{precision}f}"
        short = short.rstrip("0").rstrip(".") if "." in short else short
        return short if float(short.replace(",", "")) or not name else f"{name:g}"

    def test(cell: Any) -> Any:
        return re.sub(r"^weat-(\d+)$", "WEAT\u00a0\\1", cell) if isinstance(cell, str) else cell

    shown = table.rename(columns=words, index=words).rename_axis(index=words, columns=words).map(test)
    styler = shown.style.format(precision=precision, thousands=",", na_rep="–")
    return styler if index else styler.hide(axis="index")
