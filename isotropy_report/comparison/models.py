"""`compare`, which measures several models with intervals of all differences and finds the best models."""

from __future__ import annotations

import dataclasses
import itertools
import string
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.retrieval.relevance import METRICS
from isotropy_report._options import option
from isotropy_report._output import align, program, wrap
from isotropy_report.card.card import Page, mapped_files, split_seed
from isotropy_report.card.cautions import cautions, summary, verdict_in
from isotropy_report.card.gate import Failure
from isotropy_report.card.meanings import ADVICE, TEXTS, WARNINGS
from isotropy_report.card.measures import isotropy_section, variance_fractions
from isotropy_report.card.parts import GOLD_DOUBTS, Caution, Line, Section, grave
from isotropy_report.card.rows import Rows, as_rows, check_sample_size
from isotropy_report.card.survey import survey
from isotropy_report.card.words import join, label_of, name_in_errors, name_model_in_errors, number, text_of
from isotropy_report.comparison import model_sections
from isotropy_report.comparison.gate import judge
from isotropy_report.comparison.model_search import RetrievalComparison, search
from isotropy_report.comparison.model_sections import ModelPair
from isotropy_report.comparison.paired import (
    SCORES,
    Model,
    ModelDifference,
    ScoreComparison,
    best_or_tied,
    compare_scores,
    significantly_better,
    verdict,
)
from isotropy_report.io.arrow import as_vectors
from isotropy_report.measures._checks import check_gold_given, matching_rows

__all__ = ["ModelComparison", "ModelPair", "compare"]

Ids: TypeAlias = Mapping[str, Sequence[Any]] | Literal["unrelated"] | None

_MANY_MORE_REPEATS = 0.05
"""Texts repeat alike for all models; with this many more repeated rows, vectors were lost."""

_PAGE_NOTE = "The page (.html) and the JSON contain all scores, pairs, and neighborhoods."
_ISOTROPY_WARNINGS = frozenset(WARNINGS) - {
    *("repeated_questions", "zero_documents", "shared_rows"),
    *("duplicates", "zero_rows", "not_unit", "float16_overflow"),
}
"""Warnings about scores of isotropy, which a comparison of retrieval does not print."""


class _Tied(dict[str, tuple[str, ...]]):
    """The tied models of a comparison whose gold seems wrong."""

    def __missing__(self, key: str) -> tuple[str, ...]:
        raise KeyError(f"{key} has no tied models, because gold seems wrong (see the warnings)")


@dataclasses.dataclass(frozen=True, repr=False)
class ModelComparison(Page):
    """The results of `compare`.

    Attributes
    ----------
    name, program, options, summary, cautions, sections, sources
        As in `ReportCard`.
    models : tuple of str
        The names of the models, in the given order.
    paired : bool
        Whether all models were measured on the same items.
    tied : dict of str to tuple of str
        For each measure with a better direction: the model with the best value and all models that are not
        significantly worse, in the order of their values; without those of a search whose gold seems wrong.
    differences : tuple of ModelDifference
        Differences between all pairs of models, for all measures with an interval.
    pairs : tuple of ModelPair
        Agreement of all pairs on neighborhoods; empty if the models have different items.
    scores : dict of str to dict of str to Line
        Measure → model → score of the model, with the interval of that score.
    """

    KIND: ClassVar[str] = "Comparison of models"
    JSON_KIND: ClassVar[str] = "comparison"

    models: tuple[str, ...] = ()
    paired: bool = True
    tied: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    differences: tuple[ModelDifference, ...] = ()
    pairs: tuple[ModelPair, ...] = ()
    scores: dict[str, dict[str, Line]] = dataclasses.field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """Return all differences as a table whose columns are the fields of `ModelDifference`."""
        fields = [field.name for field in dataclasses.fields(ModelDifference)]
        return pd.DataFrame([dataclasses.astuple(d) for d in self.differences], columns=fields)

    def failures(self, model: str, *, within: float | None = None) -> tuple[Failure, ...]:
        """Return the reasons for which a model should not replace the others, for a build; empty if none.

        A model fails if it is significantly behind another in accuracy@k. With `within`, from 0 to 1, it
        fails instead if a fall by more than this is not excluded; a smaller one is allowed. If over 1% of the
        questions repeat earlier ones, all fail. Raises ValueError without questions, with too few, or if gold
        seems wrong.
        """
        return tuple(judge(self, model, within)[0])

    def to_text(self, *, remarks: bool = True, every: bool = False) -> str:
        """Return the summary, the scores, the differences from the best values, and the warnings.

        If retrieval was compared, scores of isotropy and their warnings are included only with `every`;
        without `remarks`, the text has the summary and the tables alone.
        """
        search = [key for key in self.scores if key.partition("@")[0] in METRICS]
        shown_scores = {key: self.scores[key] for key in search} if search and not every else self.scores
        rows = [
            [label_of(key), *(text_of(scores.get(name)) for name in self.models)]
            for key, scores in shown_scores.items()
        ]
        lines = [self.name, "", *wrap(*self.summary), "", *align(["", *self.models], rows), ""]
        leads = [
            [
                label_of(d.measure),
                f"{d.first} {'/' if d.scale == 'ratio' else '−'} {d.second}",
                text_of(Line(d.measure, d.estimate, d.low, d.high)),
                "< 0.0001" if d.pvalue_holm < 1e-4 else number(d.pvalue_holm),
                "– (too few differ)" if d.least is None else number(d.least),
            ]
            for key, (best, *_) in self.tied.items()
            for d in self.differences
            if key in shown_scores and d.measure == key and best in (d.first, d.second)
        ]
        if leads:
            lines += [*align(["", "models", "difference", "p", "minimum detectable"], leads, left=2), ""]
        if not remarks:
            return "\n".join(lines).rstrip() + "\n"
        template = "{} and {} could not be compared in every way: {}.".format
        undefined = (template(pair.first, pair.second, pair.note) for pair in self.pairs if pair.note)
        cautions_by_key: dict[str, dict[str, Caution]] = {}
        for caution in self.cautions:
            if not caution.grave and (shown_scores is self.scores or caution.key not in _ISOTROPY_WARNINGS):
                cautions_by_key.setdefault(caution.key, {})[caution.text.partition(":")[0]] = caution
        warnings = [
            f"Beware of {WARNINGS[key]} ("
            f"{'; '.join(f'{name}: {c.where}'.rstrip(': ') for name, c in by_model.items())}): {ADVICE[key]}."
            if key in ADVICE and set(by_model) <= set(self.models)
            else " ".join(c.text for c in by_model.values())
            for key, by_model in cautions_by_key.items()
        ]
        leads_note = TEXTS["leads"] + f" {TEXTS['leads_questions']}" * bool(search)
        notes = [leads_note + " More isotropic is not better." * (shown_scores is self.scores)] * bool(leads)
        lines += wrap(*notes, *warnings, *undefined, _PAGE_NOTE, indent="  ")
        return "\n".join(lines).rstrip() + "\n"


def compare(
    models: Mapping[str, checks.Points] | checks.Points,
    *others: checks.Points,
    questions: Mapping[str, checks.Points] | None = None,
    gold: checks.Gold = None,
    documents: Mapping[str, checks.Points] | None = None,
    groups: checks.Groups = None,
    ids: Ids = None,
    k: int = 10,
    sample_size: int = 5_000,
    confidence_level: float = 0.95,
    pictures: bool = True,
    rng: checks.RandomState = 0,
) -> ModelComparison:
    """Compare models by their vectors, with tests of all differences and the minimum detectable differences.

    Parameters
    ----------
    models, others : mapping of str to array-like of shape (N, n), or such arrays
        Vectors by name, for at least two models; the numbers of dimensions may differ. Arrays passed without
        names are called A, B, and so on. Memory maps are read in blocks, and Dask arrays by their workers.
    questions : mapping of str to array-like of shape (Q, n), optional
        Vectors of the same questions from each model, also as a list in the order of the models: adds a
        comparison of retrieval and requires `gold`.
    gold : array-like or mapping, optional
        Rows of the first model that are relevant to each question, as for `retrieval.relevant_ranks`.
    documents : mapping of str to array-like of shape (D, n), optional
        Vectors to search, if they are not the vectors in `models`.
    groups : array-like of shape (N,), optional
        The group of each row, such as the page of a sentence, for paired models: intervals of scores leave
        out whole groups, whereas intervals of retrieval treat questions as independent.
    ids : mapping of str to sequence, or "unrelated", optional
        A unique ID for each row of each model: rows are put into the order of the first model, and different
        items are rejected. Use "unrelated" if row i is not the same item for all models. By default, rows
        are taken to be the same items if all models have the same number of rows.
    k : int, default 10
        Number of neighbors, and the last rank that counts in retrieval.
    sample_size : int, default 5,000
        Number of rows to compare with one another; from more rows, the same sample is drawn for all models,
        up to 128 MB.
    confidence_level : float, default 0.95
        Nominal coverage of all intervals; 1 − confidence_level is the error rate for distinguishing models.
    pictures : bool, default True
        Whether to draw plots as well.
    rng : int, numpy.random.Generator, or None, default 0
        Generator or seed for drawing the samples, permutations, and resamples.

    Returns
    -------
    ModelComparison
        ``summary[0]`` names the best models, ``differences`` and ``tied`` are the tests, and
        ``failures("B", within=0.03)`` is empty only if B is shown to lose at most 3 points of accuracy.
        ``write("page.html")`` writes the page.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type; if there are fewer than two models, or a model has too few rows,
        NaN, or inf; if IDs or names do not match; or if only one of `questions` and `gold` is given.

    Notes
    -----
    The corrected IsoScore, the dimensions used, and the average cosine have intervals for all differences:
    each row or group is left out of all models at once (jackknife), so that variation shared by the models
    cancels; for different items, the two variances are added. IsoScores and dimensions used are compared by
    their logarithms, as ratios. If a corrected score is cut off at its largest value, either it cannot be
    distinguished from a ball's score or the axes were fitted to these rows (PCA, SVD, whitening): it is not
    compared, and `tied` does not contain its measure. Other scores are listed side by side: the published
    IsoScore, the isotropy defect, and VarEx change with the number of rows, and so do their differences.

    P-values are corrected for all pairs of models within a measure (Holm 1979). `tied` contains the best
    model for each measure and the models not significantly different from it: the truly best model is
    missing with probability at most 1 − confidence_level, if the tests keep their level (for simulations,
    see *Is it calibrated?* in the book). No p-value is corrected for the number of measures. For scores,
    "best" means most isotropic, which is not a quality. The notes of the page define the other numbers.

    Cost: two passes over the rows of each model for scores, O(N n²); O(M² n) per model for the neighborhoods
    of M sampled rows, and a few seconds of permutations per pair.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report import compare
    >>> A = np.random.default_rng(0).standard_normal((300, 20))
    >>> first, last = np.geomspace(1, 3, 20), np.geomspace(1, 9, 20)
    >>> models = {"a": A * first, "turned": A[:, ::-1] * first[::-1], "steep": A * last}
    >>> comparison = compare(models, rng=0, pictures=False)
    >>> comparison.tied["isoscore_corrected"]
    ('a', 'turned')
    >>> round(comparison.pairs[0].neighbors.overlap, 3)
    1.0

    Of the first 200 rows as questions, the shorter vectors find fewer:

    >>> questions = [A[:200] + 0.5, A[:200, :4] + 0.5]
    >>> found = compare(A, A[:, :4], questions=questions, gold=np.arange(200), pictures=False)
    >>> [failure.reason.partition(":")[0] for failure in found.failures("B")]
    ['B is behind A in accuracy@10']
    """
    models = dict(zip(string.ascii_uppercase, (models, *others), strict=False)) if others else models
    names = _check_names(models)
    level = checks.check_confidence_level(confidence_level)
    seed, generator = split_seed(rng)
    arrays = {name: as_rows(models[name], name_in_errors(name)) for name in names}
    orders, paired = _match_rows(arrays, ids)
    by_ids = isinstance(ids, Mapping)
    if groups is not None and not paired:
        raise ValueError(
            "groups was given, but the models encode different items; expected groups only for paired models"
        )
    n_points = [len(array) for array in arrays.values()]
    widest = max(array.shape[1] for array in arrays.values())
    size = min(check_sample_size(sample_size, widest), *n_points)
    max_k = size - 2 if size >= 4 else None  # with fewer rows, the survey raises the error
    k = checks.check_integer(k, "k", low=1, high=max_k, why=f"{size:,} rows are compared with one another")
    labels = None if groups is None else checks.as_labels(groups, "groups", length=n_points[0])
    check_gold_given(questions, gold, documents)
    questions_of = None if questions is None else _by_model(questions, "questions", names)
    documents_of = None if documents is None else _by_model(documents, "documents", names)
    if documents_of is not None:
        for name in names:
            with name_model_in_errors(name):
                documents_of[name] = as_rows(documents_of[name], "documents")

    retrieval = RetrievalComparison()
    vectors: dict[str, Any] = dict(arrays)
    if questions_of is not None:  # first, so that errors in gold are raised before long computations
        if documents_of is None and not paired:
            counts = ", ".join(f"{name} has {len(array):,} rows" for name, array in arrays.items())
            raise ValueError(
                f"{counts}, so it is unclear which rows gold means; expected the same documents in the same "
                f"order, {option('ids')} of their rows, or {option('documents')} for all models"
            )
        if documents_of is None:
            vectors = {name: x if (order := orders[name]) is None else x[order] for name, x in arrays.items()}
        retrieval = search(questions_of, documents_of or vectors, gold, k, level, generator(3))
    measured = []
    for name in names:
        rows = Rows(arrays[name], index=orders[name], model=name)
        with name_model_in_errors(name):
            # The same seed draws the same positions if the numbers of rows are equal.
            data = survey(rows, sample_size=size, rng=generator(0))
            measured.append(Model(name, rows, data, variance_fractions(data.moments)))
    notes = []
    warnings: list[Caution] = []
    compared = ScoreComparison()
    try:
        compared = compare_scores(
            measured, paired=paired, groups=labels, confidence_level=level, within_bounds=True
        )
        if compared.cut_off:
            notes.append(f"Some scores are not compared: {compared.cut_off_text}.")
    except ValueError as error:
        notes.append(f"There are no intervals of differences: {error}.")
        warnings.append(Caution("no_differences", notes[-1]))
    scores: dict[str, dict[str, Line]] = {}
    verdicts = []
    for i, model in enumerate(measured):
        measures = model.rows, model.survey, model.fractions
        spread = compared.spreads[i] if compared.spreads else None
        with name_model_in_errors(model.name):
            section = isotropy_section(
                *measures, groups=labels, confidence_level=level, rng=generator(1), spread=spread
            )
        verdicts.append(_verdict_of_model(model, section, level))
        for line in section.lines:
            scores.setdefault(line.key, {})[model.name] = line
        warnings += [
            dataclasses.replace(caution, text=f"{model.name}: {caution.text}")
            for caution in cautions(model.survey, section)
        ]
    differences = (*compared.differences, *retrieval.differences)
    tied = dict(retrieval.tied)
    for key, values in compared.values.items():
        if values and SCORES[key].better:
            tests = [d for d in differences if d.measure == key]
            tied[key] = best_or_tied(values, SCORES[key].better, tests, level)
    scores = retrieval.scores | scores
    pairs = model_sections.model_pairs(measured, k, level, generator(2)) if paired else ()
    warnings = [*_repeated_documents(measured), *warnings, *model_sections.heavy_tails(measured, differences)]
    warnings += retrieval.cautions
    for pair in pairs:
        if (overlap := pair.neighbors) is not None and overlap.low <= overlap.chance < 0.5:
            shared: dict[str, Any] = {"shared": overlap.overlap, "chance": overlap.chance}
            note = " The rows of both are the same, in another order." * _have_same_rows(measured, pair)
            names_of = {"first": pair.first, "second": pair.second, "again": note, "ids": option("ids")}
            warnings.append(Caution("unrelated", TEXTS["unrelated"].format(**shared, **names_of)))
    warnings += [] if paired else _shared_rows_warnings(measured)
    sections = []
    if pictures and differences:
        sections.append(model_sections.differences_section(differences, retrieval.scores, level))
    sections += retrieval.sections
    if pictures:
        sizes = [(model.survey.n_points, model.survey.n_dimensions) for model in measured]
        sections.append(model_sections.models_section(scores, retrieval.scores, sizes))
        sections += model_sections.picture_sections(measured, generator(5))
    grouped = labels is not None
    sections.append(
        model_sections.scores_section(scores, differences, tied, paired, grouped, level, notes, measured)
    )
    if paired:
        sections.append(model_sections.pairs_section(pairs, k, size, n_points[0], grouped=grouped))
    n_groups = None if labels is None else int(labels.max()) + 1
    n_questions = None if questions_of is None else len(next(iter(questions_of.values())))
    settings = {"seed": seed, "confidence level": level, "k": k, "rows compared with one another": size}
    inputs = (*arrays.values(), *(questions_of or {}).values(), *(documents_of or {}).values(), gold, groups)
    comparison = ModelComparison(
        name=join(names),
        program=program(),
        options={**settings, "questions": n_questions, "groups left out": n_groups},
        summary=grave(warnings),
        cautions=tuple(warnings),
        sections=tuple(sections),
        sources=mapped_files(*inputs),
        models=tuple(names),
        paired=paired,
        tied=tied,
        differences=differences,
        pairs=pairs,
        scores=scores,
    )
    sentences = [TEXTS["verdicts"].format(verdicts=join(verdicts))] * (questions_of is None)
    sentences += _summary(comparison, measured, retrieval, compared, k, level)
    sentences.append(_describe_models(comparison, measured, by_ids))
    if sum(caution.key in GOLD_DOUBTS for caution in retrieval.cautions) >= len(measured):  # no verdict
        tied = _Tied({key: best for key, best in tied.items() if key not in retrieval.tied})
    return dataclasses.replace(comparison, summary=(*comparison.summary, *sentences), tied=tied)


def _repeated_documents(measured: Sequence[Model]) -> Iterator[Caution]:
    """Yield a warning if many more rows are repeated in one model than in another, as if overwritten."""
    shares = {model.name: model.survey.duplicates.n_duplicates / model.survey.n_points for model in measured}
    most, least = max(shares, key=lambda name: shares[name]), min(shares, key=lambda name: shares[name])
    if shares[most] > shares[least] + _MANY_MORE_REPEATS:
        values = {"most": most, "share": shares[most], "least": least, "other": shares[least]}
        yield Caution("repeated_documents", TEXTS["repeated_documents"].format(**values))


def _verdict_of_model(model: Model, section: Section, level: float) -> str:
    """Return the verdict of a model's card as a clause, with the number of dimensions used."""
    verdict = verdict_in(summary(model.survey, section, level, searched=False)[0]).lower()
    used = next(line.value for line in section.lines if line.key == "dimensions_used_corrected")
    n_points, n = model.survey.n_points, model.survey.n_dimensions
    if verdict == "no verdict":
        return f"{model.name} has no verdict ({n_points:,} rows, {n:,} columns)"
    size = f" (about {used:,.0f} of {n:,} dimensions)" if isinstance(used, float) else ""
    return f"{model.name} is {verdict}{size}"


def _shared_rows_warnings(measured: Sequence[Model]) -> Iterator[Caution]:
    """Yield a warning for each pair of unpaired models that have rows in common."""
    hashes = {model.name: model.rows.hashes("looking for equal rows") for model in measured}
    for first, second in itertools.combinations(measured, 2):
        count = int(np.isin(hashes[second.name], hashes[first.name]).sum())
        if count and first.survey.n_dimensions == second.survey.n_dimensions:
            values = {"one": first.name, "other": second.name, "count": count, "rows": second.survey.n_points}
            yield Caution("shared_rows", TEXTS["shared_rows"].format(**values))


def _have_same_rows(measured: Sequence[Model], pair: ModelPair) -> bool:
    """Return whether two models have the same rows, in any order."""
    rows_of_pair = [model.rows for model in measured if model.name in (pair.first, pair.second)]
    first, second = (np.sort(rows.hashes("looking for equal rows")) for rows in rows_of_pair)
    return rows_of_pair[0].n_dimensions == rows_of_pair[1].n_dimensions and np.array_equal(first, second)


def _check_names(models: Any) -> list[str]:
    if not isinstance(models, Mapping):
        raise TypeError(
            f"models is {checks.describe(models)}; expected a mapping from names to arrays, or compare(A, B)"
        )
    names = list(models)
    if len(names) < 2:
        raise ValueError(f"models has {checks.how_many(len(names), 'model')}; expected at least 2 models")
    if not all(isinstance(name, str) and name for name in names):
        raise TypeError(f"models has the names {names!r}; expected nonempty strings")
    return names


def _by_model(values: Any, argument: str, names: list[str]) -> dict[str, Any]:
    """Return the entries of a mapping, or of a list in the order of the models, for all models."""
    if isinstance(values, (list, tuple)):
        if len(values) != len(names):
            count = "1 entry" if len(values) == 1 else f"{len(values)} entries"
            raise ValueError(f"{argument} has {count} for {len(names)} models; expected one for each model")
        values = dict(zip(names, values, strict=True))
    if not isinstance(values, Mapping):
        raise TypeError(
            f"{argument} is {checks.describe(values)}; expected a list or a mapping with one for each model"
        )
    if set(values) != set(names):
        raise ValueError(
            f"{argument} has the names {join(list(values))}, but models has {join(names)}; expected the "
            "same names"
        )
    return {name: as_vectors(values[name]) for name in names}


def _match_rows(
    arrays: Mapping[str, npt.NDArray[Any]], ids: Ids
) -> tuple[dict[str, npt.NDArray[np.intp] | None], bool]:
    """Return each model's order of rows (None for the given order), and whether all have the same items."""
    names = list(arrays)
    orders: dict[str, npt.NDArray[np.intp] | None] = dict.fromkeys(names)
    sizes = {name: len(array) for name, array in arrays.items()}
    if ids == "unrelated":
        return orders, False
    if ids is not None:
        ids_by_model = _by_model(ids, "ids", names)
        first = names[0]
        for name in names[1:]:
            positions = matching_rows(
                (ids_by_model[first], ids_by_model[name]), (sizes[first], sizes[name]), names=(first, name)
            )
            if (positions != np.arange(positions.size)).any():
                orders[name] = positions
        return orders, True
    return orders, len(set(sizes.values())) == 1


def _summary(
    comparison: ModelComparison,
    measured: Sequence[Model],
    retrieval: RetrievalComparison,
    compared: ScoreComparison,
    k: int,
    level: float,
) -> Iterator[str]:
    """Yield sentences about the best models in each measure, and about the neighbors that they share."""
    tied, scores, pairs = comparison.tied, comparison.scores, comparison.pairs
    key = f"accuracy@{k}" if retrieval.tied else "isoscore_corrected"
    doubts = [caution for caution in retrieval.cautions if caution.key in GOLD_DOUBTS]
    if retrieval.tied and len(doubts) >= len(measured):
        yield "No verdict on retrieval: check gold first."
    elif tied.get(key):
        text = verdict(key, tied[key], scores[key], level, comparison.differences)
        yield text if retrieval.tied else f"{text} More isotropic is not better."
    elif compared.cut_off:
        yield f"The models are not compared by isotropy: {compared.cut_off_text}."
    differing = [measure for measure, best in retrieval.tied.items() if set(best) != set(tied[key])]
    if differing and len(doubts) < len(measured):
        sentences = [significantly_better(key, tied[key], scores[key])[0] for key in differing]
        yield f"{'. '.join(sentences)}. P-values are not corrected for the number of measures."
    shared = [(p.neighbors, f"{p.first} and {p.second}") for p in pairs if p.neighbors is not None]
    if not shared:
        return
    (least, farthest), (most, closest) = (f(shared, key=lambda entry: entry[0].overlap) for f in (min, max))
    digits = int(least.overlap < 0.1)
    text = (
        f"{closest} share {most.overlap:.{digits}%} ({most.low:.{digits}%} to {most.high:.{digits}%})"
        if len(shared) == 1
        else f"two models share {least.overlap:.{digits}%} ({farthest}) to {most.overlap:.0%} ({closest})"
    )
    size, n_points = len(measured[0].survey.sample), measured[0].survey.n_points
    sample_note = f", among {size:,} random rows of {n_points:,}" if size < n_points else ""
    zeros = size - most.n_points
    sample_note += f" ({checks.how_many(zeros, 'row')} of zeros left out)" * (zeros > 0)
    text += f"; unrelated models share {most.chance:.1%}{sample_note}."
    yield f"Of the {k} nearest neighbors by cosine, {text}"


def _describe_models(comparison: ModelComparison, measured: Sequence[Model], by_ids: bool) -> str:
    """Return a sentence about the sizes of the models, and about how their rows are paired."""
    sizes = ", ".join(
        f"{model.name} ({model.survey.n_points:,} × {model.survey.n_dimensions:,})" for model in measured
    )
    key = "matched_by_ids" if by_ids else "matched_by_position"
    if not comparison.paired:
        key = "not_matched"
    if len({model.survey.n_points for model in measured}) > 1:
        key = "numbers_differ"
    return f"{len(measured)} models: {sizes}; {TEXTS[key].format(ids=option('ids'))}."
