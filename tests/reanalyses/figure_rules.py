"""What every figure of the book must satisfy; each wing's tests apply it to all of its figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend


def drawn_once(figure: Figure) -> FigureCanvasAgg:
    """Draw a figure unless it is drawn and unchanged since: laying out and drawing take most of these tests."""
    canvas = figure.canvas
    if not (isinstance(canvas, FigureCanvasAgg) and hasattr(canvas, "renderer")) or figure.stale:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
    return canvas


def legend_of(figure: Figure) -> Legend:
    """The legend of all panels, below them or where a panel is missing."""
    found = [*figure.legends, *(ax.get_legend() for ax in figure.axes)]
    return next(legend for legend in found if legend is not None)


def assert_all_are_drawn(drawn: Mapping[str, Figure], names: Iterable[str]) -> None:
    """Every public drawing function is tried, and its picture is not empty."""
    assert set(drawn) == set(names) - {"LABELS", "style"}
    for name, figure in drawn.items():
        assert isinstance(figure, Figure), name
        pixels = np.asarray(drawn_once(figure).buffer_rgba())[..., :3]
        assert (pixels < 200).any(axis=-1).mean() > 0.005, name


def assert_readable(drawn: Mapping[str, Figure]) -> None:
    """White ground, no wider than the column, no letter below nine points."""
    for name, figure in drawn.items():
        drawn_once(figure)
        assert to_hex(figure.get_facecolor()) == "#ffffff", name
        assert figure.get_size_inches()[0] <= 6.5, name
        for text in figure.findobj(mpl.text.Text):
            if text.get_text().strip() and text.get_visible():
                assert text.get_fontsize() >= 9.0 or "mathdefault" in text.get_text(), (name, text.get_text())


def assert_few_panels(drawn: Mapping[str, Figure], exceptions: Mapping[str, int]) -> None:
    """At most two panels to a row, but for the named figures, whose axes need not be read."""
    for name, figure in drawn.items():
        places = [ax.get_subplotspec() for ax in figure.axes]
        most = max((place.get_gridspec().ncols for place in places if place), default=1)
        assert most <= exceptions.get(name, 2), name


def assert_no_texts_overlap(drawn: Mapping[str, Figure]) -> None:
    """No title, axis label or note lies on another."""
    for name, figure in drawn.items():
        drawn_once(figure)
        boxes = [
            (text.get_text(), text.get_window_extent())
            for ax in figure.axes
            if ax.get_visible()
            for text in [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
            if text.get_text().strip() and text.get_visible()
        ]
        for i, (one, a) in enumerate(boxes):
            for two, b in boxes[i + 1 :]:
                clear = a.x1 <= b.x0 + 1 or b.x1 <= a.x0 + 1 or a.y1 <= b.y0 + 2 or b.y1 <= a.y0 + 2
                assert clear, (name, one, two)
