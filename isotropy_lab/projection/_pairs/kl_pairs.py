"""The input of KL divergences: the affinities of the data and the coordinates of the projection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import check_same_points, check_some_distance
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import loops
from isotropy_lab.projection.affinities import affinities

__all__ = ["KERNELS", "Derivatives", "KLPairs", "kl_pairs"]

Floats = NDArray[np.float64]

KERNELS = ("student-t", "gaussian", "inverse-square")


class Derivatives(NamedTuple):
    """A divergence and its first and second derivatives with respect to the scale."""

    value: float
    first: float
    second: float


@dataclass(frozen=True)
class KLPairs:
    """Checked affinities of the data and coordinates of the projection, with sums that all scales share.

    Coordinates are in units of `size`, a power of two, so that nothing over- or underflows and a projection
    and its double give the same digits. Inside, a scale is α·size.
    """

    P: Floats
    Yt: Floats
    size: float
    total: float
    """ΣP over ordered pairs: 1 but for rounding."""
    log_p: float
    """Σ P log P over ordered pairs, of P/ΣP."""
    nearest: float
    """The smallest e², e the distances of the projection."""
    n_nearest: int
    """The number of pairs i < j at the smallest distance, √`nearest`."""
    nearest_apart: float
    """The smallest e² that is not 0."""
    farthest: float
    """The largest e²."""

    @property
    def n_pairs(self) -> int:
        """N(N − 1)/2."""
        n = int(self.P.shape[0])
        return n * (n - 1) // 2

    @property
    def at_zero(self) -> float:
        """KL from the uniform distribution, to which every kernel tends at scale 0."""
        return max(self.log_p + math.log(2.0 * self.n_pairs), 0.0)

    def inner_scale(self, scale: float) -> float:
        """Return a scale in internal units."""
        return inner_scale(scale, self.size, self.farthest)

    @cached_property
    def _excess(self) -> tuple[float, int]:
        return plain.excess_sums(self.P, self.Yt, self.nearest)

    def at_infinity(self, *, gaussian: bool = False) -> float:
        """Return the limit of KL at ever larger scales: of the heavy-tailed kernel, or of the Gaussian."""
        if gaussian or self.nearest == 0.0:
            # The kernel tends to the uniform distribution over the nearest pairs.
            _, strays = self._excess
            return math.inf if strays else max(self.log_p + math.log(2.0 * self.n_nearest), 0.0)
        return self._student(0.0, 1.0).value

    def student(self, inner: float) -> Derivatives:
        """Return KL of the kernel 1/(1 + α²e²) at a finite scale, with derivatives by the inner scale."""
        return self._student(*student_coefficients(inner))

    def _student(self, a: float, b: float) -> Derivatives:
        """Return KL of the kernel 1/(a + b·e²) with derivatives by the inner scale √(b/a).

        With v = e²/(a + b·e²) and s = a/(a + b·e²), b·v + s = 1. The first derivative by the scale is 2α(E_P
        − E_Q)[e²/(1 + α²e²)], Smelser et al. (2025), equation (8): a difference that is taken of b·v or of s,
        whichever cancels less.
        """
        unit = a + b * self.nearest
        sums = loops().student_sums(self.P, self.Yt, a, b, unit)
        log_w, pv, pv2, ps, ps2 = (2.0 * float(x) / self.total for x in sums[:5])
        q = float(sums[5])
        qv, qv2, qs, qs2 = (float(x) / q for x in sums[6:])
        value = max(self.log_p + log_w + math.log(2.0 * q) - math.log(unit), 0.0)
        if a == 0.0:
            return Derivatives(value, 0.0, 0.0)
        inner = math.sqrt(b / a)
        if b * max(pv, qv) <= max(ps, qs):
            gap = pv - qv
            curvature = 2.0 * qv2 - pv2 - qv * qv
            return Derivatives(value, 2.0 * inner * a * gap, 2.0 * a * gap + 4.0 * b * a * curvature)
        gap = qs - ps
        curvature = 2.0 * qs2 - ps2 - qs * qs
        return Derivatives(value, 2.0 * gap / inner, (a / b) * (4.0 * curvature - 6.0 * gap))

    def gaussian(self, inner: float) -> Derivatives:
        """Return KL of the kernel exp(−α²e²) at a finite scale, with derivatives by the inner scale."""
        b = inner * inner
        mean_delta = 2.0 * self._excess[0] / self.total  # the mean of δ under P
        q, first, second = loops().gaussian_sums(self.Yt, b, self.nearest).tolist()
        mean, square = first / q, second / q
        value = max(self.log_p + b * mean_delta + math.log(2.0 * q), 0.0)
        variance = max(square - mean * mean, 0.0)
        return Derivatives(
            value, 2.0 * inner * (mean_delta - mean), 2.0 * (mean_delta - mean) + 4.0 * b * variance
        )


def kl_pairs(X: checks.Points, Y: checks.Points, *, perplexity: float, metric: str) -> KLPairs:
    """Return the affinities of checked data and the range of the projection's distances.

    With ``metric="affinities"`` X holds affinities, and the perplexity is not looked at.
    """
    y = checks.as_points(Y, "Y")
    checks.check_option(metric, "metric", ("euclidean", "precomputed", "affinities"))
    if metric == "affinities":
        P, total, log_p = _checked_affinities(X, y.shape[0])
    else:
        expected = "a square matrix of distances" if metric == "precomputed" else None
        shape = checks.as_array(X, "X", ndim=2, expected=expected).shape
        check_same_points(shape[0], y.shape[0])
        P = affinities(X, perplexity=perplexity, metric=metric)
        total, log_p, *_ = loops().affinity_sums(P)
    coordinates = y.astype(np.float64)
    spread = float(np.abs(coordinates - coordinates[0]).max())
    check_some_distance(spread, "Y")
    size = math.ldexp(1.0, math.frexp(spread)[1])
    # Differences of the original coordinates are exact; subtracting a mean would round.
    Yt = np.ascontiguousarray((coordinates / size).T)
    nearest, apart, farthest, n_nearest = loops().extremes(Yt)
    log_p = log_p / total - math.log(total)
    return KLPairs(P, Yt, size, total, log_p, nearest, n_nearest, apart, farthest)


def inner_scale(scale: float, size: float, farthest: float) -> float:
    """Return a scale in units of a projection that is `size` times smaller, and has this largest e²."""
    inner = scale * size
    if math.isfinite(scale) and not inner * math.sqrt(farthest) < 1e150:
        raise ValueError(
            f"scale is {scale:g}, at which squares of distances in Y overflow float64; expected a smaller "
            "scale, or math.inf for the limit"
        )
    return inner


def student_coefficients(inner: float) -> tuple[float, float]:
    """Return a and b of the kernel 1/(a + b·e²) that is 1/(1 + α²e²) but for a factor, neither above 1."""
    return (1.0, inner * inner) if inner <= 1.0 else (1.0 / (inner * inner), 1.0)


def _checked_affinities(X: Any, n_points: int) -> tuple[Floats, float, float]:
    """Return X as affinities, their sum and ΣP log P; raise unless they are those of this many points."""
    matrix = checks.as_array(X, "X", ndim=2, expected="a square matrix of affinities of shape (N, N)")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"X has shape {matrix.shape} with metric='affinities'; expected a square matrix of affinities"
        )
    P = np.ascontiguousarray(matrix, dtype=np.float64)
    if not checks.is_finite_sum(P):
        checks.raise_if_not_finite(P, "X")
    check_same_points(P.shape[0], n_points)
    total, log_p, gap, lowest, i, j = loops().affinity_sums(P)
    if lowest < 0:
        raise ValueError(f"X has a negative affinity ({lowest:g}); expected probabilities of pairs, all ≥ 0")
    # Joint probabilities of a few points in float32 differ by 1e-8.
    if gap > 1e-8:
        raise ValueError(
            f"X has {gap:g} at ({i}, {i}); expected affinities, which are 0 from a point to itself"
            if i == j
            else f"X is not symmetric (({i}, {j}) and ({j}, {i}) differ by {gap:g}); expected affinities"
        )
    if not abs(total - 1.0) <= 1e-6:
        raise ValueError(
            f"X sums to {total:.9g}; expected affinities: probabilities of all ordered pairs, with sum 1"
        )
    return P, total, log_p
