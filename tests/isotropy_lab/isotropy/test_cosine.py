"""Tests of the average cosine against the mean over all pairs, in float32 and at extreme scales."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.isotropy import average_cosine, average_cosine_score
from tests import oracles


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), N=st.integers(2, 15), n=st.integers(1, 8), mean=st.floats(-3, 3))
def test_closed_form_equals_the_mean_over_all_pairs(seed, N, n, mean):
    X = np.random.default_rng(seed).standard_normal((N, n)) + mean
    value = average_cosine(X)
    assert value == pytest.approx(oracles.average_cosine(X), abs=1e-10)
    assert -1 / (N - 1) <= value <= 1
    assert average_cosine_score(X) == pytest.approx(1 - abs(value))


def test_average_cosine_of_axes_and_of_equal_rows():
    assert average_cosine(np.eye(5)) == pytest.approx(0.0, abs=1e-15)
    assert average_cosine(np.vstack([np.eye(3), -np.eye(3)])) == pytest.approx(-1 / 5)
    for row in np.random.default_rng(0).standard_normal((40, 1, 7)):  # despite rounding
        assert average_cosine(np.vstack([row, row, row])) <= 1.0


@pytest.mark.parametrize("n", [2, 17])
def test_float32_is_summed_in_float64(n):
    X = (np.random.default_rng(6).standard_normal((200_000, n)) + 1).astype(np.float32)
    units = X.astype(np.float64)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    N, total = len(X), units.sum(axis=0)
    exact = (total @ total - N) / (N * (N - 1))
    assert average_cosine(X) == pytest.approx(exact, abs=1e-12 if n <= 16 else 1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [3, 17])
def test_row_norms_do_not_change_the_average_cosine(dtype, n):
    """Powers of two change no digit of a direction, although squares of extreme rows leave the dtype."""
    X = np.random.default_rng(4).standard_normal((9, n)).astype(dtype)
    expected = average_cosine(X)
    for power in (np.finfo(dtype).maxexp - 8, np.finfo(dtype).minexp + 40):
        powers = np.where(np.arange(9) % 3, power, 0)
        value = average_cosine(np.ldexp(X, powers[:, None]))
        assert value == pytest.approx(expected, abs=1e-6 if dtype == np.float32 else 1e-14)
