"""Rules for every figure of the book, applied by the tests of each area to all of its figures."""

import inspect
from collections.abc import Iterable, Mapping
from types import ModuleType

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

mpl.use("Agg")


def figures_of(module: ModuleType) -> set[str]:
    """Return the names of a module's public functions that return a figure."""
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__annotations__["return"] == "Figure" and not name.startswith("_")
    }


def assert_drawn_and_clear(drawn: Mapping[str, Figure], names: Iterable[str]) -> None:
    """Assert that all public drawing functions are tested, draw something, and place no text on other text."""
    assert set(drawn) == set(names)
    for name, figure in drawn.items():
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[..., :3]
        assert (pixels < 200).any(axis=-1).mean() > 0.005, name
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
