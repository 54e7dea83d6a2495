"""Figures of Part 2, drawn from tables and lattices with Matplotlib.

Table 1 and Figures 1–3 of Kindel (2023), redrawn from the experiments of this package, and further figures of the
lessons. The style is that of `reanalyses.style`: at most two panels with axes per row, and a marker and a line style
in addition to every color.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from isotropy_lab._core.rows import unit_rows
from reanalyses import style

_NULLS = ("A random", "B random", "both random")


def weat_scores(table: pd.DataFrame) -> Figure:
    """Draw Table 1: both scores of every test, with our values next to the published ones."""
    y = np.arange(len(table))
    looks = list(style.looks(["mean-cosine", "canonical"], "similarity").values())
    with style.style():
        fig, axes = plt.subplots(
            1, 2, figsize=(style.WIDTH, 1.1 + 0.3 * len(table)), sharey=True, sharex=True
        )
        for i, (ax, name) in enumerate(zip(axes, ("weat_mcs", "weat_canonical"), strict=True)):
            color, marker = looks[i]["color"], looks[i]["marker"]
            ours, published = table[name].to_numpy(float), table[f"printed_{name}"].to_numpy(float)
            ax.hlines(y, ours, published, color="0.6", linewidth=1.4, zorder=1)
            ax.plot(ours, y, marker, color=color, markersize=6, label="this space")
            ax.plot(published, y, marker, markerfacecolor="white", color=color, markersize=6, label="printed")
            ax.axvline(0, color="black", linewidth=0.8)
            ax.set(title=("mean cosine", "canonical")[i], xlabel="score")
        axes[0].set_yticks(y, [name.replace("weat-", "WEAT ") for name in table["test"]])
        axes[0].set_ylim(len(table) - 0.4, -0.6)
        handles = [style.dot("this space"), style.dot("printed", markerfacecolor="white")]
        return style.finish(fig, handles)


def two_planes(lists: Mapping[str, Any]) -> Figure:
    """Draw two lists of two words in three dimensions: their mean unit vectors, and the planes that they span."""
    pair = {label: unit_rows(lists[name]) for label, name in (("A", "A"), ("B", "tilted"))}
    with style.style(), mpl.rc_context({"axes.grid": False}):
        fig, (left, right) = plt.subplots(1, 2, figsize=(style.WIDTH, 3.2))
        left.set_title("mean cosine: two arrows")
        right.set_title("canonical: two planes")
        # The base plane, and the height of B's word above it.
        _draw_plane(left, np.eye(2, 3), facecolor="0.94")
        tip = pair["B"][1]
        height = [_project_to_page(point) for point in (tip, tip * [1, 1, 0])]
        left.plot(*zip(*height, strict=True), color="0.5", linestyle=":", linewidth=1.2)
        for i, (label, words) in enumerate(pair.items()):
            color, line = style.PALETTE[i], ("-", "--")[i]
            mean = _project_to_page(words.mean(axis=0))
            left.plot(*zip((0, 0), mean, strict=True), color=color, linewidth=6, alpha=0.5)
            _annotate(left, f"mean of {label}", mean, (8, 0))
            _draw_plane(right, words, facecolor=(*color, 0.25), edgecolor=color, linestyle=line)
            for ax, name in ((left, "word"), (right, "plane")):
                # The first word of each list is in both lists.
                looks = ("black", "-", "D"), (color, line, "os"[i])
                for word, (word_color, word_line, marker) in zip(words, looks, strict=True):
                    end = _project_to_page(word)
                    ax.plot(*zip((0, 0), end, strict=True), color=word_color, linestyle=word_line)
                    ax.plot(*end, marker=marker, color=word_color, markersize=6)
                _annotate(ax, f"{name} of {label}", _project_to_page(words[1]))
        _annotate(left, "in both lists", _project_to_page(pair["A"][0]))
        _annotate(right, "line in both", _project_to_page((1.1, 0, 0)), (-4, -9))
        for ax in (left, right):
            ax.set(xlim=(-0.25, 1.75), ylim=(-0.95, 1.2), aspect="equal")
            ax.axis("off")
        return style.finish(fig)


def _draw_plane(ax: Axes, words: Any, **look: Any) -> None:
    """Draw a part of the plane that two words in space span."""
    corners = [a * words[0] + b * words[1] for a, b in ((-0.5, 0), (1.1, 0), (1.1, 1), (-0.5, 1))]
    ax.add_patch(mpl.patches.Polygon(_project_to_page(corners), **look))


def _annotate(ax: Axes, text: str, point: Any, offset: tuple[int, int] = (9, 0)) -> None:
    ax.annotate(text, point, offset, textcoords="offset points", va="center")


def word_associations(table: pd.DataFrame) -> Figure:
    """Draw the association of every target word, with the means of both lists, in one panel per list.

    In each panel, the mean of its own list is dashed and the other dotted; their distance is the score.
    """
    lists = list(dict.fromkeys(table["list"]))
    longest = int(table["list"].value_counts().max())
    looks = style.looks(lists, "list")
    with style.style():
        fig, axes = style.rows(len(lists), height=0.5 + 0.19 * longest, sharex=True)
        for ax, label in zip(axes, lists, strict=True):
            words = table.loc[table["list"] == label]
            look = looks[label] | {"linestyle": "none", "markersize": 5}
            y, values = np.arange(len(words)), words["association"].to_numpy(dtype=float)
            ax.hlines(y, 0, values, color="0.7", linewidth=1.2, zorder=1)
            ax.plot(values, y, **look)
            ax.axvline(0, color="black", linewidth=0.8)
            ax.axvline(values.mean(), color="black", linestyle="--", linewidth=1.2, label="mean of the list")
            ax.set_yticks(y, words["word"])
            ax.set(title=label, xlabel="association", ylim=(len(words) - 0.4, -0.6))
            ax.grid(visible=False, axis="y")
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(4))
        means = [table.loc[table["list"] == label, "association"].mean() for label in lists]
        for ax, other_mean in zip(axes, means[::-1], strict=True):
            ax.axvline(other_mean, color="0.35", linestyle=":", linewidth=1.2, label="mean of the other list")
            ax.set_ylim(top=-2.2)
            ax.annotate("", (means[0], -1.2), (means[1], -1.2), arrowprops={"arrowstyle": "<->"})
        score = f"score {means[0] - means[1]:.3f}".replace("-", "−")
        axes[0].annotate(
            score, (max(means), -1.2), xytext=(6, 0), textcoords="offset points", va="center", fontsize=9
        )
        style.legend(fig, axes[0].get_legend_handles_labels()[0])
        return style.finish(fig)


def effect_sizes(tables: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the effect size of every test next to the published value, in one panel per space.

    Our values are filled, and published ones are hollow and larger, so that both are visible if they agree.
    """
    tests = list(dict.fromkeys(test for table in tables.values() for test in table["test"]))
    looks = style.looks(tables, "model")
    with style.style():
        fig, axes = style.rows(len(tables), height=0.6 + 0.3 * len(tests), sharex=True, sharey=True)
        for ax, (name, table) in zip(axes, tables.items(), strict=True):
            color, marker = looks[name]["color"], looks[name]["marker"]
            y = [tests.index(test) for test in table["test"]]
            ax.hlines(y, table["effect_size"], table["published"], color="0.6", linewidth=1.4, zorder=1)
            ax.plot(table["published"], y, marker, markersize=9, color="black", markerfacecolor="none")
            ax.plot(table["effect_size"], y, marker, markersize=4.5, color=color)
            ax.axvline(0, color="black", linewidth=0.8)
            ax.set(title=name, xlabel="effect size", ylim=(len(tests) - 0.4, -0.6))
        axes[0].set_yticks(range(len(tests)), [test.replace("weat-", "WEAT ") for test in tests])
        published = style.dot("published", markersize=9, markerfacecolor="none")
        return style.finish(fig, [style.dot("ours", markersize=4.5), published])


def chance_levels(table: pd.DataFrame) -> Figure:
    """Draw canonical similarities of lists against the mean for random subspaces of the same dimensions.

    There is one panel per space; a similarity on the dotted line equals its chance level.
    """
    spaces, lengths = list(dict.fromkeys(table["space"])), sorted(table["n"].unique())
    groups = [("N up to 8", 1, 9), ("N from 9 to 24", 9, 25), ("N of 25 and more", 25, np.inf)]
    groups = [group for group in groups if any(group[1] <= n < group[2] for n in lengths)]
    top = 1.06 * float(table[["chance", "canonical"]].to_numpy().max())
    with style.style():
        fig, axes = style.rows(len(spaces), height=2.9, sharex=True, sharey=True)
        for ax, space in zip(axes, spaces, strict=True):
            for i, (label, low, high) in enumerate(groups):
                group = table.loc[(table["space"] == space) & (table["n"] >= low) & (table["n"] < high)]
                ax.scatter(
                    group["chance"],
                    group["canonical"],
                    s=26,
                    color=style.PALETTE[i],
                    marker="os^"[i],
                    alpha=0.75,
                    linewidths=0,
                    label=label,
                )
            ax.plot([0, top], [0, top], color="black", linestyle=":", label="chance")
            ax.set(
                title=space,
                xlabel="chance √(k₁k₂)/p",
                ylabel="canonical similarity",
                xlim=(0, top),
                ylim=(0, top),
            )
        return style.finish(fig, axes[0], columns=2)


def within_heatmaps(lattices: Mapping[str, Sequence[Any]]) -> Figure:
    """Draw Figure 1: heatmaps of the similarities of sublists, by list and length q.

    A red cross marks the maximum of a row if it is off the diagonal, that is, if a sublist is more similar to
    another one than to itself. Every heatmap has its own color scale.
    """
    n_rows = max(len(levels) for levels in lattices.values())
    with style.style(), mpl.rc_context({"axes.grid": False}):
        fig, grid = plt.subplots(
            n_rows,
            len(lattices),
            figsize=(style.WIDTH, style.WIDTH / max(len(lattices), 3) * n_rows + 0.4),
            squeeze=False,
        )
        for column, (label, levels) in enumerate(lattices.items()):
            for row in range(n_rows):
                ax = grid[row, column]
                if row >= len(levels):
                    ax.set_visible(False)
                    continue
                level = levels[row]
                _draw_heatmap(ax, level.values)
                rows, maxima = _off_diagonal_maxima(level.values)
                ax.plot(maxima, rows, "x", color="#d62728", markersize=4, markeredgewidth=1.1)
                ax.set_xlabel(f"{len(rows)} of {len(level.values)}", fontsize=9, labelpad=2)
                if not row:
                    ax.set_title(label)
                if not column:
                    ax.set_ylabel(f"q = {level.q}")
        return style.finish(fig)


def consistency(table: pd.DataFrame) -> Figure:
    """Draw the fraction of sublists outscored by mean cosine, for every list."""
    look = style.looks(["mean-cosine"], "similarity")["mean-cosine"]
    with style.style():
        fig, axes = style.rows(table["list"].nunique(), height=2.2, sharex=True, sharey=True)
        for ax, (label, profile) in zip(axes, table.groupby("list", sort=False), strict=True):
            ax.plot(profile["q"], 1.0 - profile["weak"], label="mean cosine", **look)
            ax.set(title=label, xlabel="words in a sublist q", ylabel="share outscored", ylim=(-0.04, 1.04))
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        return style.finish(fig, axes[0])


def condition_numbers(table: pd.DataFrame) -> Figure:
    """Draw condition numbers of cosine matrices against the margins of sublists (Figure 1, right)."""
    shown = table.loc[(table["q"] > 1) & np.isfinite(table["cosine_matrix"].to_numpy(dtype=float))]
    with style.style():
        fig, axes = style.rows(shown["list"].nunique(), height=2.3)
        for ax, (label, sublists) in zip(axes, shown.groupby("list", sort=False), strict=True):
            for is_outscored, color, marker, size, words in (
                (False, style.PALETTE[0], "o", 9, "closest to itself"),
                (True, style.PALETTE[3], "x", 18, "another is closer"),
            ):
                group = sublists.loc[sublists["outscored"] == is_outscored]
                ax.scatter(
                    group["cosine_matrix"],
                    group["margin"],
                    s=size,
                    color=color,
                    marker=marker,
                    alpha=0.8,
                    linewidths=0.0 if marker == "o" else 1.0,
                    label=words,
                )
            ax.axhline(0, color="black", linewidth=0.8)
            ax.set(title=label, xscale="log", xlabel="condition number", ylabel="margin")
            ax.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1.0, 2.0, 5.0), numticks=4))
            ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda v, _: f"{v:,.0f}"))
            ax.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
        return style.finish(fig, axes[0])


def expected_consistency_by_k(table: pd.DataFrame) -> Figure:
    """Draw the expected consistency of mean cosine similarity as a function of the list length."""
    with style.style():
        fig, axes = style.rows(table["list"].nunique(), height=2.6, sharey=True)
        for ax, (label, rows) in zip(axes, table.groupby("list", sort=False), strict=True):
            for i, (q, curve) in enumerate(rows.groupby("q")):
                look = {**style.look(i), "markevery": max(1, len(curve) // 6)}
                ax.plot(curve["k"], curve["expected_weak"], label=f"q = {q}", **look)
            ax.set(
                title=label, xlabel="words in the list k", ylabel="expected consistency", ylim=(-0.03, 1.03)
            )
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        return style.finish(fig, axes[0], columns=5)


def between_ranges(table: pd.DataFrame) -> Figure:
    """Draw the mean, minimum, and maximum similarity of sublists of two lists by length q (Figure 2, right).

    Lines are means, and bands extend from the minimum to the maximum. Every panel has its own scale.
    """
    with style.style():
        fig, axes = style.rows(table["lists"].nunique(), height=2.4, sharex=True)
        for ax, (pair, rows) in zip(axes, table.groupby("lists", sort=False), strict=True):
            for metric, look in style.looks(
                ("canonical, scaled", "mean squared cosine", "squared mean cosine"), "similarity"
            ).items():
                curve = rows.loc[rows["metric"] == metric]
                ax.fill_between("q", "minimum", "maximum", data=curve, color=look["color"], alpha=0.14, lw=0)
                ax.plot(curve["q"], curve["mean"], label=metric, **look)
            ax.set(title=pair, xlabel="words in a sublist q", ylabel="similarity")
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        return style.finish(fig, axes[0])


def between_heatmaps(matrices: Mapping[int, Any]) -> Figure:
    """Draw the similarities of all sublists of two lists, for each size (Figure 2, left).

    All heatmaps have the same color scale.
    """
    low = min(float(similarities.min()) for similarities in matrices.values())
    high = max(float(similarities.max()) for similarities in matrices.values())
    columns = min(4, len(matrices))
    n_rows = -(-len(matrices) // columns)
    with style.style(), mpl.rc_context({"axes.grid": False}):
        fig, grid = plt.subplots(n_rows, columns, figsize=(style.WIDTH, 1.75 * n_rows + 0.7), squeeze=False)
        for ax in grid.ravel()[len(matrices) :]:
            ax.set_visible(False)
        for ax, (q, similarities) in zip(grid.ravel(), matrices.items(), strict=False):
            image = _draw_heatmap(ax, similarities, low=low, high=high)
            ax.set_title(f"q = {q}")
        fig.colorbar(
            image,
            ax=list(grid.ravel()),
            location="bottom",
            shrink=0.6,
            aspect=40,
            label="similarity",
            pad=0.02,
        )
        return style.finish(fig)


def congruence_nulls(nulls: Any) -> Figure:
    """Draw every canonical congruence with the intervals of three null distributions (Figure 3)."""
    table, totals = nulls.congruences, nulls.totals
    labels = {"A random": "first list random", "B random": "second list random"}
    handles: list[Any] = []
    with style.style():
        fig, axes = style.rows(table["lists"].nunique(), height=2.7, sharex=True, sharey=True)
        for ax, (pair, rows) in zip(axes, table.groupby("lists", sort=False), strict=True):
            for i, null in enumerate(_NULLS):
                group = rows.loc[rows["null"] == null]
                x, color = group["index"] + 0.24 * i - 0.1, style.PALETTE[i]
                ax.vlines(x, group["low"], group["high"], color=color, linewidth=1.8)
                look: dict[str, Any] = {"color": color, "marker": "os^"[i], "markersize": 5.0}
                ax.plot(x, group["mean"], linestyle="none", **look)
                if ax is axes[0]:
                    handles.append(Line2D([], [], linewidth=1.8, label=labels.get(null, null), **look))
            observed = rows.loc[rows["null"] == _NULLS[0]]
            (points,) = ax.plot(
                observed["index"] - 0.32,
                observed["observed"],
                "D",
                color="black",
                markersize=4.5,
                label="congruence",
            )
            pair_totals = totals.loc[totals["lists"] == pair].drop_duplicates("quantity")
            observed_totals = pair_totals.set_index("quantity")["observed"]
            canonical = ax.axhline(
                observed_totals["canonical"], color="black", linestyle="--", lw=1.1, label="canonical"
            )
            cosine = ax.axhline(
                observed_totals["mean-cosine"], color="black", linestyle=":", lw=1.3, label="mean cosine"
            )
            if ax is axes[0]:
                handles += [points, canonical, cosine]
            ax.set(title=pair, xlabel="index of the congruence", ylabel="congruence")
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        return style.finish(fig, handles, columns=2)


def partial_randomization(table: pd.DataFrame) -> Figure:
    """Draw a total as a function of the number of words that are replaced by random words.

    Lines are means, and bands are intervals; the value at 0 random words is the observed one.
    """
    shown = table.loc[table["quantity"] == "canonical"]
    pairs, roles = list(dict.fromkeys(shown["lists"])), list(dict.fromkeys(shown["randomize"]))
    labels = {"A": "first list", "B": "second list"}
    with style.style():
        fig, axes = style.rows(len(pairs), height=2.4, sharex=True, sharey=True)
        for ax, pair in zip(axes, pairs, strict=True):
            for i, role in enumerate(roles):
                curve = shown.loc[(shown["lists"] == pair) & (shown["randomize"] == role)]
                look = style.look(i)
                ax.fill_between("n_random", "low", "high", data=curve, color=look["color"], alpha=0.14, lw=0)
                ax.plot(curve["n_random"], curve["mean"], label=labels[role], **look)
            ax.set(title=pair, xlabel="random words in a list", ylabel="canonical")
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        return style.finish(fig, axes[0])


def separability_by_k(table: pd.DataFrame) -> Figure:
    """Draw how the centroid's cosines with its own and with other words change as words are added."""
    series = {
        "own": "cosine with its own words",
        "others": "cosine with the other list",
        "separable": "share of centroids that separate the lists",
    }
    with style.style():
        fig, axes = style.rows(table["centroid_of"].nunique(), height=2.3, sharex=True, sharey=True)
        for ax, (label, curves) in zip(axes, table.groupby("centroid_of", sort=False), strict=True):
            for i, (column, words) in enumerate(series.items()):
                ax.plot(curves["k"], curves[column], label=words, **style.look(i))
            ax.set(title=f"{label} (other: {curves['other'].iloc[0]})", xlabel="words in the centroid k")
            ax.set_ylim(-0.04, 1.04)
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        return style.finish(fig, axes[0], columns=1)


def similarities_by_k(table: pd.DataFrame) -> Figure:
    """Draw the similarities of two lists of random words that grow until they span the space.

    The shaded area is where some congruences must be 1.
    """
    series = {
        "canonical": "canonical",
        "chance": "random subspaces: k/p",
        "corrected": "corrected for chance",
        "mean_cosine": "mean cosine",
    }
    p = int(table["p"].iloc[0])
    with style.style():
        fig, ax = plt.subplots(figsize=(style.WIDTH, 3.4))
        ax.axvspan(p / 2, p, color="0.93", zorder=0)
        looks = style.looks(series.values(), "similarity")
        for column, label in series.items():
            ax.plot(table["k"], table[column], label=label, **looks[label])
        ax.set(xlabel=f"words in each list k, of p = {p} dimensions", ylabel="similarity", xlim=(0, p * 1.02))
        return style.finish(fig, ax, columns=2)


def permutation_distribution(table: pd.DataFrame) -> Figure:
    """Draw the scores of all relabelings of the target words, with the observed score.

    Hatched bars are relabelings that score at least as high; their fraction is the one-sided p-value.
    """
    scores = table["score"].to_numpy(dtype=float)
    observed = float(table.loc[table["observed"], "score"].iloc[0])
    at_least = scores >= observed - 1e-12 * max(1.0, float(np.abs(scores).max()))
    with style.style():
        fig, ax = plt.subplots(figsize=(style.WIDTH, 2.9))
        # One bin edge is at the observed score, so that the hatched bars represent the p-value.
        width = float(np.ptp(scores)) / 50 or 1.0
        n_below = int(np.ceil((observed - scores.min()) / width)) + 1
        n_above = int(np.ceil((scores.max() - observed) / width)) + 1
        edges = (observed + width * np.arange(-n_below, n_above + 1) - 1e-9 * width).tolist()
        ax.hist(scores[~at_least], edges, color=style.PALETTE[0], label="below the observed score")
        ax.hist(
            scores[at_least],
            edges,
            color=style.PALETTE[1],
            hatch="////",
            edgecolor="white",
            linewidth=0,
            label="at least the observed score",
        )
        ax.axvline(
            observed,
            color="black",
            linestyle="--",
            linewidth=1.4,
            label=f"observed: p = {at_least.mean():.3g}",
        )
        ax.set_axisbelow(True)
        ax.set(xlabel="WEAT score", ylabel="divisions")
        ax.yaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda v, _: f"{v:,.0f}"))
        if 0 < at_least.mean() < 0.01:
            _enlarge_tail(ax, scores[at_least], observed, edges)
        return style.finish(fig, ax, columns=2)


def inner_products(pairs: pd.DataFrame, lines: pd.DataFrame) -> Figure:
    """Draw inner products of two groups of pairs against the products of lengths, with the lines of two models."""
    groups = list(dict.fromkeys(pairs.sort_values("X")["group"]))
    with style.style():
        fig, axes = style.rows(lines["model"].nunique(), height=3.1, sharex=True, sharey=True)
        for ax, (model, fitted) in zip(axes, lines.groupby("model", sort=False), strict=True):
            for i, group in enumerate(groups):
                group_pairs = pairs.loc[pairs["group"] == group]
                color = _draw_group(
                    ax, i, group_pairs["lnw"], group_pairs["inner_product"], alpha=0.7, label=group
                )
                line = fitted.loc[fitted["group"] == group]
                x, y = line["lnw"].to_numpy(), line["inner_product"].to_numpy()
                if model == "difference in cosines":  # this line passes through the origin
                    x, y = np.concatenate([[0.0], x]), np.concatenate([[0.0], y])
                ax.plot(x, y, color=color, linestyle=("-", "--")[i], linewidth=2)
            ax.axhline(0, color="black", linewidth=0.8)
            ax.set(title=model, xlabel="LNW = ‖a‖‖b‖", ylabel="inner product", xlim=(0, None))
        return style.finish(fig, axes[0])


def extrapolation(pairs: pd.DataFrame, lines: pd.DataFrame) -> Figure:
    """Draw cosines against the reciprocal normalization weight, with the lines of the ratio model down to 0."""
    with style.style():
        fig, ax = plt.subplots(figsize=(style.WIDTH, 3.8))
        for group, group_pairs in pairs.groupby("X"):
            i = int(group)
            reciprocal = 1 / group_pairs["lnw"]
            color = _draw_group(ax, i, reciprocal, group_pairs["cosine"], alpha=0.5)
            line = lines.loc[lines["X"] == group].sort_values("reciprocal")
            x, y = line["reciprocal"].to_numpy(), line["cosine"].to_numpy()
            ax.plot(x[1:], y[1:], color=color, linestyle=("-", "--")[i], linewidth=2)
            ax.plot(x[:2], y[:2], color=color, linestyle=":", linewidth=1.6)
            ax.plot(
                [reciprocal.mean()],
                [group_pairs["cosine"].mean()],
                "o^"[i],
                color=color,
                markersize=11,
                markeredgecolor="black",
                linestyle="none",
                label=f"{group_pairs['group'].iloc[0]} (large: mean)",
            )
        ends = lines.loc[lines["reciprocal"] == 0, "cosine"].to_numpy()
        ax.plot([0, 0], ends, color="black", linewidth=3, solid_capstyle="butt", clip_on=False)
        ax.annotate(
            f" gap at 0: β3 = {ends[-1] - ends[0]:+.2f}".replace("-", "−"),
            (0, float(ends.min() + 0.09 * np.ptp(ends))),  # below the dotted line
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            fontsize=9.5,
        )
        ax.set(xlabel="1/LNW (0: infinitely long words)", ylabel="cosine", xlim=(0, None))
        return style.finish(fig, ax)


def differences(table: pd.DataFrame) -> Figure:
    """Draw the difference between two groups by several methods, with two kinds of standard errors.

    There is one panel per design. Bars extend two standard errors to each side.
    """
    error_labels = {"error_pairs": "pairs as draws", "error_words": "words as draws"}
    with style.style():
        fig, axes = style.rows(table["design"].nunique(), height=2.3, columns=1, sharex=True)
        for ax, (design, rows) in zip(axes, table.groupby("design", sort=False), strict=True):
            y = np.arange(len(rows))
            for i, (column, label) in enumerate(error_labels.items()):
                look = style.look((0, 3)[i])
                ax.errorbar(
                    rows["difference"],
                    y + (i - 0.5) * 0.3,
                    xerr=2 * rows[column],
                    linestyle="none",
                    marker=look["marker"],
                    color=look["color"],
                    capsize=3,
                    linewidth=(1.2, 2.2)[i],
                    label=f"± 2 errors, {label}",
                )
            ax.axvline(0, color="black", linewidth=0.8)
            ax.set_yticks(y, list(rows["reading"]))
            ax.set(title=design, xlabel="difference of cosines", ylim=(len(rows) - 0.5, -0.5))
        return style.finish(fig, axes[0])


def local_similarity(table: pd.DataFrame) -> Figure:
    """Draw the local similarity of every pair against its cosine, in one panel per design.

    Cosines on the diagonal are entirely local; below it, the cosine exceeds the local similarity.
    """
    groups = list(dict.fromkeys(table.sort_values("X")["group"]))
    low = float(table[["cosine", "sim_local"]].to_numpy().min())
    high = float(table[["cosine", "sim_local"]].to_numpy().max())
    with style.style():
        fig, axes = style.rows(table["design"].nunique(), height=3.1, sharex=True, sharey=True)
        for ax, (design, design_rows) in zip(axes, table.groupby("design", sort=False), strict=True):
            for i, group in enumerate(groups):
                rows = design_rows.loc[design_rows["group"] == group]
                _draw_group(ax, i, rows["cosine"], rows["sim_local"], alpha=0.75, label=group)
            ax.plot([low, high], [low, high], color="black", linestyle=":", label="equal")
            ax.set(title=design, xlabel="cosine", ylabel="local similarity")
        return style.finish(fig, axes[0])


def distortion(table: pd.DataFrame) -> Figure:
    """Draw the terms of the decomposed difference of mean cosines, in one panel per design.

    Bars are terms, the hatched bar is their sum, and the dashed line is the difference of mean cosines.
    """
    shown = table.loc[table["reading"] == "derived"]
    with style.style():
        fig, axes = style.rows(shown["design"].nunique(), height=2.2, columns=1, sharex=True)
        for ax, (design, rows) in zip(axes, shown.groupby("design", sort=False), strict=True):
            y, values = np.arange(len(rows)), rows["value"].to_numpy(dtype=float)
            is_sum = (rows["term"] == "sum").tolist()
            bars = ax.barh(y, values, height=0.62, color=[style.PALETTE[int(s)] for s in is_sum])
            for bar, bar_is_sum in zip(bars, is_sum, strict=True):
                if bar_is_sum:
                    bar.set(hatch="////", edgecolor="white")
            ax.axvline(0, color="black", linewidth=0.8)
            alpha = float(rows["alpha_1"].iloc[0])
            ax.axvline(alpha, color="black", linestyle="--", linewidth=1.2)
            ax.set_yticks(
                y,
                [
                    f"{value:+.4f}  {symbol}".replace("-", "−")
                    for value, symbol in zip(values, rows["symbol"], strict=True)
                ],
            )
            ax.set(
                title=f"{design}: difference of mean cosines {alpha:+.4f}".replace("-", "−"),
                ylim=(len(rows) - 0.5, -0.5),
            )
            ax.set_axisbelow(True)
        return style.finish(fig)


def _enlarge_tail(ax: Axes, scores: Any, observed: float, edges: Sequence[float]) -> None:
    """Draw an enlarged view of the right tail of the scores in a free corner."""
    corner = ax.inset_axes((0.07, 0.4, 0.24, 0.45))
    corner.hist(scores, edges, color=style.PALETTE[1], hatch="////", edgecolor="white", linewidth=0)
    corner.axvline(observed, color="black", linestyle="--", linewidth=1.4)
    corner.set(xlim=(observed - 0.002, scores.max() + 0.002), xticks=[round(observed, 3)])
    corner.set_title(f"these {len(scores):,}, enlarged", fontsize=9)
    corner.tick_params(labelsize=9)
    corner.yaxis.set_major_locator(mpl.ticker.MaxNLocator(3, integer=True))


def _draw_group(ax: Axes, i: int, x: Any, y: Any, **options: Any) -> Any:
    """Draw the pairs of one of the two groups, and return their color."""
    color = style.PALETTE[(0, 3)[i]]
    ax.scatter(x, y, s=16, marker="o^"[i], color=color, linewidths=0, **options)
    return color


def _draw_heatmap(ax: Axes, values: Any, *, low: float | None = None, high: float | None = None) -> Any:
    image = ax.imshow(values, cmap="viridis", vmin=low, vmax=high, interpolation="nearest", aspect="equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    return image


def _off_diagonal_maxima(values: Any) -> tuple[Any, Any]:
    """Return the rows whose maximum exceeds the diagonal by more than rounding, and the columns of these maxima."""
    values = np.asarray(values)
    columns = values.argmax(axis=1)
    margin = values.max(axis=1) - np.diagonal(values)
    rows = np.flatnonzero(margin > 1e-9 * max(1.0, float(np.abs(values).max())))
    return rows, columns[rows]


def _project_to_page(points: Any) -> Any:
    """Project points in space to the page: the second axis points right, the third up, the first to the reader."""
    return np.asarray(points, dtype=float) @ np.array([[0.25, -0.6], [1.0, 0.0], [0.0, 1.0]])
