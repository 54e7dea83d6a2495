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
@given(seed=st.integers(0, 100_000), how_many=st.integers(2, 5))
def test_orders_are_those_found_on_a_grid_and_few(seed, how_many):
    X, projections = random_projections(seed, how_many)
    sums = [pair_sums(X, Y) for Y in projections]
    found = orders(sums)
    assert len(found) <= math.comb(how_many, 2) + 1
    assert len({entry.order for entry in found}) == len(found)
    assert found[0].low == 0.0
    assert found[-1].high == math.inf
    for left, right in itertools.pairwise(found):
        assert left.high == right.low
    for entry in found:
        high = entry.high if entry.high < math.inf else 2 * entry.low + 1
        for share in (0.01, 0.5, 0.99):
            scale = entry.low + share * (high - entry.low)
            stress = [sums[k].normalized_stress(scale) for k in entry.order]
            assert all(b - a > -1e-12 * max(1, a) for a, b in itertools.pairwise(stress))
    assert {crossing.scale for crossing in crossings(sums)} >= {entry.high for entry in found[:-1]}


def test_orders_of_curves_that_do_not_cross_or_all_cross_at_once():
    X, (Y, other) = random_projections(1, 2)
    one = pair_sums(X, Y)
    assert orders({"b": one, "a": one}) == (ScaleOrder(("b", "a"), 0.0, math.inf),)

    def of(c, s):
        return PairSums(3, 1.0, s, c, 1.0, 1.0)

    for a, b in ((of(0.5, 1.0), of(0.4, 1.0)), (of(0.5, 1.0), of(0.5, 2.0)), (of(0.5, 1.0), of(0.4, 2.0))):
        assert [entry.order for entry in orders([a, b])] == [(0, 1)]
        assert [entry.order for entry in orders([b, a])] == [(1, 0)]
    assert [entry.order for entry in orders([of(c, 1.0 + c) for c in (0.25, 0.5, 0.75)])] == [
        (2, 1, 0),
        (0, 1, 2),
    ]
    # A projection, turned, has the same curve up to rounding.
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((2, 2)))[0]
    same, third = pair_sums(X, Y @ turn + 5), pair_sums(X, other)
    assert [entry.order for entry in orders([same, one])] == [(0, 1)]
    assert len(orders([one, same, third])) == len(orders([one, third]))


def test_curves_that_are_equal_up_to_rounding_change_no_order():
    # Neighbors in this chain are equal up to rounding, and its ends are not.
    chain = [PairSums(3, 1.0, 1.0 + k, 1.0 + 0.9e-12 * k, 1.0, 1.0) for k in range(3)]
    assert orders(chain) == (ScaleOrder((0, 1, 2), 0.0, math.inf),)
