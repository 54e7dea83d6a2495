"""The section about retrieval: how often the right document is found, and how near it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from isotropy_lab import retrieval
from isotropy_lab.report.card import Line, Section, Table, Value
from isotropy_lab.report.rows import Progress, silent

__all__ = ["search_section"]

_DEPTHS = (1, 3, 5, 10)
_MARGIN = 0.05
"""How much of the accuracy a threshold may cost."""


def search_section(
    questions: Any,
    documents: Any,
    gold: Any,
    *,
    confidence: float,
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Section:
    """Return the section of retrieval.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Vectors.
    gold : array-like of shape (Q,)
        Position of the right document of each question, from 0.
    confidence : float
        Nominal coverage.
    rng : numpy.random.Generator
        Draws the bootstrap samples.
    progress : callable
        Told how far it is.

    Returns
    -------
    Section

    Raises
    ------
    TypeError, ValueError
        As `isotropy_lab.retrieval.answer_ranks`.
    """
    progress("ranking documents", 0, len(questions))
    ranks = retrieval.answer_ranks(questions, documents, gold)
    worst = retrieval.answer_ranks(questions, documents, gold, ties="worst")
    progress("ranking documents", len(questions), len(questions))
    equal = retrieval.duplicate_documents(documents, gold=gold)
    n_documents = equal.n_documents
    rows: list[tuple[Value, ...]] = []
    for k in _DEPTHS:
        if k > 1 and k >= n_documents:
            continue
        hits = retrieval.bootstrap_accuracy(ranks, k=k, confidence=confidence, rng=rng)
        gain = retrieval.bootstrap_ndcg(ranks, k=k, confidence=confidence, rng=rng)
        rows.append((str(k), hits.estimate, hits.low, hits.high, gain.estimate, gain.low, gain.high))
    columns = ("K", "accuracy@K", "low", "high", "NDCG@K", "low of NDCG", "high of NDCG")
    table = Table(
        "accuracy",
        f"How often the right document is among the first K, with intervals of {confidence:.0%}",
        columns,
        tuple(rows),
    )
    reciprocal = retrieval.bootstrap_mrr(ranks, confidence=confidence, rng=rng)
    lines = [
        Line("n_questions", len(ranks)),
        Line("n_documents", n_documents),
        Line("n_equal_documents", n_documents - equal.n_distinct),
        Line("median_rank", float(np.median(ranks))),
        Line("mrr", reciprocal.estimate, reciprocal.low, reciprocal.high),
    ]
    similarity = float(np.median(retrieval.pair_similarities(questions, documents, gold)))
    lines += [
        Line("median_similarity", similarity),
        _threshold(questions, documents, ranks, n_documents, rng),
    ]
    notes = [
        "Intervals by the bootstrap over questions: how the numbers would change with other questions of the same kind about the "
        "same documents."
    ]
    n_tied = int((ranks != worst).sum())
    if n_tied:
        notes.append(
            f"{'1 question finds' if n_tied == 1 else f'{n_tied:,} questions find'} other documents exactly as near as the right "
            "one; of these the one with the lower position comes first."
        )
    return Section("retrieval", "Retrieval", tuple(lines), (table,), notes=tuple(notes))


def _threshold(
    questions: Any, documents: Any, ranks: Any, n_documents: int, rng: np.random.Generator
) -> Line:
    depth = min(max(_DEPTHS), n_documents)
    try:
        best = retrieval.top_k(questions, documents, depth)
        found = retrieval.similarity_threshold(best, ranks, margin=_MARGIN, rng=rng)
    except ValueError as error:
        return Line("threshold", None, note=f"Undefined here: {error}.")
    note = (
        f"Chosen on {found.n_calibration:,} questions to lose at most {_MARGIN} of accuracy@{depth}; on the {found.n_report:,} "
        f"others accuracy goes from {found.before:.3f} to {found.after:.3f}"
        + ("." if found.holds else ", and a larger loss than that margin cannot be ruled out.")
    )
    return Line("threshold", found.threshold, note=note)
