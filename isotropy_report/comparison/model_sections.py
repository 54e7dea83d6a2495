"""Sections of the page that compares models: scores, strips, plots, and shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.retrieval.relevance import as_judgments
from isotropy_report.card.drawing import Axis, strip
from isotropy_report.card.known import known_encoders
from isotropy_report.card.meanings import MEANINGS
from isotropy_report.card.measures import HEAVY, excess_kurtosis
from isotropy_report.card.parts import Caution, Figure, Line, Section, Table, Value
from isotropy_report.card.pictures import picture_data, side_by_side
from isotropy_report.card.rows import Rows, report_progress
from isotropy_report.card.strips import ENDS, ball_scores, nearest_sizes, strip_figure
from isotropy_report.card.words import label_of, number, shortened
from isotropy_report.comparison.model_search import difference_table
from isotropy_report.comparison.paired import POWER, SCORES, Model, ModelDifference, verdict
from isotropy_report.measures import alignment, effective_rank, hubness, uniformity

_SHOWN = ("isoscore_corrected", "varex_score", "average_cosine")
"""Scores whose differences are plotted."""

_HALF = 21
"""Maximum number of letters for each name in a pair."""

_CLOUDS = 2
"""Number of Gaussian clouds with which hubness is compared."""

_RANKS = (("effective rank", True), ("effective rank, not centered", False))


def scores_section(
    names: Sequence[str],
    scores: Mapping[str, Mapping[str, Line]],
    differences: Sequence[ModelDifference],
    tied: Mapping[str, Sequence[str]],
    paired: bool,
    grouped: bool,
    level: float,
    notes: Sequence[str],
    measured: Sequence[Model],
) -> Section:
    """Return the section about scores and their differences."""
    shown = {key: lines for key, lines in scores.items() if key in MEANINGS and key != "mrr"}
    rows: list[tuple[Value, ...]] = [
        ("Rows", *(model.found.n_points for model in measured)),
        ("Columns", *(model.found.n_dimensions for model in measured)),
        *(
            (label_of(key), *(lines[name].value if name in lines else None for name in names))
            for key, lines in shown.items()
        ),
    ]
    own = [one for one in differences if one.measure in SCORES]
    unit = "group" if grouped else "row"
    said = [
        *notes,
        f"Intervals of {level:.0%}, paired: each {unit} is left out of all models at once. If row i is not "
        "the same item in all, they are wrong."
        if paired
        else f"Intervals of {level:.0%}, not paired: the models have other items, and their variances are "
        "added.",
        "Ratios are first over second, differences first less second; intervals are not corrected for the "
        "number of pairs, p-values are, within a measure (Holm). The last column is the least difference, or "
        f"ratio, that these {unit}s would have shown with a probability of about {POWER:g}, all pairs "
        "considered: from the standard error, (t(1 − α/(2m)) + t(.8)) times, for m pairs.",
        "Intervals of the published IsoScore, the isotropy defect and VarEx are for what so many rows show: "
        "these scores change with the number of rows. Those of corrected scores and of the average cosine "
        "are for the texts that the rows stand for.",
        "Partition scores and intrinsic dimensions have no interval of a difference: read them side by side. "
        "More isotropic is not better.",
        *(verdict(key, best, scores[key], level) for key, best in tied.items() if key in SCORES and best),
    ]
    if len({model.found.n_dimensions for model in measured}) > 1:
        said.append(
            "The models have different numbers of dimensions: IsoScore compares fractions of the dimensions, "
            "the dimensions used their number."
        )
    return Section(
        "models",
        "Scores, side by side",
        tables=(
            Table("scores", "Scores", ("measure", *(_column(name) for name in names)), tuple(rows)),
            difference_table("differences", own),
        ),
        notes=tuple(said),
        folded=True,
    )


def heavy_tails(measured: Sequence[Model], differences: Sequence[ModelDifference]) -> list[Caution]:
    """Return a warning if IsoScore intervals are reported for models with heavy tails."""
    compared = {
        name for one in differences if one.measure == "isoscore_corrected" for name in (one.first, one.second)
    }
    heavy = [
        model.name
        for model in measured
        if model.name in compared and excess_kurtosis(model.found.moments) > HEAVY
    ]
    if not heavy:
        return []
    return [
        Caution(
            "heavy_tails",
            f"Heavy tails (an excess kurtosis above {HEAVY:g}): {', '.join(heavy)}. With such tails "
            "intervals of 95% for IsoScores and "
            "dimensions used held the true ratio in 83% of simulations at worst.",
        )
    ]


def _column(name: str) -> str:
    return f"{name} (model)" if name == "measure" else name


def looks(measured: Sequence[Model], rng: np.random.Generator) -> tuple[Section, ...]:
    """Return the sections of plots, all drawn on the same axes."""
    seed = int(rng.integers(2**32))
    return side_by_side(
        [
            picture_data(model.found, model.fractions, name=model.name, rng=np.random.default_rng(seed))
            for model in measured
        ]
    )


def shape_section(
    measured: Sequence[Model],
    questions: Mapping[str, Any] | None,
    documents: Mapping[str, Any],
    gold: Any,
    k: int,
    level: float,
    rng: np.random.Generator,
) -> Section:
    """Return the section about ranks, uniformity, hubness, and alignment, with reference values."""
    rows: list[tuple[Value, ...]] = []
    notes: list[str] = []
    for i, model in enumerate(measured):
        report_progress("measuring ranks and hubs", i, len(measured))
        name, sample = model.name, model.found.sample
        points = model.rows.array
        n_points, m = model.found.n_points, len(sample)
        for label, centered in _RANKS:
            try:
                one = effective_rank(points, centered=centered)
                rows.append((label, name, one.estimate, None, None, one.isotropic, n_points))
            except ValueError as error:
                notes.append(_undefined(label, name, error))
        try:
            even = uniformity(sample, confidence_level=level)
            rows.append(("uniformity", name, even.estimate, even.low, even.high, even.uniform_sphere, m))
        except ValueError as error:
            notes.append(_undefined("uniformity", name, error))
        try:
            hubs = hubness(sample, k=k, n_clouds=_CLOUDS, rng=np.random.default_rng(rng.integers(2**32)))
            like = hubs.gaussian
            assert like is not None
            rows += [
                ("hubness: skewness", name, hubs.skewness, None, None, like.skewness, m),
                ("hubness: anti-hubs", name, hubs.anti_hubs, None, None, like.anti_hubs, m),
                ("hubness: hubs", name, hubs.hubs, None, None, like.hubs, m),
            ]
        except ValueError as error:
            notes.append(_undefined("hubness", name, error))
        if questions is not None and gold is not None:
            try:
                near = _alignment(questions[name], documents[name], gold, level)
            except ValueError as error:
                notes.append(_undefined("alignment", name, error))
            else:
                if near is not None:
                    rows.append(("alignment", name, near.estimate, near.low, near.high, None, near.n_pairs))
    report_progress("measuring ranks and hubs", len(measured), len(measured))
    order = list(dict.fromkeys(str(row[0]) for row in rows))
    rows.sort(key=lambda row: order.index(str(row[0])))  # keep the models of a measure adjacent
    notes.append(
        "The column reference is, for ranks, what an isotropic cloud of as many rows and columns "
        f"shows; for uniformity the uniform sphere; for hubness the mean of {_CLOUDS} Gaussian clouds with "
        "the mean and covariance of the model. Ranks and hubness depend on the number of rows: compare "
        "them at equal N. "
        + ("Alignment is of questions and their answers: 0 is best." if questions is not None else "")
    )
    table = Table(
        "shape",
        "Ranks, uniformity and hubs",
        ("measure", "model", "value", "low", "high", "reference", "rows"),
        tuple(rows),
    )
    return Section("shape", "Ranks, uniformity and hubs", tables=(table,), notes=tuple(notes), folded=True)


def _undefined(label: str, name: str, error: ValueError) -> str:
    return f"{label}, undefined for {name}: {re.sub(r'^X', name, str(error))}."


def _alignment(questions: Any, documents: Any, gold: Any, level: float) -> Any:
    """Return the alignment of questions and answers, or None unless every question has exactly one answer."""
    asked = checks.as_array(questions, "questions", ndim=2)
    places = as_judgments(gold, len(asked), len(documents))[0]
    if ((places >= 0).sum(axis=1) != 1).any():
        return None
    right = places[np.arange(len(places)), (places >= 0).argmax(axis=1)]
    return alignment(asked, Rows(documents).take(right), confidence_level=level)


def models_section(
    scores: Mapping[str, Mapping[str, Line]], searched: Iterable[str], sizes: Sequence[tuple[int, int]]
) -> Section:
    """Return the strips of all models; `searched` lists retrieval measures, and `sizes` lists shapes."""
    ball = ball_scores(*sizes[0]) if len(set(sizes)) == 1 else {}
    known = known_encoders(max(n_points for n_points, _ in sizes))
    figures = (
        *(strip_figure(scores[key]) for key in searched),
        *(strip_figure(scores[key], known, ball=ball.get(key)) for key in ENDS if key in scores),
    )
    note = (
        "Diamonds are the models, each on its own interval where there is one; the intervals of differences "
        f"are in the table. Below them stand known encoders, means over draws of N = {nearest_sizes(known)} "
        "rows, the nearest in the table. More is not better."
    )
    return Section("strips", "Each score, side by side", figures=figures, notes=(note,), gallery=True)


def differences_section(
    differences: Sequence[ModelDifference], searched: Iterable[str], level: float
) -> Section:
    """Return the section with intervals of the differences in retrieval and in some scores."""
    found = []
    for key in (*searched, *_SHOWN):
        own = [one for one in differences if one.measure == key]
        if own:
            found.append(_difference_figure(key, own, 1.0 - level))
    note = (
        "A filled diamond is a difference that was shown, by the test that is corrected for all pairs; a "
        "hollow one is not. Intervals are not corrected: one that does not hold the mark of no difference is "
        "not yet a difference that was shown."
    )
    return Section("pairs", "Differences of all pairs", figures=tuple(found), notes=(note,), gallery=True)


def _difference_figure(key: str, differences: Sequence[ModelDifference], error: float) -> Figure:
    """Return the figure of a measure's intervals; `error` is the significance level of differences."""
    ratio = differences[0].scale == "ratio"
    same, sign = (1.0, "/") if ratio else (0.0, "−")
    names = [f"{shortened(one.first, _HALF)} {sign} {shortened(one.second, _HALF)}" for one in differences]
    whole = [f"{one.first} {sign} {one.second}" for one in differences]
    if len(set(names)) < len(names):
        names = whole
    reach = max(1e-3, *(1.05 * abs(end - same) for one in differences for end in (one.low, one.high)))
    hollow = [name for name, one in zip(names, differences, strict=True) if one.pvalue_holm > error + 1e-12]
    told = "; ".join(
        f"{name} {number(one.estimate)} ({number(one.low)} to {number(one.high)}, p = {one.pvalue_holm:.2g})"
        for name, one in zip(whole, differences, strict=True)
    )
    caption = f"{len(names) - len(hollow)} of {len(names)} shown at {error:.2g}."
    if len(names) == 1:
        caption = f"{'Not shown' if hollow else 'Shown'} at {error:.2g}."
    title = f"{label_of(key)}, {'ratio' if ratio else 'difference'}"
    alt = f"{told}. {caption}"
    svg = strip(
        {
            name: Line(key, one.estimate, one.low, one.high)
            for name, one in zip(names, differences, strict=True)
        },
        {"no difference": same},
        axis=Axis(max(same - reach, 0.0) if ratio else -reach, same + reach),
        title=title,
        alt=alt,
        hollow=hollow,
    )
    data = {
        name: {"estimate": one.estimate, "low": one.low, "high": one.high, "least": one.least}
        for name, one in zip(whole, differences, strict=True)
    }
    return Figure(f"difference_{key}", title, alt, svg, data, caption=caption)
