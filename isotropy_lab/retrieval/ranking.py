"""Exact ranks of relevant documents, and the top k documents per question, in bounded memory."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.chunks import over_chunks
from isotropy_lab._core.neighbors import Directions, Products, Rows, Tiles, best
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import as_embeddings, check_n_best
from isotropy_lab.retrieval.relevance import RelevantRanks, as_judgments

__all__ = ["TopK", "answer_ranks", "pair_similarities", "relevant_ranks", "top_k"]

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

TIES = ("lower-index", "worst")
SIMILARITIES = ("cosine", "dot")


@dataclass(frozen=True, eq=False, repr=False)
class TopK(Result):
    """The most similar documents for each question.

    Attributes
    ----------
    indices : numpy.ndarray of shape (Q, k), int64
        Positions of the documents, most similar first.
    similarities : numpy.ndarray of shape (Q, k), float64
        Cosines or inner products of these documents, descending along rows.
    """

    indices: NDArray[np.int64]
    similarities: Floats

    def __repr__(self) -> str:
        return f"<TopK: {' × '.join(map(str, self.indices.shape))}>"


def answer_ranks(
    questions: checks.Points,
    documents: checks.Points,
    gold: checks.Gold,
    *,
    similarity: str = "cosine",
    ties: str = "lower-index",
) -> NDArray[np.int64]:
    """Return the rank of each question's highest-ranked relevant document, where rank 1 is best.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings by one model. The documents may be a memory map, or a Dask array of known size, which is
        processed chunk by chunk by Dask's workers.
    gold : array-like of shape (Q,) or (Q, k), or mapping
        Position of each question's relevant document, from 0 to N − 1; or the positions of several, in rows
        padded with −1 or in lists of different lengths; or a mapping of question positions to such lists, or
        to mappings of document positions to integer grades, where 1 or more means relevant:
        ``{0: {17: 2, 4: 1}, 1: {3: 1}}``. `gold_from_qrels` creates this mapping from IDs.
    similarity : {"cosine", "dot"}, default "cosine"
        "cosine" scales all rows to unit length. "dot" is the inner product of the untransformed rows, which
        favors documents with longer vectors and allows zero vectors.
    ties : {"lower-index", "worst"}, default "lower-index"
        Which documents rank ahead of an equally similar relevant document: those before it ("lower-index",
        the order in which `top_k` lists them), or all that are not relevant ("worst").

    Returns
    -------
    numpy.ndarray of shape (Q,), int64
        Ranks from 1 to N.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension, or contain NaN, inf, or zero rows; if `gold` is
        missing, fractional, or out of range for a question, or lists a document twice; or if an option does
        not exist.

    Notes
    -----
    The similarity of a question and a document is the float64 product of their unit-norm rows, rounded to a
    multiple of 2⁻⁴⁰ (9e-13); for "dot", it is the float64 product of the rows, rounded to 40 bits relative to
    the product of their lengths. Documents with equal similarities are tied. If the float32 product of a pair
    is too close to the relevant document's similarity to decide which is larger, the pair is computed in
    float64, so ranks do not depend on the linear algebra library. They are invariant under a rotation of all
    embeddings and positive factors on any of them ("dot": on any question, and on all documents together), up
    to that rounding. Cost: O(Q N n) time; 40 MB plus the arguments and a float32 copy of the questions.
    Roychowdhury et al. (2025), Section II-A, which gives no rule for ties.

    Examples
    --------
    >>> from isotropy_lab.retrieval import answer_ranks
    >>> answer_ranks([[1.0, 0.0], [1.0, 1.0]], [[2.0, 0.1], [0.0, 1.0], [1.0, 2.0]], [0, 1]).tolist()
    [1, 3]
    """
    Q, D = _embeddings(questions, documents, similarity)
    relevant, _ = as_judgments(gold, len(Q), len(D))
    checks.check_option(ties, "ties", TIES)
    similarities = _relevant_similarities(Q, D, relevant)
    best = np.arange(len(Q)), similarities.argmax(axis=1)
    highest = similarities[best][:, None]
    ranks = _ranks(Q, D, relevant[best][:, None], highest, ties)[:, 0]
    if ties == "worst":  # relevant documents with the same similarity do not rank ahead
        ranks -= (similarities == highest).sum(axis=1) - 1
    return ranks


def relevant_ranks(
    questions: checks.Points, documents: checks.Points, gold: checks.Gold, *, similarity: str = "cosine"
) -> RelevantRanks:
    """Return the ranks of all relevant documents of each question, with their grades.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings by one model: see `answer_ranks`.
    gold : array-like of shape (Q,) or (Q, k), or mapping
        Relevant documents; in an array, all have grade 1: see `answer_ranks`.
    similarity : {"cosine", "dot"}, default "cosine"
        See `answer_ranks`. Tied documents are sorted by position.

    Returns
    -------
    RelevantRanks
        Ranks from 1 to N, distinct within each question. The first column equals the result of
        `answer_ranks`.

    Raises
    ------
    TypeError, ValueError
        As for `answer_ranks`.

    Notes
    -----
    Similarities, ties, invariance, and memory are the same as for `answer_ranks`. Cost: O(Q N (n + k)) time,
    because similarities are computed once and compared k times. A UserWarning is issued if `gold` seems to be
    counted from 1: the documents before the relevant ones are more similar (sign test, 4 standard errors).

    Examples
    --------
    >>> from isotropy_lab.retrieval import relevant_ranks
    >>> documents = [[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]]
    >>> result = relevant_ranks([[1.0, 0.1], [0.0, 1.0]], documents, [[1, 0], [2, -1]])
    >>> result.ranks.tolist(), result.documents.tolist(), result.best.tolist()
    ([[1, 3], [2, 0]], [[0, 1], [2, -1]], [1, 2])
    """
    Q, D = _embeddings(questions, documents, similarity)
    relevant, grades = as_judgments(gold, len(Q), len(D))
    similarities = _relevant_similarities(Q, D, relevant)
    ranks = _ranks(Q, D, relevant, similarities, "lower-index")
    change = _relevant_similarities(Q, D, relevant - 1).max(axis=1) - similarities.max(axis=1)
    n_nearer, n_farther = int((change > 0).sum()), int((change < 0).sum())
    if relevant[relevant >= 0].min() > 0 and n_nearer - n_farther > 4.0 * (n_nearer + n_farther) ** 0.5:
        hint = f"for {n_nearer / len(Q):.1%} of the questions, the document before the relevant one is nearer"
        warnings.warn(f"gold seems to be counted from 1: {hint}; positions are counted from 0", stacklevel=2)
    order = np.argsort(np.where(relevant < 0, len(D) + 1, ranks), axis=1, kind="stable")
    ranks, grades, relevant = (np.take_along_axis(x, order, axis=1) for x in (ranks, grades, relevant))
    return RelevantRanks(ranks=ranks, grades=grades, documents=relevant)


def top_k(questions: checks.Points, documents: checks.Points, k: int, *, similarity: str = "cosine") -> TopK:
    """Return the k documents most similar to each question, and their similarities.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings: see `answer_ranks`.
    k : int
        Number of documents per question, 1 ≤ k ≤ N.
    similarity : {"cosine", "dot"}, default "cosine"
        See `answer_ranks`.

    Returns
    -------
    TopK
        Documents in descending order of similarity, with ties sorted by position.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension, or contain NaN, inf, or zero rows; if `k` is
        less than 1 or greater than N; or if an option does not exist.

    Notes
    -----
    Similarities, ties, invariance, and memory are the same as for `answer_ranks`: a document is at position
    r, counted from 1, exactly if its rank is r. Cost: O(Q N n) time, plus O(Q k log k) to sort the documents
    found.

    Examples
    --------
    >>> from isotropy_lab.retrieval import top_k
    >>> best = top_k([[1.0, 0.0]], [[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]], 2)
    >>> best.indices.tolist(), best.similarities.round(6).tolist()
    ([[2, 0]], [[1.0, 0.6]])
    >>> top_k([[1.0, 0.0]], [[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]], 2, similarity="dot").similarities.tolist()
    [[3.0, 1.0]]
    """
    Q, D = _embeddings(questions, documents, similarity)
    return TopK(*_best(Q, D, check_n_best(k, len(D))))


def pair_similarities(
    questions: checks.Points, documents: checks.Points, gold: checks.Gold, *, similarity: str = "cosine"
) -> NDArray[np.float64]:
    """Return the similarity of each question to its relevant document.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings by one model.
    gold : array-like of shape (Q,) or (Q, k), or mapping
        Position of one document for each question; or the positions of several relevant documents (see
        `answer_ranks`), of which only the most similar is used.
    similarity : {"cosine", "dot"}, default "cosine"
        See `answer_ranks`.

    Returns
    -------
    numpy.ndarray of shape (Q,), float64
        Similarities; cosines are from −1 to 1 and multiples of 2⁻⁴⁰.

    Raises
    ------
    TypeError, ValueError
        As for `answer_ranks`.

    Notes
    -----
    Cost: O(Q k n) time; 4 MB plus the arguments. Same invariance as `answer_ranks`.

    Examples
    --------
    >>> from isotropy_lab.retrieval import pair_similarities
    >>> pair_similarities([[1.0, 0.0]], [[0.0, 1.0], [3.0, 4.0]], [1]).round(6).tolist()
    [0.6]
    """
    return most_similar_relevant(questions, documents, gold, similarity=similarity)[1]


def most_similar_relevant(
    questions: checks.Points, documents: checks.Points, gold: checks.Gold, *, similarity: str = "cosine"
) -> tuple[NDArray[np.int64], Floats]:
    """Return the position and the similarity of each question's most similar relevant document."""
    Q, D = _embeddings(questions, documents, similarity)
    relevant, _ = as_judgments(gold, len(Q), len(D))
    similarities = _relevant_similarities(Q, D, relevant)
    best = np.arange(len(Q)), similarities.argmax(axis=1)
    return relevant[best], similarities[best]


# --- similarities -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Chunks:
    """Documents in a Dask array, whose similarities are computed on the workers holding its chunks."""

    array: Any
    similarity: str

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, positions: Indices) -> Rows:
        return _documents(np.asarray(self.array[positions]), "documents[gold]", self.similarity)


def _embeddings(
    questions: checks.Points, documents: checks.Points, similarity: str
) -> tuple[Rows, Rows | _Chunks]:
    checks.check_option(similarity, "similarity", SIMILARITIES)
    rows_or_chunks: Rows | _Chunks
    if checks.is_dask(documents):
        checks.check_chunks(documents, "documents")
        # The placeholder has the width and dtype of the documents, and no rows if they have none.
        Q, _ = as_embeddings(questions, np.empty((len(documents[:1]), documents.shape[1]), documents.dtype))
        rows_or_chunks = _Chunks(documents, similarity)
    else:
        Q, D = as_embeddings(questions, documents)
        rows_or_chunks = _documents(D, "documents", similarity)
    if similarity == "cosine":
        return Directions.of(Q, "questions"), rows_or_chunks
    products = Products.of(Q, "questions", one_scale=False)
    checks.check_no_zero_rows(products.lengths, "questions")
    return products, rows_or_chunks


def _documents(rows: NDArray[Any], name: str, similarity: str) -> Rows:
    """Return documents, or a part of them, for a search; `name` is used in errors."""
    points = checks.as_points(rows, name, finite=False)
    is_cosine = similarity == "cosine"
    return Directions.of(points, name) if is_cosine else Products.of(points, name, one_scale=True)


def _scales(Q: Rows, D: Rows) -> Floats:
    """Return the divisor of each question's similarities: a power of two, or 1 for cosines."""
    if isinstance(Q, Products) and isinstance(D, Products):
        return np.asarray(Q.scales * D.scales[0])
    return np.ones(len(Q))


def _best(Q: Rows, D: Rows | _Chunks, k: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the positions and similarities of the k most similar documents for each question."""
    if isinstance(D, Rows):
        indices, values = best(Q, D, k)
        return indices, values * _scales(Q, D)[:, None]
    indices, values = np.empty((len(Q), 0), dtype=np.int64), np.empty((len(Q), 0))
    for new_indices, new_values in over_chunks(D.array, _best_of_chunk, D.similarity, Q, k):
        indices, values = np.hstack([indices, new_indices]), np.hstack([values, new_values])
        order = np.argsort(-values, axis=1, kind="stable")[:, :k]  # stable: earlier chunks come first
        indices = np.take_along_axis(indices, order, axis=1)
        values = np.take_along_axis(values, order, axis=1)
    return indices, values


def _best_of_chunk(
    start: int, chunk: NDArray[Any], similarity: str, Q: Rows, k: int
) -> tuple[NDArray[np.int64], Floats]:
    if not len(chunk):
        return np.empty((len(Q), 0), dtype=np.int64), np.empty((len(Q), 0))
    D = _documents(chunk, f"documents[{start}:]", similarity)
    indices, values = best(Q, D, min(k, len(D)))
    return indices + start, values * _scales(Q, D)[:, None]


# --- ranks --------------------------------------------------------------------------------------------------


def _relevant_similarities(Q: Rows, D: Rows | _Chunks, relevant: NDArray[np.int64]) -> Floats:
    """Return the similarities of questions to relevant documents, padded with −inf."""
    similarities = np.full(relevant.shape, -np.inf)
    rows, columns = np.nonzero(relevant >= 0)
    positions = relevant[rows, columns]
    if isinstance(D, _Chunks):
        distinct, positions = np.unique(positions, return_inverse=True)
        D = D[distinct]
    similarities[rows, columns] = Q.pairs(D, rows, positions) * _scales(Q, D)[rows]
    return similarities


def _ranks(
    Q: Rows, D: Rows | _Chunks, relevant: NDArray[np.int64], goal: Floats, ties: str
) -> NDArray[np.int64]:
    """Return 1 + the number of documents ahead of each relevant document, padded with 0."""
    ranks = np.where(relevant >= 0, np.int64(1), np.int64(0))
    goal = np.where(relevant >= 0, goal, np.inf)  # no document ranks ahead of infinity
    if isinstance(D, Rows):
        return ranks + _n_nearer(Q, D, relevant, goal, ties)
    for counts in over_chunks(D.array, _n_ahead_in_chunk, D.similarity, Q, relevant, goal, ties):
        ranks += counts
    return ranks


def _n_ahead_in_chunk(
    start: int,
    chunk: NDArray[Any],
    similarity: str,
    Q: Rows,
    relevant: NDArray[np.int64],
    goal: Floats,
    ties: str,
) -> NDArray[np.int64]:
    if not len(chunk):
        return np.zeros_like(relevant)
    return _n_nearer(Q, _documents(chunk, f"documents[{start}:]", similarity), relevant - start, goal, ties)


def _n_nearer(Q: Rows, D: Rows, relevant: NDArray[np.int64], goal: Floats, ties: str) -> NDArray[np.int64]:
    """Return the number of documents in D ahead of each relevant document, which may be outside D."""
    counts = np.zeros_like(relevant)
    goal = goal / _scales(Q, D)[:, None]
    tiles = Tiles(Q, D)
    for rows, columns, product in tiles:
        precise = None
        for column in range(relevant.shape[1]):
            goals, positions = goal[:, column], relevant[:, column]
            above, band = _split(tiles, product, goals[rows])
            if tiles.is_crowded(band.size, product, 1):
                precise = tiles.precise(rows, columns) if precise is None else precise
                above, band = _split(tiles, precise, goals[rows])
            r, c = band // product.shape[1] + rows.start, band % product.shape[1] + columns.start
            is_other = c != positions[r]
            r, c = r[is_other], c[is_other]
            ahead = _is_ahead(Q, D, r, c, positions, goals, ties)
            counts[rows, column] += above + np.bincount(r[ahead] - rows.start, minlength=product.shape[0])
    return counts


def _split(tiles: Tiles, product: NDArray[Any], goal: Floats) -> tuple[NDArray[np.int64], Indices]:
    """Count the entries of each row certainly above its goal, and find the indices of undecided ones."""
    margin = tiles.Q.margin(product.dtype)
    mask = tiles.reaches(product, goal + margin, above=True)
    # NumPy counts a Boolean row ten times as fast as it counts along an axis, so count row by row.
    above = np.fromiter((np.count_nonzero(row) for row in mask), dtype=np.int64, count=len(mask))
    mask ^= tiles.reaches(product, goal - margin)
    return above, np.flatnonzero(mask)


def _is_ahead(
    Q: Rows, D: Rows, rows: Indices, columns: Indices, positions: NDArray[np.int64], goal: Floats, ties: str
) -> NDArray[np.bool_]:
    """Return whether each document ranks ahead of its question's relevant document."""
    values = Q.pairs(D, rows, columns)
    equal = values == goal[rows]
    if ties == "lower-index":
        equal &= columns < positions[rows]
    return np.asarray((values > goal[rows]) | equal)
