"""Tests of stress curves against the stress at each scale, and of their crossings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.projection.curves import crossings, stress_curve
from isotropy_lab.projection.stress import (
    PairSums,
    normalized_stress,
    optimal_scale,
    pair_sums,
    scale_normalized_stress,
)
from tests.isotropy_lab.projection.test_stress import random_pair


def random_projections(seed, n_maps=3, N=12):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, 4))
    return X, [
        rng.random() * (X[:, :2] + rng.random() * 3 * rng.standard_normal((N, 2))) for _ in range(n_maps)
    ]


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_curve_equals_the_stress_at_each_scale(seed):
    X, Y = random_pair(seed, 15, 4, 2)
    scales = np.array([0.0, 1e-3, 0.5, 1.0, 30.0, optimal_scale(X, Y)])
    curve = stress_curve(X, Y, scales)
    expected = [normalized_stress(X, Y, scale=scale) for scale in scales]
    np.testing.assert_allclose(curve.values, expected, rtol=1e-12)
    assert curve.values[0] == 1.0
    assert curve.values[-1] == pytest.approx(scale_normalized_stress(X, Y), rel=1e-9, abs=1e-15)
    assert curve.sums == pair_sums(X, Y)
    writeable = [array.flags.writeable for array in (scales, curve.scales, curve.values)]
    assert writeable == [True, False, False]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_curves_are_equal_and_change_order_at_crossings(seed):
    X, projections = random_projections(seed)
    curves = [stress_curve(X, Y, [1.0]) for Y in projections]
    for crossing in crossings(curves):
        a, b = curves[crossing.first].sums, curves[crossing.second].sums
        for name in (crossing.first, crossing.second):
            stress = normalized_stress(X, projections[name], scale=crossing.scale)
            assert stress == pytest.approx(crossing.stress, rel=1e-9)
        before, after = (
            a.normalized_stress(crossing.scale * f) - b.normalized_stress(crossing.scale * f)
            for f in (0.99, 1.01)
        )
        assert before * after < 0
        assert crossing.scale == pytest.approx(2 * (a.sum_de - b.sum_de) / (a.sum_e2 - b.sum_e2))


def test_parallel_and_degenerate_curves_do_not_cross():
    X, Y = random_pair(1, 20, 4, 2)
    sums = pair_sums(X, Y)
    assert crossings([sums, sums]) == ()

    def line(c, s):
        return PairSums(3, 1.0, s, c, 1.0, 1.0)

    # Same Σe²: the lines are parallel. Same Σde: they meet at 0. A longer, worse projection: below 0.
    a = line(0.5, 1.0)
    for b in (line(0.4, 1.0), line(0.5, 2.0), line(0.4, 2.0)):
        assert crossings([a, b]) == crossings([b, a]) == ()
    # These cross beyond the largest floating-point number.
    assert crossings([line(2e200, 2e-150), line(1e200, 1e-150)]) == ()
    # Three lines meet in one point, where all pairs change their order.
    concurrent = [line(c, 1.0 + c) for c in (0.25, 0.5, 0.75)]
    assert [crossing.scale for crossing in crossings(concurrent)] == [2.0] * 3
    # Neighbors in this chain are equal up to rounding, its ends are not: their crossing changes no order.
    chain = [line(1.0 + 0.9e-12 * k, 1.0 + k) for k in range(3)]
    assert len(crossings(chain)) == 1


def test_curves_that_differ_by_rounding_do_not_cross():
    # A rotated and translated projection has the same curve; its sums differ in the last digits.
    n_different = 0
    for seed in range(30):
        X, (Y,) = random_projections(seed, 1)
        rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((2, 2)))[0]
        sums, moved_sums = pair_sums(X, Y), pair_sums(X, Y @ rotation + 5)
        n_different += (sums.sum_de, sums.sum_e2) != (moved_sums.sum_de, moved_sums.sum_e2)
        assert crossings([sums, moved_sums]) == ()
    assert n_different > 20
