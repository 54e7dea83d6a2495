"""Exact ranks of the relevant documents, and the best documents of every question, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isotropy_lab import _checks
from isotropy_lab._results import Result
from isotropy_lab.retrieval._checks import as_embeddings, check_n_best
from isotropy_lab.retrieval._rows import scaled_rows
from isotropy_lab.retrieval.relevance import RelevantRanks, as_judgments
from isotropy_lab.vectors._extras import require

__all__ = ["TopK", "answer_ranks", "pair_similarities", "relevant_ranks", "top_k"]

Floats: TypeAlias = NDArray[np.float64]
Singles: TypeAlias = NDArray[np.float32]
Places: TypeAlias = NDArray[np.intp]

TIES = ("lower-index", "worst")
ENGINES = ("numpy", "faiss")

#: Similarities are multiples of this: 9.1e-13, above what the rounding of a float64 product of some thousand terms
#: can add, and far below what the rounding of float32 embeddings does to them.
_GRID = 2.0**-40
_DOCUMENTS, _QUESTIONS = 4096, 1024  # one tile of similarities: 16 MB
_PAIR_ENTRIES = 2**17  # entries gathered at a time for pairs in float64: 1 MB, which stays cached
_CROWDED = 64  # a tile with more than 1/64 of its entries undecided in float32 is multiplied in float64
_FAISS_DEPTHS = (128, 1024)


@dataclass(frozen=True, eq=False)
class TopK(Result):
    """The most similar documents of every question.

    Attributes
    ----------
    indices : numpy.ndarray of shape (Q, k), int64
        Positions of documents, the most similar first.
    similarities : numpy.ndarray of shape (Q, k), float64
        Their cosines, descending along rows.
    """

    indices: NDArray[np.int64]
    similarities: Floats


def answer_ranks(
    questions: _checks.Points,
    documents: _checks.Points,
    gold: Any,
    *,
    ties: str = "lower-index",
    engine: str = "numpy",
) -> NDArray[np.int64]:
    """Return the rank of each question's best-placed relevant document by cosine similarity, 1 being best.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings by one model; rows are scaled to unit length. The documents may be a memory map.
    gold : array-like of shape (Q,) or (Q, k), or mapping
        Position of the right document of each question, from 0 to N − 1; or those of several, rows filled up with −1 or
        lists of different lengths; or a mapping of positions of questions to such lists, or to mappings of positions of
        documents to grades, whole numbers, of which those from 1 mean relevant: ``{0: {17: 2, 4: 1}, 1: {3: 1}}``.
        `gold_from_qrels` makes it from ids.
    ties : {"lower-index", "worst"}, default "lower-index"
        Among documents as similar as a relevant one, those before it count as better ("lower-index", the order in which
        `top_k` lists them), or all that are not relevant ("worst").
    engine : {"numpy", "faiss"}, default "numpy"
        "faiss" searches with faiss's flat index (package faiss-cpu or faiss-gpu), which uses all cores and keeps a
        float32 copy of the documents; what it leaves undecided is ranked here. The ranks are the same.

    Returns
    -------
    numpy.ndarray of shape (Q,), int64
        Ranks from 1 to N.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension or hold NaN, inf or zero rows; if `gold` is missing,
        fractional or out of range for a question, or names a document twice; or if an option does not exist.
    ImportError
        If ``engine="faiss"`` and faiss is not installed.

    Notes
    -----
    The similarity of a question and a document is the float64 product of their unit rows, rounded to a multiple of
    2⁻⁴⁰ (9e-13); documents are tied if theirs are equal. Where float32 products of whole tiles, within their error
    bound, leave open whether a document is above the right one, the pair is computed in float64. So ranks do not depend
    on the library that multiplies. Invariant under a rotation of all embeddings and positive factors on any of them, up
    to that rounding. O(Q N n) time; 40 MB beside the arguments and a float32 copy of the questions. Roychowdhury et al.
    (2025), section II-A, which gives no tie rule.

    Examples
    --------
    >>> from isotropy_lab.retrieval import answer_ranks
    >>> answer_ranks([[1.0, 0.0], [1.0, 1.0]], [[2.0, 0.1], [0.0, 1.0], [1.0, 2.0]], [0, 1]).tolist()
    [1, 3]
    """
    Q, D = _embeddings(questions, documents)
    relevant, _ = as_judgments(gold, len(Q), len(D))
    _check_ways(ties, engine)
    goal = _goals(Q, D, relevant)
    each, first = np.arange(len(Q)), goal.argmax(axis=1)
    best = goal[each, first][:, None]
    ranks = _ranks_of(Q, D, relevant[each, first][:, None], best, ties, engine)[:, 0]
    if ties == "worst":  # the others as similar that are relevant too are not ahead of this one
        ranks -= (goal == best).sum(axis=1) - 1
    return ranks


def relevant_ranks(
    questions: _checks.Points,
    documents: _checks.Points,
    gold: Any,
    *,
    ties: str = "lower-index",
    engine: str = "numpy",
) -> RelevantRanks:
    """Return the ranks of all relevant documents of each question, with their grades.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings by one model: see `answer_ranks`.
    gold : array-like of shape (Q,) or (Q, k), or mapping
        Relevant documents, those of an array with grade 1: see `answer_ranks`.
    ties, engine
        See `answer_ranks`. Relevant documents that are tied stand in the order of their positions.

    Returns
    -------
    RelevantRanks
        Ranks from 1 to N, different for the documents of one question. The first column is what `answer_ranks` returns.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension or hold NaN, inf or zero rows; if `gold` is missing,
        fractional or out of range for a question, or names a document twice; or if an option does not exist.
    ImportError
        If ``engine="faiss"`` and faiss is not installed.

    Notes
    -----
    Similarities and ties are those of `answer_ranks`, and so is the invariance. O(Q N (n + k)) time, as similarities are
    computed once and compared k times; with faiss O(Q N n k). Memory as there.

    Examples
    --------
    >>> from isotropy_lab.retrieval import relevant_ranks
    >>> documents = [[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]]
    >>> found = relevant_ranks([[1.0, 0.1], [0.0, 1.0]], documents, [[1, 0], [2, -1]])
    >>> found.ranks.tolist(), found.documents.tolist(), found.best.tolist()
    ([[1, 3], [2, 0]], [[0, 1], [2, -1]], [1, 2])
    """
    Q, D = _embeddings(questions, documents)
    relevant, grades = as_judgments(gold, len(Q), len(D))
    _check_ways(ties, engine)
    goal = _goals(Q, D, relevant)
    ranks = _ranks_of(Q, D, relevant, goal, ties, engine)
    if ties == "worst":
        for column in range(goal.shape[1] - 1):  # ahead of later ones that are relevant too
            ranks[:, column] -= (goal[:, column + 1 :] == goal[:, column, None]).sum(axis=1)
        ranks[relevant < 0] = 0
    order = np.argsort(np.where(relevant < 0, len(D) + 1, ranks), axis=1, kind="stable")
    ranks, grades, relevant = (np.take_along_axis(x, order, axis=1) for x in (ranks, grades, relevant))
    return RelevantRanks(ranks=ranks, grades=grades, documents=relevant)


def _check_ways(ties: str, engine: str) -> None:
    _checks.check_option(ties, "ties", TIES)
    _checks.check_option(engine, "engine", ENGINES)


def top_k(
    questions: _checks.Points,
    documents: _checks.Points,
    k: int,
    *,
    engine: str = "numpy",
) -> TopK:
    """Return the k documents most similar to each question, and their cosine similarities, from −1 to 1.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings: see `answer_ranks`.
    k : int
        Documents of each question, 1 ≤ k ≤ N.
    engine : {"numpy", "faiss"}, default "numpy"
        What searches; the result is the same.

    Returns
    -------
    TopK
        Documents in descending order of similarity; equally similar ones in the order of their positions.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension or hold NaN, inf or zero rows; if `k` is 0 or above N; or if
        an option does not exist.
    ImportError
        If ``engine="faiss"`` and faiss is not installed.

    Notes
    -----
    Similarities and ties are those of `answer_ranks`: a document is at place r exactly if its rank is r. Invariant and
    O(Q N n) time and memory as there, beside the result.

    Examples
    --------
    >>> from isotropy_lab.retrieval import top_k
    >>> best = top_k([[1.0, 0.0]], [[3.0, 4.0], [0.0, 1.0], [1.0, 0.0]], 2)
    >>> best.indices.tolist(), best.similarities.round(6).tolist()
    ([[2, 0]], [[1.0, 0.6]])
    """
    Q, D = _embeddings(questions, documents)
    n_best = check_n_best(k, len(D))
    _checks.check_option(engine, "engine", ENGINES)
    if engine == "numpy":
        return _best(Q, D, n_best)
    return _faiss_best(Q, D, n_best)


def pair_similarities(questions: _checks.Points, documents: _checks.Points, gold: Any) -> NDArray[np.float64]:
    """Return the cosine similarity of each question and its right document, from −1 to 1, as `answer_ranks` compares it.

    Parameters
    ----------
    questions, documents : array-like of shape (Q, n) and (N, n)
        Embeddings by one model.
    gold : array-like of shape (Q,) or (Q, k), or mapping
        Position of one document for each question; or several relevant ones (see `answer_ranks`), the most similar of
        which counts.

    Returns
    -------
    numpy.ndarray of shape (Q,), float64
        Multiples of 2⁻⁴⁰.

    Raises
    ------
    TypeError, ValueError
        If embeddings are not numeric, differ in dimension or hold NaN, inf or zero rows, or `gold` is missing or out of
        range.

    Notes
    -----
    O(Q k n) time, 4 MB beside the arguments. Invariant as `answer_ranks`.

    Examples
    --------
    >>> from isotropy_lab.retrieval import pair_similarities
    >>> pair_similarities([[1.0, 0.0]], [[0.0, 1.0], [3.0, 4.0]], [1]).round(6).tolist()
    [0.6]
    """
    return most_similar_relevant(questions, documents, gold)[1]


def most_similar_relevant(
    questions: _checks.Points, documents: _checks.Points, gold: Any
) -> tuple[NDArray[np.int64], Floats]:
    """Return the position and the similarity of each question's most similar relevant document."""
    Q, D = _embeddings(questions, documents)
    relevant, _ = as_judgments(gold, len(Q), len(D))
    goal = _goals(Q, D, relevant)
    each, first = np.arange(len(Q)), goal.argmax(axis=1)
    return relevant[each, first], goal[each, first]


# --- similarities ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Embeddings:
    """Rows as they were given and their lengths, so that no copy of them is scaled."""

    rows: _checks.FloatArray
    lengths: Floats

    @classmethod
    def of(cls, rows: _checks.FloatArray, name: str) -> _Embeddings:
        lengths = _lengths(rows)
        if not np.isfinite(lengths).all() or float(lengths.min()) < 1e-30 or float(lengths.max()) > 1e30:
            _checks.raise_if_not_finite(rows, name)
            _checks.check_no_zero_rows(np.abs(rows).max(axis=1), name)
            rows = scaled_rows(rows)  # squares, or numbers in float32, would over- or underflow
            lengths = _lengths(rows)
        return cls(rows, lengths)

    @property
    def n(self) -> int:
        return int(self.rows.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice | Places) -> _Embeddings:
        return _Embeddings(self.rows[part], self.lengths[part])

    def singles(self) -> Singles:
        """Return the rows as float32 of unit length."""
        units = np.empty(self.rows.shape, dtype=np.float32)
        # float32 times float32: two roundings of each number, for which the margin has room.
        factors = (1.0 / self.lengths).astype(self.rows.dtype)
        return np.multiply(self.rows, factors[:, None], out=units, casting="same_kind")

    def doubles(self) -> Floats:
        """Return the rows as float64 of unit length."""
        return np.asarray(self.rows / self.lengths[:, None], dtype=np.float64)


def _lengths(rows: _checks.FloatArray) -> Floats:
    lengths = np.empty(len(rows))
    step = max(1, _PAIR_ENTRIES // rows.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(rows), step):
            part = np.asarray(rows[start : start + step], dtype=np.float64)
            np.einsum("ij,ij->i", part, part, out=lengths[start : start + step])
        return np.asarray(np.sqrt(lengths, out=lengths))


def _embeddings(questions: _checks.Points, documents: _checks.Points) -> tuple[_Embeddings, _Embeddings]:
    Q, D = as_embeddings(questions, documents)
    return _Embeddings.of(Q, "questions"), _Embeddings.of(D, "documents")


def _pairs(Q: _Embeddings, D: _Embeddings, rows: Places, columns: Places) -> Floats:
    """Return the similarities of pairs, each from its two rows in one fixed order of additions."""
    values = np.empty(len(rows))
    step = max(1, _PAIR_ENTRIES // Q.n)
    for start in range(0, len(rows), step):
        r, c = rows[start : start + step], columns[start : start + step]
        left = np.asarray(Q.rows[r], dtype=np.float64)
        right = np.asarray(D.rows[c], dtype=np.float64)
        products = np.einsum("ij,ij->i", left, right)
        values[start : start + step] = products / (Q.lengths[r] * D.lengths[c])
    return np.asarray(np.rint(values / _GRID) * _GRID)


def _margin(n: int, dtype: Any) -> float:
    """Bound of what a tile's similarities can be off: n additions, rounded rows, and the same for the pair itself."""
    unit, fine = float(np.finfo(dtype).eps) / 2.0, float(np.finfo(np.float64).eps)
    return (n + 8) * (unit / (1.0 - (n + 8) * unit) + fine) + _GRID


def _below(values: Floats, dtype: Any) -> NDArray[Any]:
    """Round to `dtype` downward."""
    return np.asarray(np.nextafter(values.astype(dtype), np.asarray(-np.inf, dtype=dtype)))


class _Tiles:
    """Products of tiles of questions and documents in one reused block of memory."""

    def __init__(self, Q: _Embeddings, D: _Embeddings) -> None:
        self.Q, self.D = Q, D
        self.step = min(_DOCUMENTS, len(D))
        self.height = min(len(Q), max(1, _QUESTIONS * _DOCUMENTS // self.step))
        self.units = Q.singles()
        size = self.height * self.step
        self.block = np.empty(size, dtype=np.float32)
        self.above, self.within = np.empty(size, dtype=bool), np.empty(size, dtype=bool)

    def __iter__(self) -> Iterator[tuple[slice, slice, Singles]]:
        for first in range(0, len(self.D), self.step):
            columns = slice(first, min(first + self.step, len(self.D)))
            right = self.D[columns].singles()
            for start in range(0, len(self.Q), self.height):
                rows = slice(start, min(start + self.height, len(self.Q)))
                left = self.units[rows]
                product = self.block[: len(left) * len(right)].reshape(len(left), len(right))
                np.matmul(left, right.T, out=product)
                yield rows, columns, product

    def precise(self, rows: slice, columns: slice) -> Floats:
        """Return the same products in float64, for a tile that float32 leaves undecided."""
        return np.asarray(self.Q[rows].doubles() @ self.D[columns].doubles().T)

    def reaches(self, product: NDArray[Any], bounds: Floats, *, above: bool = False) -> NDArray[np.bool_]:
        """Whether entries of a tile may reach their row's bound, or are surely above it; overwritten by the next call."""
        out = (self.above if above else self.within)[: product.size].reshape(product.shape)
        if above:
            np.greater(product, -_below(-bounds, product.dtype)[:, None], out=out)
        else:
            np.greater_equal(product, _below(bounds, product.dtype)[:, None], out=out)
        return out


# --- ranks ----------------------------------------------------------------------------------------------------


def _goals(Q: _Embeddings, D: _Embeddings, relevant: NDArray[np.int64]) -> Floats:
    """Return the similarities of questions and relevant documents, −inf where there are fewer."""
    goal = np.full(relevant.shape, -np.inf)
    rows, columns = np.nonzero(relevant >= 0)
    goal[rows, columns] = _pairs(Q, D, rows, relevant[rows, columns])
    return goal


def _ranks_of(
    Q: _Embeddings, D: _Embeddings, relevant: NDArray[np.int64], goal: Floats, ties: str, engine: str
) -> NDArray[np.int64]:
    """Return 1 + the number of documents ahead of each relevant one; 0 where there are fewer."""
    if engine == "numpy":
        return _ranks(Q, D, relevant, goal, ties)
    ranks = np.zeros(relevant.shape, dtype=np.int64)
    index = _faiss_index(D)
    for column in range(relevant.shape[1]):
        some = np.flatnonzero(relevant[:, column] >= 0)
        ranks[some, column] = _all_by_faiss(
            index, Q[some], D, relevant[some, column], goal[some, column], ties
        )
    return ranks


def _ranks(
    Q: _Embeddings,
    D: _Embeddings,
    relevant: NDArray[np.int64],
    goal: Floats,
    ties: str,
) -> NDArray[np.int64]:
    ranks = np.where(relevant >= 0, np.int64(1), np.int64(0))
    goal = np.where(relevant >= 0, goal, np.inf)  # which nothing is ahead of
    tiles = _Tiles(Q, D)
    for rows, columns, product in tiles:
        precise = None
        for place in range(relevant.shape[1]):
            goals, places = goal[:, place], relevant[:, place]
            above, band = _split(tiles, product, goals[rows])
            if band.size > product.size // _CROWDED + product.shape[0]:
                precise = tiles.precise(rows, columns) if precise is None else precise
                above, band = _split(tiles, precise, goals[rows])
            r, c = band // product.shape[1] + rows.start, band % product.shape[1] + columns.start
            other = c != places[r]
            r, c = r[other], c[other]
            ahead = _ahead(Q, D, r, c, places, goals, ties)
            ranks[rows, place] += above + np.bincount(r[ahead] - rows.start, minlength=product.shape[0])
    return ranks


def _split(tiles: _Tiles, product: NDArray[Any], goal: Floats) -> tuple[NDArray[np.int64], Places]:
    """Count the entries of every row that are surely above its goal; say where those are that may equal it."""
    margin = _margin(tiles.Q.n, product.dtype)
    surely = tiles.reaches(product, goal + margin, above=True)
    # One row at a time: numpy counts a row of truth values ten times as fast as an axis.
    above = np.fromiter((np.count_nonzero(row) for row in surely), dtype=np.int64, count=len(surely))
    surely ^= tiles.reaches(product, goal - margin)
    return above, np.flatnonzero(surely)


def _ahead(
    Q: _Embeddings,
    D: _Embeddings,
    rows: Places,
    columns: Places,
    places: NDArray[np.int64],
    goal: Floats,
    ties: str,
) -> NDArray[np.bool_]:
    """Whether each document is ahead of the right one of its question."""
    values = _pairs(Q, D, rows, columns)
    equal = values == goal[rows]
    if ties == "lower-index":
        equal &= columns < places[rows]
    return np.asarray((values > goal[rows]) | equal)


# --- the best documents ---------------------------------------------------------------------------------------


def _best(Q: _Embeddings, D: _Embeddings, k: int) -> TopK:
    values = np.full((len(Q), k), -np.inf)
    indices = np.full((len(Q), k), len(D), dtype=np.int64)
    tiles = _Tiles(Q, D)
    for rows, columns, product in tiles:
        keep = _candidates(tiles, product, values[rows, -1], k)
        if np.count_nonzero(keep) > product.size // _CROWDED + 4 * k * product.shape[0]:
            keep = _candidates(tiles, tiles.precise(rows, columns), values[rows, -1], k)
        flat = np.flatnonzero(keep)
        r, c = flat // product.shape[1], flat % product.shape[1]
        if r.size:
            found = _pairs(Q, D, r + rows.start, c + columns.start)
            _merge(values[rows], indices[rows], r, c + columns.start, found)
    return TopK(indices, values)


def _candidates(tiles: _Tiles, product: NDArray[Any], held: Floats, k: int) -> NDArray[np.bool_]:
    """Whether a document may be among the best k, those of earlier tiles included, the last of which is `held`."""
    margin = _margin(tiles.Q.n, product.dtype)
    return tiles.reaches(product, np.maximum(held - margin, _lower_bound(product, k) - 2 * margin))


def _lower_bound(product: NDArray[Any], k: int) -> Floats:
    """Return a lower bound of the k-th largest entry of every row, −inf where there are fewer.

    The k-th largest of the maxima of some 16·k groups is one, and hardly more than k entries reach it.
    """
    n_rows, n_columns = product.shape
    if n_columns < k:
        return np.full(n_rows, -np.inf)
    depth = n_columns // max(16 * k, 1)
    if depth >= 4:
        n_groups = n_columns // depth
        product = product[:, : depth * n_groups].reshape(n_rows, depth, n_groups).max(axis=1)
    place = product.shape[1] - k
    return np.partition(product, place, axis=1)[:, place].astype(np.float64)


def _merge(values: Floats, indices: NDArray[np.int64], rows: Places, columns: Places, found: Floats) -> None:
    """Put further documents among the best of their rows, in place; `rows` is ascending."""
    touched, first = np.unique(rows, return_index=True)
    k = values.shape[1]
    r = np.concatenate([np.repeat(touched, k), rows])
    v = np.concatenate([values[touched].ravel(), found])
    i = np.concatenate([indices[touched].ravel(), columns])
    order = np.lexsort((i, -v, r))
    starts = k * np.arange(touched.size) + first
    chosen = order[starts[:, None] + np.arange(k)]
    values[touched], indices[touched] = v[chosen], i[chosen]


# --- faiss ----------------------------------------------------------------------------------------------------


def _faiss_index(D: _Embeddings) -> Any:
    faiss = require("faiss", 'engine="faiss"', install="faiss-cpu")
    index = faiss.IndexFlatIP(D.n)
    for start in range(0, len(D), _DOCUMENTS):
        index.add(D[start : start + _DOCUMENTS].singles())
    return index


def _faiss_search(index: Any, Q: _Embeddings, depth: int) -> tuple[Floats, Places]:
    values, indices = index.search(Q.singles(), depth)
    return np.asarray(values, dtype=np.float64), np.asarray(indices, dtype=np.intp)


def _all_by_faiss(
    index: Any, Q: _Embeddings, D: _Embeddings, places: NDArray[np.int64], goal: Floats, ties: str
) -> NDArray[np.int64]:
    """Return the ranks of one document of each question; what faiss leaves undecided is ranked among all."""
    ranks = np.zeros(len(Q), dtype=np.int64)
    open_ = np.arange(len(Q))
    for depth in _FAISS_DEPTHS:
        if open_.size:
            found = _faiss_ranks(index, Q[open_], D, places[open_], goal[open_], ties, depth)
            ranks[open_] = found
            open_ = open_[found == 0]
    if open_.size:
        ranks[open_] = _ranks(Q[open_], D, places[open_, None], goal[open_, None], ties)[:, 0]
    return ranks


def _faiss_ranks(
    index: Any,
    Q: _Embeddings,
    D: _Embeddings,
    places: NDArray[np.int64],
    goal: Floats,
    ties: str,
    depth: int,
) -> NDArray[np.int64]:
    """Return the ranks that the first `depth` documents decide, 0 for the others."""
    values, indices = _faiss_search(index, Q, min(depth, len(D)))
    margin = _margin(Q.n, np.float32)
    decided = (values[:, -1] < goal - margin) | (indices.shape[1] == len(D))
    ranks = np.where(decided, 1 + (values > (goal + margin)[:, None]).sum(axis=1), 0)
    near = np.abs(values - goal[:, None]) <= margin
    r, place = np.nonzero(near & decided[:, None])
    c = indices[r, place]
    other = c != places[r]
    r, c = r[other], c[other]
    ahead = _ahead(Q, D, r, c, places, goal, ties)
    return np.asarray(ranks + np.bincount(r[ahead], minlength=len(Q)), dtype=np.int64)


def _faiss_best(Q: _Embeddings, D: _Embeddings, k: int) -> TopK:
    """Rank faiss's candidates again; where one it left out may be among the best k, all documents are ranked."""
    depth = min(len(D), k + max(16, k // 4))
    values, candidates = _faiss_search(_faiss_index(D), Q, depth)
    margin = _margin(Q.n, np.float32)
    r = np.repeat(np.arange(len(Q)), depth)
    exact = _pairs(Q, D, r, candidates.ravel())
    best = TopK(np.full((len(Q), k), len(D), dtype=np.int64), np.full((len(Q), k), -np.inf))
    _merge(best.similarities, best.indices, r, candidates.ravel(), exact)
    if depth < len(D):
        open_ = np.flatnonzero(values[:, -1] + margin >= best.similarities[:, -1])
        if open_.size:
            again = _best(Q[open_], D, k)
            best.similarities[open_], best.indices[open_] = again.similarities, again.indices
    return best
