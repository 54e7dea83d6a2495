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

_MAX_COLORS = 10
"""Number of labels that have their own color."""


@dataclass(frozen=True)
class Region:
    """A region to outline: its kind, name, and points, and the outlines of its parts."""

    kind: str
    name: str
    points: NDArray[Any]
    outlines: list[list[list[float]]]


def regions_of(scores: MapScores, Y: Any) -> list[Region]:
    """Return the regions of at least K points, the largest first; smaller ones affect only point scores."""
    regions = []
    positions = Y[scores.searched]
    for kind, letter in (("invented", "I"), ("torn", "T")):
        numbers = getattr(scores.regions, kind)
        for number in np.flatnonzero(np.bincount(numbers[numbers >= 0]) >= scores.points.n_neighbors):
            inside = numbers == number
            outlines = [_outline(part) for part in _connected_parts(positions[inside], positions)]
            regions.append(Region(kind, f"{letter}{number + 1}", scores.searched[inside], outlines))
    return sorted(regions, key=lambda region: -region.points.size)


def _connected_parts(inside: Any, positions: Any) -> list[Any]:
    """Return the points of a region in groups that are connected in the map, the largest first."""
    radius = 2.0 * float(np.median(cKDTree(positions).query(positions, 11)[0][:, -1]))
    graph = cKDTree(inside).sparse_distance_matrix(cKDTree(inside), max(radius, 1e-300))
    n_parts, labels = csgraph.connected_components(graph, directed=False)
    groups = sorted((inside[labels == i] for i in range(n_parts)), key=len, reverse=True)
    return [group for group in groups if len(group) > 4] or groups[:1]


def _outline(points: Any) -> list[list[float]]:
    """Return the corners of the convex hull, or two of the points if all points lie on a line."""
    try:
        return [[float(a) for a in points[i]] for i in ConvexHull(points).vertices]
    except (QhullError, ValueError):
        return [[float(a) for a in point] for point in points[:2]]


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
    maps: list[dict[str, Any]] = []
    for score, Y in zip(scores, positions, strict=True):
        low, high = Y.min(axis=0), Y.max(axis=0)
        size = float((high - low).max()) or 1.0
        unit = (Y - (low + high) / 2.0) / size + 0.5
        regions = regions_of(score, unit)
        largest = float(np.quantile(score.points.stress, 0.95)) or 1.0
        goodness = {
            "trustworthiness": 2.0 * score.points.trustworthiness - 1.0,  # 0 for a random map
            "continuity": 2.0 * score.points.continuity - 1.0,
            "stress": 1.0 - score.points.stress / largest,
        } | ({} if agreement is None else {"stability": agreement.points})
        maps.append({
            "name": score.name, "largest": float(f"{largest:.2g}"),
            "at": _base64(unit * 65535.0),
            "near": _base64(score.points.map_neighbors), "ranks": _base64(score.points.data_ranks),
            "far": _base64(score.points.map_ranks),
            "good": {key: _base64(np.clip(value, 0.0, 1.0) * 65535.0) for key, value in goodness.items()},
            "regions": [{"kind": r.kind, "name": r.name, "outlines": r.outlines, "points": r.points.tolist()}
                        for r in regions],
        })  # fmt: skip
    data = {
        "k": scores[0].points.n_neighbors, "maps": maps, "true": _base64(scores[0].points.data_neighbors),
        "labels": [*classes[:_MAX_COLORS], *(["other"] if len(classes) > _MAX_COLORS else [])],
        "codes": _base64(np.minimum(codes, _MAX_COLORS)), "texts": texts, "rows": rows.tolist(),
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


def _base64(values: Any) -> str:
    """Return integers below 65,536 as base64 of little-endian 16-bit numbers."""
    return base64.b64encode(np.rint(values).astype("<u2").tobytes()).decode("ascii")
