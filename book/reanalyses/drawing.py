"""Helpers for figures in visible cells of lessons, so that readers see only plain Matplotlib and seaborn code.

    drawing.use()                             once, before the first figure: the style of the book
    drawing.note(ax, "look here", xy, at)     words in a figure, with an arrow
    drawing.label_lines(ax)                   names next to the lines instead of a legend
    drawing.mark(axes, {3: "first fall"})     a dotted line through all panels, with words
    drawing.looks(["PCA", "t-SNE"], "method") the color and marker that each has everywhere in the book
    explore(draw, layer=(0, 30))              controls for the arguments of a function that draws

`explore` works in three places. In JupyterLab and Binder, its controls are ipywidgets. For the site, the build has
drawn a frame for each setting. In the browser's Python, the page requests the frame of the current setting.
"""

from __future__ import annotations

import html
import inspect
import itertools
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reanalyses import style
from reanalyses.style import looks

__all__ = ["WIDTH", "Explored", "explore", "frame", "label_lines", "looks", "mark", "note", "use"]

#: Width of a lesson's figure in inches, chosen for the text column and for the screen of a phone.
WIDTH = 6.4
SETTINGS: Any = style.SETTINGS | {
    "axes.formatter.min_exponent": 6,  # 1, 10, 100 on logarithmic axes instead of powers
    "axes.labelsize": 11,
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.12,
    "figure.figsize": (WIDTH, 3.6),
    "font.size": 11,
    "grid.color": "0.92",
    "legend.fontsize": 10,
    "lines.linewidth": 2.2,
    "lines.markersize": 6,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
}
#: Maximum number of frames on a page; more would slow down the build.
MAX_FRAMES = 80

Draw = Callable[..., Any]
Setting = dict[str, Any]


def use() -> None:
    """Apply the style of the book's lessons to the figures of a notebook."""
    ipython = sys.modules.get("IPython")
    if ipython is not None and (shell := ipython.get_ipython()) is not None:
        style.load_ipython_extension(shell)
    mpl.rcParams.update(SETTINGS)


def note(ax: Axes, text: str, xy: tuple[float, float], at: tuple[float, float], **options: Any) -> None:
    """Add text to a panel, with an arrow to a point of the data.

    `xy` is the point, in units of the data. `at` is the position of the text as fractions of the panel, where (0, 0)
    is its lower left corner. `options` are passed to ``Axes.annotate``.
    """
    color = options.pop("color", "0.3")
    arrow = {"arrowstyle": "-|>", "color": color, "lw": 1.3, "shrinkB": 4}
    ax.annotate(
        text,
        xy,
        at,
        textcoords="axes fraction",
        color=color,
        arrowprops=arrow | {"connectionstyle": "arc3,rad=0.2"},
        **({"ha": "center", "va": "center"} | options),
    )


def mark(axes: Axes | Sequence[Axes], labels: Mapping[float, str]) -> None:
    """Draw a dotted vertical line through all panels at each position, with its label in the first panel."""
    panels = [axes] if isinstance(axes, Axes) else list(axes)
    for x, text in labels.items():
        for ax in panels:
            ax.axvline(x, color="0.3", lw=1.2, ls=":", zorder=0)
        panels[0].annotate(
            text,
            (x, 0),
            (5, 4),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            color="0.3",
            fontstyle="italic",
        )


def label_lines(ax: Axes) -> None:
    """Label each line in its color, next to it where there is the most room, and remove the legend.

    Call this function last, because it uses the positions of the lines.
    """
    labeled = _labeled_lines(ax)
    if (legend := ax.get_legend()) is not None:
        legend.remove()
    if not labeled:
        return
    ax.figure.canvas.draw()
    to_panel = ax.transData + ax.transAxes.inverted()
    grid = np.linspace(0.02, 0.98, 97)  # positions along the panel, as fractions of its width
    heights = np.array([_line_heights(line, to_panel, grid) for line, _ in labeled])
    box = ax.get_window_extent()
    points = ax.figure.dpi / 72
    text_height = 1.4 * mpl.rcParams["font.size"] * points / box.height
    labels: list[tuple[float, float, float]] = []
    for i, (line, name) in enumerate(labeled):
        half_width = 0.29 * mpl.rcParams["font.size"] * points * len(name) / box.width
        candidates = _candidates(heights, i, grid, half_width, text_height, labels)
        _, x, y, side = max(candidates, default=(0.0, 0.5, 0.5, 1))
        labels.append((x, y + side * text_height / 2, half_width))
        ax.annotate(
            name,
            (x, y),
            (0, 4 * side),
            xycoords="axes fraction",
            textcoords="offset points",
            color=line.get_color(),
            ha="center",
            va="bottom" if side > 0 else "top",
            fontweight="bold",
        )


def _labeled_lines(ax: Axes) -> list[tuple[Line2D, str]]:
    """Return the lines of a panel with their names, which may come from identical lines in the legend."""
    lines = [line for line in ax.get_lines() if len(np.atleast_1d(line.get_xdata())) > 2]
    labeled = [(line, str(line.get_label())) for line in lines if not str(line.get_label()).startswith("_")]
    legend = ax.get_legend()
    if labeled or legend is None:
        return labeled
    # seaborn names its lines only in the legend, and not always in drawing order.
    pairs = []
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        matches = [line for line in lines if handle is not None and _looks_like(line, handle)]
        if len(matches) != 1:
            raise ValueError(
                f"{text.get_text()!r} in the legend looks like {len(matches)} lines; expected one line"
            )
        pairs.append((matches[0], text.get_text()))
    return pairs


def _looks_like(line: Line2D, handle: Any) -> bool:
    return mpl.colors.same_color(line.get_color(), handle.get_color()) and (
        line.get_linestyle() == handle.get_linestyle()
    )


def _line_heights(line: Line2D, to_panel: Any, grid: np.ndarray) -> np.ndarray:
    x, y = to_panel.transform(np.column_stack([line.get_xdata(), line.get_ydata()]).astype(float)).T
    order = np.argsort(x, kind="stable")
    heights: np.ndarray = np.interp(grid, x[order], y[order], left=np.nan, right=np.nan)
    return heights


def _candidates(
    heights: np.ndarray,
    i: int,
    grid: np.ndarray,
    half_width: float,
    text_height: float,
    labels: list[tuple[float, float, float]],
) -> Iterator[tuple[float, float, float, int]]:
    """Yield possible positions for the label of line i: a score (room minus penalties), x, y, and 1 (above) or −1."""
    for x in grid[(grid > half_width) & (grid < 1 - half_width)]:
        nearby = heights[:, np.abs(grid - x) <= half_width]
        if np.isnan(nearby[i]).any():
            continue
        for side in (1, -1):
            edge = float(nearby[i].max() if side > 0 else nearby[i].min())
            center = edge + side * text_height / 2
            gaps = np.abs(np.delete(nearby, i, axis=0) - center)
            room = min(
                float(np.nanmin(gaps)) if np.isfinite(gaps).any() else math.inf,
                center if side < 0 else 1 - center,
                2 * text_height,
            )
            if all(abs(x - a) > half_width + b or abs(center - y) > text_height for a, y, b in labels):
                rise = float(nearby[i].max() - nearby[i].min())
                yield room - 0.5 * rise - 0.02 * abs(x - 0.6), float(x), edge, side


class Explored:
    """A function that draws a figure, and the frames of all its settings for a page of the site."""

    def __init__(self, draw: Draw, controls: Mapping[str, Any]) -> None:
        self.draw = draw
        self.name = draw.__name__
        self.values = {name: _control_values(name, control) for name, control in controls.items()}
        self.sliders = {name for name, control in controls.items() if isinstance(control, tuple)}
        parameters = inspect.signature(draw).parameters
        self.start: Setting = {}
        for name, values in self.values.items():
            if name not in parameters:
                raise ValueError(
                    f"{name} is not an argument of {self.name}; expected one of {', '.join(parameters)}"
                )
            default = parameters[name].default
            self.start[name] = default if default in values else values[0]
        self.positions: list[Any] | None = None

    def frame_at(self, setting: Setting) -> tuple[str, str]:
        """Return the figure at one setting as SVG, and the titles of its panels as the description."""
        result = self.draw(**setting)
        fig = result if isinstance(result, Figure) else plt.gcf()
        # The layout is computed only once, so that panels do not move between frames.
        if self.positions is None or len(self.positions) != len(fig.axes):
            fig.canvas.draw()
            self.positions = [ax.get_position() for ax in fig.axes]
        fig.set_layout_engine("none")
        for ax, position in zip(fig.axes, self.positions, strict=True):
            ax.set_position(position)
        titles = [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes]
        description = ". ".join(title for title in titles if title) or ", ".join(
            f"{name} {value}" for name, value in setting.items()
        )
        picture = style.svg(fig, tight=False)
        plt.close(fig)
        # All frames use the same names for parts: one frame is shown at a time, and equal parts are stored once.
        return re.sub(r'( id="|href="#|url\(#)[0-9a-f]{8}-', rf"\g<1>{self.name}-", picture), description

    def _repr_html_(self) -> str:
        """Return controls and frames as one HTML element, which `explore.js` operates."""
        first = self.frame_at(self.start)  # the positions of its panels apply to all frames
        settings = [
            dict(zip(self.values, values, strict=True)) for values in itertools.product(*self.values.values())
        ]
        in_browser = sys.platform == "emscripten"
        if not in_browser and len(settings) > MAX_FRAMES:
            raise ValueError(f"{self.name} has {len(settings)} settings; expected at most {MAX_FRAMES}")
        frames = [] if in_browser else [first if s == self.start else self.frame_at(s) for s in settings]
        parts: dict[str, int] = {}
        pictures = [
            [parts.setdefault(part, len(parts)) for part in re.split(r"(?<=>)(?=<)", picture)]
            for picture, _ in frames
        ]
        data = {
            "name": self.name,
            "values": [[_value_text(value) for value in values] for values in self.values.values()],
            "arguments": list(self.values),
            "at": [values.index(self.start[name]) for name, values in self.values.items()],
            "parts": list(parts),
            "frames": pictures,
            "said": [description for _, description in frames],
        }
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
        controls = "".join(self._control(i, name) for i, name in enumerate(self.values))
        return (
            f'<div class="il-explore" role="group" aria-label="Explore {html.escape(self.name.replace("_", " "))}">'
            f'<div class="il-controls">{controls}</div>'
            f'<div class="il-stage">{_add_description(*first)}</div>'
            f'<p class="il-said" aria-live="polite"></p><script type="application/json">{text}</script></div>'
        )

    def _control(self, i: int, name: str) -> str:
        values, label = self.values[name], html.escape(name.replace("_", " "))
        start_index = values.index(self.start[name])
        if name in self.sliders:
            text = html.escape(_value_text(values[start_index]))
            return (
                f'<label class="il-slide"><span>{label} <output>{text}</output></span>'
                f'<input type="range" min="0" max="{len(values) - 1}" value="{start_index}" data-control="{i}"'
                f' aria-valuetext="{text}"><button type="button" aria-label="Play {label}">▶</button></label>'
            )
        buttons = "".join(
            f'<label><input type="radio" name="{self.name}-{i}" value="{j}" data-control="{i}"'
            f"{' checked' if j == start_index else ''}><span>{html.escape(_value_text(value))}</span></label>"
            for j, value in enumerate(values)
        )
        return f'<fieldset class="il-pick"><legend>{label}</legend>{buttons}</fieldset>'


def _add_description(picture: str, description: str) -> str:
    return picture.replace("<svg ", f'<svg role="img" aria-label="{html.escape(description)}" ', 1)


#: Functions explored in this process, by name, from which the page in the browser requests frames.
_explored: dict[str, Explored] = {}


def explore(draw: Draw, **controls: Any) -> Any:
    """Show a figure with controls for the arguments of the function that draws it.

    Each keyword names an argument of `draw` and gives a pair ``(0, 30)`` or a triple ``(0, 1, 0.1)`` of low,
    high, and step for a slider; a list for a choice; or ``True`` for a check box. The controls start at the
    defaults of `draw`.
    """
    explored = Explored(draw, controls)
    _explored[explored.name] = explored
    if os.environ.get("ISOTROPY_LAB_FRAMES") or sys.platform == "emscripten":
        return explored
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        return explored
    return _make_widgets(explored)


def frame(name: str, indices: Sequence[int]) -> str:
    """Return a frame of an explored function as JSON, given the index of the value of each control."""
    explored = _explored[name]
    setting = {key: values[i] for (key, values), i in zip(explored.values.items(), indices, strict=True)}
    return json.dumps(explored.frame_at(setting))


def _make_widgets(explored: Explored) -> Any:
    """Return ipywidgets that redraw the figure whenever a control changes."""
    import ipywidgets  # type: ignore[import-untyped]
    from IPython.display import HTML, display

    wide = {"style": {"description_width": "initial"}, "layout": {"width": "95%"}}
    controls: dict[str, Any] = {}
    for name, values in explored.values.items():
        label = name.replace("_", " ")
        options: Any = {
            "value": explored.start[name],
            "description": label,
            "style": {"description_width": "initial"},
        }
        choices = [(_value_text(value), value) for value in values]
        if name in explored.sliders:
            controls[name] = ipywidgets.SelectionSlider(options=choices, **(options | wide))
        elif all(isinstance(value, bool) for value in values):
            controls[name] = ipywidgets.Checkbox(indent=False, **options)
        else:
            controls[name] = ipywidgets.ToggleButtons(options=choices, **options)

    def show(**setting: Any) -> None:
        display(HTML(explored.frame_at(setting)[0]))  # type: ignore[no-untyped-call]

    return ipywidgets.VBox([*controls.values(), ipywidgets.interactive_output(show, controls)])


def _control_values(name: str, control: Any) -> list[Any]:
    if isinstance(control, bool):
        return [False, True]
    if isinstance(control, tuple) and len(control) in (2, 3):
        low, high, step = (*control, 1)[:3]
        values = [low + i * step for i in range(round((high - low) / step) + 1)]
        return values if all(isinstance(x, int) for x in control) else [round(float(x), 10) for x in values]
    if isinstance(control, list) and control:
        return list(control)
    raise ValueError(
        f"{name} is {control!r}; expected a pair (low, high), a triple (low, high, step), a list, or True"
    )


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
