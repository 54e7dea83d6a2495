import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.isotropy import varex_score
from isotropy_lab.moments import moments
from tests import oracles


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), N=st.integers(2, 20), n=st.integers(2, 20), data=st.data())
def test_agrees_with_the_spectrum_and_stays_within_its_bounds(seed, N, n, data):
    X = np.random.default_rng(seed).standard_normal((N, n)) * np.linspace(1, 3, n)
    k = data.draw(st.integers(1, n))
    found = varex_score(X, n_components=k)
    assert found == pytest.approx(oracles.varex_score(X, k), rel=1e-9)
    assert k / n <= found <= 1


def test_the_default_number_of_components_is_the_floor_of_the_fraction():
    X = np.random.default_rng(0).standard_normal((300, 100)) * np.linspace(1, 5, 100)
    assert varex_score(X) == varex_score(X, n_components=30)
    assert varex_score(X, fraction=0.29) == varex_score(X, n_components=29)  # 0.29 · 100 is 28.999… in binary
    assert varex_score(X, fraction=1e-9) == varex_score(X, n_components=1)
    assert varex_score(X, fraction=1.0) == 1.0


def test_two_dimensions_give_what_the_index_says_and_not_a_half():
    corr = np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]])
    X = np.random.default_rng(1).standard_normal((200_000, 2)) @ corr.T
    assert varex_score(X, fraction=0.51) == pytest.approx(0.5 / 0.9, abs=0.001)


def test_moments_are_accepted():
    X = np.random.default_rng(3).standard_normal((200, 6)) * np.arange(1, 7) + 2
    assert varex_score(moments(X)) == pytest.approx(varex_score(X), rel=1e-12)


def test_a_tensor_is_not_copied_for_its_shape(monkeypatch):
    torch = pytest.importorskip("torch")
    X = np.random.default_rng(4).standard_normal((50, 4)) * [1, 2, 3, 4]
    expected = varex_score(X)

    def refuse(*args, **options):
        raise AssertionError("the tensor was copied to an array")

    monkeypatch.setattr("isotropy_lab._checks.as_array", refuse)
    assert varex_score(torch.from_numpy(X)) == pytest.approx(expected, rel=1e-12)
