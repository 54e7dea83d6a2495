import dataclasses

import numpy as np
import pytest

from isotropy_lab import moments
from isotropy_report.measures import effective_rank, rankme, spectrum
from reanalyses.rudman2022 import clouds
from tests import oracles

pytestmark = pytest.mark.numbers
SHAPES = [(60, 9), (12, 30), (30, 30), (200, 3)]


def cloud(n_points, n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_points, n)) * np.arange(1, n + 1) ** -0.7 + rng.standard_normal(n)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("centered", [True, False])
def test_effective_rank_is_that_of_the_definition(shape, centered):
    X = cloud(*shape)
    found = effective_rank(X, centered=centered)
    assert found.estimate == pytest.approx(oracles.entropy_rank(X, centered=centered), rel=1e-7)
    # The jackknife leaves out every n_groups-th row.
    groups = np.arange(len(X)) % found.n_groups
    without = [oracles.entropy_rank(X[groups != g], centered=centered) for g in range(found.n_groups)]
    if len(X) % found.n_groups == 0:
        g = found.n_groups
        error = np.sqrt((g - 1) / g * ((without - np.mean(without)) ** 2).sum())
        assert found.standard_error == pytest.approx(error, rel=1e-5)
        center = found.estimate - (g - 1) * (np.mean(without) - found.estimate)
        if len(X) < 2 * X.shape[1]:
            assert found.corrected is None
        else:
            assert found.corrected == pytest.approx(np.clip(center, 1, min(len(X), X.shape[1])), rel=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_rankme_is_that_of_the_definition(shape):
    X = cloud(*shape)
    assert rankme(X).estimate == pytest.approx(
        oracles.entropy_rank(X, centered=False, epsilon=1e-7), rel=1e-7
    )
    assert not rankme(X).centered


def test_known_ranks():
    line = np.outer(np.arange(10.0), [1.0, 2.0, 3.0])
    assert effective_rank(line).estimate == pytest.approx(1.0, abs=1e-12)
    cross = np.vstack([np.eye(5), -np.eye(5)])  # five equal axes about the origin
    assert effective_rank(cross).estimate == pytest.approx(5.0)
    assert rankme(cross).estimate == pytest.approx(5.0, rel=1e-5)
    # of N points that are orthogonal, N − 1 equal directions are left when their mean is taken out
    assert effective_rank(np.eye(6, 9)).estimate == pytest.approx(5.0)
    assert rankme(np.eye(6, 9)).estimate == pytest.approx(6.0, rel=1e-5)


def first(result):
    return dataclasses.astuple(result)[0]


def test_single_precision_keeps_small_directions():
    """Variances down to 1e-9 of the largest drown in float32 products of the points, not in the points."""
    X = np.random.default_rng(0).standard_normal((3000, 40)) * np.logspace(0, -4.5, 40)
    X32 = X.astype(np.float32)
    assert effective_rank(X32).estimate == pytest.approx(oracles.entropy_rank(X32), rel=1e-6)


def test_moments_stand_for_points():
    X = cloud(500, 40)
    m = moments(X)
    for f in (effective_rank, rankme):
        whole, from_moments = f(X), f(m)
        assert first(from_moments) == pytest.approx(first(whole), rel=1e-9)
        assert from_moments.n_groups == 0
        assert from_moments.standard_error is None
        assert from_moments.corrected is None
        assert (from_moments.n_points, from_moments.n_dimensions) == (500, 40)
    huge = moments(X * 1e-3 + 1e200)  # a mean whose square overflows
    assert rankme(huge).estimate == pytest.approx(1.0, abs=1e-3)


def test_intervals_follow_the_level_and_stay_in_range():
    X = cloud(100, 6)
    for f in (effective_rank, rankme):
        wide, narrow = (f(cloud(100, 8), confidence_level=level) for level in (0.99, 0.5))
        assert wide.low < narrow.low < first(narrow) < narrow.high < wide.high
        assert (wide.confidence_level, narrow.confidence_level) == (0.99, 0.5)
    cross = np.vstack([np.eye(5), -np.eye(5)] * 3)
    assert effective_rank(cross, n_groups=2).high <= 5.0 + 1e-12
    assert effective_rank(X, n_groups=0).low is None


@pytest.mark.parametrize(("n_points", "n", "tolerance"), [(5, 40, 0.01), (60, 60, 0.003), (40, 100, 0.003)])
def test_the_isotropic_reference_is_the_mean_over_isotropic_clouds(n_points, n, tolerance):
    rng = np.random.default_rng(0)
    values = [oracles.entropy_rank(rng.standard_normal((n_points, n))) for _ in range(150)]
    reference = spectrum._isotropic_rank(n_points - 1, n, 0.0)
    error = np.std(values) / np.sqrt(len(values))
    assert abs(reference - np.mean(values)) < tolerance * np.mean(values) + 4 * error


@pytest.mark.rest
def test_the_interval_covers_the_mean_over_clouds():
    """A smoke test of the run in benchmarks: intervals at 95% about the mean over draws of N points."""
    ranks = []
    for seed in range(200):
        X = clouds.power_law_spectrum(240, 24, exponent=1.0, rng=seed)
        ranks.append(effective_rank(X))
    mean = np.mean([r.estimate for r in ranks])
    assert 0.9 <= np.mean([r.low < mean < r.high for r in ranks]) <= 0.99


@pytest.mark.parametrize("offset", [0.0, 3.0])
@pytest.mark.parametrize(
    ("n_points", "n", "rank"), [(800, 200, 1), (400, 150, 10), (100, 300, 10), (3000, 60, 59), (40, 40, 7)]
)
def test_directions_without_variance_cost_no_digits(n_points, n, rank, offset):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_points, rank)) @ rng.standard_normal((rank, n)) + offset
    for centered, Y in ((True, X - X.mean(axis=0)), (False, X)):
        found = effective_rank(X, centered=centered, n_groups=0)
        lengths = np.linalg.svd(Y, compute_uv=False)
        p = lengths[lengths > 1e-10 * lengths[0]]
        p /= p.sum()
        assert found.estimate == pytest.approx(np.exp(-p @ np.log(p)), rel=1e-10)
    padded = np.hstack([X, np.ones((n_points, 5))])
    assert effective_rank(padded, n_groups=0).estimate == pytest.approx(
        effective_rank(X, n_groups=0).estimate, rel=1e-10
    )


def test_a_group_that_holds_all_the_variance_is_named_as_the_reason():
    X = np.r_[np.ones((9, 3)), [[2.0, 1, 1]]]
    assert effective_rank(X, n_groups=0).estimate == pytest.approx(1.0)
    few = np.r_[np.ones((4, 9)), [[2.0] + [1.0] * 8]]  # from inner products of points
    zeros = np.r_[np.zeros((9, 3)), [[2.0, 1, 1]]]
    for measure, points in ((effective_rank, X), (effective_rank, few), (rankme, zeros)):
        with pytest.raises(ValueError, match=r"without \d of its points; expected n_groups=0"):
            measure(points)
    for measure, points in ((effective_rank, np.ones((9, 3))), (rankme, np.zeros((9, 3)))):
        with pytest.raises(ValueError, match=r"zero variance|only zero vectors"):
            measure(points)
