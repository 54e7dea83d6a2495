"""Retrieval with several models on the same questions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from isotropy_lab import retrieval
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import Caution, Line, Section, Table
from isotropy_report.card.rows import report_each
from isotropy_report.card.search import drop_zero_rows, interval_of_metric, search_cautions, zero_rows
from isotropy_report.card.words import count_text, label_of, name_model_in_errors
from isotropy_report.comparison.paired import ModelDifference, best_or_tied, least_difference, verdict
from isotropy_report.measures._checks import ranks_and_warnings

_FIELDS = ("first", "second", "estimate", "low", "high", "pvalue", "pvalue_holm")
"""Columns of `compare_all_models` that are also fields of `ModelDifference`."""

_MIN_DISCORDANT = 6
"""If fewer questions than this distinguish two models, no detectable difference is reported."""


@dataclasses.dataclass(frozen=True)
class RetrievalComparison:
    """Retrieval with several models: the section, and the differences, scores, and best models by measure."""

    sections: tuple[Section, ...] = ()
    differences: tuple[ModelDifference, ...] = ()
    tied: dict[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    scores: dict[str, dict[str, Line]] = dataclasses.field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()


def search(
    questions: Mapping[str, Any],
    documents: Mapping[str, Any],
    gold: Any,
    k: int,
    level: float,
    rng: np.random.Generator,
) -> RetrievalComparison:
    """Rank the documents for the questions with each model and compare all pairs on the same questions."""
    names = list(questions)
    zeros = {}
    for name in names:
        with name_model_in_errors(name):
            zeros[name] = zero_rows(documents[name])
    if len(set(map(len, zeros.values()))) == 1:  # documents are left out either for all models or for none
        zeros |= dict.fromkeys(names, np.asarray(np.any(list(zeros.values()), axis=0)))
    rankings, notes, doubts = {}, [], []
    for name in report_each(names, "ranking documents"):
        with name_model_in_errors(name):
            kept, new_gold, n_zero = drop_zero_rows(documents[name], gold, len(questions[name]), zeros[name])
            rankings[name], warnings = ranks_and_warnings(questions[name], kept, new_gold, k)
        doubts += [Caution(key, f"{name}: {text}") for key, text in warnings.items()]
        if n_zero:
            notes.append(TEXTS["without_zeros"].format(name=name, count=count_text(n_zero, "document")))
    n_questions = len(rankings[names[0]].best)
    if any(len(ranks.best) != n_questions for ranks in rankings.values()):
        sizes = ", ".join(f"{name} {len(ranks.best):,}" for name, ranks in rankings.items())
        raise ValueError(
            f"questions has different numbers of rows ({sizes}); expected the same questions for every model"
        )
    several_relevant = any(bool((ranks.n_relevant > 1).any()) for ranks in rankings.values())
    metrics: list[tuple[str, str, int | None]] = [
        *((f"accuracy@{depth}", "accuracy", depth) for depth in dict.fromkeys((1, k))),
        *([(f"recall@{k}", "recall", k)] if several_relevant else []),
        (f"ndcg@{k}", "ndcg", k),
        ("mrr", "mrr", None),
    ]
    scores: dict[str, dict[str, Line]] = {}
    differences: list[ModelDifference] = []
    tied = {}
    seed = int(rng.integers(2**32))  # the same samples of questions for all models and metrics
    for key, metric, depth in report_each(metrics, "resampling questions"):
        options: dict[str, Any] = {"metric": metric, "k": depth, "confidence_level": level, "rng": rng}
        values = {name: retrieval.question_scores(ranks, metric, k=depth) for name, ranks in rankings.items()}
        lines = scores[key] = {}
        for name, ranks in rankings.items():
            lines[name] = Line(key, *interval_of_metric(ranks, **options | {"rng": seed}))
        table = retrieval.compare_all_models(rankings, **options)
        pairs = []
        for row in table.to_dict("records"):
            change = values[row["first"]] - values[row["second"]]
            error = float(change.std(ddof=1)) / math.sqrt(change.size) if change.size > 1 else math.inf
            if row["method"] == "wilson":  # all questions have the same difference
                half_width = max(row["high"] - row["estimate"], row["estimate"] - row["low"])
                error = half_width / float(stats.norm.ppf(0.5 + level / 2))
            least: float | None = None
            if np.count_nonzero(change) >= _MIN_DISCORDANT:
                least = least_difference(error, math.inf, len(table), level)
            fields = {field: row[field] for field in _FIELDS}
            pairs.append(ModelDifference(measure=key, scale="difference", least=least, paired=True, **fields))
        differences += pairs
        tied[key] = best_or_tied({name: float(lines[name].value or 0.0) for name in names}, 1, pairs, level)
    rows = tuple(
        (label_of(key), name, line.value, line.low, line.high)
        for key, lines in scores.items()
        for name, line in lines.items()
    )
    section = Section(
        "retrieval",
        "Retrieval, side by side",
        tables=(
            Table("retrieval", "Each model", ("measure", "model", "value", "low", "high"), rows),
            difference_table("retrieval_differences", differences),
        ),
        notes=(
            TEXTS["same_questions"].format(count=n_questions),
            *notes,
            *(verdict(key, best, scores[key], level) for key, best in tied.items()),
        ),
        folded=True,
    )
    doubts += search_cautions([*questions.values()])
    doubts += [Caution("zero_documents", note) for note in notes]
    return RetrievalComparison((section,), tuple(differences), tied, scores, tuple(doubts))


def difference_table(key: str, differences: Sequence[ModelDifference]) -> Table:
    """Return the table of differences between models."""
    return Table(
        key,
        "Differences of all pairs",
        ("measure", "first", "second", "scale", "estimate", "low", "high", "p", "p (Holm)",
         "minimum detectable"),
        tuple(
            (
                label_of(d.measure), d.first, d.second, d.scale,
                d.estimate, d.low, d.high, d.pvalue, d.pvalue_holm, d.least,
            )
            for d in differences
        ),
    )  # fmt: skip
