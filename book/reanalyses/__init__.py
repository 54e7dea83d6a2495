"""The book's reanalyses of four papers: experiments, figures, claims, errata, and published values."""

from __future__ import annotations

from typing import Any

__all__ = ["explore"]


def explore(draw: Any, **controls: Any) -> Any:
    """Turn the arguments of a function that draws a figure into controls; see `reanalyses.drawing.explore`."""
    from reanalyses import drawing  # imports Matplotlib, which takes seconds in the browser

    return drawing.explore(draw, **controls)
