"""Drawings as SVG text; colors follow the page, and no font or style comes from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 18, 16, 56
_MOST_MARKS = 400

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float) -> str:
    """Return a number with four significant digits.

    Examples
    --------
    >>> [number(x) for x in (0.0, 12345, 0.5, 0.123456, 1234.5, 3.2e-7, -2.0)]
    ['0', '12,345', '0.5000', '0.1235', '1,234', '3.200 × 10⁻⁷', '−2.000']
    """
    sign = "−" if value < 0 else ""
    size = abs(value)
    if isinstance(value, (int, np.integer)):
        return f"{sign}{size:,}"
    if size == 0:
        return "0"
    power = math.floor(math.log10(float(f"{size:.3e}")))
    if power < -4 or power > 8:
        return f"{sign}{size / 10.0**power:.3f} × 10{str(power).translate(_SUPERSCRIPT)}"
    return f"{sign}{size:,.{max(0, 3 - power)}f}" if power < 4 else f"{sign}{size:,.0f}"


def _power(power: int) -> str:
    if -3 <= power <= 3:
        return f"{10.0**power:g}"
    return f"10{str(power).translate(_SUPERSCRIPT)}"


def spectrum(fractions: Floats, *, title: str, alt: str) -> str:
    """Draw the fractions of variance along the principal components, largest first, on logarithmic axes."""
    shown = fractions[fractions > 1e-9 * fractions[0]]
    rank = np.unique(np.round(np.geomspace(1, shown.size, _MOST_MARKS)).astype(int))
    y = shown[rank - 1]
    level = 1.0 / fractions.size
    top = 10.0 ** math.ceil(math.log10(max(float(y[0]), level)) + 1e-9)
    bottom = 10.0 ** math.floor(math.log10(min(float(y[-1]), level)) - 1e-9)
    last = max(float(fractions.size), 2.0)

    def across(i: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * math.log(i) / math.log(last)

    def up(fraction: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * math.log(top / fraction) / math.log(top / bottom)

    parts = []
    powers = range(round(math.log10(bottom)), round(math.log10(top)) + 1)
    every = max(1, -(-len(powers) // 7))
    for power in list(powers)[::-every]:
        parts.append(_rule(up(10.0**power), _power(power)))
    ticks = [t for p in range(5) for t in (10**p, 3 * 10**p) if t <= fractions.size]
    for tick in ticks:
        parts.append(_tick(across(tick), f"{tick:,}"))
    parts.append(_line([(across(1), up(level)), (across(last), up(level))], "even"))
    points = [(across(int(i)), up(float(fraction))) for i, fraction in zip(rank, y, strict=True)]
    parts.append(_line(points, "curve"))
    if rank.size <= 40:
        parts += [f'<circle class="mark" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>' for a, b in points]
    edge = up(level)
    parts.append(
        f'<text class="tag" x="{_LEFT + 8}" y="{edge - 7 if edge > 60 else edge + 18:.1f}">even: 1/n</text>'
    )
    return _frame(parts, title, alt, "component, largest first", "fraction of variance")


def density(x: Floats, y: Floats, *, title: str, alt: str, labels: tuple[str, str], n_cells: int = 36) -> str:
    """Draw how many pairs of values lie where, in five shades, with the median of y along x."""
    ends = float(x.max()), float(y.max())
    counts = np.histogram2d(x, y, bins=n_cells, range=[[0, ends[0]], [0, ends[1]]])[0]
    width, height = (_WIDTH - _LEFT - _RIGHT) / n_cells, (_HEIGHT - _TOP - _BOTTOM) / n_cells
    parts = []
    for part, end in enumerate(ends):
        for tick in _round_ticks(end):
            text = f"{tick:g}" if 1e-4 <= tick < 1e6 or tick == 0 else number(tick)
            if part:
                parts.append(_rule(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * tick / end, text))
            else:
                parts.append(_tick(_LEFT + (_WIDTH - _LEFT - _RIGHT) * tick / end, text))
    # Shades by the square root of the count, so that thin places can be seen beside dense ones.
    shade = np.ceil(5 * np.sqrt(counts / counts.max())).astype(int)
    for level in range(1, 6):
        cells = np.argwhere(shade == level)
        if len(cells):
            path = "".join(
                f"M{_LEFT + i * width:.1f} {_HEIGHT - _BOTTOM - (j + 1) * height:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"
                for i, j in cells
            )
            parts.append(f'<path class="cell" fill-opacity="{0.1 + 0.17 * level:.2f}" d="{path}"/>')
    column = np.minimum((x / ends[0] * n_cells).astype(int), n_cells - 1)
    medians = [
        (
            _LEFT + (i + 0.5) * width,
            _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * float(np.median(y[column == i])) / ends[1],
        )
        for i in range(n_cells)
        if (column == i).sum() >= 5
    ]
    if len(medians) > 1:
        parts.append(_line(medians, "curve"))
    return _frame(parts, title, alt, *labels)


def _round_ticks(end: float) -> Sequence[float]:
    step = 10.0 ** math.floor(math.log10(end / 4))
    step *= next(m for m in (1, 2, 5, 10) if end / (m * step) <= 6)
    return [i * step for i in range(int(end / step * (1 + 1e-12)) + 1)]


def _rule(y: float, text: str) -> str:
    return (
        f'<line class="rule" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{_LEFT - 8}" y="{y + 5:.1f}" text-anchor="end">{text}</text>'
    )


def _tick(x: float, text: str) -> str:
    y = _HEIGHT - _BOTTOM
    return (
        f'<line class="rule" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{y}"/>'
        f'<text x="{x:.1f}" y="{y + 20}" text-anchor="middle">{text}</text>'
    )


def _line(points: Sequence[tuple[float, float]], kind: str) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="{kind}" d="M{path}"/>'


def _frame(parts: Sequence[str], title: str, alt: str, across: str, up: str) -> str:
    from html import escape

    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    return "".join(
        [
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(f"{title}. {alt}")}">',
            *parts,
            f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 10}" text-anchor="middle">{escape(across)}</text>',
            f'<text transform="translate(18 {middle:.0f}) rotate(-90)" text-anchor="middle">{escape(up)}</text></svg>',
        ]
    )
