"""Local minima of the KL divergence over the scales of a projection."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

from isotropy_lab.projection._pairs.kl_histogram import KLHistogram
from isotropy_lab.projection._pairs.kl_pairs import Derivatives, KLPairs

__all__ = ["gaussian_minimum", "student_minima"]

#: Factor by which the search extends beyond the scales 1/max e and 1/min e.
_MARGIN = 1e3
#: Number of grid scales per factor of e.
_GRID_DENSITY = 16
#: A gradient of the histogram counts as nonzero if it exceeds this fraction of its two terms.
_RESOLUTION = 1e-8


def student_minima(pairs: KLPairs, histogram: KLHistogram) -> tuple[list[tuple[float, float]], bool]:
    """Return all local minima (inner scale and value) and whether the curve decreases toward infinity."""
    low = math.log(1.0 / (_MARGIN * math.sqrt(pairs.farthest)))
    # Coincident pairs dominate the curve only at scales at which they outweigh all other pairs.
    extension = math.sqrt(pairs.n_pairs) if pairs.nearest == 0.0 else 1.0
    high = math.log(_MARGIN * extension / math.sqrt(pairs.nearest_apart))
    grid = np.linspace(low, high, math.ceil((high - low) * _GRID_DENSITY) + 1)
    slopes = _student_slopes(histogram, grid)

    def slope(x: float, sign: float = 1.0) -> float:
        return sign * float(_student_slopes(histogram, np.array([x]), resolved=0.0)[0])

    nonzero = [(float(x), float(y)) for x, y in zip(grid, slopes, strict=True) if y != 0.0]
    # If the gradient approaches 0 and turns back, it may cross 0 between two points of the grid.
    middle, magnitudes = slopes[1:-1], np.abs(slopes)
    is_turn = (magnitudes[1:-1] <= magnitudes[:-2]) & (magnitudes[1:-1] <= magnitudes[2:])
    is_turn &= (middle != 0.0) & (middle * slopes[:-2] > 0.0) & (middle * slopes[2:] > 0.0)
    for k in np.flatnonzero(is_turn) + 1:
        sign = math.copysign(1.0, slopes[k])
        x = minimize_scalar(slope, bounds=(grid[k - 1], grid[k + 1]), args=(sign,), method="bounded").x
        resolved = float(_student_slopes(histogram, np.array([x]))[0])
        if sign * resolved < 0.0:
            nonzero.append((float(x), resolved))
    nonzero.sort()
    minima = [
        _refine_minimum(pairs.student, float(brentq(slope, left, right)))
        for (left, before), (right, after) in itertools.pairwise(nonzero)
        if before < 0.0 < after
    ]
    return minima, bool(nonzero) and nonzero[-1][1] < 0.0


def _student_slopes(
    histogram: KLHistogram, log_scales: NDArray[np.float64], *, resolved: float = _RESOLUTION
) -> NDArray[np.float64]:
    """Return half the derivative with respect to log α at many inner scales, or 0 if it is unresolved."""
    sums, b, _ = histogram.student_sums(np.exp(log_scales))
    near_p, near_q = b * sums[:, 1], b * sums[:, 4] / sums[:, 3]
    far_p, far_q = sums[:, 2], sums[:, 5] / sums[:, 3]
    near, far = np.maximum(near_p, near_q), np.maximum(far_p, far_q)
    slopes = np.where(near <= far, near_p - near_q, far_q - far_p)
    return np.where(np.abs(slopes) > resolved * np.minimum(near, far), slopes, 0.0)


def gaussian_minimum(pairs: KLPairs, histogram: KLHistogram) -> tuple[list[tuple[float, float]], bool]:
    """Return the minimum (inner scale, value), if any, and whether the curve decreases toward infinity."""

    def slope(x: float) -> float:
        sums = histogram.gaussian_sums(np.array([math.exp(x)]))[0]
        return histogram.mean_delta - float(sums[1] / sums[0])

    mean = float(histogram.number @ histogram.number_at) / pairs.n_pairs
    # The second term bounds the rounding error of a difference of two squared distances.
    if histogram.mean_delta - mean >= -_RESOLUTION * mean - 1e-15 * pairs.farthest:
        return [], False
    if histogram.mean_delta == 0.0:  # only the closest pairs have P > 0
        return [], True
    # The mean of δ decreases by at most its maximum times itself, so the slope is negative at `low`.
    low, high = 0.5 * math.log(_RESOLUTION / pairs.farthest), 0.5 * math.log(1.0 / pairs.farthest)
    while slope(high) < 0.0:
        high += 1.0
    return [_refine_minimum(pairs.gaussian, float(brentq(slope, low, high)))], False


def _refine_minimum(evaluate: Callable[[float], Derivatives], log_scale: float) -> tuple[float, float]:
    """Return the inner scale and value of the exact minimum near a minimum of the histogram."""
    for _ in range(8):
        scale = math.exp(log_scale)
        derivatives = evaluate(scale)
        first = scale * derivatives.first
        second = scale * scale * derivatives.second + first
        step = -first / second if second > 0.0 else 0.0
        if not abs(step) < 1e-3:  # too flat for Newton's method, but the histogram is precise enough
            break
        log_scale += step
        if abs(step) < 1e-7:  # the error of the value is of the order of the squared step
            break
    return math.exp(log_scale), derivatives.value
