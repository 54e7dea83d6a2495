"""Tests of the nearest-neighbor search against naive ranks, with ties, clusters, and any size of tiles."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isotropy_lab._core import neighbors
from isotropy_lab._core.neighbors import METRICS, nearest_neighbors, neighbor_blocks
from tests import oracles

pytestmark = pytest.mark.numbers
KINDS = ("gaussian", "many ties", "all equal", "crowded", "far cluster", "outlier", "halves")


def cloud(kind, size, n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((size, n))
    if kind == "many ties":
        return rng.integers(0, 3, (size, n)) + 1.0
    if kind == "all equal":
        return np.ones((size, n))
    if kind == "crowded":  # distances and cosines within float32's rounding of products
        return (1e4 + X).astype(np.float32)
    if kind == "far cluster":  # the origin near the mean is far from both
        return np.vstack([1e6 + X[: size // 2] * 1e-3, X[size // 2 :]])
    if kind == "outlier":
        X[3] *= 1e9
    return X.astype(np.float16) if kind == "halves" else X


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", METRICS)
def test_neighbors_agree_with_the_definition_for_any_tile_size(kind, metric, monkeypatch):
    X = cloud(kind, 61, 5)
    for columns, rows, entries in ((7, 3, 50), (61, 1024, 2**22), (4096, 1024, 2**22)):
        monkeypatch.setattr(neighbors, "_TILE_COLUMNS", columns)
        monkeypatch.setattr(neighbors, "_TILE_ROWS", rows)
        monkeypatch.setattr(neighbors, "_QUERY_ENTRIES", entries)
        for k in (1, 6, 60):
            indices, values = oracles.nearest_neighbors(X, k, metric)
            result = nearest_neighbors(X, k, metric=metric)
            assert result.indices.dtype == np.int64
            assert result.indices.tolist() == indices, (kind, k, columns)
            np.testing.assert_allclose(result.values, values, rtol=1e-11, atol=2 * neighbors.GRID)


@pytest.mark.parametrize("waiting", [0, 1, 10**6])
@pytest.mark.parametrize("metric", METRICS)
def test_neighbors_are_the_same_for_any_number_of_pending_candidates(waiting, metric, monkeypatch):
    monkeypatch.setattr(neighbors, "_TILE_COLUMNS", 9)
    for kind in KINDS:
        X = cloud(kind, 80, 5)
        indices, _ = oracles.nearest_neighbors(X, 4, metric)
        monkeypatch.setattr(neighbors, "_MAX_WAITING", waiting)
        assert nearest_neighbors(X, 4, metric=metric).indices.tolist() == indices, kind


@pytest.mark.parametrize("metric", METRICS)
def test_ties_in_float32_products_are_decided_in_float64(metric):
    """Points that differ in the last digit of float32: its products cannot order them, the pairs can."""
    rng = np.random.default_rng(1)
    X = np.tile(rng.standard_normal(300).astype(np.float32), (50, 1))
    for i in range(1, 50):
        columns = rng.choice(300, size=i, replace=False)
        X[i, columns] = np.nextafter(X[i, columns], np.float32(np.inf))
    X = np.vstack([X, rng.standard_normal((2000, 300)).astype(np.float32)])
    indices, _ = oracles.nearest_neighbors(X[:50], 49, metric)
    if metric == "euclidean":  # cosines this close to 1 are equal up to their rounding to 2^-40
        assert nearest_neighbors(X, 49, metric=metric, queries=range(50)).indices.tolist() == indices
    result = nearest_neighbors(X, 49, metric=metric, queries=range(50))
    assert (np.sort(result.indices, axis=1) < 50).all()


def test_rows_are_ordered_by_value_and_ties_by_position():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 40, 3000)
    values = rng.choice([-2.0, -1.0, -1.0 + 2**-52, -(2.0**-1074), -0.0, 0.0, 0.5, 1.0], 3000)
    positions = rng.permutation(3000)
    for selection in (slice(0), slice(1), slice(None)):
        order = neighbors._order_by_value(rows[selection], values[selection], positions[selection])
        assert (
            order.tolist() == np.lexsort((positions[selection], -values[selection], rows[selection])).tolist()
        )
    values[::2] = -np.inf
    order = neighbors._order_by_value(rows, values, positions)
    assert (rows[order] == np.sort(rows)).all()
    assert (values[order] == values[np.lexsort((-values, rows))]).all()


def test_queries_select_rows_of_the_full_result():
    X = cloud("gaussian", 40, 3)
    full = nearest_neighbors(X, 4)
    selected = nearest_neighbors(X, 4, queries=[7, 0, 39])
    assert (selected.indices == full.indices[[7, 0, 39]]).all()
    assert (selected.values == full.values[[7, 0, 39]]).all()


@settings(deadline=None, max_examples=60)
@given(data=st.data(), size=st.integers(2, 14), n=st.integers(1, 4), metric=st.sampled_from(METRICS))
def test_values_are_ordered_and_invariant(data, size, n, metric):
    X = data.draw(hnp.arrays(float, (size, n), elements=st.integers(-2, 2).map(float))) + 0.5
    k = data.draw(st.integers(1, size - 1))
    result = nearest_neighbors(X, k, metric=metric)
    assert (result.indices != np.arange(size)[:, None]).all()
    steps = np.diff(result.values, axis=1)
    assert (steps >= 0 if metric == "euclidean" else steps <= 0).all()
    tied = steps == 0
    assert (np.diff(result.indices, axis=1)[tied] > 0).all()  # ties in the order of positions
    # A rotation without rounding, but another order of sums.
    flipped = nearest_neighbors(-X[:, ::-1], k, metric=metric)
    assert (flipped.indices == result.indices).all()
    if metric == "cosine":
        powers = 2.0 ** data.draw(hnp.arrays(int, (size, 1), elements=st.integers(-9, 9)))
        assert (nearest_neighbors(X * powers, k).indices == result.indices).all()
    else:
        assert (nearest_neighbors(X + 64.0, k, metric=metric).indices == result.indices).all()


def test_lower_bound_of_the_kth_largest_equals_hand_computed_values():
    rows = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 4.0]], dtype=np.float32)
    assert [neighbors._lower_bound(rows, k).tolist() for k in (1, 2, 3)] == [[3, 5], [2, 5], [1, 4]]
    assert neighbors._lower_bound(rows, 4).tolist() == [-np.inf, -np.inf]
    # 64 columns are 16 groups of 4 for k = 1, columns j, j + 16, j + 32 and j + 48.
    assert neighbors._lower_bound(np.arange(64.0)[None], 1).tolist() == [63]
    assert neighbors._lower_bound(np.arange(128.0)[None], 2).tolist() == [126]


def test_blocks_cover_all_queries(monkeypatch):
    assert [neighbors.block_rows(n) for n in (1, 4096, 8192)] == [2**22, 1024, 1024]
    monkeypatch.setattr(neighbors, "_TILE_ROWS", 2)
    monkeypatch.setattr(neighbors, "_QUERY_ENTRIES", 6)
    blocks = list(neighbor_blocks(cloud("gaussian", 7, 2), 1, queries=[6, 5, 4, 3, 2, 1, 0]))
    assert [block.positions.tolist() for block in blocks] == [[6, 5, 4], [3, 2, 1], [0]]


def test_bounds_are_rounded_down():
    bounds = neighbors._round_down(np.array([0.1, 0.5]), np.float32)
    assert bounds.tolist() == [np.nextafter(np.float32(0.1), np.float32(0)), 0.5 - 2.0**-25]
    assert neighbors._rounding_bound(4, np.float32) == 4 * (2.0**-24 / (1 - 2.0**-22) + 2.0**-52)


def test_memory_maps_are_read_in_parts(tmp_path):
    path, size, n = tmp_path / "x.npy", 20_000, 64
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(size, n))
    X[:] = np.random.default_rng(0).standard_normal((size, n))
    X.flush()
    X = np.load(path, mmap_mode="r")
    queries = np.arange(1500)
    for metric in METRICS:
        nearest_neighbors(X[:500], 5, metric=metric)
        tracemalloc.start()
        for _ in neighbor_blocks(X, 5, metric=metric, queries=queries):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # The tile of products takes 16 MB of the peak, and its two masks take 8 MB.
        assert peak < 60 * 2**20, (metric, peak)


def test_largest_entry_is_found_in_any_row(monkeypatch):
    monkeypatch.setattr(neighbors, "_CHUNK_ENTRIES", 0)  # one row at a time
    rows = np.array([[1.0, -5.0], [2.0, 3.0], [0.0, 4.0]])
    assert neighbors._max_magnitude(rows) == 5.0
    assert np.isnan(neighbors._max_magnitude(np.array([[np.nan, 0.0], [1.0, 2.0]])))


def test_precise_rows_have_dtype_float64():
    rows = np.random.default_rng(0).standard_normal((5, 4)).astype(np.float32)
    products = (neighbors.Products.of(rows, "X", one_scale=one_scale) for one_scale in (True, False))
    for prepared in (neighbors.Directions.of(rows, "X"), neighbors.Positions.of(rows, "X"), *products):
        assert prepared.left(precise=True).dtype == np.float64
        assert prepared.left(precise=False).dtype == np.float32
