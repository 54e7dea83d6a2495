"""Tests of COE and ROE, the shares of S_corr and S_rand above a percentile of S_topK, by definition."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.results import SimilaritySamples
from isotropy_lab.retrieval import overlap, similarity_samples
from isotropy_lab.retrieval._overlap import overlaps_at
from tests.isotropy_lab.retrieval.test_similarities import embeddings


def random_samples(seed, noise=1.0):
    return similarity_samples(*embeddings(seed, 15, 25, 4, noise), k=5, rng=seed)


def tied_samples(seed, n_questions=12, k=4):
    """Return similarities on a coarse grid, many of which are equal."""
    rng = np.random.default_rng(seed)
    top = -np.sort(-rng.integers(0, 8, (n_questions, k)) / 8, axis=1)
    ranks = rng.integers(1, k + 2, n_questions)
    corr = np.array(
        [top[i, r - 1] if r <= k else top[i, -1] - rng.integers(0, 3) / 8 for i, r in enumerate(ranks)]
    )
    return SimilaritySamples(corr, top, rng.integers(-4, 6, n_questions) / 8, ranks * 0, ranks, 100)


def overlap_by_definition(samples, questions, psi):
    """Return θ, COE, and ROE for questions with repetitions, using the percentile's exact fraction."""
    top = sorted(value for q in questions for value in samples.S_topK[q])
    position = Fraction(psi) * (len(top) - 1) / 100
    low = math.floor(position)
    high = min(low + 1, len(top) - 1)
    theta = top[low] + (top[high] - top[low]) * float(position - low)
    theta = min(max(theta, top[low]), top[high])
    coe = sum(samples.S_corr[q] > theta for q in questions) / len(questions)
    roe = sum(samples.S_rand[q] > theta for q in questions) / len(questions)
    return theta, coe, roe


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), psi=st.one_of(st.integers(0, 100), st.floats(1, 100)), ties=st.booleans())
def test_values_of_all_questions_agree_with_the_definition(seed, psi, ties):
    samples = tied_samples(seed) if ties else random_samples(seed)
    result = overlap(samples, psi, n_resamples=40, rng=0)
    theta, coe, roe = overlap_by_definition(samples, range(samples.n_questions), psi)
    assert result.threshold_full == pytest.approx(theta, abs=1e-14)
    # Else θ may be rounded to either side of a similarity.
    unambiguous = np.abs(samples.S_topK - theta).min() > 1e-13
    if unambiguous or result.threshold_full == theta:
        assert (result.coe_full, result.roe_full) == (coe, roe)
    assert result.coe_full == np.mean(samples.S_corr > result.threshold_full)
    assert result.roe_full == np.mean(samples.S_rand > result.threshold_full)
    assert result.threshold_full == pytest.approx(np.percentile(samples.S_topK, psi), abs=1e-12)


@pytest.mark.parametrize("n_questions", [None, 7, 30])
def test_bootstrap_agrees_with_single_samples(n_questions):
    samples = random_samples(5)
    psis = [0, 10, 35, 80, 100]
    table = overlaps_at(samples, psis, n_resamples=60, n_questions=n_questions, rng=9)
    rng = np.random.default_rng(9)
    results = []
    for _ in range(60):
        questions = rng.integers(0, 15, size=n_questions or 15)
        results.append([overlap_by_definition(samples, questions, psi) for psi in psis])
    results = np.array(results)
    np.testing.assert_allclose(table[["threshold", "coe", "roe"]], results.mean(axis=0), atol=1e-12)
    low, high = np.percentile(results, [2.5, 97.5], axis=0)
    np.testing.assert_allclose(table[["coe_low", "roe_low"]], low[:, 1:], atol=1e-12)
    np.testing.assert_allclose(table[["coe_high", "roe_high"]], high[:, 1:], atol=1e-12)
    assert table.attrs == {"n_resamples": 60, "n_questions": n_questions or 15, "confidence_level": 0.95}


def test_overlap_is_a_row_of_the_curve_and_reproducible():
    samples = random_samples(1)
    result = overlap(samples, 40, n_resamples=100, rng=3)
    row = overlaps_at(samples, [20, 40], n_resamples=100, rng=3).iloc[1]
    assert [getattr(result, name) for name in row.index] == pytest.approx(row.to_list(), abs=1e-14)
    assert overlap(samples, 40, n_resamples=100, rng=np.random.default_rng(3)) == result
    assert (result.n_resamples, result.n_questions, result.confidence_level) == (100, 15, 0.95)
