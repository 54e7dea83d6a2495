"""Tests of isotropy and accuracy under transformations that are fitted on documents."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.transformed import TRANSFORMS, transformed_scores
from tests.oracles import isoscore_seven_steps


def random_embeddings(seed, n_documents=80, n=6, noise=0.7):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((n_documents, n)) * rng.uniform(0.5, 3, n) + rng.standard_normal(n)
    gold = rng.integers(0, n_documents, 30)
    return documents[gold] + noise * rng.standard_normal((30, n)), documents, gold


def variant(questions, documents):
    return EmbeddingVariant("made up", "x", questions, (documents,), np.zeros(30, dtype=np.int64))


def textbook_transform(Q, D, name):
    """Apply the transformations by textbook formulas to normalized rows."""
    Q, D = normalize(Q), normalize(D)
    mean, covariance = D.mean(0), np.cov(D.T)
    values, vectors = np.linalg.eigh(covariance)
    if name == "baseline":
        return Q, D
    if name == "centered":
        return Q - mean, D - mean
    if name == "standardized":
        return (Q - mean) / D.std(0), (D - mean) / D.std(0)
    if name == "whitened":
        return ((x - mean) @ vectors / np.sqrt(values) for x in (Q, D))
    top = vectors[:, -1]
    return (x - mean - np.outer((x - mean) @ top, top) for x in (Q, D))


@pytest.mark.parametrize("name", TRANSFORMS)
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_transformed_scores_agree_with_textbook_formulas(name, seed):
    questions, documents, gold = random_embeddings(seed)
    scores = transformed_scores(variant(questions, documents), gold, transforms=[name])
    Q, D = textbook_transform(questions, documents, name)
    similarities = normalize(Q) @ normalize(D).T
    ranks = [1 + (row > row[g] + 1e-9).sum() for row, g in zip(similarities, gold, strict=True)]
    assert scores.ranks[name].tolist() == ranks
    row = scores.table.iloc[0]
    assert row["transform"] == name
    assert row["accuracy"] == np.mean(np.array(ranks) <= 10)
    assert row["i_b"] == pytest.approx(isoscore_seven_steps(normalize(D))[0], abs=1e-9)
    eigenvalues = np.linalg.eigvalsh(normalize(D).T @ normalize(D))
    length = np.linalg.norm(normalize(D).sum(0))
    expected = (80 - length + eigenvalues[0] / 2) / (80 + length + eigenvalues[-1] / 2)
    assert row["i_a"] == pytest.approx(expected, abs=1e-8)
    assert row["average_cosine"] == pytest.approx((length**2 - 80) / (80 * 79), abs=1e-9)


def test_scores_are_invariant_to_row_lengths_and_rotation():
    questions, documents, gold = random_embeddings(3)
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.standard_normal((6, 6)))
    rotated = questions * rng.uniform(0.2, 5, (30, 1)) @ Q, documents * rng.uniform(0.2, 5, (80, 1)) @ Q
    a, b = (transformed_scores(variant(*rows), gold) for rows in ((questions, documents), rotated))
    keep = ~a.table["transform"].isin(["standardized"])  # depends on the axes
    np.testing.assert_allclose(a.table[keep].iloc[:, 1:], b.table[keep].iloc[:, 1:], atol=1e-9)
