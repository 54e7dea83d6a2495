"""Tests of drift: pairwise statistics, p-values, power, memory, and agreement with SciPy and dcor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_report.measures import drift_power, drift_test
from isotropy_report.measures.drift import _draw_rows
from tests import oracles
from tests.conftest import peak_of

pytestmark = pytest.mark.numbers


def samples(seed, n_a=12, n_b=9, n=4, shift=0.0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_a, n)) + 2.0, rng.standard_normal((n_b, n)) + 2.0 + shift


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), n_b=st.integers(2, 14))
def test_statistic_agrees_with_all_pairs(seed, n_b):
    A, B = samples(seed, n_b=n_b)
    result = drift_test(A, B, n_resamples=19, rng=0)
    assert result.statistic == pytest.approx(oracles.energy_distance(A, B), abs=1e-10)
    across = np.mean([[np.linalg.norm(a - b) for b in B] for a in A])
    assert result.coefficient == pytest.approx(result.statistic / (2 * across), abs=1e-10)
    assert 0 <= result.coefficient <= 1


def test_statistic_agrees_with_scipy_and_dcor():
    a, b = samples(2, 15, 9, 1)
    statistic = drift_test(a, b, n_resamples=19, rng=0).statistic
    assert statistic == pytest.approx(stats.energy_distance(a[:, 0], b[:, 0]) ** 2, rel=1e-9)
    # dcor 0.7, energy_distance
    A = [[float((7 * i + 3 * j * j + i * j) % 11 - 5) for j in range(3)] for i in range(12)]
    B = [[float((5 * i + 2 * j + i * i * j) % 13 - 6) for j in range(3)] for i in range(12)]
    assert drift_test(A, B, n_resamples=19, rng=0).statistic == pytest.approx(0.5247011235393906, rel=1e-12)


def test_p_value_agrees_with_direct_permutations():
    A, B = samples(1, shift=0.4)
    result = drift_test(A, B, n_resamples=99, rng=5)
    rng = np.random.default_rng(5)
    sides = np.r_[np.zeros(len(A), dtype=int), np.ones(len(B), dtype=int)]
    orders = rng.permuted(np.tile(sides, (99, 1)), axis=1)
    pooled = np.concatenate([A, B])
    distance = oracles.energy_distance
    null = np.array([distance(pooled[order == 0], pooled[order == 1]) for order in orders])
    assert result.pvalue == (1 + (null >= distance(A, B) - 1e-12).sum()) / 100
    assert result.chance == pytest.approx(null.mean(), abs=1e-10)


def test_large_samples_are_subsampled():
    A, B = samples(4, 80, 30)
    result = drift_test(A, B, max_rows=40, n_resamples=19, rng=0)
    assert (result.n_a, result.n_b, result.n_rows_a, result.n_rows_b) == (40, 30, 80, 30)
    assert result.to_dict() == drift_test(A, B, max_rows=40, n_resamples=19, rng=0).to_dict()
    rows = _draw_rows(np.arange(80.0)[:, None], 40, np.random.default_rng(0))[:, 0]
    assert rows.shape == (40,)
    assert (np.diff(rows) > 0).all()  # none twice, in their order


def test_least_shift_is_detected_with_the_nominal_power():
    rng = np.random.default_rng(6)
    scale = np.arange(1, 13) ** -0.5
    A, B = rng.standard_normal((40, 12)) * scale, rng.standard_normal((30, 12)) * scale + 3.0
    power = drift_power(A, B, rng=0)
    assert power.distance == pytest.approx(power.least_shift * np.linalg.norm(scale), rel=0.1)
    n_detected = 0
    for _ in range(150):
        a, b = rng.standard_normal((40, 12)) * scale, rng.standard_normal((30, 12)) * scale
        direction = rng.standard_normal(12)
        b += power.distance * direction / np.linalg.norm(direction)
        n_detected += drift_test(a, b, n_resamples=99, rng=rng).pvalue <= 0.05
    assert 0.65 < n_detected / 150 < 0.95
    # Without a shift, the power is the level.
    assert (power.shifts == 0).mean() < 0.12
    assert (np.diff(power.shifts) >= 0).all()


def test_least_shift_decreases_with_rows_and_is_invariant():
    A, B = samples(7, 60, 60, 10)
    power = drift_power(A, B, rng=0)
    assert drift_power(A[:20], B[:20], rng=0).least_shift > power.least_shift
    moved = drift_power(2 * A + 1, 2 * B - 3, rng=0)
    assert moved.least_shift == pytest.approx(power.least_shift, rel=1e-3)
    assert moved.distance == pytest.approx(2 * power.distance, rel=1e-3)


def test_memory_of_power_does_not_grow_with_splits():
    """A root finder that keeps the arrays of each split would need 1.2 GB for 1,000 rows per sample."""
    A, B = np.random.default_rng(0).standard_normal((2, 150, 3))
    assert peak_of(lambda: drift_power(A, B, rng=0)) < 40 * 2 * 150 * 150 * 8
