"""Loops over the pairs of a tile that find distances from inner products. Plain Python, as in `kernels_pairs`."""

from __future__ import annotations

from typing import Any

import numpy as np

CACHE = 2**14
"""Numbers of the columns that are worked on together: an eighth of a megabyte, which leaves room in the second cache."""

NEAR = 1.0 / 32.0
"""Pairs whose squared distance is a smaller share of the sum of their squared norms are done by differences."""

MANY = 1.0 / 8.0
"""Where more than this share of a tile is near, all of it is better done by differences."""


def product_tile(
    A: Any, B: Any, a_norms: Any, b_norms: Any, a_points: Any, b_points: Any, factor: float, out: Any
) -> bool:
    """Write the distances between the rows of A and of B to `out`, or return False where too many of them are near.

    A and B are centered, which has rounded them; near pairs are found from the points as they were given, times
    `factor`. Four rows by two columns at a time, as in `kernels_pairs.wide_tile`.
    """
    n_rows, n = A.shape
    n_columns = B.shape[0]
    width = max(8, CACHE // n // 2 * 2)
    for start in range(0, n_columns, width):
        stop = min(start + width, n_columns)
        for i in range(0, n_rows, 4):
            # At the edge a row or column is done twice rather than in another way.
            i1, i2, i3 = min(i + 1, n_rows - 1), min(i + 2, n_rows - 1), min(i + 3, n_rows - 1)
            a0, a1, a2, a3 = A[i], A[i1], A[i2], A[i3]
            for j in range(start, stop, 2):
                j1 = min(j + 1, n_columns - 1)
                b0, b1 = B[j], B[j1]
                s00, s01, s10, s11, s20, s21, s30, s31 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                for k in range(n):
                    x0, x1, x2, x3 = a0[k], a1[k], a2[k], a3[k]
                    y0, y1 = b0[k], b1[k]
                    s00 += x0 * y0
                    s01 += x0 * y1
                    s10 += x1 * y0
                    s11 += x1 * y1
                    s20 += x2 * y0
                    s21 += x2 * y1
                    s30 += x3 * y0
                    s31 += x3 * y1
                out[i, j], out[i, j1] = s00, s01
                out[i1, j], out[i1, j1] = s10, s11
                out[i2, j], out[i2, j1] = s20, s21
                out[i3, j], out[i3, j1] = s30, s31
    near = 0
    for i in range(n_rows):
        for j in range(n_columns):
            both = a_norms[i] + b_norms[j]
            out[i, j] = both - 2.0 * out[i, j]
            near += out[i, j] < NEAR * both
    if near > MANY * n_rows * n_columns:
        return False
    for i in range(n_rows):
        if near > 0:
            for j in range(n_columns):
                if out[i, j] < NEAR * (a_norms[i] + b_norms[j]):
                    square = 0.0
                    for k in range(n):
                        gap = np.float64(a_points[i, k]) - np.float64(b_points[j, k])
                        square += gap * gap
                    out[i, j] = square * factor * factor
        for j in range(n_columns):
            out[i, j] = np.sqrt(out[i, j])
    return True
