"""Scores by layer on clouds that one point rules."""

from __future__ import annotations

import warnings

import numpy as np

from reanalyses.rudman2022 import experiments


def test_one_huge_token_gives_wide_intervals_and_no_overflow() -> None:
    cloud = np.random.default_rng(0).standard_normal((200, 5))
    cloud[0] *= 1e5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = experiments.scores_by_layer([cloud], n_queries=None)
    assert np.isfinite(table[["value", "low", "high"]].to_numpy()).all()
    assert ((table["low"] <= table["value"]) & (table["value"] <= table["high"])).all()
    assert (table["high"] <= 1).all()
    assert table.set_index("score").loc["partition_score", "high"] == 1
