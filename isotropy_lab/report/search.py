"""The section about retrieval: how often the right document is found, and how near it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from isotropy_lab import retrieval
from isotropy_lab.report.card import Line, Section, Table, Value
from isotropy_lab.report.rows import Progress, silent

__all__ = ["search_section"]

_DEPTHS = (1, 3, 5, 10)


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
    notes = [
        "Intervals by the bootstrap over questions: how the numbers would change with other questions of the same kind about the "
        "same documents."
    ]
    n_tied = int((ranks != worst).sum())
    if n_tied:
        notes.append(
            f"{n_tied:,} questions find other documents exactly as near as the right one; of these the one with the lower position "
            "comes first."
        )
    return Section("retrieval", "Retrieval", tuple(lines), (table,), notes=tuple(notes))
