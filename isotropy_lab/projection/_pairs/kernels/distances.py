"""Loops over the pairs of a tile: distances, by differences and by products, and sums. Plain Python, to be compiled.

A tile is the rows i₀ … i₀+I of one side of a square table of distances and the columns j₀ … j₀+J of the other. Only
pairs i < j count; in a tile on the diagonal the others are skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CACHE = 2**15
"""Numbers of the columns that are worked on together: a quarter of a megabyte, which the second cache holds."""

PRODUCT_CACHE = 2**14
"""Numbers of the columns that are worked on together: an eighth of a megabyte, which leaves room in the second cache."""

NEAR = 1.0 / 32.0
"""Pairs whose squared distance is a smaller fraction of the sum of their squared norms are done by differences."""

MANY = 1.0 / 8.0
"""Where more than this fraction of a tile is near, all of it is better done by differences."""


def wide_tile(A: Any, B: Any, out: Any) -> None:
    """Write the Euclidean distances between the rows of A and of B to `out`.

    Differences first: no cancellation whatever the offset, as in ‖a‖² − 2a·b + ‖b‖². Four rows by two columns at a
    time: their eight sums and the six numbers that they need fit into the vector registers. The sums run over the
    coordinates in the same order for every pair, so that a distance does not depend on where in a tile it is found.
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
                    x0, x1, x2, x3 = (
                        np.float64(a0[k]),
                        np.float64(a1[k]),
                        np.float64(a2[k]),
                        np.float64(a3[k]),
                    )
                    y0, y1 = np.float64(b0[k]), np.float64(b1[k])
                    s00 += (x0 - y0) * (x0 - y0)
                    s01 += (x0 - y1) * (x0 - y1)
                    s10 += (x1 - y0) * (x1 - y0)
                    s11 += (x1 - y1) * (x1 - y1)
                    s20 += (x2 - y0) * (x2 - y0)
                    s21 += (x2 - y1) * (x2 - y1)
                    s30 += (x3 - y0) * (x3 - y0)
                    s31 += (x3 - y1) * (x3 - y1)
                out[i, j], out[i, j1] = np.sqrt(s00), np.sqrt(s01)
                out[i1, j], out[i1, j1] = np.sqrt(s10), np.sqrt(s11)
                out[i2, j], out[i2, j1] = np.sqrt(s20), np.sqrt(s21)
                out[i3, j], out[i3, j1] = np.sqrt(s30), np.sqrt(s31)


def narrow_tile(A: Any, B: Any, out: Any) -> None:
    """As `wide_tile`, for so few coordinates that many columns at a time are faster."""
    n_rows, n = A.shape
    n_columns = B.shape[0]
    columns = np.empty((n, n_columns))
    for j in range(n_columns):
        for k in range(n):
            columns[k, j] = B[j, k]
    sums = np.empty(n_columns)
    for i in range(n_rows):
        for j in range(n_columns):
            sums[j] = 0.0
        for k in range(n):
            x, y = np.float64(A[i, k]), columns[k]
            for j in range(n_columns):
                sums[j] += (x - y[j]) * (x - y[j])
        for j in range(n_columns):
            out[i, j] = np.sqrt(sums[j])


def product_tile(A: Any, B: Any, a_norms: Any, b_norms: Any, a_points: Any, b_points: Any, out: Any) -> bool:
    """Write the distances between the rows of A and of B to `out`, or return False where too many of them are near.

    A and B are centered, which has rounded them; near pairs are found from the points as they were given. Four rows by two columns at a time, as in `wide_tile`.
    """
    n_rows, n = A.shape
    n_columns = B.shape[0]
    width = max(8, PRODUCT_CACHE // n // 2 * 2)
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
    squares = np.empty(n_columns)
    near = 0
    for i in range(n_rows):
        near_here = 0
        for j in range(n_columns):
            both = a_norms[i] + b_norms[j]
            squares[j] = both - 2.0 * out[i, j]
            near_here += squares[j] < NEAR * both
        near += near_here
        if near > MANY * n_rows * n_columns:
            return False
        if near_here > 0:
            for j in range(n_columns):
                if squares[j] < NEAR * (a_norms[i] + b_norms[j]):
                    square = 0.0
                    for k in range(n):
                        gap = np.float64(a_points[i, k]) - np.float64(b_points[j, k])
                        square += gap * gap
                    squares[j] = square
        for j in range(n_columns):
            out[i, j] = np.sqrt(squares[j])
    return True


def sum_tile(D: Any, E: Any, i0: int, j0: int, reference: float, slot: Any) -> None:
    """Write Σd², Σe², Σde, Σr², Σre and the largest d and e of a tile to `slot`, with r = d − reference·e."""
    n_rows, n_columns = D.shape
    dd, ee, de, rr, re, max_d, max_e = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n_rows):
        d, e = D[i], E[i]
        x, y, z, v, w, p, q = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(max(0, i0 + i + 1 - j0), n_columns):
            r = d[j] - reference * e[j]
            x += d[j] * d[j]
            y += e[j] * e[j]
            z += d[j] * e[j]
            v += r * r
            w += r * e[j]
            p = max(p, d[j])
            q = max(q, e[j])
        dd += x
        ee += y
        de += z
        rr += v
        re += w
        max_d = max(max_d, p)
        max_e = max(max_e, q)
    slot[0], slot[1], slot[2], slot[3], slot[4], slot[5], slot[6] = dd, ee, de, rr, re, max_d, max_e


def gather_tile(D: Any, E: Any, i0: int, j0: int, d_out: Any, e_out: Any) -> None:
    """Write the pairs i < j of a tile one after the other."""
    n_rows, n_columns = D.shape
    place = 0
    for i in range(n_rows):
        for j in range(max(0, i0 + i + 1 - j0), n_columns):
            d_out[place] = D[i, j]
            e_out[place] = E[i, j]
            place += 1
