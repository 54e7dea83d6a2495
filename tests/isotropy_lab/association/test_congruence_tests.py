"""Tests of the congruence tests against exact distributions, simulated levels, and a published formula."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.association import congruence_test, dependent_congruences_test


def random_cosines(p, n, rng):
    """Return the cosines ab, ac, and bc of n triples of independent vectors with p coordinates."""
    triples = rng.standard_normal((n, 3, p))
    triples /= np.linalg.norm(triples, axis=2, keepdims=True)
    table = triples @ triples.transpose(0, 2, 1)
    return table[:, [0, 0, 1], [1, 2, 2]]


@settings(deadline=None, max_examples=60)
@given(r=st.floats(-0.999, 0.999), p=st.integers(3, 1000))
def test_p_value_is_that_of_the_exact_beta_distribution(r, p):
    result = congruence_test(r, p)
    assert result.pvalue == pytest.approx(stats.beta.sf(r * r, 0.5, (p - 1) / 2), rel=1e-9, abs=1e-300)
    assert result.df == p - 1
    assert congruence_test(-r, p).pvalue == result.pvalue
    assert math.copysign(1, result.statistic) == math.copysign(1, r)


@pytest.mark.parametrize("p", [5, 50])
def test_both_tests_of_one_cosine_keep_their_level(p):
    r = random_cosines(p, 8_000, np.random.default_rng(1))[:, 0]
    tests = [congruence_test(x, p) for x in r]
    for name in ("pvalue", "fisher_pvalue"):
        low, high = stats.binom.ppf([0.0005, 0.9995], len(r), 0.05)
        assert low <= sum(getattr(t, name) <= 0.05 for t in tests) <= high
    # Variance 1/(p − 2): with p − 3, as for a correlation of p observations, it would be too small at p = 5.
    variance = np.var([t.fisher_z for t in tests])
    assert abs(variance - 1) < 0.07  # more than four standard errors
    if p == 5:
        assert variance * (p - 3) / (p - 2) < 0.75


def test_congruences_of_0_and_1_have_extreme_p_values():
    for r in (-1.0, 1.0):
        result = congruence_test(r, 10)
        assert result.statistic == result.fisher_z == r * math.inf
        assert result.pvalue == result.fisher_pvalue == 0.0
    assert congruence_test(0.0, 3).pvalue == 1.0


def test_dependent_congruences_agree_with_the_formula_of_steiger():
    """With the numbers of an example: n of 15 observations is p = 14 coordinates here."""
    steiger = dependent_congruences_test(0.63, -0.03, -0.19, 14)
    m = 0.3
    psi = -0.19 * (1 - 2 * m**2) - 0.5 * m**2 * (1 - 2 * m**2 - 0.19**2)
    covariance = psi / (1 - m**2) ** 2
    expected = (np.arctanh(0.63) - np.arctanh(-0.03)) * math.sqrt(15 - 3) / math.sqrt(2 - 2 * covariance)
    assert steiger.statistic == pytest.approx(expected, rel=1e-12)
    assert steiger.pvalue == pytest.approx(2 * stats.norm.sf(abs(expected)), rel=1e-9)
    plane = np.cos(np.deg2rad([30, 40, 70]))  # three vectors in a plane, the farthest that two angles allow
    assert dependent_congruences_test(*plane, 14).statistic == pytest.approx(
        dependent_congruences_test(*plane, 3).statistic * math.sqrt(12)
    )


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_exchanging_the_congruences_changes_the_sign(seed):
    ab, ac, bc = random_cosines(6, 1, np.random.default_rng(seed))[0]
    first = dependent_congruences_test(ab, ac, bc, 50)
    second = dependent_congruences_test(ac, ab, bc, 50)
    assert first.statistic == pytest.approx(-second.statistic)
    assert first.pvalue == pytest.approx(second.pvalue)
    assert dependent_congruences_test(ab, ab, 0.9, 50).pvalue == 1.0
