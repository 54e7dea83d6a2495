"""Similarity of the subspaces that two word lists span, by way of their principal angles.

With orthonormal bases Q_A and Q_B of the two row spaces, the singular values of Q_AᵀQ_B are the cosines of the
principal angles, here called congruences, and ‖Q_AᵀQ_B‖²_F, the sum of their squares, is the trace of the product of
the two orthogonal projections. Ranks are found, not assumed: a repeated word neither breaks nor raises anything.
"""

from __future__ import annotations

import dataclasses
import math
import warnings

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.association._checks import as_word_lists, as_word_vectors, check_not_whole_space
from isotropy_lab.association.cosine import _units, rank_tolerance

__all__ = [
    "RandomBaseline",
    "canonical_congruences",
    "canonical_similarity",
    "corrected_canonical_similarity",
    "random_baseline",
    "row_basis",
]

_NAMES = ("A", "B")

SCALES = ("geometric", "minimum", None)


def row_basis(
    A: _checks.Points, *, tolerance: float | None = None, name: str = "A"
) -> npt.NDArray[np.float64]:
    """Return an orthonormal basis of the span of a word list, as columns.

    Parameters
    ----------
    A : array-like of shape (k, p)
        k ≥ 1 words, none of them zero.
    tolerance : float, optional
        Directions whose singular value, of the unit rows, is at most `tolerance` times the largest are taken for
        rounding. In [0, 1); by default max(k, p)·ε with ε of the input's type: 2.2e−16 for float64 and whole numbers,
        1.2e−7 for float32 and less.
    name : str
        What messages call the list.

    Returns
    -------
    array of shape (p, r)
        float64, with r the numerical rank, 1 ≤ r ≤ min(k, p). The basis is one of many: only its span, the
        projection Q Qᵀ, is determined.

    Raises
    ------
    TypeError
        If `A` does not hold real numbers.
    ValueError
        If the list is empty, a row is zero, a value is NaN or inf, or the tolerance is outside [0, 1).

    Notes
    -----
    The rows are brought to length 1 first, so that a short word counts as much for the rank as a long one. The span
    is invariant under rescaling of any word, of either sign, under the order of the words, repetition, and any
    invertible recombination of the rows; it turns with a rotation. Cost: O(k² p).

    Examples
    --------
    >>> from isotropy_lab.association import row_basis
    >>> row_basis([[1.0, 2.0, 3.0], [1.0, 0.0, 0.0], [2.0, 4.0, 6.0]]).shape  # the third word repeats the first
    (3, 2)
    """
    words = as_word_vectors(A, name)
    if tolerance is None:
        tolerance = rank_tolerance(words)
    else:
        tolerance = _checks.check_real(tolerance, "tolerance", low=0.0, high=1.0, open_high=True)
    return basis_of_units(_units(words), tolerance)


def basis_of_units(units: npt.NDArray[np.float64], tolerance: float) -> npt.NDArray[np.float64]:
    """Return an orthonormal basis of the span of unit rows, as columns."""
    _, values, rows = np.linalg.svd(units, full_matrices=False)
    rank = int(np.count_nonzero(values > min(tolerance, 1.0 - 1e-9) * values[0]))
    return np.ascontiguousarray(rows[:rank].T)


def _bases(
    A: _checks.Points, B: _checks.Points, names: tuple[str, str], tolerance: float | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    a, b = as_word_lists(dict(zip(names, (A, B), strict=True)))
    return (
        row_basis(a, tolerance=tolerance, name=names[0]),
        row_basis(b, tolerance=tolerance, name=names[1]),
    )


def canonical_congruences(
    A: _checks.Points,
    B: _checks.Points,
    *,
    tolerance: float | None = None,
    names: tuple[str, str] = _NAMES,
) -> npt.NDArray[np.float64]:
    """Return the cosines of the principal angles between the spans of two word lists.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero.
    tolerance : float, optional
        For the ranks, see `row_basis`.
    names : pair of str
        What messages call the lists.

    Returns
    -------
    array of shape (min(r_a, r_b),)
        Cosines, not their squares, in [0, 1], descending; r_a and r_b are the ranks of the lists. At least
        r_a + r_b − p of them are 1 by geometry alone.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        If a list is empty, the dimensions differ, a row is zero, a value is NaN or inf, or the tolerance is outside
        [0, 1).

    Notes
    -----
    Invariant under rotation and under whatever leaves the spans alone: rescaling (of either sign), order, repetition
    and invertible recombination of the words. Nothing is centered. Cosines near 1 are exact to rounding; angles near 0
    computed from them are not (use sines for those). Cost: O((k_a² + k_b²) p). Kindel (2023).

    Examples
    --------
    >>> from isotropy_lab.association import canonical_congruences
    >>> A = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    >>> B = [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0]]
    >>> canonical_congruences(A, B).round(6).tolist()
    [1.0, 0.0]
    """
    q_a, q_b = _bases(A, B, names, tolerance)
    return np.clip(np.linalg.svd(q_a.T @ q_b, compute_uv=False), 0.0, 1.0)


def trace_of_bases(q_a: npt.NDArray[np.float64], q_b: npt.NDArray[np.float64]) -> float:
    """Return the trace of the product of the projections on two orthonormal bases, within its bounds."""
    (p, r_a), r_b = q_a.shape, q_b.shape[1]
    product = q_a.T @ q_b
    return float(min(max(float(np.vdot(product, product)), float(r_a + r_b - p), 0.0), float(min(r_a, r_b))))


def scaled_trace(trace: float, r_a: int, r_b: int, scale: str | None) -> float:
    """Return the trace over √(r_a r_b), over min(r_a, r_b), or as it is."""
    if scale == "geometric":
        return trace / math.sqrt(r_a * r_b)
    return trace / min(r_a, r_b) if scale == "minimum" else trace


def check_scale(scale: str | None) -> str | None:
    """Return a scale that exists."""
    return None if scale is None else _checks.check_option(scale, "scale", ("geometric", "minimum"))


def warn_if_crowded(
    k_a: int, k_b: int, r_a: int, r_b: int, p: int, names: tuple[str, str], level: int
) -> None:
    """Warn if the lists have so many words that their spans must meet."""
    forced = r_a + r_b - p
    if max(k_a, k_b) <= p and forced <= 0:
        return
    a, b = names
    warnings.warn(
        f"{a} has {k_a} words of rank {r_a} and {b} {k_b} of rank {r_b} in {p} dimensions: random lists of these "
        f"ranks have a trace of {r_a * r_b / p:.4g} on average, and {max(forced, 0)} of the {min(r_a, r_b)} "
        f"congruences are 1 by geometry; compare with random_baseline({r_a}, {r_b}, {p}) or use shorter lists",
        UserWarning,
        stacklevel=level + 1,
    )


def canonical_similarity(
    A: _checks.Points,
    B: _checks.Points,
    *,
    scale: str | None = "geometric",
    tolerance: float | None = None,
    names: tuple[str, str] = _NAMES,
) -> float:
    """Return how much the spans of two word lists have in common: the sum of squared congruences, scaled.

    The sum is tr(P_A P_B) = ‖Q_AᵀQ_B‖²_F, with P the orthogonal projections on the spans and Q orthonormal bases. With
    words in rows, P_A = Aᵀ(AAᵀ)⁺A.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero.
    scale : {"geometric", "minimum", None}
        "geometric" divides by √(r_a r_b), with r the ranks: 1 if and only if the spans are equal, and at most
        √(r_min/r_max). "minimum" divides by min(r_a, r_b): 1 if and only if one span lies in the other. None leaves
        the trace, in [0, min(r_a, r_b)].
    tolerance : float, optional
        For the ranks, see `row_basis`.
    names : pair of str
        What messages call the lists.

    Returns
    -------
    float
        In [0, 1] when scaled. It is not 0 by chance: random spans have a trace of r_a r_b/p on average, see
        `random_baseline` and `corrected_canonical_similarity`.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        If a list is empty, the dimensions differ, a row is zero, a value is NaN or inf, or an option does not exist.

    Warns
    -----
    UserWarning
        If a list has more words than dimensions, or r_a + r_b > p, so that r_a + r_b − p congruences are 1 whatever
        the words are.

    Notes
    -----
    Invariant under rotation and under whatever leaves the spans alone: rescaling (of either sign), order, repetition
    and invertible recombination of the words. A word and its opposite, or its sign, do not matter: the measure is of
    subspaces, not of directions. Symmetric. It is the generalized coefficient of determination of Yanai (1974), for
    "geometric"; the RV coefficient and centered kernel alignment are other quantities. Cost: O((k_a² + k_b²) p), with
    neither a p × p projection nor the principal angles formed. Kindel (2023), whose text scales by the geometric mean
    and whose published code by the minimum.

    Examples
    --------
    >>> from isotropy_lab.association import canonical_similarity
    >>> A = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    >>> B = [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0]]
    >>> round(canonical_similarity(A, B), 6), round(canonical_similarity(A, A), 6)
    (0.5, 1.0)
    """
    scale = check_scale(scale)
    a, b = as_word_lists(dict(zip(names, (A, B), strict=True)))
    q_a, q_b = _bases(a, b, names, tolerance)
    (p, r_a), r_b = q_a.shape, q_b.shape[1]
    warn_if_crowded(len(a), len(b), r_a, r_b, p, names, 2)
    return scaled_trace(trace_of_bases(q_a, q_b), r_a, r_b, scale)


def corrected_trace(trace: float, r_a: int, r_b: int, p: int) -> float:
    """Return the trace on the scale where chance is 0 and the maximum 1."""
    chance = r_a * r_b / p
    return (trace - chance) / (min(r_a, r_b) - chance)


def corrected_canonical_similarity(
    A: _checks.Points,
    B: _checks.Points,
    *,
    tolerance: float | None = None,
    names: tuple[str, str] = _NAMES,
) -> float:
    """Return how much more the spans of two word lists have in common than random ones of the same ranks.

    It is (tr − E)/(min(r_a, r_b) − E), with tr the unscaled `canonical_similarity` and E = r_a r_b/p its mean for
    uniformly random subspaces of the ranks r_a and r_b: the correction for chance of Cohen's kappa and the adjusted
    Rand index. Dividing everything by a scale changes nothing, so there is no choice of scale.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero, each spanning less than the whole space.
    tolerance : float, optional
        For the ranks, see `row_basis`.
    names : pair of str
        What messages call the lists.

    Returns
    -------
    float
        At most 1, which means that one span lies in the other; 0 on average for random subspaces; negative if the
        spans avoid each other, down to −r_max/(p − r_max) for orthogonal ones, where r_max is the larger rank.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        If the words of a list span the whole space (chance is then the maximum), a list is empty, the dimensions
        differ, a row is zero, a value is NaN or inf, or the tolerance is outside [0, 1).

    Notes
    -----
    Invariances and cost as for `canonical_similarity`. The correction is for uniformly random subspaces; word vectors
    share directions, so random words have more in common than that: see `null_intervals`. The correction is this
    package's; Kindel (2023) has none.

    Examples
    --------
    >>> from isotropy_lab.association import corrected_canonical_similarity
    >>> A = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    >>> B = [[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 5.0]]
    >>> round(corrected_canonical_similarity(A, B), 6), round(corrected_canonical_similarity(A, A), 6)
    (-1.0, 1.0)
    """
    q_a, q_b = _bases(A, B, names, tolerance)
    (p, r_a), r_b = q_a.shape, q_b.shape[1]
    check_not_whole_space(r_a, r_b, p, names)
    return corrected_trace(trace_of_bases(q_a, q_b), r_a, r_b, p)


@dataclasses.dataclass(frozen=True)
class RandomBaseline:
    """The unscaled canonical similarity of two uniformly random subspaces.

    Attributes
    ----------
    mean : float
        Its expectation.
    variance : float
        Its variance.
    """

    mean: float
    variance: float


def random_baseline(k_a: int, k_b: int, p: int) -> RandomBaseline:
    """Return mean and variance of the unscaled canonical similarity of uniformly random subspaces.

    Parameters
    ----------
    k_a, k_b : int
        Dimensions of the subspaces: the ranks of the lists, which are the numbers of words unless these are dependent.
    p : int
        Dimensions of the space; 1 ≤ k ≤ p.

    Returns
    -------
    RandomBaseline
        mean k_a k_b/p and variance 2 k_a k_b (p − k_a)(p − k_b)/(p²(p − 1)(p + 2)), which is 0 if one subspace is the
        whole space. Divide the mean by √(k_a k_b), or min(k_a, k_b), for the scaled similarities.

    Raises
    ------
    TypeError
        If an argument is no whole number.
    ValueError
        If an argument is below 1 or a subspace is larger than the space.

    Notes
    -----
    One subspace may be fixed: only the other need be random. For lines, k_a = k_b = 1, the trace is a squared cosine,
    which follows a Beta(1/2, (p − 1)/2) distribution. In general, let P and Q be the projections on subspaces of
    dimensions a and b, the second rotated at random. Then E tr(PQ) = tr(P)·tr(Q)/p, because the mean of Q over all
    rotations is (b/p)I. And the traceless parts P − (a/p)I and Q − (b/p)I have squared norms a(p − a)/p and
    b(p − b)/p in the space of traceless symmetric matrices, on which rotations act irreducibly and whose dimension is
    (p − 1)(p + 2)/2: the mean square of their inner product is the product of the squared norms over the dimension.
    Cost: O(1).

    Examples
    --------
    >>> from isotropy_lab.association import random_baseline
    >>> random_baseline(8, 8, 50)
    RandomBaseline(mean=1.28, variance=0.03544...)
    """
    p = _checks.check_integer(p, "p", low=1)
    why = "a subspace has at most the dimensions of the space"
    k_a = _checks.check_integer(k_a, "k_a", low=1, high=p, why=why)
    k_b = _checks.check_integer(k_b, "k_b", low=1, high=p, why=why)
    if p in (k_a, k_b):
        return RandomBaseline(float(min(k_a, k_b)), 0.0)
    variance = 2 * k_a * k_b * (p - k_a) * (p - k_b) / (p * p * (p - 1) * (p + 2))
    return RandomBaseline(k_a * k_b / p, variance)
