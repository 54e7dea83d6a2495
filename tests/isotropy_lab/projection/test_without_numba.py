"""Tests that all measures are the same with and without numba."""

import inspect
import itertools
from functools import partial

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from isotropy_lab import projection
from isotropy_lab.projection._pairs import compilation, distances, plain
from isotropy_lab.projection._pairs.kernels import kl as kernels_kl
from isotropy_lab.projection.stress import pair_sums
from tests.isotropy_lab.projection.test_stress import run


def points(kind):
    rng = np.random.default_rng(21)
    X, Y = rng.standard_normal((170, 40)), rng.standard_normal((170, 3))
    if kind == "plain":
        Y += X[:, :3]
    if kind == "narrow":
        X, Y = X[:, :5], X[:, :2] + 0.3 * Y[:, :2]
    if kind == "ties":  # coincident points, and distances of which many are equal
        X, Y = np.rint(X[:, :3]), np.rint(Y[:, :2])
    if kind == "float32":
        X, Y = (X[:, :6] + 30).astype(np.float32), Y[:, :2].astype(np.float32)
    return X, Y


def reverse_axes(Y):
    return Y[:, ::-1] * [1.0, 0.1, 0.1][: Y.shape[1]]


def join_fields(result):
    return np.concatenate([np.ravel(value) for value in vars(result).values()])


def crossing_values(*sums):
    return [value for crossing in projection.crossings(sums) for value in (crossing.scale, crossing.stress)]


KINDS = ("plain", "narrow", "ties", "float32")
SCALES = [0.0, 0.3, 1.0, 7.0]
MEASURES = {
    "affinities": lambda X, Y, **o: projection.affinities(X, **o),
    "continuity": projection.continuity,
    "crossings": lambda X, Y, **o: crossing_values(pair_sums(X, Y, **o), pair_sums(X, reverse_axes(Y), **o)),
    "forced_scale_kl": projection.forced_scale_kl,
    "kl_divergence inverse square": partial(projection.kl_divergence, kernel="inverse-square"),
    "kl_curve": lambda X, Y, **o: projection.kl_curve(X, Y, SCALES, **o),
    "kl_curve gaussian": lambda X, Y, **o: projection.kl_curve(X, Y, SCALES, kernel="gaussian", **o),
    "kl_curve exact": lambda X, Y, **o: projection.kl_curve(X, Y, SCALES, method="exact", **o),
    "kl_divergence": projection.kl_divergence,
    "kl_divergence gaussian": partial(projection.kl_divergence, kernel="gaussian", scale=0.1),
    "neighborhood_curve": projection.neighborhood_curve,
    "neighborhood_scores": lambda X, Y, **o: projection.neighborhood_scores(X, Y, n_neighbors=[1, 20], **o),
    "nonmetric_stress": projection.nonmetric_stress,
    "point_quality": lambda X, Y, **o: join_fields(projection.point_quality(X, Y, n_neighbors=9, **o)),
    "faulty_regions": lambda X, Y, **o: join_fields(
        projection.faulty_regions(X, Y, n_simulations=1, rng=0, **o)
    ),
    "normalized_stress": lambda X, Y, **o: projection.normalized_stress(X, Y, scale=0.7, **o),
    "optimal_scale": projection.optimal_scale,
    "pair_sums": lambda X, Y, **o: main_sums(projection.pair_sums(X, Y, **o)),
    "projection_quality": projection.projection_quality,
    "nonmetric_stress secondary": lambda X, Y, **o: projection.nonmetric_stress(X, Y, ties="secondary", **o),
    "scale_normalized_kl": projection.scale_normalized_kl,
    "scale_normalized_kl gaussian": partial(projection.scale_normalized_kl, kernel="gaussian"),
    "scale_normalized_stress": projection.scale_normalized_stress,
    "shepard_goodness": projection.shepard_goodness,
    "stress_curve": lambda X, Y, **o: projection.stress_curve(X, Y, SCALES, **o).values,
    "stress_estimate": lambda X, Y: projection.stress_estimate(X, Y, n_pairs=500, rng=0),
    "trustworthiness": projection.trustworthiness,
}


def flat_numbers(result):
    """Return the numbers of a result as an array with one axis."""
    if hasattr(result, "to_dict") and not hasattr(result, "__array__"):
        result = [value for value in result.to_dict().values() if not isinstance(value, (str, list))]
    return np.asarray(result, dtype=float).ravel()


def with_and_without_numba(monkeypatch, measure, *arguments, **options):
    with_numba = flat_numbers(measure(*arguments, **options))
    monkeypatch.setenv("ISOTROPY_LAB_NUMBA", "0")
    assert not compilation.available()
    return with_numba, flat_numbers(measure(*arguments, **options))


def main_sums(sums):
    return np.array([sums.sum_d2, sums.sum_e2, sums.sum_de, sums.max_d, sums.max_e])


def test_all_measures_are_listed():
    functions = {name for name in projection.__all__ if inspect.isfunction(getattr(projection, name))}
    assert functions <= {name.split()[0] for name in MEASURES}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MEASURES)
def test_measures_are_the_same_without_numba(monkeypatch, name, kind):
    fast, slow = with_and_without_numba(monkeypatch, MEASURES[name], *points(kind))
    # Scales and slopes of minima follow from sums that nearly cancel.
    loose = name.startswith(("scale_normalized_kl", "projection_quality", "kl_curve", "crossings"))
    np.testing.assert_allclose(slow, fast, rtol=1e-8 if loose else 1e-12, atol=1e-14)


@pytest.mark.parametrize("name", [name for name in MEASURES if not name.endswith("estimate")])
def test_measures_of_precomputed_distances_are_the_same(monkeypatch, name):
    X, Y = points("narrow")
    fast, slow = with_and_without_numba(monkeypatch, MEASURES[name], cdist(X, X), Y, metric="precomputed")
    np.testing.assert_allclose(slow, fast, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize(
    "name", ["pair_sums", "shepard_goodness", "nonmetric_stress", "nonmetric_stress secondary"]
)
def test_tiles_off_the_diagonal_are_the_same(monkeypatch, name):
    monkeypatch.setattr(distances, "_TILE_COLUMNS", 130)
    fast, slow = with_and_without_numba(monkeypatch, MEASURES[name], *points("narrow"))
    np.testing.assert_allclose(slow, fast, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("perplexity", "spread"), [(1.3, 6.0), (2.0, 0.1), (12.0, 6.0), (14.9, 1.0)])
def test_conditional_probabilities_of_uneven_rows(perplexity, spread):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = np.exp(rng.uniform(0, spread) * rng.standard_normal((17, 1))) * rng.standard_normal((17, 2))
        D = cdist(X, X, "sqeuclidean") / np.square(X).max()
        fast, slow = D.copy(), D.copy()
        kernels_kl.conditional_rows(fast, perplexity)
        plain.conditional_rows(slow, perplexity)
        np.testing.assert_allclose(slow, fast, rtol=1e-9, atol=1e-13)
        entropy = -np.sum(slow * np.log(slow, where=slow > 0, out=np.zeros_like(slow)), axis=1)
        assert np.exp(entropy) == pytest.approx(perplexity, rel=1e-9)
        # The logarithms of a row are linear in the square distances, up to rounding.
        for P, (row, d) in itertools.product((fast, slow), enumerate(D)):
            positive = P[row] > 1e-300
            logs, delta = np.log(P[row, positive]), d[positive] - d[positive].min()
            line = logs[delta.argmin()] + np.ptp(-logs) / max(np.ptp(delta), 1e-300) * -delta
            np.testing.assert_allclose(logs, line, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("rows", [1, 7])
@pytest.mark.parametrize("name", ["affinities", "kl_divergence", "kl_divergence gaussian", "kl_curve"])
def test_blocks_of_any_size_give_the_same_values(monkeypatch, name, rows):
    X, Y = points("ties")
    monkeypatch.setattr(plain, "_CHUNK_ENTRIES", rows * len(X))
    fast, slow = with_and_without_numba(monkeypatch, MEASURES[name], X, Y)
    np.testing.assert_allclose(slow, fast, rtol=1e-8, atol=1e-14)


def test_numba_is_optional():
    code = (
        "import sys; sys.modules['numba'] = None; import numpy as np; from isotropy_lab import projection; X "
        "= np.random.default_rng(0).standard_normal((60, 40)); print(projection.projection_quality(X, X[:, "
        ":2], perplexity=9).to_dict()); assert 'numba.core' not in sys.modules"
    )
    completed = run(code)
    assert completed.returncode == 0, completed.stderr
    X = np.random.default_rng(0).standard_normal((60, 40))
    expected = projection.projection_quality(X, X[:, :2], perplexity=9).to_dict()
    actual = eval(completed.stdout.splitlines()[0], {"nan": np.nan, "inf": np.inf})
    assert actual == pytest.approx(expected, rel=1e-8)
