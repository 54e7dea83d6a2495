"""NumPy counterparts of the compiled loops, with the same names, arguments, and results.

The docstrings are in `kernels`, and tests compare the results with those of the loops. Pairs are processed in
blocks of rows, so that memory is bounded, and summed in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import elementwise
from scipy.spatial.distance import cdist
from scipy.special import xlogy

Floats = NDArray[np.float64]

_CHUNK_ENTRIES = 2**18
"""Number of entries of a block: 2 MB."""

_SMALLEST_SQUARE = 1e-290
_TIE_TOLERANCE = 8 * float(np.finfo(float).eps)

# --- tiles of the distance matrix that start at row i₀ and column j₀, restricted to pairs i < j -------------


def upper(block: NDArray[Any], i0: int, j0: int) -> NDArray[Any]:
    """Return the entries i < j of a tile as a vector, in row-major order."""
    n_rows, n_columns = block.shape
    if j0 >= i0 + n_rows:
        return block.ravel()
    return block[np.arange(j0, j0 + n_columns) > np.arange(i0, i0 + n_rows)[:, None]]


def distance_tile(A: NDArray[Any], B: NDArray[Any], out: Floats) -> None:
    out[...] = cdist(A, B)


def count_nearer(
    product: NDArray[Any],
    goals: Floats,
    positions: NDArray[Any],
    first: int,
    margin: float,
    counts: NDArray[np.int64],
    undecided: NDArray[np.bool_],
) -> None:
    k = goals.shape[1]
    for r, row in enumerate(product.astype(np.float64)):
        columns = np.flatnonzero(row >= goals[r, 0] - margin)
        low = np.searchsorted(goals[r], row[columns] - margin)
        is_close = low < np.searchsorted(goals[r], row[columns] + margin, side="right")
        in_tile = positions[r] - first
        m = np.flatnonzero((in_tile >= 0) & (in_tile < row.size))
        undecided[r, columns[is_close]] = True
        undecided[r, in_tile[m]] = False
        decided = ~is_close & ~np.isin(columns, in_tile)
        counts[r] += np.bincount(low[decided], minlength=k + 1) + np.bincount(m, minlength=k + 1)


def compare_orders(X: NDArray[Any], Y: NDArray[Any], sums: NDArray[np.int64]) -> None:
    n = X.shape[1]
    ranks = np.zeros(n, np.int64)
    b = np.arange(1, n)
    for r in range(len(X)):
        ranks[X[r, :-1]] = b
        a = ranks[Y[r, :-1]]
        near, far = np.minimum(a, b), np.maximum(a, b)
        tile_sums = np.zeros((3, n), np.int64)
        tile_sums[0] = np.cumsum(np.bincount(far, minlength=n))
        for row, side in ((1, a > b), (2, a < b)):
            jumps = np.bincount(near[side], far[side] - near[side], minlength=n).astype(np.int64)
            ends = np.bincount(far[side] + 1, minlength=n + 1) - np.bincount(near[side] + 1, minlength=n + 1)
            tile_sums[row] = np.cumsum(np.cumsum(ends[:n]) + jumps)
        sums += tile_sums


# --- affinities ---------------------------------------------------------------------------------------------


def conditional_rows(D: Floats, perplexity: float) -> None:
    n_points = D.shape[0]
    chunk_size = max(_CHUNK_ENTRIES // n_points, 1)
    for start in range(0, n_points, chunk_size):
        rows = D[start : start + chunk_size]
        is_other = np.ones(rows.shape, bool)
        np.fill_diagonal(is_other[:, start:], False)
        delta = rows[is_other].reshape(len(rows), n_points - 1)
        nearest = delta.min(axis=1, keepdims=True)
        delta -= nearest
        delta[delta <= _TIE_TOLERANCE * nearest] = 0.0
        weights = (delta == 0.0).astype(np.float64)
        # If there are at least as many ties as the perplexity, no bandwidth gives such a low entropy.
        has_root = weights.sum(axis=1) < perplexity
        if has_root.any():
            weights[has_root] = _weights(delta[has_root], np.log(perplexity))
        rows[is_other] = (weights / weights.sum(axis=1, keepdims=True)).ravel()
        rows[~is_other] = 0.0


def _weights(delta: Floats, target: float) -> Floats:
    """Return exp(−βδ) for each row, with the β for which these weights have the entropy `target`."""

    def excess(log_beta: Floats, rows: Floats) -> Floats:
        with np.errstate(over="ignore"):
            t = np.maximum(-np.exp(log_beta)[:, None] * delta[rows.astype(np.intp)], -1416.0)
        e = np.exp(t)
        total = e.sum(axis=1)
        return np.asarray(np.log(total) - (t * e).sum(axis=1) / total - target)

    rows = np.arange(len(delta))
    start = np.log1p(np.log(delta.shape[1]) - target) - np.log(delta.mean(axis=1))
    ends = elementwise.bracket_root(excess, start - 0.25, start + 0.25, xmin=-690.0, xmax=690.0, args=(rows,))
    log_beta = elementwise.find_root(excess, ends.bracket, args=(rows,)).x
    return np.asarray(np.exp(-np.exp(log_beta)[:, None] * delta))


def symmetrize(P: Floats) -> None:
    """Replace conditional probabilities with joint probabilities (p(j|i) + p(i|j))/2N, in place."""
    n_points = P.shape[0]
    chunk_size = max(_CHUNK_ENTRIES // n_points, 1)
    for start in range(0, n_points, chunk_size):
        stop = start + chunk_size
        joint = (P[start:stop, start:] + P[start:, start:stop].T) / (2.0 * n_points)
        P[start:stop, start:], P[start:, start:stop] = joint, joint.T


# --- KL divergence ------------------------------------------------------------------------------------------


def affinity_sums(P: Floats) -> tuple[float, float, float, float, int, int]:
    """Return ΣP and ΣP log P over i ≠ j, max |P_ij − P_ji|, the smallest entry, and i, j of the maximum.

    Diagonal entries are included in the smallest entry and, as differences from 0, in the maximum.
    """
    n_points = P.shape[0]
    chunk_size = max(_CHUNK_ENTRIES // n_points, 1)
    total = entropy = gap = 0.0
    position = (0, 0)
    for start in range(0, n_points, chunk_size):
        rows = P[start : start + chunk_size, start:]
        differences = np.abs(rows - P[start:, start : start + chunk_size].T)
        np.fill_diagonal(differences, np.abs(rows.diagonal()))
        if differences.max() > gap:
            gap = float(differences.max())
            i, j = np.unravel_index(int(differences.argmax()), differences.shape)
            position = start + int(i), start + int(j)
        p = upper(rows, start, start)
        total += float(p.sum())
        entropy += float(xlogy(p, p).sum())
    return 2.0 * total, 2.0 * entropy, gap, min(float(P.min()), 0.0), *position


def _squares(Yt: Floats, P: Floats | None = None) -> Iterator[tuple[Floats, Floats]]:
    """Yield e² and P of the pairs i < j, in blocks of rows; e² is 0 if 1/e² might overflow."""
    Y = np.ascontiguousarray(Yt.T)
    chunk_size = max(_CHUNK_ENTRIES // len(Y), 1)
    for start in range(0, len(Y) - 1, chunk_size):
        rows = slice(start, min(start + chunk_size, len(Y) - 1))
        e2 = upper(cdist(Y[rows], Y[start:], "sqeuclidean"), start, start)
        e2[e2 <= _SMALLEST_SQUARE] = 0.0
        yield e2, e2 if P is None else upper(P[rows, start:], start, start)


def extremes(Yt: Floats) -> tuple[float, float, float, int]:
    low = positive = np.inf
    high, count = 0.0, 0
    for e2, _ in _squares(Yt):
        if e2.min() < low:
            low, count = float(e2.min()), 0
        count += int((e2 == low).sum())
        positive = min(positive, float(e2[e2 > 0.0].min(initial=np.inf)))
        high = max(high, float(e2.max()))
    return low, positive, high, count


def student_sums(P: Floats, Yt: Floats, a: float, b: float, unit: float) -> Floats:
    sums = np.zeros(10)
    for e2, p in _squares(Yt, P):
        w = a + b * e2
        v, s, q = e2 / w, a / w, unit / w
        p_sums, q_sums = ([(weight * term).sum() for term in (v, v * v, s, s * s)] for weight in (p, q))
        sums += [(p * np.log(w)).sum(), *p_sums, q.sum(), *q_sums]
    return sums


def gaussian_weights(number: Floats | float, delta: Floats, b: float) -> list[float]:
    """Return Σq, Σqδ, and Σqδ², with q = number·exp(−bδ)."""
    with np.errstate(over="ignore"):
        q = number * np.exp(-b * delta)
    return [(q * power).sum() for power in (1.0, delta, delta * delta)]


def gaussian_sums(Yt: Floats, b: float, nearest: float) -> Floats:
    sums = np.zeros(3)
    for e2, _ in _squares(Yt):
        sums += gaussian_weights(1.0, e2 - nearest, b)
    return sums


def excess_sums(P: Floats, Yt: Floats, nearest: float) -> tuple[float, int]:
    """Return Σpδ over i < j, with δ = e² − `nearest`, and the number of pairs with p > 0 and δ > 0."""
    total, n_farther = 0.0, 0
    for e2, p in _squares(Yt, P):
        delta = e2 - nearest
        total += float((p * delta).sum())
        n_farther += int(((delta > 0.0) & (p > 0.0)).sum())
    return total, n_farther


def fill_histogram(P: Floats, Yt: Floats, nearest: float, first: int, shift: int, bins: Floats) -> None:
    for e2, p in _squares(Yt, P):
        delta = e2 - nearest
        k = np.maximum((delta.view(np.int64) >> shift) - first, 0)
        square = delta * delta
        for column, weights in enumerate((None, delta, square, p, p * delta, p * square)):
            bins[:, column] += np.bincount(k, weights, len(bins))
