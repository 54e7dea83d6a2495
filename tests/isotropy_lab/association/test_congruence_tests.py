import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.association import congruence_test, dependent_congruences_test


def cosines(p, n, rng):
    """Return the cosines ab, ac, bc of n triples of unrelated vectors with p coordinates."""
    triples = rng.standard_normal((n, 3, p))
    triples /= np.linalg.norm(triples, axis=2, keepdims=True)
    table = triples @ triples.transpose(0, 2, 1)
    return table[:, [0, 0, 1], [1, 2, 2]]


@settings(deadline=None, max_examples=60)
@given(r=st.floats(-0.999, 0.999), p=st.integers(3, 1000))
def test_the_exact_null_is_a_beta_distribution(r, p):
    found = congruence_test(r, p)
    assert found.pvalue == pytest.approx(stats.beta.sf(r * r, 0.5, (p - 1) / 2), rel=1e-9, abs=1e-300)
    assert found.df == p - 1
    assert congruence_test(-r, p).pvalue == found.pvalue
    assert math.copysign(1, found.statistic) == math.copysign(1, r)


@pytest.mark.parametrize("p", [5, 50])
def test_the_level_of_both_tests_of_one_cosine(p):
    r = cosines(p, 8_000, np.random.default_rng(1))[:, 0]
    tests = [congruence_test(x, p) for x in r]
    for name in ("pvalue", "fisher_pvalue"):
        low, high = stats.binom.ppf([0.0005, 0.9995], len(r), 0.05)
        assert low <= sum(getattr(t, name) <= 0.05 for t in tests) <= high
    # Variance 1/(p − 2): with p − 3, as for a correlation of p observations, it would be too small at p = 5.
    variance = np.var([t.fisher_z for t in tests])
    assert abs(variance - 1) < 0.07
    if p == 5:
        assert variance * (p - 3) / (p - 2) < 0.75


def test_the_ends():
    for r in (-1.0, 1.0):
        found = congruence_test(r, 10)
        assert found.statistic == found.fisher_z == r * math.inf
        assert found.pvalue == found.fisher_pvalue == 0.0
    assert congruence_test(0.0, 3).pvalue == 1.0


def test_the_dependent_test_against_the_published_formula():
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
def test_exchanging_the_two_changes_the_sign(seed):
    ab, ac, bc = cosines(6, 1, np.random.default_rng(seed))[0]
    first = dependent_congruences_test(ab, ac, bc, 50)
    second = dependent_congruences_test(ac, ab, bc, 50)
    assert first.statistic == pytest.approx(-second.statistic)
    assert first.pvalue == pytest.approx(second.pvalue)
    assert dependent_congruences_test(ab, ab, 0.9, 50).pvalue == 1.0
