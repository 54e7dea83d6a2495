"""Comparison of COE and ROE with a slow implementation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.results import SimilaritySamples
from isotropy_lab.retrieval import overlap, similarity_samples
from isotropy_lab.retrieval._overlap import overlaps_at


def drawn_samples(seed, n_questions=15, n_documents=25, n=4, k=5, noise=1.0):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((n_documents, n))
    gold = rng.integers(0, n_documents, n_questions)
    questions = documents[gold] + noise * rng.standard_normal((n_questions, n))
    return similarity_samples(questions, documents, gold, k=k, rng=rng)


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
    place = Fraction(psi) * (len(top) - 1) / 100
    low = math.floor(place)
    high = min(low + 1, len(top) - 1)
    theta = top[low] + (top[high] - top[low]) * float(place - low)
    theta = min(max(theta, top[low]), top[high])
    coe = sum(samples.S_corr[q] > theta for q in questions) / len(questions)
    roe = sum(samples.S_rand[q] > theta for q in questions) / len(questions)
    return theta, coe, roe


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), psi=st.one_of(st.integers(0, 100), st.floats(1, 100)), ties=st.booleans())
def test_the_full_set_agrees_with_the_definition(seed, psi, ties):
    samples = tied_samples(seed) if ties else drawn_samples(seed)
    found = overlap(samples, psi, n_resamples=40, rng=0)
    theta, coe, roe = overlap_by_definition(samples, range(samples.n_questions), psi)
    assert found.threshold_full == pytest.approx(theta, abs=1e-14)
    # Else θ may be rounded to either side of a similarity.
    between = np.abs(samples.S_topK - theta).min() > 1e-13
    if between or found.threshold_full == theta:
        assert (found.coe_full, found.roe_full) == (coe, roe)
    assert found.coe_full == np.mean(samples.S_corr > found.threshold_full)
    assert found.roe_full == np.mean(samples.S_rand > found.threshold_full)
    assert found.threshold_full == pytest.approx(np.percentile(samples.S_topK, psi), abs=1e-12)


@pytest.mark.parametrize("size", [None, 7, 30])
def test_the_bootstrap_agrees_with_samples_drawn_one_by_one(size):
    samples = drawn_samples(5)
    psis = [0, 10, 35, 80, 100]
    found = overlaps_at(samples, psis, n_resamples=60, n_questions=size, rng=9)
    rng = np.random.default_rng(9)
    results = []
    for _ in range(60):
        drawn = rng.integers(0, 15, size=size or 15)
        results.append([overlap_by_definition(samples, drawn, psi) for psi in psis])
    results = np.array(results)
    np.testing.assert_allclose(found[["threshold", "coe", "roe"]], results.mean(axis=0), atol=1e-12)
    low, high = np.percentile(results, [2.5, 97.5], axis=0)
    np.testing.assert_allclose(found[["coe_low", "roe_low"]], low[:, 1:], atol=1e-12)
    np.testing.assert_allclose(found[["coe_high", "roe_high"]], high[:, 1:], atol=1e-12)
    assert found.attrs == {"n_resamples": 60, "n_questions": size or 15, "confidence_level": 0.95}


def test_one_percentile_is_a_row_of_the_curve_and_seeds_repeat():
    samples = drawn_samples(1)
    one = overlap(samples, 40, n_resamples=100, rng=3)
    row = overlaps_at(samples, [20, 40], n_resamples=100, rng=3).iloc[1]
    assert [getattr(one, name) for name in row.index] == pytest.approx(row.to_list(), abs=1e-14)
    assert overlap(samples, 40, n_resamples=100, rng=np.random.default_rng(3)) == one
    assert (one.n_resamples, one.n_questions, one.confidence_level) == (100, 15, 0.95)
