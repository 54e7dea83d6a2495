"""`compare`: several models side by side, with intervals of all differences and the set that cannot be told apart."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from isotropy_lab import _checks, retrieval
from isotropy_lab._neighbors import nearest_neighbors
from isotropy_lab._output import aligned, program
from isotropy_lab._results import Result
from isotropy_lab.comparison import (
    CKA,
    CompressionCosts,
    NeighborOverlap,
    Procrustes,
    cka,
    compression_costs,
    procrustes_distance,
)
from isotropy_lab.comparison._checks import matching_rows
from isotropy_lab.comparison.neighbors import overlap_of_lists
from isotropy_lab.isotropy import alignment, effective_rank, hubness, rankme, spectrum_decay, uniformity
from isotropy_lab.report.card import Page
from isotropy_lab.report.cautions import cautions
from isotropy_lab.report.drawing import number
from isotropy_lab.report.known import known_encoders
from isotropy_lab.report.meanings import MEANINGS
from isotropy_lab.report.measures import isotropy_section, variance_fractions
from isotropy_lab.report.paired import (
    POWER,
    SCORES,
    Compared,
    Model,
    ModelDifference,
    compare_scores,
    least_difference,
    not_shown_worse,
)
from isotropy_lab.report.parts import SCHEMA, Caution, Line, Section, Table, Value
from isotropy_lab.report.pictures import look, side_by_side
from isotropy_lab.report.rows import Progress, Rows, silent
from isotropy_lab.report.strips import ENDS, ball_scores, strip_figure
from isotropy_lab.report.survey import survey
from isotropy_lab.retrieval.relevance import as_judgments

__all__ = ["ModelComparison", "ModelPair", "compare"]

Ids: TypeAlias = Mapping[str, Sequence[Any]] | None

_SAMPLE_NUMBERS = 2**24
"""Numbers in the sample of each model: 128 MB in float64."""

_CLOUDS = 2
"""Gaussian clouds that hubness is set beside."""

_PERMUTATIONS = 499
_WIDTH = 110


@dataclasses.dataclass(frozen=True)
class ModelPair(Result):
    """How far two models agree about the same items; None where a part is undefined, and the note says why.

    Attributes
    ----------
    first, second : str
        The models.
    neighbors : NeighborOverlap or None
        The share of the k nearest neighbors that both have.
    cka : CKA or None
        Unbiased, with its interval and its permutation test.
    procrustes : Procrustes or None
        Beside the distance of unrelated clouds.
    note : str
        What is undefined, and why.
    """

    first: str
    second: str
    neighbors: NeighborOverlap | None
    cka: CKA | None
    procrustes: Procrustes | None
    note: str


@dataclasses.dataclass(frozen=True)
class ModelComparison(Page):
    """Everything that `compare` found.

    Attributes
    ----------
    name, program, options, summary, cautions, sections, sources
        As of a `ReportCard`.
    models : tuple of str
        Their names, in the order given.
    paired : bool
        Whether all were measured on the same items.
    tied : dict of str to tuple of str
        For each measure of which more, or less, is better: the best model, and all that were not shown to be worse, best
        first.
    differences : tuple of ModelDifference
        Of all pairs of models in all measures that have an interval.
    pairs : tuple of ModelPair
        Neighborhoods of all pairs; empty for other items.
    scores : dict of str to dict of str to Line
        Measure → model → its score, with its own interval.
    """

    KIND: ClassVar[str] = "Comparison of models"

    models: tuple[str, ...] = ()
    paired: bool = True
    tied: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    differences: tuple[ModelDifference, ...] = ()
    pairs: tuple[ModelPair, ...] = ()
    scores: dict[str, dict[str, Line]] = dataclasses.field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON: what a card has, and what is said of models.

        "schema" is the version of this form and "kind" is "comparison".
        """
        return {
            "schema": SCHEMA,
            "kind": "comparison",
            **{key: value for key, value in super().to_dict().items() if key != "schema"},
            "models": list(self.models),
            "paired": self.paired,
            "tied": {key: list(names) for key, names in self.tied.items()},
            "differences": [one.to_dict() for one in self.differences],
            "pairs": [one.to_dict() for one in self.pairs],
            "scores": {
                key: {
                    name: {"value": line.value, "low": line.low, "high": line.high, "note": line.note}
                    for name, line in lines.items()
                }
                for key, lines in self.scores.items()
            },
        }

    def to_frame(self) -> pd.DataFrame:
        """Return all differences as a table: the fields of `ModelDifference`."""
        fields = [field.name for field in dataclasses.fields(ModelDifference)]
        return pd.DataFrame([dataclasses.astuple(one) for one in self.differences], columns=fields)

    def table(self, key: str) -> pd.DataFrame:
        """Return a table of the page: ``scores``, ``differences``, ``neighborhoods``, ``shape``, ``retrieval`` or ``costs``."""
        tables = {table.key: table for section in self.sections for table in section.tables}
        _checks.check_option(key, "key", list(tables))
        return pd.DataFrame(tables[key].rows, columns=list(tables[key].columns))

    def __str__(self) -> str:
        """Return the summary and the scores as text."""
        return self.to_text()

    def to_text(self) -> str:
        """Return the summary, the scores of all models, and the warnings."""
        lines = [self.name, ""]
        for sentence in self.summary:
            lines += textwrap.wrap(sentence, _WIDTH, break_on_hyphens=False)
        rows = [
            [_label(key), *(_text(scores.get(name)) for name in self.models)]
            for key, scores in self.scores.items()
        ]
        lines += ["", *aligned(["", *self.models], rows), ""]
        for sentence in (
            *(f"Beware: {caution.text}" for caution in self.cautions),
            *(note for section in self.sections if section.folded for note in section.notes),
        ):
            lines += textwrap.wrap(sentence, _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        return "\n".join(lines).rstrip() + "\n"


def compare(
    models: Mapping[str, _checks.Points],
    *,
    questions: Mapping[str, _checks.Points] | None = None,
    gold: Any = None,
    documents: Mapping[str, _checks.Points] | None = None,
    groups: Any = None,
    ids: Ids = None,
    paired: bool | None = None,
    k: int = 10,
    costs: bool = False,
    sample_size: int = 5_000,
    confidence_level: float = 0.95,
    pictures: bool = True,
    rng: _checks.RandomState = None,
    progress: Progress | None = None,
) -> ModelComparison:
    """Compare models by their vectors: which is best where, which are tied, and what the data could have shown.

    Parameters
    ----------
    models : mapping of str to array-like of shape (N, n)
        Vectors by name, of two models at least; numbers of dimensions may differ. Memory maps are read in blocks.
    questions : mapping of str to array-like of shape (Q, n), optional
        Vectors of the same questions by each model: compares retrieval. `gold` must be given.
    gold : array-like or mapping, optional
        Rows that are relevant to each question, as for `retrieval.relevant_ranks`; rows of the first model.
    documents : mapping of str to array-like of shape (D, n), optional
        What the questions search, if it is not the vectors themselves.
    groups : array-like of shape (N,), optional
        What each row depends on, such as the page of a sentence: intervals leave out whole groups. For paired models.
    ids : mapping of str to sequence, optional
        What the rows of each model are, each once: rows are put into the order of the first model. Other items are refused.
    paired : bool, optional
        Whether row i is the same item in every model. By default it is if there are as many rows, or ids.
    k : int, default 10
        Neighbors, and the last rank that counts.
    costs : bool, default False
        Also measure what fewer dimensions, PCA, int8 and bits would cost each model.
    sample_size : int, default 5,000
        Rows that are compared with one another; of more, the same are drawn for all models, as many as 128 MB hold.
    confidence_level : float, default 0.95
        Of all intervals; 1 − confidence_level is the error at which models are told apart.
    pictures : bool, default True
        Also draw them.
    rng : numpy.random.Generator or int, optional
        Draws samples, permutations and resamples.
    progress : callable, optional
        Called with what is being done, how much of it is done, and how much there is.

    Returns
    -------
    ModelComparison

    Raises
    ------
    TypeError, ValueError
        If an argument is of a wrong kind; if there are fewer than two models, they have too few rows, or NaN or inf; if ids
        or names do not match; or if only one of `questions` and `gold` is given.

    Notes
    -----
    Scores of the card that follow from moments, and the average cosine, have intervals of all differences: each row, or
    group, is left out of all models at once (jackknife), so that what the models have in common cancels; for other items
    the two variances are added. IsoScores and dimensions used are compared by their logarithms, as ratios. The variance
    explained without a row is computed to first order. Partition scores and the intrinsic dimension have no such
    interval; they stand side by side.

    P-values are corrected for all pairs of models within a measure (Holm 1979). `tied` has the best model of each measure
    and those that were not told from it: the truly best one is missing in at most 1 − confidence_level of cases. The
    least difference is (t(1 − α/(2m)) + t(.8)) standard errors, for m pairs: what would have been found with probability
    .8 at the strictest step of Holm's method. No p-value is corrected for the number of measures.

    Isotropy is no quality: of scores "best" means most isotropic.

    Cost: two passes over the rows of each model for scores, O(N n²), and as many more for ranks of the spectrum; for
    neighborhoods O(M² n) of M sampled rows, for each model once, and some seconds of permutations for each pair.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab import compare
    >>> A = np.random.default_rng(0).standard_normal((300, 20))
    >>> found = compare({"a": A, "turned": A[:, ::-1], "steep": A * np.geomspace(1, 9, 20)}, rng=0, pictures=False)
    >>> found.tied["isoscore_corrected"]
    ('a', 'turned')
    >>> round(found.pairs[0].neighbors.overlap, 3)
    1.0
    """
    told = progress or silent
    names = _names(models)
    k = _checks.check_integer(k, "k", low=1)
    level = _checks.check_confidence_level(confidence_level)
    size = _checks.check_integer(sample_size, "sample_size", low=10)
    seed = int(_checks.as_generator(rng).integers(2**32)) if not isinstance(rng, int) else rng
    seed = _checks.check_integer(seed, "rng", low=0)
    arrays = {name: _checks.as_array(models[name], _called(name), ndim=2) for name in names}
    places, same = _matched(arrays, ids, paired)
    if groups is not None and not same:
        raise ValueError(
            "groups is given, and the models have other items; expected groups for paired models only"
        )
    n_points = [len(array) for array in arrays.values()]
    labels = None if groups is None else _checks.as_labels(groups, "groups", length=n_points[0])
    if (questions is None) != (gold is None):
        raise ValueError("only one of questions and gold is given; expected both, or neither")
    if documents is not None and questions is None:
        raise ValueError("documents is given without questions; expected both, or neither")
    asked = None if questions is None else _like(questions, "questions", names)
    searched = None if documents is None else _like(documents, "documents", names)

    def generator(part: int) -> np.random.Generator:
        return np.random.default_rng([seed, part])  # a part more or less does not change the others

    searching: _Searched | None = None
    vectors: dict[str, Any] = dict(arrays)
    if asked is not None:  # first: what may be wrong with gold is said before the long work
        if searched is None and not same:
            raise ValueError(
                "questions is given, and the models have other items, to which gold cannot point; expected documents, too"
            )
        vectors = {name: _in_order(arrays[name], places[name]) for name in names}
        searching = _search(asked, searched or vectors, gold, k, level, generator(3), told)
    widest = max(array.shape[1] for array in arrays.values())
    size = min(max(10, min(size, _SAMPLE_NUMBERS // max(1, widest))), *n_points)
    measured = []
    for name in names:
        rows = Rows(arrays[name], index=places[name], progress=_prefixed(told, name))
        with _about(name):
            # The same seed draws the same places of as many rows.
            found = survey(rows, sample_size=size, rng=generator(0))
            measured.append(Model(name, rows, found, variance_fractions(found.moments)))
    notes = []
    compared: Compared | None = None
    try:
        compared = compare_scores(measured, paired=same, groups=labels, confidence_level=level)
    except ValueError as error:
        notes.append(f"There are no intervals of differences: {error}.")
    scores: dict[str, dict[str, Line]] = {}
    warnings: list[Caution] = []
    for i, model in enumerate(measured):
        with _about(model.name):
            section = isotropy_section(
                model.rows,
                model.found,
                model.fractions,
                groups=labels,
                confidence_level=level,
                rng=generator(1),
                spread=None if compared is None else compared.spreads[i],
            )
        for line in section.lines:
            scores.setdefault(line.key, {})[model.name] = line
        warnings += [
            dataclasses.replace(caution, text=f"{model.name}: {caution.text}")
            for caution in cautions(model.found, section, expect_unit=False)
        ]
    differences = () if compared is None else compared.differences
    tied = {
        key: not_shown_worse(
            compared.values[key], score.better, [one for one in differences if one.measure == key], level
        )
        for key, score in SCORES.items()
        if compared is not None and score.better and compared.values[key]
    }
    if searching is not None:
        differences = (*differences, *searching.differences)
        tied = {**searching.tied, **tied}
        scores = {**searching.scores, **scores}
    pairs = _pairs(measured, k, level, generator(2), told) if same else ()
    shape = _shape_section(measured, asked, searched or vectors, gold, k, level, generator(4), told)
    sections = [
        *(_strips(measured, scores) if pictures else ()),
        *(_looks(measured, generator(5)) if pictures else ()),
        *([searching.section] if searching is not None else ()),
        _scores_section(names, scores, differences, tied, same, labels is not None, level, notes, measured),
        *([_pairs_section(pairs, k, size, n_points[0])] if same else ()),
        shape,
    ]
    if costs:
        found_costs = {}
        for i, name in enumerate(names):
            told("making vectors smaller", i, len(names))
            with _about(name):
                found_costs[name] = compression_costs(
                    vectors[name],
                    questions=None if asked is None or searched is not None else asked[name],
                    gold=None if asked is None or searched is not None else gold,
                    k=k,
                    max_rows=size,
                    confidence_level=level,
                    rng=generator(6),
                )
        told("making vectors smaller", len(names), len(names))
        sections.append(_costs_section(found_costs, k))
    return ModelComparison(
        name=_listed(names),
        program=program(),
        options={
            "seed": seed,
            "confidence level": level,
            "k": k,
            "rows compared with one another": size,
            "groups left out": None if labels is None else int(labels.max()) + 1,
        },
        summary=tuple(
            _summary(measured, same, ids is not None, searching, differences, tied, pairs, k, level)
        ),
        cautions=tuple(warnings),
        sections=tuple(sections),
        sources=_sources(arrays, asked, searched),
        models=tuple(names),
        paired=same,
        tied=tied,
        differences=differences,
        pairs=pairs,
        scores=scores,
    )


# --- arguments ------------------------------------------------------------------------------------------------


def _names(models: Any) -> list[str]:
    if not isinstance(models, Mapping):
        raise TypeError(f"models is {_checks.describe(models)}; expected a mapping of names to vectors")
    names = list(models)
    if len(names) < 2:
        raise ValueError(f"models has {_checks.how_many(len(names), 'model')}; expected at least 2")
    if not all(isinstance(name, str) and name for name in names):
        raise TypeError(f"models has the names {names!r}; expected texts that are not empty")
    return names


def _called(name: str, argument: str = "models") -> str:
    return f"{argument}[{name!r}]"


def _like(given: Any, argument: str, names: list[str]) -> dict[str, Any]:
    """Return what a mapping has for each model."""
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{argument} is {_checks.describe(given)}; expected a mapping with the names of the models"
        )
    if set(given) != set(names):
        raise ValueError(
            f"{argument} has {_listed(list(given))}, models has {_listed(names)}; expected the same names"
        )
    return {name: given[name] for name in names}


def _matched(
    arrays: Mapping[str, npt.NDArray[Any]], ids: Ids, paired: bool | None
) -> tuple[dict[str, npt.NDArray[np.intp] | None], bool]:
    """Return the order in which the rows of each model are taken, None for their own, and whether they are the same items."""
    names = list(arrays)
    own: dict[str, npt.NDArray[np.intp] | None] = dict.fromkeys(names)
    sizes = {name: len(array) for name, array in arrays.items()}
    if ids is not None:
        if paired is False:
            raise ValueError("ids is given with paired=False; expected one of the two")
        listed = _like(ids, "ids", names)
        first = names[0]
        for name in names[1:]:
            with _reworded(
                {r"\bA's\b": f"{first}'s", r"\bB's\b": f"{name}'s", r"\bA\b": first, r"\bB\b": name}
            ):
                places = matching_rows((listed[first], listed[name]), sizes[first], sizes[name])
            if (places != np.arange(places.size)).any():
                own[name] = places
        return own, True
    equal = len(set(sizes.values())) == 1
    if paired and not equal:
        shown = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise ValueError(
            f"paired is True, and the models have other numbers of rows ({shown}); expected the same items"
        )
    return own, equal if paired is None else bool(paired)


def _in_order(array: npt.NDArray[Any], places: npt.NDArray[np.intp] | None) -> Any:
    return array if places is None else array[places]


def _sources(*mappings: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the files of memory maps."""
    found = []
    for array in (value for mapping in mappings if mapping is not None for value in mapping.values()):
        while array is not None and not isinstance(array, np.memmap):
            array = getattr(array, "base", None)
        if array is not None and array.filename is not None:
            found.append(str(array.filename))
    return tuple(dict.fromkeys(found))


@contextmanager
def _reworded(words: Mapping[str, str]) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError) as error:
        text = str(error)
        for pattern, word in words.items():
            text = re.sub(pattern, word.replace("\\", r"\\"), text)
        raise (ValueError if isinstance(error, ValueError) else TypeError)(text) from error


def _about(name: str) -> Any:
    """Name the model in errors about X, questions and documents."""
    return _reworded(
        {
            r"\bX\b": _called(name),
            r"^questions\b": _called(name, "questions"),
            r"^documents\b": _called(name, "documents"),
        }
    )


def _prefixed(told: Progress, name: str) -> Progress:
    return lambda what, done, total: told(what if what.startswith(name) else f"{name}: {what}", done, total)


def _listed(names: Sequence[str]) -> str:
    return " and ".join(([", ".join(names[:-1])] if names[:-1] else []) + list(names[-1:]))


# --- retrieval ------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Searched:
    section: Section
    differences: tuple[ModelDifference, ...]
    tied: dict[str, tuple[str, ...]]
    scores: dict[str, dict[str, Line]]


def _search(
    questions: Mapping[str, Any],
    documents: Mapping[str, Any],
    gold: Any,
    k: int,
    level: float,
    rng: np.random.Generator,
    told: Progress,
) -> _Searched:
    names = list(questions)
    found = {}
    for i, name in enumerate(names):
        told("ranking documents", i, len(names))
        with _about(name):
            found[name] = retrieval.relevant_ranks(questions[name], documents[name], gold)
    told("ranking documents", len(names), len(names))
    sizes = {name: len(ranks.best) for name, ranks in found.items()}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise ValueError(
            f"questions has other numbers of rows ({shown}); expected the same questions for every model"
        )
    several = any(bool((ranks.n_relevant > 1).any()) for ranks in found.values())
    metrics: list[tuple[str, str, int | None]] = [
        *((f"accuracy@{depth}", "accuracy", depth) for depth in dict.fromkeys((1, k))),
        *([(f"recall@{k}", "recall", k)] if several else []),
        (f"ndcg@{k}", "ndcg", k),
        ("mrr", "mrr", None),
    ]
    scores: dict[str, dict[str, Line]] = {}
    differences: list[ModelDifference] = []
    tied = {}
    rows: list[tuple[Value, ...]] = []
    own = {
        "accuracy": retrieval.bootstrap_accuracy,
        "recall": retrieval.bootstrap_recall,
        "ndcg": retrieval.bootstrap_ndcg,
    }
    for i, (key, metric, depth) in enumerate(metrics):
        told("resampling questions", i, len(metrics))
        each = {name: retrieval.question_scores(ranks, metric, k=depth) for name, ranks in found.items()}
        lines = {}
        for name, ranks in found.items():
            one = (
                retrieval.bootstrap_mrr(ranks, confidence_level=level, rng=rng)
                if metric == "mrr"
                else own[metric](ranks, k=depth, confidence_level=level, rng=rng)
            )
            lines[name] = Line("mrr", one.estimate, one.low, one.high)
            rows.append((key, name, one.estimate, one.low, one.high))
        scores[key] = lines
        table = retrieval.compare_all_models(found, metric=metric, k=depth, confidence_level=level, rng=rng)
        here = []
        for row in table.to_dict("records"):
            change = each[row["first"]] - each[row["second"]]
            error = float(change.std(ddof=1)) / math.sqrt(change.size) if change.size > 1 else math.inf
            if (
                row["method"] != "percentile"
            ):  # all questions differ alike: the interval says what they leave open
                reach = max(row["high"] - row["estimate"], row["estimate"] - row["low"])
                error = reach / float(stats.norm.ppf(0.5 + level / 2))
            least = least_difference(error, math.inf, len(table), level)
            here.append(
                ModelDifference(
                    measure=key,
                    first=row["first"],
                    second=row["second"],
                    scale="difference",
                    estimate=row["estimate"],
                    low=row["low"],
                    high=row["high"],
                    pvalue=row["pvalue"],
                    pvalue_holm=row["pvalue_holm"],
                    least=least if math.isfinite(least) else None,
                    paired=True,
                )
            )
        differences += here
        tied[key] = not_shown_worse({name: float(lines[name].value or 0.0) for name in names}, 1, here, level)
    told("resampling questions", len(metrics), len(metrics))
    section = Section(
        "retrieval",
        "Retrieval, side by side",
        tables=(
            Table("retrieval", "Each model", ("measure", "model", "value", "low", "high"), tuple(rows)),
            _difference_table("retrieval_differences", differences),
        ),
        notes=(
            f"{next(iter(sizes.values())):,} questions, the same for every model. Intervals by the bootstrap over questions; "
            "those of differences draw the same questions for both models and are not corrected for the number of pairs, "
            "p-values are (Holm).",
            *_tied_notes(tied, level),
        ),
        folded=True,
    )
    return _Searched(section, tuple(differences), tied, scores)


# --- scores ---------------------------------------------------------------------------------------------------


def _label(key: str) -> str:
    return MEANINGS[key].label if key in MEANINGS else key


def _difference_table(key: str, differences: Sequence[ModelDifference]) -> Table:
    return Table(
        key,
        "Differences of all pairs",
        ("measure", "first", "second", "scale", "estimate", "low", "high", "p", "p (Holm)", "least"),
        tuple(
            (
                _label(one.measure), one.first, one.second, one.scale, one.estimate, one.low, one.high, one.pvalue,
                one.pvalue_holm, one.least,
            )
            for one in differences
        ),
    )  # fmt: skip


def _tied_notes(tied: Mapping[str, Sequence[str]], level: float) -> list[str]:
    return [
        f"{_label(key)}: {names[0]} is first"
        + (
            f", and {_listed(list(names[1:]))} {'was' if len(names) == 2 else 'were'} not shown to be behind it"
            if len(names) > 1
            else " and shown to be"
        )
        + f" (error {1 - level:.2g} over all pairs)."
        for key, names in tied.items()
        if names
    ]


def _scores_section(
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
    shown = {key: lines for key, lines in scores.items() if key in MEANINGS and key != "mrr"}
    rows: list[tuple[Value, ...]] = [
        ("Rows", *(model.found.n_points for model in measured)),
        ("Columns", *(model.found.n_dimensions for model in measured)),
        *(
            (_label(key), *(lines[name].value if name in lines else None for name in names))
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
        f"{unit}s would have shown with probability {POWER:g}, all pairs considered: from the standard error, "
        "(t(1 − α/(2m)) + t(.8)) times, for m pairs.",
        "Partition scores and intrinsic dimensions have no interval of a difference: read them side by side. More isotropic is not "
        "better.",
        *_tied_notes({key: value for key, value in tied.items() if key in SCORES}, level),
    ]
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
            _difference_table("differences", own),
        ),
        notes=tuple(said),
        folded=True,
    )


def _column(name: str) -> str:
    return f"{name} (model)" if name == "measure" else name


def _strips(measured: Sequence[Model], scores: Mapping[str, Mapping[str, Line]]) -> Iterator[Section]:
    sizes = {(model.found.n_points, model.found.n_dimensions) for model in measured}
    ball = ball_scores(*next(iter(sizes))) if len(sizes) == 1 else {}
    known = known_encoders(max(model.found.n_points for model in measured))
    figures = tuple(
        strip_figure(dict(scores[key]), known, ball=ball.get(key)) for key in ENDS if scores.get(key)
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


def _looks(measured: Sequence[Model], rng: np.random.Generator) -> tuple[Section, ...]:
    seed = int(rng.integers(2**32))
    return side_by_side(
        [
            look(model.found, model.fractions, name=model.name, rng=np.random.default_rng(seed))
            for model in measured
        ]
    )


# --- neighborhoods --------------------------------------------------------------------------------------------


def _pairs(
    measured: Sequence[Model], k: int, level: float, rng: np.random.Generator, told: Progress
) -> tuple[ModelPair, ...]:
    lists: dict[str, Any] = {}
    why: dict[str, str] = {}
    for i, model in enumerate(measured):
        told("finding neighbors", i, len(measured))
        try:
            lists[model.name] = nearest_neighbors(model.found.sample, k + 1, name=_called(model.name)).indices
        except ValueError as error:
            why[model.name] = str(error)
    told("finding neighbors", len(measured), len(measured))
    found = []
    both = list(itertools.combinations(measured, 2))
    for i, (first, second) in enumerate(both):
        told("comparing neighborhoods", i, len(both))
        notes = list(dict.fromkeys(why[one.name] for one in (first, second) if one.name in why))
        overlap = None
        if not notes:
            overlap = overlap_of_lists(
                lists[first.name], lists[second.name], metric="cosine", per_item=False, confidence_level=level
            )
        agree: CKA | None = None
        apart: Procrustes | None = None
        words = {r"^A\b": _called(first.name), r"^B\b": _called(second.name)}
        try:
            with _reworded(words):
                agree = cka(
                    first.found.sample,
                    second.found.sample,
                    n_resamples=_PERMUTATIONS,
                    confidence_level=level,
                    rng=rng,
                )
        except ValueError as error:
            notes.append(str(error))
        try:
            with _reworded(words):
                apart = procrustes_distance(first.found.sample, second.found.sample, rng=rng)
        except ValueError as error:
            notes.append(str(error))
        found.append(ModelPair(first.name, second.name, overlap, agree, apart, "; ".join(notes)))
    told("comparing neighborhoods", len(both), len(both))
    return tuple(found)


def _pairs_section(pairs: Sequence[ModelPair], k: int, size: int, n_points: int) -> Section:
    columns = (
        "models",
        *(f"{k} nearest shared", "low", "high", "by chance"),
        *("CKA", "low of CKA", "high of CKA", "p of CKA"),
        *("Procrustes", "unrelated", "p of Procrustes"),
    )
    rows: list[tuple[Value, ...]] = []
    for one in pairs:
        a, b, c = one.neighbors, one.cka, one.procrustes
        rows.append(
            (
                f"{one.first}, {one.second}",
                *((a.overlap, a.low, a.high, a.chance) if a else (None,) * 4),
                *((b.statistic, b.low, b.high, b.pvalue) if b else (None,) * 4),
                *((c.distance, c.chance, c.pvalue) if c else (None,) * 3),
            )
        )
    among = (
        f"all {n_points:,} rows"
        if size == n_points
        else f"{size:,} of the {n_points:,} rows, the same of each model"
    )
    notes = [
        f"Among {among}: the share of the {k} nearest neighbors depends on how many there are. CKA is the unbiased one, 0 for "
        "unrelated vectors; the Procrustes distance stands beside that of unrelated clouds with these spectra. The p-values say "
        "whether the models have anything to do with each other, and are not corrected for the number of pairs.",
        *(f"{one.first} and {one.second}, undefined here: {one.note}." for one in pairs if one.note),
    ]
    table = Table("neighborhoods", "How far models agree", columns, tuple(rows))
    return Section("neighborhoods", "Neighborhoods", tables=(table,), notes=tuple(notes), folded=True)


# --- shape ----------------------------------------------------------------------------------------------------


def _shape_section(
    measured: Sequence[Model],
    questions: Mapping[str, Any] | None,
    documents: Mapping[str, Any],
    gold: Any,
    k: int,
    level: float,
    rng: np.random.Generator,
    told: Progress,
) -> Section:
    rows: list[tuple[Value, ...]] = []
    notes: list[str] = []
    # The same ranks for all models, as `spectrum_decay` would choose them for the smallest.
    last = min(500, *(min(one.found.n_points - 1, one.found.n_dimensions) // 2 for one in measured))
    ranks = (min(11, max(1, last // 4)), last)
    for i, model in enumerate(measured):
        told("measuring spectra and hubs", i, len(measured))
        name, sample = model.name, model.found.sample
        n_points, m = model.found.n_points, len(sample)
        for label, compute in (
            ("effective rank", lambda model=model: effective_rank(model.rows.array, confidence_level=level)),
            ("RankMe", lambda model=model: rankme(model.rows.array, confidence_level=level)),
        ):
            try:
                one = compute()
                rows.append((label, name, one.estimate, one.low, one.high, one.isotropic, n_points))
            except ValueError as error:
                notes.append(_undefined(label, name, error))
        try:
            decay = spectrum_decay(model.rows.array, ranks=ranks, confidence_level=level)
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


# --- costs ----------------------------------------------------------------------------------------------------


def _costs_section(found: Mapping[str, CompressionCosts], k: int) -> Section:
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


# --- words ----------------------------------------------------------------------------------------------------


def _text(line: Line | None) -> str:
    if line is None or line.value is None:
        return "undefined"
    value = line.value if isinstance(line.value, str) else number(line.value)
    return (
        value
        if line.low is None or line.high is None
        else f"{value} ({number(line.low)} to {number(line.high)})"
    )


def _summary(
    measured: Sequence[Model],
    paired: bool,
    by_ids: bool,
    searching: _Searched | None,
    differences: Sequence[ModelDifference],
    tied: Mapping[str, Sequence[str]],
    pairs: Sequence[ModelPair],
    k: int,
    level: float,
) -> Iterator[str]:
    sizes = ", ".join(
        f"{model.name} ({model.found.n_points:,} × {model.found.n_dimensions:,})" for model in measured
    )
    if not paired:
        how = "other items, so not paired, and neighborhoods are not compared"
    elif by_ids:
        how = "the same items, matched by their ids"
    else:
        how = "taken for the same items, row by row"
    yield f"{len(measured)} models: {sizes}; {how}."
    for key in [*([f"accuracy@{k}"] if searching is not None else []), "isoscore_corrected"]:
        if tied.get(key):
            yield _verdict(key, tied[key], [one for one in differences if one.measure == key], level)
    for one in pairs[:3]:
        if one.neighbors is not None:
            yield (
                f"Of the {k} nearest neighbors {one.first} and {one.second} share {one.neighbors.overlap:.0%} "
                f"({one.neighbors.low:.0%} to {one.neighbors.high:.0%}), {one.neighbors.chance:.1%} by chance."
            )


def _verdict(key: str, names: Sequence[str], differences: Sequence[ModelDifference], level: float) -> str:
    error = f"{1.0 - level:.2g}"
    best = f"{_label(key)}: {names[0]} is highest"
    if len(names) == 1:
        return f"{best}, and shown to be above every other (error {error} over all pairs)."
    least = [
        one.least
        for one in differences
        if one.least is not None
        and names[0] in (one.first, one.second)
        and {one.first, one.second} <= set(names)
    ]
    text = f"{best}, and {_listed(list(names[1:]))} cannot be told from it (error {error} over all pairs)."
    if least:
        what = "ratio" if differences[0].scale == "ratio" else "difference"
        text += (
            f" These data would have shown a {what} of {max(least):.3g} or more, with probability {POWER:g}."
        )
    return text
