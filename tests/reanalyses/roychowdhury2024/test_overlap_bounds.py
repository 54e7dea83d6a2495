"""Tests of the bounds of COE given only ranks."""

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
def test_ranks_bound_coe(seed, psi, ties, noise):
    samples = tied_samples(seed) if ties else random_samples(seed, noise=noise)
    found = hits_and_overlap(samples, psi)
    Q, k = samples.S_topK.shape
    at_most = (samples.S_topK <= found.threshold).sum()
    assert found.low <= found.coe <= found.high
    # The two simple bounds, which the tight ones imply.
    for r in range(1, k + 1):
        accuracy_at_r = (samples.hit_ranks <= r).mean()
        assert found.low >= accuracy_at_r - at_most / (Q * (k - r + 1)) - 1e-12
    assert found.high <= found.accuracy * (1 - 1 / k) + 1 - at_most / (Q * k) + 1e-12
    # The identity of total probability.
    parts = (found.accuracy * found.coe_of_hits, (1 - found.accuracy) * found.coe_of_misses)
    assert found.coe == pytest.approx(np.nansum(parts), abs=1e-12)


def test_the_bounds_are_attained():
    # All arrangements of three questions with k = 2 whose similarities are distinct levels: the least and the
    # greatest COE found are the bounds.
    k, Q, psi = 2, 3, 60
    place = psi * (Q * k - 1) // 100  # 60 % of 5 is 3: the threshold is the fourth smallest
    for ranks in itertools.combinations_with_replacement([1, 2, 3], Q):
        found, bounds = set(), set()
        for order in itertools.permutations(range(Q * k)):
            top = np.array(order, dtype=float).reshape(Q, k)
            if (np.diff(top, axis=1) > 0).any():
                continue
            for below in (0.0, 10.0):  # a miss is just below its question's best two, or far below
                corr = np.array(
                    [top[i, r - 1] if r <= k else top[i, -1] - 0.5 - below for i, r in enumerate(ranks)]
                )
                samples = SimilaritySamples(corr, top, corr, np.zeros(Q, int), np.array(ranks), 9)
                result = hits_and_overlap(samples, psi)
                assert result.threshold == sorted(top.ravel())[place]
                found.add(result.coe)
                bounds.add((result.low, result.high))
        (low, high), *others = bounds
        assert not others
        assert (min(found), max(found)) == (low, high), ranks
