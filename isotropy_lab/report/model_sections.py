"""Sections of the page that compares models: scores, strips, pictures, shape, costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from isotropy_lab import _checks
from isotropy_lab.comparison import CompressionCosts
from isotropy_lab.isotropy import alignment, effective_rank, hubness, rankme, spectrum_decay, uniformity
from isotropy_lab.isotropy.spectrum import EffectiveRank
from isotropy_lab.report.drawing import Axis, Known, Own, number, strip
from isotropy_lab.report.known import known_encoders
from isotropy_lab.report.meanings import MEANINGS
from isotropy_lab.report.measures import HEAVY, excess_kurtosis
from isotropy_lab.report.model_search import difference_table
from isotropy_lab.report.model_words import label_of, text_of, tied_notes
from isotropy_lab.report.paired import POWER, SCORES, Model, ModelDifference
from isotropy_lab.report.parts import Figure, Line, Section, Table, Value
from isotropy_lab.report.pictures import look, side_by_side
from isotropy_lab.report.rows import Progress
from isotropy_lab.report.strips import ENDS, ball_scores, strip_figure
from isotropy_lab.retrieval.relevance import as_judgments

_CLOUDS = 2
"""Gaussian clouds that hubness is set beside."""

_LARGEST_COPY = 2**26
"""Numbers of which a copy in float32 is made: 256 MB."""

_SHOWN = ("isoscore_corrected", "varex_score", "average_cosine")
"""Scores whose differences are drawn."""

_RANKS: tuple[tuple[str, Callable[..., EffectiveRank]], ...] = (
    ("effective rank", effective_rank),
    ("RankMe", rankme),
)


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
    """Return the section of scores and their differences."""
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
        f"Intervals of {level:.0%}, paired: each {unit} is left out of all models at once. If row i is not the same item in all, "
        "they are wrong."
        if paired
        else f"Intervals of {level:.0%}, not paired: the models have other items, and their variances are added.",
        "Ratios are first over second, differences first less second; intervals are not corrected for the number of pairs, "
        "p-values are, within a measure (Holm). The last column is the least difference, or ratio, that these "
        f"{unit}s would have shown with a probability of about {POWER:g}, all pairs considered: from the standard error, "
        "(t(1 − α/(2m)) + t(.8)) times, for m pairs.",
        "Intervals of the published IsoScore, the isotropy defect and VarEx are for what so many rows show: these scores change with the "
        "number of rows. Those of corrected scores and of the average cosine are for the texts that the rows stand for.",
        "Partition scores and intrinsic dimensions have no interval of a difference: read them side by side. More isotropic is not "
        "better.",
        *tied_notes({key: value for key, value in tied.items() if key in SCORES}, level),
    ]
    with_intervals = {
        name for one in own if one.measure == "isoscore_corrected" for name in (one.first, one.second)
    }
    heavy = [
        model.name
        for model in measured
        if model.name in with_intervals and excess_kurtosis(model.found.moments) > HEAVY
    ]
    if heavy:
        said.append(
            f"Heavy tails (an excess kurtosis above {HEAVY:g}): {', '.join(heavy)}. With such tails intervals of 95% for IsoScores and "
            "dimensions used held the true ratio in 83% of simulations at worst."
        )
    if len({model.found.n_dimensions for model in measured}) > 1:
        said.append(
            "The models have different numbers of dimensions: IsoScore compares fractions of the dimensions, the dimensions used their "
            "number."
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


def _column(name: str) -> str:
    return f"{name} (model)" if name == "measure" else name


def strips(
    measured: Sequence[Model], scores: Mapping[str, Mapping[str, Line]], searched: Iterable[str]
) -> Iterator[Section]:
    """Yield the section of strips, on which all models stand; `searched` are the measures of retrieval."""
    sizes = {(model.found.n_points, model.found.n_dimensions) for model in measured}
    ball = ball_scores(*next(iter(sizes))) if len(sizes) == 1 else {}
    known = known_encoders(max(model.found.n_points for model in measured))
    figures = (
        *(_accuracy_figure(key, scores[key]) for key in searched),
        *(strip_figure(dict(scores[key]), known, ball=ball.get(key)) for key in ENDS if scores.get(key)),
    )
    yield Section(
        "strips",
        "Each score, side by side",
        figures=figures,
        notes=(
            "Diamonds are the models, each on its own interval where there is one; the intervals of differences are in the table. Below "
            "them stand known encoders with about as many rows. More is not better.",
        ),
    )


def differences_section(
    differences: Sequence[ModelDifference], searched: Iterable[str], level: float
) -> Section:
    """Return the section of intervals of differences: those of retrieval, and of the scores that speak for the others."""
    found = []
    for key in (*searched, *_SHOWN):
        own = [one for one in differences if one.measure == key]
        if own:
            found.append(_difference_figure(key, own, 1.0 - level))
    note = (
        "Intervals are not corrected for the number of pairs: one that does not hold the mark of no difference is not yet a difference "
        "that was shown. The captions say which were."
    )
    return Section("pairs", "Differences of all pairs", figures=tuple(found), notes=(note,))


def _difference_figure(key: str, differences: Sequence[ModelDifference], error: float) -> Figure:
    """Return the intervals of a measure; `error` is that at which differences are shown."""
    ratio = differences[0].scale == "ratio"
    same, sign = (1.0, "/") if ratio else (0.0, "−")
    reach = 1.05 * max(max(abs(one.low - same), abs(one.high - same)) for one in differences)
    reach = max(reach, 1e-3)
    axis = Axis(max(same - reach, 0.0) if ratio else -reach, same + reach)
    names = [f"{one.first} {sign} {one.second}" for one in differences]
    own = [Own(name, one.estimate, one.low, one.high) for name, one in zip(names, differences, strict=True)]
    told = "; ".join(
        f"{name} {number(one.estimate)} ({number(one.low)} to {number(one.high)}, p = {one.pvalue_holm:.2g})"
        for name, one in zip(names, differences, strict=True)
    )
    shown = [name for name, one in zip(names, differences, strict=True) if one.pvalue_holm <= error + 1e-12]
    caption = (
        f"Shown at {error:.2g}, of all {len(names)}: {'; '.join(shown)}."
        if shown
        else f"No difference is shown at {error:.2g}."
    )
    title = f"{label_of(key)}, {'ratio' if ratio else 'difference'}"
    alt = f"{told}. {caption}"
    data = {
        name: {"estimate": one.estimate, "low": one.low, "high": one.high, "least": one.least}
        for name, one in zip(names, differences, strict=True)
    }
    svg = strip(own, [Known("no difference", same)], axis=axis, title=title, alt=alt)
    return Figure(f"difference_{key}", title, alt, svg, data, gallery=True, caption=caption)


def _accuracy_figure(key: str, lines: Mapping[str, Line]) -> Figure:
    """Return the strip of a measure of retrieval."""
    own = [
        Own(name, float(line.value) if isinstance(line.value, (int, float)) else None, line.low, line.high)
        for name, line in lines.items()
    ]
    told = "; ".join(f"{name} {text_of(line)}" for name, line in lines.items())
    data = {name: {"value": line.value, "low": line.low, "high": line.high} for name, line in lines.items()}
    svg = strip(own, [], axis=Axis(0.0, 1.0), title=label_of(key), alt=f"{told}.")
    return Figure(f"strip_{key}", label_of(key), f"{told}.", svg, {"models": data}, gallery=True)


def looks(measured: Sequence[Model], rng: np.random.Generator) -> tuple[Section, ...]:
    """Return the sections of pictures, on the same axes."""
    seed = int(rng.integers(2**32))
    return side_by_side(
        [
            look(model.found, model.fractions, name=model.name, rng=np.random.default_rng(seed))
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
    told: Progress,
) -> Section:
    """Return the section of ranks, spectrum, uniformity, hubness and alignment, each beside its reference."""
    rows: list[tuple[Value, ...]] = []
    notes: list[str] = []
    # The same ranks for all models, as `spectrum_decay` would choose them for the smallest.
    last = min(500, *(min(one.found.n_points - 1, one.found.n_dimensions) // 2 for one in measured))
    ranks = (min(11, max(1, last // 4)), last)
    for i, model in enumerate(measured):
        told("measuring spectra and hubs", i, len(measured))
        name, sample = model.name, model.found.sample
        points = _points(model)
        n_points, m = model.found.n_points, len(sample)
        for label, rank in _RANKS:
            try:
                one = rank(points, confidence_level=level)
                rows.append((label, name, one.estimate, one.low, one.high, one.isotropic, n_points))
            except ValueError as error:
                notes.append(_undefined(label, name, error))
        try:
            decay = spectrum_decay(points, ranks=ranks, confidence_level=level)
            label = f"α of the spectrum, ranks {decay.first_rank} to {decay.last_rank}"
            rows.append((label, name, decay.exponent, decay.low, decay.high, decay.isotropic, n_points))
        except ValueError as error:
            notes.append(_undefined("α of the spectrum", name, error))
        try:
            even = uniformity(sample, confidence_level=level)
            rows.append(("uniformity", name, even.estimate, even.low, even.high, even.uniform_sphere, m))
        except ValueError as error:
            notes.append(_undefined("uniformity", name, error))
        try:
            hubs = hubness(sample, k=k, n_clouds=_CLOUDS, rng=np.random.default_rng(rng.integers(2**32)))
            even_cloud, like = hubs.isotropic, hubs.gaussian
            assert even_cloud is not None
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
    told("measuring spectra and hubs", len(measured), len(measured))
    order = list(dict.fromkeys(str(row[0]) for row in rows))
    rows.sort(key=lambda row: order.index(str(row[0])))  # a measure's models beside one another
    notes.append(
        "The column reference is, for ranks and α, what an isotropic cloud of as many rows and columns shows; for uniformity the "
        f"uniform sphere; for hubness the mean of {_CLOUDS} Gaussian clouds with the mean and covariance of the model. Ranks, α "
        "and hubness depend on the number of rows: compare them at equal N. "
        + ("Alignment is of questions and their answers: 0 is best." if questions is not None else "")
    )
    table = Table(
        "shape",
        "Ranks, spectrum, uniformity and hubs",
        ("measure", "model", "value", "low", "high", "reference", "rows"),
        tuple(rows),
    )
    return Section("shape", "Ranks, spectrum and hubs", tables=(table,), notes=tuple(notes), folded=True)


def _points(model: Model) -> Any:
    """Return the rows; of many that would be copied into another type their moments, which give no intervals."""
    array = model.rows.array
    copied = _checks.working_dtype(array.dtype) != array.dtype
    return model.found.moments if copied and array.size > _LARGEST_COPY else array


def _undefined(label: str, name: str, error: ValueError) -> str:
    return f"{label}, undefined for {name}: {re.sub(r'^X', name, str(error))}."


def _alignment(questions: Any, documents: Any, gold: Any, level: float) -> Any:
    """Return the alignment of questions and answers; None if a question has several."""
    asked, given = (
        _checks.as_array(x, what, ndim=2) for x, what in ((questions, "questions"), (documents, "documents"))
    )
    places = as_judgments(gold, len(asked), len(given))[0]
    if ((places >= 0).sum(axis=1) != 1).any():
        return None
    right = places[np.arange(len(places)), (places >= 0).argmax(axis=1)]
    return alignment(asked, given[right], confidence_level=level)


def costs_section(found: Mapping[str, CompressionCosts], k: int) -> Section:
    """Return the section of what smaller vectors cost."""
    columns = (
        *("model", "method", "dimensions", "bytes", f"{k} nearest kept", "low", "high"),
        *(f"accuracy@{k}", "loss", "low of loss", "high of loss"),
    )
    rows = tuple(
        (
            name, row.method, row.dimensions, row.n_bytes, row.overlap, row.overlap_low, row.overlap_high, row.accuracy,
            row.loss, row.loss_low, row.loss_high,
        )
        for name, table in found.items()
        for row in table.rows
    )  # fmt: skip
    first = next(iter(found.values()))
    note = (
        f"Fitted to {first.n_fitted:,} rows, neighbors compared among {first.n_measured:,} others. Bytes are those of one vector. "
        "Losses are on the same questions."
    )
    table = Table("costs", "What smaller vectors cost", columns, rows)
    return Section("costs", "What smaller vectors cost", tables=(table,), notes=(note,), folded=True)
