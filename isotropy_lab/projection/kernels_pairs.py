"""Loops over the pairs of a tile: distances, sums and ranks. Plain Python; `compilation.compiled` makes them fast.

A tile is the rows i₀ … i₀+I of one side of a square table of distances and the columns j₀ … j₀+J of the other. Only
pairs i < j count; in a tile on the diagonal the others are skipped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIDTH = 128
"""Columns that are worked on together: their panel and the two rows of sums stay in the fastest cache."""

DEPTH = 16
"""Coordinates that are worked on together."""


def euclidean_tile(A: Any, B: Any, factor: float, out: Any, panel: Any, sums: Any) -> None:
    """Write the Euclidean distances between the rows of A and of B, times `factor`, to `out`.

    Differences first: no cancellation whatever the offset, as in ‖a‖² − 2a·b + ‖b‖². The sum over coordinates runs
    in their order for every pair, so that a distance does not depend on the tile in which it is found. Two rows by
    four coordinates at a time: their eight numbers fit into registers beside a vector of columns.
    """
    n_rows, n = A.shape
    n_columns = B.shape[0]
    for start in range(0, n_columns, WIDTH):
        width = min(WIDTH, n_columns - start)
        for j in range(width):
            for k in range(n):
                panel[k, j] = np.float64(B[start + j, k]) * factor
        for i in range(n_rows):
            for j in range(width):
                sums[i, j] = 0.0
        for first in range(0, n, DEPTH):
            last = min(n, first + DEPTH)
            for i in range(0, n_rows, 2):
                twin = min(i + 1, n_rows - 1)
                s, t = sums[i, :width], sums[twin, :width]
                if twin == i:
                    t = sums[n_rows, :width]  # a spare row for the odd one out
                k = first
                while k + 4 <= last:
                    a0, a1 = np.float64(A[i, k]) * factor, np.float64(A[i, k + 1]) * factor
                    a2, a3 = np.float64(A[i, k + 2]) * factor, np.float64(A[i, k + 3]) * factor
                    b0, b1 = np.float64(A[twin, k]) * factor, np.float64(A[twin, k + 1]) * factor
                    b2, b3 = np.float64(A[twin, k + 2]) * factor, np.float64(A[twin, k + 3]) * factor
                    p0, p1, p2, p3 = panel[k], panel[k + 1], panel[k + 2], panel[k + 3]
                    for j in range(width):
                        q0, q1, q2, q3 = p0[j], p1[j], p2[j], p3[j]
                        u0, u1, u2, u3 = a0 - q0, a1 - q1, a2 - q2, a3 - q3
                        v0, v1, v2, v3 = b0 - q0, b1 - q1, b2 - q2, b3 - q3
                        s[j] = s[j] + u0 * u0 + u1 * u1 + u2 * u2 + u3 * u3
                        t[j] = t[j] + v0 * v0 + v1 * v1 + v2 * v2 + v3 * v3
                    k += 4
                while k < last:
                    a0, b0 = np.float64(A[i, k]) * factor, np.float64(A[twin, k]) * factor
                    p0 = panel[k]
                    for j in range(width):
                        u0, v0 = a0 - p0[j], b0 - p0[j]
                        s[j] += u0 * u0
                        t[j] += v0 * v0
                    k += 1
        for i in range(n_rows):
            for j in range(width):
                out[i, start + j] = np.sqrt(sums[i, j])


def sum_tile(D: Any, E: Any, i0: int, j0: int, reference: float, slot: Any) -> None:
    """Write Σd², Σe², Σde, Σr², Σre and the largest d and e of a tile to `slot`, with r = d − reference·e."""
    n_rows, n_columns = D.shape
    dd, ee, de, rr, re = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n_rows):
        d, e = D[i], E[i]
        x, y, z, v, w = 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(max(0, i0 + i + 1 - j0), n_columns):
            r = d[j] - reference * e[j]
            x += d[j] * d[j]
            y += e[j] * e[j]
            z += d[j] * e[j]
            v += r * r
            w += r * e[j]
        dd += x
        ee += y
        de += z
        rr += v
        re += w
    slot[0], slot[1], slot[2], slot[3], slot[4] = dd, ee, de, rr, re


def gather_tile(D: Any, E: Any, i0: int, j0: int, d_out: Any, e_out: Any) -> None:
    """Write the pairs i < j of a tile one after the other."""
    n_rows, n_columns = D.shape
    place = 0
    for i in range(n_rows):
        for j in range(max(0, i0 + i + 1 - j0), n_columns):
            d_out[place] = D[i, j]
            e_out[place] = E[i, j]
            place += 1


def pack_tile(D: Any, E: Any, i0: int, j0: int, out: Any) -> tuple[float, float]:
    """Write the float32 bits of d and of e of every pair as one whole number that sorts by d, then by e.

    Returns Σe² and the largest e, of the rounded ones.
    """
    n_rows, n_columns = D.shape
    d, e = np.empty(n_columns, np.float32), np.empty(n_columns, np.float32)
    d_bits, e_bits = d.view(np.uint32), e.view(np.uint32)
    place, squares, largest = 0, 0.0, 0.0
    for i in range(n_rows):
        for j in range(n_columns):
            d[j] = D[i, j]
            e[j] = E[i, j]
        part = 0.0
        for j in range(max(0, i0 + i + 1 - j0), n_columns):
            out[place] = (np.uint64(d_bits[j]) << np.uint64(32)) | np.uint64(e_bits[j])
            place += 1
            value = np.float64(e[j])
            part += value * value
            largest = max(largest, value)
        squares += part
    return squares, largest
