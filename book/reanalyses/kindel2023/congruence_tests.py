"""Parametric tests of cosines: one against random directions, and two that share a vector.

A cosine of two word vectors is a correlation over p coordinates about the fixed mean 0, where a correlation coefficient
of n observations is one about the estimated mean. About a known mean, p observations are worth one more: the tests for
correlations of n observations hold for cosines with n = p + 1. They all suppose that the coordinates are
exchangeable with the noise, that is, directions spread evenly over the space. Word vectors are not; hence the
randomization of `null_intervals`, beside which these stand.
"""

from __future__ import annotations

import dataclasses
import math

from scipy import stats

__all__ = ["CongruenceTest", "DependentCongruencesTest", "congruence_test", "dependent_congruences_test"]


@dataclasses.dataclass(frozen=True)
class CongruenceTest:
    """A cosine beside the cosine of random directions."""

    statistic: float  #: r√(p − 1)/√(1 − r²): exactly Student's t under the null; ±inf for r = ±1.
    df: int  #: p − 1.
    pvalue: float  #: Two-sided, exact.
    fisher_z: float  #: artanh(r)·√(p − 2): approximately standard normal under the null; ±inf for r = ±1.
    fisher_pvalue: float  #: Two-sided, approximate.


def congruence_test(r: float, p: int) -> CongruenceTest:
    """Test whether a cosine r of vectors in p dimensions is larger in size than that of random directions.

    Null: at least one of the vectors has a uniformly random direction, such as that of a Gaussian vector with equal
    variances. Then r² follows a Beta(1/2, (p − 1)/2) distribution, and t = r√(p − 1)/√(1 − r²) Student's with p − 1
    degrees of freedom: the correlation test of n observations has n − 2, so n = p + 1. Fisher's Z therefore has
    variance 1/(n − 3) = 1/(p − 2), not 1/(p − 3). The supplement of Kindel (2023) names Fisher's Z; the exact null is
    as easy. It is a test of a single cosine, not of the cosine of a principal angle, which is the largest of many: for
    that randomize the lists (`null_intervals`). And where directions are not evenly spread, as those of words are not,
    it rejects too often: a cloud of few effective dimensions has large cosines by chance.
    """
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
    """The difference of two cosines that share a vector."""

    #: Approximately standard normal if the two cosines are equal in truth; positive if cos(a, b) is larger.
    statistic: float
    pvalue: float  #: Two-sided.
    method: str  #: "steiger" or "meng".


def dependent_congruences_test(
    r_ab: float, r_ac: float, r_bc: float, p: int, *, method: str = "steiger"
) -> DependentCongruencesTest:
    """Test whether vector a has equal cosines with b and with c, given that b and c are related too.

    By Steiger (1980), the test of Dunn and Clark with the pooled cosine in the covariance, or Meng, Rosenthal and Rubin
    (1992). Null: the p coordinates of (a, b, c) are independent draws from a Gaussian with mean 0 in which a is equally
    correlated with b and c. The published formulas, for centered correlations of n observations, have the factor
    √(n − 3); here n = p + 1 (see the module), so √(p − 2). In simulations of this null the 5% tests reject 4.4–5.1%
    (Steiger) and 4.2–5.1% (Meng) of 40,000 times at p = 20, 4.8–5.1% and 4.6–5.0% at p = 50, 4.9–5.1% at p = 300: a
    little cautious in few dimensions. Word vectors do not follow this null; see `congruence_test`. Kindel (2023),
    supplement, names both tests.
    """
    ab, ac, bc = r_ab, r_ac, r_bc
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
