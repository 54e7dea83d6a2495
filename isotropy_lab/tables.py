"""How every table of the book is shown."""

from __future__ import annotations

from typing import Any

import pandas as pd

from isotropy_lab import _validation

__all__ = ["readable"]


def readable(table: pd.DataFrame, *, precision: int = 3, index: bool = False) -> Any:
    """Style a table for a page: words instead of underscores, a fixed number of digits, no running index.

    Parameters
    ----------
    table : pandas.DataFrame
        Any table of this package; it is not changed.
    precision : int, default 3
        Digits after the point of numbers that are not whole; a number that does not exist is shown as a dash.
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
        return name.replace("_", " ") if isinstance(name, str) else name

    shown = table.rename(columns=words, index=words).rename_axis(index=words, columns=words)
    styler = shown.style.format(precision=precision, thousands=",", na_rep="–")
    return styler if index else styler.hide(axis="index")
