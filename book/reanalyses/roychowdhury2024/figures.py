"""Figures of Part 4, drawn from tables with Matplotlib.

Figures 1 and 2 of Roychowdhury et al. (2025), redrawn from the experiments of this package, and further figures of
the lessons. The style is that of `reanalyses.style`: at most two panels with axes per row, and a marker and a line
style in addition to every color.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray
from scipy import stats

from reanalyses import style as drawing
from reanalyses.roychowdhury2024.experiments.distributions import ThresholdSteps
from reanalyses.style import style

#: Display names of columns.
LABELS = {
    "accuracy": "accuracy",
    "coe": "COE",
    "roe": "ROE",
    "tau": "threshold",
    "i_a": "$I_A$",
    "i_b": "$I_B$",
    "S_corr": "right document",
    "S_topK": "10 best",
    "S_rand": "random document",
}

FAMILIES = ("bge_large", "llm_embedder")

#: Marker and color of the two series of a figure with intervals.
_PAIR = [{"fmt": marker, "color": drawing.PALETTE[i]} for i, marker in enumerate("os")]


def interval_widths(table: pd.DataFrame) -> Figure:
    """Draw the widths of intervals by sample size, bootstrap and binomial, with their variation.

    Both axes are logarithmic.
    """
    x = table["n_questions"]
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 3.8))
        handles: list[Any] = [_gray_band(ax, x, table, "accuracy, 100 samples")]
        kinds = (("bootstrap", "normal", "accuracy"), ("ndcg", "ndcg_normal", "NDCG"))
        for i, (name, theory, label) in enumerate(kinds):
            look = drawing.look(i)
            handles += ax.plot(
                x, 100 * table[name], **{**look, "linestyle": "none"}, label=f"{label}, bootstrap"
            )
            handles += ax.plot(
                x,
                100 * table[theory],
                color=look["color"],
                linestyle=look["linestyle"],
                label=f"{label}, by its standard deviation",
            )
        ax.set(
            xscale="log",
            yscale="log",
            xlabel="questions in a sample, l",
            ylabel="width of the 95% interval (points)",
        )
        _label_with_numbers(ax.xaxis, x)
        _label_with_numbers(ax.yaxis, (2, 5, 10, 20))
        return drawing.finish(fig, handles, columns=2)


def _gray_band(ax: Axes, x: pd.Series, table: pd.DataFrame, label: str) -> Any:
    """Fill the range from "low" to "high" of a table, in percentage points."""
    low, high = 100 * table["low"], 100 * table["high"]
    return ax.fill_between(x, low, high, color="0.88", linewidth=0, label=label)


def _label_with_numbers(axis: Any, values: Sequence[float]) -> None:
    """Label a logarithmic axis with the given numbers instead of powers."""
    axis.set_major_locator(mpl.ticker.FixedLocator([float(value) for value in values]))
    axis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:,.4g}"))
    axis.set_minor_locator(mpl.ticker.NullLocator())


def bootstrap_histogram(draws: Mapping[str, NDArray[np.float64]], *, estimate: float) -> Figure:
    """Draw histograms of bootstrap samples with their 2.5th and 97.5th percentiles, one panel per kind."""
    with style():
        fig, axes = drawing.rows(len(draws), height=2.6, columns=1, sharex=True)
        for i, (ax, (title, values)) in enumerate(zip(axes, draws.items(), strict=True)):
            color: Any = (*drawing.PALETTE[i % len(drawing.PALETTE)], 0.55)
            ax.hist(
                values,
                bins=_bin_edges(values),
                color=color,
                hatch=("///", "...")[i % 2],
                edgecolor="white",
                linewidth=0.3,
            )
            for end in np.percentile(values, [2.5, 97.5]):
                ax.axvline(end, color="black", linewidth=1.4)
            ax.axvline(estimate, color="black", linestyle="--", linewidth=1.2)
            ax.set(title=title, xlabel="accuracy", ylabel="samples")
            ax.yaxis.set_major_locator(mpl.ticker.MaxNLocator(5, integer=True))
        return drawing.finish(fig)


def _bin_edges(values: NDArray[np.float64]) -> list[float]:
    """Return the edges of about 40 bins that contain equal numbers of possible values."""
    distinct = np.unique(values)
    step = float(np.diff(distinct).min()) if distinct.size > 1 else 1e-3
    width = step * max(1, round(float(np.ptp(distinct)) / step / 40))
    return [float(edge) for edge in np.arange(distinct[0] - width / 2, distinct[-1] + width, width)]


def printed_widths(curve: pd.DataFrame, printed: pd.DataFrame, ours: pd.DataFrame) -> Figure:
    """Draw the reported widths of accuracy intervals against accuracy, with the range for samples of 100 questions."""
    x = 100 * curve["accuracy"]
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 3.9))
        handles: list[Any] = [_gray_band(ax, x, curve, "95% of widths by chance")]
        handles += ax.plot(x, 100 * curve["mean"], color="black", linestyle="--", label="expected")
        for family, look in drawing.looks(FAMILIES, "model").items():
            family_rows = printed[printed["model"].str.startswith(family)]
            is_tuned = family_rows["model"].str.contains("finetuned")
            for fine, filled in ((False, "white"), (True, look["color"])):
                rows = family_rows[is_tuned == fine]
                handles += ax.plot(
                    rows["accuracy"],
                    rows["width"],
                    look["marker"],
                    markersize=6.5,
                    color=look["color"],
                    markerfacecolor=filled,
                    label=f"{family}, {'fine-tuned' if fine else 'not tuned'}",
                )
        handles += ax.plot(
            ours["accuracy"],
            ours["accuracy_width"],
            "D",
            markersize=5.5,
            color=drawing.PALETTE[0],
            label="our models, l = 100",
        )
        ax.set(xlabel="accuracy (%)", ylabel="width of the 95% interval (points)")
        return drawing.finish(fig, handles, columns=2)


def widths_after_adaptation(changes: pd.DataFrame) -> Figure:
    """Draw each reported change of an interval's width and the change that accuracy implies.

    Ratios below 1 mean a narrower interval after the step.
    """
    labels = changes["family"] + ": " + changes["step"]
    y = np.arange(len(changes))
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 1.3 + 0.32 * len(changes)))
        ax.hlines(y, changes["ratio"], changes["ratio_by_accuracy"], color="0.6", linewidth=1.4, zorder=1)
        ax.plot(changes["ratio"], y, "o", color=drawing.PALETTE[0], markersize=5, label="printed widths")
        ax.plot(
            changes["ratio_by_accuracy"],
            y,
            "s",
            color=drawing.PALETTE[1],
            markerfacecolor="none",
            markersize=10,
            label="√(A(1 − A)) alone",
        )
        ax.axvline(1, color="black", linewidth=0.8)
        ax.set_yticks(y, labels)
        ax.set(xlabel="width after / width before", ylim=(len(changes) - 0.5, -0.5))
        return drawing.finish(fig, ax)


def accuracy_curves(table: pd.DataFrame) -> Figure:
    """Draw accuracy@K with its intervals as a function of K, with one line per model."""
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 3.6))
        for model, look in drawing.looks(table["model"], "model").items():
            rows = table[table["model"] == model]
            ax.plot(rows["k"], rows["accuracy"], **look, label=model)
            ax.fill_between("k", "low", "high", data=rows, color=look["color"], alpha=0.15, linewidth=0)
        ax.set(xscale="log", xlabel="documents retrieved, K", ylabel="accuracy@K")
        _label_with_numbers(ax.xaxis, sorted(table["k"].unique()))
        return drawing.finish(fig, ax)


def paired_intervals(table: pd.DataFrame) -> Figure:
    """Draw the two single intervals of each pair of models, and the paired interval of their difference.

    Differences are in percentage points.
    """
    y = np.arange(len(table))
    with style():
        fig, axes = drawing.rows(2, height=0.9 + 0.42 * len(table), sharey=True)
        for i, side in enumerate(("first", "second")):
            low, high = table[f"{side}_low"], table[f"{side}_high"]
            _draw_intervals(axes[0], y + (i - 0.5) * 0.3, (low + high) / 2, low, high, **_PAIR[i], label=side)
        difference, low, high = (100 * table[name] for name in ("difference", "low", "high"))
        _draw_intervals(axes[1], y, difference, low, high, fmt="D", color="black", label="difference, paired")
        axes[1].axvline(0, color="black", linewidth=0.8)
        axes[0].set(title="each alone", xlabel="accuracy", ylim=(len(table) - 0.4, -0.6))
        axes[1].set(title="first − second", xlabel="points")
        axes[0].set_yticks(y, [f"{a} −\n{b}" for a, b in zip(table["first"], table["second"], strict=True)])
        axes[1].tick_params(labelleft=False)
        return drawing.finish(
            fig, axes[0].get_legend_handles_labels()[0] + axes[1].get_legend_handles_labels()[0]
        )


def threshold_steps(steps: ThresholdSteps) -> Figure:
    """Draw the steps of the threshold: bootstrap samples, their minima, and a percentile of these (Figure 1).

    The three panels, to be read from top to bottom, share one scale of similarities.
    """
    with style():
        fig, axes = plt.subplots(
            3, 1, figsize=(drawing.WIDTH, 6.6), sharex=True, gridspec_kw={"height_ratios": [1.3, 1, 1]}
        )
        _draw_samples(axes[0], steps)
        axes[1].hist(
            steps.gamma,
            bins=12,
            color=drawing.PALETTE[3],
            edgecolor="white",
            linewidth=0.4,
            hatch="///",
        )
        axes[1].set(title=f"2. Collect γ of {steps.gamma.size} samples: Γ", ylabel="samples")
        axes[2].hist(steps.pooled, bins=60, color="0.7", edgecolor="white", linewidth=0.3)
        axes[2].set(
            title="3. What the threshold leaves out of all retrieved documents",
            xlabel="similarity",
            ylabel="documents",
        )
        for ax in axes:
            ax.tick_params(labelbottom=True)
        for ax in axes[1:]:
            ax.axvline(steps.tau, color="black", linewidth=1.8)
        axes[2].axvline(steps.tau_pooled, color=drawing.PALETTE[0], linestyle="--", linewidth=1.8)
        return drawing.finish(
            fig,
            [
                drawing.dot("γ, least of a sample", marker="v", color=drawing.PALETTE[3]),
                Line2D([], [], color="black", linewidth=1.8, label=f"τ({steps.psi:g}) by Γ"),
                Line2D([], [], color=drawing.PALETTE[0], linestyle="--", label=f"τ({steps.psi:g}) by all"),
            ],
        )


def _draw_samples(ax: Axes, steps: ThresholdSteps) -> None:
    """Draw the similarities of some bootstrap samples, one row per sample, and mark each sample's minimum."""
    n = len(steps.samples)
    rng = np.random.default_rng(0)
    for row, values in enumerate(steps.samples):
        scattered = row + rng.uniform(-0.22, 0.22, values.size)
        ax.plot(values, scattered, ".", color="0.55", markersize=2, alpha=0.5, rasterized=True)
    ax.plot(steps.minima, np.arange(n), "v", color=drawing.PALETTE[3], markersize=8)
    ax.set_yticks(range(n), [f"sample {row + 1}" for row in range(n)])
    ax.set(
        title=f"1. Draw {steps.n_questions} questions; take their best documents' similarities",
        ylim=(n - 0.5, -0.5),
    )
    ax.grid(visible=False, axis="y")


def similarity_densities(table: pd.DataFrame) -> Figure:
    """Draw the densities of similarities to relevant, best, and random documents, one panel per variant (Figure 2).

    All panels have the same scale of similarities.
    """
    visible = table[table["density"] > 0.01]
    limits = (float(visible["similarity"].min()), float(visible["similarity"].max()))
    with style():
        fig, axes = drawing.rows(table["variant"].nunique(), height=2.3, sharex=True)
        for ax, (variant, rows) in zip(axes, table.groupby("variant", sort=False), strict=True):
            for i, sample in enumerate(("S_rand", "S_corr", "S_topK")):
                curve = rows[rows["sample"] == sample]
                look = drawing.look(i)
                ax.plot(
                    curve["similarity"], curve["density"], **look, markevery=(8 * i, 24), label=LABELS[sample]
                )
            ax.set(title=variant, xlabel="similarity", ylabel="density", xlim=limits)
        return drawing.finish(fig, axes[0])


def threshold_cost(table: pd.DataFrame) -> Figure:
    """Draw the accuracy and NDCG lost due to thresholds as a function of ψ, with the margin."""
    titles = {"accuracy": "accuracy", "ndcg": "NDCG"}
    looks = drawing.looks(table["variant"], "model")
    with style():
        fig, axes = drawing.rows(2, height=3.1, sharex=True, sharey=True)
        for ax, (metric, title) in zip(axes, titles.items(), strict=True):
            for variant, look in looks.items():
                rows = table[table["variant"] == variant]
                ax.plot(rows["psi"], 100 * rows[f"{metric}_loss"], **look, label=variant)
            ax.axhline(2.0, color="black", linestyle=":", linewidth=1.4, label="margin")
            ax.set(title=title, xlabel="ψ (% of documents hidden)", ylabel="points lost")
        return drawing.finish(fig, axes[0])


def printed_losses(table: pd.DataFrame) -> Figure:
    """Draw the losses due to the reported thresholds, and the largest losses that percentiles of Γ can cause.

    Values below 0 are gains, which no threshold can cause.
    """
    psi = np.linspace(0, 50, 101)
    bound = 100 * (1 - (1 - psi / 100) ** (1 / 100))
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 3.5))
        ax.fill_between(psi, 0, bound, color="0.8", linewidth=0)
        handles: list[Any] = [Patch(color="0.8", label="possible")]
        handles += ax.plot(psi, bound, color="black", linestyle="--", label="largest loss, l = 100")
        for family, look in drawing.looks(FAMILIES, "model").items():
            rows = table[table["model"].str.startswith(family)]
            handles += ax.plot(
                rows["psi"],
                rows["loss"],
                look["marker"],
                markersize=6.5,
                color=look["color"],
                label=family,
            )
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set(xlabel="ψ", ylabel="accuracy lost (points)")
        return drawing.finish(fig, handles, columns=2)


def overlap_curves(table: pd.DataFrame) -> Figure:
    """Draw COE and ROE with intervals as a function of ψ, with one line per variant."""
    looks = drawing.looks(table["variant"], "model")
    with style():
        fig, axes = drawing.rows(2, height=3.1, sharex=True)
        for ax, name in zip(axes, ("coe", "roe"), strict=True):
            for i, (variant, look) in enumerate(looks.items()):
                rows = table[table["variant"] == variant]
                ax.plot(rows["psi"], rows[f"{name}_full"], **look, markevery=(i % 4, 4), label=variant)
                ends = f"{name}_low", f"{name}_high"
                ax.fill_between("psi", *ends, data=rows, color=look["color"], alpha=0.15, linewidth=0)
            ax.set(title=LABELS[name], xlabel="ψ", ylabel="share above θ")
        shares = table["roe_full"].to_numpy()
        if (shares > 0).any():
            axes[1].set_yscale("log", nonpositive="clip")
            axes[1].set_ylim(0.7 * float(shares[shares > 0].min()), 1.4 * float(shares.max()))
            _label_with_numbers(axes[1].yaxis, (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0))
        return drawing.finish(fig, axes[0])


def overlap_parts(table: pd.DataFrame) -> Figure:
    """Draw COE against accuracy, its parts for hits and misses, and the range that ranks alone allow.

    Every variant has one point of each kind.
    """
    kinds = (("coe_of_hits", "among hits", "^"), ("coe", "COE", "o"), ("coe_of_misses", "among misses", "v"))
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 3.7))
        handles: list[Any] = [
            ax.vlines(
                table["accuracy"],
                table["low"],
                table["high"],
                color="0.8",
                linewidth=4,
                label="allowed by ranks",
            )
        ]
        for i, (name, label, marker) in enumerate(kinds):
            handles += ax.plot(
                table["accuracy"],
                table[name],
                marker,
                markersize=6,
                color=drawing.PALETTE[i],
                label=label,
            )
        ends = (float(table["accuracy"].min()), float(table["accuracy"].max()))
        handles += ax.plot(ends, ends, color="black", linestyle=":", label="COE = accuracy")
        ax.set(xlabel="accuracy", ylabel="share above θ", ylim=(-0.03, 1.04))
        return drawing.finish(fig, handles)


def random_spread(table: pd.DataFrame) -> Figure:
    """Draw the mean and spread of similarities to random documents against both isotropy scores."""
    titles = {"mean": "mean of $S_{rand}$", "sd": "spread of $S_{rand}$"}
    with style():
        fig, axes = drawing.rows(4, height=2.5)
        for ax, (x, y) in zip(axes, itertools.product(titles, ("i_a", "i_b")), strict=True):
            _scatter_by_group(ax, table, x, y)
            ax.set(xlabel=titles[x], ylabel=LABELS[y])
        return drawing.finish(fig, axes[0])


def _scatter_by_group(ax: Axes, table: pd.DataFrame, x: str, y: str, *, group: str = "family") -> None:
    for name, look in drawing.looks(table[group], "model").items():
        rows = table[table[group] == name]
        ax.plot(rows[x], rows[y], **{**look, "linestyle": "none", "markersize": 6.5}, label=name)


def _draw_intervals(ax: Axes, y: Any, value: pd.Series, low: pd.Series, high: pd.Series, **look: Any) -> None:
    ax.errorbar(value, y, xerr=np.array([value - low, high - value]), capsize=3, **look)


def _draw_trend(ax: Axes, x: pd.Series, y: pd.Series, **look: Any) -> None:
    """Draw the least-squares line from the smallest to the largest x."""
    fit = stats.linregress(x, y)
    ends = np.array([x.min(), x.max()])
    ax.plot(ends, fit.intercept + fit.slope * ends, **look)


def adaptation(table: pd.DataFrame) -> Figure:
    """Draw each adapted encoder's gain in accuracy and NDCG over the baseline, with paired intervals."""
    rows = table.dropna(subset=["difference"])
    y = np.arange(len(rows))
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 1.3 + 0.4 * len(rows)))
        for i, (prefix, label) in enumerate((("", "accuracy"), ("ndcg_", "NDCG"))):
            value, low, high = (rows[f"{prefix}{name}"] for name in ("difference", "low", "high"))
            _draw_intervals(ax, y + (i - 0.5) * 0.3, value, low, high, **_PAIR[i], label=label)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_yticks(y, rows["model"])
        ax.set(xlabel="difference to the baseline (points)", ylim=(len(rows) - 0.4, -0.6))
        return drawing.finish(fig, ax)


def isotropy_and_accuracy(table: pd.DataFrame) -> Figure:
    """Draw accuracy against both isotropy scores, with one marker per transformation.

    A dashed line shows the slope of each transformation with at least four points.
    """
    with style():
        fig, axes = drawing.rows(2, height=3.2, sharey=True)
        for ax, score in zip(axes, ("i_a", "i_b"), strict=True):
            _scatter_by_group(ax, table, score, "accuracy", group="transform")
            for transform, look in drawing.looks(table["transform"], "model").items():
                rows = table[table["transform"] == transform]
                if len(rows) >= 4 and np.ptp(rows[score]) > 1e-9:
                    line = {"color": look["color"], "linestyle": look["linestyle"], "linewidth": 1.1}
                    _draw_trend(ax, rows[score], rows["accuracy"], **line)
            ax.set(xlabel=f"{LABELS[score]} (%)", ylabel="accuracy (%)")
        return drawing.finish(fig, axes[0])


def accuracy_by_group(table: pd.DataFrame, *, xlabel: str) -> Figure:
    """Draw the accuracy of each search in each group of questions, with intervals.

    Lines connect the groups of a search if there are many searches.
    """
    sizes = table.drop_duplicates("group").set_index("group")["n"]
    positions = pd.Series(np.arange(len(sizes)), index=sizes.index)
    looks = drawing.looks(table["search"], "model")
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 3.8))
        for i, (search, look) in enumerate(looks.items()):
            rows = table[table["search"] == search]
            y = rows["accuracy"]
            ax.errorbar(
                rows["group"].map(positions) + 0.4 * ((i + 0.5) / len(looks) - 0.5),
                100 * y,
                yerr=100 * np.array([(y - rows["low"]).clip(lower=0), (rows["high"] - y).clip(lower=0)]),
                **{**look, "linewidth": 1.2, "markersize": 5.5},
                elinewidth=0.8,
                capsize=2,
                label=search,
            )
        ax.set_xticks(positions, [f"{group}\nn = {n}" for group, n in sizes.items()])
        ax.set(xlabel=xlabel, ylabel="accuracy (%)", ylim=(-3, 103))
        return drawing.finish(fig, ax)


def families(table: pd.DataFrame) -> Figure:
    """Draw accuracy against isotropy, with one marker per family; untransformed encoders are larger.

    Lines are trends: solid for untransformed encoders, and dotted for all points.
    """
    plain = table["transform"] == "Baseline"
    looks = drawing.looks(table["family"], "model")
    with style():
        fig, axes = drawing.rows(2, height=3.4, sharey=True)
        for ax, score in zip(axes, ("i_a", "i_b"), strict=True):
            for family, look in looks.items():
                shared = {**look, "linestyle": "none"}
                large, small = (table[(table["family"] == family) & kind] for kind in (plain, ~plain))
                ax.plot(small[score], small["accuracy"], **{**shared, "markersize": 4, "alpha": 0.45})
                ax.plot(large[score], large["accuracy"], **{**shared, "markersize": 8}, label=family)
            for rows, dashes, label in ((plain, "-", "as they are"), (plain | True, ":", "all points")):
                look = {"color": "black", "linestyle": dashes, "linewidth": 1.2, "label": f"trend, {label}"}
                _draw_trend(ax, table.loc[rows, score], table.loc[rows, "accuracy"], **look)
            ax.set(xlabel=LABELS[score], ylabel="accuracy (%)", ylim=(0, 100))
        return drawing.finish(fig, axes[0], columns=4)


def correlation_intervals(table: pd.DataFrame) -> Figure:
    """Draw the correlations of Table I: for our variants, from the paper's own rows, and as published."""
    y = np.arange(len(table))
    with style():
        fig, ax = plt.subplots(figsize=(drawing.WIDTH, 1.3 + 0.55 * len(table)))
        sides = (("", "r", "our variants"), ("rows_", "rows_r", "the paper's eight rows"))
        for i, (prefix, value, label) in enumerate(sides):
            low, high = table[f"{prefix}low"], table[f"{prefix}high"]
            _draw_intervals(ax, y + (i - 0.5) * 0.4, table[value], low, high, **_PAIR[i], label=label)
        ax.plot(table["printed"], y, "X", color="black", markersize=8, linestyle="none", label="printed")
        ax.axvline(0, color="black", linewidth=0.8)
        names = [
            f"{LABELS.get(a, a)}, {LABELS.get(b, b)}"
            for a, b in zip(table["first"], table["second"], strict=True)
        ]
        ax.set_yticks(y, names)
        ax.set(xlabel="correlation with 95% interval", xlim=(-1.05, 1.05), ylim=(len(table) - 0.4, -0.6))
        return drawing.finish(fig, ax)


def separations(table: pd.DataFrame) -> Figure:
    """Draw the distances of domain sentences to the nearest outside and inside sentences, one line per model.

    Curves are densities, and marks on the axis are means.
    """
    titles = {"outside": "to the nearest outside, Δ", "within": "to the nearest other inside"}
    looks = drawing.looks(table["model"], "model")
    with style():
        fig, axes = drawing.rows(2, height=2.7, columns=1, sharex=True)
        for ax, kind in zip(axes, titles, strict=True):
            for i, (model, look) in enumerate(looks.items()):
                rows = table[(table["kind"] == kind) & (table["model"] == model)]
                sns.kdeplot(x=rows["distance"], ax=ax, **look, markevery=(7 * i, 30), label=model)
                mean = rows["distance"].mean()
                ax.plot(mean, 0, look["marker"], color=look["color"], markersize=9, clip_on=False)
            ax.set(title=titles[kind], xlabel="distance", ylabel="density")
            ax.set_ylim(bottom=0)
        return drawing.finish(fig, axes[0])
