"""Figures about report cards: cards in, matplotlib figures out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from isotropy_lab.report.card import ReportCard
from isotropy_lab.report.meanings import MEANINGS
from reanalyses import style as drawing
from reanalyses.style import style

__all__ = ["intervals", "spectra"]


def spectra(cards: Sequence[ReportCard]) -> Figure:
    """Draw the spectra of several cards: how much of the variance the leading components hold.

    Share of variance of each component in multiples of an even share, against the share of components that are as
    large, on logarithmic axes: a ball lies on the dotted line at 1, in any number of dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab import report_card
    >>> len(spectra([report_card(np.random.default_rng(0).standard_normal((50, 4)))]).axes)
    1
    """
    with style():
        fig, (ax,) = drawing.rows(1, height=3.4, columns=1)
        lines = []
        for card, look in zip(
            cards, drawing.looks([card.name for card in cards], "model").values(), strict=True
        ):
            data = card.section("isotropy").figures[0].data
            n = int(card.value("n_dimensions") or 1)
            component, share = (np.array(data["component"]), np.array(data["fraction"]) * n)
            seen = share > 1e-4
            lines += ax.plot(component[seen] / n, share[seen], label=card.name, markevery=0.12, **look)
        ax.axhline(1.0, color="0.3", linestyle=":", linewidth=1.2)
        ax.set(
            xscale="log",
            yscale="log",
            xlabel="share of the components, largest first",
            ylabel="variance, in even shares",
        )
        drawing.legend(fig, lines, columns=2)
        plt.close(fig)
    return fig


def intervals(cards: Sequence[ReportCard], key: str, *, also: str | None = None) -> Figure:
    """Draw one line of several cards with its interval, a row for each card.

    `key` is that of the line; `also` that of another line, which is marked with a cross.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab import report_card
    >>> card = report_card(np.random.default_rng(0).standard_normal((50, 4)))
    >>> len(intervals([card], "isoscore_corrected", also="isoscore").axes)
    1
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
