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


def select_row(table, metric, drawn):
    return table[(table["metric"] == metric) & (table["drawn"] == drawn)].iloc[0]


def bootstrap_means(ranks, groups, k, m, seed):
    """Draw groups one by one, and concatenate their questions."""
    rng = np.random.default_rng(seed)
    names = np.unique(groups)
    means = []
    for _ in range(m):
        drawn = [ranks[groups == name] for name in rng.choice(names, size=names.size)]
        means.append((np.concatenate(drawn) <= k).mean())
    return np.array(means)


def test_clustered_intervals_equal_a_loop():
    ranks = ranks_of(1.0, 1.0)
    row = select_row(clustered_intervals(ranks, MODULES), "accuracy", "groups")
    means = bootstrap_means(ranks, MODULES, 10, 4000, seed=2)
    assert (row["low"], row["high"]) == pytest.approx(np.percentile(means, [2.5, 97.5]), abs=0.012)
    standard_deviation = (ranks <= 10).std()
    assert row["worth"] == pytest.approx((standard_deviation / means.std()) ** 2, rel=0.08)
    assert row["n_drawn"] == 40
