"""Tests of cluster-bootstrap intervals, which resample whole groups of questions."""

import numpy as np
import pytest

from reanalyses.roychowdhury2024.experiments.clustered import clustered_intervals

RNG = np.random.default_rng(0)
MODULES = np.repeat(np.arange(40), RNG.integers(1, 25, size=40))
MODULE_EFFECTS = RNG.standard_normal(40)


def ranks_of(own_weight, shared_weight):
    """Return ranks whose difficulty belongs to the question or is shared by its group."""
    noise = np.random.default_rng(1).standard_normal(MODULES.size)
    return np.where(own_weight * noise + shared_weight * MODULE_EFFECTS[MODULES] > -0.5, 3, 40)


def test_clustered_intervals_equal_a_loop():
    ranks = ranks_of(1.0, 1.0)
    row = clustered_intervals(ranks, MODULES).query("metric == 'accuracy' and drawn == 'groups'").iloc[0]
    rng, means = np.random.default_rng(2), []
    for _ in range(4000):
        drawn = [ranks[name == MODULES] for name in rng.choice(40, size=40)]
        means.append((np.concatenate(drawn) <= 10).mean())
    assert (row["low"], row["high"]) == pytest.approx(np.percentile(means, [2.5, 97.5]), abs=0.012)
    standard_deviation = (ranks <= 10).std()
    assert row["worth"] == pytest.approx((standard_deviation / np.std(means)) ** 2, rel=0.08)
    assert row["n_drawn"] == 40
