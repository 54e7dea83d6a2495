"""Figures of Part 1, drawn from clouds and tables with Matplotlib.

Figures 1–7 and 10 of Rudman et al. (2022), redrawn from the clouds and experiments of this package, and further
figures of the lessons, in the style of `reanalyses.style`: at most two panels with axes per row, so that they are
legible on a phone, and a color and a marker for each score and model.
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
from numpy.typing import ArrayLike, NDArray

from isotropy_lab.isotropy.participation import isoscore
from reanalyses import style as drawing
from reanalyses.rudman2022 import clouds as cloud_makers
from reanalyses.rudman2022.experiments import marks
from reanalyses.style import style

#: Display names of scores, as in the paper, except that the cosine score is distinguished from its value.
LABELS = {
    "isoscore": "IsoScore",
    "average_cosine_score": "Average cosine score",
    "partition_score": "Partition",
    "id_score": "ID score",
    "varex_score": "VarEx",
}

_COLUMNS = {
    "mean_agnostic": ("Test 1: mean agnostic", "mean μ of every coordinate"),
    "scalar_covariance": ("Test 2: scalar covariance", "variance λ"),
    "maximum_variance": ("Test 3: maximum variance", "variance x of one axis"),
    "dimensions_used_fraction": ("Test 5: dimensions used", "dimensions used k"),
    "dimensions_used_high": ("Test 5: high dimensions", "dimensions n"),
    "skewered_meatball": ("Test 6: skewered meatball", "points of the ball"),
}


def zero_mean_effect(X: ArrayLike) -> Figure:
    """Draw a cloud away from the origin, and the same cloud after centering (Figure 2).

    Centering increases the angles between points seen from the origin, but keeps the shape of the cloud.
    """
    cloud = np.asarray(X, dtype=np.float64)
    # Only eight of the outer points have arrows, so that these are distinct.
    outer = np.linalg.norm(cloud - cloud.mean(axis=0), axis=1).argsort()[::-1][: len(cloud) // 3]
    chosen = outer[:: max(1, len(outer) // 8)][:8]
    with style():
        fig, axes = plt.subplots(1, 2, figsize=(drawing.WIDTH, 2.6), sharex=True, sharey=True)
        for i, (title, points) in enumerate((("X", cloud), ("X − mean", cloud - cloud.mean(axis=0)))):
            _scatter(axes[i], points, title, alpha=0.25)
            for point in points[chosen]:
                arrow = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0}
                axes[i].annotate("", tuple(point), (0, 0), arrowprops=arrow)
            # The marker of a line stays in vector form, so that it follows the color of a dark page.
            cross: dict[str, Any] = {"marker": "+", "markersize": 13, "markeredgewidth": 2.2, "markevery": 1}
            axes[i].plot(0, 0, color="black", linestyle="none", label="origin", **cross)
        return drawing.finish(fig)


def rotations(X: ArrayLike) -> Figure:
    """Draw a correlated cloud rotated by 120° and 240°, and onto its principal axes (Figure 4)."""
    cloud = np.asarray(X, dtype=np.float64)
    orientations = {
        "X": cloud,
        "X turned by 120°": cloud_makers.rotate(cloud, 120.0),
        "X turned by 240°": cloud_makers.rotate(cloud, 240.0),
        "X on its principal axes": cloud_makers.pca_reorient(cloud),
    }
    with style():
        fig, axes = drawing.rows(4, height=2.7, sharex=True, sharey=True)
        for ax, (title, points) in zip(axes, orientations.items(), strict=True):
            _scatter(ax, points, title)
        return drawing.finish(fig)


def skewered_meatball(X: ArrayLike, *, n_line: int = 1_000) -> Figure:
    """Draw a line through a ball, viewed along the third axis (Figure 5)."""
    cloud = np.asarray(X, dtype=np.float64)
    with style():
        fig, ax = plt.subplots(figsize=(4.2, 4.0))
        ball, line = cloud[n_line:], cloud[:n_line]
        ax.scatter(
            ball[:, 0],
            ball[:, 1],
            s=7,
            marker="o",
            color=drawing.PALETTE[0],
            alpha=0.7,
            label="ball",
            linewidths=0,
        )
        ax.scatter(
            line[:, 0], line[:, 1], s=12, marker="x", color=drawing.PALETTE[3], label="line", linewidths=0.9
        )
        ax.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
        return drawing.finish(fig, ax)


def invariance_tests(curves: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the five scores for a growing mean, a growing variance, and one growing axis (Figure 6)."""
    return _curves(curves, ("mean_agnostic", "scalar_covariance", "maximum_variance"))


def dimensions_and_stability(curves: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw the five scores as dimensions are used, as dimensions are added, and as a ball on a line grows (Figure 7)."""
    return _curves(curves, ("dimensions_used_fraction", "dimensions_used_high", "skewered_meatball"))


def isotropic_distributions(clouds: Mapping[str, ArrayLike]) -> Figure:
    """Draw isotropic clouds of different shapes with their IsoScores (Figure 10)."""
    with style():
        fig, axes = drawing.rows(len(clouds), height=2.9)
        for ax, (title, cloud) in zip(axes, clouds.items(), strict=True):
            points = np.asarray(cloud, dtype=np.float64)
            _scatter(ax, points, f"{title}: IsoScore {isoscore(points):.3f}", alpha=0.3)
        return drawing.finish(fig)


def scores_by_layer(table: pd.DataFrame, *, reference: pd.DataFrame | None = None) -> Figure:
    """Draw the scores of every layer with intervals, one panel per score (Figures 8 and 9)."""
    models = list(dict.fromkeys(table["model"]))
    names = [s for s in LABELS if s in set(table["score"])]
    others = [] if reference is None else list(dict.fromkeys(reference["model"]))
    looks = drawing.looks([*models, *others], "model")
    handles: list[Any] = []
    with style():
        fig, axes = drawing.rows(len(names), height=2.2)
        for ax, score in zip(axes, names, strict=True):
            for i, model in enumerate(models):
                rows = table.loc[(table["score"] == score) & (table["model"] == model)]
                look = looks[model]
                ax.fill_between("layer", "low", "high", data=rows, color=look["color"], alpha=0.2, lw=0)
                # The first line is the thickest; otherwise, an identical line would hide it.
                thick = 3.4 if i == 0 and len(models) > 1 else mpl.rcParams["lines.linewidth"]
                (line,) = ax.plot(rows["layer"], rows["value"], label=model, linewidth=thick, **look)
                if score == names[0]:
                    handles.append(line)
            if score == "isoscore" and reference is not None:
                deepest = float(table["layer"].max())
                for model, rows in reference.groupby("model", sort=False):
                    depth = rows["layer"] - rows["layer"].min()
                    (line,) = ax.plot(
                        depth / depth.max() * deepest, rows["isoscore"], label=model, **looks[model]
                    )
                    handles.append(line)
            ax.set(title=LABELS[score], xlabel="layer", ylim=(-0.03, 1.05))
            ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
        if table["low"].notna().any():
            # Use the color of the widest interval, because a narrow one is hardly visible.
            widest = (table["high"] - table["low"]).fillna(0.0).to_numpy().argmax()
            color = looks[table["model"].iloc[widest]]["color"]
            handles.append(mpl.patches.Patch(color=color, alpha=0.2, lw=0, label="95% interval"))
        return drawing.finish(fig, handles)


def finite_sample_bias(table: pd.DataFrame, *, reference: str = "truth") -> Figure:
    """Draw estimates of IsoScore against the number of points, one panel per dimension.

    The column ``truth`` is drawn as a dotted line, named ``reference`` if it replaces an unknown truth.
    """
    labels = {"plug-in": "plug-in", "gaussian": "corrected for Gaussians", "corrected": "corrected"}
    with style():
        fig, axes = drawing.rows(table["n_dimensions"].nunique(), height=2.5, sharex=True)
        for ax, (n, rows) in zip(axes, table.groupby("n_dimensions"), strict=True):
            for i, (name, label) in enumerate(labels.items()):
                estimates = rows.loc[rows["estimator"] == name]
                if estimates.empty:
                    continue
                look = drawing.look(i)
                mean, deviation = estimates["mean"], estimates["standard_deviation"]
                low, high = mean - deviation, mean + deviation
                ax.fill_between(estimates["n_points"], low, high, color=look["color"], alpha=0.15, lw=0)
                ax.plot(estimates["n_points"], mean, label=label, **look)
            truth = float(rows["truth"].iloc[0])
            ax.axhline(truth, color="black", linewidth=1.0, linestyle=":", label=reference)
            ax.set(title=f"n = {n}", xscale="log", xlabel="points N", ylabel="IsoScore")
            ticks = sorted(rows["n_points"].unique())
            ax.set_xticks(ticks[:: max(1, len(ticks) // 4)])
            ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda v, _: f"{v:,.0f}"))
            ax.xaxis.set_minor_formatter(mpl.ticker.NullFormatter())
        return drawing.finish(fig, axes[0])


def interval_coverage(table: pd.DataFrame) -> Figure:
    """Draw the coverage of intervals, with the uncertainty of the simulation."""
    cells = list(dict.fromkeys(zip(table["n_dimensions"], table["n_points"], strict=True)))
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 1.4 + 0.5 * len(cells)))
        methods = list(dict.fromkeys(table["method"]))
        for i, method in enumerate(methods):
            rows = table.loc[table["method"] == method]
            y = np.array([cells.index(c) for c in zip(rows["n_dimensions"], rows["n_points"], strict=True)])
            error = np.stack([rows["coverage"] - rows["low"], rows["high"] - rows["coverage"]]).clip(min=0)
            look = {**drawing.look(i), "linestyle": "none"}
            offset = 0.24 * (i - (len(methods) - 1) / 2)
            ax.errorbar(
                rows["coverage"], y + offset, xerr=error, label=method, capsize=3, elinewidth=1.4, **look
            )
        confidence = float(table["confidence"].iloc[0])
        ax.axvline(confidence, color="black", linestyle=":", linewidth=1.2, label=f"aimed at: {confidence:g}")
        ax.set(yticks=range(len(cells)), xlim=(-0.03, 1.03), xlabel="share of intervals that hold the truth")
        ax.set_yticklabels([f"n = {n}, N = {n_points:,}" for n, n_points in cells])
        ax.invert_yaxis()
        return drawing.finish(fig, ax)


def property_marks(table: pd.DataFrame) -> Figure:
    """Draw Table 1 with a tick or a cross per test and score, boxed if the published mark differs."""
    tests, names = list(marks.TESTS), list(marks.SCORES)
    with style(), mpl.rc_context({"axes.grid": False}):
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 3.4))
        for row in table.itertuples():
            x, y = names.index(row.score), tests.index(row.test)
            color = "black" if row.derived else "0.4"
            ax.text(
                x, y, "✓" if row.derived else "×", color=color, ha="center", va="center", fontsize=16
            ).set_fontfamily("DejaVu Sans")
            if not row.agrees:
                ax.add_patch(mpl.patches.Rectangle((x - 0.4, y - 0.4), 0.8, 0.8, fill=False, lw=1.6, ls="--"))
        ax.set(xlim=(-0.5, 4.5), ylim=(5.5, -0.5), xticks=range(5), yticks=range(6))
        ax.set_xticklabels([LABELS[s].replace(" ", "\n") for s in names])
        ax.set_yticklabels(tests)
        ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        ax.spines[:].set_visible(False)
        agreeing = int(table["agrees"].sum())
        ax.set_xlabel(
            f"✓ passes   × fails   dashed box: printed otherwise ({len(table) - agreeing} of {len(table)})"
        )
        ax.xaxis.label.set_fontfamily("DejaVu Sans")
        return drawing.finish(fig)


def _curves(curves: Mapping[str, pd.DataFrame], names: Sequence[str]) -> Figure:
    looks = drawing.looks(LABELS.values(), "score")
    with style():
        fig, axes = drawing.rows(len(names), height=2.5)
        for ax, name in zip(axes, names, strict=True):
            title, label = _COLUMNS[name]
            for i, score in enumerate(LABELS):
                rows = curves[name].loc[curves[name]["score"] == score]
                x = rows["parameter"].to_numpy(dtype=float)
                # Markers are at different points for each score, so that equal curves do not hide one another.
                every = max(1, len(x) // 6)
                look = {**looks[LABELS[score]], "markevery": (i * every // 5, every), "zorder": 3 - 0.1 * i}
                ax.plot(x, rows["value"], **look)
            ax.set(title=title, xlabel=label, ylabel="score", ylim=(-0.04, 1.06))
            if name == "skewered_meatball":
                ax.set_xscale("symlog", linthresh=100)
                ax.axvline(1_000, color="0.4", linewidth=1, linestyle=":")
                ax.set_xticks([0, 100, 1_000, 10_000, 100_000], ["0", "100", "1k", "10k", "100k"])
        handles = [Line2D([], [], label=label, **look) for label, look in looks.items()]
        return drawing.finish(fig, handles)


def _scatter(ax: Axes, cloud: NDArray[np.float64], title: str, *, alpha: float = 0.7) -> None:
    ax.scatter(cloud[:, 0], cloud[:, 1], s=6, color=drawing.PALETTE[0], alpha=alpha, linewidths=0)
    ax.set_title(title)
    # Axes shared in both directions cannot adjust their limits to keep the aspect.
    shared = all(len(g.get_siblings(ax)) > 1 for g in (ax.get_shared_x_axes(), ax.get_shared_y_axes()))
    ax.set_aspect("equal", adjustable="box" if shared else "datalim")
