"""Figures that move: each function returns an object that a notebook, the site and the tab show alike.

The numbers are computed in the page, by a script beside this module, and `tests/book/test_moving.py` compares all that
are shown with the package's. Nothing here is imported before it is needed: `import reanalyses.moving` is cheap.
"""

from __future__ import annotations

from reanalyses.moving.figure import MovingFigure
from reanalyses.moving.isotropy import CLOUDS, cloud

__all__ = ["CLOUDS", "MovingFigure", "cloud"]
