"""Embeddings of questions and documents by one model, or by one model for each fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab.retrieval._checks import as_gold, check_n_best
from isotropy_lab.retrieval.ranking import TopK, answer_ranks, top_k

__all__ = ["EmbeddingVariant"]

Rows = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class EmbeddingVariant:
    """Embeddings of questions and documents by one model, or, cross-fitted, by one model for each fold.

    Embeddings by two models lie in two spaces: compare a question with the documents of its own fold only, as
    `parts` pairs them, and score the documents' isotropy one matrix at a time.
    """

    #: name, family: what it is called, and the kind of model it comes from.
    name: str
    family: str
    questions: Rows  #: Each question by the model of its fold.
    #: All documents by each model. One matrix stands for all folds where the models treat documents alike.
    documents: tuple[Rows, ...]
    folds: npt.NDArray[np.int64]  #: Fold of each question; all 0 where there is one model.
    #: Sentences of no special domain by the model of fold 0, where there are such.
    agnostic: Rows | None = None

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions n."""
        return int(self.questions.shape[1])

    def documents_of(self, fold: int) -> Rows:
        """Return the documents as the model of one fold embeds them, (N, n)."""
        return self.documents[fold if len(self.documents) > 1 else 0]

    def parts(self) -> Iterator[tuple[npt.NDArray[np.intp], Rows, Rows]]:
        """Yield what belongs together: positions of questions, their embeddings, the documents' by the same model.

        One part for each matrix of documents; every question is in one part.
        """
        for k, documents in enumerate(self.documents):
            rows = np.flatnonzero(self.folds == k) if len(self.documents) > 1 else np.arange(len(self.folds))
            yield rows, self.questions[rows], documents

    def ranks(self, gold: Any, *, ties: str = "lower-index") -> npt.NDArray[np.int64]:
        """Return the rank of each question's right document, by the model of its fold: see `answer_ranks`."""
        positions = as_gold(gold, len(self.questions), len(self.documents[0]))
        ranks = np.empty(len(positions), dtype=np.int64)
        for rows, questions, documents in self.parts():
            ranks[rows] = answer_ranks(questions, documents, positions[rows], ties=ties)
        return ranks

    def top_k(self, k: int) -> TopK:
        """Return the k best documents of each question, by the model of its fold: see `isotropy_lab.retrieval.top_k`."""
        k = check_n_best(k, len(self.documents[0]))
        indices = np.empty((len(self.questions), k), dtype=np.int64)
        similarities = np.empty(indices.shape)
        for rows, questions, documents in self.parts():
            best = top_k(questions, documents, k)
            indices[rows], similarities[rows] = best.indices, best.similarities
        return TopK(indices, similarities)
