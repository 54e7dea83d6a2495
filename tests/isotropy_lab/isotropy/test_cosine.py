import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

from isotropy_lab.isotropy import average_cosine, average_cosine_score
from tests import oracles


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), N=st.integers(2, 15), n=st.integers(1, 8), mean=st.floats(-3, 3))
def test_the_closed_form_is_the_mean_over_all_pairs(seed, N, n, mean):
    X = np.random.default_rng(seed).standard_normal((N, n)) + mean
    found = average_cosine(X)
    assert found == pytest.approx(oracles.average_cosine(X), abs=1e-10)
    assert -1 / (N - 1) <= found <= 1
    assert average_cosine_score(X) == pytest.approx(1 - abs(found))


def test_known_values():
    assert average_cosine(load_iris().data) == pytest.approx(0.9551991240941716, abs=1e-12)
    assert average_cosine(load_wine().data) == pytest.approx(0.996670182892396, abs=1e-12)
    assert average_cosine(np.eye(5)) == pytest.approx(0.0, abs=1e-15)
    assert average_cosine(np.vstack([np.eye(3), -np.eye(3)])) == pytest.approx(-1 / 5)
    assert average_cosine(np.ones((7, 3))) == 1.0


def test_float32_agrees_with_float64_over_many_blocks():
    X = (np.random.default_rng(0).standard_normal((30_000, 64)) + 0.3).astype(np.float32)
    assert average_cosine(X) == pytest.approx(average_cosine(X.astype(np.float64)), abs=1e-7)


@pytest.mark.parametrize("scale", [1e-30, 1e-42, 1e25])
def test_extreme_float32_scales(scale):
    X = np.random.default_rng(1).integers(1, 5, (40, 3)) * np.array(scale)
    single = X.astype(np.float32)
    assert average_cosine(single) == pytest.approx(
        oracles.average_cosine(single.astype(float) * 1e20), abs=1e-6
    )


def test_sampled_pairs_are_seeded_unbiased_and_never_a_point_with_itself():
    X = np.random.default_rng(2).standard_normal((50, 4)) + 0.5
    assert average_cosine(X, n_pairs=100, rng=3) == average_cosine(
        X, n_pairs=100, rng=np.random.default_rng(3)
    )
    assert average_cosine(X, n_pairs=200_000, rng=0) == pytest.approx(average_cosine(X), abs=0.006)
    assert average_cosine(np.array([[1.0, 0.0], [0.0, 1.0]]), n_pairs=50, rng=0) == 0.0
    assert average_cosine(X, n_pairs=10) != average_cosine(X, n_pairs=10)  # fresh entropy


def test_bad_input():
    X = np.ones((10, 2))
    X[[4, 8]] = 0
    for n_pairs in (None, 5):
        with pytest.raises(ValueError, match="X has zero vectors in 2 of 10 rows, first in row 4"):
            average_cosine(X, n_pairs=n_pairs, rng=0)
        bad = np.ones((10, 2), np.float32)
        bad[3, 1] = np.inf
        with pytest.raises(ValueError, match=r"X has NaN or inf in 1 of 10 rows, first in row 3 \(inf\)"):
            average_cosine(bad, n_pairs=n_pairs, rng=0)
    with pytest.raises(ValueError, match=r"X has 1 point .*; expected at least 2"):
        average_cosine([[1.0, 2.0]])
    with pytest.raises(ValueError, match="n_pairs is 0; expected at least 1"):
        average_cosine(np.eye(3), n_pairs=0)
    with pytest.raises(TypeError, match=r"rng is str 'seed'; expected a numpy.random.Generator"):
        average_cosine(np.eye(3), n_pairs=5, rng="seed")
    with pytest.raises(ValueError, match="X has 0 dimensions"):
        average_cosine(np.empty((2, 0)))


@pytest.mark.parametrize("n", [2, 17])
def test_float32_is_summed_in_float64(n):
    X = (np.random.default_rng(6).standard_normal((1_000_000, n)) + 1).astype(np.float32)
    units = X.astype(np.float64)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    N, total = len(X), units.sum(axis=0)
    exact = (total @ total - N) / (N * (N - 1))
    assert average_cosine(X) == pytest.approx(exact, abs=1e-12 if n <= 16 else 1e-7)
