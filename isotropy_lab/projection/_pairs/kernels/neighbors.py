"""Loops that count closer points and sum the co-ranking matrix, in plain Python to be compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

BINS = 8192
"""Number of bins of a row: one below all given points, one above them, and the others between."""


def count_nearer(
    product: Any, goals: Any, positions: Any, first: int, margin: float, counts: Any, undecided: Any
) -> None:
    """Count the points of a tile, binned by the number of given points of their row that are farther.

    Closer points have larger products. `goals` contains the products of the given points in ascending order,
    and `positions` their indices; the columns of the tile start at point `first`. Points whose product is
    within `margin` of a goal are marked as undecided.
    """
    n_rows, n_columns = product.shape
    k = goals.shape[1]
    table = np.empty(BINS, np.int32)  # number m of given points farther than a bin, or −1 − m if one is close
    bins = np.empty(n_columns, np.int32)
    for r in range(n_rows):
        lowest = goals[r, 0] - margin
        scale = (BINS - 3.0) / (goals[r, k - 1] + margin - lowest)
        done: Any = 0
        for m in range(k):
            begin = np.int64((goals[r, m] - margin - lowest) * scale + 1.0)
            end = np.int64((goals[r, m] + margin - lowest) * scale + 1.0)
            table[done:begin] = m
            table[max(done, begin) : end + 1] = -1 - m if begin >= done else table[done - 1]
            done = max(done, end + 1)
        table[done:] = k
        for c in range(n_columns):  # a loop by itself, which the compiler turns into vector instructions
            bin_number = (np.float64(product[r, c]) - lowest) * scale + 1.0
            bins[c] = np.int32(min(max(bin_number, 0.0), BINS - 1.0))
        for c in range(n_columns):
            low: Any = table[bins[c]]
            if low < 0:
                v = np.float64(product[r, c])
                low = -1 - low
                while low < k and goals[r, low] < v - margin:
                    low += 1
                high = low
                while high < k and goals[r, high] <= v + margin and positions[r, high] != first + c:
                    high += 1
                if high < k and goals[r, high] <= v + margin:
                    low = high
                elif high > low:
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
    sums[0] += np.cumsum(kept[:n])
    for side in range(2):
        sums[1 + side] += np.cumsum(np.cumsum(slopes[side, :n]) + jumps[side, :n])
