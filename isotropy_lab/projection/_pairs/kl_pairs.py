"""Input of KL divergences: affinities of the data and coordinates of the projection."""

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
    """Divergence and its first and second derivatives with respect to the scale."""

    value: float
    first: float
    second: float


@dataclass(frozen=True)
class KLPairs:
    """Checked affinities of the data and coordinates of the projection, with sums shared by all scales.

    Coordinates are in units of `size`, a power of two, which prevents overflow and underflow and gives a
    projection and its double the same digits. In these units, called inner, a scale is α·size.
    """

    P: Floats
    Yt: Floats
    size: float
    total: float
    """Sum of P over ordered pairs, which is 1 up to rounding."""
    log_p: float
    """Sum of P log P over ordered pairs, for P divided by its sum."""
    nearest: float
    """Smallest e², with distances e of the projection."""
    n_nearest: int
    """Number of pairs i < j at the smallest distance, √`nearest`."""
    nearest_apart: float
    """Smallest nonzero e²."""
    farthest: float
    """Largest e²."""

    @property
    def n_pairs(self) -> int:
        """Number of pairs, N(N − 1)/2."""
        n = int(self.P.shape[0])
        return n * (n - 1) // 2

    @property
    def at_zero(self) -> float:
        """KL divergence from the uniform distribution, to which every kernel tends at scale 0."""
        return max(self.log_p + math.log(2.0 * self.n_pairs), 0.0)

    def inner_scale(self, scale: float) -> float:
        """Return a scale in internal units."""
        return inner_scale(scale, self.size, self.farthest)

    @cached_property
    def _excess(self) -> tuple[float, int]:
        return plain.excess_sums(self.P, self.Yt, self.nearest)

    def at_infinity(self, *, gaussian: bool = False) -> float:
        """Return the limit of the KL divergence at infinite scale, for the Student-t or Gaussian kernel."""
        if gaussian or self.nearest == 0.0:
            # The kernel approaches the uniform distribution over the closest pairs.
            _, n_farther = self._excess
            return math.inf if n_farther else max(self.log_p + math.log(2.0 * self.n_nearest), 0.0)
        return self._student(0.0, 1.0).value

    def student(self, inner: float) -> Derivatives:
        """Return the divergence for the kernel 1/(1 + α²e²), with derivatives in the inner scale."""
        return self._student(*student_coefficients(inner))

    def _student(self, a: float, b: float) -> Derivatives:
        """Return the divergence for the kernel 1/(a + b·e²), with derivatives in the inner scale √(b/a).

        With v = e²/(a + b·e²) and s = a/(a + b·e²), b·v + s = 1. The first derivative by the scale is 2α(E_P
        − E_Q)[e²/(1 + α²e²)], Smelser et al. (2025), equation (8). The difference is computed from b·v or s,
        whichever has less cancellation.
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
            slope = pv - qv
            curvature = 2.0 * qv2 - pv2 - qv * qv
            return Derivatives(value, 2.0 * inner * a * slope, 2.0 * a * slope + 4.0 * b * a * curvature)
        slope = qs - ps
        curvature = 2.0 * qs2 - ps2 - qs * qs
        return Derivatives(value, 2.0 * slope / inner, (a / b) * (4.0 * curvature - 6.0 * slope))

    def gaussian(self, inner: float) -> Derivatives:
        """Return the divergence for the kernel exp(−α²e²), with derivatives in the inner scale."""
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
    """Return the affinities of the data and the range of the projection's distances, after checks.

    With ``metric="affinities"``, X contains affinities, and the perplexity is ignored.
    """
    y = checks.as_points(Y, "Y")
    checks.check_option(metric, "metric", ("euclidean", "precomputed", "affinities"))
    if metric == "affinities":
        P, total, log_p = _check_affinities(X, y.shape[0])
    else:
        expected = "a square matrix of distances" if metric == "precomputed" else None
        shape = checks.as_array(X, "X", ndim=2, expected=expected).shape
        check_same_points(shape[0], y.shape[0])
        P = affinities(X, perplexity=perplexity, metric=metric)
        total, log_p, *_ = plain.affinity_sums(P)
    coordinates = y.astype(np.float64)
    spread = float(np.abs(coordinates - coordinates[0]).max())
    check_some_distance(spread, "Y")
    size = math.ldexp(1.0, math.frexp(spread)[1])
    # Subtracting the mean would introduce rounding errors that differences of coordinates do not have.
    Yt = np.ascontiguousarray((coordinates / size).T)
    nearest, apart, farthest, n_nearest = loops().extremes(Yt)
    log_p = log_p / total - math.log(total)
    return KLPairs(P, Yt, size, total, log_p, nearest, n_nearest, apart, farthest)


def inner_scale(scale: float, size: float, farthest: float) -> float:
    """Return a scale for a projection divided by `size`, whose largest e² is `farthest`."""
    inner = scale * size
    if math.isfinite(scale) and not inner * math.sqrt(farthest) < 1e150:
        raise ValueError(
            f"scale is {scale:g}, at which squares of distances in Y overflow float64; expected a smaller "
            "scale, or math.inf for the limit"
        )
    return inner


def student_coefficients(inner: float) -> tuple[float, float]:
    """Return a, b ≤ 1 for which the kernel 1/(a + b·e²) is proportional to 1/(1 + α²e²)."""
    return (1.0, inner * inner) if inner <= 1.0 else (1.0 / (inner * inner), 1.0)


def _check_affinities(X: Any, n_points: int) -> tuple[Floats, float, float]:
    """Return X as checked affinities of `n_points` points, with their sum and ΣP log P."""
    matrix = checks.as_array(X, "X", ndim=2, expected="a square matrix of affinities of shape (N, N)")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"X has shape {matrix.shape} with metric='affinities'; expected a square matrix of affinities"
        )
    P = np.ascontiguousarray(matrix, dtype=np.float64)
    if not checks.is_finite_sum(P):
        checks.raise_if_not_finite(P, "X")
    check_same_points(P.shape[0], n_points)
    total, log_p, max_gap, lowest, i, j = plain.affinity_sums(P)
    if lowest < 0:
        raise ValueError(f"X has a negative affinity ({lowest:g}); expected probabilities, which are ≥ 0")
    # Rounding the joint probabilities of a few points to float32 causes differences of about 1e-8.
    if max_gap > 1e-8:
        raise ValueError(
            f"X has {max_gap:g} at ({i}, {i}); expected affinities, which are 0 on the diagonal"
            if i == j
            else f"X is not symmetric (({i}, {j}) and ({j}, {i}) differ by {max_gap:g}); expected affinities"
        )
    if not abs(total - 1.0) <= 1e-6:
        raise ValueError(
            f"X sums to {total:.9g}; expected affinities, which are probabilities of ordered pairs with sum 1"
        )
    return P, total, log_p
