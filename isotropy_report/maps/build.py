"""Page about a map: conclusions that must not be drawn from the map, its scores, and the map itself."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Sequence
from importlib import resources
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_report._output import aligned, program
from isotropy_report.card.card import Page, wrapped
from isotropy_report.card.parts import Figure, Section, Table
from isotropy_report.card.words import plain
from isotropy_report.maps.measures import MapScores, Stability, map_scores, stability
from isotropy_report.maps.reference import ranges, reference_maps
from isotropy_report.maps.viewer import regions_of, viewer

__all__ = ["MapPage", "map_page"]

SHOWN = 20_000
"""Maximum number of points that a browser draws smoothly; if there are more, a sample is used."""

_NAMED = 3
"""Number of the largest regions that the summary names."""

_TEXTS = tomllib.loads((resources.files(__package__) / "findings.toml").read_text(encoding="utf-8"))
_SCORES: dict[str, dict[str, Any]] = _TEXTS["scores"]
_KNOWN = reference_maps().query("map in ('t-SNE', 'UMAP')")


@dataclasses.dataclass(frozen=True, repr=False)
class MapPage(Page):
    """The results of `map_page`: `maps` has the scores of each map, `points` those of each point."""

    KIND: ClassVar[str] = "Map"
    JSON_KIND: ClassVar[str] = "map"
    LOOKED: ClassVar[bool] = False

    maps: tuple[MapScores, ...] = ()
    stability: Stability | None = None
    points: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)

    def to_dict(self) -> dict[str, Any]:
        """Return all content except the scores of single points as plain data; "kind" is "map"."""
        own = {"maps": (), "stability": None, "points": pd.DataFrame()}
        content = super(MapPage, dataclasses.replace(self, **own)).to_dict()
        return {key: value for key, value in content.items() if key not in own}

    def to_text(self, *, remarks: bool = True) -> str:
        """Return the sentences and the tables."""
        lines = [self.name, "", *wrapped(*self.summary, indent="  ")]
        for table in (table for section in self.sections for table in section.tables):
            lines += ["", table.title, ""]
            columns, *rows = [[plain(one) for one in row] for row in table.shown()]
            lines += aligned(columns, rows)
        notes = [note for section in self.sections for note in section.notes] if remarks else []
        return "\n".join([*lines, *([""] if notes else []), *wrapped(*notes, indent="  ")]) + "\n"


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
        Label of each row, such as its topic: colors of the map, and clusters whose distances are compared.
    texts : sequence of N str, optional
        Names of the rows.
    n_neighbors : int, default 10
        Neighbors K of each point: at least 1, less than N/2.
    rng : numpy.random.Generator or int, default 0
        Generator or seed for drawing the sample and the simulated data.

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
    O(N²n) time for each map, half a minute for 20,000 rows of 384 numbers. Scores of t-SNE, UMAP, and PCA
    maps of eight known data sets are shown for comparison. In JupyterLab, `isotropy_report.explore_map` shows
    maps with controls.

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
    written = texts_of(texts, n)
    generator = checks.as_generator(rng)
    shown = np.arange(n) if n <= SHOWN else np.sort(generator.choice(n, SHOWN, replace=False))
    rows, arrays = rows[shown], [one[shown] for one in arrays]
    kinds = np.array(classes)[codes[shown]] if classes else None
    codes, classes = codes_of(kinds, len(rows))  # a label may be missing from a sample
    k = checks.check_integer(n_neighbors, "n_neighbors", low=1, high=(len(rows) - 1) // 2)
    scores = [map_scores(rows, Y, name=name, n_neighbors=k, rng=generator)
              for Y, name in zip(arrays, called, strict=True)]  # fmt: skip
    agreement = stability(scores, arrays, codes, classes) if len(arrays) > 1 else None
    summary = [f"{one.name}: {text}" if agreement else text
               for one, Y in zip(scores, arrays, strict=True)
               for text in _sentences(one, Y, kinds)]  # fmt: skip
    tables = [_table(scores)]
    if agreement is not None:
        summary.append(_agreement(agreement, k))
        if agreement.pairs:
            title = "Distances between clusters over the maps, as multiples of the median"
            columns = ("cluster", "and", "smallest", "largest")
            tables.append(Table("distances", title, columns, tuple(agreement.pairs[:12])))
    if len(shown) < n:
        summary.append(f"Of {n:,} points a sample of {len(shown):,} is measured and shown.")
    drawn = viewer(scores, arrays, agreement, codes, classes, written and [written[i] for i in shown], shown)
    figure = Figure("map", "Points", _TEXTS["alt"], drawn, {}, _TEXTS["caption"])
    return MapPage(
        name=" and ".join(called),
        program=program(),
        options={"neighbors": k, "points": len(rows)},
        summary=tuple(summary),
        cautions=(),
        sections=(
            Section("map", "The map", figures=(figure,), gallery=True),
            Section("scores", "Scores", tables=tuple(tables), notes=tuple(_TEXTS["notes"])),
        ),
        maps=tuple(scores),
        stability=agreement,
        points=_points(scores, arrays, agreement, shown),
    )


def _points(
    scores: Sequence[MapScores], arrays: Sequence[Any], agreement: Stability | None, shown: Any
) -> pd.DataFrame:
    """Return one row per point: the row number, and the position and scores of the point in each map."""
    columns: dict[str, Any] = {"row": shown}
    for i, (one, Y) in enumerate(zip(scores, arrays, strict=True), 1):
        end = "" if len(scores) == 1 else f"_{i}"
        columns |= {f"x{end}": Y[:, 0], f"y{end}": Y[:, 1]}
        columns |= {f"{name}{end}": getattr(one.points, name) for name in list(_SCORES)[:3]}
        for kind in ("invented", "torn"):
            # Regions are missing for points that were not searched, and −1 for points outside of regions.
            region = pd.Series(getattr(one.regions, kind), index=one.searched).reindex(range(len(Y)))
            columns[f"{kind}_region{end}"] = region.astype("Int64")
    if agreement is not None:
        columns["stability"] = agreement.points
    return pd.DataFrame(columns)


def checked(X: Any, maps: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return the vectors and the maps as arrays."""
    rows = checks.as_points(X, "X")
    if len(rows) < 20:
        raise ValueError(f"X has {checks.how_many(len(rows), 'row')}; expected at least 20 rows")
    if not maps:
        raise ValueError("maps is empty; expected at least one array of positions, of shape (N, 2)")
    arrays = []
    for i, one in enumerate(maps, 1):
        Y = np.asarray(checks.as_points(one, f"map {i}"), dtype=np.float64)
        if Y.shape[1] != 2:
            raise ValueError(f"map {i} has {checks.how_many(Y.shape[1], 'column')}; expected two columns")
        if len(Y) != len(rows):
            raise ValueError(
                f"map {i} has {checks.how_many(len(Y), 'row')} and X has {len(rows)}; expected as many"
            )
        if not np.ptp(Y, axis=0).any():
            raise ValueError(f"map {i} has the same position for all points; expected distinct positions")
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


def _sentences(scores: MapScores, Y: Any, labels: Any) -> list[str]:
    """Return the conclusions that must not be drawn from a map, regions first, and the errors not found."""
    of, k, better = _TEXTS["regions"], scores.points.n_neighbors, _better(scores)
    regions, share, said = regions_of(scores, Y), len(Y) / scores.searched.size, []
    for one in regions[:_NAMED]:
        size = f"{'about ' * (share > 1)}{round(one.points.size * share):,} points"
        if labels is not None:
            counts = pd.Series(labels[one.points]).value_counts()
            named = [f"{round(count * share):,} {label}" for label, count in counts.head(_NAMED).items()]
            size += f"; {', '.join(named)}{', and others' * (len(counts) > _NAMED)}"
        said.append(of[one.kind].format(name=one.name, size=size, times=np.exp(one.score)))
    if len(regions) > _NAMED:
        said.append(f"The page outlines {checks.how_many(len(regions) - _NAMED, 'smaller region')}.")
    faults = []
    for key, score in _SCORES.items():
        value, bound = getattr(scores, key), score.get("bound")
        if bound is not None and (value < bound if score["best"] else value > bound):
            text = score["says"].format(value=value, k=k, of_k=k * value, chance=k * scores.false_by_chance)
            beside = of["beside"].format(better=better[key], n=len(_KNOWN)) if better else ""
            faults.append((-better.get(key, 0), text + beside))
    said += [text for _, text in sorted(faults, key=lambda fault: fault[0])]
    if not said:
        said.append("Neighbors, the order of distances, and densities are close to those of the data.")
    value, bound = scores.trustworthiness, _SCORES["trustworthiness"]["bound"]
    if value >= bound:
        worst = better.get("trustworthiness") == len(_KNOWN)
        found = ["worst"] * worst + ["whole"] * (not scores.torn_regions)
        if not scores.invented_regions:
            found.append("may" if better and not worst else "clear")
        known = {"n": len(_KNOWN), **_KNOWN.trustworthiness.agg(["min", "max"])}
        said += [of[key].format(value=value, bound=bound, k=k, **known) for key in found]
    return said


def _better(scores: MapScores) -> dict[str, int]:
    """Return how many t-SNE and UMAP maps have a better score, if the numbers of neighbors are equal."""
    if scores.points.n_neighbors != _TEXTS["neighbors"]:
        return {}
    signs = {key: 1 if one["best"] else -1 for key, one in _SCORES.items()}
    return {key: int((sign * _KNOWN[key] > sign * getattr(scores, key)).sum()) for key, sign in signs.items()}


def _agreement(found: Stability, k: int) -> str:
    of, unstable = _TEXTS["agreement"], [pair for pair in found.pairs if pair[3] > 2 * pair[2]]
    text = str(of["maps"].format(shared=found.points.mean(), k=k, disparity=found.disparity))
    if unstable:
        pair = dict(zip(("a", "b", "low", "high"), unstable[0], strict=True))
        text += of["pairs"].format(unstable=len(unstable), pairs=len(found.pairs), **pair)
    return text


def _table(scores: Sequence[MapScores]) -> Table:
    rows = tuple((one.name, *(getattr(one, key) for key in _SCORES)) for one in scores)
    chance = {"false_neighbors": scores[0].false_by_chance}
    beside: list[tuple[Any, ...]] = [
        ("best", *(one["best"] for one in _SCORES.values())),
        ("random map", *(one.get("random", chance.get(key)) for key, one in _SCORES.items())),
    ]
    for one in scores:
        if better := _better(one):
            title = f"better than {one.name}" if len(scores) > 1 else "better"
            beside.append((title, *(f"{count} of {len(_KNOWN)}" for count in better.values())))
    beside += [(f"{method} maps", *ranges(method, [*_SCORES])) for method in ("t-SNE", "UMAP", "PCA")]
    columns = ("map", *(key.replace("_", " ") for key in _SCORES))
    return Table("scores", "Scores of the map, and of reference maps", columns, rows, tuple(beside))
