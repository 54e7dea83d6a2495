"""Interactive figures, which work the same in a notebook, on the site, and in the browser's Python.

A script in this folder computes the numbers in the page, and `tests/book/test_moving.py` compares all displayed
numbers with those of the package. Data are read when a figure is created, not when this package is imported.
"""

from __future__ import annotations

from reanalyses.moving.association import ARROWS, VECTORS, mean_arrows, three_vectors
from reanalyses.moving.figure import MovingFigure
from reanalyses.moving.isotropy import CLOUDS, cloud
from reanalyses.moving.projection import islands, sizes

__all__ = [
    "ARROWS",
    "CLOUDS",
    "VECTORS",
    "MovingFigure",
    "cloud",
    "islands",
    "mean_arrows",
    "sizes",
    "three_vectors",
]
