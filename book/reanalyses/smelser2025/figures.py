"""Figures of Part 3, drawn from the tables of the experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reanalyses import style
from reanalyses.smelser2025.experiments.projection_sets import label

#: Display names of measures.
MEASURES = {
    "ns": "NS",
    "sgs": "SGS",
    "nms": "NMS",
    "sns": "SNS",
    "fsns": "FSNS",
    "snkl": "SNKL",
    "fskl": "FSKL",
    "kl_1": "KL at 1",
    "kl_10": "KL at 10",
}


def stress_curves(table: pd.DataFrame, crossings: pd.DataFrame | None = None) -> Figure:
    """Draw normalized stress as a function of the scale of each projection, with crossings (Figure 1).

    Both axes are logarithmic.
    """
    with style.style():
        fig, (ax,) = style.rows(1, height=3.6)
        handles = _draw_curves(ax, table, "stress")
        ax.axhline(1.0, color="0.4", linewidth=0.8)
        if crossings is not None:
            ax.plot(
                crossings["scale"],
                crossings["stress"],
                "o",
                markersize=8,
                color="black",
                markerfacecolor="none",
            )
            handles.append(style.dot("crossing", markersize=8, markerfacecolor="none"))
        ax.set(
            xscale="log",
            yscale="log",
            xlabel="factor of the projection's own size",
            ylabel="normalized stress",
        )
        return style.finish(fig, handles, columns=4)


def kl_curves(table: pd.DataFrame, summary: pd.DataFrame | None = None) -> Figure:
    """Draw the divergence as a function of the scale of each projection, which is logarithmic (Figure 3)."""
    looks = style.looks(table["method"], "method")
    with style.style():
        fig, (ax,) = style.rows(1, height=3.4)
        handles = _draw_curves(ax, table, "divergence")
        if summary is not None:
            for row in summary.itertuples():
                if row.method in looks and table["scale"].min() <= row.best_scale <= table["scale"].max():
                    look = looks[row.method] | {"linestyle": "none", "markersize": 8}
                    ax.plot([row.best_scale], [row.scale_normalized_kl], **look)
        ax.set(
            xscale="log", xlabel="factor of the projection's own size", ylabel="KL divergence", ylim=(0, None)
        )
        return style.finish(fig, handles)


def divergence_curve(table: pd.DataFrame, minima: pd.DataFrame | None = None) -> Figure:
    """Draw the divergence of one projection by scale: Appendix B, or data with an outlier."""
    with style.style():
        fig, (ax,) = style.rows(1, height=3.0)
        ax.plot(table["scale"], table["divergence"], color=style.PALETTE[0])
        if minima is not None:
            ax.plot(minima["scale"], minima["divergence"], "s", color=style.PALETTE[1], markersize=7)
            for scale, value in minima[["scale", "divergence"]].itertuples(index=False):
                ax.annotate(f"{value:.3f}", (scale, value), (0, -14), textcoords="offset points", ha="center")
            ax.margins(y=0.15)
        ax.set(xscale="log", xlabel="scale", ylabel="KL divergence")
        return style.finish(fig)


def floored_gaussian(table: pd.DataFrame) -> Figure:
    """Draw the divergence for the Gaussian kernel, with and without a floor (Figure 4).

    Both axes are logarithmic, and markers are at the local minima.
    """
    with style.style():
        fig, (ax,) = style.rows(1, height=3.4)
        handles = []
        for i, (values, flags, name) in enumerate(
            (("divergence", "minimum", "nothing floored"), ("floored", "floored_minimum", "q floored"))
        ):
            look = style.look(i) | {"marker": "none"}
            (line,) = ax.plot(table["scale"], table[values], label=name, **look)
            handles.append(line)
            minima = table[table[flags]]
            ax.plot(minima["scale"], minima[values], "os"[i], color=look["color"], markersize=7)
        ax.set(
            xscale="log", yscale="log", xlabel="factor of the projection's own size", ylabel="KL divergence"
        )
        return style.finish(fig, handles)


def shepard_diagrams(table: pd.DataFrame) -> Figure:
    """Draw the distances of projections against those of the data, with the monotone fit (Figure 2)."""
    looks = style.looks(table["method"], "method")
    with style.style():
        fig, axes = style.rows(len(looks), height=2.7)
        for ax, (method, look) in zip(axes, looks.items(), strict=True):
            pairs = table[table["method"] == method]
            dots = {"linestyle": "none", "marker": look["marker"], "markersize": 2.2, "alpha": 0.6}
            ax.plot(pairs["d"], pairs["e"], color=look["color"], **dots)
            ax.plot(pairs["d"], pairs["fitted"], color="black")
            ax.set(
                title=f"{label(method)}, ρ = {pairs['shepard_goodness'].iloc[0]:.3f}".replace("-0.", "−0."),
                xlabel="distance in the data",
                ylabel="distance in the projection",
            )
        return style.finish(fig)


def order_bars(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the order of projections as a function of the common scale, one bar per dataset.

    The scale axis is logarithmic; the outer intervals extend to 0 and to infinity.
    """
    orders = list(dict.fromkeys(order for table in tables.values() for order in table["order"]))
    edges = np.concatenate(
        [table[["low", "high"]].to_numpy(dtype=float).ravel() for table in tables.values()]
    )
    inner = edges[(edges > 0) & np.isfinite(edges)]
    left, right = (inner.min() / 10, inner.max() * 10) if inner.size else (0.1, 10.0)
    hatches = ("", "//", "..", "xx", "--", "\\\\")
    with style.style():
        fig, (ax,) = style.rows(1, height=0.9 + 0.5 * len(tables))
        for row, table in enumerate(tables.values()):
            for order, low, high in table[["order", "low", "high"]].itertuples(index=False):
                i = orders.index(order)
                low, high = max(low, left), min(high, right)
                ax.barh(
                    row, high - low, left=low, height=0.6, facecolor=(*style.PALETTE[i % 10], 0.45),
                    edgecolor=style.PALETTE[i % 10], hatch=hatches[i % 6],
                )  # fmt: skip
        ax.set(xscale="log", xlim=(left, right), xlabel="common factor of all projections")
        ax.set_yticks(range(len(tables)), list(tables))
        ax.invert_yaxis()
        ax.grid(visible=False, axis="y")
        handles = [
            mpl.patches.Patch(
                facecolor=(*style.PALETTE[i % 10], 0.45), edgecolor=style.PALETTE[i % 10], hatch=hatches[i % 6],
                label=_order_label(order),
            )
            for i, order in enumerate(orders)
        ]  # fmt: skip
        return style.finish(fig, handles, columns=2)


def sensitivity(table: pd.DataFrame, *, dataset: str | None = None) -> Figure:
    """Draw each measure as noise is added to projections, one row per method (Figures 5 and 15 to 18).

    The left panel shows normalized stress on a logarithmic axis; the right one shows invariant measures.
    """
    rows = table[table["dataset"] == (table["dataset"].iloc[0] if dataset is None else dataset)]
    methods = list(dict.fromkeys(rows["method"]))
    looks = style.looks(rows["measure"], "measure")
    with style.style():
        fig, axes = style.rows(2 * len(methods), height=1.9, sharex=True)
        for i, method in enumerate(methods):
            for measure, look in looks.items():
                ax = axes[2 * i + (measure != "ns")]
                curve = rows[(rows["method"] == method) & (rows["measure"] == measure)]
                ax.plot(curve["step"], curve["value"], markevery=10, **look)
            axes[2 * i].set(yscale="log", title=f"{label(method)}: NS")
            axes[2 * i + 1].set(title=f"{label(method)}: scale-invariant")
        for ax in axes[-2:]:
            ax.set_xlabel("steps of noise")
        handles = [
            Line2D([], [], **look, label="1 − SGS" if measure == "sgs" else MEASURES.get(measure, measure))
            for measure, look in looks.items()
        ]
        return style.finish(fig, handles, columns=5)


def noise_correlations(table: pd.DataFrame) -> Figure:
    """Draw the correlation between each measure and the amount of noise, one point per dataset (Figures 6 and 14).

    There is one panel per method.
    """
    measures = list(dict.fromkeys(table["measure"]))
    looks = style.looks(table["dataset"], "dataset")
    with style.style():
        fig, axes = style.rows(table["method"].nunique(), height=2.1, sharex=True, sharey=True)
        for ax, (method, method_rows) in zip(axes, table.groupby("method", sort=False), strict=True):
            for dataset, look in looks.items():
                rows = method_rows[method_rows["dataset"] == dataset]
                dots = look | {"linestyle": "none", "markersize": 6}
                ax.plot(rows["pearson"], [measures.index(name) for name in rows["measure"]], **dots)
            ax.axvline(0, color="black", linewidth=0.8)
            ax.set(title=label(method), xlim=(-1.08, 1.08), xlabel="correlation with steps")
        style.name_rows(axes, ["1 − SGS" if name == "sgs" else MEASURES.get(name, name) for name in measures])
        handles = [
            Line2D([], [], **(look | {"linestyle": "none"}), label=name) for name, look in looks.items()
        ]
        return style.finish(fig, handles)


def table_3_range(table: pd.DataFrame) -> Figure:
    """Draw the possible contributions of some datasets to Table III, one panel per method."""
    shown = table[(table["scale"] == 1) | (table["measure"] == "ns")]
    order = list(MEASURES)
    with style.style():
        fig, axes = style.rows(shown["method"].nunique(), height=1.9, sharex=True, sharey=True)
        for ax, (method, rows) in zip(axes, shown.groupby("method", sort=False), strict=True):
            rows = rows.sort_values("measure", key=lambda names: names.map(order.index), kind="stable")
            names = [
                MEASURES[measure] + (" × 10" if scale != 1 else "")
                for measure, scale in rows[["measure", "scale"]].itertuples(index=False)
            ]
            y = range(len(rows))
            ax.hlines(y, rows["least"], rows["most"], color="0.75", linewidth=7, zorder=1)
            ax.plot(
                rows["printed"],
                y,
                "o",
                markersize=9,
                color="black",
                markerfacecolor="none",
                markeredgewidth=1.4,
            )
            ax.plot(rows["consistent"], y, "D", markersize=4.5, color=style.PALETTE[0])
            ax.set_yticks(y, names)
            ax.set(
                title=f"{label(method)} before MDS",
                xlabel="% of trials",
                xlim=(-5, 105),
                ylim=(len(rows) - 0.5, -0.5),
            )
        handles = [
            style.dot("printed", markersize=9, markeredgewidth=1.4, markerfacecolor="none"),
            mpl.patches.Patch(facecolor="0.75", label="possible as published"),
            style.dot("ours, consistent", marker="D", markersize=4.5, color=style.PALETTE[0]),
        ]
        return style.finish(fig, handles)


def kl_order_percentages(table: pd.DataFrame) -> Figure:
    """Draw our and published percentages of each order by divergence, one panel per measure (Table IV)."""
    orders = list(dict.fromkeys(table["order"]))
    looks = style.looks(table["measure"], "measure")
    with style.style():
        fig, axes = style.rows(len(looks), height=2.3, sharex=True, sharey=True)
        for ax, (measure, rows) in zip(axes, table.groupby("measure", sort=False), strict=True):
            y = [orders.index(order) for order in rows["order"]]
            color, marker = looks[measure]["color"], looks[measure]["marker"]
            ax.plot(rows["printed"], y, marker, markersize=9, color="black", markerfacecolor="none")
            ax.plot(rows["percent"], y, marker, markersize=5, color=color)
            ax.set(title=MEASURES.get(measure, measure), xlabel="% of trials", xlim=(-5, 105))
        style.name_rows(axes, [_order_label(order) for order in orders])
        published = style.dot("printed", markersize=9, markerfacecolor="none")
        return style.finish(fig, [style.dot("ours", markersize=5), published])


def rank_changes(ranks: pd.DataFrame) -> Figure:
    """Draw the ranks of methods by stress at their own and at their optimal scales (Figure 7).

    Each dataset has a small panel with the rank by NS on the left and by SNS on the right, 1 at the top.
    """
    methods = list(dict.fromkeys(ranks["method"]))
    worst = int(ranks[["ns_rank", "sns_rank"]].to_numpy().max())
    looks = style.looks(methods, "method")
    with style.style():
        # Omit the axes, so that four small panels fit.
        fig, axes = style.rows(ranks["dataset"].nunique(), height=1.5, columns=4)
        for i, (ax, (name, rows)) in enumerate(zip(axes, ranks.groupby("dataset", sort=False), strict=True)):
            for method, before, after in rows[["method", "ns_rank", "sns_rank"]].itertuples(index=False):
                ax.plot([0, 1], [before, after], **looks[method])
            ax.set(title=name, xlim=(-0.15, 1.15), ylim=(worst + 0.4, 0.6))
            ax.set_xticks([0, 1], ["NS", "SNS"])
            ax.set_yticks(range(1, worst + 1))
            ax.tick_params(labelleft=i % 4 == 0)
            ax.grid(visible=False, axis="x")
        handles = [Line2D([], [], **looks[method], label=label(method)) for method in methods]
        return style.finish(fig, handles, columns=5)


def preprocessing(table: pd.DataFrame) -> Figure:
    """Draw measures of the same projections against the raw data, as published, and against the projected data.

    Each measure has a panel with lines from hollow (as published) to filled markers (consistent).
    """
    looks = style.looks(table["measure"], "measure")
    with style.style():
        pairs = table[["dataset", "method"]].drop_duplicates()
        names = [f"{dataset}, {label(method)}" for dataset, method in pairs.itertuples(index=False)]
        fig, axes = style.rows(len(looks), height=0.9 + 0.32 * len(names), sharey=True)
        for ax, (measure, rows) in zip(axes, table.groupby("measure", sort=False), strict=True):
            y = [names.index(f"{row.dataset}, {label(row.method)}") for row in rows.itertuples()]
            color, marker = looks[measure]["color"], looks[measure]["marker"]
            ax.hlines(y, rows["as_published"], rows["consistent"], color="0.6", linewidth=1.4, zorder=1)
            ax.plot(rows["as_published"], y, marker, color=color, markerfacecolor="white", markersize=6.5)
            ax.plot(rows["consistent"], y, marker, color=color, markersize=6.5)
            better = "higher" if measure == "sgs" else "lower"
            ax.set(title=MEASURES.get(measure, measure), xlabel=f"{better} is better", xlim=(0, None))
        style.name_rows(axes, names)
        hollow = style.dot("as published", markerfacecolor="white")
        return style.finish(fig, [hollow, style.dot("consistent")])


def _draw_curves(ax: Axes, table: pd.DataFrame, column: str) -> list[Any]:
    """Draw a line for each method, with a marker at its own size if it is within the axis."""
    handles = []
    for method, look in style.looks(table["method"], "method").items():
        curve = table[table["method"] == method]
        ax.plot(curve["scale"], curve[column], **(look | {"marker": "none"}))
        if curve["scale"].min() <= 1.0 <= curve["scale"].max():
            at_own_size = float(np.interp(1.0, curve["scale"], curve[column]))
            ax.plot([1.0], [at_own_size], **(look | {"linestyle": "none", "markersize": 6}), zorder=3)
        handles.append(Line2D([], [], **look, label=label(str(method))))
    return handles


def _order_label(order: str) -> str:
    return " < ".join(label(method) for method in order.split(" < "))
