"""Significance tests of cosines as congruence coefficients, and what dimension alone forces.

A cosine of two word vectors is a correlation over p coordinates about the fixed mean 0, where a correlation coefficient
of n observations is one about the estimated mean. About a known mean, p observations are worth one more: the tests for
correlations of n observations hold for cosines with n = p + 1. They all suppose that the coordinates are
exchangeable with the noise, that is, directions spread evenly over the space. Word vectors are not so; hence the
randomization of `null_intervals`, beside which these stand.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab import _checks

__all__ = [
    "CongruenceTest",
    "DependentCongruencesTest",
    "adjusted",
    "congruence_test",
    "dependent_congruences_test",
    "forced_congruences",
]


@dataclasses.dataclass(frozen=True)
class CongruenceTest:
    """A cosine beside the cosine of random directions.

    Attributes
    ----------
    statistic : float
        r√(p − 1)/√(1 − r²): exactly Student's t under the null; ±inf for r = ±1.
    degrees_of_freedom : int
        p − 1.
    p_value : float
        Two-sided, exact.
    fisher_z : float
        artanh(r)·√(p − 2): approximately standard normal under the null; ±inf for r = ±1.
    fisher_p : float
        Two-sided, approximate.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    fisher_z: float
    fisher_p: float


def congruence_test(r: float, p: int) -> CongruenceTest:
    """Test whether a cosine of two vectors is larger in size than that of random directions.

    Parameters
    ----------
    r : float
        The cosine, in [−1, 1].
    p : int
        Dimensions of the space, at least 3.

    Returns
    -------
    CongruenceTest
        The exact test and Fisher's approximation to it.

    Raises
    ------
    TypeError
        If `r` is no number or `p` no whole number.
    ValueError
        If `r` is outside [−1, 1] or `p` is below 3.

    Notes
    -----
    Null: at least one of the vectors has a uniformly random direction, such as that of a Gaussian vector with equal
    variances. Then r² follows a Beta(1/2, (p − 1)/2) distribution, and t = r√(p − 1)/√(1 − r²) Student's with p − 1
    degrees of freedom: the correlation test of n observations has n − 2, so n = p + 1. Fisher's Z therefore has
    variance 1/(n − 3) = 1/(p − 2), not 1/(p − 3). The supplement of Kindel (2023) names Fisher's Z; the exact null is
    as easy. It is a test of a single cosine, not of a canonical congruence, which is the largest of many cosines: for
    that see `gaussian_nulls`. And where directions are not evenly spread, as those of words are not, it rejects too
    often: a cloud of few effective dimensions has large cosines by chance. Cost: O(1).

    Examples
    --------
    >>> from isotropy_lab.association import congruence_test
    >>> result = congruence_test(0.2, 100)
    >>> round(result.p_value, 4), round(result.fisher_p, 4)
    (0.0449, 0.0448)
    """
    r = _checks.check_real(r, "r", low=-1.0, high=1.0)
    p = _checks.check_integer(p, "p", low=3)
    if abs(r) == 1.0:
        infinite = math.copysign(math.inf, r)
        return CongruenceTest(infinite, p - 1, 0.0, infinite, 0.0)
    statistic = r * math.sqrt((p - 1) / ((1.0 - r) * (1.0 + r)))
    fisher = math.atanh(r) * math.sqrt(p - 2)
    return CongruenceTest(
        statistic,
        p - 1,
        2.0 * float(stats.t.sf(abs(statistic), p - 1)),
        fisher,
        2.0 * float(stats.norm.sf(abs(fisher))),
    )


@dataclasses.dataclass(frozen=True)
class DependentCongruencesTest:
    """The difference of two cosines that share a vector.

    Attributes
    ----------
    statistic : float
        Approximately standard normal if the two cosines are equal in truth; positive if cos(a, b) is larger.
    p_value : float
        Two-sided.
    method : str
        "steiger" or "meng".
    """

    statistic: float
    p_value: float
    method: str


def dependent_congruences_test(
    r_ab: float, r_ac: float, r_bc: float, p: int, *, method: str = "steiger"
) -> DependentCongruencesTest:
    """Test whether vector a has equal cosines with b and with c, given that b and c are related too.

    Parameters
    ----------
    r_ab, r_ac : float
        The cosines to compare, in (−1, 1).
    r_bc : float
        The cosine of the other two, in (−1, 1); the three together must be possible (their matrix positive
        semidefinite).
    p : int
        Dimensions of the space, at least 4.
    method : {"steiger", "meng"}
        Steiger (1980), the test of Dunn and Clark with the pooled cosine in the covariance, or Meng, Rosenthal and
        Rubin (1992).

    Returns
    -------
    DependentCongruencesTest
        Its statistic changes sign when b and c are exchanged.

    Raises
    ------
    TypeError
        If an argument is no number.
    ValueError
        If a cosine is out of range, the three are impossible together, `p` is below 4, b and c coincide, or the method
        does not exist.

    Notes
    -----
    Null: the p coordinates of (a, b, c) are independent draws from a Gaussian with mean 0 in which a is equally
    correlated with b and c. The published formulas, for centered correlations of n observations, have the factor
    √(n − 3); here n = p + 1 (see the module), so √(p − 2). In simulations of this null the 5% tests reject 4.4–5.1%
    (Steiger) and 4.2–5.1% (Meng) of 40,000 times at p = 20, 4.8–5.1% and 4.6–5.0% at p = 50, 4.9–5.1% at p = 300: a
    little cautious in few dimensions. Word vectors do not follow this null; see `congruence_test`. Kindel (2023),
    supplement, names both tests. Cost: O(1).

    Examples
    --------
    >>> from isotropy_lab.association import dependent_congruences_test
    >>> round(dependent_congruences_test(0.5, 0.3, 0.4, 100).p_value, 3)
    0.041
    >>> round(dependent_congruences_test(0.5, 0.3, 0.4, 100, method="meng").p_value, 3)
    0.042
    """
    names = {"r_ab": r_ab, "r_ac": r_ac, "r_bc": r_bc}
    ab, ac, bc = (
        _checks.check_real(value, name, low=-1.0, high=1.0, open_low=True, open_high=True)
        for name, value in names.items()
    )
    p = _checks.check_integer(p, "p", low=4)
    _checks.check_option(method, "method", ("steiger", "meng"))
    _check_cosines_possible(ab, ac, bc)
    difference = math.atanh(ab) - math.atanh(ac)
    if method == "steiger":
        m = ((ab + ac) / 2) ** 2
        covariance = (bc * (1 - 2 * m) - m * (1 - 2 * m - bc * bc) / 2) / (1 - m) ** 2
        statistic = difference * math.sqrt((p - 2) / (2 - 2 * covariance))
    else:
        mean_square = (ab * ab + ac * ac) / 2
        f = min((1 - bc) / (2 * (1 - mean_square)), 1.0)
        h = (1 - f * mean_square) / (1 - mean_square)
        statistic = difference * math.sqrt((p - 2) / (2 * (1 - bc) * h))
    return DependentCongruencesTest(statistic, 2.0 * float(stats.norm.sf(abs(statistic))), method)


def forced_congruences(k_a: int, k_b: int, p: int) -> int:
    """Return how many canonical congruences are 1 whatever the words are, because the space has no room.

    Parameters
    ----------
    k_a, k_b : int
        Ranks of the lists: numbers of independent words.
    p : int
        Dimensions of the space; 1 ≤ k ≤ p.

    Returns
    -------
    int
        max(0, k_a + k_b − p), the least dimension of the intersection of two subspaces.

    Raises
    ------
    TypeError
        If an argument is no whole number.
    ValueError
        If an argument is below 1 or a subspace is larger than the space.

    Notes
    -----
    At k_a = p the first list spans everything, every congruence is 1, and the canonical similarity with minimum
    scaling is 1 for all lists: what Kindel (2023) calls the subspaces coinciding as k reaches p. Cost: O(1).

    Examples
    --------
    >>> from isotropy_lab.association import forced_congruences
    >>> forced_congruences(42, 41, 50), forced_congruences(8, 8, 50)
    (33, 0)
    """
    p = _checks.check_integer(p, "p", low=1)
    why = "a subspace has at most the dimensions of the space"
    k_a = _checks.check_integer(k_a, "k_a", low=1, high=p, why=why)
    k_b = _checks.check_integer(k_b, "k_b", low=1, high=p, why=why)
    return max(0, k_a + k_b - p)


def adjusted(p_values: npt.ArrayLike, *, method: str = "holm") -> npt.NDArray[np.float64]:
    """Return p-values adjusted for how many of them there are.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        Each in [0, 1].
    method : {"holm", "bonferroni", "benjamini-hochberg"}
        The first two bound the chance of any false rejection, under any dependence, and Holm's never rejects less
        than Bonferroni's. The third bounds the expected share of false rejections among the rejections, for
        independent or positively dependent tests.

    Returns
    -------
    array of shape (m,)
        In [0, 1], each at least the given one, in the given order; reject where at most the level.

    Raises
    ------
    TypeError
        If `p_values` does not hold real numbers.
    ValueError
        If there are none, a value is NaN or outside [0, 1], or the method does not exist.

    Notes
    -----
    Order and ties of the input do not matter. Cost: O(m log m). Holm (1979); Benjamini and Hochberg (1995).

    Examples
    --------
    >>> from isotropy_lab.association import adjusted
    >>> adjusted([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjusted([0.01, 0.04, 0.03], method="bonferroni").round(3).tolist()
    [0.03, 0.12, 0.09]
    """
    values = _as_probabilities(p_values, "p_values")
    _checks.check_option(method, "method", ("holm", "bonferroni", "benjamini-hochberg"))
    m = values.size
    if method == "bonferroni":
        return np.asarray(np.minimum(values * m, 1.0))
    if method == "benjamini-hochberg":
        return np.asarray(stats.false_discovery_control(values))
    order = np.argsort(values, kind="stable")
    result = np.empty(m)
    result[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(m, 0, -1)), 1.0)
    return result


def _check_cosines_possible(r_ab: float, r_ac: float, r_bc: float) -> None:
    """Raise ValueError if no three vectors have these cosines."""
    determinant = 1 + 2 * r_ab * r_ac * r_bc - r_ab * r_ab - r_ac * r_ac - r_bc * r_bc
    if determinant < -1e-12:
        raise ValueError(
            f"r_ab, r_ac and r_bc are {r_ab:g}, {r_ac:g} and {r_bc:g}, which no three vectors have (their matrix has "
            f"determinant {determinant:.3g}); expected cosines whose matrix is positive semidefinite"
        )


def _as_probabilities(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a vector of at least one number, each in [0, 1]."""
    values = np.asarray(_checks.as_array(x, name, ndim=1), dtype=np.float64)
    if values.size < 1:
        raise ValueError(f"{name} is empty; expected at least one number in [0, 1]")
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if bad.size:
        raise ValueError(
            f"{name} has {bad.size} of {values.size} values outside [0, 1], first {values[bad[0]]:g} at place {bad[0]}; "
            "expected probabilities"
        )
    return values
