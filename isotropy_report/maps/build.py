"""The page of a map: the conclusions that it supports or does not support, its scores, and the map."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_report._options import read_texts, setting
from isotropy_report._output import align, program, wrap
from isotropy_report.card.card import Page
from isotropy_report.card.parts import Figure, Section, Table
from isotropy_report.card.rows import report_progress
from isotropy_report.card.survey import row_lengths
from isotropy_report.card.words import plain_text
from isotropy_report.maps.measures import MapScores, Stability, map_scores, mean_ratios, references, stability
from isotropy_report.maps.viewer import regions_of, viewer

__all__ = ["MapPage", "map_page"]

MAX_SHOWN = 20_000
"""Maximum number of points that a browser draws smoothly; if there are more, a sample is used."""

MAX_SEARCHED = 1_500
"""Maximum number of points that are searched for regions and mapped for reference, which takes seconds."""

_MAX_NAMED = 3
"""Number of the largest regions that the summary names."""

_TEXTS = read_texts("isotropy_report.maps", "findings.toml")
_SCORES: dict[str, dict[str, Any]] = _TEXTS["scores"]


@dataclasses.dataclass(frozen=True, repr=False)
class MapPage(Page):
    """The results of `map_page`: `maps` has the scores of each map, `points` those of each point."""

    KIND: ClassVar[str] = "Map"
    JSON_KIND: ClassVar[str] = "map"
    CHECKS_WARNINGS: ClassVar[bool] = False

    maps: tuple[MapScores, ...] = ()
    stability: Stability | None = None
    points: pd.DataFrame = dataclasses.field(default_factory=pd.DataFrame)

    def to_dict(self) -> dict[str, Any]:
        """Return all content except the scores of single points as plain data; "kind" is "map"."""
        omitted = {"maps": (), "stability": None, "points": pd.DataFrame()}
        content = super(MapPage, dataclasses.replace(self, **omitted)).to_dict()
        return {key: value for key, value in content.items() if key not in omitted}

    def to_text(self, *, remarks: bool = True, notes: bool = False) -> str:
        """Return the sentences and the tables, and, if requested, the definitions."""
        lines = wrap(*self.summary, indent="  ")
        for table in (table for section in self.sections for table in section.tables):
            lines += ["", table.title, ""]
            columns, *rows = [[plain_text(cell) for cell in row] for row in table.displayed_rows()]
            lines += align(columns, rows)
        texts = [note for section in self.sections for note in section.notes] if remarks and notes else []
        return "\n".join([*lines, *([""] if texts else []), *wrap(*texts, indent="  ")]) + "\n"


def map_page(
    X: checks.Points,
    *maps: checks.Points,
    names: Sequence[str] = (),
    labels: checks.Groups = None,
    texts: Sequence[str] | None = None,
    n_neighbors: int = 10,
    metric: str = "euclidean",
    rng: checks.RandomState = 0,
) -> MapPage:
    """Measure one or more maps of the same points, and report where they misrepresent the data.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The vectors: N ≥ 20 rows. Of more than 20,000 rows, a random sample is measured and shown.
    *maps : array-like of shape (N, 2)
        Maps of these vectors, with one row for each row of X.
    names : sequence of str, optional
        Names of the maps.
    labels : array-like of shape (N,), optional
        Label of each row, such as its topic: colors of the map, and clusters whose distances are compared.
    texts : sequence of N str, optional
        Names of the rows.
    n_neighbors : int, default 10
        Number K of neighbors of each point: at least 1, and less than N/2.
    metric : {"euclidean", "cosine"}, default "euclidean"
        Distance in the data; for "cosine", rows are normalized, and none may be zero.
    rng : numpy.random.Generator or int, default 0
        Generator or seed for drawing the sample and the simulated data.

    Returns
    -------
    MapPage
        `str` gives the text, `write` a page on which points can be chosen, and `to_dict` the numbers.

    Raises
    ------
    TypeError, ValueError
        If there is no map; if X or a map is not numeric, contains NaN or infinity, or has only coincident
        points; if a map does not have two columns; if lengths differ; or if an option is out of range.

    Notes
    -----
    Each map is measured by `isotropy_lab.projection.point_quality` and `faulty_regions` (the latter on at
    most 1,500 points). Of these points, a t-SNE map (perplexity 30, or (N − 1)/3 if that is less) and a PCA
    map are scored, too. All scores but those of t-SNE, which also differs slightly between processors, are
    invariant under translation, rotation, and scaling of the vectors and of the maps. Cost: O(N²n) time for
    each map, 40 seconds for 20,000 rows of 384 numbers. In JupyterLab, `isotropy_report.explore_map` shows
    maps with controls.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 8)) + 9 * np.eye(3, 8)[np.arange(300) % 3]
    >>> page = map_page(X, X[:, :2], names=["first two columns"])
    >>> page.maps[0].regions.n_invented
    0
    """
    rows, arrays = check_maps(X, maps)
    checks.check_option(metric, "metric", ("euclidean", "cosine"))
    rows, n = unit_rows(rows, "X") if metric == "cosine" else rows, len(rows)
    map_names = tuple(names) if names else tuple(f"map {i}" for i in range(1, len(arrays) + 1))
    if len(map_names) != len(arrays):
        raise ValueError(f"names has {len(map_names)} entries for {len(arrays)} maps; expected one per map")
    codes, classes = label_codes(labels, n)
    captions = check_texts(texts, n)
    generator = checks.as_generator(rng)
    shown = np.arange(n) if n <= MAX_SHOWN else np.sort(generator.choice(n, MAX_SHOWN, replace=False))
    rows, arrays = rows[shown], [Y[shown] for Y in arrays]
    shown_labels = np.array(classes)[codes[shown]] if classes else None
    codes, classes = label_codes(shown_labels, len(rows))  # a label may be missing from a sample
    k = checks.check_integer(n_neighbors, "n_neighbors", low=1, high=(len(rows) - 1) // 2)
    sample, is_small = np.arange(len(rows)), len(rows) <= MAX_SEARCHED
    sample = sample if is_small else np.sort(generator.choice(sample, MAX_SEARCHED, replace=False))
    scores = []
    for i, (Y, name) in enumerate(zip(arrays, map_names, strict=True)):
        report_progress(f"measuring {name}", i, len(arrays) + 1)
        scores.append(map_scores(rows, Y, name=name, n_neighbors=k, searched=sample, rng=generator))
    report_progress("making a t-SNE map", len(arrays), len(arrays) + 1)
    drawn = {f"{name}, {MAX_SEARCHED:,} points": Y[sample] for name, Y in zip(map_names, arrays, strict=True)}
    reference = references(rows[sample], drawn, k, generator)
    agreement = stability(scores, arrays, codes, classes) if len(arrays) > 1 else None
    summary = [f"{score.name}: {text}" if agreement else text
               for score, Y, (_, row) in zip(scores, arrays, reference.iterrows(), strict=False)
               for text in _findings(score, row, reference[-2:], rows, Y, shown_labels)]  # fmt: skip
    tables = [_table(scores, arrays, reference[-2:] if is_small else reference)]
    if agreement is not None:
        summary.append(_stability_sentences(agreement, k))
        if agreement.pairs:
            columns = ("cluster", "and", "smallest", "largest")
            tables.append(Table("distances", _TEXTS["distances"], columns, tuple(agreement.pairs[:12])))
    if len(shown) < n:
        summary.append(f"Of {n:,} points a sample of {len(shown):,} is measured and shown.")
    if not is_small:
        summary.append(_TEXTS["regions"]["sampled"].format(n=sample.size))
    low, high = np.quantile(row_lengths(rows), [0.05, 0.95])
    differ = _TEXTS["lengths"].format(low=low, high=high, option=setting("metric", "cosine"))
    summary.append(_TEXTS[metric] + differ * bool(metric == "euclidean" and high > 1.01 * low))
    html = viewer(scores, arrays, agreement, codes, classes, captions and [captions[i] for i in shown], shown)
    outlined = _TEXTS["outlined"] * any(any(row[-2:]) for row in tables[0].rows)
    figure = Figure("map", "Points", _TEXTS["alt"], html, {}, _TEXTS["caption"].format(outlined=outlined))
    return MapPage(
        name=" and ".join(map_names),
        program=program(),
        options={"neighbors": k, "points": len(rows), "metric": metric},
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
    for i, (score, Y) in enumerate(zip(scores, arrays, strict=True), 1):
        suffix = "" if len(scores) == 1 else f"_{i}"
        columns |= {f"x{suffix}": Y[:, 0], f"y{suffix}": Y[:, 1]}
        columns |= {f"{name}{suffix}": getattr(score.points, name) for name in list(_SCORES)[:3]}
        for kind in ("invented", "torn"):
            # Regions are missing for points that were not searched, and −1 for points outside of regions.
            region = pd.Series(getattr(score.regions, kind), index=score.searched).reindex(range(len(Y)))
            columns[f"{kind}_region{suffix}"] = region.astype("Int64")
    if agreement is not None:
        columns["stability"] = agreement.points
    return pd.DataFrame(columns)


def check_maps(X: Any, maps: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return the vectors and the maps as arrays."""
    rows = checks.as_points(X, "X")
    if len(rows) < 20:
        raise ValueError(f"X has {checks.how_many(len(rows), 'row')}; expected at least 20 rows")
    if not maps:
        raise ValueError("maps is empty; expected at least one array of positions, of shape (N, 2)")
    arrays = []
    for i, map_array in enumerate(maps, 1):
        Y = np.asarray(checks.as_points(map_array, f"map {i}"), dtype=np.float64)
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


def label_codes(labels: checks.Groups, n: int) -> tuple[Any, list[str]]:
    """Return the number of each row's label, and the names of the labels, the most frequent first."""
    if labels is None:
        return np.zeros(n, np.int64), []
    names = np.asarray(labels).astype(str)
    if names.shape != (n,):
        raise ValueError(
            f"labels has shape {names.shape} and X has {n} rows; expected one label for each row"
        )
    counts = pd.Series(names).groupby(names).size().sort_values(ascending=False, kind="stable")
    return counts.index.get_indexer(names), [str(label) for label in counts.index]


def check_texts(texts: Sequence[str] | None, n: int) -> list[str] | None:
    """Return the text of each row, if there are texts."""
    if texts is not None and len(texts) != n:
        raise ValueError(f"texts has {len(texts)} entries and X has {n} rows; expected one for each row")
    return None if texts is None else [str(text) for text in texts]


def _findings(scores: MapScores, row: Any, baselines: pd.DataFrame, X: Any, Y: Any, labels: Any) -> list[str]:
    """Return sentences on what a map does not show, regions first, and on what it shows."""
    texts, k, regions = _TEXTS["regions"], scores.points.n_neighbors, regions_of(scores, Y)
    scale, kinds, sentences = len(Y) / scores.searched.size, [region.kind for region in regions], []
    in_map, in_data = scores.points.map_neighbors, scores.points.data_neighbors
    spaces = {"invented": (X, in_map, in_data), "torn": (Y, in_data, in_map)}
    for region in regions[:_MAX_NAMED]:
        size = f"{'about ' * (scale > 1)}{round(region.points.size * scale):,} points"
        if labels is not None:
            counts = pd.Series(labels[region.points]).value_counts()
            groups = [f"{round(count * scale):,} {label}" for label, count in counts.head(_MAX_NAMED).items()]
            size += f"; {', '.join(groups)}{', and others' * (len(counts) > _MAX_NAMED)}"
        factors = pd.Series(mean_ratios(*spaces[region.kind]))[scores.searched]
        medians = {"times": factors[region.points].median(), "others": factors.drop(region.points).median()}
        sentences.append(texts[region.kind].format(name=region.name, size=size, **medians))
    if len(regions) > _MAX_NAMED:
        sentences.append(f"The page outlines {checks.how_many(len(regions) - _MAX_NAMED, 'smaller region')}.")
    trust, bound = pd.Series(scores.points.trustworthiness), _SCORES["trustworthiness"]["bound"]
    outside_points = np.setdiff1d(scores.searched, [p for region in regions for p in region.points])
    value = float(trust[outside_points].mean()) if regions and outside_points.size else scores.trustworthiness
    names = " and ".join(region.name for region in regions) if len(regions) <= _MAX_NAMED else "the regions"
    outside = f" outside of {'region ' * (len(regions) == 1)}{names}" if regions else ""
    inside = [f" and {mean:.2f} in {region.name}" for region in regions[:_MAX_NAMED]
              if abs((mean := float(trust[region.points].mean())) - value) > texts["differs"]]  # fmt: skip
    parts = outside if value <= scores.trustworthiness else f", and {value:.2f}{outside}"
    lowest, clauses = min(value, scores.trustworthiness), []
    for key, score in _SCORES.items():
        worst = lowest if key == "trustworthiness" else getattr(scores, key, 0)
        if "says" in score and (worst < score["bound"] if score["best"] else worst > score["bound"]):
            clauses.append(_comparison(key, row[key], baselines[key], k, texts["same"] * (scale > 1)))
            numbers = {"k": k, "of_k": k * worst, "chance": k - k * k / (len(Y) - 1), "parts": parts}
            sentences.append(score["says"].format(value=worst, **numbers) + clauses[-1])
    if clauses and not any(clauses):
        sentences.append(texts["level"])
    sentences = sentences or [texts["close"]]
    chance = 1.0 - k / (len(Y) - 1)  # of a false neighbor, in a random map
    if lowest < bound or scores.false_neighbors > texts["unlike"] * chance:
        return [*sentences, texts["nothing"] + ("" if regions else texts["everywhere"])]
    none = texts["none"].format(k=k) * ("invented" not in kinds)
    clause = " there" * bool(regions) + "".join(inside)
    sentences.append(texts["may"].format(outside=outside, value=value, inside=clause, bound=bound, none=none))
    return sentences if "torn" in kinds else [*sentences, texts["whole"].format(k=k)]


def _comparison(key: str, own_score: float, scores: Any, k: int, same_text: str) -> str:
    """Return a clause on the best of the other maps if its score is clearly better, or nothing."""
    texts, sign = _TEXTS["regions"], 1 if _SCORES[key]["best"] else -1
    name = (sign * scores).idxmax()
    if sign * (scores[name] - own_score) <= texts["clear"]:
        return ""
    best, value = (_SCORES[key]["shown"].format(value=x, of_k=k * x) for x in (scores[name], own_score))
    return str(texts["better"].format(name=str(name).split()[0], best=best, same=same_text.format(own=value)))


def _stability_sentences(agreement: Stability, k: int) -> str:
    texts, unstable = _TEXTS["agreement"], [pair for pair in agreement.pairs if pair[3] > 2 * pair[2]]
    text = str(texts["maps"].format(shared=agreement.points.mean(), k=k, disparity=agreement.disparity))
    if unstable:
        pair = dict(zip(("a", "b", "low", "high"), unstable[0], strict=True))
        text += texts["pairs"].format(unstable=len(unstable), pairs=len(agreement.pairs), **pair)
    return text


def _table(scores: Sequence[MapScores], arrays: Sequence[Any], other_maps: pd.DataFrame) -> Table:
    rows: list[tuple[Any, ...]] = []
    for score, Y in zip(scores, arrays, strict=True):
        kinds = [region.kind for region in regions_of(score, Y)]
        counts = map(kinds.count, ("invented", "torn"))
        rows.append((score.name, *(getattr(score, key) for key in other_maps), *counts))
    chance = {"false_neighbors": 1.0 - scores[0].points.n_neighbors / (len(arrays[0]) - 1)}
    reference_rows: list[tuple[Any, ...]] = [
        ("best", *(score["best"] for score in _SCORES.values())),
        ("random map", *(score.get("random", chance.get(key)) for key, score in _SCORES.items())),
        *((name, *map(row.get, _SCORES)) for name, row in other_maps.iterrows()),
    ]
    columns = ("map", *(key.replace("_", " ") for key in _SCORES))
    return Table("scores", "Scores of the map and of other maps", columns, tuple(rows), tuple(reference_rows))
