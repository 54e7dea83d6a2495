"""Test of changes in separation, absolute and relative, against a bootstrap loop."""

import math

import numpy as np
import pytest

from isotropy_lab.retrieval import separation
from reanalyses.roychowdhury2024.separation_change import compare_separation


def test_compare_separation_equals_a_bootstrap_loop() -> None:
    clouds = np.random.default_rng(4)
    domain, agnostic = clouds.standard_normal((20, 6)) + 1.0, clouds.standard_normal((15, 6))
    before = separation(domain, agnostic)
    after = separation(domain + 0.5, agnostic - 0.2)
    change = compare_separation(before, after, n_resamples=200, rng=7)
    rng = np.random.default_rng(7)
    draws = []
    for _ in range(200):
        i = rng.integers(0, 20, size=20)
        draws.append(
            [
                (after.distances[i] - before.distances[i]).mean(),
                math.log(after.distances[i].mean() / after.within[i].mean())
                - math.log(before.distances[i].mean() / before.within[i].mean()),
            ]
        )
    low, high = np.percentile(draws, [2.5, 97.5], axis=0)
    np.testing.assert_allclose([change.difference_low, change.log_ratio_low], low, rtol=1e-10)
    np.testing.assert_allclose([change.difference_high, change.log_ratio_high], high, rtol=1e-10)
    assert change.difference == pytest.approx(after.mean - before.mean, rel=1e-12)
    assert change.log_ratio == pytest.approx(math.log(after.ratio / before.ratio), rel=1e-12)
