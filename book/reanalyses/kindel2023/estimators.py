"""Dependence of the estimators of word association on pairing, addition, averaging, and centering."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import check_equal_lengths
from isotropy_lab.association.cosine import cosine_similarities

Array = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class PairingRange:
    """The paired estimator over all k! pairings of the words of two lists; all values are exact."""

    in_given_order: float  #: The estimator if the i-th words are paired.
    minimum: float
    maximum: float
    mean: float  #: Mean over all pairings, which is the grand mean of the cosines.
    standard_deviation: float  #: Standard deviation over all pairings (dividing by k!).
    #: The order of `B` with the maximum: the i-th word of `A` is paired with ``B[order_of_maximum[i]]``.
    order_of_maximum: npt.NDArray[np.intp]


def pairing_range(A: checks.Points, B: checks.Points) -> PairingRange:
    """Return the range of the paired estimator over all pairings of the words of two lists of equal length k.

    The paired estimator is (1/k)Σ c_{i,π(i)}, where c_{ij} is the cosine of word i of `A` with word j of `B`,
    and π a permutation. Its extremes over π solve a linear assignment problem, its mean is the grand mean, and
    its variance is Σ d²_ij/(k²(k − 1)), where d are the cosines centered by row and column (Hoeffding, 1951).
    """
    cosines = cosine_similarities(A, B)
    k = len(cosines)
    check_equal_lengths(k, cosines.shape[1], ("A", "B"))
    rows = np.arange(k)
    columns_of_minimum = linear_sum_assignment(cosines)[1]
    columns_of_maximum = linear_sum_assignment(cosines, maximize=True)[1]
    mean = float(cosines.mean())
    centered = cosines - cosines.mean(axis=0) - cosines.mean(axis=1, keepdims=True) + mean
    variance = float(np.vdot(centered, centered)) / (k * k * (k - 1)) if k > 1 else 0.0
    return PairingRange(
        in_given_order=float(np.trace(cosines)) / k,
        minimum=float(cosines[rows, columns_of_minimum].mean()),
        maximum=float(cosines[rows, columns_of_maximum].mean()),
        mean=mean,
        standard_deviation=math.sqrt(variance),
        order_of_maximum=np.asarray(columns_of_maximum, dtype=np.intp),
    )


@dataclasses.dataclass(frozen=True)
class CosineAdditivity:
    """The cosine of a sum, compared with the sum of the cosines."""

    difference: float  #: cos(a + b, c) minus cos(a, c) + cos(b, c).
    holds_for_every_c: bool  #: Whether the difference is 0 for every c, that is, ‖a + b‖ = ‖a‖ = ‖b‖.


def cosine_additivity(a: npt.ArrayLike, b: npt.ArrayLike, c: npt.ArrayLike) -> CosineAdditivity:
    """Compare cos(a + b, c) with cos(a, c) + cos(b, c).

    With hats for unit vectors, the two values are ⟨a + b, ĉ⟩/‖a + b‖ and ⟨â + b̂, ĉ⟩. They are equal for every
    c if and only if a and b have equal lengths at an angle of 120°, as stated by Kindel (2023), supplement: the
    coefficients of independent vectors must agree, and for dependent ones â + b̂ has length 2 or 0. Moreover,
    cos(λa, c) = sign(λ)·cos(a, c); the published derivation omits the sign.
    """
    first, second, reference = (np.asarray(vector, dtype=np.float64) for vector in (a, b, c))
    total = first + second
    unit_sum, unit_a, unit_b, unit_c = unit_rows(np.stack([total, first, second, reference]))
    lengths = [float(np.linalg.norm(vector)) for vector in (total, first, second)]
    cosine_of_sum = float(unit_sum @ unit_c)
    sum_of_cosines = float(unit_a @ unit_c) + float(unit_b @ unit_c)
    holds = max(lengths) - min(lengths) <= 1e-12 * max(lengths)
    return CosineAdditivity(cosine_of_sum - sum_of_cosines, holds)


def centroid_length_ratios(W: checks.Points) -> Array:
    """Return ψ, the length of the centroid of a word list divided by the length of each of its words.

    The cosine of the centroid with any x is (1/k)Σ cos(w_j, x)/ψ_j: a short word has a large ψ and little
    weight. If all ψ are 1, it equals the mean cosine. Words of equal length have the same ψ, at most 1. Kindel
    (2023), supplement, requires a mean of 1.
    """
    words = np.asarray(W, dtype=np.float64)
    return np.asarray(np.linalg.norm(words.mean(axis=0)) / np.linalg.norm(words, axis=1))


def center_lists(
    A: checks.Points, B: checks.Points, *, by: str = "own", center: npt.ArrayLike | None = None
) -> tuple[Array, Array]:
    """Subtract a vector from two word lists, which changes their similarities.

    `by` is "own" (the mean of each list), "union" (the mean of all words of both), or "given" (`center`).
    A list of k independent words centered by its own mean spans k − 1 dimensions, because its rows sum to 0:
    one principal angle is lost, together with the direction that all its words share. A word that equals the
    mean of its list becomes a zero vector, which measures reject.
    """
    checks.check_option(by, "by", ("own", "union", "given"))
    a, b = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    if by == "own":
        return a - a.mean(axis=0), b - b.mean(axis=0)
    shift = np.concatenate([a, b]).mean(axis=0) if by == "union" else np.asarray(center, dtype=np.float64)
    return a - shift, b - shift
