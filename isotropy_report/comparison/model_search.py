"""Retrieval with several models on the same questions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab import retrieval
from isotropy_lab._core import checks
from isotropy_report.card.parts import Caution, Line, Section, Table, Value
from isotropy_report.card.rows import report_progress
from isotropy_report.card.search import repeated_questions, without_zero, zero_rows
from isotropy_report.card.words import errors_name_model, label_of
from isotropy_report.comparison.paired import ModelDifference, least_difference, not_shown_worse, verdict
from isotropy_report.measures.equal_rows import count_duplicates, row_hashes

_FIELDS = ("first", "second", "estimate", "low", "high", "pvalue", "pvalue_holm")
"""Columns of `compare_all_models` that are also fields of `ModelDifference`."""


_FEWEST_APART = 6
"""If fewer questions than this distinguish two models, no detectable difference is reported."""


@dataclasses.dataclass(frozen=True)
class Searched:
    """Retrieval with several models: the section, and the differences, scores, and best models by measure."""

    section: Section
    differences: tuple[ModelDifference, ...]
    tied: dict[str, tuple[str, ...]]
    scores: dict[str, dict[str, Line]]
    cautions: tuple[Caution, ...]


def search(
    questions: Mapping[str, Any],
    documents: Mapping[str, Any],
    gold: Any,
    k: int,
    level: float,
    rng: np.random.Generator,
) -> Searched:
    """Rank the documents for the questions with each model and compare all pairs on the same questions."""
    names = list(questions)
    zeros = {}
    for name in names:
        with errors_name_model(name):
            zeros[name] = zero_rows(documents[name])
    if (
        len({zero.size for zero in zeros.values()}) == 1
    ):  # then each document is left out for all models or for none
        anywhere: npt.NDArray[np.bool_] = np.logical_or.reduce(list(zeros.values()))
        zeros |= dict.fromkeys(names, anywhere)
    found = {}
    notes = []
    by_chance = {}
    for i, name in enumerate(names):
        report_progress("ranking documents", i, len(names))
        with errors_name_model(name):
            searched, right, n_zero = without_zero(documents[name], gold, len(questions[name]), zeros[name])
            found[name] = retrieval.relevant_ranks(questions[name], searched, right)
            # In a random order, each relevant document is among the first k of D with probability k/D.
            below = 1 - min(1.0, k / len(searched))
            by_chance[name] = float(np.mean(1 - below ** found[name].n_relevant))
        if n_zero:
            notes.append(
                f"{name} searches without {checks.how_many(n_zero, 'document')}, zero for a model and right "
                "for no question."
            )
    report_progress("ranking documents", len(names), len(names))
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
    for i, (key, metric, depth) in enumerate(metrics):
        report_progress("resampling questions", i, len(metrics))
        each = {name: retrieval.question_scores(ranks, metric, k=depth) for name, ranks in found.items()}
        lines = {}
        for name, ranks in found.items():
            one = retrieval.bootstrap_interval(ranks, metric=metric, k=depth, confidence_level=level, rng=rng)
            lines[name] = Line(key, one.estimate, one.low, one.high)
            rows.append((label_of(key), name, one.estimate, one.low, one.high))
        scores[key] = lines
        table = retrieval.compare_all_models(found, metric=metric, k=depth, confidence_level=level, rng=rng)
        here = []
        for row in table.to_dict("records"):
            change = each[row["first"]] - each[row["second"]]
            error = float(change.std(ddof=1)) / math.sqrt(change.size) if change.size > 1 else math.inf
            if row["method"] != "percentile":  # all questions have the same difference
                reach = max(row["high"] - row["estimate"], row["estimate"] - row["low"])
                error = reach / float(stats.norm.ppf(0.5 + level / 2))
            few = np.count_nonzero(change) < _FEWEST_APART
            least = math.inf if few else least_difference(error, math.inf, len(table), level)
            here.append(
                ModelDifference(
                    measure=key,
                    scale="difference",
                    least=least if math.isfinite(least) else None,
                    paired=True,
                    **{field: row[field] for field in _FIELDS},
                )
            )
        differences += here
        tied[key] = not_shown_worse({name: float(lines[name].value or 0.0) for name in names}, 1, here, level)
    report_progress("resampling questions", len(metrics), len(metrics))
    section = Section(
        "retrieval",
        "Retrieval, side by side",
        tables=(
            Table("retrieval", "Each model", ("measure", "model", "value", "low", "high"), tuple(rows)),
            difference_table("retrieval_differences", differences),
        ),
        notes=(
            f"{next(iter(sizes.values())):,} questions, the same for every model. Intervals and p-values by "
            "the bootstrap over questions; those of differences draw the same questions for both models and "
            "are not corrected for the number of pairs, p-values are (Holm). They are approximate, and too "
            "sure below some 50 questions. The least difference is for models that disagree as often as "
            "these.",
            *notes,
            *(verdict(key, best, scores[key], level) for key, best in tied.items()),
        ),
        folded=True,
    )
    repeats = max(count_duplicates(row_hashes(checks.as_points(one))).n_duplicates
                  for one in questions.values())  # fmt: skip
    chance = tuple(
        Caution(
            "found_by_chance",
            f"{name}: for {line.value:.1%} of the questions a right document is among the first {k}, and "
            f"about {by_chance[name]:.1%} would be by chance. Are its questions, documents and the gold in "
            "one order?",
        )
        for name, line in scores[f"accuracy@{k}"].items()
        if line.value is not None and (line.low or 0.0) <= by_chance[name] < 0.5
    )
    without = tuple(Caution("zero_documents", note) for note in notes)
    lost = (*repeated_questions(repeats), *without, *chance)
    return Searched(section, tuple(differences), tied, scores, lost)


def difference_table(key: str, differences: Sequence[ModelDifference]) -> Table:
    """Return the table of differences between models."""
    return Table(
        key,
        "Differences of all pairs",
        ("measure", "first", "second", "scale", "estimate", "low", "high", "p", "p (Holm)", "least"),
        tuple(
            (
                label_of(one.measure), one.first, one.second, one.scale,
                one.estimate, one.low, one.high, one.pvalue, one.pvalue_holm, one.least,
            )
            for one in differences
        ),
    )  # fmt: skip
