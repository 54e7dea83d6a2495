"""Figures about report cards: cards in, matplotlib figures out."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from isotropy_lab.report.card import ReportCard
from reanalyses import style as drawing
from reanalyses.style import style

__all__ = ["dimensions_used", "spectra"]


def spectra(cards: Sequence[ReportCard]) -> Figure:
    """Draw the spectra of several cards: how much of the variance the leading components hold.

    Share of variance of each component in multiples of an even share, against its place among the components,
    on logarithmic axes: a ball lies on the dotted line at 1.

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
            lines += ax.plot(component[seen], share[seen], label=card.name, markevery=0.12, **look)
        ax.axhline(1.0, color="0.3", linestyle=":", linewidth=1.2)
        ax.set(
            xscale="log", yscale="log", xlabel="component, largest first", ylabel="variance, in even shares"
        )
        drawing.legend(fig, lines, columns=2)
        plt.close(fig)
    return fig


def dimensions_used(cards: Sequence[ReportCard]) -> Figure:
    """Draw the share of dimensions that each card's vectors use, with its interval, published and corrected.

    A row for each card: the corrected IsoScore with its interval, and the published one.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab import report_card
    >>> len(dimensions_used([report_card(np.random.default_rng(0).standard_normal((50, 4)))]).axes)
    1
    """
    with style():
        fig, (ax,) = drawing.rows(1, height=0.9 + 0.45 * len(cards), columns=1)
        places = np.arange(len(cards))[::-1]
        for place, card in zip(places, cards, strict=True):
            line, published = (card.line("isoscore_corrected"), card.value("isoscore"))
            first = place == places[0]
            if line.value is not None:
                value = float(line.value)
                ends = [[value - (line.low or value)], [(line.high or value) - value]]
                ax.errorbar(
                    [value], [place], xerr=ends, fmt="o", color=drawing.PALETTE[0], capsize=4, markersize=6,
                    label="corrected, with interval" if first else None,
                )  # fmt: skip
            if published is not None:
                ax.plot(
                    [float(published)], [place], marker="x", linestyle="none", color=drawing.PALETTE[3],
                    markersize=7, markeredgewidth=1.8, label="as published" if first else None,
                )  # fmt: skip
        ax.set(
            yticks=places,
            yticklabels=[card.name for card in cards],
            xlabel="IsoScore",
            ylim=(-0.6, len(cards) - 0.4),
        )
        ax.set_xlim(left=0.0)
        drawing.legend(fig, ax.get_legend_handles_labels()[0], columns=2)
        plt.close(fig)
    return fig
