"""Tests of trustworthiness, continuity, and co-ranking curves against naive ranks and scikit-learn."""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cdist
from sklearn.manifold import trustworthiness as sklearn_trust

from isotropy_lab._core import neighbors as core
from isotropy_lab.projection import continuity, neighborhood_curve, neighborhood_scores, trustworthiness
from isotropy_lab.projection._pairs import neighborhoods, plain
from isotropy_lab.projection._pairs.distances import pairs_of
from isotropy_lab.projection._pairs.kernels import neighbors as kernels
from tests.oracles import co_ranking, distance_ranks


def points_and_map(kind, N=230):
    """Return points and their projection; all kinds have full tiles of 64 points and a partial one."""
    rng = np.random.default_rng(5)
    X, Y = rng.standard_normal((N, 24)), rng.standard_normal((N, 2))
    Y += X[:, :2]
    if kind == "narrow":
        X = X[:, :5]
    if kind == "grid":  # nearly all distances are tied with others
        X, Y = rng.integers(0, 3, (N, 20)).astype(float), rng.integers(0, 5, (N, 2)).astype(float)
    if kind == "duplicates":
        X, Y = X[np.arange(N) // 10], Y[np.arange(N) // 7]
    if kind == "one point":
        X, Y = np.full((N, 24), 3.0), Y
    if kind == "float32":
        X = (X + 5).astype(np.float32)
    if kind == "far":  # the numbers themselves are not rounded by the offset
        X, Y = np.rint(X * 1000) + 1e6, np.rint(Y * 1000) - 1e6
    if kind == "sizes":  # one point far from all others takes the digits of the rest
        X[7] *= 1e5
    return X, Y


KINDS = ("plain", "narrow", "grid", "duplicates", "one point", "float32", "far", "sizes")


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(core, "_TILE_COLUMNS", 64)
    monkeypatch.setattr(core, "_TILE_ROWS", 45)
    monkeypatch.setattr(core, "_QUERY_ENTRIES", 1)
    monkeypatch.setattr(neighborhoods, "_CHUNK_ENTRIES", 20 * 230)
    monkeypatch.setattr(neighborhoods, "_NARROW", 10)  # wider data have one product for both points of a pair


@pytest.mark.parametrize("count", [plain.count_nearer, kernels.count_nearer])
@pytest.mark.parametrize("margin", [1e-6, 0.02, 0.3])
def test_products_close_to_a_goal_stay_undecided(count, margin):
    """The tile starts at point 100 and contains two of the points whose products are the goals."""
    rng = np.random.default_rng(3)
    product = rng.standard_normal((5, 400))
    positions = np.array([rng.choice(90, 6, replace=False) for _ in product])
    positions[:, [1, 2, 4]] = [[100, 500, 499]] * 5  # first in the tile, first after it, last in it
    goals = np.sort(rng.standard_normal((5, 6)), axis=1)
    for row_goals, row in zip(goals, product, strict=True):
        row[[0, 399]] = row_goals[[1, 4]] + 0.9 * margin * np.array([1, -1])
        row[1:13] = row_goals.repeat(2) + 1.01 * margin * np.tile([1, -1], 6)
        row[13:25] = row_goals.repeat(2) + 0.99 * margin * np.tile([1, -1], 6)
    counts, undecided = np.zeros((5, 7), np.int64), np.zeros(product.shape, np.bool_)
    count(product, goals, positions, 100, margin, counts, undecided)
    other_points = np.setdiff1d(np.arange(400), [0, 399])
    for r, row in enumerate(product[:, other_points]):
        is_close = (np.abs(row[:, None] - goals[r]) <= margin).any(axis=1)
        np.testing.assert_array_equal(undecided[r, other_points], is_close)
        expected = np.bincount(np.searchsorted(goals[r], row[~is_close]), minlength=7)
        expected[[1, 4]] += 1  # a given point counts at its own place
        np.testing.assert_array_equal(counts[r, 1:], expected[1:])  # what is farther than all is not counted
    assert not undecided[:, [0, 399]].any()


@pytest.mark.parametrize("numba", ["1", "0"])
@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_curves_agree_with_all_ranks(monkeypatch, kind, numba):
    monkeypatch.setenv("ISOTROPY_LAB_NUMBA", numba)
    X, Y = points_and_map(kind)
    N = len(X)
    expected = co_ranking(distance_ranks(X), distance_ranks(Y))
    k = [1, 7, 40, (N - 1) // 2]
    scores, curve = neighborhood_scores(X, Y, n_neighbors=k), neighborhood_curve(X, Y)
    for m, K in enumerate(k):
        trust, continuity, kept = expected(K)
        assert scores.trustworthiness[m] == pytest.approx(trust, abs=1e-14)
        assert scores.continuity[m] == pytest.approx(continuity, abs=1e-14)
        assert curve.kept[K - 1] == pytest.approx(kept, abs=1e-14)
    for K in range(1, N - 1):
        trust, continuity, kept = expected(K)
        values = curve.trustworthiness[K - 1], curve.continuity[K - 1], curve.kept[K - 1]
        assert values == pytest.approx((trust, continuity, kept), abs=1e-13)
    above_chance = ((N - 1) * curve.kept - curve.n_neighbors) / (N - 1 - curve.n_neighbors)
    np.testing.assert_allclose(curve.above_chance, above_chance, atol=1e-12)
    assert curve.auc == pytest.approx(np.average(above_chance, weights=1 / curve.n_neighbors), abs=1e-12)
    assert scores.continuity_error.max() == 0


@pytest.mark.parametrize("kind", ["plain", "narrow", "float32"])
def test_scores_agree_with_scikit_learn(kind):
    X, Y = points_and_map(kind, N=301)
    # scikit-learn loses precision for uncentered data.
    x, y = (A - A.mean(axis=0, dtype=float) for A in (X, Y))
    for k in (1, 12, 150):
        values = trustworthiness(X, Y, n_neighbors=k), continuity(X, Y, n_neighbors=k)
        assert values == pytest.approx(
            (sklearn_trust(x, y, n_neighbors=k), sklearn_trust(y, x, n_neighbors=k)), abs=1e-12
        )


@pytest.mark.rest
def test_full_size_tiles_agree_with_scikit_learn_and_sorted_rows(monkeypatch):
    # 4,500 points fill two tiles, the last one partially; data with ties are compared with sorted rows.
    monkeypatch.undo()
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4_500, 20)).astype(np.float32)
    Y = X[:, :2] + 0.1 * rng.standard_normal((4_500, 2))
    scores = neighborhood_scores(X, Y, n_neighbors=[15, 100])
    for k, trust in zip((15, 100), scores.trustworthiness, strict=True):
        assert trust == pytest.approx(sklearn_trust(X.astype(float), Y, n_neighbors=k), abs=1e-12)
    X, Y = rng.integers(0, 2, (4_500, 20)), rng.integers(0, 30, (4_500, 2))
    rows = np.arange(0, 4_500, 9)
    pairs = pairs_of(X, Y, metric="euclidean")
    nearest = neighborhoods.nearest(pairs.y, np.arange(4_500), 20)
    ranks = neighborhoods.ranks_of(pairs.x, rows, nearest[rows])
    nearest_x = neighborhoods.nearest(pairs.x, rows, 20)
    order = neighborhoods.sorted_order(pairs.x, rows)
    np.testing.assert_array_equal(nearest_x, order[:, :20])
    expected = np.argsort(order, axis=1)
    np.testing.assert_array_equal(ranks, np.take_along_axis(expected, nearest[rows], axis=1) + 1)


def test_precomputed_distances_give_the_scores_of_their_ranks():
    X, Y = points_and_map("narrow", N=90)
    for metric in ("cityblock", "cosine"):
        D = cdist(X, X, metric)
        trust, cont, _ = co_ranking(distance_ranks(D, metric="precomputed"), distance_ranks(Y))(9)
        scores = neighborhood_scores(D, Y, n_neighbors=9, metric="precomputed")
        assert scores.trustworthiness[0] == pytest.approx(trust, abs=1e-14)
        assert scores.continuity[0] == pytest.approx(cont, abs=1e-14)
        assert trustworthiness(D, Y, n_neighbors=9, metric="precomputed") == scores.trustworthiness[0]
        assert continuity(D, Y, n_neighbors=9, metric="precomputed") == scores.continuity[0]
    of_points = neighborhood_scores(X, Y, n_rows=40, rng=0)
    scores = neighborhood_scores(cdist(X, X), Y, n_rows=40, rng=0, metric="precomputed")
    assert (scores.trustworthiness, scores.continuity) == (of_points.trustworthiness, of_points.continuity)


def test_sampled_rows_estimate_the_scores_of_all():
    """The standard error is that of a mean of values drawn without replacement; intervals are Student's."""
    X, Y = points_and_map("plain", N=60)
    R, r = distance_ranks(X), distance_ranks(Y)
    sampled_rows = np.random.default_rng(3).choice(60, size=8, replace=False, shuffle=False)
    options = {"n_neighbors": [5, 29], "n_rows": 8, "rng": 3}
    for level, K in itertools.product((0.9, 1 - 1e-9), (5, 29)):
        sampled = neighborhood_scores(X, Y, confidence_level=level, **options)
        for name, near, far in (("trustworthiness", r, R), ("continuity", R, r)):
            excess = np.where(near <= K, np.maximum(far - K, 0), 0).sum(axis=1)[sampled_rows]
            scores = 1 - 2 * excess / (K * (2 * 60 - 3 * K - 1))
            error = scores.std(ddof=1) * np.sqrt((1 - 8 / 60) / 8)
            ends = scores.mean() + stats.t.ppf(0.5 + level / 2, 7) * error * np.array([-1, 1])
            values = [getattr(sampled, name + end)[int(K > 5)] for end in ("", "_error", "_low", "_high")]
            assert values == pytest.approx([scores.mean(), error, *np.clip(ends, 0, 1)], rel=1e-9)
    assert (sampled.trustworthiness_low.min(), sampled.trustworthiness_high.max()) == (0.0, 1.0)
    assert [neighborhood_scores(X, Y, n_rows=m).n_rows for m in (2, 8, 60, 61)] == [2, 8, 60, 60]
