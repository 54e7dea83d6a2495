"""Tests of S_corr, S_topK, and S_rand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from isotropy_lab.retrieval import answer_ranks, similarity_samples
from reanalyses.roychowdhury2024.similarity_densities import similarity_densities
from tests.oracles import cosine


def embeddings(seed, n_questions=12, n_documents=20, n=5, noise=1.0):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((n_documents, n)) + 0.5
    gold = rng.integers(0, n_documents, n_questions)
    return documents[gold] + noise * rng.standard_normal((n_questions, n)), documents, gold


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 20))
def test_agrees_with_cosines_one_by_one(seed, k):
    questions, documents, gold = embeddings(seed)
    found = similarity_samples(questions, documents, gold, k=k, rng=seed)
    for i, question in enumerate(questions):
        all_of_them = [cosine(question, document) for document in documents]
        assert found.S_corr[i] == pytest.approx(all_of_them[gold[i]], abs=1e-11)
        np.testing.assert_allclose(found.S_topK[i], sorted(all_of_them)[::-1][:k], atol=1e-11)
        assert found.S_rand[i] == pytest.approx(all_of_them[found.random_documents[i]], abs=1e-11)
    ranks = answer_ranks(questions, documents, gold)
    assert found.hit_ranks.tolist() == np.minimum(ranks, k + 1).tolist()
    assert found.accuracy == (ranks <= k).mean()
    assert (found.n_questions, found.k, found.n_documents) == (12, k, 20)


def test_a_hit_has_the_same_similarity_in_both_samples():
    questions, documents, gold = embeddings(1, 200, 300, 16)
    found = similarity_samples(questions.astype(np.float32), documents.astype(np.float32), gold, rng=0)
    hit = found.hit_ranks <= found.k
    assert 0 < hit.mean() < 1
    assert (found.S_corr[hit] == found.S_topK[hit, found.hit_ranks[hit] - 1]).all()
    assert (found.S_corr[~hit] <= found.S_topK[~hit, -1]).all()


def test_which_documents_are_drawn():
    documents = np.eye(4)
    gold = np.repeat(np.arange(4), 2000)
    drawn = similarity_samples(documents[gold], documents, gold, k=1, rng=0).random_documents
    # Each of the four with probability ¼, the right one included: three standard errors are 0.0145.
    assert np.bincount(drawn) / 8000 == pytest.approx(np.full(4, 0.25), abs=0.0145)
    assert (drawn == gold).mean() == pytest.approx(0.25, abs=0.0145)
    again = similarity_samples(documents[gold], documents, gold, k=1, rng=np.random.default_rng(0))
    assert (again.random_documents == drawn).all()


def test_densities_are_means_of_normal_densities():
    questions, documents, gold = embeddings(3, 150, 200, 8)
    samples = similarity_samples(questions, documents, gold, k=5, rng=0)
    table = similarity_densities(samples)
    assert table["sample"].drop_duplicates().to_list() == ["S_corr", "S_topK", "S_rand"]
    grids = [part["similarity"].to_numpy() for _, part in table.groupby("sample")]
    assert (grids[0] == grids[1]).all()
    assert (grids[0] == grids[2]).all()
    for name in ("S_corr", "S_topK", "S_rand"):
        values = getattr(samples, name).ravel()
        mine = table[table["sample"] == name]
        width = values.std(ddof=1) * values.size**-0.2  # Scott's rule
        expected = [np.mean(stats.norm.pdf(x, values, width)) for x in mine["similarity"]]
        np.testing.assert_allclose(mine["density"], expected, rtol=1e-9, atol=1e-12)
        assert np.trapezoid(mine["density"], mine["similarity"]) == pytest.approx(1, abs=0.004)
