"""Figures that move: each function returns an object that a notebook, the site and the tab show alike.

The numbers are computed in the page, by a script beside this module, and `tests/book/test_moving.py` compares all that
are shown with the package's. Data are read when a figure is made, not when this package is imported.
"""

from __future__ import annotations

from reanalyses.moving.association import ARROWS, VECTORS, mean_arrows, three_vectors
from reanalyses.moving.figure import MovingFigure
from reanalyses.moving.isotropy import CLOUDS, cloud
from reanalyses.moving.projection import islands, sizes
from reanalyses.moving.retrieval import differences
from reanalyses.moving.scaling import PAIR_WAYS, pairs

__all__ = [
    "ARROWS",
    "CLOUDS",
    "PAIR_WAYS",
    "VECTORS",
    "MovingFigure",
    "cloud",
    "differences",
    "islands",
    "mean_arrows",
    "pairs",
    "sizes",
    "three_vectors",
]
