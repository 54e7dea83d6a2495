"""Compiled loops for affinities and for the KL divergence at any scale.

The module is imported only if numba is installed. The loops for the divergence take the projection as an
array of shape (t, N) and sum over i < j.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.projection._pairs.compilation import compiled

Floats = NDArray[np.float64]

_compiled_sum = functools.partial(compiled, reorder=True)
_CHUNK_ENTRIES = 1024  # pairs of one point processed at a time
#: Squared distances below this limit, in units in which the projection has a width of about 1, count as 0.
_SMALLEST_SQUARE = 1e-290
#: Relative difference below which squared distances count as equal.
_TIE_TOLERANCE = 8 * 2.220446049250313e-16

#: Exponent below which exp returns zero, slightly above the subnormal numbers of float64.
LOWEST = -708.0

_ROUND = 6755399441055744.0  # 1.5·2⁵²: adding it rounds to an integer, stored in the low bits
_LOG2_E = 1.4426950408889634
# The logarithm of 2 in two parts; the first has trailing zeros, so that its integer multiples are exact.
_LN2_HIGH = 6.93147180369123816490e-1
_LN2_LOW = 1.90821492927058770002e-10


@compiled
def exponentials(t: Floats, shifted: Floats, out: Floats) -> None:
    """Write exp(t) for t ≤ 0 to `out`, within 2 ulp, or 0 if t < −708; `shifted` is scratch space.

    A loop without calls and branches is vectorized; with `np.exp`, affinities take 1.6 times as long. Sums
    must not be reordered, because adding and subtracting a large constant rounds to integers.
    """
    n = t.size
    for j in range(n):
        x = max(t[j], LOWEST)
        z = x * _LOG2_E + _ROUND
        k = z - _ROUND
        r = (x - k * _LN2_HIGH) - k * _LN2_LOW
        # The Taylor polynomial Σ rⁿ/n! up to n = 13, nested.
        p = 1.0 / 39916800.0 + r * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0))
        p = 1.0 / 362880.0 + r * (1.0 / 3628800.0 + r * p)
        p = 1.0 / 5040.0 + r * (1.0 / 40320.0 + r * p)
        p = 1.0 / 120.0 + r * (1.0 / 720.0 + r * p)
        p = 1.0 / 6.0 + r * (1.0 / 24.0 + r * p)
        out[j] = 1.0 + r * (1.0 + r * (0.5 + r * p))
        shifted[j] = z
    bits, shift = out.view(np.int64), shifted.view(np.int64)
    for j in range(n):
        keep = -np.int64(t[j] > LOWEST)  # a mask of all ones or all zeros
        bits[j] = (bits[j] + (shift[j] << 52)) & keep


@compiled
def _row_of_squares(Yt: Floats, i: int, start: int, stop: int, out: Floats) -> None:
    """Write ‖y_i − y_j‖² for start ≤ j < stop to `out`, or 0 if its inverse might overflow."""
    part = Yt[0, start:stop]
    y = Yt[0, i]
    for j in range(stop - start):
        d = part[j] - y
        out[j] = d * d
    for k in range(1, Yt.shape[0]):
        part = Yt[k, start:stop]
        y = Yt[k, i]
        for j in range(stop - start):
            d = part[j] - y
            out[j] += d * d
    for j in range(stop - start):
        out[j] = out[j] if out[j] > _SMALLEST_SQUARE else 0.0


@compiled
def extremes(Yt: Floats) -> tuple[float, float, float, int]:
    """Return the smallest, smallest positive, and largest squared distance, and the number of smallest."""
    N = Yt.shape[1]
    e2 = np.empty(_CHUNK_ENTRIES)
    bits = e2.view(np.int64)  # sorted like the numbers themselves, but with vectorized comparisons
    huge = np.int64(0x7FF0000000000000)
    low, positive, high = huge, huge, np.int64(0)
    count = 0
    for i in range(N - 1):
        for start in range(i + 1, N, _CHUNK_ENTRIES):
            stop = min(start + _CHUNK_ENTRIES, N)
            _row_of_squares(Yt, i, start, stop, e2)
            smallest = huge
            for j in range(stop - start):
                b = bits[j]
                smallest = min(smallest, b)
                high = max(high, b)
                positive = min(positive, b if b > 0 else huge)
            if smallest < low:
                low, count = smallest, 0
            if smallest == low:
                for j in range(stop - start):
                    count += bits[j] == low
    ends = np.array([low, positive, high]).view(np.float64)
    return ends[0], ends[1], ends[2], count


@_compiled_sum
def _total(values: Floats) -> float:
    total = 0.0
    for j in range(values.size):
        total += values[j]
    return total


@_compiled_sum
def _dot(a: Floats, b: Floats) -> float:
    total = 0.0
    for j in range(a.size):
        total += a[j] * b[j]
    return total


@_compiled_sum
def _student_parts(weight: Floats, e2: Floats, inverse: Floats, a: float, sums: Floats) -> None:
    """Add Σpv, Σpv², Σps, and Σps² to `sums` for weights p, with v = e²/w and s = a/w."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(weight.size):
        v, s = e2[j] * inverse[j], a * inverse[j]
        s0 += weight[j] * v
        s1 += weight[j] * (v * v)
        s2 += weight[j] * s
        s3 += weight[j] * (s * s)
    sums[0] += s0
    sums[1] += s1
    sums[2] += s2
    sums[3] += s3


@compiled
def student_sums(P: Floats, Yt: Floats, a: float, b: float, unit: float) -> Floats:
    """Return Σp log w, the `_student_parts` of p, Σq, and the same parts of q = unit/w; w = a + b·e²."""
    N = Yt.shape[1]
    e2, logs, weight = np.empty(_CHUNK_ENTRIES), np.empty(_CHUNK_ENTRIES), np.empty(_CHUNK_ENTRIES)
    inverse, sums, row = np.empty(_CHUNK_ENTRIES), np.zeros(10), np.empty(10)
    for i in range(N - 1):
        row[:] = 0.0
        for start in range(i + 1, N, _CHUNK_ENTRIES):
            stop = min(start + _CHUNK_ENTRIES, N)
            n = stop - start
            _row_of_squares(Yt, i, start, stop, e2)
            for j in range(n):
                w = a + b * e2[j]
                inverse[j] = 1.0 / w
                weight[j] = unit * inverse[j]
                logs[j] = np.log(w)
            p, q = P[i, start:stop], weight[:n]
            row[0] += _dot(p, logs)
            _student_parts(p, e2, inverse, a, row[1:5])
            row[5] += _total(q)
            _student_parts(q, e2, inverse, a, row[6:])
        sums += row
    return sums


@_compiled_sum
def _moments(t: Floats, e: Floats) -> tuple[float, float, float, float]:
    """Return the sums Σe, Σte, Σt²e, and Σt³e."""
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
def gaussian_sums(Yt: Floats, b: float, nearest: float) -> Floats:
    """Return Σq, Σqδ, and Σqδ² over i < j, with δ = e² − `nearest` and q = exp(−bδ)."""
    N = Yt.shape[1]
    delta, t = np.empty(_CHUNK_ENTRIES), np.empty(_CHUNK_ENTRIES)
    shifted, q, sums, row = np.empty(_CHUNK_ENTRIES), np.empty(_CHUNK_ENTRIES), np.zeros(3), np.empty(3)
    for i in range(N - 1):
        row[:] = 0.0
        for start in range(i + 1, N, _CHUNK_ENTRIES):
            stop = min(start + _CHUNK_ENTRIES, N)
            n = stop - start
            _row_of_squares(Yt, i, start, stop, delta)
            for j in range(n):
                delta[j] -= nearest
                t[j] = -b * delta[j]
            exponentials(t[:n], shifted, q[:n])
            weight, first, second, _ = _moments(delta[:n], q[:n])
            row[0] += weight
            row[1] += first
            row[2] += second
        sums += row
    return sums


@compiled
def fill_histogram(P: Floats, Yt: Floats, nearest: float, first: int, shift: int, bins: Floats) -> None:
    """Add 1, δ, δ², p, pδ, and pδ² of each pair to its bin, with δ = e² − `nearest`.

    Bin 0 contains δ = 0, and bin k > 0 the δ whose bits from `shift` upward equal `first` + k, so that its
    width is a fixed fraction of its octave. A bin is a row of `bins` (n_bins, 8), and a line of the cache.
    """
    N = Yt.shape[1]
    delta = np.empty(_CHUNK_ENTRIES)
    bits = delta.view(np.int64)
    for i in range(N - 1):
        for start in range(i + 1, N, _CHUNK_ENTRIES):
            stop = min(start + _CHUNK_ENTRIES, N)
            _row_of_squares(Yt, i, start, stop, delta)
            p = P[i, start:stop]
            for j in range(stop - start):
                delta[j] -= nearest
            for j in range(stop - start):
                d = delta[j]
                k = max((bits[j] >> shift) - first, 0)
                pd = p[j] * d
                bins[k, 0] += 1.0
                bins[k, 1] += d
                bins[k, 2] += d * d
                bins[k, 3] += p[j]
                bins[k, 4] += pd
                bins[k, 5] += pd * d


@compiled
def _entropy(delta: Floats, beta: float, t: Floats, shifted: Floats, e: Floats) -> tuple[float, float, float]:
    """Write t = −βδ and e = exp(t); return the entropy of e/Σe with two derivatives in log β."""
    s0 = s1 = s2 = s3 = 0.0
    n = delta.size
    for start in range(0, n, _CHUNK_ENTRIES):
        stop = min(start + _CHUNK_ENTRIES, n)
        part, weight = t[start:stop], e[start:stop]
        for j in range(stop - start):
            # Distant points have weight 0; t is clipped where exp(t) is 0, so that t³ does not overflow.
            part[j] = max(-beta * delta[start + j], 2.0 * LOWEST)
        exponentials(part, shifted, weight)
        a, b, c, d = _moments(part, weight)
        s0 += a
        s1 += b
        s2 += c
        s3 += d
    m1, m2, m3 = s1 / s0, s2 / s0, s3 / s0
    variance = m2 - m1 * m1
    third_moment = m3 - 3.0 * m1 * m2 + 2.0 * m1 * m1 * m1
    return math.log(s0) - m1, -variance, -2.0 * variance - third_moment


@compiled
def _weights(delta: Floats, target: float, start: float, t: Floats, shifted: Floats, e: Floats) -> float:
    """Return the log β for which the entropy of exp(−βδ) is `target`, and write the exponentials to `e`.

    The entropy decreases with log β from log n to the logarithm of the number of nearest points, so the root
    is unique. It is found by Halley's method within a bracket. If the entropy is nearly at one of its limits,
    the steps of this method are too short; a step that does not halve the error is therefore followed by
    an increasing stride, or by halving the bracket. After 200 steps, the last estimate is returned.
    """
    low, high = -690.0, 690.0
    low_known = high_known = False
    x, stride = start, 2.0
    previous_error = math.inf
    for _ in range(200):
        beta = math.exp(x)
        entropy, first, second = _entropy(delta, beta, t, shifted, e)
        error = entropy - target
        if error > 0.0:
            low, low_known = x, True
        else:
            high, high_known = x, True
        if abs(error) < 2e-15 or high - low < 4e-16 * max(1.0, abs(x)):
            return x
        divisor = 2.0 * first * first - error * second
        has_step = divisor > 0.0 and first < 0.0
        step = -2.0 * error * first / divisor if has_step else math.copysign(math.inf, error)
        if abs(step) < 1e-5:
            # The cube of this step is below rounding, so it is the last; e is updated by a short series.
            growth = math.expm1(step)  # relative change of β, and therefore of t
            for j in range(e.size):
                s = growth * t[j]
                e[j] *= 1.0 + s * (1.0 + s * (1.0 / 2.0 + s * (1.0 / 6.0 + s / 24.0)))
            return x + step
        is_slow = abs(error) > 0.5 * previous_error
        previous_error = abs(error)
        if low_known and high_known:
            if is_slow or not low < x + step < high:
                step = 0.5 * (low + high) - x
        elif is_slow or abs(step) > stride:
            step = math.copysign(stride, error)
            stride *= 2.0
        x = min(max(x + step, low), high)
    return x


@_compiled_sum
def _subtract(d: Floats, nearest: float) -> tuple[int, float]:
    """Subtract `nearest` in place; return the number of zeros, up to rounding, and the sum."""
    noise = _TIE_TOLERANCE * nearest
    ties, total = 0, 0.0
    for j in range(d.size):
        delta = d[j] - nearest
        delta = delta if delta > noise else 0.0
        ties += delta == 0.0
        total += delta
        d[j] = delta
    return ties, total


@compiled
def _conditional_row(
    delta: Floats, perplexity: float, target: float, x: float, t: Floats, shifted: Floats, e: Floats
) -> tuple[float, float]:
    """Write unnormalized p(j|i) to `e`; return the normalizing factor and log(β·mean δ).

    The search for the next row starts from the second result. `delta` contains the squared distances to the
    other points, and is overwritten.
    """
    n = delta.size
    ties, spread = _subtract(delta, delta.min())
    if ties >= perplexity:
        # No bandwidth gives such a low entropy; the limit of zero bandwidth is uniform over the ties.
        for j in range(n):
            e[j] = 1.0 if delta[j] == 0.0 else 0.0
    else:
        mean = math.log(spread / n)
        x = _weights(delta, target, x - mean, t, shifted, e) + mean
    return 1.0 / _total(e), x


@compiled
def conditional_rows(D: Floats, perplexity: float) -> None:
    """Replace squared distances by conditional probabilities p(j|i), row by row, in place."""
    N = D.shape[0]
    delta, t, e, shifted = np.empty(N - 1), np.empty(N - 1), np.empty(N - 1), np.empty(_CHUNK_ENTRIES)
    target = math.log(perplexity)
    # The value of log(β·mean δ) changes little from row to row, so each row starts from the previous one.
    x = math.log1p(math.log((N - 1) / perplexity))
    for i in range(N):
        row = D[i]
        delta[:i] = row[:i]
        delta[i:] = row[i + 1 :]
        factor, x = _conditional_row(delta, perplexity, target, x, t, shifted, e)
        row[:i], row[i], row[i + 1 :] = e[:i] * factor, 0.0, e[i:] * factor
