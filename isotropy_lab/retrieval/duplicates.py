"""Documents with equal embeddings, between which no question can tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result

__all__ = ["Duplicates", "duplicate_documents"]


@dataclass(frozen=True)
class Duplicates(Result):
    """Documents that have the same embedding as another one.

    Attributes
    ----------
    groups : tuple of tuples of int
        Positions of documents with equal rows, two or more in each group, in ascending order.
    n_documents, n_distinct : int
        Documents, and different rows among them.
    """

    groups: tuple[tuple[int, ...], ...]
    n_documents: int
    n_distinct: int


def duplicate_documents(documents: checks.Points) -> Duplicates:
    """Return the documents that share their embedding with another one.

    Parameters
    ----------
    documents : array-like of shape (N, n)
        Embeddings of documents.

    Returns
    -------
    Duplicates

    Raises
    ------
    TypeError, ValueError
        If `documents` does not hold real numbers, or holds NaN or inf.

    Notes
    -----
    Rows count as duplicates if all their entries are equal. O(N n log N) time and a copy of the documents.

    Examples
    --------
    >>> from isotropy_lab.retrieval import duplicate_documents
    >>> found = duplicate_documents([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0]])
    >>> found.groups, found.n_distinct
    (((0, 2),), 2)
    """
    D = checks.as_points(documents, "documents")
    rows = np.ascontiguousarray(D + 0.0)  # −0 becomes 0, so that equal rows have equal bytes
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, labels, counts = np.unique(keys, return_inverse=True, return_counts=True)
    order, ends = np.argsort(labels, kind="stable"), np.cumsum(counts)
    several = counts > 1
    groups = [
        tuple(order[end - count : end].tolist())
        for end, count in zip(ends[several].tolist(), counts[several].tolist(), strict=True)
    ]
    return Duplicates(tuple(sorted(groups)), len(D), int(counts.size))
