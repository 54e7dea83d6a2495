"""Dependence of the estimators of word association on pairing, addition, averaging, and centering."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_word_lists, as_word_vectors, check_equal_lengths
from isotropy_lab.association.cosine import cosine_similarities

__all__ = [
    "CentroidWeights",
    "CosineAdditivity",
    "PairingRange",
    "centroid_weights",
    "cosine_additivity",
    "pairing_range",
    "recentered",
]

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
    check_equal_lengths(k, cosines.shape[1], ("A", "B"))
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
    vectors = _as_vectors({"a": a, "b": b, "c": c})
    slack = 1e-12
    largest = int(np.frexp(max(float(np.abs(vectors[name]).max()) for name in ("a", "b")))[1])
    first, second = (np.ldexp(vectors[name], -largest) for name in ("a", "b"))
    total = first + second
    lengths = [float(np.linalg.norm(vector)) for vector in (total, first, second)]
    unit_a, unit_b, unit_c = unit_rows(np.stack([vectors[name] for name in ("a", "b", "c")]))
    of_sum = float(unit_rows(total[None])[0] @ unit_c)
    sum_of = float(unit_a @ unit_c) + float(unit_b @ unit_c)
    holds = max(lengths) - min(lengths) <= slack * max(lengths)
    return CosineAdditivity(of_sum - sum_of, holds)


@dataclasses.dataclass(frozen=True, eq=False)
class CentroidWeights:
    """The weights ψ that a centroid gives to the cosines of its words."""

    weights: Array  #: ψ_j = ‖mean of the words‖/‖word j‖.
    mean: float  #: Mean of the weights; it is 1 for a centroid without distortion.


def centroid_weights(W: checks.Points) -> CentroidWeights:
    """Return the ratios of the length of a list's centroid to the lengths of its words.

    The cosine of the centroid with any x is (1/k)Σ cos(w_j, x)/ψ_j, so it equals the mean cosine if all ψ are
    1. Words of equal length have the same ψ, at most 1; for unequal lengths, a short word has a large ψ.
    Kindel (2023), supplement, requires a mean of 1.
    """
    words = as_word_vectors(W, "W").astype(np.float64)
    # Each row is scaled separately, so that a row far shorter than the longest does not underflow.
    exponents = np.frexp(np.abs(words).max(axis=1))[1]
    largest = int(exponents.max())
    mean = np.ldexp(words, -largest).mean(axis=0)
    lengths = np.linalg.norm(np.ldexp(words, -exponents[:, None]), axis=1)
    with np.errstate(over="ignore"):
        weights = np.ldexp(math.sqrt(float(mean @ mean)) / lengths, largest - exponents)
    return CentroidWeights(np.asarray(weights), float(weights.mean()))


def recentered(
    A: checks.Points, B: checks.Points, *, by: str = "own", center: npt.ArrayLike | None = None
) -> tuple[Array, Array]:
    """Return two word lists after subtracting a mean, which changes their similarities.

    A list of k independent words centered by its own mean spans k − 1 dimensions, because its rows sum to 0:
    one principal angle is lost, together with the direction that all its words share. A word that equals the
    mean of its list becomes a zero vector, which measures reject.
    """
    a, b = (words.astype(np.float64) for words in as_word_lists({"A": A, "B": B}))
    with np.errstate(over="ignore", invalid="ignore"):
        if by == "own":
            shifts = a.mean(axis=0), b.mean(axis=0)
        elif by == "union":
            shifts = (np.concatenate([a, b]).mean(axis=0),) * 2
        else:
            shifts = (np.asarray(center, dtype=np.float64),) * 2
        return a - shifts[0], b - shifts[1]


def _as_vectors(vectors: Mapping[str, Any]) -> dict[str, npt.NDArray[np.float64]]:
    """Return vectors as a float64 array; `name` is used in errors."""
    return {
        name: np.asarray(checks.as_array(x, name, ndim=1), dtype=np.float64) for name, x in vectors.items()
    }
