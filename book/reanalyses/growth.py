"""How time and memory of the measures grow, for the book: the committed measurements in, tables and a figure out.

They lie in ``benchmarks/growth.json``, where ``python -m benchmarks.growth`` writes them. An exponent of 2 means: twice
the size, four times the time. It is fitted to the largest sizes, each twice the one before.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reanalyses import style as drawing
from reanalyses.scaling.cost import cost
from reanalyses.style import style

__all__ = ["cost_model", "curves", "exponents", "growth_figure", "summary"]

#: The size that the figure shows of a measure is the first of these that it was measured over.
_MAIN = ("N", "M", "k", "Q", "L")
#: Panels of the figure: their wings, and what their sizes count.
_PANELS = {
    "isotropy": (("isotropy", "moments"), "points, or dimensions"),
    "association": (("association",), "words, or sublists"),
    "projection": (("projection",), "points"),
    "retrieval": (("retrieval",), "documents, questions or lines"),
    "comparison": (("comparison",), "items"),
}
#: Exponents of docstrings in words, and where they end.
_CLASSES = ((0.5, "nothing"), (1.5, "size"), (2.5, "size²"), (math.inf, "more"))

#: The measures of the lesson's model, and the score of the model that each is.
_MODELLED = {
    "moments": "moments",
    "isoscore": "isoscore",
    "isoscore_interval": "isoscore-corrected",
    "average_cosine": "average-cosine",
    "scale_normalized_stress": "all-pairs",
    "stress_estimate": "sampled-pairs",
}


def exponents(results: Mapping[str, Any], wing: str | None = None) -> pd.DataFrame:
    """List every exponent beside the one that the docstring states.

    Columns wing, measure (with the option that it was called with), over (the size that grew), stated, fitted, error (one
    standard error), memory_stated, memory_fitted, no_worse (of both).

    An exponent is no worse if it is at most the stated one, two standard errors and .1; memory is also if it stays below
    what the docstring grants whatever the sizes, such as tiles of 8 MB.

    Examples
    --------
    >>> from reanalyses.trust import load
    >>> table = exponents(load("growth"), "isotropy")
    >>> float(table.query("measure == 'uniformity' and over == 'N'")["stated"].iloc[0])
    2.0
    """
    rows = [
        {
            "wing": row["wing"],
            "measure": _name(row),
            "over": row["axis"],
            "stated": row["stated"],
            "fitted": row["fitted"],
            "error": row["error"],
            "memory_stated": row["memory_stated"],
            # Of what takes a few kilobytes, or stays within its tiles, growth says nothing.
            "memory_fitted": row["memory_fitted"] if max(row["bytes"]) > row["tiles"] * 1e6 else np.nan,
            "no_worse": row["no_worse"] and row["memory_no_worse"],
        }
        for row in results["rows"]
        if wing is None or row["wing"] == wing
    ]
    return pd.DataFrame(rows)


def summary(results: Mapping[str, Any]) -> pd.DataFrame:
    """Count, for each wing, what was measured and what grows faster than its docstring says.

    Columns wing, measures, exponents, worse_time, worse_memory, farthest (by how much the fitted exponent of time lies above
    the stated one where it does so most; negative if none does).

    Examples
    --------
    >>> from reanalyses.trust import load
    >>> bool((summary(load("growth"))["measures"] > 0).all())
    True
    """
    rows = []
    for wing, part in pd.DataFrame(results["rows"]).groupby("wing", sort=False):
        rows.append(
            {
                "wing": wing,
                "measures": part["measure"].nunique(),
                "exponents": len(part),
                "worse_time": int((~part["no_worse"].astype(bool)).sum()),
                "worse_memory": int((~part["memory_no_worse"].astype(bool)).sum()),
                "farthest": float((part["fitted"] - part["stated"]).max()),
            }
        )
    return pd.DataFrame(rows)


def curves(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return what the figure draws: each measure over its main size, called by default.

    Columns panel, measure, over, size, seconds, megabytes, stated, fitted, tail (whether the exponent was fitted to the row).

    Examples
    --------
    >>> from reanalyses.trust import load
    >>> curves(load("growth")).query("measure == 'hubness'")["over"].unique().tolist()
    ['N']
    """
    rows = []
    panels = {wing: panel for panel, (wings, _) in _PANELS.items() for wing in wings}
    shown: set[str] = set()
    for row in sorted(
        results["rows"], key=lambda row: _MAIN.index(row["axis"]) if row["axis"] in _MAIN else 9
    ):
        if row["measure"] in shown or row["wing"] not in panels:
            continue
        shown.add(row["measure"])
        first = len(row["sizes"]) - row["fitted_sizes"]
        for i, (size, seconds, peak) in enumerate(
            zip(row["sizes"], row["seconds"], row["bytes"], strict=True)
        ):
            rows.append(
                {"panel": panels[row["wing"]], "measure": row["measure"], "over": row["axis"], "size": size,
                 "seconds": seconds, "megabytes": max(peak, 1) / 1e6, "stated": row["stated"],
                 "fitted": row["fitted"], "tail": i >= first}
            )  # fmt: skip
    return pd.DataFrame(rows)


def growth_figure(results: Mapping[str, Any]) -> Figure:
    """Draw time and memory of every measure over its main size, a row of panels for each wing, on logarithmic axes.

    Color and dashes say what the docstring states. At the end of the lines of one color stand the least and the largest of
    their exponents of time.
    """
    table = curves(results)
    panels = [panel for panel in _PANELS if panel in set(table["panel"])]
    with style():
        fig, axes = drawing.rows(2 * len(panels), height=2.7)
        for left, right, panel in zip(axes[::2], axes[1::2], panels, strict=True):
            sizes = _PANELS[panel][1]
            part = table[table["panel"] == panel]
            ends = []
            for measure, line in part.groupby("measure", sort=False):
                place = _class(line["stated"].iloc[0])
                look: Any = {**drawing.look(place), "marker": "", "linewidth": 1.1}
                left.loglog(line["size"], line["seconds"], gid=str(measure), **look)
                right.loglog(line["size"], line["megabytes"], gid=str(measure), **look)
                ends.append((place, line["seconds"].iloc[-1], line["fitted"].iloc[0]))
            left.set(title=f"{panel}: seconds", xlabel=sizes)
            right.set(title=f"{panel}: megabytes", xlabel=sizes)
            right.set_ylim(bottom=1e-3)
            for ax in (left, right):
                low, high = part["size"].min(), part["size"].max()
                ax.set_xlim(low, high * (high / low) ** (0.45 if ax is left else 0.05))
                ax.xaxis.set_major_locator(mpl.ticker.LogLocator(numticks=4))
                ax.yaxis.set_major_locator(mpl.ticker.LogLocator(numticks=6))
            _write_ends(left, ends)
        handles = [
            mpl.lines.Line2D([], [], **{**drawing.look(i), "marker": ""}, label=f"stated: {words}")
            for i, (_, words) in enumerate(_CLASSES)
            if i in set(map(_class, table["stated"]))
        ]
        drawing.legend(fig, handles, columns=4)
        return drawing.finish(fig)


def cost_model(results: Mapping[str, Any]) -> pd.DataFrame:
    """Hold the cost model of the lesson on scale against what was measured, at the same sizes.

    Columns measure, score (of the model), over, model (the exponent of its operations), fitted, error, no_worse (than the
    model, by the rule of `exponents`), and at the largest size: operations per ns (those of the model for each measured
    nanosecond; the lesson has 100), MB of the model, MB measured.

    Examples
    --------
    >>> from reanalyses.trust import load
    >>> table = cost_model(load("growth"))
    >>> table.query("score == 'all-pairs' and over == 'N'")["model"].round(1).tolist()
    [2.0]
    """
    rows = []
    for row in results["rows"]:
        if row["measure"] not in _MODELLED or row["option"] or row["axis"] not in {"N", "n", "n_pairs"}:
            continue
        score = _MODELLED[row["measure"]]
        found = [
            cost(at["N"], at["n"], dtype="float64", score=score, n_pairs=at.get("n_pairs", 1))
            for at in ({**row["fixed"], row["axis"]: size} for size in row["sizes"])
        ]
        tail = row["fitted_sizes"]
        model = _slope(row["sizes"][-tail:], [f.flops for f in found][-tail:])
        rows.append(
            {
                "measure": row["measure"],
                "score": score,
                "over": row["axis"],
                "model": model,
                "fitted": row["fitted"],
                "error": row["error"],
                "no_worse": row["fitted"] <= model + 2 * row["error"] + results["margin"],
                "operations per ns": found[-1].flops / row["seconds"][-1] / 1e9,
                "MB of the model": found[-1].memory / 1e6,
                "MB measured": row["bytes"][-1] / 1e6,
            }
        )
    return pd.DataFrame(rows)


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['measure']}, {row['option']}" if row["option"] else str(row["measure"])


def _class(stated: float) -> int:
    return next(i for i, (most, _) in enumerate(_CLASSES) if stated < most)


def _slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def _write_ends(ax: Axes, ends: Sequence[tuple[int, float, float]]) -> None:
    """Write exponents at the right of lines, the least and the largest of each class, beside a piece of its line."""
    low, high = (math.log(y) for y in ax.get_ylim())
    at = 0.0
    groups = {place: [end for end in ends if end[0] == place] for place, *_ in ends}
    for group in sorted(
        groups.values(), key=lambda group: float(np.mean([math.log(y) for _, y, _ in group]))
    ):
        slopes = [f"{max(slope, 0.0):.1f}" for slope in sorted(slope for *_, slope in group)]
        height = (float(np.mean([math.log(y) for _, y, _ in group])) - low) / (high - low)
        at = max(height, at)
        y = min(at, 0.95)
        look: Any = {**drawing.look(group[0][0]), "marker": ""}
        ax.plot([0.71, 0.76], [y, y], transform=ax.transAxes, scalex=False, scaley=False, **look)
        ax.text(
            0.775, y, slopes[0] if slopes[0] == slopes[-1] else f"{slopes[0]} to {slopes[-1]}",
            transform=ax.transAxes, va="center", fontsize=9,
        )  # fmt: skip
        at += 0.1
