"""Compiled loops behind `affinities`: square distances, bandwidths, symmetrization.

Imported only when first needed, because it needs numba.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.projection._pairs.compilation import compiled
from isotropy_lab.projection._pairs.kernels.elementary import LOWEST, exponentials

__all__ = ["conditional_rows", "square_distances", "symmetrize"]

_sums = functools.partial(compiled, reorder=True)

_CHUNK = 1024
#: Square distances that differ by less than this part are one distance, computed twice.
_TIE = 8 * 2.220446049250313e-16


@_sums
def square_distances(
    X: NDArray[np.float64], Xt: NDArray[np.float64], D: NDArray[np.float64]
) -> None:  # pragma: no cover - compiled
    """Fill the (N, N) matrix `D` with ‖x_i − x_j‖² from differences, so that nothing cancels.

    `Xt` is X transposed. The number of dimensions is a multiple of four: pad with zeros.
    """
    N, n = X.shape
    tile = 256
    even, odd = np.empty(tile), np.empty(tile)
    for start in range(0, N, tile):
        stop = min(start + tile, N)
        width = stop - start
        for i in range(0, stop, 2):
            other = min(i + 1, N - 1)
            even[:] = 0.0
            odd[:] = 0.0
            for k in range(0, n, 4):
                a0, a1, a2, a3 = X[i, k], X[i, k + 1], X[i, k + 2], X[i, k + 3]
                b0, b1, b2, b3 = X[other, k], X[other, k + 1], X[other, k + 2], X[other, k + 3]
                c0, c1 = Xt[k, start:stop], Xt[k + 1, start:stop]
                c2, c3 = Xt[k + 2, start:stop], Xt[k + 3, start:stop]
                for j in range(width):
                    d0, d1, d2, d3 = c0[j] - a0, c1[j] - a1, c2[j] - a2, c3[j] - a3
                    even[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
                    d0, d1, d2, d3 = c0[j] - b0, c1[j] - b1, c2[j] - b2, c3[j] - b3
                    odd[j] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
            for j in range(width):
                D[i, start + j] = even[j]
                D[other, start + j] = odd[j]
        for block in range(0, stop, 64):
            for j in range(start, stop):
                for i in range(block, min(block + 64, j)):
                    D[j, i] = D[i, j]


@_sums
def _moments(
    t: NDArray[np.float64], e: NDArray[np.float64]
) -> tuple[float, float, float, float]:  # pragma: no cover - compiled
    """Return Σe, Σte, Σt²e and Σt³e."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(t.size):
        first = t[j] * e[j]
        second = t[j] * first
        s0 += e[j]
        s1 += first
        s2 += second
        s3 += t[j] * second
    return s0, s1, s2, s3


@compiled
def _entropy(
    delta: NDArray[np.float64],
    beta: float,
    t: NDArray[np.float64],
    whole: NDArray[np.float64],
    e: NDArray[np.float64],
) -> tuple[float, float, float, float]:  # pragma: no cover - compiled
    """Write t = −βδ and e = exp(t); return Σe and the entropy of e/Σe with two derivatives by log β."""
    s0 = s1 = s2 = s3 = 0.0
    n = delta.size
    for start in range(0, n, _CHUNK):
        stop = min(start + _CHUNK, n)
        part, weight = t[start:stop], e[start:stop]
        for j in range(stop - start):
            # Far points weigh nothing; t is cut where exp is zero already, so that t³ does not overflow.
            part[j] = max(-beta * delta[start + j], 2.0 * LOWEST)
        exponentials(part, whole, weight)
        a, b, c, d = _moments(part, weight)
        s0 += a
        s1 += b
        s2 += c
        s3 += d
    m1, m2, m3 = s1 / s0, s2 / s0, s3 / s0
    variance = m2 - m1 * m1
    skewed = m3 - 3.0 * m1 * m2 + 2.0 * m1 * m1 * m1
    return s0, math.log(s0) - m1, -variance, -2.0 * variance - skewed


@compiled
def _weights(
    delta: NDArray[np.float64],
    target: float,
    start: float,
    t: NDArray[np.float64],
    whole: NDArray[np.float64],
    e: NDArray[np.float64],
) -> float:  # pragma: no cover - compiled
    """Return log β at which the entropy of exp(−βδ) is `target`, and leave the exponentials in `e`.

    The entropy falls with log β from log n to the log of the number of nearest points, so the root is unique.
    Halley's method, which is Newton's with the curvature, kept within a bracket. Where the entropy is all but one of its
    limits its steps are short and do not grow, so a step that has not halved the gap is followed by a stride or by
    halving the bracket.
    """
    low, high = -690.0, 690.0
    low_known = high_known = False
    x, stride = start, 2.0
    before = math.inf
    for _ in range(200):
        beta = math.exp(x)
        _, entropy, first, second = _entropy(delta, beta, t, whole, e)
        gap = entropy - target
        if gap > 0.0:
            low, low_known = x, True
        else:
            high, high_known = x, True
        if abs(gap) < 2e-15 or high - low < 4e-16 * max(1.0, abs(x)):
            return x
        bend = 2.0 * first * first - gap * second
        step = -2.0 * gap * first / bend if bend > 0.0 and first < 0.0 else math.copysign(math.inf, gap)
        if abs(step) < 1e-5:
            # Its cube is below rounding, so this step is the last, and e follows it by a short series.
            growth = math.expm1(step)  # of β, and so of t
            for j in range(e.size):
                s = growth * t[j]
                e[j] *= 1.0 + s * (1.0 + s * (1.0 / 2.0 + s * (1.0 / 6.0 + s / 24.0)))
            return x + step
        slow = abs(gap) > 0.5 * before
        before = abs(gap)
        if low_known and high_known:
            if slow or not low < x + step < high:
                step = 0.5 * (low + high) - x
        elif slow or abs(step) > stride:
            step = math.copysign(stride, gap)
            stride *= 2.0
        x = min(max(x + step, low), high)
    return x


@compiled
def _nearest(d: NDArray[np.float64]) -> float:  # pragma: no cover - compiled
    """Return the smallest of some non-negative numbers."""
    bits = d.view(np.int64)  # ordered as the numbers are, and whole numbers are compared in vector registers
    low = bits[0]
    for j in range(d.size):
        low = min(low, bits[j])
    return float(np.array([low]).view(np.float64)[0])


@_sums
def _subtract(d: NDArray[np.float64], nearest: float) -> tuple[int, float]:  # pragma: no cover - compiled
    """Subtract the smallest number in place; return how many are as small, within rounding, and the sum."""
    noise = _TIE * nearest
    ties, total = 0, 0.0
    for j in range(d.size):
        delta = d[j] - nearest
        delta = delta if delta > noise else 0.0
        ties += delta == 0.0
        total += delta
        d[j] = delta
    return ties, total


@_sums
def _total(e: NDArray[np.float64]) -> float:  # pragma: no cover - compiled
    total = 0.0
    for j in range(e.size):
        total += e[j]
    return total


@compiled
def conditional_rows(D: NDArray[np.float64], perplexity: float) -> None:  # pragma: no cover - compiled
    """Replace square distances by conditional probabilities p(j|i), row by row, in place."""
    N = D.shape[0]
    delta, t, e, whole = np.empty(N - 1), np.empty(N - 1), np.empty(N - 1), np.empty(_CHUNK)
    target = math.log(perplexity)
    # log(β·mean δ), which changes little from row to row.
    x = math.log1p(math.log((N - 1) / perplexity))
    for i in range(N):
        row = D[i]
        delta[:i] = row[:i]
        delta[i:] = row[i + 1 :]
        ties, spread = _subtract(delta, _nearest(delta))
        if ties >= perplexity:
            # No bandwidth has so low an entropy; the limit of ever narrower ones is uniform over the ties.
            for j in range(N - 1):
                e[j] = 1.0 if delta[j] == 0.0 else 0.0
        else:
            mean = math.log(spread / (N - 1))
            x = _weights(delta, target, x - mean, t, whole, e) + mean
        share = 1.0 / _total(e)
        row[i] = 0.0
        for j in range(i):
            row[j] = e[j] * share
        for j in range(i + 1, N):
            row[j] = e[j - 1] * share


@compiled
def symmetrize(P: NDArray[np.float64]) -> None:  # pragma: no cover - compiled
    """Replace conditional probabilities by (p(j|i) + p(i|j))/2N, in place and in tiles."""
    N, tile = P.shape[0], 64
    for i0 in range(0, N, tile):
        for j0 in range(i0, N, tile):
            for i in range(i0, min(i0 + tile, N)):
                for j in range(max(j0, i + 1), min(j0 + tile, N)):
                    p = (P[i, j] + P[j, i]) / (2.0 * N)
                    P[i, j] = p
                    P[j, i] = p
