"""S_corr, S_topK, S_rand and their densities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.retrieval import answer_ranks, similarity_densities, similarity_samples


def embeddings(seed, n_questions=12, n_documents=20, n=5, noise=1.0):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((n_documents, n)) + 0.5
    gold = rng.integers(0, n_documents, n_questions)
    return documents[gold] + noise * rng.standard_normal((n_questions, n)), documents, gold


def cosine(a, b):
    return sum(a * b) / np.sqrt(sum(a * a) * sum(b * b))


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


def test_unchanged_by_rotation_and_by_the_lengths_of_rows():
    questions, documents, gold = embeddings(2)
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.standard_normal((5, 5)))
    a = similarity_samples(questions, documents, gold, k=4, rng=3)
    b = similarity_samples(
        (questions * rng.uniform(0.1, 9, (12, 1))) @ Q,
        (documents * rng.uniform(0.1, 9, (20, 1))) @ Q,
        gold,
        k=4,
        rng=3,
    )
    for name in ("S_corr", "S_topK", "S_rand"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-11)


def test_which_documents_are_drawn():
    documents = np.eye(4)
    gold = np.repeat(np.arange(4), 2000)
    drawn = similarity_samples(documents[gold], documents, gold, k=1, rng=0).random_documents
    # Each of the four with probability ¼, the right one included: three standard errors are 0.0145.
    assert np.bincount(drawn) / 8000 == pytest.approx(np.full(4, 0.25), abs=0.0145)
    assert (drawn == gold).mean() == pytest.approx(0.25, abs=0.0145)
    others = similarity_samples(documents[gold], documents, gold, k=1, exclude_gold=True, rng=0)
    assert not (others.random_documents == gold).any()
    assert (others.S_rand == 0).all()
    for right in range(4):
        shares = np.bincount(others.random_documents[gold == right], minlength=4) / 2000
        assert np.delete(shares, right) == pytest.approx(np.full(3, 1 / 3), abs=0.032)
    again = similarity_samples(documents[gold], documents, gold, k=1, rng=np.random.default_rng(0))
    assert (again.random_documents == drawn).all()


def test_densities_are_those_of_scipy_and_numpy():
    from scipy.stats import gaussian_kde

    questions, documents, gold = embeddings(3, 150, 200, 8)
    samples = similarity_samples(questions, documents, gold, k=5, rng=0)
    smooth = similarity_densities(samples)
    bars = similarity_densities(samples, method="histogram", n_points=20)
    assert smooth["sample"].drop_duplicates().to_list() == ["S_corr", "S_topK", "S_rand"]
    for name in ("S_corr", "S_topK", "S_rand"):
        values = getattr(samples, name).ravel()
        mine = smooth[smooth["sample"] == name]
        np.testing.assert_allclose(
            mine["density"], gaussian_kde(values)(mine["similarity"]), rtol=1e-9, atol=1e-12
        )
        assert np.trapezoid(mine["density"], mine["similarity"]) == pytest.approx(1, abs=0.004)
        mine = bars[bars["sample"] == name]
        width = np.diff(mine["similarity"])[0]
        assert mine["density"].sum() * width == pytest.approx(1, abs=1e-12)
        assert (mine["density"].to_numpy() * width * values.size).round(6).sum() == values.size
    fixed = similarity_densities(samples, bandwidth=0.1)
    mine = fixed[fixed["sample"] == "S_rand"]
    x = float(mine["similarity"].iloc[100])
    expected = np.mean(np.exp(-0.5 * ((x - samples.S_rand) / 0.1) ** 2)) / (0.1 * np.sqrt(2 * np.pi))
    assert mine["density"].iloc[100] == pytest.approx(expected, rel=1e-12)


def test_what_is_refused():
    questions, documents, gold = embeddings(4)
    for k, message in ((0, "k is 0"), (21, "k is 21.*there are 20 documents")):
        with pytest.raises(ValueError, match=message):
            similarity_samples(questions, documents, gold, k=k)
    with pytest.raises(ValueError, match="gold is outside the documents"):
        similarity_samples(questions, documents, gold + 20)
    with pytest.raises(ValueError, match="gold is missing"):
        similarity_samples(questions, documents, np.where(gold == gold[0], np.nan, gold))
    with pytest.raises(ValueError, match="questions has 4 dimensions"):
        similarity_samples(questions[:, :4], documents, gold)
    with pytest.raises(ValueError, match="documents has zero vectors"):
        similarity_samples(questions, documents * (np.arange(20) != 3)[:, None], gold)
    with pytest.raises(ValueError, match="documents has 1 point; expected at least 2"):
        similarity_samples(questions, documents[:1], np.zeros(12, dtype=int), k=1, exclude_gold=True)
    samples = similarity_samples(questions, documents, gold, rng=0)
    with pytest.raises(TypeError, match=r"samples is ndarray.*expected SimilaritySamples"):
        similarity_densities(samples.S_topK)
    with pytest.raises(ValueError, match="bandwidth is given with method='histogram'"):
        similarity_densities(samples, method="histogram", bandwidth=0.1)
    with pytest.raises(ValueError, match="expected one of 'kde', 'histogram'"):
        similarity_densities(samples, method="violin")
    same = similarity_samples(np.ones((5, 2)), np.ones((4, 2)), np.zeros(5, dtype=int), k=2, rng=0)
    with pytest.raises(ValueError, match="S_corr has equal values only"):
        similarity_densities(same)
    with pytest.raises(ValueError, match="samples has equal values only"):
        similarity_densities(same, method="histogram")
    assert np.isfinite(similarity_densities(same, bandwidth=0.1)["density"]).all()
