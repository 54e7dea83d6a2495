"""Plots as SVG text, whose classes card.css styles for light and dark pages.

A `Panel` is one small plot: its axes map values to positions, and the parts added to it become its SVG.
Functions that draw one kind of plot take their axes as arguments, so that several models can share them.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core.rows import Floats
from isotropy_report.card.parts import Figure, Line
from isotropy_report.card.words import axis_number, percent, shorten

_WIDTH, _HEIGHT = 400, 256
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 12, 16, 44
_LINE_HEIGHT = 19
"""Height of a legend line; each panel has room for one line, so that adjacent panels match."""

_MAX_MARKS = 400
_LETTER_WIDTH, _BOLD_WIDTH = 6.6, 8.2
"""Approximate widths of a regular and a bold letter at 13 px."""

MARKERS: Mapping[str, str] = MappingProxyType(
    {
        "circle": "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
        "square": "m-3-3h6v6h-6z",
        "triangle": "m0-4l4 7h-8z",
        "diamond": "m0-4.5l3.6 4.5l-3.6 4.5l-3.6-4.5z",
        "plus": "m-4 0h8m-4-4v8",
        "cross": "m-3-3l6 6m0-6l-6 6",
        "dot": "m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z",
    }
)
"""Markers as paths that start at their center; classes of points differ in the shape of their markers as well
as in color."""

SHAPE = (_HEIGHT - _BOTTOM - _TOP - _LINE_HEIGHT + 6) / (_WIDTH - _LEFT - _RIGHT)
"""Ratio of height to width of a panel's plotting area."""

N_CLASSES = 6
"""Maximum number of point classes that have their own color and marker."""


@dataclasses.dataclass(frozen=True)
class Axis:
    """An axis: its lower and upper ends, and whether it is logarithmic."""

    low: float
    high: float
    logarithmic: bool = False

    def share(self, values: npt.ArrayLike) -> Floats:
        """Return the positions of values along the axis, from 0 at its lower end to 1 at its upper end."""
        positions = np.asarray(values, dtype=np.float64)
        if self.logarithmic:
            low = math.log(self.low)  # subtract logarithms, since the ratio may overflow
            return np.asarray((np.log(positions) - low) / (math.log(self.high) - low))
        return np.asarray((positions - self.low) / (self.high - self.low))

    def edges(self, count: int) -> Floats:
        """Return the edges of cells that have the same width on the page."""
        if self.logarithmic:
            return np.asarray(np.geomspace(self.low, self.high, count + 1))
        return np.asarray(np.linspace(self.low, self.high, count + 1))

    def ticks(self, count: int = 5) -> list[float]:
        """Return round values within the axis, approximately `count` of them or fewer."""
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            stride = max(1, -(-(last - first + 1) // count))
            if last > first:
                return [10.0**power for power in range(first, last + 1, stride)]
            return [self.low, self.high]
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / count))
        step *= next(m for m in (1, 2, 5, 10) if (self.high - self.low) / (m * step) <= count)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


class Panel:
    """One plot, to which parts are added one by one; later parts cover earlier ones."""

    def __init__(self, across: Axis, up: Axis, *, n_rows: int = 1) -> None:
        self.across, self.up = across, up
        self.top = _TOP + _LINE_HEIGHT * n_rows - 6  # the rows of the legend are above the plotting area
        self.height = _HEIGHT + _LINE_HEIGHT * (n_rows - 1)
        self.bottom = self.height - _BOTTOM
        self.parts: list[str] = []

    def x(self, values: npt.ArrayLike) -> Floats:
        """Return the horizontal positions of values, in SVG units."""
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * self.across.share(values)

    def y(self, values: npt.ArrayLike) -> Floats:
        """Return the vertical positions of values, in SVG units."""
        return self.bottom - (self.bottom - self.top) * self.up.share(values)

    def grid(self, *, across: Mapping[float, str], up: Mapping[float, str]) -> None:
        """Draw grid lines with their labels."""
        for value, text in up.items():
            y = float(self.y(value))
            self.parts.append(
                f'<line class="rule" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                f'<text x="{_LEFT - 7}" y="{y + 4.5:.1f}" text-anchor="end">{escape(text)}</text>'
            )
        for value, text in across.items():
            x = float(self.x(value))
            anchor = "end" if x + 0.5 * _LETTER_WIDTH * len(text) > _WIDTH - 6 else "middle"
            self.parts.append(
                f'<line class="rule" x1="{x:.1f}" x2="{x:.1f}" y1="{self.top}" y2="{self.bottom}"/>'
                f'<text x="{x if anchor == "middle" else _WIDTH - 6:.1f}" y="{self.bottom + 17}" '
                f'text-anchor="{anchor}">{escape(text)}</text>'
            )

    def line(self, x: npt.ArrayLike, y: npt.ArrayLike, kind: str) -> None:
        """Draw a line through the points."""
        points = zip(self.x(x).tolist(), self.y(y).tolist(), strict=True)
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        self.parts.append(f'<path class="{kind}" d="M{path}"/>')

    def steps(self, edges: Floats, heights: Floats, kind: str) -> None:
        """Draw the outline of adjacent bars, omitting bars of height 0."""
        x, y = self.x(edges), self.y(heights)
        path, has_bar = "", [False, *(heights > 0), False]
        for i in np.flatnonzero(heights > 0):
            begin = "" if has_bar[i] else f"M{x[i]:.1f} {self.bottom}"
            end = "" if has_bar[i + 2] else f"V{self.bottom}"
            path += f"{begin}V{y[i]:.1f}H{x[i + 1]:.1f}{end}"
        self.parts.append(f'<path class="{kind}" d="{path}"/>')

    def marks(self, x: npt.ArrayLike, y: npt.ArrayLike, marker: str, kind: str) -> None:
        """Draw a marker at each point."""
        shape = MARKERS[marker]
        path = "".join(
            f"M{a:.1f} {b:.1f}{shape}"
            for a, b in zip(np.atleast_1d(self.x(x)), np.atleast_1d(self.y(y)), strict=True)
        )
        self.parts.append(f'<path class="{kind}" d="{path}"/>')

    def cells(self, counts: Floats) -> None:
        """Shade the cells of a grid over the whole panel in five shades, by the square root of the count."""
        width = (_WIDTH - _LEFT - _RIGHT) / counts.shape[0]
        height = (self.bottom - self.top) / counts.shape[1]
        highest = max(float(counts.max()), 1.0)
        levels = np.ceil(5 * np.sqrt(counts / highest)).astype(int)
        for level in range(1, 6):
            path = "".join(
                f"M{_LEFT + i * width:.1f} "
                f"{self.bottom - (j + 1) * height:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"
                for i, j in np.argwhere(levels == level)
            )
            if path:
                opacity = 0.5 + 0.45 * (level - 1) / 4
                self.parts.append(f'<path class="cell" fill-opacity="{opacity:.2f}" d="{path}"/>')

    def text(self, x: float, y: float, text: str, *, kind: str = "tag") -> None:
        """Write text at a position in the plot."""
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>')

    def legend(self, entries: Sequence[tuple[str, str]], *, columns: int = 2) -> None:
        """Draw a legend above the panel; each entry has the class of a line or a marker, and a text."""
        width = (_WIDTH - 16) / columns
        for i, (style, text) in enumerate(entries):
            x, y = 12 + width * (i % columns), _TOP + _LINE_HEIGHT * (i // columns) + 2
            marker, _, kind = style.partition(" ")
            if marker in MARKERS:
                self.parts.append(f'<path class="{kind}" d="M{x + 8:.1f} {y - 4:.1f}{MARKERS[marker]}"/>')
            elif style == "bar":
                self.parts.append(f'<rect class="bar" x="{x:.1f}" y="{y - 10}" width="22" height="10"/>')
            else:
                self.parts.append(f'<path class="{style}" d="M{x:.1f} {y - 4}h26"/>')
            label = shorten(text, int((width - 34) / _LETTER_WIDTH))
            self.text(x + (20 if marker in MARKERS else 32), y, label, kind="")

    def figure(self, key: str, title: str, alt: str, *, across: str, up: str, data: dict[str, Any]) -> Figure:
        """Return the plot with axis labels, its description, and the numbers that it shows."""
        middle = (self.top + self.bottom) / 2
        labels = (
            f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{self.height - 9}" '
            f'text-anchor="middle">{escape(across)}</text>'
            f'<text transform="translate(12 {middle:.0f}) rotate(-90)" '
            f'text-anchor="middle">{escape(up)}</text>'
        )
        svg = "".join([_svg_tag(self.height, title, alt), *self.parts, labels, "</svg>"])
        return Figure(key, title, alt, svg, data)


def _svg_tag(height: int, title: str, alt: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(f"{title}. {alt}")}">'


def _labels(values: Sequence[float], write: Callable[[float], str] = axis_number) -> dict[float, str]:
    return {value: write(value) for value in values}


def spectrum(fractions: Floats, *, across: Axis, up: Axis) -> Panel:
    """Draw the fraction of variance along each principal component, largest first, on logarithmic axes."""
    shown = fractions[fractions >= up.low]
    rank = np.unique(np.round(np.geomspace(1, shown.size, _MAX_MARKS)).astype(int))
    panel = Panel(across, up)
    ticks = [t for power in range(6) for t in (10**power, 3 * 10**power) if t <= across.high]
    if len(ticks) > 7:
        ticks = [t for t in ticks if math.log10(t).is_integer()]
    panel.grid(across={float(t): f"{t:,}" for t in ticks}, up=_labels(up.ticks(6)))
    level = 1.0 / fractions.size
    panel.line([1, fractions.size], [level, level], "even")
    panel.line(rank, shown[rank - 1], "curve")
    if rank.size <= 40:
        panel.marks(rank, shown[rank - 1], "circle", "mark")
    edge = float(panel.y(level))
    panel.text(_LEFT + 6, edge - 6 if edge > 60 else edge + 17, "even: 1/n")
    return panel


def spectrum_axis(spectra: Sequence[Floats]) -> Axis:
    """Return an axis that ends at powers of ten and contains all values of the spectra except tiny ones."""
    tops = [max(float(f[0]), 1.0 / f.size) for f in spectra]
    ends = [min(float(f[f > 1e-9 * f[0]][-1]), 1.0 / f.size) for f in spectra]
    return Axis(
        10.0 ** math.floor(math.log10(min(ends)) - 1e-9),
        10.0 ** math.ceil(math.log10(max(tops)) + 1e-9),
        logarithmic=True,
    )


def histogram(
    edges: Floats,
    shares: Mapping[str, Floats],
    *,
    across: Axis,
    top: float,
    expected: tuple[str, Floats, Floats] | None = None,
    n_ticks: int = 5,
) -> Panel:
    """Draw the fraction in each cell as bars, perhaps with a dashed curve (name, positions, heights)."""
    panel = Panel(across, Axis(0.0, 1.06 * top))
    panel.grid(across=_labels(across.ticks(n_ticks)), up=_labels(panel.up.ticks(4), percent))
    entries = list(zip(("bar", "second"), shares, strict=False))
    for kind, name in entries:
        panel.steps(edges, shares[name], kind)
    if expected:
        panel.line(expected[1], expected[2], "even")
        entries.append(("even", expected[0]))
    if len(entries) > 1:
        panel.legend(entries, columns=len(entries))
    return panel


def scatter(classes: Sequence[tuple[str, Floats]], *, reach: float, dense: bool = False) -> Panel:
    """Draw points in the plane around their mean, on equally scaled axes from −`reach` to `reach`.

    Each class has a name and points. With several classes, each has its own color and marker; beyond
    `N_CLASSES`, the last class, in gray dots, contains the points of all other labels. With `dense`, a single
    class is shaded by the number of points in each cell; a point that is alone in its cell is drawn as a dot.
    """
    has_classes = len(classes) > 1
    columns = 3 if max(len(name) for name, _ in classes) <= 15 else 2
    n_rows = -(-len(classes) // columns) if has_classes else 1
    panel = Panel(Axis(-reach, reach), Axis(-reach * SHAPE, reach * SHAPE), n_rows=n_rows)
    panel.grid(across={0.0: ""}, up={0.0: ""})
    if dense:
        _draw_density(panel, classes[0][1])
        return panel
    styles = [
        ("dot", "k0") if i >= N_CLASSES else (list(MARKERS)[i], f"k{i + 1}") for i in range(len(classes))
    ]
    if not has_classes and len(classes[0][1]) > 300:
        styles = [("dot", "k1")]
    n_layers = 5 if has_classes else 1  # so that no class covers another one in all cells
    for layer in range(n_layers):
        for (marker, kind), (_, all_points) in zip(styles, classes, strict=True):
            points = all_points[layer::n_layers]
            inside = (np.abs(points[:, 0]) <= panel.across.high) & (np.abs(points[:, 1]) <= panel.up.high)
            if inside.any():
                panel.marks(points[inside, 0], points[inside, 1], marker, kind)
    if has_classes:
        shown = zip(styles, classes, strict=True)
        entries = [(f"{marker} {kind}", name) for (marker, kind), (name, _) in shown]
        panel.legend(entries, columns=columns)
    return panel


def _draw_density(panel: Panel, points: Floats) -> None:
    """Shade cells that contain several points and draw isolated points as dots."""
    shape = (72, round(72 * SHAPE))
    ranges = [[panel.across.low, panel.across.high], [panel.up.low, panel.up.high]]
    counts = np.histogram2d(points[:, 0], points[:, 1], bins=shape, range=ranges)[0]
    cells = [
        np.clip((axis.share(points[:, i]) * shape[i]).astype(int), 0, shape[i] - 1)
        for i, axis in enumerate((panel.across, panel.up))
    ]
    isolated = counts[cells[0], cells[1]] == 1
    panel.cells(np.where(counts > 1, counts, 0.0))
    panel.marks(points[isolated, 0], points[isolated, 1], "dot", "cell")


def strip(
    measured: Mapping[str, Line],
    known: Mapping[str, float],
    *,
    axis: Axis,
    title: str,
    alt: str,
    hollow: Collection[str] = (),
) -> str:
    """Draw scores on one axis: a diamond and interval for each measured score, and marks for known scores.

    Known scores are in descending order. If there is a single measured score, a line extends from it through
    the known scores. Names too long for the left margin are placed above their rows; the diamonds of the
    names in `hollow` are empty.
    """
    left, right, top, row_height = 126.0, _WIDTH - 16.0, 30.0, 18.0
    above = any(len(name) > (left - 14) / _BOLD_WIDTH for name in measured)
    start = top + row_height * len(measured) * (2 if above else 1)
    bottom = start + row_height * len(known) + 2

    def x(value: float) -> float:
        return left + (right - left) * min(max(float(axis.share(value)), 0.0), 1.0)

    parts = [
        f'<line class="rule" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top - 8}" y2="{bottom:.0f}"/>'
        f'<text class="tag" x="{x(tick):.1f}" y="{top - 13}" text-anchor="middle">{axis_number(tick)}</text>'
        for tick in axis.ticks()
    ]
    only_value = next(iter(measured.values())).value if len(measured) == 1 else None
    if known and isinstance(only_value, (int, float)):
        parts.append(f'<path class="lead" d="M{x(only_value):.1f} {top + 8}V{bottom:.0f}"/>')
    for i, (name, line) in enumerate(measured.items()):
        y = top + row_height * (2 * i + 1 if above else i) + 5
        position = f'x="8" y="{y - 12}"' if above else f'x="{left - 10}" y="{y + 4.5}" text-anchor="end"'
        label = escape(shorten(name, int((_WIDTH - 16) / _BOLD_WIDTH)))
        parts.append(f'<text class="strong" {position}>{label}</text>')
        if line.low is not None and line.high is not None:
            parts.append(
                f'<line class="reach" x1="{x(line.low):.1f}" x2="{x(line.high):.1f}" y1="{y}" y2="{y}"/>'
            )
        if isinstance(line.value, (int, float)):
            kind = "value hollow" if name in hollow else "value"
            parts.append(f'<path class="{kind}" d="M{x(line.value):.1f} {y}m0-8l6 8l-6 8l-6-8z"/>')
        else:
            parts.append(f'<text class="tag" x="{left + 4}" y="{y + 4.5}">undefined here</text>')
    for i, (name, value) in enumerate(sorted(known.items(), key=lambda item: (-item[1], item[0]))):
        y = start + row_height * i + 5
        label = escape(shorten(name, int((left - 14) / _LETTER_WIDTH)))
        parts.append(f'<text x="{left - 10}" y="{y + 4.5}" text-anchor="end">{label}</text>')
        parts.append(f'<path class="known" d="M{x(value):.1f} {y}m0-6v12"/>')
    return "".join([_svg_tag(round(bottom + 8), title, alt), *parts, "</svg>"])
