"""Regression of cosines on list membership, and tests that treat words as observations.

Every word of lists A and B is compared with every word of a third list, X. The pairs that contain the same
word of A or B are dependent, so words rather than pairs are the observations.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
from scipy import linalg, stats

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_word_lists
from isotropy_lab.association._sublists import combinations

__all__ = ["CosineRegression", "RelabelingTest", "cosine_regression", "local_similarity", "relabeling_test"]

Floats = npt.NDArray[np.float64]

COVARIANCES = ("cluster", "HC3", "nonrobust")

MAX_RELABELINGS = 100_000
"""Maximum number of relabelings that are all counted."""

_CHUNK_ROWS = 20_000  # relabelings drawn at a time


@dataclasses.dataclass(frozen=True)
class CosineRegression(Result):
    """Difference between the mean cosines of two lists with a third list.

    Attributes
    ----------
    estimate : float
        Mean cosine of A with X minus mean cosine of B with X.
    standard_error, low, high, pvalue : float
        Standard error of the difference, ends of its 95% interval by Student's t, and two-sided p-value.
    degrees_of_freedom : int
        Number of words minus one for "cluster", or of pairs minus two otherwise.
    covariance : str
        Estimator of the standard error.
    """

    estimate: float
    standard_error: float
    low: float
    high: float
    pvalue: float
    degrees_of_freedom: int
    covariance: str


@dataclasses.dataclass(frozen=True)
class RelabelingTest(Result):
    """Result of a two-sided permutation test of the difference between two lists.

    Attributes
    ----------
    statistic : float
        Mean cosine of A with X minus mean cosine of B with X.
    pvalue : float
        Fraction of relabelings, including the observed one, with a difference at least as large.
    n_at_least, count : int
        Numbers of relabelings with a difference at least as large, and of all relabelings counted.
    method : str
        "exact" or "monte-carlo".
    """

    statistic: float
    pvalue: float
    n_at_least: int
    count: int
    method: str


def cosine_regression(
    A: checks.Points, B: checks.Points, X: checks.Points, *, covariance: str = "cluster"
) -> CosineRegression:
    """Regress cosines with the words of X on list membership (A or B) by least squares.

    Parameters
    ----------
    A, B, X : array of shape (k, p)
        Word vectors in rows; A and B have at least two words each.
    covariance : {"cluster", "HC3", "nonrobust"}, default "cluster"
        Estimator of the standard error. "cluster" allows for dependence between the pairs of one word of A or
        B, but is too small for short or unequal lists, where `relabeling_test` keeps its level. "HC3" and
        "nonrobust" treat all pairs as independent, and are too small if words differ.

    Returns
    -------
    CosineRegression
        Difference with its standard error, interval, and p-value.

    Raises
    ------
    TypeError, ValueError
        If a list is empty or contains a zero or nonfinite vector; if dimensions differ; if A or B has only
        one word; or if an option does not exist.

    Notes
    -----
    It is invariant under rotation and positive rescaling of any word. "cluster" is the sandwich estimator
    with the factor G/(G − 1) · (N − 1)/(N − 2) for G words and N pairs, as in statsmodels. Cost: O(k_A k_X
    p). After Kindel (2023), supplement.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, B, X = rng.standard_normal((3, 8, 20))
    >>> pairs, words = (cosine_regression(A, B, X, covariance=c) for c in ("nonrobust", "cluster"))
    >>> pairs.estimate == words.estimate, words.degrees_of_freedom
    (True, 15)
    """
    checks.check_option(covariance, "covariance", COVARIANCES)
    cosines, in_a = _cosines(A, B, X)
    n_words, n_columns = cosines.shape
    design = np.column_stack([np.ones(n_words * n_columns), np.repeat(in_a, n_columns)])
    y = cosines.ravel()
    coefficients = linalg.lstsq(design, y)[0]
    residuals = y - design @ coefficients
    inverse = linalg.inv(design.T @ design)
    df = len(y) - 2
    if covariance == "nonrobust":
        variance = residuals @ residuals / df * inverse
    elif covariance == "HC3":
        leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
        scores = design * (residuals / (1 - leverage))[:, None]
        variance = inverse @ scores.T @ scores @ inverse
    else:
        scores = (design * residuals[:, None]).reshape(n_words, n_columns, 2).sum(axis=1)
        factor = n_words / (n_words - 1) * (len(y) - 1) / df
        variance, df = factor * inverse @ scores.T @ scores @ inverse, n_words - 1
    estimate, error = float(coefficients[1]), math.sqrt(max(float(variance[1, 1]), 0.0))
    half_width = float(stats.t.ppf(0.975, df)) * error
    pvalue = 2 * float(stats.t.sf(abs(estimate) / error, df)) if error > 0 else float(estimate == 0)
    low, high = estimate - half_width, estimate + half_width
    return CosineRegression(estimate, error, low, high, pvalue, df, covariance)


def relabeling_test(
    A: checks.Points,
    B: checks.Points,
    X: checks.Points,
    *,
    n_resamples: int = 9_999,
    rng: checks.RandomState = None,
) -> RelabelingTest:
    """Test whether the mean cosines of A and B with X differ by more than chance, by relabeling words.

    All pairs of a word are relabeled together, so their common part does not count as evidence.

    Parameters
    ----------
    A, B, X : array of shape (k, p)
        Word vectors in rows; A and B have at least two words each.
    n_resamples : int, default 9999
        Number of random relabelings if there are more than 100,000 in all; otherwise, all are counted.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the random relabelings.

    Returns
    -------
    RelabelingTest
        Difference, p-value, and counts of relabelings.

    Raises
    ------
    TypeError, ValueError
        As in `cosine_regression`.

    Notes
    -----
    Under the null hypothesis, each of these words could equally well belong to the other list; the test does
    not apply to other words. Differences equal up to rounding are counted as ties. It is invariant under
    rotation and rescaling of words. Cost: O(relabelings × words). After a test of Caliskan et al. (2017).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, B, X = rng.standard_normal((3, 4, 20))
    >>> result = relabeling_test(A + X[0], B, X[:1])
    >>> result.n_at_least, result.count
    (2, 70)
    """
    n_resamples = checks.check_integer(n_resamples, "n_resamples", low=1)
    generator = checks.as_generator(rng)
    cosines, in_a = _cosines(A, B, X)
    means, k = cosines.mean(axis=1), int(in_a.sum())
    count = math.comb(len(means), k)
    is_exact = count <= MAX_RELABELINGS
    if is_exact:
        sums_a = means[combinations(len(means), k)].sum(axis=1)
    else:
        sizes = [min(_CHUNK_ROWS, n_resamples - i) for i in range(0, n_resamples, _CHUNK_ROWS)]
        drawn = [generator.permuted(np.tile(means, (size, 1)), axis=1)[:, :k].sum(axis=1) for size in sizes]
        sums_a = np.concatenate([[means[in_a].sum()], *drawn])
    differences = sums_a / k - (means.sum() - sums_a) / (len(means) - k)
    observed = float(means[in_a].mean() - means[~in_a].mean())
    tolerance = 1e-10 * float(np.abs(differences).max())
    n_at_least = int(np.count_nonzero(np.abs(differences) >= abs(observed) - tolerance))
    method = "exact" if is_exact else "monte-carlo"
    return RelabelingTest(observed, n_at_least / len(differences), n_at_least, len(differences), method)


def local_similarity(A: checks.Points, X: checks.Points) -> Floats:
    """Return the part of the cosines of two lists that does not depend on vector lengths.

    The cosine of two words is their inner product divided by the product of their lengths. A least-squares
    fit of the cosines to the reciprocal of this product separates a part that decreases with the lengths from
    a constant part, the local similarity.

    Parameters
    ----------
    A, X : array of shape (k, p)
        Word vectors in rows, with different lengths.

    Returns
    -------
    numpy.ndarray
        Cosines minus slope/(‖a‖‖x‖), of shape (k_A, k_X). They may exceed 1; their mean is the intercept of
        the line.

    Raises
    ------
    TypeError, ValueError
        If a list is empty or contains a zero or nonfinite vector, or if all products of lengths are equal.

    Notes
    -----
    The intercept extrapolates the cosine to words of infinite length: before interpreting it, check how close
    the data come to this limit. It is invariant under rotation and a common positive rescaling of all words.
    Cost: O(k_A k_X p) time. Kindel (2023), supplement, "Local similarity estimation".

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> A, X = rng.standard_normal((2, 8, 20))
    >>> local_similarity(A, X).shape
    (8, 8)
    """
    a, x = as_word_lists({"A": A, "X": X})
    cosines = unit_rows(a) @ unit_rows(x).T
    reciprocal = np.outer(_reciprocal_lengths(a), _reciprocal_lengths(x))
    deviations = reciprocal - reciprocal.mean()
    if not np.abs(deviations).max() > 1e-12 * reciprocal.mean():
        raise ValueError("A and X have vectors of equal length; expected vectors of different lengths")
    slope = float((deviations * cosines).sum() / (deviations**2).sum())
    return np.asarray(cosines - slope * reciprocal)


def _reciprocal_lengths(words: checks.FloatArray) -> Floats:
    """Return the reciprocal length of each word, divided by the largest reciprocal."""
    largest = np.abs(words).max(axis=1)
    logarithms = np.log(largest) + np.log(np.linalg.norm(words / largest[:, None], axis=1))
    return np.asarray(np.exp(logarithms.min() - logarithms))


def _cosines(A: checks.Points, B: checks.Points, X: checks.Points) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the cosines between words of A or B and words of X, and a mask of the rows of A."""
    a, b, x = as_word_lists({"A": A, "B": B, "X": X})
    for name, words in (("A", a), ("B", b)):
        if len(words) < 2:
            raise ValueError(f"{name} has 1 word; expected at least 2, because words are the observations")
    cosines = np.vstack([unit_rows(a), unit_rows(b)]) @ unit_rows(x).T
    return cosines, np.arange(len(cosines)) < len(a)
