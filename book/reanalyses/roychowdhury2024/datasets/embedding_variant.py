"""Embeddings of questions and documents by one model, or by one model per fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab.retrieval.ranking import answer_ranks, top_k

Rows = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class EmbeddingVariant:
    """Embeddings of questions and documents by one model or, with cross-fitting, by one model per fold.

    Embeddings by two models are in different spaces: compare a question only with the documents of its fold,
    as `parts` does, and compute the isotropy of one document matrix at a time.
    """

    #: name, family: name of the variant, and the kind of model.
    name: str
    family: str
    questions: Rows  #: Each question, embedded by the model of its fold.
    #: All documents, embedded by each model; one matrix if all models embed documents in the same way.
    documents: tuple[Rows, ...]
    folds: npt.NDArray[np.int64]  #: Fold of each question; all 0 if there is only one model.
    #: General sentences embedded by the model of fold 0, if available.
    agnostic: Rows | None = None

    def documents_of(self, fold: int) -> Rows:
        """Return the documents embedded by the model of one fold, of shape (N, n)."""
        return self.documents[fold if len(self.documents) > 1 else 0]

    def parts(self) -> Iterator[tuple[npt.NDArray[np.intp], Rows, Rows]]:
        """Yield the positions of questions, their embeddings, and the document embeddings by the same model.

        There is one part per matrix of documents, and every question is in exactly one part.
        """
        for k, documents in enumerate(self.documents):
            rows = np.flatnonzero(self.folds == k) if len(self.documents) > 1 else np.arange(len(self.folds))
            yield rows, self.questions[rows], documents

    def ranks(self, gold: Any) -> npt.NDArray[np.int64]:
        """Return the rank of each question's relevant document by the model of its fold; see `answer_ranks`."""
        positions = np.asarray(gold)
        ranks = np.empty(len(positions), dtype=np.int64)
        for rows, questions, documents in self.parts():
            ranks[rows] = answer_ranks(questions, documents, positions[rows])
        return ranks

    def best_documents(self) -> npt.NDArray[np.int64]:
        """Return the index of each question's most similar document, by the model of its fold."""
        best = np.empty(len(self.questions), dtype=np.int64)
        for rows, questions, documents in self.parts():
            best[rows] = top_k(questions, documents, 1).indices[:, 0]
        return best
