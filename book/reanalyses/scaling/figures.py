"""Figures on scale: data frames in, matplotlib figures out."""

from __future__ import annotations

import textwrap
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from reanalyses import style as drawing
from reanalyses.style import style

__all__ = ["benchmarks", "lost_digits", "reach_by_pairs", "seconds_by_points"]

_NAMES = {
    "isoscore": "IsoScore",
    "average-cosine": "mean cosine, all pairs",
    "sampled-pairs": "stress, sampled pairs",
    "all-pairs": "stress, all pairs",
    "stress": "Scale-normalized stress",
    "shepard": "Shepard goodness",
    "non-metric": "Non-metric stress",
}
_MARKS = {1.0: "a second", 3600.0: "an hour", 86400.0: "a day", 3.15576e7: "a year", 3.15576e9: "a century"}


def benchmarks(table: pd.DataFrame) -> Figure:
    """Draw what each task took others, in multiples of the time that it took ours, a line for each task.

    The axis is logarithmic, and ours is its 1; each contender has its name beside it.
    """
    tasks = list(dict.fromkeys(table["task"]))
    signs = {"floor": (6, "|", "floor: the least there is to do"), "package": (1, "s", "another package"), "obvious way": (2, "D", "the obvious way")}  # fmt: skip
    with style():
        fig, (ax,) = drawing.rows(1, height=0.9 + 0.34 * len(tasks))
        for kind, (color, marker, words) in signs.items():
            part = table[table["kind"] == kind]
            places = [tasks.index(task) for task in part["task"]]
            thin = kind == "floor"
            look: Any = {
                "marker": marker,
                "markersize": 11 if thin else 6,
                "markeredgewidth": 2 if thin else 0,
            }
            ax.plot(
                part["times_ours"],
                places,
                color=drawing.PALETTE[color],
                linestyle="none",
                label=words,
                **look,
            )
            for value, place, name in zip(part["times_ours"], places, part["name"], strict=True):
                left = value < 1 or value > 1000
                ax.annotate(
                    "" if thin else textwrap.shorten(name, 24, placeholder=" …"), (value, place),
                    (-8 if left else 8, 0), textcoords="offset points", va="center", ha="right" if left else "left",
                    fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                )  # fmt: skip
        for place, task in enumerate(tasks):
            others = table.loc[table["task"] == task, "times_ours"]
            ax.plot([min(1.0, others.min()), max(1.0, others.max())], [place, place], color="0.75", zorder=0)
        ax.plot(
            [1.0] * len(tasks), range(len(tasks)), "o", color=drawing.PALETTE[0], markersize=7, label="ours"
        )
        ax.axvline(1.0, color=drawing.PALETTE[0], linewidth=0.8, zorder=0)
        ax.set(
            xscale="log", xlabel="time, in multiples of ours (right: slower)", ylim=(len(tasks) - 0.5, -0.5)
        )
        ax.set_xlim(left=table["times_ours"].min() / 3000)  # room for the name of the fastest
        ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:,g}"))
        ax.set_yticks(range(len(tasks)), [textwrap.fill(task, 24) for task in tasks])
        ax.grid(visible=False, axis="y")
        drawing.legend(fig, ax.get_legend_handles_labels()[0], columns=2)
        return drawing.finish(fig)


def seconds_by_points(table: pd.DataFrame) -> Figure:
    """Draw the time of each score against the number of points, on logarithmic axes."""
    with style():
        fig, (ax,) = drawing.rows(1, height=3.6)
        for i, (score, rows) in enumerate(table.groupby("score", sort=False)):
            ax.loglog(
                rows["n_points"], rows["seconds"], label=_NAMES.get(str(score), score), **drawing.look(i)
            )
        ax.set_xlim(left=table["n_points"].min() / 6)  # room for the names of times
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
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                )
        ax.set_xlabel("points")
        ax.set_ylabel("seconds")
        drawing.legend(fig, ax.get_legend_handles_labels()[0], columns=2)
        return drawing.finish(fig)


def lost_digits(table: pd.DataFrame, *, real: float | None = None) -> Figure:
    """Draw the relative errors of several ways to one number against the distance of a cloud from the origin.

    `table` has the column offset and one for each way. Errors below the rounding of float64 are drawn there. `real` is
    the farthest distance among real embeddings, a gray line.
    """
    least = 2.0**-53
    with style():
        fig, (ax,) = drawing.rows(1, height=3.4)
        for i, way in enumerate(table.columns.drop("offset")):
            ax.loglog(table["offset"], table[way].clip(lower=least), label=way, **drawing.look(i))
        ax.axhline(1.0, color="0.3", linestyle=":", linewidth=1.2)
        ax.text(0.18, 1.0, "nothing is left", transform=ax.get_yaxis_transform(), va="bottom", fontsize=9)
        if real is not None:
            ax.axvline(real, color="0.6", linewidth=1.2)
            ax.text(
                1.2 * real, 0.9, "farthest of real embeddings", transform=ax.get_xaxis_transform(), fontsize=9
            )
        ax.set(xlabel="distance of the mean from the origin, in standard deviations", ylabel="relative error")
        drawing.legend(fig, ax.get_legend_handles_labels()[0], columns=2)
        return drawing.finish(fig)


def reach_by_pairs(table: pd.DataFrame) -> Figure:
    """Draw how far each interval reaches to either side against the number of pairs, on logarithmic axes.

    Beside each measure a gray line from its first interval: a tenth of the reach for a hundred times the pairs.
    """
    with style():
        fig, (ax,) = drawing.rows(1, height=3.0)
        for i, (measure, rows) in enumerate(table.groupby("measure", sort=False)):
            pairs, reach = rows["n_pairs"], (rows["high"] - rows["low"]) / 2
            ax.loglog(pairs, reach, label=_NAMES.get(str(measure), str(measure)), **drawing.look(i))
            falling = reach.iloc[0] * (pairs.iloc[0] / pairs) ** 0.5
            name = "one over the root of the pairs" if i == 0 else None
            ax.loglog(pairs, falling, color="0.5", linestyle="--", linewidth=1.2, zorder=0, label=name)
        ax.set(xlabel="pairs visited", ylabel="interval, to either side")
        drawing.legend(fig, ax.get_legend_handles_labels()[0], columns=2)
        return drawing.finish(fig)
