"""Interactive map of vectors for notebooks; `explore_map` requires ipywidgets and Matplotlib."""

from __future__ import annotations

import functools
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.projection.point_quality import PointQuality, point_quality
from isotropy_report._extras import require
from isotropy_report.maps.build import check_maps, check_texts, label_codes

__all__ = ["explore_map"]

_MEASURES = ("trustworthiness", "continuity", "stress")
_GRAY = 7  # the gray of the ten Tableau colors; labels after the seventh use it
_require = functools.partial(require, purpose="explore_map", install='"isotropy-lab[widgets]"')


def explore_map(
    X: checks.Points, *maps: checks.Points, labels: Any = None, texts: Any = None, n_neighbors: int = 10
) -> Any:
    """Show maps of the same points in JupyterLab, with controls and the neighbors of a chosen point.

    Parameters
    ----------
    X, *maps, labels, texts, n_neighbors
        As in `map_page`. The slider for K starts at `n_neighbors` and ends at ten times as many.

    Returns
    -------
    ipywidgets.VBox
        Its children, in this order: the map (`Dropdown`), the measure that colors it (`Dropdown`), K
        (`IntSlider`), the chosen row (`BoundedIntText`), the picture (`Image`), and the tables (`HTML`).

    Raises
    ------
    ImportError, TypeError, ValueError
        ipywidgets or Matplotlib is missing; see `map_page`.

    Notes
    -----
    Lines lead to the neighbors in the data; false neighbors are crossed out. Everything shown is from
    `isotropy_lab.projection.point_quality`, with its invariances. Cost: O(N²n) time for each map and each K.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((40, 5))
    >>> [type(child).__name__ for child in explore_map(X, X[:, :2]).children]
    ['Dropdown', 'Dropdown', 'IntSlider', 'BoundedIntText', 'Image', 'HTML']
    """
    widgets = _require("ipywidgets")
    rows, arrays = check_maps(X, maps)
    n = len(rows)
    start = checks.check_integer(n_neighbors, "n_neighbors", low=1, high=(n - 1) // 2)
    codes, classes = label_codes(labels, n)
    label = [classes[i] for i in codes] if classes else None
    rows_table = pd.DataFrame({"row": range(n), "text": check_texts(texts, n), "label": label}).dropna(axis=1)
    legend_labels = [*classes[:_GRAY], "other"][: len(classes)]
    colors = zip(legend_labels, _require("matplotlib.colors").TABLEAU_COLORS.values(), strict=False)
    legend = "".join(f'<span style="color:{color}">■</span> {escape(kind)} ' for kind, color in colors)
    quality = functools.lru_cache(8)(lambda i, k: point_quality(rows, arrays[i - 1], n_neighbors=k))
    map_choice = widgets.Dropdown(options=range(1, len(maps) + 1), description="map", disabled=len(maps) == 1)
    measure = widgets.Dropdown(options=[*_MEASURES, *(["labels"] if classes else [])], description="color")
    k = widgets.IntSlider(start, 1, min((n - 1) // 2, 10 * start), description="K", continuous_update=False)
    row = widgets.BoundedIntText(0, min=0, max=n - 1, description="row")
    picture, tables = widgets.Image(format="png", layout={"max_width": "560px"}), widgets.HTML()

    def show(_: Any = None) -> None:
        points, by_label = quality(map_choice.value, k.value), measure.value == "labels"
        values = np.minimum(codes, _GRAY) if by_label else getattr(points, measure.value)
        picture.value = _picture(arrays[map_choice.value - 1], points, row.value, measure.value, values)
        tables.value = legend * by_label + _tables(points, row.value, rows_table)

    for control in (map_choice, measure, k, row):
        control.observe(show, names="value")
    show()
    return widgets.VBox([map_choice, measure, k, row, picture, tables], layout={"flex_flow": "row wrap"})


def _picture(Y: Any, points: PointQuality, row: int, measure: str, values: Any) -> bytes:
    """Return the map as a PNG image; `values` color the points, and brighter is better."""
    ax = _require("matplotlib.figure").Figure(figsize=(7, 6), layout="constrained").subplots()
    scales = {"labels": ("tab10", -0.5, 9.5), "stress": ("viridis_r", 0, np.quantile(values, 0.95) or 1)}
    cmap, low, high = scales.get(measure, ("viridis", 0.5, 1))  # 0.5 for a random map
    scatter = ax.scatter(*Y.T, s=np.clip(9000 / len(Y), 4, 40), c=values, cmap=cmap, vmin=low, vmax=high)
    if measure != "labels":
        ax.figure.colorbar(scatter, label=measure, extend="max" if measure == "stress" else "min")
    for neighbor in points.data_neighbors[row]:
        ax.plot(*Y[[row, neighbor]].T, color="0.2", lw=1)
    ax.scatter(*Y[points.false_neighbors(row)].T, marker="x", s=70, color="red", lw=2)
    ax.scatter(*Y[row], s=120, facecolors="none", edgecolors="black", lw=2)
    ax.set(xticks=[], yticks=[], aspect="equal")
    return bytes(_require("IPython.core.pylabtools").print_figure(ax.figure))


@pd.option_context("display.max_colwidth", 200, "display.precision", 3)  # type: ignore[untyped-decorator]
def _tables(points: PointQuality, row: int, rows_table: pd.DataFrame) -> str:
    """Return the scores of a row, and its neighbors in the data and in the map, as HTML."""
    chosen = rows_table.iloc[[row]].assign(**{name: getattr(points, name)[row] for name in _MEASURES})
    html = f"<p>Chosen point</p>{chosen.to_html(index=False)}"
    for side, other in (("data", "map"), ("map", "data")):
        neighbors = rows_table.iloc[getattr(points, f"{side}_neighbors")[row]]
        neighbors = neighbors.assign(**{f"rank in the {other}": getattr(points, f"{other}_ranks")[row]})
        html += f"<p>Neighbors in the {side}</p>{neighbors.to_html(index=False)}"
    return html
