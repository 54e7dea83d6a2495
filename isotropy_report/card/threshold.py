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

from isotropy_lab.retrieval import similarity_threshold, thresholds
from isotropy_lab.retrieval._checks import as_groups
from isotropy_lab.retrieval.relevance import RelevantRanks, judged_scores
from isotropy_lab.retrieval.thresholds import SimilarityThreshold
from isotropy_report._output import align, program
from isotropy_report.card import drawing
from isotropy_report.card.card import Page, wrap
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import Caution, Figure, Section, Table, Value, grave
from isotropy_report.card.words import counted, plain

_MARGINS = (0.01, 0.02, 0.05, 0.1)
_ORDER = TEXTS["choose_margin"]
_COLUMNS = ("threshold", "lost here", "may lose", "documents hidden", "out of scope rejected")
_ALIKE = 0.4
"""Above this fraction of pairs in the wrong order, no threshold separates two kinds of questions."""

_OF_PAIRS = ("threshold", "lost here", "may lose", "non-matching rejected")


@dataclasses.dataclass(frozen=True, repr=False)
class ThresholdPage(Page):
    """A threshold, with the thresholds for other margins and for fewer questions."""

    KIND: ClassVar[str] = "Threshold of similarity"
    JSON_KIND: ClassVar[str] = "threshold"
    LOOKED: ClassVar[bool] = False

    threshold: SimilarityThreshold | None = None
    at: dict[str, float | None] | None = None

    def to_text(self, *, remarks: bool = True) -> str:
        """Return the summary, the other margins, and the limits of the guarantee, or only the threshold."""
        if not remarks and self.threshold is not None:
            return f"{self.threshold.threshold!r}\n"
        doubts = (f"Beware: {one.text}" for one in self.cautions if not one.grave)
        lines = [*wrap(*self.summary, *doubts), "", *wrap(_ORDER)]
        table = self.section("choices").tables[0]
        rows = [[plain(cell) for cell in row] for row in table.rows]
        lines += ["", table.title, "", *align(table.columns, rows)]
        notes = [note for section in self.sections for note in section.notes if note != _ORDER]
        return "\n".join([*lines, "", *wrap(*notes, indent="  ")]) + "\n"


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

    `at` is another threshold, whose cost the page reports; with `pairs`, the page calls the questions pairs;
    `distinct` is the number of distinct out-of-scope questions; `doubts` are warnings about the questions,
    and `files` names the files that were read.
    """
    n_questions = len(similarities)
    labels = np.arange(n_questions) if groups is None else as_groups(groups, n_questions)

    def choose(margin: float, part: int = 1, **other: str) -> SimilarityThreshold:
        some = labels % part == 0
        chosen = RelevantRanks(ranks.ranks[some], ranks.grades[some], ranks.documents[some])
        return similarity_threshold(
            similarities[some], chosen, groups=None if groups is None else labels[some],
            out_of_scope=out_of_scope, **(options | {"margin": margin} | other),
        )  # fmt: skip

    margin = float(options["margin"])
    asked = SimpleNamespace(
        k=similarities.shape[1], metric=options["metric"], hide=options["hide"], n_questions=n_questions,
        n_groups=None if groups is None else int(labels.max()) + 1, level=float(options["confidence_level"]),
        pairs=pairs, at=at, margin=margin,
    )  # fmt: skip
    of = _losses(similarities, ranks, labels, asked)
    other = None if at is None else _at(at, of, asked, out_of_scope)
    first = () if other is None else (_said_at(other, of, asked),)
    try:
        found = choose(margin)
    except ValueError as error:
        said = str(error).replace("questions", "pairs that belong together", 1) if pairs else str(error)
        said = said.replace("question", "pair") if pairs else said
        doubted = [one.text for one in doubts if one.grave]
        raise ValueError(" ".join(doubted or [*first, said])) from error
    unit = "pairs" if pairs else "questions" if groups is None else "groups"
    columns = _OF_PAIRS if pairs else _COLUMNS

    def row(one: float, part: int = 1) -> tuple[Value, ...]:
        """Return the cells of a row, all of them missing if no threshold satisfies the guarantee."""
        try:
            new = choose(one, part)
        except ValueError:
            return (None,) * len(columns)
        hidden = () if pairs else (new.suppressed,)  # for pairs, these are the lost pairs
        return (str(new.threshold), new.loss, new.loss_bound, *hidden, new.rejected)

    tables = (
        Table("margins", "Results for other margins (–: too few)", ("margin", *columns),
              tuple((f"{one:g}", *row(one)) for one in sorted({*_MARGINS, margin}))),
        Table("fewer", f"Results for every second and fourth of the {unit} (–: too few)", (unit, *columns),
              tuple((int(-(-(labels.max() + 1) // part)), *row(margin, part)) for part in (1, 2, 4))),
    )  # fmt: skip
    notes: tuple[str, ...] = (TEXTS["threshold_of_pairs"],)
    if not pairs:
        notes = (
            TEXTS["threshold_applies"],
            f"It assumes that the {unit} are independent, and so are the questions out of scope."
            + " If several questions come from one source, put them into groups." * (groups is None)
            + " Keep only one question out of scope from each source." * (out_of_scope is not None),
            "Similarities are cosines, which are inner products of normalized vectors.",
            TEXTS["threshold_benefit"],
        )
    said = " ".join(str(found).split()).replace(" with a similarity below ", " below a cosine of ")
    said = said.replace(" has a similarity below ", " is below a cosine of ")
    said = _of_pairs(found) if pairs else said
    settings = {"k": found.k, "at": at} | options | dict(files)
    more, apart, higher = [], "", 0.0
    if out_of_scope is not None:
        higher = 1.0 - (found.auc or 0.0)
        apart = _apart(higher, pairs)
        more += [apart] * pairs
        if distinct is not None and distinct < out_of_scope.size:
            said = re.sub(r"(?<= out-of-scope questions)(?=,)", f" ({distinct:,} distinct)", said)
    if found.rejected is not None and not pairs and found.hide == "documents":
        lists = choose(margin, hide="lists")
        if lists.rejected_low is not None and lists.rejected_low > (found.rejected_low or 0.0):
            more.append(TEXTS["hide_lists"].format(rejected=lists.rejected, threshold=lists.threshold))
    if higher > _ALIKE:  # the second sentence, or the first if the numbers are distances
        rule, _, rest = said.partition(". ")
        parts = [f"{rule}.", rest]
        parts.insert(0 if _are_distances(higher, pairs) else 1, apart)
        said, *more = parts + more[pairs:]
    return ThresholdPage(
        name=name,
        program=program(),
        options={key: value for key, value in settings.items() if value is not None},
        summary=(*grave(doubts), *first, said, *more),
        cautions=tuple(doubts),
        sections=(
            Section("similarities", "Similarities", gallery=True,
                    figures=_figures(similarities, of, out_of_scope, found, asked)),
            Section("choices", "Other choices", tables=tables, notes=(_ORDER, *notes)),
        ),
        threshold=found,
        at=other,
    )  # fmt: skip


def _apart(higher: float, pairs: bool) -> str:
    """Return a sentence on how often a question that has no answer, or a wrong pair, has a higher number."""
    said = TEXTS["higher_pair" if pairs else "higher_outside"].format(higher=higher)
    if higher <= _ALIKE:
        return f"Here, {said}."
    key = "is_distance" if _are_distances(higher, pairs) else "no_threshold"
    what = ("pairs", "numbers") if pairs else ("questions", "best cosines")
    return TEXTS[key].format(what=what[0], numbers=what[1], said=said, most=_ALIKE)


def _are_distances(higher: float, pairs: bool) -> bool:
    """Return whether most pairs that belong together have the lower number."""
    return pairs and higher > 1.0 - _ALIKE


def _of_pairs(found: SimilarityThreshold) -> str:
    """Return a sentence that says which pairs to accept, and the bound on the cost."""
    said = f"Reject pairs below {found.threshold}. With {100 * found.confidence_level:g}% confidence, this "
    said += f"loses at most {found.margin:g} of all pairs that belong together; it loses {found.loss:.4f} of "
    said += f"these {found.n_questions:,} pairs."
    if found.rejected is not None:
        said += f" It rejects {found.rejected:.1%} of {found.n_out_of_scope:,} pairs that do not belong "
        said += (
            f"together (at least {found.rejected_low:.1%} of all such pairs)."
            if found.rejected_low
            else "together."
        )
    return said


Loss = Callable[[float], tuple[float, int]]


def _losses(
    similarities: npt.NDArray[np.float64], ranks: RelevantRanks, labels: npt.NDArray[np.intp], found: Any
) -> Loss:
    """Return a function that maps a threshold to its loss and to the number of questions without a result."""
    k, metric = similarities.shape[1], found.metric
    full = judged_scores(ranks.ranks, ranks.grades, metric, k)

    def of(limit: float) -> tuple[float, int]:
        shown = (similarities >= limit).sum(axis=1)
        shown = shown if found.hide == "documents" else np.where(shown > 0, k, 0)
        kept = np.where(ranks.ranks <= shown[:, None], ranks.ranks, 0)
        lost = full - judged_scores(kept, ranks.grades, metric, k)
        return float((np.bincount(labels, lost) / np.bincount(labels)).mean()), int((shown == 0).sum())

    return of


def _at(
    limit: float, of: Loss, found: Any, outside: npt.NDArray[np.float64] | None
) -> dict[str, float | None]:
    """Return the loss of another threshold on these questions, and a bound on its loss for all questions."""
    loss, n_empty = of(limit)
    rejected = None if outside is None else float((outside < limit).mean())
    bound = _bound(loss, found)
    return {"threshold": limit, "loss": loss, "loss_bound": bound, "n_empty": n_empty, "rejected": rejected}


def _said_at(at: dict[str, Any], of: Loss, asked: Any) -> str:
    """Return a sentence about another threshold."""
    within = "is within" if at["loss_bound"] <= asked.margin else "is too high for"
    said = f"A threshold of {at['threshold']:g} {within} a margin of {asked.margin:g}: "
    bound = f"at most {at['loss_bound']:.4f}"
    rejected = "" if at["rejected"] is None else f"{at['rejected']:.1%} of the"
    if asked.pairs:
        said += f"it loses {at['loss']:.4f} of the pairs that belong together "
        said += f"(with {asked.level:.0%} confidence {bound} of all such pairs, if chosen without these)"
        return f"{said}{rejected and f' and rejects {rejected} other pairs'}."
    before = of(math.inf)[0]  # hiding everything loses all of it
    said += f"{asked.metric}@{asked.k} falls from {before:.4f} to {before - at['loss']:.4f} "
    said += f"(with {asked.level:.0%} confidence by {bound} for all such questions, if the threshold was "
    said += "chosen without these), and "
    said += f"nothing is returned for {counted(at['n_empty'], 'question')}"
    return f"{said}{rejected and f' and {rejected} questions out of scope'}."


def _bound(loss: float, found: Any) -> float:
    """Return a bound on a threshold's loss for all questions, computed by the test that chose `found`."""
    hits = found.metric == "accuracy" and found.n_groups is None
    test = thresholds.binomial if hits else thresholds.hoeffding_bentkus
    n = found.n_groups or found.n_questions
    return thresholds.upper_bound(test, loss, n, 1.0 - found.level)


def _loss_figure(of: Loss, found: SimilarityThreshold, low: float, high: float, asked: Any) -> Figure:
    """Draw the loss as a function of the threshold, with a pointwise bound for all questions."""
    limits = np.linspace(low, high, 101)
    losses = np.array([of(limit)[0] for limit in limits])
    bounds = np.array([_bound(loss, asked) for loss in losses])
    panel = drawing.Panel(drawing.Axis(low, high), drawing.Axis(0.0, 1.05 * float(bounds.max())))
    across, up = ({t: f"{t:.3g}" for t in axis.ticks(5)} for axis in (panel.across, panel.up))
    panel.grid(across=across, up=up)
    panel.line(limits, losses, "curve")
    panel.line(limits, bounds, "even")
    marked = [found.threshold] + [asked.at] * (asked.at is not None and low <= asked.at <= high)
    for i, limit in enumerate(marked):  # the curves rise to the right, so there is room on the left
        panel.marks(limit, of(limit)[0], "circle", "mark")
        x, y = float(panel.x(limit)) - 34, float(panel.y(of(limit)[0])) - 13 - 14 * i
        panel.text(max(x, float(panel.x(low))), y, f"{limit:.3g}", kind="")
    unit, loss = ("pairs", "matching pairs") if asked.pairs else ("questions", f"{found.metric}@{found.k}")
    panel.legend([("curve", f"these {unit}"), ("even", f"bound for all {unit}")], columns=2)
    marks = " and ".join(map(str, marked))
    alt = TEXTS["losses"].format(loss=loss, unit=unit, marks=marks)
    data = {"threshold": limits.tolist(), "loss": losses.tolist()}
    return panel.figure(
        "losses", "What each threshold costs", alt, data=data,
        across="threshold", up=f"loss of {loss}",
    )  # fmt: skip


def _figures(
    similarities: npt.NDArray[np.float64],
    of: Loss,
    outside: npt.NDArray[np.float64] | None,
    found: SimilarityThreshold,
    asked: Any,
) -> tuple[Figure, ...]:
    own, threshold, pairs = similarities[:, 0], found.threshold, asked.pairs
    first, second = ("matching", "non-matching") if pairs else ("questions", "out of scope")
    what = "Similarity of the pairs" if pairs else "Similarity of the best document"
    both = {first: own} | ({} if outside is None else {second: outside})
    low, high = np.quantile(np.concatenate(list(both.values())), [0, 1]).tolist()
    if low == high:
        return ()
    across, edges = drawing.Axis(low, high), np.linspace(low, high, 41)
    shares = {name: np.histogram(values, edges)[0] / values.size for name, values in both.items()}
    top = max(float(one.max()) for one in shares.values())
    below = {name: float((values < threshold).mean()) for name, values in both.items()}
    told = " and ".join(f"{share:.1%} ({name})" for name, share in below.items())
    alt = f"{what}{'' if pairs else ' of each question'}. The fraction below the threshold is {told}."
    line = ("threshold", np.array([threshold, threshold]), np.array([0.0, top]))
    panel = drawing.histogram(
        edges, shares, across=across, top=top, expected=line if low <= threshold <= high else None
    )
    if asked.at is not None and low <= asked.at <= high:
        panel.line([asked.at, asked.at], [0.0, top], "even")
        panel.text(float(panel.x(asked.at)) + 4, panel.top + 7, f"{asked.at:g}", kind="")
    return (
        panel.figure(
            "similarities", what, alt, data={"below": below},
            across="similarity", up="fraction",
        ),
        _loss_figure(of, found, float(similarities.min()), float(own.max()), asked),
    )  # fmt: skip
