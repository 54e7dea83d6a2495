"""Histogram of a projection's pairs, which gives the divergence at any scale in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import as_scales
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import loops
from isotropy_lab.projection._pairs.kl_pairs import KERNELS, KLPairs, inner_scale, student_coefficients

__all__ = ["KLHistogram", "histogram_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KLHistogram(Result):
    """Histogram of a projection's pairs by distance, which approximates the divergence at every scale.

    Pairs are binned by δ = e² − min e², with a fixed number of bins per octave of δ. Each bin is replaced by
    two atoms with the same weight, mean, and variance, both for the number of pairs and for their probability
    P. The error is therefore of third order in the width of a bin.

    Attributes
    ----------
    number, number_at : numpy.ndarray of shape (m,), float64
        Number of pairs i < j of each atom, and their δ.
    probability, probability_at : numpy.ndarray of shape (m',), float64
        Probability P of each atom, with sum 1, and its δ.
    nearest, farthest : float
        Smallest and largest e². Like δ, they are in units of the square of `size`.
    size : float
        Power of two near the width of the projection.
    log_p : float
        Sum of P log P over ordered pairs.
    """

    number: Floats
    number_at: Floats
    probability: Floats
    probability_at: Floats
    nearest: float
    farthest: float
    size: float
    log_p: float

    def values(self, scales: ArrayLike, *, kernel: str = "student-t") -> Floats:
        """Return the divergence for the kernel "student-t" or "gaussian" at many finite scales ≥ 0.

        With 512 bins per octave, the error for "student-t" is at most 2.5e-9, and inversely proportional to
        the cube of this number. For "gaussian", it increases with the distances of the pairs that dominate Q.
        """
        checks.check_option(kernel, "kernel", KERNELS[:2])
        inner = np.array([inner_scale(float(scale), self.size, self.farthest) for scale in as_scales(scales)])
        if kernel == "gaussian":
            sums = self.gaussian_sums(inner)
            return np.maximum(self.log_p + inner**2 * self.mean_delta + np.log(2.0 * sums[:, 0]), 0.0)
        sums, _, unit = self.student_sums(inner, with_logs=True)
        return np.maximum(self.log_p + sums[:, 0] + np.log(2.0 * sums[:, 3]) - np.log(unit), 0.0)

    @property
    def mean_delta(self) -> float:
        """Mean of δ under P."""
        return float(self.probability @ self.probability_at)

    def student_sums(self, inner: Floats, *, with_logs: bool = False) -> tuple[Floats, Floats, Floats]:
        """Return sums for the kernel 1/(a + b·e²) over all atoms, one row per inner scale.

        With w = a + b·e², v = e²/w, s = a/w, and q proportional to 1/w, the sums are Σp log w, Σpv, Σps, Σq,
        Σqv, and Σqs. Also return b and a + b·min e² for each scale.
        """
        a, b = np.array([student_coefficients(float(scale)) for scale in inner]).T
        unit = a + b * self.nearest
        p_at, q_at = self.probability_at + self.nearest, self.number_at + self.nearest
        sums = np.zeros((inner.size, 6))
        for k in range(inner.size):
            w = a[k] + b[k] * p_at
            p = self.probability / w
            if with_logs:
                sums[k, 0] = self.probability @ np.log(w)
            sums[k, 1:3] = p @ p_at, a[k] * p.sum()
            w = a[k] + b[k] * q_at
            q = self.number * (unit[k] / w)
            over_w = q / w
            sums[k, 3:] = q.sum(), over_w @ q_at, a[k] * over_w.sum()
        return sums, b, unit

    def gaussian_sums(self, inner: Floats) -> Floats:
        """Return sums for the kernel exp(−α²δ) over all atoms, one row per inner scale."""
        return np.array([plain.gaussian_weights(self.number, self.number_at, b) for b in inner**2])


def histogram_of(pairs: KLPairs, *, bits: int = 9) -> KLHistogram:
    """Return the histogram of checked pairs with 2^bits bins per octave."""
    shift = 52 - bits
    # The smallest δ > 0 is one ulp of the smallest e² or, if that is 0, the smallest e² > 0.
    smallest = pairs.nearest * 2.0**-53 if pairs.nearest > 0.0 else pairs.nearest_apart
    largest = pairs.farthest - pairs.nearest
    ends = np.array([smallest, largest]).view(np.int64) >> shift
    first = int(ends[0]) - 1
    bins = np.zeros((max(int(ends[1]) - first, 0) + 1, 8))
    loops().fill_histogram(pairs.P, pairs.Yt, pairs.nearest, first, shift, bins)
    number, number_at = _atoms(bins[:, 0], bins[:, 1], bins[:, 2])
    probability, probability_at = _atoms(bins[:, 3], bins[:, 4], bins[:, 5])
    return KLHistogram(
        number=number,
        number_at=number_at,
        probability=probability * (2.0 / pairs.total),
        probability_at=probability_at,
        nearest=pairs.nearest,
        farthest=pairs.farthest,
        size=pairs.size,
        log_p=pairs.log_p,
    )


def _atoms(weight: Floats, first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return two atoms with the moments of each nonempty bin, or one atom for a bin of zero width."""
    nonempty = weight > 0.0
    weight, first, second = weight[nonempty], first[nonempty], second[nonempty]
    mean = first / weight
    with np.errstate(under="ignore"):
        variance = second / weight - mean * mean
    # Smaller variances are rounding errors of bins with a single pair or with equal pairs.
    has_width = variance > 1e-13 * mean * mean
    spread = np.sqrt(variance[has_width])
    return (
        np.concatenate([weight[~has_width], 0.5 * weight[has_width], 0.5 * weight[has_width]]),
        np.concatenate([mean[~has_width], mean[has_width] - spread, mean[has_width] + spread]),
    )
