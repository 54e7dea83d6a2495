"""The page of a map: sentences that must not be said about it, its scores, and the map itself to look at."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_report._output import aligned, program
from isotropy_report.card.card import Page, wrapped
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import SCHEMA, Figure, Section, Table
from isotropy_report.maps.measures import MapScores, Stability, map_scores, stability
from isotropy_report.maps.viewer import Region, regions_of, viewer

__all__ = ["MapPage", "map_page"]

SHOWN = 20_000
"""Points that a browser draws smoothly; of more, a sample is measured and shown."""

_NAMED = 3
"""Regions that the summary names, the largest ones."""

_SCORES = ("trustworthiness", "continuity", "stress", "false neighbors", "reversed triples",
           "density correlation", "invented regions", "torn regions")  # fmt: skip
_NOTES = (
    TEXTS["map_scores"],
    TEXTS["map_regions"],
    TEXTS["map_bounds"],
)


@dataclasses.dataclass(frozen=True, repr=False)
class MapPage(Page):
    """The results of `map_page`: `maps` has the scores of each map, `points` those of each point."""

    KIND: ClassVar[str] = "Map"
    LOOKED: ClassVar[bool] = False

    maps: tuple[MapScores, ...] = ()
    stability: Stability | None = None
    points: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)

    def to_dict(self) -> dict[str, Any]:
        """Return all content but the scores of single points as plain data; "kind" is "map"."""
        own = {"maps": (), "stability": None, "points": pd.DataFrame()}
        content = super(MapPage, dataclasses.replace(self, **own)).to_dict()
        return {"schema": SCHEMA, "kind": "map"} | {k: v for k, v in content.items() if k not in own}

    def to_text(self, *, remarks: bool = True) -> str:
        """Return the sentences and the tables."""
        lines = [self.name, "", *wrapped(*self.summary, indent="  ")]
        for table in (table for section in self.sections for table in section.tables):
            lines += ["", table.title, ""]
            lines += aligned(table.columns, [[_cell(one) for one in row] for row in table.rows])
        notes = [note for section in self.sections for note in section.notes] if remarks else []
        return "\n".join([*lines, *([""] if notes else []), *wrapped(*notes, indent="  ")]) + "\n"


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def map_page(
    X: checks.Points,
    *maps: checks.Points,
    names: Sequence[str] = (),
    labels: Any = None,
    texts: Sequence[str] | None = None,
    n_neighbors: int = 10,
    rng: checks.RandomState = 0,
) -> MapPage:
    """Measure one or more maps of the same points, and report where they misrepresent the data.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The vectors: N ≥ 20 rows. Of more than 20,000 rows a random sample is measured and shown.
    *maps : array-like of shape (N, 2)
        Maps of these vectors, a row for each row of X.
    names : sequence of str, optional
        Names of the maps.
    labels : array-like of shape (N,), optional
        What each row is, such as its topic: colors of the map, and clusters whose distances are compared.
    texts : sequence of N str, optional
        Names of the rows.
    n_neighbors : int, default 10
        Neighbors K of each point: at least 1, less than N/2.
    rng : numpy.random.Generator or int, default 0
        What draws the sample and the simulated data.

    Returns
    -------
    MapPage
        `str` gives the text, `write` a page on which points can be chosen, and `to_dict` the numbers.

    Raises
    ------
    TypeError, ValueError
        There is no map; X or a map is not numeric, has NaN or infinity, or coincident points only; a map has
        not two columns; lengths differ; an option is out of range.

    Notes
    -----
    Each map is measured by `isotropy_lab.projection.point_quality` and `faulty_regions` (the latter on at
    most 1,500 points). Invariant under translation, rotation, and scale of the vectors and of the maps. Cost:
    O(N²n) time for each map, half a minute for 20,000 rows of 384 numbers. In JupyterLab,
    `isotropy_report.explore_map` shows maps with controls.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 8)) + 9 * np.eye(3, 8)[np.arange(300) % 3]
    >>> page = map_page(X, X[:, :2], names=["first two columns"])
    >>> page.maps[0].regions.n_invented
    0
    """
    rows, arrays = checked(X, maps)
    n = len(rows)
    called = tuple(names) if names else tuple(f"map {i}" for i in range(1, len(arrays) + 1))
    if len(called) != len(arrays):
        raise ValueError(f"names has {len(called)} entries for {len(arrays)} maps; expected one for each map")
    codes, classes = codes_of(labels, n)
    kinds = np.array(classes)[codes] if classes else None
    written = texts_of(texts, n)
    generator = checks.as_generator(rng)
    shown = np.arange(n) if n <= SHOWN else np.sort(generator.choice(n, SHOWN, replace=False))
    rows, arrays = rows[shown], [one[shown] for one in arrays]
    codes, classes = codes_of(None if kinds is None else kinds[shown], len(rows))  # a sample can lack a label
    k = checks.check_integer(n_neighbors, "n_neighbors", low=1, high=(len(rows) - 1) // 2)
    scores = [
        map_scores(rows, Y, name=name, n_neighbors=k, rng=generator)
        for Y, name in zip(arrays, called, strict=True)
    ]
    agreement = stability(scores, arrays, codes, classes) if len(arrays) > 1 else None
    said = [_sentences(one, Y, len(rows)) for one, Y in zip(scores, arrays, strict=True)]
    names = tuple(f"{name}: " if agreement else "" for name in called)
    summary = [name + one for name, of in zip(names, said, strict=True) for one in of]
    tables = [_table(scores)]
    if agreement is not None:
        summary.append(_agreement(agreement, k))
        if agreement.pairs:
            title = "Distances between clusters over the maps, as multiples of the median"
            columns = ("cluster", "and", "smallest", "largest")
            tables.append(Table("distances", title, columns, tuple(agreement.pairs[:12])))
    if len(shown) < n:
        summary.append(f"Of {n:,} points a sample of {len(shown):,} is measured and shown.")
    written = None if written is None else [written[i] for i in shown]
    drawn = viewer(scores, arrays, agreement, codes, classes, written, shown)
    figure = Figure("map", "Choose a point", _ALT, drawn, {}, _CAPTION)
    return MapPage(
        name=" and ".join(called),
        program=program(),
        options={"neighbors": k, "points": len(rows)},
        summary=tuple(summary),
        cautions=(),
        sections=(
            Section("map", "The map", figures=(figure,), gallery=True),
            Section("scores", "Scores", tables=tuple(tables), notes=_NOTES),
        ),
        maps=tuple(scores),
        stability=agreement,
        points=_points(scores, arrays, agreement, shown),
    )


def _points(
    scores: Sequence[MapScores], arrays: Sequence[Any], agreement: Stability | None, shown: Any
) -> pd.DataFrame:
    """Return a row for each point: its row number, and its position and scores in each map."""
    columns: dict[str, Any] = {"row": shown}
    for i, (one, Y) in enumerate(zip(scores, arrays, strict=True), 1):
        end = "" if len(scores) == 1 else f"_{i}"
        columns |= {f"x{end}": Y[:, 0], f"y{end}": Y[:, 1]}
        columns |= {f"{name}{end}": getattr(one.points, name) for name in _SCORES[:3]}
        for kind in ("invented", "torn"):
            # Missing where no region was searched for, and −1 where none was found.
            region = pd.Series(getattr(one.regions, kind), index=one.searched).reindex(range(len(Y)))
            columns[f"{kind}_region{end}"] = region.astype("Int64")
    if agreement is not None:
        columns["stability"] = agreement.points
    return pd.DataFrame(columns)


_ALT = "The map, with a list of the chosen point's neighbors in the map and in the data."
_CAPTION = TEXTS["map_caption"]


def checked(X: Any, maps: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return the vectors and the maps as arrays."""
    rows = checks.as_points(X, "X")
    if len(rows) < 20:
        raise ValueError(f"X has {checks.how_many(len(rows), 'row')}; expected at least 20")
    if not maps:
        raise ValueError("maps is empty; expected at least one array of positions, of shape (N, 2)")
    arrays = []
    for i, one in enumerate(maps, 1):
        Y = np.asarray(checks.as_points(one, f"map {i}"), dtype=np.float64)
        if Y.shape[1] != 2:
            raise ValueError(f"map {i} has {checks.how_many(Y.shape[1], 'column')}; expected two")
        if len(Y) != len(rows):
            raise ValueError(
                f"map {i} has {checks.how_many(len(Y), 'row')} and X has {len(rows)}; expected one row of "
                "the map for each row of X"
            )
        if not np.ptp(Y, axis=0).any():
            raise ValueError(f"map {i} has the same position for all points; expected positions that differ")
        arrays.append(Y)
    return rows, arrays


def codes_of(labels: Any, n: int) -> tuple[Any, list[str]]:
    """Return the number of each row's label, and the names of the labels, the most frequent first."""
    if labels is None:
        return np.zeros(n, np.int64), []
    given = np.asarray(labels).astype(str)
    if given.shape != (n,):
        raise ValueError(
            f"labels has shape {given.shape} and X has {n} rows; expected one label for each row"
        )
    names, codes, counts = np.unique(given, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return np.argsort(order)[codes], [str(one) for one in names[order]]


def texts_of(texts: Sequence[str] | None, n: int) -> list[str] | None:
    """Return the text of each row, if there are texts."""
    if texts is not None and len(texts) != n:
        raise ValueError(f"texts has {len(texts)} entries and X has {n} rows; expected one for each row")
    return None if texts is None else [str(one) for one in texts]


def _sentences(scores: MapScores, Y: Any, n: int) -> list[str]:
    """Return what must not be said about a map, regions first."""
    about = "about " if scores.searched.size < n else ""
    regions = regions_of(scores, Y)
    said = [_of_region(one, f"{about}{round(one.n_points / scores.searched.size * n):,} points")
            for one in regions[:_NAMED]]  # fmt: skip
    if len(regions) > _NAMED:
        said.append(f"The page outlines {checks.how_many(len(regions) - _NAMED, 'smaller region')}.")
    if scores.trustworthiness < 0.8:
        said.append(TEXTS["map_clusters"].format(trust=scores.trustworthiness))
    k = scores.points.n_neighbors
    if scores.false_neighbors > 1 / 3:
        said.append(
            TEXTS["map_nearest"].format(
                k=k, false=k * scores.false_neighbors, chance=k * scores.false_by_chance
            )
        )
    if scores.reversed_triples > 0.1:
        said.append(TEXTS["map_order"].format(part=scores.reversed_triples))
    if scores.density_correlation < 0.7:
        said.append(TEXTS["map_density"].format(correlation=scores.density_correlation))
    if not said:
        said.append("Neighbors, the order of distances, and densities are close to those of the data.")
    for kind, what in (("invented", "merges groups"), ("torn", "separates neighbors")):
        if scores.trustworthiness >= 0.8 and not any(region.kind == kind for region in regions):
            said.append(f"No region was found that {what} of the data.")
    return said


def _of_region(region: Region, size: str) -> str:
    times, parts = float(np.exp(region.score)), len(region.outlines)
    if region.kind == "invented":
        return (
            f"Do not say that region {region.name} ({size}) is one group: measured in the data, its "
            f"neighbors in the map are {times:.1f} times as far apart as neighbors in the data."
        )
    apart = f"say that the {parts} parts of region {region.name} ({size}) are separate groups"
    apart = apart if parts > 1 else f"take the distances in region {region.name} ({size}) at face value"
    return (
        f"Do not {apart}: measured in the map, its neighbors in the data are {times:.1f} times as far apart "
        "as neighbors in the map."
    )


def _agreement(found: Stability, k: int) -> str:
    text = TEXTS["map_agreement"].format(shared=found.points.mean(), k=k, disparity=found.disparity)
    unstable = [pair for pair in found.pairs if pair[3] > 2 * pair[2]]
    if unstable:
        a, b, low, high = unstable[0]
        text += (
            f" For {len(unstable)} of {len(found.pairs)} pairs of clusters, the distance changes by a factor "
            f"of more than 2 between the maps, and means nothing. It changes most for {a} and {b}: from "
            f"{low:.2g} to {high:.2g} times the median distance."
        )
    return text


def _table(scores: Sequence[MapScores]) -> Table:
    rows = tuple(
        (one.name, one.trustworthiness, one.continuity, one.stress, one.false_neighbors, one.reversed_triples,
         one.density_correlation, one.regions.n_invented, one.regions.n_torn)
        for one in scores
    )  # fmt: skip
    return Table("scores", "Scores of the maps", ("map", *_SCORES), rows)
