"""Sections of the page that compares models: scores, strips, plots, and neighborhoods."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from isotropy_lab._core.neighbors import nearest_neighbors
from isotropy_lab._core.results import Result
from isotropy_report.card.drawing import Axis, strip
from isotropy_report.card.meanings import MEANINGS, TEXTS
from isotropy_report.card.measures import HEAVY, excess_kurtosis
from isotropy_report.card.parts import Caution, Figure, Line, Section, Table, Value
from isotropy_report.card.pictures import picture_data, side_by_side
from isotropy_report.card.rows import report_each
from isotropy_report.card.strips import nearest_sizes, score_strips, strip_figure
from isotropy_report.card.words import label_of, number, rename_in_errors, shorten
from isotropy_report.comparison.model_search import difference_table
from isotropy_report.comparison.paired import POWER, SCORES, Model, ModelDifference, verdict
from isotropy_report.measures import CKA, NeighborOverlap, cka
from isotropy_report.measures.neighbors import overlap_of_lists

_PLOTTED_SCORES = ("isoscore_corrected", "average_cosine")
"""Scores whose differences are plotted."""

_N_LETTERS = 21
"""Maximum number of letters for each name in a pair."""

_N_PERMUTATIONS = 199
"""Number of permutations in the CKA test of each pair."""


def scores_section(
    scores: Mapping[str, Mapping[str, Line]],
    differences: Sequence[ModelDifference],
    tied: Mapping[str, Sequence[str]],
    paired: bool,
    grouped: bool,
    level: float,
    notes: Sequence[str],
    measured: Sequence[Model],
) -> Section:
    """Return the section on scores and their differences."""
    names = [model.name for model in measured]
    shown_scores = {key: lines for key, lines in scores.items() if key in MEANINGS and key != "mrr"}
    rows: list[tuple[Value, ...]] = [
        ("Rows", *(model.survey.n_points for model in measured)),
        ("Columns", *(model.survey.n_dimensions for model in measured)),
        *(
            (label_of(key), *(lines[name].value if name in lines else None for name in names))
            for key, lines in shown_scores.items()
        ),
    ]
    of_scores = [d for d in differences if d.measure in SCORES]
    unit = "group" if grouped else "row"
    texts = [
        *notes,
        TEXTS["paired" if paired else "unpaired"].format(level=level, unit=unit),
        TEXTS["differences_of_scores"].format(unit=unit, power=POWER),
        TEXTS["no_intervals"],
        *(verdict(key, best, scores[key], level) for key, best in tied.items() if key in SCORES and best),
    ]
    if len({model.survey.n_dimensions for model in measured}) > 1:
        texts.append(TEXTS["different_dimensions"])
    columns = ("measure", *(f"{name} (model)" if name == "measure" else name for name in names))
    tables = (Table("scores", "Scores", columns, tuple(rows)), difference_table("differences", of_scores))
    return Section("models", "Scores, side by side", tables=tables, notes=tuple(texts), folded=True)


def heavy_tails(measured: Sequence[Model], differences: Sequence[ModelDifference]) -> Iterator[Caution]:
    """Yield a warning if IsoScore intervals are reported for models with heavy tails."""
    corrected = [d for d in differences if d.measure == "isoscore_corrected"]
    compared = {name for d in corrected for name in (d.first, d.second)}
    models = (model for model in measured if model.name in compared)
    heavy_tailed = [model.name for model in models if excess_kurtosis(model.survey.moments) > HEAVY]
    if heavy_tailed:
        yield Caution("heavy_tails", TEXTS["heavy_tails"].format(least=HEAVY, which=", ".join(heavy_tailed)))


def picture_sections(measured: Sequence[Model], rng: np.random.Generator) -> tuple[Section, ...]:
    """Return the sections of plots, all of which use the same axes."""
    seed = int(rng.integers(2**32))
    return side_by_side(
        [
            picture_data(model.survey, model.fractions, name=model.name, rng=np.random.default_rng(seed))
            for model in measured
        ]
    )


def models_section(
    scores: Mapping[str, Mapping[str, Line]], searched: Iterable[str], sizes: Sequence[tuple[int, int]]
) -> Section:
    """Return strip plots of all models; `searched` lists retrieval measures, and `sizes` lists shapes."""
    strips, known = score_strips(scores, sizes)
    figures = (*(strip_figure(scores[key]) for key in searched), *strips)
    note = TEXTS["strips_of_models"].format(sizes=nearest_sizes(known))
    return Section("strips", "Each score, side by side", figures=figures, notes=(note,), gallery=True)


def differences_section(
    differences: Sequence[ModelDifference], searched: Iterable[str], level: float
) -> Section:
    """Return the section with intervals of the differences in retrieval and in some scores."""
    figures = []
    for key in (*searched, *_PLOTTED_SCORES):
        of_measure = [d for d in differences if d.measure == key]
        if of_measure:
            figures.append(_difference_figure(key, of_measure, 1.0 - level))
    note = TEXTS["filled_diamonds"]
    return Section("pairs", "Differences of all pairs", figures=tuple(figures), notes=(note,), gallery=True)


def _difference_figure(key: str, differences: Sequence[ModelDifference], error: float) -> Figure:
    """Return the figure of a measure's intervals; `error` is the significance level of differences."""
    is_ratio = differences[0].scale == "ratio"
    no_difference, sign = (1.0, "/") if is_ratio else (0.0, "−")
    names = [f"{shorten(d.first, _N_LETTERS)} {sign} {shorten(d.second, _N_LETTERS)}" for d in differences]
    full_names = [f"{d.first} {sign} {d.second}" for d in differences]
    if len(set(names)) < len(names):
        names = full_names
    reach = max(1e-3, *(1.05 * abs(end - no_difference) for d in differences for end in (d.low, d.high)))
    hollow = [name for name, d in zip(names, differences, strict=True) if d.pvalue_holm > error + 1e-12]
    intervals = "; ".join(
        f"{name} {number(d.estimate)} ({number(d.low)} to {number(d.high)}, p = {d.pvalue_holm:.2g})"
        for name, d in zip(full_names, differences, strict=True)
    )
    caption = f"{len(names) - len(hollow)} of {len(names)} differences are significant at {error:.2g}."
    if len(names) == 1:
        caption = f"The difference is {'not ' if hollow else ''}significant at {error:.2g}."
    caption += " More isotropic is not better." * (key in SCORES)
    title = f"{label_of(key)}, {'ratio' if is_ratio else 'difference'}"
    alt = f"{intervals}. {caption}"
    lines = [Line(key, d.estimate, d.low, d.high) for d in differences]
    axis = Axis(max(no_difference - reach, 0.0) if is_ratio else -reach, no_difference + reach)
    measured = dict(zip(names, lines, strict=True))
    svg = strip(measured, {"no difference": no_difference}, axis=axis, title=title, alt=alt, hollow=hollow)
    data = {
        name: {"estimate": d.estimate, "low": d.low, "high": d.high, "least": d.least}
        for name, d in zip(full_names, differences, strict=True)
    }
    return Figure(f"difference_{key}", title, alt, svg, data, caption=caption)


@dataclasses.dataclass(frozen=True)
class ModelPair(Result):
    """Agreement of two models on the same items; undefined parts are None.

    Attributes
    ----------
    first, second : str
        The names of the two models.
    neighbors : NeighborOverlap or None
        The fraction of the k nearest neighbors that the models share.
    cka : CKA or None
        Unbiased CKA, with its interval and its permutation test.
    note : str
        A note on which parts are undefined, and why.
    """

    first: str
    second: str
    neighbors: NeighborOverlap | None
    cka: CKA | None
    note: str


def model_pairs(
    measured: Sequence[Model], k: int, level: float, rng: np.random.Generator
) -> tuple[ModelPair, ...]:
    """Return the agreement of each pair of models, using one nearest-neighbor search per model."""
    lists: dict[str, Any] = {}
    # A row of zeros has no direction, so no neighbors.
    nonzero = np.all([model.survey.sample.any(axis=1) for model in measured], axis=0)
    n_rows = int(nonzero.sum())
    if n_rows >= k + 2:
        for model in report_each(measured, "finding neighbors"):
            lists[model.name] = nearest_neighbors(model.survey.sample[nonzero], k + 1).indices
    pairs = []
    combinations = list(itertools.combinations(measured, 2))
    for first, second in report_each(combinations, "comparing neighborhoods"):
        notes = [] if lists else [f"neighbors need {k + 2} nonzero rows, and the sample has {n_rows:,}"]
        overlap = overlap_of_lists(lists[first.name], lists[second.name], level) if lists else None
        agreement: CKA | None = None
        samples = first.survey.sample, second.survey.sample
        try:
            with rename_in_errors({"A": first.name, "B": second.name}):
                agreement = cka(*samples, n_resamples=_N_PERMUTATIONS, confidence_level=level, rng=rng)
        except ValueError as error:
            notes.append(str(error))
        pairs.append(ModelPair(first.name, second.name, overlap, agreement, "; ".join(notes)))
    return tuple(pairs)


def pairs_section(pairs: Sequence[ModelPair], k: int, size: int, n_points: int, *, grouped: bool) -> Section:
    """Return the section on neighborhoods, from `size` sampled rows without those of zeros."""
    size = max((pair.neighbors.n_points for pair in pairs if pair.neighbors), default=size)
    columns = ["models", f"{k} nearest shared", "low", "high", "by chance"]
    columns += ["CKA", "low of CKA", "high of CKA", "p of CKA"]
    rows: list[tuple[Value, ...]] = []
    for pair in pairs:
        a, b = pair.neighbors, pair.cka
        overlap = (a.overlap, a.low, a.high, a.chance) if a else (None,) * 4
        agreement = (b.statistic, b.low, b.high, b.pvalue) if b else (None,) * 4
        rows.append((f"{pair.first}, {pair.second}", *overlap, *agreement))
    among = (
        f"all {n_points:,} rows"
        if size == n_points
        else f"{size:,} of the {n_points:,} rows, the same of each model"
    )
    notes = [
        TEXTS["shared_neighbors"].format(among=among),
        *(["The intervals assume independent rows, since groups are not left out here."] if grouped else []),
        *(f"For {p.first} and {p.second}, some are undefined: {p.note}." for p in pairs if p.note),
    ]
    table = Table("neighborhoods", "How far models agree", tuple(columns), tuple(rows))
    return Section("neighborhoods", "Neighborhoods", tables=(table,), notes=tuple(notes), folded=True)
