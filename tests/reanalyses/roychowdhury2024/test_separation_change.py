"""Tests of whether adaptation changes more than the scale."""

import math

import numpy as np
import pytest

from isotropy_lab.retrieval import separation
from reanalyses.roychowdhury2024.separation_change import compare_separation


def test_agrees_with_a_bootstrap_by_hand() -> None:
    clouds = np.random.default_rng(4)
    domain, agnostic = clouds.standard_normal((20, 6)) + 1.0, clouds.standard_normal((15, 6))
    before = separation(domain, agnostic)
    after = separation(domain + 0.5, agnostic - 0.2)
    found = compare_separation(before, after, n_resamples=200, rng=7)
    rng = np.random.default_rng(7)
    by_hand = []
    for _ in range(200):
        i = rng.integers(0, 20, size=20)
        by_hand.append(
            [
                (after.distances[i] - before.distances[i]).mean(),
                math.log(after.distances[i].mean() / after.within[i].mean())
                - math.log(before.distances[i].mean() / before.within[i].mean()),
            ]
        )
    low, high = np.percentile(by_hand, [2.5, 97.5], axis=0)
    np.testing.assert_allclose([found.difference_low, found.log_ratio_low], low, rtol=1e-10)
    np.testing.assert_allclose([found.difference_high, found.log_ratio_high], high, rtol=1e-10)
    assert found.difference == pytest.approx(after.mean - before.mean, rel=1e-12)
    assert found.log_ratio == pytest.approx(math.log(after.ratio / before.ratio), rel=1e-12)
