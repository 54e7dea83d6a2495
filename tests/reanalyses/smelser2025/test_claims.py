"""What decides the claims and errata of Smelser et al. (2025), by hand, and that it can say no."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reanalyses import ledger
from reanalyses.smelser2025 import claims, errata, experiments, supplement_claims


def follows(monkeypatch, function):
    """Whether an erratum stands, by numbers computed now and not by those that a build has kept."""
    monkeypatch.setattr(ledger, "once", lambda path, function: function())
    errata = ledger.load_errata(paper="Smelser et al. (2025)")
    (one,) = (erratum for erratum in errata if erratum.compute.endswith(f".{function}"))
    return ledger.recompute_erratum(one).follows


def test_one_rule_for_both_scorings(monkeypatch):
    same, published = claims.both_scores()
    assert (same["ns"] != published["ns"]).any()
    monkeypatch.setattr(claims, "as_published_scores", lambda: same)
    assert claims.rarely_better_than_mds().holds is True
    assert claims.divergence_varies_less().holds is True
    assert claims.table_4_snkl().values[:3] == (0.0, 0.0, 0.0)


def test_the_root_damps_one_residual_and_keeps_the_weights():
    assert claims.growth_of_a_sum(1.0, 10.0) == pytest.approx((50.5, 50.5**0.5))
    assert claims.root_of_a_sum().holds is None


def test_shares_outside_their_bounds_would_be_seen(monkeypatch):
    table = experiments.table_3()
    table.loc[(table["method"] == "random") & (table["scale"] == 10), "ns"] = 95.0
    monkeypatch.setattr(experiments, "table_3", lambda: table)
    assert claims.nearly_eighty().holds is False
    assert claims.table_3_cells().holds is False


def test_bounds_of_shares_by_hand():
    # Two of 24 datasets with all and none of the trials: 1/24 to 23/24, and half a trial of ten left open in the one.
    low, high, slack = claims._bounded([1.0, 0.0])
    assert (low, high) == (pytest.approx(100 / 24), pytest.approx(100 * 23 / 24))
    assert slack == pytest.approx(3.14 * 100 / 24 * (2 * 0.05 * 0.95 / 10) ** 0.5)


def test_orders_at_own_sizes_by_hand():
    ranges = {"mds": (0.5, 1.0), "tsne": (0.1, 1.2), "random": (1.0, 1.1)}
    rows = [
        {"method": name, "snkl": low, "kl_0": 1.0, "kl_inf": high} for name, (low, high) in ranges.items()
    ]
    # MDS never exceeds 1, and random is never below it: random cannot come before MDS.
    assert claims.orders_at_own_sizes(pd.DataFrame(rows)) == 3


def test_other_projections_give_other_deciding_numbers(monkeypatch):
    X, Y = errata._iris()
    monkeypatch.setattr(errata, "_iris", lambda method="pca", scaling="none": (Y, Y))
    assert not follows(monkeypatch, "letter_of_the_kernel")  # x and y are one there
    monkeypatch.setattr(errata, "_iris", lambda method="pca", scaling="none": (X, Y + 0.1 * X[:, :2]))
    assert not follows(monkeypatch, "optimal_alpha")


def test_consistent_preprocessing_has_no_reversals(monkeypatch):
    monkeypatch.setattr(
        errata,
        "before_mds_as_published",
        lambda: pd.Series(0.0, index=["tsne", "umap", "pca", "isomap", "random"]),
    )
    assert not follows(monkeypatch, "reversals_by_preprocessing")


def test_the_example_of_appendix_b_by_hand():
    q = np.array([1.0, 0.5, 1.0]) / 5.0  # 1/e² of the pairs 12, 13, 23 over both orders
    p = np.array([0.2, 0.1, 0.2])
    assert np.abs(q - p).max() < 1e-15
    assert supplement_claims.appendix_b_limit().holds
