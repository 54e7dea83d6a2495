"""Figures on scale: data frames in, matplotlib figures out."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reanalyses import style as drawing
from reanalyses.style import style

__all__ = ["estimates_by_pairs", "seconds_by_points"]

_NAMES = {
    "isoscore": "IsoScore",
    "isoscore-corrected": "corrected IsoScore",
    "moments": "moments",
    "average-cosine": "mean cosine, all pairs",
    "sampled-pairs": "stress, sampled pairs",
    "all-pairs": "stress, all pairs",
    "stress": "Scale-normalized stress",
    "shepard": "Shepard goodness",
    "non-metric": "Non-metric stress",
}
_MARKS = {1.0: "a second", 3600.0: "an hour", 86400.0: "a day", 3.15576e7: "a year", 3.15576e9: "a century"}


def seconds_by_points(table: pd.DataFrame) -> Figure:
    """Draw the time of each score against the number of points, on logarithmic axes."""
    drawing.require(table, "table", ["score", "n_points", "seconds"])
    with style():
        fig, (ax,) = drawing.rows(1, height=3.6)
        for i, (score, rows) in enumerate(table.groupby("score", sort=False)):
            ax.loglog(
                rows["n_points"], rows["seconds"], label=_NAMES.get(str(score), score), **drawing.look(i)
            )
        low, high = ax.get_ylim()
        for seconds, name in _MARKS.items():
            if low < seconds < high:
                ax.axhline(seconds, color="0.75", linewidth=0.8, zorder=0)
                ax.text(
                    0.01,
                    seconds,
                    name,
                    transform=ax.get_yaxis_transform(),
                    ha="left",
                    va="bottom",
                    fontsize=9,
                    color="0.35",
                )
        ax.set_xlabel("points")
        ax.set_ylabel("seconds")
        drawing.legend(fig, ax.get_legend_handles_labels()[0], columns=2)
        return drawing.finish(fig)


def estimates_by_pairs(table: pd.DataFrame) -> Figure:
    """Draw estimates with their intervals against the number of pairs, a panel for each measure.

    Deviation from the estimate of the largest sample, whose own interval is the last one.
    """
    drawing.require(table, "table", ["measure", "n_pairs", "value", "low", "high"])
    groups = list(table.groupby("measure", sort=False))
    with style():
        fig, axes = drawing.rows(len(groups), height=2.0, columns=1, sharex=True)
        for i, (ax, (measure, rows)) in enumerate(zip(axes, groups, strict=True)):
            last = float(rows.loc[rows["n_pairs"].idxmax(), "value"])
            reach = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
            look = drawing.look(i) | {"linestyle": "none"}
            ax.errorbar(rows["n_pairs"], rows["value"] - last, yerr=reach, capsize=3, **look)
            ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
            ax.set_xscale("log")
            ax.set_title(_NAMES.get(str(measure), str(measure)))
            ax.set_ylabel("deviation")
        axes[-1].set_xlabel("pairs visited")
        return drawing.finish(fig)
