"""Similarity of the spans of two word lists: cosines of principal angles, and the trace.

With orthonormal bases Q_A and Q_B of the two row spaces, the singular values of Q_AᵀQ_B are the cosines of
the principal angles, and the sum of their squares is the trace of the product of the two orthogonal
projections. Ranks are computed, so that a repeated word changes nothing.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import (
    as_pair,
    as_word_vectors,
    check_not_whole_space,
    check_subspaces,
    rank_tolerance,
)

__all__ = [
    "RandomBaseline",
    "canonical_congruences",
    "canonical_similarity",
    "corrected_canonical_similarity",
    "random_baseline",
]

Array = npt.NDArray[np.float64]


def row_basis(A: checks.Points) -> Array:
    """Return an orthonormal basis of the span of a word list, as columns: shape (p, r)."""
    return span_basis(as_word_vectors(A, "A"))


def span_basis(words: checks.FloatArray) -> Array:
    """Return an orthonormal basis of the span of a checked word list, as columns."""
    _, values, rows = np.linalg.svd(unit_rows(words), full_matrices=False)
    rank = int(np.count_nonzero(values > min(rank_tolerance(words), 1.0 - 1e-9) * values[0]))
    return np.ascontiguousarray(rows[:rank].T)


def canonical_congruences(A: checks.Points, B: checks.Points) -> Array:
    """Return the cosines of the principal angles between the spans of two word lists.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one nonzero word vector per row.

    Returns
    -------
    array of shape (min(r_a, r_b),)
        Cosines (not squared) in [0, 1], in descending order; at least r_a + r_b − p of them are necessarily
        1. The rank r of a list is the number of singular values of its unit-norm rows that exceed max(k, p)·ε
        times the largest, where ε is the machine epsilon of the input's dtype.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; or if dimensions differ.

    Notes
    -----
    The cosines are invariant under rotation and whatever leaves the spans unchanged: factors of either sign,
    reordering, repetition, and invertible linear combinations of the words. Vectors are not centered. Cost:
    O((k_a² + k_b²) p). Kindel (2023).

    Examples
    --------
    >>> from isotropy_lab.association import canonical_congruences
    >>> A = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    >>> B = [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0]]
    >>> canonical_congruences(A, B).round(6).tolist()
    [1.0, 0.0]
    """
    q_a, q_b = (span_basis(words) for words in as_pair(A, B))
    return np.clip(np.linalg.svd(q_a.T @ q_b, compute_uv=False), 0.0, 1.0)


def canonical_similarity(A: checks.Points, B: checks.Points, *, scale: str | None = "geometric") -> float:
    """Return the scaled sum of squared cosines of the principal angles between the spans of two word lists.

    The sum is tr(P_A P_B) = ‖Q_AᵀQ_B‖²_F, with orthogonal projections P and orthonormal bases Q.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one nonzero word vector per row.
    scale : {"geometric", "minimum", None}
        "geometric" divides by √(r_a r_b), with ranks r; the result is at most √(r_min/r_max), and 1 if and
        only if the spans are equal. "minimum" divides by min(r_a, r_b); the result is 1 if and only if one
        span contains the other. None returns the trace itself, in [0, min(r_a, r_b)].

    Returns
    -------
    float
        Similarity, in [0, 1] if scaled. Its chance level is not 0: the trace of random subspaces is r_a r_b/p
        on average (see `random_baseline` and `corrected_canonical_similarity`).

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; if dimensions differ; or if
        an option does not exist.

    Warns
    -----
    UserWarning
        If a list has more words than dimensions, or if r_a + r_b > p, so that the spans must intersect.

    Notes
    -----
    It is symmetric and has the invariances and cost of `canonical_congruences`. With "geometric", it is the
    generalized coefficient of determination of Yanai (1974), but neither the RV coefficient nor centered
    kernel alignment. The text of Kindel (2023) uses the geometric mean, and its code the minimum.

    Examples
    --------
    >>> from isotropy_lab.association import canonical_similarity
    >>> A = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    >>> B = [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0]]
    >>> round(canonical_similarity(A, B), 6), round(canonical_similarity(A, A), 6)
    (0.5, 1.0)
    """
    if scale is not None:
        checks.check_option(scale, "scale", ("geometric", "minimum"))
    return canonical(*as_pair(A, B), scale=scale)


def canonical(
    a: checks.FloatArray, b: checks.FloatArray, names: tuple[str, str] = ("A", "B"), *, scale: str | None
) -> float:
    """Return the canonical similarity of checked lists; warnings are attributed to the caller's caller."""
    q_a, q_b = span_basis(a), span_basis(b)
    warn_if_spans_intersect(len(a), len(b), q_a.shape[1], q_b.shape[1], q_a.shape[0], names, 3)
    return float(scaled_trace(_trace(q_a, q_b), q_a.shape[1], q_b.shape[1], scale))


def _trace(q_a: Array, q_b: Array) -> float:
    """Return the trace of the product of two projections, given orthonormal bases, clipped to its bounds."""
    (p, r_a), r_b = q_a.shape, q_b.shape[1]
    product = q_a.T @ q_b
    return float(min(max(float(np.vdot(product, product)), float(r_a + r_b - p), 0.0), float(min(r_a, r_b))))


def scaled_trace(trace: Any, r_a: Any, r_b: Any, scale: str | None) -> Any:
    """Return traces divided by √(r_a r_b) or min(r_a, r_b), or unscaled."""
    if scale == "geometric":
        return trace / np.sqrt(r_a * r_b)
    return trace / np.minimum(r_a, r_b) if scale == "minimum" else trace


def corrected_trace(trace: Any, r_a: Any, r_b: Any, p: int) -> Any:
    """Return traces rescaled so that the chance level is 0 and the maximum is 1."""
    chance = r_a * r_b / p
    return (trace - chance) / (np.minimum(r_a, r_b) - chance)


def warn_if_spans_intersect(
    k_a: int, k_b: int, r_a: int, r_b: int, p: int, names: tuple[str, str], level: int
) -> None:
    """Warn if the lists have so many words that their spans must intersect."""
    n_forced = r_a + r_b - p
    if max(k_a, k_b) <= p and n_forced <= 0:
        return
    a, b = names
    warnings.warn(
        f"{a} has {k_a} words of rank {r_a}, and {b} has {k_b} words of rank {r_b}, in {p} dimensions: "
        f"random lists of these ranks have a trace of {r_a * r_b / p:.4g} on average, and {max(n_forced, 0)} "
        f"of the {min(r_a, r_b)} congruences are 1 by geometry; compare with random_baseline({r_a}, {r_b}, "
        f"{p}) or use shorter lists",
        UserWarning,
        stacklevel=level + 1,
    )


def corrected_canonical_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the canonical similarity of two word lists, corrected for its chance level.

    The result is (tr − E)/(min(r_a, r_b) − E), where tr is the unscaled `canonical_similarity` and E = r_a
    r_b/p is its mean for uniformly random subspaces of ranks r_a and r_b. Cohen's kappa and the adjusted Rand
    index are corrected for chance in the same way.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one nonzero word vector per row, neither of which spans the whole space.

    Returns
    -------
    float
        At most 1, reached if one span contains the other; 0 on average for random subspaces; and at least
        −r_max/(p − r_max), for orthogonal spans, where r_max is the larger rank.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; if dimensions differ; or if a
        list spans the whole space, so that chance level and maximum coincide.

    Notes
    -----
    Invariances and cost are those of `canonical_congruences`. Random word lists are more similar than random
    subspaces, because word vectors share directions: see `null_intervals`. Kindel (2023) has no correction.

    Examples
    --------
    >>> from isotropy_lab.association import corrected_canonical_similarity
    >>> A = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    >>> B = [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 5.0]]
    >>> round(corrected_canonical_similarity(A, B), 6), round(corrected_canonical_similarity(A, A), 6)
    (-1.0, 1.0)
    """
    return corrected_canonical(*as_pair(A, B))


def corrected_canonical(
    a: checks.FloatArray, b: checks.FloatArray, names: tuple[str, str] = ("A", "B")
) -> float:
    """Return the corrected canonical similarity of checked lists."""
    q_a, q_b = span_basis(a), span_basis(b)
    (p, r_a), r_b = q_a.shape, q_b.shape[1]
    check_not_whole_space(r_a, r_b, p, names)
    return float(corrected_trace(_trace(q_a, q_b), r_a, r_b, p))


@dataclasses.dataclass(frozen=True)
class RandomBaseline(Result):
    """Mean and variance of the unscaled canonical similarity of two uniformly random subspaces.

    Attributes
    ----------
    mean, variance
        Expected value and variance.
    """

    mean: float
    variance: float


def random_baseline(k_a: int, k_b: int, p: int) -> RandomBaseline:
    """Return the mean and variance of the unscaled canonical similarity of random subspaces.

    Parameters
    ----------
    k_a, k_b : int
        Dimensions of the subspaces, which are the ranks of the lists; from 1 to p.
    p : int
        Dimension of the space.

    Returns
    -------
    RandomBaseline
        Mean k_a k_b/p and variance 2 k_a k_b (p − k_a)(p − k_b)/(p²(p − 1)(p + 2)), which is 0 if one
        subspace is the whole space. For scaled similarities, divide the mean by √(k_a k_b) or min(k_a, k_b).

    Raises
    ------
    TypeError, ValueError
        If an argument is not a positive integer, or if a subspace is larger than the space.

    Notes
    -----
    The result also holds if only one subspace is random. Let P and Q be the projections, and rotate Q at
    random. Then E tr(PQ) = tr(P)·tr(Q)/p, because the mean of Q is (b/p)I. The traceless parts of P and Q
    have squared norms a(p − a)/p and b(p − b)/p. Rotations act irreducibly on the traceless symmetric
    matrices, whose space has dimension (p − 1)(p + 2)/2, so the mean square of the inner product is the
    product of the squared norms divided by this dimension. The result is symmetric. Cost: O(1).

    Examples
    --------
    >>> from isotropy_lab.association import random_baseline
    >>> random_baseline(8, 8, 50)
    RandomBaseline(mean=1.28, variance=0.03544...)
    """
    k_a, k_b, p = check_subspaces(k_a, k_b, p)
    if p in (k_a, k_b):
        return RandomBaseline(float(min(k_a, k_b)), 0.0)
    variance = 2 * k_a * k_b * (p - k_a) * (p - k_b) / (p * p * (p - 1) * (p + 2))
    return RandomBaseline(k_a * k_b / p, variance)
