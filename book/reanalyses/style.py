"""The style of all figures in the book: colors, markers, and line styles for each method, measure, and model.

A figure is embedded in the page as SVG, so that it is sharp at any size, fits a phone, and follows the light or dark
theme of the page: its grays are variables of the style sheet (`--il-ink` and so on), which default to the original
grays. Its colors are the same in both themes and have a contrast of at least 3 with either. Text remains text. In
panels with more than `MAX_POINTS` points, these are an image with 200 dots per inch.

Items that occur in more than one figure (a method, a model, a score, a list of words) have their own color and marker
in all of them: `looks`. Items of a single figure use the remaining ones. Color is never the only cue.

``%load_ext reanalyses.style`` gives any notebook this style, and so does importing one of the book's figures.
"""

from __future__ import annotations

import hashlib
import io
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

#: Ten colors with a contrast of at least 3 on white and on a dark page. Color-blind readers can distinguish
#: the first eight.
COLORS = (
    *("#1771b4", "#d35c18", "#0a9a70", "#b34a9b", "#cd254b"),
    *("#8467e8", "#6b7280", "#3f97cf", "#96662b", "#8a8a12"),
)
#: The same colors as RGB values.
PALETTE = [to_rgb(color) for color in COLORS]
_MARKERS = "osD^vPX*<>"
_DASHES: Sequence[Any] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
#: Width of a figure in inches. A phone shrinks it by a third, so that text of 9 points or more remains legible.
WIDTH = 5.6
#: Width of a figure that fills the column of its page.
FULL = 6.0
#: Panels with more points than this are rasterized.
MAX_POINTS = 1_500

_TABLES: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("looks.toml").read_text(encoding="utf-8")
)
#: Alternative names of items with a look.
_ALIASES: dict[str, str] = _TABLES.pop("aliases")
#: Items that have their own color (index into the palette) and marker in every figure, by kind.
LOOKS: dict[str, dict[str, tuple[int, str]]] = _TABLES

#: Grays up to each level (0 to 255) are replaced by this color of the page.
_INKS = {0x4F: "ink", 0x8F: "muted", 0xC4: "line", 0xDC: "band", 0xF6: "grid", 0xFF: "ground"}

SETTINGS: Any = {
    "axes.axisbelow": True,
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
    "figure.figsize": (WIDTH, 3.5),
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": "0.9",
    "image.cmap": "cividis",
    "legend.fontsize": 9.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "isotropy-lab",
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}


@contextmanager
def style() -> Iterator[None]:
    """Apply the style to figures that are drawn in this context."""
    earlier = set(plt.get_fignums())
    with mpl.rc_context(SETTINGS):
        try:
            yield
        except BaseException:
            for number in set(plt.get_fignums()) - earlier:  # so that no partly drawn figure stays open
                plt.close(number)
            raise


def look(i: int) -> dict[str, Any]:
    """Return color, marker, and line style of the i-th series, as keyword arguments for ``Axes.plot``."""
    return {
        "color": COLORS[i % len(COLORS)],
        "marker": _MARKERS[i % len(_MARKERS)],
        "linestyle": _DASHES[i % len(_DASHES)],
        "markeredgecolor": "white",
        "markeredgewidth": 0.5,
    }


def looks(names: Iterable[Any], kind: str) -> dict[Any, dict[str, Any]]:
    """Return the look of each series of a figure, as keyword arguments for ``Axes.plot``; `kind` is a key of `LOOKS`."""
    names = list(dict.fromkeys(names))
    fixed = {name: LOOKS[kind].get(_look_key(name)) for name in names}
    used_colors = {entry[0] for entry in fixed.values() if entry}
    used_markers = {entry[1] for entry in fixed.values() if entry}
    colors = [i for i in range(len(PALETTE)) if i not in used_colors] or list(range(len(PALETTE)))
    markers = [m for m in "osD^vPX*<>dph" if m not in used_markers] or ["o"]
    results, n_others = {}, 0
    for i, (name, entry) in enumerate(fixed.items()):
        if entry is None:
            entry = (colors[n_others % len(colors)], markers[n_others % len(markers)])
            n_others += 1
        results[name] = look(i) | {"color": COLORS[entry[0]], "marker": entry[1]}
    return results


def rows(n: int, *, height: float, columns: int = 2, **options: Any) -> tuple[Figure, list[Axes]]:
    """Create panels in rows of at most two, with room for the legend in the position of a missing panel."""
    columns = min(columns, n)
    n_rows = -(-n // columns)
    fig, grid = plt.subplots(
        n_rows, columns, figsize=(WIDTH, height * n_rows + 0.5), squeeze=False, **options
    )
    axes = list(grid.ravel())
    for ax in axes[n:]:
        ax.set_visible(False)
    for ax in axes:  # shared axes hide their labels, but on a phone each panel is read alone
        ax.tick_params(labelbottom=True, labelleft=True)
    return fig, axes[:n]


def name_rows(axes: Sequence[Axes], names: Sequence[str]) -> None:
    """Label the rows 0, 1, … of the y-axis with names, from top to bottom; right-hand panels get no labels."""
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    for ax in axes[1::2]:
        ax.tick_params(labelleft=False)


def legend(fig: Figure, handles: Sequence[Any], *, columns: int = 3) -> None:
    """Add one legend for all panels, below them or in place of a missing panel, with as many columns as fit."""
    if not handles:
        return
    spare = _empty_panel(fig)
    if spare is not None:
        panel = spare.get_position()
        _, height = fig.get_size_inches()
        if len(handles) * 0.21 + 0.1 < panel.height * height:
            spare.set_visible(True)
            spare.axis("off")
            box = spare.legend(handles=list(handles), loc="center")
            if _legend_width(fig, box) <= WIDTH / 2:
                return
            box.remove()
            spare.set_visible(False)
    for n in range(min(columns, len(handles)), 0, -1):
        box = fig.legend(handles=list(handles), loc="outside lower center", ncols=n)
        if n == 1 or _legend_width(fig, box) <= fig.get_size_inches()[0]:
            return
        box.remove()


def dot(label: str, **look: Any) -> Line2D:
    """Return a marker without a line for use in a legend, by default a black circle."""
    return Line2D([], [], linestyle="none", **({"marker": "o", "color": "black"} | look), label=label)


def finish(fig: Figure, handles: Axes | Sequence[Any] = (), *, columns: int = 3) -> Figure:
    """Add legend and background to a figure, and close it in pyplot so that a notebook shows it only once.

    `handles` are the entries of the legend, or a panel whose labeled artists are the entries. If the last panel
    is alone in its row, it fills the row.
    """
    if isinstance(handles, Axes):
        handles = handles.get_legend_handles_labels()[0]
    legend(fig, handles, columns=columns)
    spare = _empty_panel(fig)
    if spare is not None:
        last = fig.axes[fig.axes.index(spare) - 1]
        grid = last.get_subplotspec()
        if grid is not None:
            last.set_subplotspec(grid.get_gridspec()[-1, :])
        spare.remove()
    fig.set_facecolor("white")
    plt.close(fig)
    return fig


def svg(fig: Figure, *, tight: bool = True) -> str:
    """Return a figure as an SVG element: text as text, many points as pixels, and grays as colors of the page.

    Unless `tight` is true, the figure keeps its margins and size, as required for consecutive frames.
    """
    for ax in fig.axes:
        _color_cell_texts(ax)
        with_points = [artist for artist in ax.get_children() if _n_points(artist)]
        if sum(map(_n_points, with_points)) > MAX_POINTS:
            for artist in with_points:
                artist.set_rasterized(True)
    file = io.StringIO()
    settings: Any = {key: SETTINGS[key] for key in ("svg.fonttype", "svg.hashsalt")}
    with mpl.rc_context(settings):
        box: Any = {"bbox_inches": "tight", "pad_inches": 0.04} if tight else {}
        fig.savefig(file, format="svg", dpi=200, metadata={"Date": None}, **box)
    text = file.getvalue()
    view_box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text)
    assert view_box is not None
    width, height = float(view_box[1]), float(view_box[2])
    body = text[text.index(">", view_box.end()) + 1 :].strip()
    body = re.sub(r"(?s)<metadata>.*?</metadata>|<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>", "", body)
    ids = set(re.findall(r'(?:href="#|url\(#)([^")]+)', body))
    # Names must be unique to the figure, or they might refer to a hidden figure.
    prefix = hashlib.sha256(body.encode()).hexdigest()[:8]
    body = re.sub(r' id="([^"]+)"', lambda m: f' id="{prefix}-{m[1]}"' if m[1] in ids else "", body)
    body = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}-", body)
    body = re.sub(r"'DejaVu Sans'[^;\"]*sans-serif", "Arial, Helvetica, 'DejaVu Sans', sans-serif", body)
    body = re.sub(r"<text\b[^>]*>", lambda tag: re.sub(r"fill: (#[0-9a-f]{6})", _text_color, tag[0]), body)
    body = re.sub(r">\s+<", "><", re.sub(r"<[^>]*>", lambda tag: _compact_tag(tag[0]), body))
    return (
        f'<svg class="il-drawn{" il-full" if fig.get_figwidth() > FULL else ""}" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        f' viewBox="0 0 {width:g} {height:g}" width="{width * 4 / 3:.0f}" height="{height * 4 / 3:.0f}"'
        f' style="max-width: 100%; height: auto; fill: var(--il-ink, #000000); stroke-linejoin: round">{body}'
    )


def text_color_on(color: Any) -> str:
    """Return black or white, whichever has more contrast with a color; the result does not depend on the page.

    >>> text_color_on("navy"), text_color_on("yellow")
    ('#fffffe', '#000001')
    """
    rgb = np.asarray(to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "#000001" if luminance > 0.179 else "#fffffe"


def load_ipython_extension(shell: Any) -> None:
    """Apply the style to the figures of a notebook."""
    from matplotlib_inline.config import InlineBackend

    plt.close("all")  # chooses the backend first, since this step resets the formats
    InlineBackend.instance(parent=shell).figure_formats = {"svg"}
    formatters = shell.display_formatter.formatters
    formatters["image/png"].pop(Figure, None)
    formatters["image/svg+xml"].for_type(Figure, svg)
    mpl.rcParams.update(SETTINGS)


def _look_key(name: Any) -> str:
    key = str(name).casefold().replace("_", " ")
    key = _ALIASES.get(key, key)
    return key if any(key in known for known in LOOKS.values()) else key.replace(" ", "-")


def _compact_tag(tag: str) -> str:
    """Return a tag on one line with page colors for grays and coordinates rounded to 0.01 points."""
    tag = re.sub(r"#([0-9a-f]{2})\1\1\b", _page_gray, tag)
    return re.sub(r"\s*\n\s*", " ", re.sub(r"(\d\.\d\d)\d+", r"\1", tag))


def _text_color(match: re.Match[str]) -> str:
    """Mix the color of text with the text color of the page, because line colors are too faint for text."""
    rgb = to_rgb(match[1])
    if max(rgb) - min(rgb) > 0.02:
        percent = 55
    elif 0.56 < min(rgb) < 0.95:  # a gray for lines
        percent = 25
    else:
        return match[0]
    return f"{match[0]}; fill: color-mix(in srgb, {match[1]} {percent}%, var(--il-ink, black))"


def _color_cell_texts(ax: Axes) -> None:
    """Set the text color on the cells of a heatmap to one that is legible on light and dark pages."""
    for mesh in ax.collections:
        if isinstance(mesh, QuadMesh) and (values := mesh.get_array()) is not None and values.ndim == 2:
            colors: Any = mesh.to_rgba(values)
            if ax.texts:  # grays would change with the page, but the color of the text does not
                gray = np.ptp(colors[..., :3], axis=-1) < 1 / 255
                colors[..., 2] += np.where(colors[..., 2] > 0.5, -0.008, 0.008) * gray
                mesh.set_array(None)
                mesh.set_facecolor(colors.reshape(-1, 4))
            for text in ax.texts:
                x, y = text.get_position()
                text.set_color(text_color_on(colors[int(y), int(x)][:3]))


def _page_gray(match: re.Match[str]) -> str:
    level = int(match[1], 16)
    ink = next(ink for max_level, ink in _INKS.items() if level <= max_level)
    return f"var(--il-{ink}, {match[0]})"


def _n_points(artist: Any) -> int:
    if isinstance(artist, PathCollection):
        return len(np.asarray(artist.get_offsets()))
    if isinstance(artist, Line2D) and artist.get_marker() not in {"", "None", " ", None}:
        every = artist.get_markevery()
        return len(np.asarray(artist.get_xdata())) if every is None else 0
    return 0


def _empty_panel(fig: Figure) -> Axes | None:
    """Return the hidden panel that follows the last one if panels are in rows of two."""
    for ax in fig.axes:
        cell = ax.get_subplotspec()
        if not ax.get_visible() and cell is not None and cell.get_gridspec().ncols == 2:
            return ax
    return None


def _legend_width(fig: Figure, box: Any) -> float:
    return float(box.get_window_extent(fig.canvas.get_renderer()).width) / fig.dpi  # type: ignore[attr-defined]


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()) is not None:
    load_ipython_extension(_shell)
