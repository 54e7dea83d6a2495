"""Section on retrieval: accuracy, recall, and NDCG at several depths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab import retrieval
from isotropy_lab.retrieval import pair_similarities
from isotropy_lab.retrieval.relevance import RelevantRanks, as_judgments
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import Caution, Line, Section, Table, Value
from isotropy_report.card.rows import Rows, report_progress
from isotropy_report.card.words import count_text
from isotropy_report.measures._checks import ranks_and_warnings
from isotropy_report.measures.equal_rows import count_duplicates, repeated_questions

_DEPTHS = (1, 3, 5, 10)
_MAX_COPIED_NUMBERS = 2**27
"""Maximum number of values in documents that are copied: 512 MB in float32."""


def search_section(
    questions: Any, documents: Any, gold: Any, *, confidence_level: float, rng: np.random.Generator
) -> tuple[Section, dict[str, str]]:
    """Return the section about retrieval, and warnings about `gold`."""
    report_progress("ranking documents", 0, len(questions))
    documents, gold, n_zero = drop_zero_rows(documents, gold, len(questions), zero_rows(documents))
    relevant, warnings = ranks_and_warnings(questions, documents, gold, min(max(_DEPTHS), len(documents)))
    ranks = relevant.best
    worst = retrieval.answer_ranks(questions, documents, gold, ties="worst")
    report_progress("ranking documents", len(questions), len(questions))
    n_documents = len(documents)
    hashes = Rows(documents).hashes("looking for equal documents")
    several_relevant = bool((relevant.n_relevant > 1).any())
    seed = int(rng.integers(2**32))  # the samples of questions that `compare` draws

    def interval(metric: str, k: int | None) -> tuple[float, float, float]:
        return interval_of_metric(relevant, metric=metric, k=k, confidence_level=confidence_level, rng=seed)

    columns = {"accuracy": ("accuracy@K", "low", "high")}
    for name in ("recall", "NDCG") if several_relevant else ("NDCG",):
        columns[name] = (f"{name}@K", f"low of {name}", f"high of {name}")
    rows: list[tuple[Value, ...]] = [
        (str(k), *(value for name in columns for value in interval(name.lower(), k)))
        for k in _DEPTHS
        if k == 1 or k < n_documents
    ]
    title = f"How often a relevant document is in the top K, with {confidence_level:.0%} intervals"
    if several_relevant:
        title += "; recall@K is the fraction of a question's relevant documents in the top K"
    table = Table("accuracy", title, ("K", *(c for names in columns.values() for c in names)), tuple(rows))
    median = float(np.median(ranks))
    lines = [
        Line("n_questions", len(ranks)),
        Line("n_documents", n_documents),
        Line("n_equal_documents", count_duplicates(hashes).n_duplicates),
        Line("median_rank", int(median) if median.is_integer() else median),
        Line("mrr", *interval("mrr", None)),
        *([Line("map", *interval("map", None))] if several_relevant else []),
    ]
    similarity = float(np.median(pair_similarities(questions, documents, gold)))
    lines.append(Line("median_similarity", similarity))
    notes = [TEXTS["search_intervals"]]
    if n_zero:
        notes.append(f"The search leaves out {count_text(n_zero, 'zero document')} relevant to no question.")
    n_tied = int((ranks != worst).sum())
    if n_tied:
        notes.append(TEXTS["tied_documents"].format(count=count_text(n_tied, "question")))
    finding, noted = _finding(table), tuple(notes)
    return Section("retrieval", "Retrieval", tuple(lines), (table,), notes=noted, finding=finding), warnings


def interval_of_metric(
    ranks: RelevantRanks,
    *,
    metric: str,
    k: int | None,
    confidence_level: float,
    rng: np.random.Generator | int,
) -> tuple[float, float, float]:
    """Return a metric with its ends, by Wilson for accuracy, where the bootstrap is too narrow near 1."""
    if metric != "accuracy":
        result = retrieval.bootstrap_interval(
            ranks, metric=metric, k=k, confidence_level=confidence_level, rng=rng
        )
        return result.estimate, result.low, result.high
    hits = retrieval.question_scores(ranks, "accuracy", k=k)
    ends = stats.binomtest(round(hits.sum()), hits.size).proportion_ci(confidence_level, method="wilson")
    return float(hits.mean()), float(ends.low), float(ends.high)


def search_cautions(questions: Sequence[Any], groups: Any = None, *, advice: str = "") -> tuple[Caution, ...]:
    """Return a warning if more than a few questions are repeated."""
    text = repeated_questions(questions, groups)
    caution = Caution("repeated_questions", f"{text}{advice}.", "retrieval/accuracy-with-intervals")
    return (caution,) * bool(text)


def _finding(table: Table) -> str:
    """Return a sentence on how often a relevant document is first, and in the top k at the largest k."""
    (_, first, low, high, *_), (k, share, lower, upper, *_) = table.rows[0], table.rows[-1]
    return (
        f"Retrieval: a relevant document is first for {first:.1%} of the questions ({low:.1%} to {high:.1%})"
        + (f" and in the top {k} for {share:.1%} ({lower:.1%} to {upper:.1%})." if k != "1" else ".")
    )


def zero_rows(documents: Any) -> npt.NDArray[np.bool_]:
    """Return a mask of the documents that are zero vectors."""
    blocks = Rows(documents).each(lambda _, block: ~block.any(axis=1), "looking for zero documents")
    return np.concatenate(list(blocks))


def drop_zero_rows(
    documents: Any, gold: Any, n_questions: int, zero: npt.NDArray[np.bool_]
) -> tuple[Any, Any, int]:
    """Remove zero documents, unless one is relevant to a question or the copy would be too large."""
    n_zero = int(zero.sum())
    if not n_zero or documents.size > _MAX_COPIED_NUMBERS:
        return documents, gold, 0
    positions, grades = as_judgments(gold, n_questions, len(documents))
    is_relevant = positions >= 0
    if zero[positions[is_relevant]].any():
        return documents, gold, 0  # the search rejects the zero document and names it
    new_positions = np.cumsum(~zero) - 1
    new_gold = {
        question: {
            int(new_positions[position]): int(grade)
            for position, grade in zip(positions[question], grades[question], strict=True)
            if position >= 0
        }
        for question in range(n_questions)
    }
    return documents[np.flatnonzero(~zero)], new_gold, n_zero
