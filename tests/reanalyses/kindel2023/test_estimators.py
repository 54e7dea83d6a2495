"""Tests of alternative estimators of similarity against enumeration and geometric identities."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association.canonical import canonical_congruences, row_basis
from isotropy_lab.association.cosine import mean_cosine_similarity
from reanalyses.kindel2023.estimators import (
    center_lists,
    centroid_length_ratios,
    cosine_additivity,
    pairing_range,
)
from reanalyses.kindel2023.similarities import centroid_mean_cosine_similarity, paired_mean_cosine_similarity
from tests.isotropy_lab.association.test_cosine import random_lists
from tests.oracles import cosine


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 6), p=st.integers(1, 9))
def test_pairing_range_equals_enumeration(seed, k, p):
    A, B, rng = random_lists(seed, k, k, p)
    values = [
        np.mean([cosine(A[i], B[j]) for i, j in enumerate(order)])
        for order in itertools.permutations(range(k))
    ]
    result = pairing_range(A, B)
    assert result.in_given_order == pytest.approx(values[0], abs=1e-13)
    assert result.in_given_order == pytest.approx(paired_mean_cosine_similarity(A, B), abs=1e-13)
    assert result.minimum == pytest.approx(min(values), abs=1e-13)
    assert result.maximum == pytest.approx(max(values), abs=1e-13)
    assert result.mean == pytest.approx(np.mean(values), abs=1e-13)
    assert result.mean == pytest.approx(mean_cosine_similarity(A, B), abs=1e-13)
    assert result.standard_deviation == pytest.approx(np.std(values), abs=1e-9)
    best_B = B[result.order_of_maximum]
    assert sorted(result.order_of_maximum) == list(range(k))
    assert paired_mean_cosine_similarity(A, best_B) == pytest.approx(result.maximum, abs=1e-13)
    shuffled = pairing_range(A[rng.permutation(k)], 3 * B[rng.permutation(k)])
    assert shuffled.maximum == pytest.approx(result.maximum, abs=1e-13)
    assert shuffled.standard_deviation == pytest.approx(result.standard_deviation, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), p=st.integers(1, 8))
def test_cosine_additivity_difference(seed, p):
    a, b, c = np.random.default_rng(seed).standard_normal((3, p))
    additivity = cosine_additivity(a, b, c)
    assert additivity.difference == pytest.approx(cosine(a + b, c) - cosine(a, c) - cosine(b, c), abs=1e-12)
    assert not additivity.holds_for_every_c
    # Of a factor, only the sign matters.
    assert cosine(-2 * a, b) == pytest.approx(-cosine(a, b), abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), p=st.integers(2, 8), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_cosines_add_only_at_120_degrees_and_equal_lengths(seed, p, scale):
    rng = np.random.default_rng(seed)
    u, v = np.linalg.qr(rng.standard_normal((p, 2)))[0].T
    a, b = u, -0.5 * u + math.sqrt(0.75) * v
    assert a @ b == pytest.approx(-0.5)  # −½‖a‖²
    for c in rng.standard_normal((5, p)):
        additivity = cosine_additivity(a * scale, b * scale, c)
        assert additivity.holds_for_every_c
        assert additivity.difference == pytest.approx(0.0, abs=1e-12)
    for other in (1.1 * b, -0.4 * u + math.sqrt(0.84) * v, -0.5 * a, 3 * a):
        assert not cosine_additivity(a * scale, other * scale, u).holds_for_every_c
        differences = [
            cosine_additivity(a * scale, other * scale, c).difference for c in rng.standard_normal((5, p))
        ]
        assert max(np.abs(differences)) > 1e-3


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 7), p=st.integers(2, 9))
def test_weighted_word_cosines_equal_the_centroid_cosine(seed, k, p):
    W, x, rng = random_lists(seed, k, 1, p)
    W *= rng.uniform(0.1, 10, (k, 1))
    weights = centroid_length_ratios(W)
    from_words = np.mean([cosine(w, x[0]) / psi for w, psi in zip(W, weights, strict=True)])
    assert from_words == pytest.approx(cosine(W.mean(axis=0), x[0]), rel=1e-9, abs=1e-9)
    assert from_words == pytest.approx(centroid_mean_cosine_similarity(x, W), rel=1e-9, abs=1e-9)
    equal = centroid_length_ratios(W / np.linalg.norm(W, axis=1, keepdims=True))
    assert equal.mean() <= 1.0 + 1e-12
    assert np.ptp(equal) < 1e-12


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 5), p=st.integers(6, 12))
def test_centering_lowers_rank_and_commutes_with_rotation(seed, k, p):
    A, B, rng = random_lists(seed, k, k + 1, p)
    centered_a, centered_b = center_lists(A, B)
    np.testing.assert_allclose(centered_a.sum(axis=0), 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(centered_a, tol=1e-10) == k - 1
    assert np.linalg.matrix_rank(centered_b, tol=1e-10) == k
    assert canonical_congruences(centered_a[:-1], centered_b).size == k - 1
    jointly_centered = center_lists(A, B, by="union")
    mean = np.concatenate([A, B]).mean(axis=0)
    np.testing.assert_allclose(jointly_centered[0], A - mean, atol=1e-12)
    assert row_basis(jointly_centered[0]).shape[1] == k
    center = rng.standard_normal(p)
    given_a, given_b = center_lists(A, B, by="given", center=center)
    np.testing.assert_allclose(given_a, A - center, atol=1e-12)
    np.testing.assert_allclose(given_b, B - center, atol=1e-12)
    assert row_basis(given_a).shape[1] == k
    Q = np.linalg.qr(rng.standard_normal((p, p)))[0]
    np.testing.assert_allclose(center_lists(A @ Q, B @ Q)[0], centered_a @ Q, atol=1e-10)
