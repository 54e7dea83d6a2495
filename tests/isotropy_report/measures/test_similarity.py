"""Tests of CKA against naive forms and dcor, its jackknife, and its permutation test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_report.measures import cka
from tests import oracles

pytestmark = pytest.mark.numbers


def related(seed, n_points=14, n_a=5, n_b=4, noise=1.0):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n_points, n_a)) + 2.0
    return A, A @ rng.standard_normal((n_a, n_b)) + noise * rng.standard_normal((n_points, n_b))


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_cka_agrees_with_the_naive_form(seed):
    A, B = related(seed)
    assert cka(A, B, n_resamples=0).statistic == pytest.approx(oracles.unbiased_cka(A, B), abs=1e-11)


def test_cka_agrees_with_dcor():
    """dcor 0.7: `u_product` of U-centered squared distances, which are −2 times U-centered inner products."""
    A = [[float((7 * i + 3 * j * j + i * j) % 11 - 5) for j in range(4)] for i in range(12)]
    B = [[float((5 * i + 2 * j + i * i * j) % 13 - 6) for j in range(3)] for i in range(12)]
    assert cka(A, B, n_resamples=0).statistic == pytest.approx(0.0061498578359638675, abs=1e-12)


def test_standard_error_agrees_with_a_jackknife():
    A, B = related(5)
    expected = np.array([oracles.unbiased_cka(np.delete(A, i, 0), np.delete(B, i, 0)) for i in range(len(A))])
    result = cka(A, B, n_resamples=0)
    assert result.standard_error == pytest.approx(
        np.sqrt((len(A) - 1) / len(A) * ((expected - expected.mean()) ** 2).sum()), rel=1e-8
    )
    assert result.low < result.statistic < result.high
    A = np.random.default_rng(0).standard_normal((500, 32))
    signs = np.where(np.arange(500) == 7, -1, 1)[:, None]  # one row differs
    assert cka(A, A * signs, n_resamples=0).low > 0.9


def test_p_value_agrees_with_direct_permutations():
    A, B = related(7, n_points=12, noise=6.0)
    result = cka(A, B, n_resamples=199, rng=3)
    rng = np.random.default_rng(3)
    null = [oracles.unbiased_cka(A, B[rng.permutation(12)]) for _ in range(199)]
    assert result.pvalue == (1 + sum(x >= oracles.unbiased_cka(A, B) for x in null)) / 200
    assert cka(*related(0, n_points=40), rng=0).pvalue == 0.001


def test_permutation_test_uses_at_most_1000_items():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((1200, 3)).astype(np.float32)
    result = cka(A, A + rng.standard_normal((1200, 3)), n_resamples=19, rng=0)
    assert (result.n_points, result.n_test_points, result.pvalue) == (1200, 1000, 0.05)
    assert cka(A, A, n_resamples=0).pvalue is None
