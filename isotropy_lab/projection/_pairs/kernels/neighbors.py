"""Loops that count closer points and sum the co-ranking matrix, in plain Python to be compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

BINS = 2048
"""Number of bins between the farthest and the nearest given point of a row."""


def count_nearer(
    product: Any, goals: Any, places: Any, first: int, margin: float, counts: Any, undecided: Any
) -> None:
    """Count the points of a tile, binned by the number of given points of their row that are farther.

    Closer points have larger products. `goals` contains the products of the given points in ascending order,
    and `places` their indices; the columns of the tile start at point `first`. Points whose product is within
    `margin` of a goal are marked as undecided.
    """
    n_rows, n_columns = product.shape
    k = goals.shape[1]
    table = np.empty(BINS, np.int64)  # number of given points farther than a bin, or −1 if one is close
    for r in range(n_rows):
        lowest, highest = goals[r, 0] - margin, goals[r, k - 1] + margin
        scale = (BINS - 1.0) / (highest - lowest)
        done: Any = 0
        for m in range(k):
            begin = np.int64((goals[r, m] - margin - lowest) * scale)
            end = np.int64((goals[r, m] + margin - lowest) * scale)
            table[done:begin] = m
            table[max(done, begin) : end + 1] = -1
            done = max(done, end + 1)
        for c in range(n_columns):
            v = np.float64(product[r, c])
            if v < lowest:
                continue
            if v > highest:
                counts[r, k] += 1
                continue
            low: Any = table[np.int64((v - lowest) * scale)]
            if low < 0:
                low = np.searchsorted(goals[r], v - margin)
                known = low == k or goals[r, low] > v + margin
                m = low
                while not known and m < k and goals[r, m] <= v + margin:
                    if places[r, m] == first + c:
                        low, known = m, True
                    m += 1
                if not known:
                    undecided[r, c] = True
                    continue
            counts[r, low] += 1


def compare_orders(X: Any, Y: Any, sums: Any) -> None:
    """Sum the co-ranking matrix, given rows of indices sorted by distance.

    The rows of `sums` are, for each K: the number of pairs whose ranks are both at most K; the sum of R − K
    over pairs with rank r ≤ K in the projection and R > K in the data; and the sum of r − K if R ≤ K < r.
    """
    n = X.shape[1]  # K < n
    ranks = np.zeros(n, np.int64)
    kept = np.zeros(n + 1, np.int64)
    jumps, slopes = np.zeros((2, n + 1), np.int64), np.zeros((2, n + 1), np.int64)
    for r in range(X.shape[0]):
        for m in range(n - 1):
            ranks[np.int64(X[r, m])] = m + 1
        for m in range(n - 1):
            b = m + 1
            a = ranks[np.int64(Y[r, m])]
            side = 0 if a > b else 1
            near, far = (b, a) if a > b else (a, b)
            # As a function of K, the term far − K is a jump at K = near followed by a slope of −1.
            kept[far] += 1
            jumps[side, near] += far - near
            slopes[side, near + 1] -= 1
            slopes[side, far + 1] += 1
        both, slope0, slope1, total0, total1 = 0, 0, 0, 0, 0
        for k in range(1, n):
            both += kept[k]
            slope0 += slopes[0, k]
            slope1 += slopes[1, k]
            total0 += slope0 + jumps[0, k]
            total1 += slope1 + jumps[1, k]
            sums[0, k] += both
            sums[1, k] += total0
            sums[2, k] += total1
        kept[:] = 0
        jumps[:] = 0
        slopes[:] = 0
