"""Tests of scores of single points against naive ranks and overall scores, and of planted faulty regions."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from benchmarks.calibration.maps import PLANTED, SOUND
from isotropy_lab import projection
from isotropy_lab.projection import faulty_regions, point_quality
from isotropy_lab.projection.faulty_regions import _Side
from tests.oracles import distance_ranks


def points_and_map(N=300, n=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, n))
    return X, 30 * X[:, :2] + 5 * rng.standard_normal((N, 2))


@pytest.mark.parametrize("N", [17, 128, 129, 700])
@pytest.mark.parametrize("ties", [False, True])
def test_mean_of_point_scores_is_the_score_of_the_map(N, ties):
    X, Y = points_and_map(N)
    if ties:
        X, Y = X.round(), (Y / 30).round()
    points = point_quality(X, Y, n_neighbors=6)
    for name in ("trustworthiness", "continuity"):
        map_score = getattr(projection, name)(X, Y, n_neighbors=6)
        np.testing.assert_allclose(getattr(points, name).mean(), map_score, rtol=1e-12)
    stress = projection.scale_normalized_stress(X, Y, squared=True)
    np.testing.assert_allclose(points.stress.mean(), stress, rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_point_scores_agree_with_naive_ranks(metric):
    X, Y = points_and_map(60)
    data = X if metric == "euclidean" else cdist(X, X)
    points = point_quality(data, Y, n_neighbors=4, metric=metric)
    R, r = distance_ranks(X), distance_ranks(Y)
    D, E = cdist(X, X), cdist(Y, Y)
    scale = (D * E).sum() / (E * E).sum()
    for i in range(60):
        worst = sum(60 - 1 - j - 4 for j in range(4))
        false = [j for j in np.argsort(r[i]) if 1 <= r[i, j] <= 4 < R[i, j]]
        missing = [j for j in np.argsort(R[i]) if 1 <= R[i, j] <= 4 < r[i, j]]
        assert points.false_neighbors(i).tolist() == false
        assert points.missing_neighbors(i).tolist() == missing
        assert points.trustworthiness[i] == pytest.approx(1 - sum(R[i, j] - 4 for j in false) / worst)
        assert points.continuity[i] == pytest.approx(1 - sum(r[i, j] - 4 for j in missing) / worst)
        stress = ((D[i] - scale * E[i]) ** 2).sum() * 60 / (D**2).sum()
        assert points.stress[i] == pytest.approx(stress)


def test_perfect_maps_have_perfect_scores_and_no_regions():
    _, Y = points_and_map()
    points = point_quality(Y, 7 * Y)
    assert points.trustworthiness.min() == points.continuity.min() == 1
    assert points.stress.max() < 1e-28
    regions = faulty_regions(Y, 7 * Y, rng=0)
    assert regions.n_invented == regions.n_torn == 0
    assert (regions.invented == -1).all()


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_found(name):
    X, Y, kind, faulty = PLANTED[name](np.random.default_rng(5))
    regions = faulty_regions(X, Y, rng=0)
    inside = getattr(regions, kind) == 0
    assert inside.sum() > 15
    assert faulty[inside].mean() > 0.8
    scores, limit = getattr(regions, f"{kind}_score"), getattr(regions, f"{kind}_limit")
    np.testing.assert_array_equal(scores > limit, getattr(regions, kind) >= 0)


@pytest.mark.parametrize("name", ["a random map", "six clusters"])
def test_sound_and_random_maps_have_no_regions(name):
    regions = faulty_regions(*SOUND[name](np.random.default_rng(5)), rng=0)
    assert regions.n_invented == regions.n_torn == 0


def test_regions_are_ordered_by_size_and_invariant():
    rng = np.random.default_rng(1)
    label = np.repeat(np.arange(6), [100, 100, 40, 40, 60, 60])  # 0 on 1, and 2 on 3
    centers = 40 * np.eye(6, 8)
    noise = rng.standard_normal((400, 8))
    X = centers[label] + noise
    Y = 20.0 * np.array([[0, 0], [0, 0], [1, 0], [1, 0], [0, 1], [1, 1]])[label] + noise[:, :2]
    regions = faulty_regions(X, Y, rng=0)
    assert regions.n_invented == 2
    assert set(label[regions.invented == 0]) == {0, 1}
    assert set(label[regions.invented == 1]) == {2, 3}
    rotation = np.array([[0.0, -3.0], [3.0, 0.0]])
    moved = faulty_regions(5 * X + 1, Y @ rotation - 8, rng=0)
    np.testing.assert_array_equal(moved.invented, regions.invented)
    precomputed = faulty_regions(cdist(X, X), Y, metric="precomputed", n_simulations=1, rng=0)
    assert precomputed.n_invented == 2


def test_points_with_a_common_neighbor_share_a_region():
    scores = np.array([9.0, 0, 0, 0, 9.0, 9.0])
    side = _Side(scores, np.array([[2], [2], [1], [2], [2], [3]]))
    assert side.regions(4.4).tolist() == [0, -1, -1, -1, 0, 1]


def test_coincident_points_have_finite_scores():
    X, Y = points_and_map(200)
    X[:40], Y[60:100] = X[0], Y[60]
    regions = faulty_regions(X, Y, n_simulations=2, rng=0)
    assert np.isfinite([regions.invented_score, regions.torn_score]).all()
