import numpy as np
import pytest

from isotropy_lab import moments
from isotropy_report.measures import effective_rank, spectrum
from tests import oracles

pytestmark = pytest.mark.numbers
SHAPES = [(60, 9), (12, 30), (30, 30), (200, 3)]


def not_centered(X):
    return effective_rank(X, centered=False)


def cloud(n_points, n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_points, n)) * np.arange(1, n + 1) ** -0.7 + rng.standard_normal(n)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("centered", [True, False])
def test_effective_rank_is_that_of_the_definition(shape, centered):
    X = cloud(*shape)
    found = effective_rank(X, centered=centered)
    assert found.estimate == pytest.approx(oracles.entropy_rank(X, centered=centered), rel=1e-7)


def test_known_ranks():
    line = np.outer(np.arange(10.0), [1.0, 2.0, 3.0])
    assert effective_rank(line).estimate == pytest.approx(1.0, abs=1e-12)
    cross = np.vstack([np.eye(5), -np.eye(5)])  # five equal axes about the origin
    assert effective_rank(cross).estimate == pytest.approx(5.0)
    assert effective_rank(cross, centered=False).estimate == pytest.approx(5.0, rel=1e-5)
    # of N points that are orthogonal, N − 1 equal directions are left when their mean is taken out
    assert effective_rank(np.eye(6, 9)).estimate == pytest.approx(5.0)
    assert effective_rank(np.eye(6, 9), centered=False).estimate == pytest.approx(6.0, rel=1e-5)


def test_single_precision_keeps_small_directions():
    """Variances down to 1e-9 of the largest drown in float32 products of the points, not in the points."""
    X = np.random.default_rng(0).standard_normal((3000, 40)) * np.logspace(0, -4.5, 40)
    X32 = X.astype(np.float32)
    assert effective_rank(X32).estimate == pytest.approx(oracles.entropy_rank(X32), rel=1e-6)


def test_moments_stand_for_points():
    X = cloud(500, 40)
    m = moments(X)
    for f in (effective_rank, not_centered):
        whole, from_moments = f(X), f(m)
        assert from_moments.estimate == pytest.approx(whole.estimate, rel=1e-9)
    huge = moments(X * 1e-3 + 1e200)  # a mean whose square overflows
    assert effective_rank(huge, centered=False).estimate == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(("n_points", "n", "tolerance"), [(5, 40, 0.01), (60, 60, 0.003), (40, 100, 0.003)])
def test_the_isotropic_reference_is_the_mean_over_isotropic_clouds(n_points, n, tolerance):
    rng = np.random.default_rng(0)
    values = [oracles.entropy_rank(rng.standard_normal((n_points, n))) for _ in range(150)]
    reference = spectrum._isotropic_rank(n_points - 1, n)
    error = np.std(values) / np.sqrt(len(values))
    assert abs(reference - np.mean(values)) < tolerance * np.mean(values) + 4 * error


@pytest.mark.parametrize("offset", [0.0, 3.0])
@pytest.mark.parametrize(
    ("n_points", "n", "rank"), [(800, 200, 1), (400, 150, 10), (100, 300, 10), (3000, 60, 59), (40, 40, 7)]
)
def test_directions_without_variance_cost_no_digits(n_points, n, rank, offset):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_points, rank)) @ rng.standard_normal((rank, n)) + offset
    for centered, Y in ((True, X - X.mean(axis=0)), (False, X)):
        found = effective_rank(X, centered=centered)
        lengths = np.linalg.svd(Y, compute_uv=False)
        p = lengths[lengths > 1e-10 * lengths[0]]
        p /= p.sum()
        assert found.estimate == pytest.approx(np.exp(-p @ np.log(p)), rel=1e-10)
    padded = np.hstack([X, np.ones((n_points, 5))])
    assert effective_rank(padded).estimate == pytest.approx(effective_rank(X).estimate, rel=1e-10)


def test_clouds_without_extent_are_refused():
    for measure, points in (
        (effective_rank, np.ones((9, 3))),
        (effective_rank, np.ones((3, 9))),
        (not_centered, np.zeros((9, 3))),
        (not_centered, np.zeros((3, 9))),
    ):
        with pytest.raises(ValueError, match=r"zero variance|only zero vectors"):
            measure(points)
