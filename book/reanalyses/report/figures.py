"""Figures about report cards: cards in, matplotlib figures out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from isotropy_report.card.card import ReportCard
from isotropy_report.card.meanings import MEANINGS
from reanalyses import style as drawing
from reanalyses.style import style

__all__ = ["cosines", "intervals", "spectra"]


def spectra(cards: Sequence[ReportCard]) -> Figure:
    """Draw the spectra of several cards: how much of the variance the leading components hold together.

    Share of the variance against share of the components, largest first: in a perfect ball each has as much
    as any other, the dotted diagonal. The cross is where half of the variance is reached. Cards keep 500
    components; between them lines are straight.
    """
    with style():
        fig, (ax,) = drawing.rows(1, height=3.4, columns=1)
        looks = drawing.looks([card.name for card in cards], "model")
        lines = []
        for card in cards:
            data = card.section("isotropy").figures[0].data
            n = int(card.value("n_dimensions") or 1)
            each = np.interp(np.arange(1, n + 1), data["component"], data["fraction"])
            held = np.concatenate([[0.0], np.cumsum(each) / each.sum()])
            lines += ax.plot(
                np.arange(n + 1) / n,
                held,
                label=card.name,
                markevery=[data["components_for_half"]],
                **looks[card.name],
            )
        ax.plot([0, 1], [0, 1], color="0.3", linestyle=":", linewidth=1.2)
        ax.set(
            xlabel="share of the components, largest first",
            ylabel="share of the variance",
            xlim=(0, 1),
            ylim=(0, 1.02),
        )
        drawing.legend(fig, lines, columns=2)
        plt.close(fig)
    return fig


def cosines(samples: Mapping[str, ArrayLike]) -> Figure:
    """Draw the distribution of the cosines of several kinds of pairs: the fraction above every cosine.

    `samples` holds the cosines of each kind of pair, by name.
    """
    with style():
        fig, (ax,) = drawing.rows(1, height=3.0, columns=1)
        looks = drawing.looks(list(samples), "model")
        at = np.linspace(-0.3, 1.0, 261)
        lines = []
        for name, values in samples.items():
            ordered = np.sort(np.ravel(values))
            above = 1.0 - np.searchsorted(ordered, at, side="left") / ordered.size
            lines += ax.plot(at, above, label=name, markevery=0.1, **looks[name])
        ax.set(
            xlabel="cosine", ylabel="share of pairs with at least this", ylim=(0, 1.02), xlim=(at[0], at[-1])
        )
        drawing.legend(fig, lines, columns=2)
        plt.close(fig)
    return fig


def intervals(cards: Sequence[ReportCard], key: str, *, also: str | None = None) -> Figure:
    """Draw one line of several cards with its interval, a row for each card.

    `key` is that of the line; `also` that of another line, which is marked with a cross.
    """
    with style():
        fig, (ax,) = drawing.rows(1, height=0.9 + 0.45 * len(cards), columns=1)
        places = np.arange(len(cards))[::-1]
        lines = [card.line(key) for card in cards]
        found = np.array([[line.value, line.low, line.high] for line in lines], dtype=float)
        values, reach = found[:, 0], np.abs(found[:, 1:].T - found[:, 0])
        handles: list[Any] = [
            ax.errorbar(
                values, places, xerr=reach, fmt="o", color=drawing.PALETTE[0], capsize=4, markersize=6,
                label=f"{MEANINGS[key].label}, with interval",
            )
        ]  # fmt: skip
        if also is not None:
            others = np.array([card.value(also) for card in cards], dtype=float)
            handles += ax.plot(
                others, places, marker="x", linestyle="none", color=drawing.PALETTE[3], markersize=7,
                markeredgewidth=1.8, label=MEANINGS[also].label,
            )  # fmt: skip
        ax.set(
            yticks=places,
            yticklabels=[card.name for card in cards],
            xlabel=MEANINGS[key].label,
            ylim=(-0.6, len(cards) - 0.4),
        )
        ax.locator_params(axis="x", nbins=6)
        drawing.legend(fig, handles, columns=2)
        plt.close(fig)
    return fig
