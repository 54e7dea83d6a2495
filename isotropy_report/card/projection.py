"""Section on a projection: its quality measures and Shepard diagram."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from isotropy_lab._core.rows import Floats
from isotropy_lab.projection.estimates import PairEstimate, stress_estimate
from isotropy_lab.projection.neighbors import neighborhood_scores
from isotropy_lab.projection.quality import projection_quality
from isotropy_report.card.drawing import density
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.measures import line_or_reason
from isotropy_report.card.parts import Figure, Line, Section
from isotropy_report.card.rows import Rows, random_pairs, spread_sample
from isotropy_report.card.words import decimals

_MOST_POINTS = 2_000
"""Maximum number of points for which all pairs are compared: 160 MB and a few seconds."""

_MOST_SPREAD = 100_000
_MOST_NUMBERS = 2**24
"""Limits on the points from which pairs are drawn, and on the numbers in these points: 128 MB."""

_NEIGHBOR_WORK, _SORT, _FEWEST_ROWS = 2**33, 300, 200
"""Limit on the work of neighbor searches, in numbers read, with _SORT more per pair for sorting.

The search takes a few seconds in NumPy and uses the same points whether or not loops are compiled.
"""

_PAIRS = 100_000
_PAIRS_ESTIMATED = 300_000
_PERPLEXITY = 30.0
_N_NEIGHBORS = 7

_ESTIMATES: Mapping[str, str] = MappingProxyType(
    {
        "scale_normalized_stress": "scale-normalized",
        "optimal_scale": "optimal-scale",
        "normalized_stress": "normalized",
        "shepard_goodness": "Shepard",
        "nonmetric_stress": "non-metric",
    }
)
"""Measures that are sums over pairs, so that random pairs estimate them with a known error."""

_SHOWN = (
    "scale_normalized_stress",
    "optimal_scale",
    "normalized_stress",
    "shepard_goodness",
    "nonmetric_stress",
    "scale_normalized_kl",
    "kl_divergence",
    "trustworthiness",
    "continuity",
)


def sampled_distances(X: Floats, Y: Floats, n_pairs: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the distances in X and in Y for `n_pairs` random pairs of rows, or all pairs if fewer exist."""
    i, j = random_pairs(len(X), n_pairs, rng)
    d, e = np.empty(i.size), np.empty(i.size)
    step = max(1, 2**21 // max(X.shape[1], Y.shape[1]))
    for start in range(0, i.size, step):
        part = slice(start, start + step)
        d[part] = np.linalg.norm(X[i[part]] - X[j[part]], axis=1)
        e[part] = np.linalg.norm(Y[i[part]] - Y[j[part]], axis=1)
    return d, e


def projection_section(
    rows: Rows, projection: Rows, *, confidence_level: float = 0.95, rng: np.random.Generator
) -> Section:
    """Return the section on a projection.

    With up to 2,000 points, all pairs are compared. With more points, random pairs estimate the sums over
    pairs, random points and their neighbors among all points estimate trustworthiness and continuity, and
    divergence is computed from 2,000 points.
    """
    places = spread_sample(rows.n_rows, _MOST_POINTS, rng)
    X, Y = (side.take(places).astype(np.float64) for side in (rows, projection))
    n_points = places.size
    perplexity = min(_PERPLEXITY, max(1.0, (n_points - 2) / 3))
    n_neighbors = max(1, min(_N_NEIGHBORS, (n_points - 1) // 2))
    rows.progress("comparing pairs", 0, n_points)
    quality = dataclasses.asdict(projection_quality(X, Y, perplexity=perplexity, n_neighbors=n_neighbors))
    rows.progress("comparing pairs", n_points, n_points)
    lines = {key: line_or_reason(key, lambda key=key: quality[key]) for key in _SHOWN}  # type: ignore[misc]
    settings = (
        f"The perplexity is {perplexity:g}; trustworthiness and continuity use {n_neighbors} neighbors."
    )
    if n_points == rows.n_rows:
        notes = [f"These numbers use all pairs of all {n_points:,} points. {settings}"]
    else:
        estimates, X, Y = _estimates(rows, projection, confidence_level, rng)
        for key, found in estimates.items():
            quality[key] = found.estimate
            lines[key] = Line(key, found.estimate, found.low, found.high)
        n_pairs = next(iter(estimates.values())).n_pairs
        drawn = "all" if len(X) == rows.n_rows else f"{len(X):,} of the"
        notes = [
            TEXTS["stress_estimated"].format(
                n_pairs=n_pairs, drawn=drawn, rows=rows.n_rows, level=confidence_level
            ),
            TEXTS["divergence_sampled"].format(n_points=n_points),
        ]
    d, e = sampled_distances(X, Y, _PAIRS, rng)
    if n_points < rows.n_rows:
        rows.progress("finding neighbors", 0, 1)
        neighbor_lines, note = _neighbor_lines(X, Y, n_neighbors, confidence_level, rng)
        rows.progress("finding neighbors", 1, 1)
        lines |= neighbor_lines
        notes.append(f"{note} {drawn} {rows.n_rows:,} points. {settings}")
    return Section(
        "projection",
        "The projection",
        tuple(lines.values()),
        figures=(_shepard(d, e, quality),),
        notes=tuple(notes),
        finding=_finding(lines),
    )


def _estimates(
    rows: Rows, projection: Rows, confidence_level: float, rng: np.random.Generator
) -> tuple[dict[str, PairEstimate], Floats, Floats]:
    """Return estimates from random pairs, and the points from which the pairs were drawn."""
    size = min(_MOST_SPREAD, _MOST_NUMBERS // max(rows.n_dimensions, projection.n_dimensions))
    places = spread_sample(rows.n_rows, max(size, _MOST_POINTS), rng)
    X, Y = (side.take(places).astype(np.float64) for side in (rows, projection))
    found = {}
    for done, (key, measure) in enumerate(_ESTIMATES.items()):
        rows.progress("drawing pairs", done, len(_ESTIMATES))
        found[key] = stress_estimate(
            X, Y, measure=measure, n_pairs=_PAIRS_ESTIMATED, confidence_level=confidence_level, rng=rng
        )
    rows.progress("drawing pairs", len(_ESTIMATES), len(_ESTIMATES))
    return found, X, Y


def _neighbor_lines(
    X: Floats, Y: Floats, n_neighbors: int, confidence_level: float, rng: np.random.Generator
) -> tuple[dict[str, Line], str]:
    """Return the lines for trustworthiness and continuity, and the beginning of their note."""
    n_rows = max(_NEIGHBOR_WORK // (len(X) * (X.shape[1] + Y.shape[1] + _SORT)), _FEWEST_ROWS)
    scores = neighborhood_scores(
        X, Y, n_neighbors=n_neighbors, n_rows=n_rows, confidence_level=confidence_level, rng=rng
    )
    lines = {}
    for key in ("trustworthiness", "continuity"):
        value, low, high = (float(getattr(scores, key + end)[0]) for end in ("", "_low", "_high"))
        lines[key] = Line(key, value) if scores.n_rows == len(X) else Line(key, value, low, high)
    if scores.n_rows == len(X):
        return lines, "Trustworthiness and continuity are exact for all pairs of"
    return lines, TEXTS["trust_estimated"].format(rows=scores.n_rows, level=confidence_level)


def _finding(lines: Mapping[str, Line]) -> str:
    """Return a sentence on what the projection preserves, compared with random positions of the points."""
    trust, kept, ranks = (
        "undefined" if (value := lines[key].value) is None else decimals(float(value), 2)
        for key in ("trustworthiness", "continuity", "shepard_goodness")
    )
    return TEXTS["projection"].format(trust=trust, kept=kept, ranks=ranks)


def _shepard(d: Floats, e: Floats, quality: dict[str, float]) -> Figure:
    alt = TEXTS["shepard"].format(pairs=d.size, correlation=quality["shepard_goodness"])
    edges = np.quantile(d, np.linspace(0, 1, 11))
    cell = np.clip(np.searchsorted(edges, d, side="right") - 1, 0, 9)
    used = [c for c in range(10) if (cell == c).any()]
    data = {
        "n_pairs": int(d.size),
        "distance_in_data": [float(np.median(d[cell == c])) for c in used],
        "distance_in_projection": [float(np.median(e[cell == c])) for c in used],
    }
    return density(d, e).figure(
        "shepard", "Shepard diagram", alt, data=data,
        across="distance in the data", up="distance in the projection",
    )  # fmt: skip
