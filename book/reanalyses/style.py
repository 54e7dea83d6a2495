"""What all figures share: one style, the look of a series, panels in rows, legends below, and closing.

Figures are drawn on white, for light and dark pages alike, at most two panels with axes to a row, so that they can
be read on a phone. Color is never the only sign: the i-th series has a marker and a line style of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from isotropy_lab import plots
from isotropy_lab.plots import look

__all__ = ["PALETTE", "WIDTH", "finish", "legend", "look", "require", "rows", "style"]

#: The colors of `isotropy_lab.plots` as red, green and blue.
PALETTE = [to_rgb(color) for color in plots.PALETTE]
#: Width of a figure in inches: the text column; nothing is set smaller than 9 points.
WIDTH = 6.4


@contextmanager
def style() -> Iterator[None]:
    """Set the one style of all figures: white ground, color-blind-safe colors, text of 9 points or more.

    Examples
    --------
    >>> with style():
    ...     mpl.rcParams["font.size"]
    10.0
    """
    settings: Any = {
        "axes.facecolor": "white",
        "axes.grid": True,
        "axes.labelsize": 10,
        "axes.prop_cycle": cycler(color=PALETTE),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 10.5,
        "figure.constrained_layout.use": True,
        "figure.dpi": 120,
        "figure.facecolor": "white",
        "font.family": "sans-serif",
        "font.size": 10,
        "grid.color": "0.9",
        "legend.fontsize": 9.5,
        "legend.frameon": False,
        "lines.linewidth": 1.6,
        "lines.markersize": 4.5,
        "savefig.facecolor": "white",
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
    }
    before = set(plt.get_fignums())
    with mpl.rc_context(settings):
        try:
            yield
        except BaseException:
            for number in set(plt.get_fignums()) - before:  # a half-drawn figure would stay open
                plt.close(number)
            raise


def rows(n: int, *, height: float, columns: int = 2, **options: Any) -> tuple[Figure, list[Axes]]:
    """Make panels in rows of at most two; the place of one that is not needed stays empty."""
    if n < 1:
        raise ValueError("there is nothing to draw; expected at least one panel")
    columns = min(columns, n)
    n_rows = -(-n // columns)
    fig, grid = plt.subplots(
        n_rows, columns, figsize=(WIDTH, height * n_rows + 0.5), squeeze=False, **options
    )
    axes = list(grid.ravel())
    for ax in axes[n:]:
        ax.set_visible(False)
    for ax in axes:  # shared axes hide their labels; on a phone each panel is read alone
        ax.tick_params(labelbottom=True, labelleft=True)
    return fig, axes[:n]


def legend(fig: Figure, handles: Sequence[Any], *, columns: int = 3) -> None:
    """Put one legend below all panels."""
    if handles:
        fig.legend(handles=list(handles), loc="outside lower center", ncols=min(columns, len(handles)))


def require(table: pd.DataFrame, name: str, columns: Sequence[str]) -> None:
    """Refuse a table that lacks columns."""
    missing = [c for c in columns if c not in table]
    if missing:
        raise ValueError(f"{name} lacks the columns {', '.join(missing)}; found {', '.join(map(str, table))}")


def finish(fig: Figure) -> Figure:
    """Give the figure its white ground and close it in pyplot, so that a notebook shows it once.

    The same.
    """
    fig.set_facecolor("white")
    plt.close(fig)
    return fig
