"""Tests of the bounds of COE that use only ranks."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.results import SimilaritySamples
from reanalyses.roychowdhury2024.overlap_bounds import hits_and_overlap
from tests.isotropy_lab.retrieval.test_overlap import random_samples, tied_samples


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    psi=st.integers(0, 100),
    ties=st.booleans(),
    noise=st.sampled_from([0.2, 1.0, 3.0]),
)
def test_coe_is_within_its_bounds(seed, psi, ties, noise):
    samples = tied_samples(seed) if ties else random_samples(seed, noise=noise)
    result = hits_and_overlap(samples, psi)
    Q, k = samples.S_topK.shape
    n_hidden = (samples.S_topK <= result.threshold).sum()
    assert result.low <= result.coe <= result.high
    # The tight bounds imply the two simple bounds.
    for r in range(1, k + 1):
        accuracy_at_r = (samples.hit_ranks <= r).mean()
        assert result.low >= accuracy_at_r - n_hidden / (Q * (k - r + 1)) - 1e-12
    assert result.high <= result.accuracy * (1 - 1 / k) + 1 - n_hidden / (Q * k) + 1e-12
    # The law of total probability holds.
    terms = (result.accuracy * result.coe_of_hits, (1 - result.accuracy) * result.coe_of_misses)
    assert result.coe == pytest.approx(np.nansum(terms), abs=1e-12)


def test_bounds_are_attained_by_some_arrangement():
    # Over all arrangements of distinct similarities for three questions, the extreme values of COE are the bounds.
    k, Q, psi = 2, 3, 60
    index = psi * (Q * k - 1) // 100  # 60 % of 5 is 3: the threshold is the fourth smallest
    for ranks in itertools.combinations_with_replacement([1, 2, 3], Q):
        values, bounds = set(), set()
        for order in itertools.permutations(range(Q * k)):
            top = np.array(order, dtype=float).reshape(Q, k)
            if (np.diff(top, axis=1) > 0).any():
                continue
            for distance in (0.0, 10.0):  # a miss is slightly or far below the top two
                corr = np.array(
                    [top[i, r - 1] if r <= k else top[i, -1] - 0.5 - distance for i, r in enumerate(ranks)]
                )
                samples = SimilaritySamples(corr, top, corr, np.zeros(Q, int), np.array(ranks), 9)
                result = hits_and_overlap(samples, psi)
                assert result.threshold == sorted(top.ravel())[index]
                values.add(result.coe)
                bounds.add((result.low, result.high))
        (low, high), *others = bounds
        assert not others
        assert (min(values), max(values)) == (low, high), ranks
