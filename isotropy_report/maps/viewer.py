"""The maps as one HTML fragment: canvases, neighbors of the chosen point, and the plotted data."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph
from scipy.spatial import ConvexHull, QhullError, cKDTree

from isotropy_report.maps.measures import MapScores, Stability

_COLORED = 10
"""Number of labels that have their own color."""


@dataclass(frozen=True)
class Region:
    """A region to outline: its kind, name, and points, and the outlines of its parts."""

    kind: str
    name: str
    points: NDArray[Any]
    outlines: list[list[list[float]]]


def regions_of(scores: MapScores, Y: Any) -> list[Region]:
    """Return regions of K points or more, the largest first; smaller ones show in the scores of points."""
    found = []
    positions = Y[scores.searched]
    for kind, letter in (("invented", "I"), ("torn", "T")):
        numbers = getattr(scores.regions, kind)
        for number in np.flatnonzero(np.bincount(numbers[numbers >= 0]) >= scores.points.n_neighbors):
            inside = numbers == number
            outlines = [_outline(part) for part in _parts(positions[inside], positions)]
            found.append(Region(kind, f"{letter}{number + 1}", scores.searched[inside], outlines))
    return sorted(found, key=lambda region: -region.points.size)


def _parts(inside: Any, positions: Any) -> list[Any]:
    """Return the points of a region in groups that are connected in the map, the largest first."""
    reach = 2.0 * float(np.median(cKDTree(positions).query(positions, 11)[0][:, -1]))
    linked = cKDTree(inside).sparse_distance_matrix(cKDTree(inside), max(reach, 1e-300))
    n_parts, part = csgraph.connected_components(linked, directed=False)
    groups = sorted((inside[part == one] for one in range(n_parts)), key=len, reverse=True)
    return [one for one in groups if len(one) > 4] or groups[:1]


def _outline(points: Any) -> list[list[float]]:
    """Return the corners of the convex hull, or two of the points if all points lie on a line."""
    try:
        return [[float(a) for a in points[i]] for i in ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return [[float(a) for a in one] for one in points[:2]]


def viewer(
    scores: Sequence[MapScores],
    positions: Sequence[Any],
    agreement: Stability | None,
    codes: NDArray[Any],
    classes: Sequence[str],
    texts: Sequence[str] | None,
    rows: NDArray[Any],
) -> str:
    """Return the fragment, whose script is self-contained."""
    shown: list[dict[str, Any]] = []
    for one, Y in zip(scores, positions, strict=True):
        low, high = Y.min(axis=0), Y.max(axis=0)
        size = float((high - low).max()) or 1.0
        unit = (Y - (low + high) / 2.0) / size + 0.5
        regions = regions_of(one, unit)
        largest = float(np.quantile(one.points.stress, 0.95)) or 1.0
        goodness = {
            "trustworthiness": 2.0 * one.points.trustworthiness - 1.0,  # 0 for a random map
            "continuity": 2.0 * one.points.continuity - 1.0,
            "stress": 1.0 - one.points.stress / largest,
        } | ({} if agreement is None else {"stability": agreement.points})
        shown.append({
            "name": one.name, "largest": float(f"{largest:.2g}"),
            "at": _packed(unit * 65535.0),
            "near": _packed(one.points.map_neighbors), "ranks": _packed(one.points.data_ranks),
            "far": _packed(one.points.map_ranks),
            "good": {key: _packed(np.clip(value, 0.0, 1.0) * 65535.0) for key, value in goodness.items()},
            "regions": [{"kind": r.kind, "name": r.name, "outlines": r.outlines, "points": r.points.tolist()}
                        for r in regions],
        })  # fmt: skip
    data = {
        "k": scores[0].points.n_neighbors, "maps": shown, "true": _packed(scores[0].points.data_neighbors),
        "labels": [*classes[:_COLORED], *(["other"] if len(classes) > _COLORED else [])],
        "codes": _packed(np.minimum(codes, _COLORED)), "texts": texts, "rows": rows.tolist(),
        "searched": scores[0].searched.size,
    }  # fmt: skip
    embedded = json.dumps(data, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    files = resources.files(__package__)
    return (
        f"<style>{(files / 'viewer.css').read_text(encoding='utf-8')}</style>"
        '<div class="viewer"></div>'
        f'<script type="application/json" id="points">{embedded}</script>'
        f"<script>{(files / 'viewer.js').read_text(encoding='utf-8')}</script>"
    )


def _packed(values: Any) -> str:
    """Return integers below 65,536 as base64 of little-endian 16-bit numbers."""
    return base64.b64encode(np.rint(values).astype("<u2").tobytes()).decode("ascii")
