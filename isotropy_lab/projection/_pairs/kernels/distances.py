"""Loops that write the distances of a tile, in plain Python to be compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

CACHE = 2**15
"""Number of entries of columns that are processed together: 256 kB, to stay in the second-level cache."""


def distance_tile(A: Any, B: Any, out: Any) -> None:
    """Write the Euclidean distances between the rows of A and B to `out`.

    Computing differences first avoids the cancellation of ‖a‖² − 2a·b + ‖b‖² for data with an offset. Four
    rows by two columns are processed together, because their eight sums and six coordinates fit into the
    vector registers. Coordinates are summed in the same order for every pair, so that a distance does not
    depend on its position in a tile.
    """
    n_rows, n = A.shape
    n_columns = B.shape[0]
    width = max(8, CACHE // n // 2 * 2)
    for start in range(0, n_columns, width):
        stop = min(start + width, n_columns)
        for i in range(0, n_rows, 4):
            # Edge tiles repeat some rows or columns, so that all pairs are summed in the same order.
            i1, i2, i3 = min(i + 1, n_rows - 1), min(i + 2, n_rows - 1), min(i + 3, n_rows - 1)
            a0, a1, a2, a3 = A[i], A[i1], A[i2], A[i3]
            for j in range(start, stop, 2):
                j1 = min(j + 1, n_columns - 1)
                b0, b1 = B[j], B[j1]
                s00, s01, s10, s11, s20, s21, s30, s31 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                for k in range(n):
                    x0, x1 = np.float64(a0[k]), np.float64(a1[k])
                    x2, x3 = np.float64(a2[k]), np.float64(a3[k])
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


def narrow_distance_tile(A: Any, B: Any, out: Any) -> None:
    """Write the distances to `out` as `distance_tile` does, but faster for points with few coordinates."""
    columns = B.T.astype(np.float64).copy()
    sums = np.empty(len(B))
    for i in range(len(A)):
        sums[:] = 0.0
        for k in range(A.shape[1]):
            x, y = np.float64(A[i, k]), columns[k]
            for j in range(len(B)):
                sums[j] += (x - y[j]) * (x - y[j])
        for j in range(len(B)):
            out[i, j] = np.sqrt(sums[j])
