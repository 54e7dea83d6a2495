import importlib

import numpy as np
import pytest

from isotropy_report.measures import alignment, uniformity
from isotropy_report.measures.uniformity import log_mean_on_sphere
from tests import oracles

MODULE = importlib.import_module("isotropy_report.measures.uniformity")
pytestmark = pytest.mark.numbers


@pytest.mark.parametrize("shape", [(4, 3), (25, 2), (9, 40), (12, 1)])
def test_uniformity_is_that_of_the_definition_in_any_tiles(shape, monkeypatch):
    X = np.random.default_rng(0).standard_normal(shape) + 0.3
    estimate, error = oracles.uniformity(X, 2.0)
    for rows in (3, 1024):
        monkeypatch.setattr(MODULE, "_TILE_ROWS", rows)
        found = uniformity(X)
        assert found.estimate == pytest.approx(estimate, rel=1e-10)
        assert found.standard_error == pytest.approx(error, rel=1e-6, abs=1e-12)


def test_published_and_exact_values():
    square = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]  # squared distances 2, 2, 4 to the others
    assert uniformity(square).estimate == pytest.approx(np.log((2 * np.exp(-4) + np.exp(-8)) / 3))
    assert uniformity([[1.0, 2.0]] * 5).estimate == pytest.approx(0.0, abs=1e-14)
    # On the circle the Bessel function I₀: e⁻⁴ I₀(4); on a line two points; on the sphere sinh.
    assert log_mean_on_sphere(1) == pytest.approx(-4 + np.log(np.cosh(4)))
    assert log_mean_on_sphere(2) == pytest.approx(-4 + np.log(np.i0(4.0)))
    assert log_mean_on_sphere(3) == pytest.approx(-4 + np.log(np.sinh(4) / 4))
    assert log_mean_on_sphere(10**6) == pytest.approx(-4 + 8e-6, rel=1e-9)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_the_sphere_is_that_of_a_simulation(n):
    points = np.random.default_rng(0).standard_normal((3000, n))
    found = uniformity(points)
    assert abs(found.estimate - found.uniform_sphere) < 5 * found.standard_error + 1e-4


@pytest.mark.rest
def test_intervals_cover():
    """A smoke test of the run in benchmarks."""
    rng = np.random.default_rng(0)

    def draw(size):
        return rng.standard_normal((size, 6)) * [3, 2, 1, 1, 1, 1] + 0.5

    truth = uniformity(draw(6000)).estimate
    found = [uniformity(draw(60)) for _ in range(400)]
    assert 0.90 <= np.mean([f.low < truth < f.high for f in found]) <= 0.985


def test_alignment():
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, 50, 6))
    units = [Z / np.linalg.norm(Z, axis=1)[:, None] for Z in (X, Y)]
    values = [float(np.linalg.norm(u - v)) ** 2 for u, v in zip(*units, strict=True)]
    found = alignment(X, 3.0 * Y)
    assert found.estimate == pytest.approx(np.mean(values))
    assert found.standard_error == pytest.approx(np.std(values, ddof=1) / np.sqrt(50))
    assert found.low < found.estimate < found.high
    assert alignment(X, X * 2).estimate == pytest.approx(0.0, abs=1e-25)
    assert alignment(X, -X).estimate == pytest.approx(4.0)
    assert alignment(X, -X).high == 4.0
