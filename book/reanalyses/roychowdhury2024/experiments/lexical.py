"""Lexical search: BM25, alone and fused with an encoder, and the overlap of words with the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import bm25s
import numpy as np
import pandas as pd
import snowballstemmer
from numpy.typing import NDArray

from isotropy_lab._core.rows import unit_rows
from isotropy_lab.results import RelevantRanks
from isotropy_lab.retrieval.relevance import as_judgments
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.experiments.grouped_accuracy import accuracy_of_groups

__all__ = ["accuracy_by_overlap", "stems"]

AllRanks: TypeAlias = NDArray[np.int64]
"""Rank of every document for every question, of shape (Q, N), from 1; 0 if a search does not list it."""

OVERLAP_CLASSES = ("0", "below 0.2", "0.2 to 0.35", "0.35 to 0.5", "0.5 and more")
_CLASS_ENDS = (0.2, 0.35, 0.5)


@cache
def _stem(word: str) -> str:
    return str(snowballstemmer.stemmer("english").stemWord(word))


def stems(texts: Sequence[str]) -> list[list[str]]:
    """Return the stems of each text's words of at least two letters, without stop words."""
    tokens: list[list[str]] = bm25s.tokenize(
        list(texts),
        stopwords="en",
        stemmer=lambda words: [_stem(word) for word in words],
        return_ids=False,
        show_progress=False,
    )
    return tokens


def bm25_ranks(questions: Sequence[str], documents: Sequence[str]) -> AllRanks:
    """Rank documents by BM25 with the usual constants (k₁ = 1.5, b = 0.75), using the package bm25s."""
    index = bm25s.BM25(k1=1.5, b=0.75, method="lucene", dtype="float64")
    index.index(stems(documents), show_progress=False)
    scores = np.zeros((len(questions), len(documents)))
    for row, words in enumerate(stems(questions)):
        indexed = [word for word in words if word in index.vocab_dict]
        if indexed:
            scores[row] = index.get_scores(indexed)
    return np.where(scores > 0, _ranks_of_scores(scores), 0)


def encoder_ranks(variant: EmbeddingVariant) -> AllRanks:
    """Rank all documents by an encoder, using the model of each question's fold.

    Cosines are rounded, and ties are broken, as in `isotropy_lab.retrieval.answer_ranks`.
    """
    ranks = np.empty((len(variant.questions), len(variant.documents[0])), dtype=np.int64)
    for rows, questions, documents in variant.parts():
        cosines = unit_rows(questions, "questions") @ unit_rows(documents, "documents").T
        ranks[rows] = _ranks_of_scores(np.rint(cosines * 2.0**40))
    return ranks


def fuse_ranks(*rankings: AllRanks) -> AllRanks:
    """Fuse rankings by the sum of 1/(60 + rank) over the searches that list a document."""
    total = sum(np.where(ranks > 0, 1.0 / (60.0 + ranks), 0.0) for ranks in rankings)
    # Sums of equal terms in another order differ in the last bit, which must not break ties.
    return _ranks_of_scores(np.round(np.asarray(total), 15))


def _ranks_of_scores(scores: NDArray[np.float64]) -> AllRanks:
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
    return ranks


def ranks_of_relevant(ranks: AllRanks, gold: Any) -> RelevantRanks:
    """Return `isotropy_lab.retrieval.relevant_ranks`, computed from the ranks of all documents."""
    documents, grades = as_judgments(gold, *ranks.shape)
    listed = np.where(documents >= 0, np.take_along_axis(ranks, np.maximum(documents, 0), axis=1), 0)
    last = ranks.shape[1] + np.where(documents >= 0, 1, 2)  # unlisted documents are last, then padding
    order = np.argsort(np.where(listed > 0, listed, last), axis=1, kind="stable")
    listed, grades, documents = (np.take_along_axis(x, order, axis=1) for x in (listed, grades, documents))
    return RelevantRanks(ranks=listed, grades=grades, documents=documents)


def word_overlap(questions: Sequence[str], answers: Sequence[str]) -> NDArray[np.float64]:
    """Return the fraction of each question's distinct stems that also occur in its answer.

    Stop words do not count; the result is 0 for a question that consists of stop words.
    """
    pairs = zip(stems(questions), stems(answers), strict=True)
    return np.array([len({*question} & {*answer}) / max(1, len({*question})) for question, answer in pairs])


def accuracy_by_overlap(ranks: Mapping[str, Any], overlap: NDArray[np.float64]) -> pd.DataFrame:
    """Return the accuracy of each search for questions that share few or many words with their answer.

    The columns are those of `accuracy_of_groups`; groups are `OVERLAP_CLASSES`.
    """
    group = np.where(overlap > 0, 1 + np.digitize(overlap, _CLASS_ENDS), 0)
    return accuracy_of_groups(ranks, group, OVERLAP_CLASSES)
