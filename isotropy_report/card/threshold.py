"""Page about a similarity threshold: a bound on its cost, and results for other margins."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab import retrieval
from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval import similarity_threshold, thresholds
from isotropy_lab.retrieval._checks import as_groups
from isotropy_lab.retrieval.relevance import RelevantRanks, check_metric, judged_scores
from isotropy_lab.retrieval.thresholds import SimilarityThreshold
from isotropy_report._options import option, setting
from isotropy_report._output import align, program, wrap
from isotropy_report.card import drawing
from isotropy_report.card.card import Page
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import GOLD_DOUBTS, Caution, Figure, Section, Table, Value, grave
from isotropy_report.card.search import drop_zero_rows, search_cautions, zero_rows
from isotropy_report.card.words import count_text, plain_text, rename_in_errors
from isotropy_report.measures._checks import ranks_and_warnings
from isotropy_report.measures.equal_rows import count_duplicates, repeated_questions, row_hashes

_MARGINS = (0.01, 0.02, 0.05, 0.1)
_REJECTED = (0.5, 0.8, 0.9, 0.95)
_CHOOSE_MARGIN = TEXTS["choose_margin"]
_COLUMNS = ("threshold", "lost here", "may lose", "documents hidden", "out of scope rejected")
_MAX_HIGHER = 0.4
"""Above this fraction of pairs in the wrong order, no threshold separates two kinds of questions."""

_PAIR_COLUMNS = ("threshold", "lost here", "may lose", "non-matching rejected")

_YES, _NO = ("1", "1.0", "yes", "true"), ("0", "0.0", "no", "false")
LABELS = dict.fromkeys(_YES, True) | dict.fromkeys(_NO, False)
"""Labels of pairs that belong together, and of others."""


class PairThreshold(SimilarityThreshold):
    """A threshold for pairs: its questions are the pairs that belong together, and those hidden are lost."""

    def __str__(self) -> str:
        """Return a text that says which pairs to reject, and the bound on the cost."""
        text = TEXTS["pair_threshold"].format(**vars(self), percent=100 * self.confidence_level)
        if self.rejected is not None:
            low = f" (at least {self.rejected_low:.1%} of all such pairs)" * bool(self.rejected_low)
            text += TEXTS["pair_rejected"].format(**vars(self), low=low)
        return "\n".join(wrap(text))


@dataclasses.dataclass(frozen=True)
class ThresholdCost(Result):
    """The cost of a threshold in use.

    Attributes
    ----------
    threshold, before, after : float
        The threshold, and the metric without it and with it.
    loss, loss_bound, is_within_margin
        The decrease, its bound for all questions, and whether the bound is at most the margin.
    n_empty, rejected, hidden
        The number of questions without a document, the fraction of out-of-scope questions without one, and
        the fraction of the retrieved documents that are hidden.
    """

    threshold: float
    before: float
    after: float
    loss: float
    loss_bound: float
    is_within_margin: bool
    n_empty: int
    rejected: float | None
    hidden: float


@dataclasses.dataclass(frozen=True, repr=False)
class ThresholdPage(Page):
    """The results of `threshold_report`.

    Attributes
    ----------
    name, program, options, summary, cautions, sections, sources
        As in `ReportCard`; `table` returns the tables margins, rejecting, and fewer.
    best : SimilarityThreshold
        The highest threshold that satisfies the guarantee; ``best.threshold`` is the number.
    at : ThresholdCost or None
        The cost of the other threshold.
    """

    KIND: ClassVar[str] = "Threshold of similarity"
    JSON_KIND: ClassVar[str] = "threshold"
    CHECKS_WARNINGS: ClassVar[bool] = False

    best: SimilarityThreshold | None = None
    at: ThresholdCost | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return a table with the row best and, if requested, the row at; its columns are keys of `at`."""
        columns = ["threshold", "before", "after", "loss", "loss_bound", "is_within_margin", "n_empty",
                   "rejected", "hidden"]  # fmt: skip
        best = {name: getattr(self.best, name, True) for name in columns}
        best["hidden"] = getattr(self.best, "suppressed", None)
        rows = {"best": best} | ({} if self.at is None else {"at": vars(self.at)})
        return pd.DataFrame(list(rows.values()), index=list(rows), columns=columns)

    def to_text(self, *, remarks: bool = True) -> str:
        """Return the summary, the other margins, and the limits of the guarantee, or only the threshold."""
        if not remarks and self.best is not None:
            return f"{self.best.threshold!r}\n"
        warnings = (f"Beware: {caution.text}" for caution in self.cautions if not caution.grave)
        lines = [*wrap(*self.summary, *warnings), "", *wrap(_CHOOSE_MARGIN)]
        for table in self.section("choices").tables[:-1]:
            rows = [[f"{first:g}", "–" if limit is None else str(limit), *map(plain_text, rest)]
                    for first, limit, *rest in table.rows]  # fmt: skip
            lines += ["", table.title, "", *align(table.columns, rows)]
        notes = [note for section in self.sections for note in section.notes if note != _CHOOSE_MARGIN]
        return "\n".join([*lines, "", *wrap(*notes, indent="  ")]) + "\n"


def threshold_report(
    questions: checks.Points,
    documents: checks.Points,
    gold: checks.Gold,
    *,
    out_of_scope: checks.Points | None = None,
    groups: checks.Groups = None,
    at: float | None = None,
    margin: float = 0.02,
    metric: str = "accuracy",
    k: int = 10,
    hide: str = "documents",
    confidence_level: float = 0.95,
) -> ThresholdPage:
    """Return the page of the command threshold: a threshold of cosines, its cost, and other margins.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Vectors of one model.
    gold : array-like or mapping
        The relevant documents of each question: a position from 0, a list of positions, or a mapping from
        positions of questions to positions of documents or to their grades (see `retrieval.relevant_ranks`).
    out_of_scope : array-like of shape (M, n), optional
        Vectors of questions that no document answers.
    groups : array-like of shape (Q,), optional
        Group label of each question, if questions of a group are alike.
    at : float, optional
        Another cosine, whose cost the first sentence reports.
    margin, metric, hide, confidence_level
        Options of `retrieval.similarity_threshold`.
    k : int, default 10
        Number of documents for each question.

    Returns
    -------
    ThresholdPage
        ``page.best.threshold`` is the cosine to use, ``page.at`` the cost of yours, and
        ``page.to_frame()`` a table of both. ``page.write("page.html")`` writes the page.

    Raises
    ------
    TypeError, ValueError
        If vectors or options are invalid, gold seems wrong, or questions are too few; or if over 1% of them
        repeat earlier ones in another group.

    Notes
    -----
    Thresholds are cosines, from −1 to 1, so positive factors on rows change nothing. The guarantee, its
    source, and its conditions are those of `retrieval.similarity_threshold`. Cost: O(Q N n) time.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report import threshold_report
    >>> documents = np.random.default_rng(0).standard_normal((300, 32))
    >>> page = threshold_report(documents[:200] + 0.1, documents, np.arange(200), at=0.5)
    >>> page.at.is_within_margin, page.best.n_questions
    (True, 200)
    """
    arrays = {"questions": questions, "documents": documents, "out_of_scope": out_of_scope}
    points = {name: checks.as_points(array, name) for name, array in arrays.items() if array is not None}
    k = checks.check_integer(k, "k", low=1)
    at = None if at is None else checks.check_real(at, "at", low=-1.0, high=1.0)
    options = {"margin": margin, "metric": metric, "hide": hide, "confidence_level": confidence_level}
    return page_of_search(points, gold, groups, k=k, at=at, name="threshold", files={}, **options)


def threshold_of_pairs(
    similarities: npt.ArrayLike,
    labels: checks.Groups,
    *,
    at: float | None = None,
    margin: float = 0.02,
    confidence_level: float = 0.95,
    name: str = "pairs",
) -> ThresholdPage:
    """Return the page of the command threshold for scored pairs: which pairs to reject, and its cost.

    Parameters
    ----------
    similarities : array-like of shape (N,)
        Similarity of each pair; higher is more similar.
    labels : array-like of shape (N,)
        Whether each pair belongs together: booleans, 1 and 0, or the words yes and no.
    at : float, optional
        Another threshold, whose cost the first sentence reports.
    margin : float, default 0.02
        Maximum fraction of all pairs that belong together to be lost, in (0, 1).
    confidence_level : float, default 0.95
        Confidence level of the guarantee.
    name : str, default "pairs"
        Name in the title of the page.

    Returns
    -------
    ThresholdPage
        As from `threshold_report`; its questions are the pairs that belong together.

    Raises
    ------
    TypeError, ValueError
        If the arrays differ in length or contain other values, or the pairs that belong together are too few.

    Notes
    -----
    Pairs must be an independent sample of those to come. The bound is that of Clopper and Pearson, as in
    `retrieval.similarity_threshold`. Cost: O(N log N) time.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report import threshold_of_pairs
    >>> similarities = np.linspace(0, 1, 500)
    >>> page = threshold_of_pairs(similarities, similarities > 0.4, at=0.5)
    >>> page.best.threshold, page.at.is_within_margin
    (0.4028, False)
    """
    values = checks.as_array(similarities, "similarities", ndim=1)
    words = [str(label).strip().lower() for label in np.asarray(labels).ravel().tolist()]
    if len(values) != len(words) or not set(words) <= set(LABELS):
        other = next((f", such as {word!r}," for word in words if word not in LABELS), "")
        raise ValueError(
            f"labels has {len(words)} entries{other} for {len(values)} pairs; expected 1 or 0, yes or no, or "
            "true or false for each pair, after the similarities"
        )
    together = np.array([LABELS[word] for word in words])
    checks.raise_if_not_finite(values, "similarities")
    yes, no = (np.asarray(values[together == label], dtype=np.float64) for label in (1, 0))
    at = None if at is None else checks.check_real(at, "at", low=-math.inf, high=math.inf)
    return page_of_pairs(yes, no, name=name, at=at, margin=margin, confidence_level=confidence_level)


def page_of_pairs(
    yes: npt.NDArray[np.float64], no: npt.NDArray[np.float64], *, name: str, **options: Any
) -> ThresholdPage:
    """Return the page for the similarities of the pairs that belong together, and of all others."""
    if not yes.size:
        raise ValueError(f"{name} has no pair that belongs together; expected at least one")
    both, doubts = np.concatenate([yes, no]), []
    if (at := options.get("at")) is not None and not both.min() < at <= both.max():
        text = f"{at:g} separates nothing: the similarities are from {both.min():g} to {both.max():g}."
        doubts = [Caution("other_scale", text)]
    ones = np.ones((yes.size, 1), dtype=np.int64)
    return threshold_page(
        yes[:, None], RelevantRanks(ones, ones, ones - 1), name=name, out_of_scope=no if no.size else None,
        pairs=True, metric="accuracy", hide="documents", doubts=doubts, **options,
    )  # fmt: skip


def page_of_search(
    arrays: Mapping[str, Any], gold: checks.Gold, groups: checks.Groups, *, k: int, **options: Any
) -> ThresholdPage:
    """Return the page for the vectors of questions, documents, and perhaps out-of-scope questions."""
    documents, gold, n_zero = drop_zero_rows(
        arrays["documents"], gold, len(arrays["questions"]), zero_rows(arrays["documents"])
    )
    arrays = {**arrays, "documents": documents}
    ranks, warnings = ranks_and_warnings(arrays["questions"], documents, gold, k)
    if k > (n := len(arrays["documents"])):
        raise ValueError(f"k is {k}, more than the {n:,} documents; expected at most {n}")
    best = retrieval.top_k(arrays["questions"], arrays["documents"], k)
    doubts = [Caution(key, text) for key, text in warnings.items()]
    once = "" if groups is None else ", in which repeats share a group"
    doubts += search_cautions([arrays["questions"]], groups, advice=f", or use {option('groups')}{once}")
    repeats = count_duplicates(row_hashes(documents)).n_duplicates
    if repeats > 0.1 * n:
        text = TEXTS["repeated_documents_here"].format(count=repeats, total=n, k=k)
        doubts.append(Caution("repeated_documents", text))
    if n_zero:
        zeros = count_text(n_zero, "zero document")
        doubts.append(Caution("zero_documents", f"The search leaves out {zeros} relevant to no question."))
    outside = n_distinct = None
    if "out_of_scope" in arrays:
        if text := repeated_questions([arrays["out_of_scope"]], answered=False):
            doubts.append(Caution("other_questions", f"Out of scope: {text}."))
        if np.array_equal(arrays["out_of_scope"], arrays["questions"]):
            doubts.append(Caution("other_questions", TEXTS["equal_questions"]))
        n_distinct = np.unique(row_hashes(arrays["out_of_scope"])).size
        with rename_in_errors({"questions": "out_of_scope"}):
            outside = retrieval.top_k(arrays["out_of_scope"], arrays["documents"], 1).similarities[:, 0]
    return threshold_page(
        best.similarities, ranks, groups=groups, out_of_scope=outside, doubts=doubts, distinct=n_distinct,
        **options,
    )  # fmt: skip


def threshold_page(
    similarities: npt.NDArray[np.float64],
    ranks: RelevantRanks,
    *,
    name: str,
    groups: npt.NDArray[Any] | None = None,
    out_of_scope: npt.NDArray[np.float64] | None = None,
    at: float | None = None,
    pairs: bool = False,
    distinct: int | None = None,
    doubts: Sequence[Caution] = (),
    files: Mapping[str, Any] = MappingProxyType({}),
    **options: Any,
) -> ThresholdPage:
    """Return the threshold page; `options` are the options of `similarity_threshold`.

    `at` is another threshold, whose cost the page reports; with `pairs`, the page calls the questions pairs.
    `distinct` is the number of distinct out-of-scope questions, `doubts` contains warnings about the
    questions, and `files` contains the names of the files.
    """
    n_questions = len(similarities)
    labels = np.arange(n_questions) if groups is None else as_groups(groups, n_questions)

    def choose(margin: float, every: int = 1, **changes: str) -> SimilarityThreshold:
        selected = labels % every == 0
        subset = RelevantRanks(ranks.ranks[selected], ranks.grades[selected], ranks.documents[selected])
        return similarity_threshold(
            similarities[selected], subset, groups=None if groups is None else labels[selected],
            out_of_scope=out_of_scope, **(options | {"margin": margin} | changes),
        )  # fmt: skip

    if any(caution.key in (*GOLD_DOUBTS, "repeated_questions") for caution in doubts):
        raise ValueError(" ".join(caution.text for caution in doubts if caution.grave))
    margin = checks.check_real(options["margin"], "margin", low=0, high=1, open_low=True, open_high=True)
    level = checks.check_confidence_level(options["confidence_level"])
    check_metric(options["metric"], similarities.shape[1])
    checks.check_option(options["hide"], "hide", thresholds.HIDES)
    judged = similarities if options["hide"] == "documents" else similarities[:, :1]
    setup = SimpleNamespace(
        k=similarities.shape[1], metric=options["metric"], hide=options["hide"], n_questions=n_questions,
        n_groups=None if groups is None else int(labels.max()) + 1, level=level,
        pairs=pairs, at=at, margin=margin, similarities=judged, lowest=judged.min(),
    )  # fmt: skip
    losses = _loss_function(similarities, ranks, labels, setup)
    at_result = None if at is None else _measure_at(at, losses, setup, out_of_scope)
    first = () if at_result is None else (_sentence_at(at_result, setup),)
    try:
        result = PairThreshold(**vars(choose(margin))) if pairs else choose(margin)
    except ValueError as error:
        text = str(error).replace("questions", "pairs that belong together", 1) if pairs else str(error)
        text = text.replace("question", "pair") if pairs else text
        grave_texts = [caution.text for caution in doubts if caution.grave]
        raise ValueError(" ".join(grave_texts or [*first, text])) from error
    unit = "pairs" if pairs else "questions" if groups is None else "groups"
    columns: tuple[str, ...] = _PAIR_COLUMNS if pairs else _COLUMNS
    columns = columns if out_of_scope is not None else columns[:-1]

    def row(other_margin: float, every: int = 1) -> tuple[Value, ...]:
        """Return the cells of a row, all of them missing if no threshold satisfies the guarantee."""
        try:
            other = choose(other_margin, every)
        except ValueError:
            return (None,) * len(columns)
        hidden = () if pairs else (other.suppressed,)  # for pairs, these are the lost pairs
        cells = (other.threshold, other.loss, other.loss_bound, *hidden, other.rejected)
        return cells[: len(columns)]

    rows = tuple((other, *row(other)) for other in sorted({*_MARGINS, margin}))
    title = "Results for other margins (–: none can be shown)"
    tables = [Table("margins", title, ("margin", *columns), rows)]
    if out_of_scope is not None:
        limits = [_rejecting_limit(out_of_scope, share) for share in _REJECTED]
        ways = {"": losses}
        if not pairs and setup.hide == "documents":
            lists = SimpleNamespace(**{**vars(setup), "hide": "lists"})
            ways[", whole lists"] = _loss_function(similarities, ranks, labels, lists)
        costs = [[_measure_at(limit, loss_at, setup, None) for loss_at in ways.values()] for limit in limits]
        rows = tuple((share, limit, *(x for cost in both for x in (cost.loss, cost.loss_bound)))
                     for share, limit, both in zip(_REJECTED, limits, costs, strict=True))  # fmt: skip
        title = TEXTS["rejecting_pairs" if pairs else "rejecting"]
        more = [f"{name}{way}" for way in ways for name in _COLUMNS[1:3]]
        tables.append(Table("rejecting", title, ("reject", "threshold", *more), rows))
    rows = tuple((int(-(-(labels.max() + 1) // every)), *row(margin, every)) for every in (1, 2, 4))
    title = f"Results for every second and fourth of the {unit} (–: none can be shown)"
    tables.append(Table("fewer", title, (unit, *columns), rows))
    notes: tuple[str, ...] = (TEXTS["threshold_of_pairs"],)
    if not pairs:
        notes = (
            TEXTS["threshold_applies"],
            TEXTS["threshold_assumes"].format(unit=unit) + TEXTS["use_groups"] * (groups is None),
            TEXTS["cosines"],
            TEXTS["threshold_benefit"],
        )
    text = " ".join(str(result).split()).replace(" with a similarity below ", " below a cosine of ")
    text = text.replace(" has a similarity below ", " is below a cosine of ")
    fixed = {"metric": None, "hide": None} if pairs else {"k": result.k}
    settings = {"at": at} | options | fixed | dict(files)
    extra, separation, higher = [], "", 0.0
    if out_of_scope is None and not pairs:
        extra.append(TEXTS["no_benefit"].format(option=option("out_of_scope")))
    if out_of_scope is not None:
        higher = 1.0 - (result.auc or 0.0)
        if pairs and higher > 1.0 - _MAX_HIGHER:
            raise ValueError(TEXTS["is_distance"].format(higher=higher))
        separation = _separation_sentence(higher, pairs)
        extra += [separation] * pairs
        if distinct is not None and distinct < out_of_scope.size:
            text = re.sub(r"(?<= out-of-scope questions)(?=,)", f" ({distinct:,} distinct)", text)
    if result.rejected is not None and not pairs and result.hide == "documents":
        other = choose(margin, hide="lists")
        if other.rejected_low is not None and other.rejected_low > (result.rejected_low or 0.0):
            values = {"how": setting("hide", "lists"), "rejected": other.rejected}
            extra.append(TEXTS["hide_lists"].format(**values, threshold=other.threshold))
    if higher > _MAX_HIGHER:
        doubts = [Caution("no_separation", separation), *doubts]
        extra = extra[pairs:]
    return ThresholdPage(
        name=name,
        program=program(),
        options={key: value for key, value in settings.items() if value is not None},
        summary=(*grave(doubts), *first, text, *extra),
        cautions=tuple(doubts),
        sections=(
            Section("similarities", "Similarities", gallery=True,
                    figures=_figures(similarities, losses, out_of_scope, result, setup)),
            Section("choices", "Other choices", tables=tuple(tables), notes=(_CHOOSE_MARGIN, *notes)),
        ),
        best=result,
        at=at_result,
    )  # fmt: skip


def _separation_sentence(higher: float, pairs: bool) -> str:
    """Return a sentence on how often a question that has no answer, or a wrong pair, has a higher number."""
    phrase = TEXTS["higher_pair" if pairs else "higher_outside"].format(higher=higher)
    if higher <= _MAX_HIGHER:
        return f"Here, {phrase}."
    nouns = ("pairs", "numbers") if pairs else ("questions", "best cosines")
    return TEXTS["no_threshold"].format(what=nouns[0], numbers=nouns[1], said=phrase, most=_MAX_HIGHER)


LossAt = Callable[[float], tuple[float, int]]


def _loss_function(
    similarities: npt.NDArray[np.float64], ranks: RelevantRanks, labels: npt.NDArray[np.intp], setup: Any
) -> LossAt:
    """Return a function that maps a threshold to its loss and to the number of questions without a result."""
    k, metric = similarities.shape[1], setup.metric
    full_scores = judged_scores(ranks.ranks, ranks.grades, metric, k)

    def loss_at(threshold: float) -> tuple[float, int]:
        n_shown = (similarities >= threshold).sum(axis=1)
        n_shown = n_shown if setup.hide == "documents" else np.where(n_shown > 0, k, 0)
        ranks_shown = np.where(ranks.ranks <= n_shown[:, None], ranks.ranks, 0)
        losses = full_scores - judged_scores(ranks_shown, ranks.grades, metric, k)
        return float((np.bincount(labels, losses) / np.bincount(labels)).mean()), int((n_shown == 0).sum())

    return loss_at


def _measure_at(
    limit: float, loss_at: LossAt, setup: Any, out_of_scope: npt.NDArray[np.float64] | None
) -> ThresholdCost:
    """Return the loss of another threshold on these questions, and a bound on its loss for all questions."""
    loss, n_empty = loss_at(limit)
    rejected = None if out_of_scope is None else float((out_of_scope < limit).mean())
    bound = _loss_bound(loss, setup)
    before = loss_at(math.inf)[0]  # hiding everything loses all of it
    hidden = float((setup.similarities < limit).mean())
    within = bound <= setup.margin
    return ThresholdCost(limit, before, before - loss, loss, bound, within, n_empty, rejected, hidden)


def _rejecting_limit(out_of_scope: npt.NDArray[np.float64], share: float) -> float:
    """Return a threshold of about four digits above at least a fraction `share` of the numbers."""
    highest = np.sort(out_of_scope)[math.ceil(share * out_of_scope.size) - 1]
    digits = min(4 - math.ceil(math.log10(np.abs(out_of_scope).max() or 1.0)), 300)
    step = math.floor(highest * 10.0**digits) + 1
    while (limit := round(step / 10.0**digits, digits)) <= highest:  # rounding may lead back to the number
        step += 1
    return float(limit)


def _sentence_at(at: ThresholdCost, setup: Any) -> str:
    """Return a sentence about another threshold."""
    is_high = 1.0 - _loss_bound(1.0 - at.loss, setup) > setup.margin
    within = "is within" if at.is_within_margin else "is not shown to be within"
    values = {"within": "is too high for" if is_high else within, "lost": round(at.loss * setup.n_questions)}
    rejected = "" if at.rejected is None else f"{at.rejected:.1%} of the"
    values |= vars(setup) | vars(at) | {"rejects": rejected and f" and rejects {rejected} other pairs"}
    if setup.pairs:
        return TEXTS["at_of_pairs"].format(**values) + " No matching pair reaches it." * (at.loss >= 1.0)
    change = f"falls by {at.loss:.4f}, from {at.before:.4f} to" if at.loss else "stays at"
    values |= {"change": change, "outside": rejected and f" and {rejected} questions out of scope"}
    return TEXTS["at_of_search" if at.hidden or at.rejected else "at_without_effect"].format(**values)


def _loss_bound(loss: float, setup: Any) -> float:
    """Return a bound on a threshold's loss for all questions, by the test that chooses thresholds."""
    is_accuracy = setup.metric == "accuracy" and setup.n_groups is None
    test = thresholds.binomial if is_accuracy else thresholds.hoeffding_bentkus
    n = setup.n_groups or setup.n_questions
    return thresholds.upper_bound(test, loss, n, 1.0 - setup.level)


def _loss_figure(
    loss_at: LossAt,
    out_of_scope: npt.NDArray[np.float64] | None,
    result: SimilarityThreshold,
    across: drawing.Axis,
    setup: Any,
) -> Figure:
    """Draw the loss as a function of the threshold, with a pointwise bound, and the fraction rejected."""
    limits = np.linspace(across.low, across.high, 101)
    losses = np.array([loss_at(limit)[0] for limit in limits])
    bounds = np.array([_loss_bound(loss, setup) for loss in losses])
    unit, loss = ("pairs", "matching pairs") if setup.pairs else ("questions", f"{result.metric}@{result.k}")
    curves = {"curve": (f"these {unit}", losses), "even": (f"bound for all {unit}", bounds)}
    if out_of_scope is not None:
        rejected = np.array([(out_of_scope < limit).mean() for limit in limits])
        curves["second"] = ("non-matching rejected" if setup.pairs else "out of scope rejected", rejected)
    highest = max(float(values.max()) for _, values in curves.values())
    panel = drawing.Panel(across, drawing.Axis(0.0, 1.05 * highest), n_rows=-(-len(curves) // 2))
    ticks, up = ({t: f"{t:.3g}" for t in axis.ticks(5)} for axis in (panel.across, panel.up))
    panel.grid(across=ticks, up=up)
    for kind, (_, values) in curves.items():
        panel.line(limits, values, kind)
    marked = [result.threshold] + [setup.at] * (setup.at is not None)
    for i, limit in enumerate(marked):  # the curves rise to the right, so there is room on the left
        panel.marks(limit, loss_at(limit)[0], "circle", "mark")
        x, y = float(panel.x(limit)) - 34, float(panel.y(loss_at(limit)[0])) - 13 - 14 * i
        panel.text(max(x, float(panel.x(across.low))), y, f"{limit:.3g}", kind="")
    panel.legend([(kind, name) for kind, (name, _) in curves.items()], columns=2)
    alt = TEXTS["losses"].format(loss=loss, unit=unit, marks=" and ".join(map(str, marked)))
    return panel.figure(
        "losses", "What each threshold costs", alt, across="threshold", up=f"loss of {loss}",
        data={"threshold": limits.tolist(), "loss": losses.tolist(), "bound": bounds.tolist()},
    )  # fmt: skip


def _figures(
    similarities: npt.NDArray[np.float64],
    loss_at: LossAt,
    out_of_scope: npt.NDArray[np.float64] | None,
    result: SimilarityThreshold,
    setup: Any,
) -> tuple[Figure, ...]:
    best, threshold, pairs = similarities[:, 0], result.threshold, setup.pairs
    first, second = ("matching", "non-matching") if pairs else ("questions", "out of scope")
    title = "Similarity of the pairs" if pairs else "Similarity of the best document"
    samples = {first: best} | ({} if out_of_scope is None else {second: out_of_scope})
    limits = [threshold] + [setup.at] * (setup.at is not None)
    low, high = np.quantile(np.concatenate([*samples.values(), limits]), [0, 1]).tolist()
    if low == high:
        return ()
    across, edges = drawing.Axis(low, high), np.linspace(low, high, 41)
    lowest = min(low, float(similarities.min()))
    shares = {name: np.histogram(values, edges)[0] / values.size for name, values in samples.items()}
    top = max(float(heights.max()) for heights in shares.values())
    alt, below = f"{title}{'' if pairs else ' of each question'}.", {}
    for limit in limits:
        below[str(limit)] = {name: float((values < limit).mean()) for name, values in samples.items()}
        fractions = " and ".join(f"{share:.1%} ({name})" for name, share in below[str(limit)].items())
        alt += f" Below {limit:.4g} are {fractions}."
    line = ("threshold", np.array([threshold, threshold]), np.array([0.0, top]))
    panel = drawing.histogram(edges, shares, across=across, top=top, expected=line)
    for i, limit in enumerate(limits):
        if i:  # the first is the dashed line of the legend
            panel.line([limit, limit], [0.0, top], "even")
        x = float(panel.x(limit)) + (4 if limit < (low + high) / 2.0 else -36)
        panel.text(x, panel.top + 7 + 14 * i, f"{limit:.3g}", kind="")
    return (
        panel.figure(
            "similarities", title, alt, data={"below": below},
            across="similarity", up="fraction",
        ),
        _loss_figure(loss_at, out_of_scope, result, drawing.Axis(lowest, high), setup),
    )  # fmt: skip
