"""Tests of the invariances of the retrieval measures."""

import numpy as np

from isotropy_lab.retrieval import LinearAdapter, answer_ranks, separation, similarity_samples, top_k
from tests.isotropy_lab.invariance import invariance_test

GOLD = np.arange(30)


def embeddings(seed):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((50, 6)) + 0.5
    return documents[:30] + rng.standard_normal((30, 6)), documents


def sampled_similarities(questions, documents):
    samples = similarity_samples(questions, documents, GOLD, k=4, rng=3)
    return np.column_stack([samples.S_corr, samples.S_topK, samples.S_rand])


def separation_values(domain, agnostic):
    result = separation(domain, agnostic)
    return result.ratio, result.relative_mean, *result.distances, *result.within


LENGTHS = "rotation lengths:0 lengths:1 tiny huge map single"
test_measures_are_invariant = invariance_test(
    embeddings,
    {
        "ranks": (lambda Q, D: answer_ranks(Q, D, GOLD), LENGTHS, 0.0),
        "best": (lambda Q, D: top_k(Q, D, 5).indices, LENGTHS, 0.0),
        "samples": (sampled_similarities, LENGTHS, 1e-11),
        "separation": (separation_values, LENGTHS, 1e-8),
        "adapter": (
            lambda Q, D: LinearAdapter().fit(Q, D, GOLD).transform(Q) @ D.T,
            "rotation map single",
            5e-3,
        ),
        "its map": (
            lambda Q, D: LinearAdapter().fit(Q, D, GOLD).weights_,
            "lengths:0 lengths:1 tiny huge",
            1e-3,
        ),
    },
)
