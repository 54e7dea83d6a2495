"""Linear CKA, a similarity between two sets of vectors of the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import Floats
from isotropy_report.measures._checks import as_pair

__all__ = ["CKA", "cka"]

_TEST_ROWS = 1000
"""Maximum number of rows in the CKA permutations: one matrix of their products takes 4 MB."""

_ROUNDING = 1e-6
"""Permuted values at most this far below the observed CKA count as ties, since their sums are in
float32."""

_ROUNDING_OF_ONE = 1e-9
"""Above 1 minus this value, the two clouds are the same up to rotation and scale, and the remaining digits
are rounding error."""


@dataclass(frozen=True)
class CKA(Result):
    """Linear CKA between two sets of vectors of the same items.

    Attributes
    ----------
    statistic : float
        The unbiased estimate, at most 1; it is 0 on average for unrelated vectors.
    low, high, standard_error, confidence_level : float
        Interval and standard error by the jackknife over items.
    pvalue : float or None
        P-value of the permutation test that the two sets are unrelated; None if the test was skipped.
    n_points, n_test_points, n_resamples : int
        Numbers of items, of items used in the test, and of permutations.
    """

    statistic: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    pvalue: float | None
    n_points: int
    n_test_points: int
    n_resamples: int


def cka(
    A: checks.Points,
    B: checks.Points,
    *,
    n_resamples: int = 999,
    confidence_level: float = 0.95,
    rng: checks.RandomState = 0,
) -> CKA:
    """Return linear CKA, the agreement of two models on which items are similar.

    With the centered matrices K and L of all inner products for each model, CKA is the cosine between K and L
    as vectors: ⟨K, L⟩/(‖K‖‖L‖). The estimate leaves out the diagonals and centers so that each of the three
    products is unbiased; the usual one rises toward 1 as N falls below the dimensions used, even for
    unrelated models.

    Parameters
    ----------
    A, B : array-like of shape (N, n) and (N, n')
        Vectors of the same N ≥ 5 items from two models, which may differ in dimensions.
    n_resamples : int, default 999
        Number of permutations in the test; 0 skips the test.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the permutations, and the rows for them.

    Returns
    -------
    CKA
        From −1 to 1; 1 for a rotated, translated, and scaled cloud, about 0 if unrelated.

    Raises
    ------
    TypeError, ValueError
        If vectors are not real numbers, contain NaN or inf, are fewer than 5, or are all equal; if A and B
        have different numbers of rows; if there are so few items that the unbiased norm of a model is 0; or
        if an option is out of range.

    Notes
    -----
    The test permutes the items of B, with p = (b + 1)/(m + 1), so its level is exact. CKA of permuted items
    needs the product of two N × N matrices, so with more than 1,000 items, the test uses a random 1,000: the
    level stays exact, and only very small similarities are missed. The cost of the estimate is O(N n n') time
    and float64 copies of the rows, with n × n' products, never N × N; the interval costs the same again; the
    test costs O(m) for m permutations, 5 ms each for 1,000 items. The interval is the delete-one jackknife of
    artanh(CKA), with Student's quantiles and degrees of freedom reduced by the kurtosis of the items'
    influences. For its coverage, see *Is it calibrated?* in the book; the interval is too narrow if a handful
    of items dominate, and for unrelated models, the test is more reliable.

    CKA is invariant under translation, rotation, and scaling of either set, and under reordering both sets
    alike. Kornblith et al. (2019), section 3; Song et al. (2012), for the unbiased product; Murphy,
    Zylberberg, and Fyshe (2024), for the bias.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import cka
    >>> rng = np.random.default_rng(0)
    >>> A, B = rng.standard_normal((60, 40)), rng.standard_normal((60, 30))
    >>> result = cka(A, B, rng=0)
    >>> abs(result.statistic) < 0.05, result.pvalue > 0.05
    (True, True)
    """
    level = checks.check_confidence_level(confidence_level)
    m = checks.check_integer(n_resamples, "n_resamples", low=0)
    if 0 < m < 19:
        raise ValueError(
            f"n_resamples is {m}, too few for a p-value of 0.05; expected 0, to skip the test, or at least 19"
        )
    a, b = as_pair(A, B, min_points=5)
    generator = checks.as_generator(rng)
    first, second = _center_and_scale(a, "A"), _center_and_scale(b, "B")
    n_points = len(a)
    products = first.T @ first, second.T @ second, first.T @ second
    value, deleted = _leave_one_out(first, second, products)
    low, high, error = _jackknife(value, deleted, level)
    pvalue, n_test = None, 0
    if m:
        n_test = min(n_points, _TEST_ROWS)
        rows = np.arange(n_points)
        if n_test < n_points:
            rows = np.sort(generator.choice(n_points, size=n_test, replace=False))
        pvalue = _permutation_pvalue(a[rows], b[rows], m, generator)
    return CKA(
        statistic=min(value, 1.0),
        low=low,
        high=high,
        standard_error=error,
        confidence_level=level,
        pvalue=pvalue,
        n_points=n_points,
        n_test_points=n_test,
        n_resamples=m,
    )


def _center_and_scale(points: checks.FloatArray, name: str) -> Floats:
    """Return the rows minus their mean, scaled so that the sum of all squares is 1."""
    largest = float(np.abs(points).max())
    rows = np.asarray(points, dtype=np.float64) / (largest if largest > 0 else 1.0)
    mean = rows.mean(axis=0)
    rows -= mean
    # Scale by the largest deviation, because it may be tiny compared with the mean or have tiny squares.
    spread = float(np.abs(rows).max())
    checks.check_variance(spread if spread > 1e-14 * float(np.abs(mean).max()) else 0.0, name)
    rows /= spread
    return np.asarray(rows / math.sqrt(float(np.vdot(rows, rows))))


def _leave_one_out(x: Floats, y: Floats, products: tuple[Floats, Floats, Floats]) -> tuple[float, Floats]:
    """Return the unbiased CKA for all items, and for all but each item in turn.

    For centered rows with squared lengths α and β and C = AᵀB, the unbiased product of the two matrices of
    inner products needs ‖C‖², Σα, Σβ, and Σαβ; without item i, it also needs aᵢ·C bᵢ, aᵢ·Σβa, and bᵢ·Σαb.
    """
    n_points = len(x)
    alpha, beta = np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->i", y, y)
    forms = [
        np.einsum("ij,ij->i", left @ C, right)
        for left, C, right in zip((x, y, x), products, (x, y, y), strict=True)
    ]
    weighted = ((beta, x), (alpha, x), (alpha, y), (beta, y))
    by_beta_a, by_alpha_a, by_alpha_b, by_beta_b = (rows @ (weights @ rows) for weights, rows in weighted)
    terms = [
        _unbiased_product(products[0], alpha, alpha, forms[0], by_alpha_a, by_alpha_a),
        _unbiased_product(products[1], beta, beta, forms[1], by_beta_b, by_beta_b),
        _unbiased_product(products[2], alpha, beta, forms[2], by_beta_a, by_alpha_b),
    ]
    for (full, without), name, norms in zip(terms, "AB", (alpha, beta), strict=False):
        # The unbiased squared norm is a mean of squares; it is treated as 0 if it is only rounding error.
        rounding = 1e-10 * float(norms.sum()) ** 2
        if not (full > rounding / n_points**2 and without.min() > 0):
            raise ValueError(
                f"{name} has too few items for its dimensions, so the unbiased norm of its inner products is "
                "0 (or would be 0 if one item were left out); expected more items"
            )
    (aa, aa_without), (bb, bb_without), (ab, ab_without) = terms
    return ab / math.sqrt(aa * bb), ab_without / np.sqrt(aa_without * bb_without)


def _unbiased_product(
    C: Floats, alpha: Floats, beta: Floats, form: Floats, by_beta: Floats, by_alpha: Floats
) -> tuple[float, Floats]:
    """Return N(N − 3) times the unbiased product, for all items and with each item left out in turn."""
    n = len(alpha)
    square, products = float(np.vdot(C, C)), float(alpha @ beta)
    sums = float(alpha.sum()), float(beta.sum())
    full = square - products + sums[0] * sums[1] / ((n - 1) * (n - 2)) - 2.0 / (n - 2) * products
    own_products = alpha * beta
    m = n - 1
    without = (
        square
        - products
        - 2.0 * (form - own_products)
        + (2.0 * alpha - sums[0]) * (2.0 * beta - sums[1]) / ((m - 1) * (m - 2))
        - 2.0 / (m - 2) * (products + by_beta + by_alpha + form - 4.0 * own_products)
    )
    return full, without


def _jackknife(value: float, deleted: Floats, level: float) -> tuple[float, float, float]:
    """Return the interval for artanh(CKA), transformed back to CKA, and the standard error."""
    if abs(value) > 1.0 - _ROUNDING_OF_ONE:
        return value, value, 0.0
    n = len(deleted)
    # Without one item, CKA may be 1, whose artanh is infinite: then, the interval is that of CKA itself.
    is_one = np.abs(deleted).max() > 1.0 - _ROUNDING_OF_ONE
    z, center = (deleted, value) if is_one else (np.arctanh(deleted), math.atanh(value))
    influences = (z - z.mean()) ** 2
    total = float(influences.sum())
    # The variance of N numbers with kurtosis κ is as uncertain as that of 2N/(κ − 1) + 1 normal numbers.
    kurtosis = n * float((influences**2).sum()) / total**2
    degrees = min(n - 1.0, 2.0 * n / max(kurtosis - 1.0, 1e-9))
    half_width = float(stats.t.ppf(0.5 + level / 2.0, degrees)) * math.sqrt((n - 1) / n * total)
    error = math.sqrt((n - 1) / n * float(((deleted - deleted.mean()) ** 2).sum()))
    low, high = center - half_width, center + half_width
    return (max(-1.0, low), min(1.0, high), error) if is_one else (math.tanh(low), math.tanh(high), error)


def _permutation_pvalue(
    a: checks.FloatArray, b: checks.FloatArray, n_resamples: int, rng: np.random.Generator
) -> float:
    """Return the fraction of permutations with at least the same ⟨K, L⟩; norms do not change."""
    K, L = (_centered_products(_center_and_scale(x, name)) for x, name in ((a, "A"), (b, "B")))
    observed = _inner_product(K, L)
    n_at_least = 0
    for _ in range(n_resamples):
        order = rng.permutation(len(a))
        n_at_least += _inner_product(K, L[order][:, order]) >= observed - _ROUNDING
    return (n_at_least + 1) / (n_resamples + 1)


def _centered_products(rows: Floats) -> npt.NDArray[np.float32]:
    """Return the centered inner products with norm 1, without the diagonal."""
    n = len(rows)
    K = rows @ rows.T
    np.fill_diagonal(K, 0.0)
    sums = K.sum(axis=1)
    K += float(sums.sum()) / ((n - 1) * (n - 2)) - (sums[:, None] + sums) / (n - 2)
    np.fill_diagonal(K, 0.0)
    norm = math.sqrt(float(np.vdot(K, K)))
    return np.asarray(K / norm if norm > 0 else K, dtype=np.float32)


def _inner_product(K: npt.NDArray[np.float32], L: npt.NDArray[np.float32]) -> float:
    """Return ⟨K, L⟩, summing rows in float32 and the row sums in float64."""
    return float(np.einsum("ij,ij->i", K, L).sum(dtype=np.float64))
