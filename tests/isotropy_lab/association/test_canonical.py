"""Tests of canonical similarities and their random baseline against SciPy, definitions, and simulation."""

import warnings

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association.canonical import (
    canonical_congruences,
    canonical_similarity,
    corrected_canonical_similarity,
    random_baseline,
    row_basis,
)
from tests.isotropy_lab.association.test_cosine import random_lists


def trace_by_projections(A, B):
    """Return the trace of the product of the projections Aᵀ(AAᵀ)⁻¹A and Bᵀ(BBᵀ)⁻¹B, with words in rows."""
    P, Q = (X.T @ np.linalg.inv(X @ X.T) @ X for X in (np.asarray(A, float), np.asarray(B, float)))
    return float(np.trace(P @ Q))


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    k_a=st.integers(1, 6),
    k_b=st.integers(1, 6),
    extra_dimensions=st.integers(0, 20),
)
def test_angles_and_trace_agree_with_scipy_and_projections(seed, k_a, k_b, extra_dimensions):
    p = k_a + k_b + extra_dimensions
    A, B, _ = random_lists(seed, k_a, k_b, p)
    cosines = canonical_congruences(A, B)
    assert cosines.shape == (min(k_a, k_b),)
    assert (np.diff(cosines) <= 0).all()
    assert cosines.min() >= 0
    assert cosines.max() <= 1
    np.testing.assert_allclose(cosines, np.cos(np.sort(scipy.linalg.subspace_angles(A.T, B.T))), atol=1e-9)
    trace = canonical_similarity(A, B, scale=None)
    assert trace == pytest.approx(trace_by_projections(A, B), abs=1e-8)
    assert trace == pytest.approx(float(cosines @ cosines), abs=1e-12)
    assert canonical_similarity(A, B) == pytest.approx(trace / np.sqrt(k_a * k_b))
    assert canonical_similarity(A, B, scale="minimum") == pytest.approx(trace / min(k_a, k_b))
    assert canonical_similarity(A, B) <= np.sqrt(min(k_a, k_b) / max(k_a, k_b)) + 1e-12
    chance = k_a * k_b / p
    assert corrected_canonical_similarity(A, B) == pytest.approx(
        (trace - chance) / (min(k_a, k_b) - chance), abs=1e-10
    )
    assert corrected_canonical_similarity(A, B) <= 1 + 1e-12


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), k_a=st.integers(1, 5), k_b=st.integers(1, 5))
def test_similarities_depend_only_on_the_spans(seed, k_a, k_b):
    p = 12
    A, B, rng = random_lists(seed, k_a, k_b, p)
    rotation = np.linalg.qr(rng.standard_normal((p, p)))[0]
    mix = np.linalg.qr(rng.standard_normal((k_a, k_a)))[0] * np.exp(rng.normal(0, 1, (k_a, 1)))
    lengths = np.exp(rng.normal(0, 5, (k_a, 1))) * rng.choice([-1, 1], (k_a, 1))
    repeated = np.vstack([A, -2 * A[:1], A[-1:]])
    for function in (
        canonical_similarity,
        lambda A, B: canonical_similarity(A, B, scale="minimum"),
        corrected_canonical_similarity,
        lambda A, B: canonical_congruences(A, B).sum(),
    ):
        value = pytest.approx(function(A, B), abs=1e-9)
        assert function(B, A) == value
        assert function(A @ rotation, B @ rotation) == value
        assert function(mix @ A, B) == value
        assert function(lengths * A, B) == value
        assert function(rng.permutation(A), B) == value
        assert function(repeated, B) == value
    assert canonical_similarity(A, A) == pytest.approx(1.0, abs=1e-12)
    assert canonical_similarity(A, mix @ A) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_row_basis_has_the_rank_of_dependent_rows_for_any_dtype(dtype):
    A = np.random.default_rng(3).integers(-9, 10, (4, 30)).astype(dtype)
    dependent = np.vstack([A, 2 * A[:1], (A[1:2] + A[2:3])])
    Q = row_basis(dependent)
    assert Q.shape == (30, 4)
    assert Q.dtype == np.float64
    np.testing.assert_allclose(Q.T @ Q, np.eye(4), atol=1e-14)
    np.testing.assert_allclose(Q @ (Q.T @ A.T.astype(float)), A.T.astype(float), atol=1e-12)
    assert canonical_similarity(dependent, A) == pytest.approx(1.0, abs=1e-12)


def test_float32_rows_dependent_up_to_rounding_reduce_the_rank():
    A = np.random.default_rng(4).standard_normal((4, 50))
    mixed = np.random.default_rng(5).standard_normal((7, 4)) @ A
    assert row_basis(mixed.astype(np.float32)).shape == (50, 4)
    # The same numbers as float64 are exact, and then the rounding errors are directions of their own.
    assert row_basis(mixed.astype(np.float32).astype(np.float64)).shape == (50, 7)


@pytest.mark.parametrize(("k_a", "k_b", "p"), [(1, 1, 4), (2, 3, 7), (5, 5, 12), (8, 3, 10)])
def test_baseline_agrees_with_simulated_subspaces(k_a, k_b, p):
    rng = np.random.default_rng(8)
    n = 20_000
    q = np.linalg.qr(rng.standard_normal((n, p, k_b)))[0]
    traces = np.einsum("nij,nij->n", q[:, :k_a], q[:, :k_a])  # with the span of the first k_a axes
    baseline = random_baseline(k_a, k_b, p)
    # Four standard errors, of the mean and of the variance.
    assert abs(traces.mean() - baseline.mean) < 4 * traces.std() / np.sqrt(n)
    centered = (traces - traces.mean()) ** 2
    assert abs(centered.mean() - baseline.variance) < 4 * centered.std() / np.sqrt(n)


@settings(deadline=None)
@given(p=st.integers(2, 40), data=st.data())
def test_baselines_of_orthogonal_complements_add_up(p, data):
    k_a, k_b = data.draw(st.integers(1, p - 1)), data.draw(st.integers(1, p - 1))
    # tr(P(I − Q)) = k_a − tr(PQ): the same variance, and the means add up to k_a.
    baseline, complement = random_baseline(k_a, k_b, p), random_baseline(k_a, p - k_b, p)
    assert baseline.variance == pytest.approx(complement.variance)
    assert baseline.mean + complement.mean == pytest.approx(k_a)


def test_baseline_with_the_whole_space_is_constant():
    assert random_baseline(1, 1, 1).mean == 1.0
    baseline = random_baseline(5, 3, 5)
    assert (baseline.mean, baseline.variance) == (3.0, 0.0)


def test_more_words_than_half_the_dimensions_cause_a_warning():
    A, B, _ = random_lists(10, 42, 41, 50, shift=0.3)
    with pytest.warns(UserWarning, match=r"34\.44 .*33 of the 41") as warned:
        similarity = canonical_similarity(A, B)
    assert warned[0].filename == __file__
    assert np.count_nonzero(canonical_congruences(A, B) > 1 - 1e-10) == 33
    assert similarity > 33 / np.sqrt(42 * 41)
    with pytest.warns(UserWarning, match="60 words of rank 50"):
        value = canonical_similarity(np.random.default_rng(0).standard_normal((60, 50)), B)
    assert value == pytest.approx(np.sqrt(41 / 50))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        canonical_similarity(A[:25], B[:25])
