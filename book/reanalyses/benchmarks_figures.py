"""Figure for the page on benchmarks."""

from __future__ import annotations

import textwrap
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from reanalyses import style


def benchmarks(table: pd.DataFrame) -> Figure:
    """Draw the time of each competitor as a multiple of ours, one row per task.

    The axis is logarithmic, our time is 1, and each competitor is labeled with its name.
    """
    tasks = list(dict.fromkeys(table["task"]))
    series = {"floor": (6, "|", "floor: the least there is to do"), "package": (1, "s", "another package"), "obvious way": (2, "D", "the obvious way")}  # fmt: skip
    with style.style():
        fig, (ax,) = style.rows(1, height=0.9 + 0.34 * len(tasks))
        for kind, (color, marker, label) in series.items():
            group = table[table["kind"] == kind]
            rows = [tasks.index(task) for task in group["task"]]
            is_floor = kind == "floor"
            look: Any = {
                "marker": marker,
                "markersize": 11 if is_floor else 6,
                "markeredgewidth": 2 if is_floor else 0,
            }
            ax.plot(
                group["times_ours"], rows, color=style.PALETTE[color], linestyle="none", label=label, **look
            )
            for value, row, name in zip(group["times_ours"], rows, group["name"], strict=True):
                left = value < 1 or value > 1000
                ax.annotate(
                    "" if is_floor else textwrap.shorten(name, 24, placeholder=" …"), (value, row),
                    (-8 if left else 8, 0), textcoords="offset points", va="center", ha="right" if left else "left",
                    fontsize=9, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
                )  # fmt: skip
        for row, task in enumerate(tasks):
            times = table.loc[table["task"] == task, "times_ours"]
            ax.plot([min(1.0, times.min()), max(1.0, times.max())], [row, row], color="0.75", zorder=0)
        ax.plot(
            [1.0] * len(tasks), range(len(tasks)), "o", color=style.PALETTE[0], markersize=7, label="ours"
        )
        ax.axvline(1.0, color=style.PALETTE[0], linewidth=0.8, zorder=0)
        ax.set(
            xscale="log", xlabel="time, in multiples of ours (right: slower)", ylim=(len(tasks) - 0.5, -0.5)
        )
        ax.set_xlim(left=table["times_ours"].min() / 3000)  # room for the name of the fastest competitor
        ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:,g}"))
        ax.set_yticks(range(len(tasks)), [textwrap.fill(task, 24) for task in tasks])
        ax.grid(visible=False, axis="y")
        return style.finish(fig, ax, columns=2)
