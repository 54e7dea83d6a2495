"""Dependence of the estimators of word association on pairing, addition, averaging, and centering."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association.cosine import cosine_similarities

Array = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class PairingRange:
    """The paired estimator over all k! pairings of the words of two lists."""

    given: float  #: The estimator for the words in the given order.
    #: minimum, maximum: exact extrema over all pairings.
    minimum: float
    maximum: float
    mean: float  #: Exact mean over all pairings, which is the grand mean of the cosines.
    standard_deviation: float  #: Exact standard deviation over all pairings (dividing by k!).
    #: The order of `B` with the maximum: the i-th word of `A` is paired with ``B[order[i]]``.
    maximum_order: npt.NDArray[np.intp]


def pairing_range(A: checks.Points, B: checks.Points) -> PairingRange:
    """Return the range of the paired estimator over all orders of the words of two lists.

    The paired estimator is (1/k)Σ c_{i,π(i)}, where c are the cosines. Its extremes over π solve a linear
    assignment problem, its mean is the grand mean, and its variance is Σ d²_ij/(k²(k − 1)), where d are the
    cosines centered by row and column (Hoeffding, 1951); it is 0 if and only if every cosine is a row term
    plus a column term.
    """
    cosines = cosine_similarities(A, B)
    k = len(cosines)
    rows = np.arange(k)
    lowest = linear_sum_assignment(cosines)[1]
    highest = linear_sum_assignment(cosines, maximize=True)[1]
    mean = float(cosines.mean())
    centered = cosines - cosines.mean(axis=0) - cosines.mean(axis=1, keepdims=True) + mean
    variance = float(np.vdot(centered, centered)) / (k * k * (k - 1)) if k > 1 else 0.0
    return PairingRange(
        float(np.trace(cosines)) / k,
        float(cosines[rows, lowest].mean()),
        float(cosines[rows, highest].mean()),
        mean,
        math.sqrt(variance),
        np.asarray(highest, dtype=np.intp),
    )


@dataclasses.dataclass(frozen=True)
class CosineAdditivity:
    """The cosine of a sum, compared with the sum of the cosines."""

    difference: float  #: cos(a + b, c) minus cos(a, c) + cos(b, c).
    holds_for_every_c: bool  #: Whether both are equal for every c, that is, ‖a + b‖ = ‖a‖ = ‖b‖.


def cosine_additivity(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> CosineAdditivity:
    """Compare cos(a + b, c) with cos(a, c) + cos(b, c).

    With hats for unit vectors, the two sides are ⟨a + b, ĉ⟩/‖a + b‖ and ⟨â + b̂, ĉ⟩. They are equal for every
    c if and only if a and b have equal lengths at an angle of 120°, as stated by Kindel (2023), supplement:
    the coefficients of independent vectors must agree, and otherwise the right side has length 2 or 0.
    cos(λa, c) is sign(λ)·cos(a, c); the printed derivation omits the sign.
    """
    first, second, reference = (np.asarray(x, dtype=np.float64) for x in (a, b, c))
    total = first + second
    unit_total, unit_a, unit_b, unit_c = unit_rows(np.stack([total, first, second, reference]))
    lengths = [float(np.linalg.norm(vector)) for vector in (total, first, second)]
    cosine_of_sum = float(unit_total @ unit_c)
    sum_of_cosines = float(unit_a @ unit_c) + float(unit_b @ unit_c)
    holds = max(lengths) - min(lengths) <= 1e-12 * max(lengths)
    return CosineAdditivity(cosine_of_sum - sum_of_cosines, holds)


def centroid_weights(W: checks.Points) -> Array:
    """Return the weights ψ that a centroid gives to the cosines of its words: its length over theirs.

    The cosine of the centroid with any x is (1/k)Σ cos(w_j, x)/ψ_j, so it equals the mean cosine if all ψ are
    1. Words of equal length have the same ψ, at most 1; for unequal lengths, a short word has a large ψ.
    Kindel (2023), supplement, requires a mean of 1.
    """
    words = np.asarray(W, dtype=np.float64)
    return np.asarray(np.linalg.norm(words.mean(axis=0)) / np.linalg.norm(words, axis=1))


def recentered(
    A: checks.Points, B: checks.Points, *, by: str = "own", center: npt.ArrayLike | None = None
) -> tuple[Array, Array]:
    """Return two word lists after subtracting a mean, which changes their similarities.

    A list of k independent words centered by its own mean spans k − 1 dimensions, because its rows sum to 0:
    one principal angle is lost, together with the direction that all its words share. A word that equals the
    mean of its list becomes a zero vector, which measures reject.
    """
    a, b = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    if by == "own":
        return a - a.mean(axis=0), b - b.mean(axis=0)
    shift = np.concatenate([a, b]).mean(axis=0) if by == "union" else np.asarray(center, dtype=np.float64)
    return a - shift, b - shift
