"""Tests of CKA: naive forms, jackknife, tests, and errors."""

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
def test_cka_agrees_with_matrices_of_all_products(seed):
    A, B = related(seed)
    assert cka(A, B, n_resamples=0).statistic == pytest.approx(oracles.unbiased_cka(A, B), abs=1e-11)


def test_cka_agrees_with_dcor():
    """dcor 0.7: `u_product` of U-centered squared distances, which are −2 times U-centered inner products."""
    A = [[float((7 * i + 3 * j * j + i * j) % 11 - 5) for j in range(4)] for i in range(12)]
    B = [[float((5 * i + 2 * j + i * i * j) % 13 - 6) for j in range(3)] for i in range(12)]
    assert cka(A, B, n_resamples=0).statistic == pytest.approx(0.0061498578359638675, abs=1e-12)


def test_the_jackknife_leaves_out_each_item():
    A, B = related(5)
    slow = np.array([oracles.unbiased_cka(np.delete(A, i, 0), np.delete(B, i, 0)) for i in range(len(A))])
    found = cka(A, B, n_resamples=0)
    assert found.standard_error == pytest.approx(
        np.sqrt((len(A) - 1) / len(A) * ((slow - slow.mean()) ** 2).sum()), rel=1e-8
    )
    assert found.low < found.statistic < found.high


def test_p_values_by_hand():
    A, B = related(7, n_points=12, noise=6.0)
    found = cka(A, B, n_resamples=199, rng=3)
    rng = np.random.default_rng(3)
    null = [oracles.unbiased_cka(A, B[rng.permutation(12)]) for _ in range(199)]
    assert found.pvalue == (1 + sum(x >= oracles.unbiased_cka(A, B) for x in null)) / 200
    assert cka(*related(0, n_points=40), rng=0).pvalue == 0.001


def test_the_test_takes_a_thousand_items_at_most():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((1200, 3)).astype(np.float32)
    found = cka(A, A + rng.standard_normal((1200, 3)), n_resamples=19, rng=0)
    assert (found.n_points, found.n_test_points, found.pvalue) == (1200, 1000, 0.05)
    assert cka(A, A, n_resamples=0).pvalue is None
