"""Tests of KL divergences and their derivatives against formulas, published code, and limits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from isotropy_lab.projection.affinities import affinities
from isotropy_lab.projection.kl import forced_scale_kl, kl_divergence
from reanalyses.smelser2025.kl_derivative import kl_derivative
from tests import oracles
from tests.isotropy_lab.bad_input import assert_refused
from tests.isotropy_lab.projection.test_stress import data, projection, random_pair

KERNELS = ("student-t", "gaussian", "inverse-square")
# Appendix B of Smelser et al. (2025): the divergence of three points decreases to its limit of 0.
P_B = [[0.0, 0.2, 0.1], [0.2, 0.0, 0.2], [0.1, 0.2, 0.0]]
Y_B = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]


def data_and_projection(name, kind):
    X = data(name)
    return X, projection(X, kind)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    t=st.integers(1, 5),
    kernel=st.sampled_from(KERNELS),
    scale=st.sampled_from([0.0, 1e-200, 1e-3, 0.7, 1.0, 5.0, 1e3, 1e9]),
)
def test_divergence_agrees_with_the_formula(seed, t, kernel, scale):
    X, Y = random_pair(seed, t=t)
    P = affinities(X, perplexity=5)
    value = kl_divergence(X, Y, perplexity=5, scale=scale, kernel=kernel)
    assert value == pytest.approx(oracles.kl_divergence(P, Y, scale, kernel), rel=1e-10, abs=1e-13)
    assert value >= 0
    same_value = kl_divergence(P, Y, scale=scale, kernel=kernel, metric="affinities")
    assert same_value == pytest.approx(value, rel=1e-13)
    D = cdist(X, X)
    same_value = kl_divergence(D, Y, perplexity=5, scale=scale, kernel=kernel, metric="precomputed")
    assert same_value == pytest.approx(value, rel=1e-9, abs=1e-12)


# Values of the authors' code: Student-t, Gaussian, inverse square, forced scale. Its affinities come from
# distances in float32 and a perplexity met within 1e-5. Where it floors a probability at 1e-15 or a distance
# at a small number, None.
@pytest.mark.parametrize(
    ("name", "kind", "published"),
    [
        ("iris", "rnd", (1.5386417929183152, 1.5511285134065194, 2.9800097102601066, 1.5316965265785933)),
        ("iris", "pca2", (0.5842216105425975, 0.3307642952256805, None, 1.3929090409992742)),
        ("iris", "cols", (1.0201836645676896, 0.7948207974056087, None, 1.437162080462569)),
        ("wine", "rnd", (1.7511587638676067, 1.7666176439978019, 3.473587667680815, 1.7420786410499158)),
        ("wine", "pca2", (1.6065459521336511, None, 6.310139968009397, 1.6543600319544343)),
        ("wine", "pca2x10", (3.950863120946404, None, 6.310139957061504, 1.6543600319544343)),
        ("digits500", "pca2x10", (2.012566942083967, None, 2.8858946556322964, 2.6125936559668843)),
        ("digits500", "cols", (2.803824548028129, None, None, 2.740701442055189)),
    ],
)
def test_divergences_agree_with_the_code_of_the_authors(name, kind, published):
    X, Y = data_and_projection(name, kind)
    P = affinities(X)
    values = [kl_divergence(P, Y, kernel=kernel, metric="affinities") for kernel in KERNELS]
    for value, expected in zip([*values, forced_scale_kl(P, Y, metric="affinities")], published, strict=True):
        if expected is not None:
            assert value == pytest.approx(expected, abs=3e-7)
    assert kl_divergence(P, Y, scale=math.inf, metric="affinities") == values[2]
    # iris has a pair of equal rows, digits has many equal first columns
    assert math.isinf(values[2]) == (len(np.unique(Y, axis=0)) < len(Y))


def test_divergence_at_infinite_scale_is_the_limit():
    X, Y = random_pair(1)
    limit = kl_divergence(X, Y, perplexity=5, kernel="inverse-square")
    assert kl_divergence(X, Y, perplexity=5, scale=math.inf) == limit
    assert kl_divergence(X, Y, perplexity=5, scale=math.inf, kernel="gaussian") == math.inf
    Y /= cdist(Y, Y).max()
    assert kl_divergence(X, Y, perplexity=5, scale=0.99e150) == pytest.approx(limit, rel=1e-12)
    assert_refused(ValueError, "scale", lambda: kl_divergence(X, Y, perplexity=5, scale=1.01e150))


def test_coincident_points_have_infinite_limits():
    X, Y = random_pair(2)
    Y[1] = Y[0]
    assert kl_divergence(X, Y, perplexity=5, kernel="inverse-square") == math.inf
    assert kl_divergence(X, Y, perplexity=5, scale=math.inf) == math.inf
    # At a finite scale it is finite, and grows as 2 log α.
    a, b = (kl_divergence(X, Y, perplexity=5, scale=scale) for scale in (1e20, 1e21))
    P = affinities(X, perplexity=5)
    assert b - a == pytest.approx(2 * math.log(10) * (1 - 2 * P[0, 1]), rel=1e-9)
    # Where all of P is on the pairs that coincide the limit is finite: two pairs of equal points.
    P = np.zeros((4, 4))
    P[0, 1] = P[1, 0] = 0.3
    P[2, 3] = P[3, 2] = 0.2
    Y = [[0.0], [0.0], [1.0], [1.0]]
    expected = 0.6 * math.log(0.6 / 0.5) + 0.4 * math.log(0.4 / 0.5)
    for kernel in KERNELS:
        value = kl_divergence(P, Y, scale=math.inf, kernel=kernel, metric="affinities")
        assert value == pytest.approx(expected, rel=1e-12)


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    scale=st.sampled_from([0.05, 0.3, 1.0, 4.0, 30.0]),
    kernel=st.sampled_from(KERNELS[:2]),
)
def test_derivatives_agree_with_finite_differences(seed, scale, kernel):
    X, Y = random_pair(seed, N=12)
    P = affinities(X, perplexity=4)

    def value(factor):
        return oracles.kl_divergence(P, Y, scale * factor, kernel)

    h = 1e-4
    first = (value(1 + h) - value(1 - h)) / (2 * h * scale)
    second = (value(1 + h) - 2 * value(1) + value(1 - h)) / (h * scale) ** 2
    options = {"perplexity": 4, "scale": scale, "kernel": kernel}
    unit = value(1) / scale
    assert kl_derivative(X, Y, **options) == pytest.approx(first, rel=1e-5, abs=1e-7 * unit)
    assert kl_derivative(X, Y, order=2, **options) == pytest.approx(second, rel=1e-4, abs=1e-5 * unit / scale)
    # A projection of twice the size has half the derivative's unit.
    rescaled = kl_derivative(X, 2 * Y, perplexity=4, scale=scale / 2, kernel=kernel)
    assert rescaled == pytest.approx(2 * kl_derivative(X, Y, **options), rel=1e-10, abs=1e-13 * unit)


def test_derivatives_at_zero_and_at_large_scales():
    X, Y = random_pair(3)
    P = affinities(X, perplexity=5)
    squares = cdist(Y, Y) ** 2
    mean = squares.sum() / (20 * 19)
    assert_refused(ValueError, "order 0 1 2", lambda: kl_derivative(X, Y, order=0))
    assert_refused(ValueError, "kernel inverse-square", lambda: kl_derivative(X, Y, kernel=KERNELS[2]))
    for kernel in KERNELS[:2]:
        assert kl_derivative(X, Y, perplexity=5, scale=0.0, kernel=kernel) == 0.0
        # equation (10)
        derivative = kl_derivative(X, Y, perplexity=5, scale=0.0, kernel=kernel, order=2)
        assert derivative == pytest.approx(2 * np.sum(P * (squares - mean)), rel=1e-10)
    # Toward infinity the curve is K∞ + c/α², so the derivatives are −2c/α³ and 6c/α⁴: no digits are lost.
    for order, power in ((1, 3), (2, 4)):
        near, far = (kl_derivative(X, Y, perplexity=5, scale=s, order=order) for s in (1e6, 1e8))
        assert near / far == pytest.approx(100.0**power, rel=1e-7)
    first, second = (kl_derivative(X, Y, perplexity=5, scale=1e8, order=order) for order in (1, 2))
    assert second == pytest.approx(-3 * first / 1e8, rel=1e-7)
