"""Tests of the explained-variance score against the eigenvalues of the covariance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab import moments
from isotropy_lab.isotropy import varex_score
from tests import oracles


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), N=st.integers(2, 20), n=st.integers(2, 20), data=st.data())
def test_agrees_with_the_spectrum_and_its_bounds(seed, N, n, data):
    X = np.random.default_rng(seed).standard_normal((N, n)) * np.linspace(1, 3, n)
    k = data.draw(st.integers(1, n))
    score = varex_score(X, fraction=k / n)
    assert score == pytest.approx(oracles.varex_score(X, k), rel=1e-9)
    assert k / n <= score <= 1


def test_number_of_components_is_the_floor_of_the_fraction():
    X = np.random.default_rng(0).standard_normal((300, 100)) * np.linspace(1, 5, 100)
    assert varex_score(X) == pytest.approx(oracles.varex_score(X, 30), rel=1e-9)
    assert varex_score(X, fraction=0.29) == varex_score(X, fraction=0.295)  # 0.29 · 100 is 28.999… in binary
    assert varex_score(X, fraction=1e-9) == varex_score(X, fraction=0.01)
    assert varex_score(X, fraction=1.0) == 1.0


def test_moments_give_the_score_of_the_points():
    X = np.random.default_rng(3).standard_normal((200, 6)) * np.arange(1, 7) + 2
    assert varex_score(moments(X)) == pytest.approx(varex_score(X), rel=1e-12)
    assert varex_score(moments(X[:2])) == pytest.approx(varex_score(X[:2]), rel=1e-9)
