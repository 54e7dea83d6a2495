"""CKA and the Procrustes distance: naive forms, invariances, chance levels, tests, refusals."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import spatial

from isotropy_report.measures import cka, procrustes_distance, similarity
from tests import oracles

pytestmark = pytest.mark.numbers


def related(seed, n_points=14, n_a=5, n_b=4, noise=1.0):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n_points, n_a)) + 2.0
    return A, A @ rng.standard_normal((n_a, n_b)) + noise * rng.standard_normal((n_points, n_b))


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_cka_agrees_with_matrices_of_all_products(seed):
    A, B = related(seed)
    assert cka(A, B, n_resamples=0).statistic == pytest.approx(oracles.unbiased_cka(A, B), abs=1e-11)
    assert cka(A, B, estimator="plug-in", n_resamples=0).statistic == pytest.approx(
        oracles.plug_in_cka(A, B), abs=1e-11
    )


def test_cka_agrees_with_dcor():
    """dcor 0.7: `u_product` of U-centered squared distances, which are −2 times U-centered inner products."""
    A = [[float((7 * i + 3 * j * j + i * j) % 11 - 5) for j in range(4)] for i in range(12)]
    B = [[float((5 * i + 2 * j + i * i * j) % 13 - 6) for j in range(3)] for i in range(12)]
    assert cka(A, B, n_resamples=0).statistic == pytest.approx(0.0061498578359638675, abs=1e-12)


def test_the_jackknife_leaves_out_each_item():
    A, B = related(5)
    a, b = similarity._scaled(A, "A"), similarity._scaled(B, "B")
    products = a.T @ a, b.T @ b, a.T @ b
    _, deleted = similarity._deleted(a, b, products)
    slow = [oracles.unbiased_cka(np.delete(A, i, 0), np.delete(B, i, 0)) for i in range(len(A))]
    np.testing.assert_allclose(deleted, slow, atol=1e-11)
    found = cka(A, B, n_resamples=0)
    slow = np.array(slow)
    assert found.standard_error == pytest.approx(
        np.sqrt((len(A) - 1) / len(A) * ((slow - slow.mean()) ** 2).sum()), rel=1e-8
    )
    assert found.low < found.statistic < found.high


def test_small_distances_keep_their_digits():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((200, 6))
    A -= A.mean(0)
    step = rng.standard_normal((200, 6))
    for size in (1e-3, 1e-5, 1e-7):
        found = procrustes_distance(A, A + size * step, n_resamples=0).distance
        twice = procrustes_distance(A, A + 2 * size * step, n_resamples=0).distance
        assert twice / found == pytest.approx(2.0, rel=5e-3)


def test_procrustes_is_scipys():
    A, B = related(2)
    same = np.column_stack([B, np.zeros(len(B))])
    found = procrustes_distance(A, B, n_resamples=0)
    # SciPy scales B as well: its disparity is 1 − ‖AᵀB‖*²
    disparity = spatial.procrustes(A, same)[2]
    assert found.distance**2 == pytest.approx(2.0 - 2.0 * np.sqrt(1.0 - disparity), rel=1e-10)
    assert found.angle == pytest.approx(np.arccos(np.sqrt(1.0 - disparity)), rel=1e-10)
    assert 2.0 * np.sin(found.angle / 2.0) == pytest.approx(found.distance, rel=1e-12)


def test_chance_levels_of_unrelated_clouds():
    rng = np.random.default_rng(4)
    plug_in, unbiased, shapes = [], [], []
    for _ in range(60):
        A, B = rng.standard_normal((30, 20)), rng.standard_normal((30, 12))
        found = cka(A, B, estimator="plug-in", n_resamples=0)
        plug_in.append((found.statistic, found.chance))
        unbiased.append(cka(A, B, n_resamples=0).statistic)
        shape = procrustes_distance(A, B, n_resamples=19, rng=rng)
        shapes.append((shape.distance, shape.chance))
    plug_in, shapes = np.array(plug_in), np.array(shapes)
    assert plug_in[:, 0].mean() == pytest.approx(plug_in[:, 1].mean(), rel=0.05)
    assert plug_in[:, 1].mean() > 0.3
    assert np.mean(unbiased) == pytest.approx(0.0, abs=0.03)
    assert shapes[:, 0].mean() == pytest.approx(shapes[:, 1].mean(), rel=0.02)


def test_the_chance_of_the_plug_in_estimate_is_the_mean_over_permutations():
    A, B = related(1, n_points=6)
    every = [oracles.plug_in_cka(A, B[list(order)]) for order in itertools.permutations(range(6))]
    chance = cka(A, B, estimator="plug-in", n_resamples=0).chance
    assert chance == pytest.approx(np.mean(every), rel=1e-9)
    every = [oracles.unbiased_cka(A, B[list(order)]) for order in itertools.permutations(range(6))]
    assert np.mean(every) == pytest.approx(0.0, abs=1e-9)


def test_the_chance_distance_of_many_items_is_from_the_spectra(monkeypatch):
    rng = np.random.default_rng(5)
    A, B = rng.standard_normal((600, 30)) * np.arange(1, 31) ** -0.5, rng.exponential(size=(600, 20))
    by_permutation = procrustes_distance(A, B, rng=0)
    monkeypatch.setattr(similarity, "_PERMUTED_ROWS", 200)
    by_spectra = procrustes_distance(A, B, rng=0)
    assert (by_permutation.n_test_points, by_spectra.n_test_points) == (600, 200)
    assert by_spectra.chance == pytest.approx(by_permutation.chance, rel=5e-3)
    assert by_spectra.distance == by_permutation.distance


def test_p_values_by_hand():
    A, B = related(7, n_points=12, noise=6.0)
    found = cka(A, B, n_resamples=199, rng=3)
    rng = np.random.default_rng(3)
    null = [oracles.unbiased_cka(A, B[rng.permutation(12)]) for _ in range(199)]
    assert found.pvalue == (1 + sum(x >= oracles.unbiased_cka(A, B) for x in null)) / 200
    found = procrustes_distance(A, B, n_resamples=39, rng=3)
    rng = np.random.default_rng(3)
    null = [procrustes_distance(A, B[rng.permutation(12)], n_resamples=0).distance for _ in range(39)]
    assert found.pvalue == (1 + sum(x <= found.distance for x in null)) / 40
    assert found.chance == pytest.approx(np.mean(null), rel=1e-9)


def test_the_tests_keep_their_level_and_find_what_there_is():
    rng = np.random.default_rng(11)
    values = []
    for _ in range(200):
        A, B = rng.standard_t(3, (20, 6)), rng.exponential(size=(20, 5))
        values.append([f(A, B, n_resamples=19, rng=rng).pvalue for f in (cka, procrustes_distance)])
    share = (np.array(values) <= 0.05).mean(axis=0)
    assert (share < 0.1).all()  # 5 % ± 3 standard errors
    assert (share > 0.0).all()
    A, B = related(0, n_points=40)
    assert cka(A, B, rng=0).pvalue == 0.001


def test_the_test_takes_a_thousand_items_at_most():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((1200, 3)).astype(np.float32)
    found = cka(A, A + rng.standard_normal((1200, 3)), n_resamples=19, rng=0)
    assert (found.n_points, found.n_test_points, found.pvalue) == (1200, 1000, 0.05)
    assert cka(A, A, n_resamples=0).pvalue is None
