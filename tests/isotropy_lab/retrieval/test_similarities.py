"""Tests of similarity samples: S_corr of relevant, S_topK of the top k, and S_rand of random documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.retrieval import answer_ranks, similarity_samples
from tests.oracles import cosine


def embeddings(seed, n_questions=12, n_documents=20, n=5, noise=1.0):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((n_documents, n)) + 0.5
    gold = rng.integers(0, n_documents, n_questions)
    return documents[gold] + noise * rng.standard_normal((n_questions, n)), documents, gold


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 20))
def test_samples_agree_with_single_cosines(seed, k):
    questions, documents, gold = embeddings(seed)
    samples = similarity_samples(questions, documents, gold, k=k, rng=seed)
    for i, question in enumerate(questions):
        cosines = [cosine(question, document) for document in documents]
        assert samples.S_corr[i] == pytest.approx(cosines[gold[i]], abs=1e-11)
        np.testing.assert_allclose(samples.S_topK[i], sorted(cosines)[::-1][:k], atol=1e-11)
        assert samples.S_rand[i] == pytest.approx(cosines[samples.random_documents[i]], abs=1e-11)
    ranks = answer_ranks(questions, documents, gold)
    assert samples.hit_ranks.tolist() == np.minimum(ranks, k + 1).tolist()
    assert samples.accuracy == (ranks <= k).mean()
    assert (samples.n_questions, samples.k, samples.n_documents) == (12, k, 20)


def test_hits_have_equal_similarities_in_both_samples():
    questions, documents, gold = embeddings(1, 200, 300, 16)
    samples = similarity_samples(questions.astype(np.float32), documents.astype(np.float32), gold, rng=0)
    hit = samples.hit_ranks <= samples.k
    assert 0 < hit.mean() < 1
    assert (samples.S_corr[hit] == samples.S_topK[hit, samples.hit_ranks[hit] - 1]).all()
    assert (samples.S_corr[~hit] <= samples.S_topK[~hit, -1]).all()


def test_random_documents_are_uniform_and_reproducible():
    documents = np.eye(4)
    gold = np.repeat(np.arange(4), 2000)
    documents_drawn = similarity_samples(documents[gold], documents, gold, k=1, rng=0).random_documents
    # All four have probability ¼, the relevant one included; three standard errors are 0.0145.
    assert np.bincount(documents_drawn) / 8000 == pytest.approx(np.full(4, 0.25), abs=0.0145)
    assert (documents_drawn == gold).mean() == pytest.approx(0.25, abs=0.0145)
    repeated = similarity_samples(documents[gold], documents, gold, k=1, rng=np.random.default_rng(0))
    assert (repeated.random_documents == documents_drawn).all()
