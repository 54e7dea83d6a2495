"""Tests of moments of arrays, blocks, Dask arrays, and tensors against naive sums, for extreme scales too."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab import isotropy, moments
from isotropy_lab._core.moments import _add_scaled


def moments_by_definition(X):
    X = np.asarray(X, dtype=np.float64)
    Y = X - X.mean(0)
    q = (Y * Y).sum(1)
    return X.mean(0), Y.T @ Y, q @ Y, float(q @ q)


def assert_moments_equal(m, X, rtol=1e-10):
    mean, scatter, cubic, quartic = moments_by_definition(X)
    total = np.trace(scatter)
    spread = np.sqrt(total / len(X))
    np.testing.assert_allclose(m.mean, mean, rtol=rtol, atol=rtol * spread)
    np.testing.assert_allclose(m.scatter, scatter, rtol=rtol, atol=rtol * total)
    if m.quartic is not None:
        np.testing.assert_allclose(m.cubic, cubic, rtol=rtol, atol=rtol * total * spread)
        assert m.quartic == pytest.approx(quartic, rel=rtol)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    return rng.standard_t(5, (301, 6)) @ rng.standard_normal((6, 6)) + 7.0


@pytest.mark.parametrize("fourth", [False, True])
@pytest.mark.parametrize("block_rows", [1, 2, 7, 300, 301])
def test_blocks_of_any_size_agree_with_the_naive_sums(X, block_rows, fourth):
    m = moments([X[i : i + block_rows] for i in range(0, 301, block_rows)], fourth=fourth)
    assert m.count == 301
    assert (m.quartic is not None) is fourth
    assert_moments_equal(m, X)


@pytest.mark.parametrize("fourth", [False, True])
def test_all_input_types_give_equal_moments(X, fourth, tmp_path):
    np.save(tmp_path / "x.npy", X)
    blocks = np.array_split(X, 5)
    for source in (
        X.tolist(),
        np.asfortranarray(X),
        pd.DataFrame(X),
        np.load(tmp_path / "x.npy", mmap_mode="r"),
        iter(blocks),
        (block for block in blocks),
        blocks,
        tuple(blocks),
        [np.empty((0, 6)), *blocks],
    ):
        assert_moments_equal(moments(source, fourth=fourth), X)


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint16, np.int64, np.bool_, np.float16, np.float32, np.longdouble]
)
def test_all_real_dtypes_are_accepted(dtype):
    X = (np.random.default_rng(1).random((200, 4)) * 3).astype(dtype)
    m = moments(np.array_split(X, 4), fourth=True)
    assert m.scatter.dtype == np.float64
    assert_moments_equal(m, X, rtol=1e-5 if dtype in (np.float16, np.float32) else 1e-10)


def test_dask_arrays_are_reduced_chunk_by_chunk(X):
    da = pytest.importorskip("dask.array")
    for chunks in ((50, 6), (50, 2), (301, 6)):
        assert_moments_equal(moments(da.from_array(X, chunks=chunks), fourth=True), X)
    # The selection has an unknown size and some empty chunks.
    lazy = da.from_array(X, chunks=(50, 6))
    assert_moments_equal(moments(lazy[lazy[:, 0] > X[:, 0].mean()]), X[X[:, 0] > X[:, 0].mean()])


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.integers(1, 20), min_size=2, max_size=5),
    offset=st.sampled_from([0.0, 1.0, 1e3]),
)
def test_merged_moments_equal_those_of_all_rows(seed, sizes, offset):
    rng = np.random.default_rng(seed)
    blocks = [rng.standard_normal((size, 3)) + offset * rng.standard_normal(3) for size in sizes]
    block_moments = [moments(part, fourth=True) for part in blocks]
    forward = block_moments[0]
    for m in block_moments[1:]:
        forward = forward.merge(m)
    backward = block_moments[-1]
    for m in block_moments[-2::-1]:
        backward = backward.merge(m)
    assert_moments_equal(forward, np.vstack(blocks), rtol=1e-9)
    assert_moments_equal(backward, np.vstack(blocks), rtol=1e-9)


def test_large_means_lose_no_digits():
    X = np.random.default_rng(2).standard_normal((5000, 8)).astype(np.float32)
    # 2⁻¹³ is the spacing of float32 numbers near 1000: on that grid adding 1000 is exact.
    X = np.round(X * 2**13) / np.float32(2**13)
    near, far = moments(X, fourth=True), moments(X + np.float32(1000), fourth=True)
    np.testing.assert_allclose(far.scatter, near.scatter, atol=1e-5 * np.trace(near.scatter) / 8)
    assert far.quartic == pytest.approx(near.quartic, rel=1e-5)


def test_constant_data_have_zero_scatter():
    for value in (0.1, 1e9 + 0.3, -7.7e-5):
        for dtype in (np.float32, np.float64):
            for fourth in (False, True):
                m = moments(list(np.full((10, 100, 3), value, dtype)), fourth=fourth)
                assert (m.scatter.any(), m.exponent) == (False, 0)


@pytest.mark.parametrize("scale", [1e-22, 1e25])
@pytest.mark.parametrize("fourth", [False, True])
def test_float32_products_neither_overflow_nor_vanish(scale, fourth):
    X = (np.random.default_rng(4).standard_normal((100, 3)) * scale).astype(np.float32)
    exact = moments_by_definition(X.astype(np.float64))[1]
    np.testing.assert_allclose(
        moments(X, fourth=fourth).scatter, exact, rtol=1e-4, atol=1e-6 * np.trace(exact)
    )


def test_covariance_agrees_with_numpy(X):
    m = moments(X)
    np.testing.assert_allclose(m.covariance(), np.cov(X, rowvar=False), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(m.covariance(ddof=0), np.cov(X, rowvar=False, ddof=0), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("exponent", [-1030, -530, -250, 0, 250, 1014])
def test_powers_of_two_change_only_the_exponent(X, exponent):
    Z = np.ldexp(np.round(X * 8), exponent)  # whole numbers, which stay exact down to the smallest number
    for source in (Z, np.array_split(Z, 7), [Z[:1], Z[1:2], Z[2:]]):
        m = moments(source, fourth=True)
        rescaled = dataclasses.replace(
            m,
            mean=np.ldexp(m.mean, -exponent),
            scatter=np.ldexp(m.scatter, 2 * (m.exponent - exponent)),
            cubic=np.ldexp(m.cubic, 3 * (m.exponent - exponent)),
            quartic=float(np.ldexp(m.quartic, 4 * (m.exponent - exponent))),
        )
        assert_moments_equal(rescaled, np.round(X * 8))
        assert (m.exponent == 0) is (abs(exponent) < 100)


def test_blocks_merge_although_their_difference_overflows():
    """Means of ±1.3e308 give the scatter of means of ±1.3 up to its scale."""
    X = np.random.default_rng(0).standard_normal((40, 3)) * 0.1
    X[:20] += 1.3
    X[20:] -= 1.3
    small, large = (moments([part[:20], part[20:]]) for part in (X, 1e308 * X))
    ratios = [m.scatter / np.trace(m.scatter) for m in (small, large)]
    np.testing.assert_allclose(ratios[1], ratios[0], rtol=1e-9)
    log_ratio = np.log2(np.trace(large.scatter) / np.trace(small.scatter)) + 2 * (
        large.exponent - small.exponent
    )
    assert log_ratio == pytest.approx(2 * np.log2(1e308), rel=1e-12)


def test_scaled_sum_is_finite_although_a_term_overflows():
    total = _add_scaled(np.array([-1e308, 1.0]), np.array([1.0, 0.0]), 1024)
    assert total.tolist() == pytest.approx([2.0**1023 * (2 - 1e308 / 2.0**1023), 1.0], rel=1e-12)


def test_corrected_score_needs_four_points():
    X = np.random.default_rng(0).standard_normal((4, 3))
    score = isotropy.isoscore(moments(X, fourth=True), estimator="corrected")
    assert score == pytest.approx(isotropy.isoscore(X, estimator="corrected"), rel=1e-12)
    with pytest.raises(ValueError, match=r"X.*3 points"):
        isotropy.isoscore(moments(X[:3], fourth=True), estimator="corrected")


def test_outliers_in_float32_lose_no_digits_of_other_rows():
    """One row in 4,096 is an outlier, and the fourth moments agree with those in float64."""
    X = np.random.default_rng(0).standard_normal((4096, 24)).astype(np.float32)
    X[7] *= 3000
    single, double = moments(X, fourth=True), moments(X.astype(np.float64), fourth=True)
    np.testing.assert_allclose(single.scatter, double.scatter, rtol=1e-9, atol=1e-9 * double.scatter.max())
    assert single.quartic == pytest.approx(double.quartic, rel=1e-12)


def test_blocks_of_very_different_scales_merge():
    rng = np.random.default_rng(5)
    A, B = rng.standard_normal((40, 3)) * 1e-170, rng.standard_normal((50, 3)) * 1e170
    merged = moments([A, B], fourth=True)
    large_block = moments([np.zeros((40, 3)), B], fourth=True)
    assert merged.exponent == large_block.exponent
    np.testing.assert_array_equal(merged.scatter, large_block.scatter)
    assert merged.quartic == large_block.quartic
    far = moments([np.full((40, 3), 1e200), A], fourth=True)  # two constant blocks up to 1e-170
    scaled = moments([np.full((40, 3), 1.0), np.zeros((40, 3))], fourth=True)
    np.testing.assert_allclose(
        np.ldexp(far.scatter, 2 * far.exponent - 1328), scaled.scatter * (1e200 * 2.0**-664) ** 2
    )


@pytest.mark.parametrize("scale", [1.0, 3e11])
def test_fourth_moments_of_float32_neither_overflow_nor_lose_digits(scale):
    X = (np.random.default_rng(0).exponential(size=(5000, 20)) * np.linspace(1, 4, 20) * scale).astype(
        np.float32
    )
    assert_moments_equal(moments(list(np.array_split(X, 50)), fourth=True), X, rtol=1e-6)
    assert_moments_equal(moments(X, fourth=True), X, rtol=1e-6)


def test_float32_blocks_are_centered_on_their_own_mean():
    mean = 1e4
    X = np.random.default_rng(0).standard_normal((10_000, 20)) * np.linspace(1, 3, 20) + mean
    X = X.astype(np.float32)
    for distant_block in (np.zeros((1, 20), np.float32), X[:1], np.full((700, 20), -mean, np.float32)):
        all_rows = np.vstack([distant_block, X])
        spread = np.trace(moments_by_definition(X)[1])
        for fourth in (False, True):
            # Separate blocks are merged in float64, and their rank-one term is subtracted exactly.
            m, distant = moments([distant_block, X], fourth=fourth), moments(distant_block, fourth=fourth)
            mean_difference = X.mean(0, dtype=np.float64) - distant.mean
            weight = len(distant_block) * len(X) / (len(distant_block) + len(X))
            within = m.scatter - weight * np.outer(mean_difference, mean_difference) - distant.scatter
            tolerance_scale = max(spread, 1e-6 * np.trace(m.scatter))
            np.testing.assert_allclose(within, moments_by_definition(X)[1], atol=1e-6 * tolerance_scale)
        assert_moments_equal(moments(all_rows, fourth=True), all_rows, rtol=1e-6)


def test_few_dimensions_and_many_rows_keep_the_digits_of_float64():
    X = (np.random.default_rng(1).standard_normal((200_000, 2)) * [1, 2] + [3, 0]).astype(np.float32)
    assert_moments_equal(moments(X), X, rtol=1e-10)


def test_tensors_give_the_moments_of_arrays(X):
    torch = pytest.importorskip("torch")
    for fourth in (False, True):
        assert_moments_equal(moments(torch.from_numpy(X), fourth=fourth), X)
        assert_moments_equal(moments(torch.from_numpy(X).float(), fourth=fourth), X, rtol=1e-5)
        assert_moments_equal(moments(iter(torch.from_numpy(X).split(40)), fourth=fourth), X)


def test_iterable_objects_are_read_as_blocks():
    class Loader:
        def __iter__(self):
            return iter(np.split(X, 4))

    X = np.random.default_rng(0).standard_normal((40, 3))
    result = moments(Loader())
    assert result.count == 40
    np.testing.assert_allclose(result.mean, X.mean(axis=0))
