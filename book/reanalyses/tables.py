"""Tables of the book: how they are shown, and the columns they must have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from isotropy_lab import _checks

__all__ = ["check_columns", "readable"]

#: Names in code, beside the way the field writes them.
WRITTEN = {
    **{
        name.lower(): name
        for name in [
            "NS",
            "SNS",
            "FSNS",
            "SGS",
            "NMS",
            "KL",
            "SNKL",
            "FSKL",
            "COE",
            "ROE",
            "NDCG",
            "MRR",
            "MDS",
            "PCA",
            "LSA",
            "WEAT",
            "HTML",
            "BCa",
        ]
    },
    "i a": "I<sub>A</sub>",
    "i b": "I<sub>B</sub>",
    "isoscore": "IsoScore",
    "kl 1": "KL at 1",
    "kl 10": "KL at 10",
    "psi": "ψ",
    "tau": "τ",
}
_WRITTEN = re.compile(
    rf"(?<![\w-])({'|'.join(sorted(map(re.escape, WRITTEN), key=len, reverse=True))})(?![\w-])"
)


def readable(table: pd.DataFrame, *, precision: int = 3, index: bool = False) -> Any:
    """Style a table for a page: words instead of underscores, a fixed number of digits, no running index.

    The name of a word association test, "weat-1", is shown as WEAT 1, which does not break at a line's end. Labels, and
    cells that hold nothing else, have NS for "ns" and so on, as the field writes its measures (`WRITTEN`).

    Returns needs jinja2, which comes with the extra [book].

    Examples
    --------
    >>> "dimensions used" in readable(pd.DataFrame({"dimensions_used": [2.0]})).to_html()
    True
    """
    precision = _checks.check_integer(precision, "precision", low=0)

    def words(name: Any) -> Any:
        if isinstance(name, float):
            return number(name)
        return _WRITTEN.sub(written, test(name.replace("_", " "))) if isinstance(name, str) else name

    def written(found: re.Match[str]) -> str:
        return WRITTEN[found[0]]

    def number(name: float) -> str:
        short = f"{name:,.{precision}f}"
        short = short.rstrip("0").rstrip(".") if "." in short else short
        return short if float(short.replace(",", "")) or not name else f"{name:g}"

    def test(cell: Any) -> Any:
        if not isinstance(cell, str):
            return cell
        return WRITTEN.get(cell.replace("_", " ")) or re.sub(r"^weat-(\d+)$", "WEAT\u00a0\\1", cell)

    shown = table.rename(columns=words, index=words).rename_axis(index=words, columns=words).map(test)
    styler = shown.style.format(precision=precision, thousands=",", na_rep="–")
    return styler if index else styler.hide(axis="index")


def check_columns(found: Iterable[str], expected: Sequence[str], name: str) -> None:
    """Raise ValueError for a table that lacks columns."""
    found = list(map(str, found))
    missing = [column for column in expected if column not in found]
    if missing:
        raise ValueError(f"{name} lacks the columns {', '.join(missing)}; found {', '.join(found)}")
