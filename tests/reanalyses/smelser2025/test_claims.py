"""Direct computations of results that decide the claims of Smelser et al. (2025)."""

import pandas as pd
import pytest

from reanalyses.smelser2025 import claims


def test_the_root_damps_one_residual_and_keeps_the_weights():
    assert claims.growth_of_a_sum(1.0, 10.0) == pytest.approx((50.5, 50.5**0.5))
    assert claims.root_of_a_sum().holds is None


def test_bounds_of_shares_by_hand():
    # Two of 24 datasets with all and none of the trials: 1/24 to 23/24, and half a trial of ten left open in the one.
    low, high, slack = claims._bound([1.0, 0.0])
    assert (low, high) == (pytest.approx(100 / 24), pytest.approx(100 * 23 / 24))
    assert slack == pytest.approx(3.14 * 100 / 24 * (2 * 0.05 * 0.95 / 10) ** 0.5)


def test_orders_at_own_sizes_by_hand():
    ranges = {"mds": (0.5, 1.0), "tsne": (0.1, 1.2), "random": (1.0, 1.1)}
    rows = [
        {"method": name, "snkl": low, "kl_0": 1.0, "kl_inf": high} for name, (low, high) in ranges.items()
    ]
    # MDS never exceeds 1, and random is never below it: random cannot come before MDS.
    assert claims.n_orders_at_own_sizes(pd.DataFrame(rows)) == 3
