"""Tests of the orders of projections by stress over all scales."""

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.projection import crossings, pair_sums
from isotropy_lab.results import PairSums
from reanalyses.smelser2025.orders import ScaleOrder, orders
from tests.isotropy_lab.projection.test_curves import random_projections


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 100_000), n_projections=st.integers(2, 5))
def test_orders_agree_with_stress_on_a_grid(seed, n_projections):
    X, projections = random_projections(seed, n_projections)
    sums = [pair_sums(X, Y) for Y in projections]
    entries = orders(sums)
    assert len(entries) <= math.comb(n_projections, 2) + 1
    assert len({entry.order for entry in entries}) == len(entries)
    assert entries[0].low == 0.0
    assert entries[-1].high == math.inf
    for left, right in itertools.pairwise(entries):
        assert left.high == right.low
    for entry in entries:
        high = entry.high if entry.high < math.inf else 2 * entry.low + 1
        for fraction in (0.01, 0.5, 0.99):
            scale = entry.low + fraction * (high - entry.low)
            stress = [sums[k].normalized_stress(scale) for k in entry.order]
            assert all(b - a > -1e-12 * max(1, a) for a, b in itertools.pairwise(stress))
    assert {crossing.scale for crossing in crossings(sums)} >= {entry.high for entry in entries[:-1]}


def test_orders_without_crossings_and_with_one_common_crossing():
    X, (Y, Z) = random_projections(1, 2)
    sums = pair_sums(X, Y)
    assert orders({"b": sums, "a": sums}) == (ScaleOrder(("b", "a"), 0.0, math.inf),)

    def sums_with(c, s):
        return PairSums(3, 1.0, s, c, 1.0, 1.0)

    first = sums_with(0.5, 1.0)
    for second in (sums_with(0.4, 1.0), sums_with(0.5, 2.0), sums_with(0.4, 2.0)):
        assert [entry.order for entry in orders([first, second])] == [(0, 1)]
        assert [entry.order for entry in orders([second, first])] == [(1, 0)]
    assert [entry.order for entry in orders([sums_with(c, 1.0 + c) for c in (0.25, 0.5, 0.75)])] == [
        (2, 1, 0),
        (0, 1, 2),
    ]
    # A rotated projection has the same curve up to rounding.
    Q = np.linalg.qr(np.random.default_rng(1).standard_normal((2, 2)))[0]
    rotated, third = pair_sums(X, Y @ Q + 5), pair_sums(X, Z)
    assert [entry.order for entry in orders([rotated, sums])] == [(0, 1)]
    assert len(orders([sums, rotated, third])) == len(orders([sums, third]))


def test_curves_equal_up_to_rounding_keep_their_order():
    # Consecutive curves are equal up to rounding, but the first and the last are not.
    chain = [PairSums(3, 1.0, 1.0 + k, 1.0 + 0.9e-12 * k, 1.0, 1.0) for k in range(3)]
    assert orders(chain) == (ScaleOrder((0, 1, 2), 0.0, math.inf),)
