"""Folds for cross-fitting: nothing is scored by a model that was fitted on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.retrieval._checks import as_gold, check_n_best
from isotropy_lab.retrieval.ranking import TopK, answer_ranks, top_k

__all__ = ["EmbeddingVariant", "folds"]


def folds(
    groups: Any, *, strata: Any = None, n_folds: int = 5, rng: np.random.Generator | int | None = 0
) -> npt.NDArray[np.int64]:
    """Number the fold of every question, so that questions of one group are never parted.

    For *cross-fitting*: each fold is scored by a model that was fitted on the others. What the fitted model must
    not have seen decides the groups: the answers, if every answer is to be new to the model that is scored
    (``groups=asked["gold"]``), or the modules, if the whole subject is (``groups=asked["module"]``).

    Parameters
    ----------
    groups : array-like of int or str
        One label per question.
    strata : array-like of int or str, optional
        One label per question: every fold gets its share of each stratum. A group counts for the stratum of its
        first question. ``folds(asked["gold"], strata=asked["module"])`` spreads every module over the folds.
    n_folds : int, default 5
        At least 2 and at most the number of groups.
    rng : numpy.random.Generator or int or None, default 0
        Which groups go together; a seed, a generator, or None for fresh entropy.

    Returns
    -------
    numpy.ndarray of int64
        Fold of each question, 0 to n_folds − 1. Where all groups have one question, folds differ by at most one
        question in every stratum.

    Raises
    ------
    TypeError, ValueError
        For labels that are not whole numbers or text, or a wrong number of them; `n_folds` out of range.

    Notes
    -----
    Group after group, stratum by stratum and the largest first, goes to the fold with the fewest questions of that
    stratum, and among those to the one with the fewest questions. The result does not depend on the order of the
    questions, except through the stratum of a group that lies in several. Cost: one pass over the groups.

    Examples
    --------
    >>> folds(["a", "a", "b", "c", "c", "d"], n_folds=2).tolist()
    [1, 1, 0, 0, 0, 1]
    """
    labels = np.asarray(groups)
    group = _checks.as_labels(groups, "groups", length=len(labels) if labels.ndim else 0, per="questions")
    if strata is None:
        stratum = np.zeros(len(group), dtype=np.intp)
    else:
        stratum = _checks.as_labels(strata, "strata", length=len(group), per="groups")
    _, first, inverse, sizes = np.unique(group, return_index=True, return_inverse=True, return_counts=True)
    n_folds = _check_fold_count(n_folds, len(sizes))
    generator = _checks.as_generator(rng)
    order = np.lexsort((generator.permutation(len(sizes)), -sizes, stratum[first]))
    fold_of_group = np.empty(len(sizes), dtype=np.int64)
    totals = np.zeros(n_folds, dtype=np.int64)
    counts, current = np.zeros(n_folds, dtype=np.int64), -1
    for g in order:
        if stratum[first[g]] != current:
            counts[:], current = 0, stratum[first[g]]
        chosen = np.lexsort((totals, counts))[0]
        fold_of_group[g] = chosen
        counts[chosen] += sizes[g]
        totals[chosen] += sizes[g]
    return fold_of_group[inverse]


@dataclass(frozen=True, eq=False)
class EmbeddingVariant:
    """Embeddings of questions and documents by one model, or, cross-fitted, by one model for each fold.

    Attributes
    ----------
    name, family : str
        What it is called, and the kind of model it comes from.
    questions : numpy.ndarray of shape (Q, n)
        Each question by the model of its fold.
    documents : tuple of numpy.ndarray of shape (N, n)
        All documents by each model. One matrix stands for all folds where the models treat documents alike.
    folds : numpy.ndarray of shape (Q,), int64
        Fold of each question; all 0 where there is one model.
    agnostic : numpy.ndarray of shape (M, n) or None
        Sentences of no special domain by the model of fold 0, where there are such.

    Notes
    -----
    Embeddings by two models lie in two spaces: compare a question with the documents of its own fold only, as
    `parts` pairs them, and score the documents' isotropy one matrix at a time.
    """

    name: str
    family: str
    questions: npt.NDArray[np.floating[Any]]
    documents: tuple[npt.NDArray[np.floating[Any]], ...]
    folds: npt.NDArray[np.int64]
    agnostic: npt.NDArray[np.floating[Any]] | None = None

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions n."""
        return int(self.questions.shape[1])

    def documents_of(self, fold: int) -> npt.NDArray[np.floating[Any]]:
        """Return the documents as the model of one fold embeds them, (N, n)."""
        n_folds = int(self.folds.max()) + 1
        fold = _checks.check_integer(fold, "fold", low=0, high=n_folds - 1)
        return self.documents[fold if len(self.documents) > 1 else 0]

    def parts(
        self,
    ) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.floating[Any]], npt.NDArray[np.floating[Any]]]]:
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


def _check_fold_count(n_folds: Any, n_groups: int) -> int:
    """Return the number of folds, from 2 to the number of groups, which are never parted."""
    number = _checks.check_integer(n_folds, "n_folds", low=2)
    if number > n_groups:
        raise ValueError(
            f"n_folds is {number} for {_checks.how_many(n_groups, 'group')}; expected at least one group a fold"
        )
    return number
