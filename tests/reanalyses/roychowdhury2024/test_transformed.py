"""Tests of isotropy and accuracy under transformations fitted on documents and applied to both sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import normalize

from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.transformed import TRANSFORMS, transformed_scores
from tests.oracles import isoscore_seven_steps


def embeddings(seed, n_documents=80, n=6, noise=0.7):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((n_documents, n)) * rng.uniform(0.5, 3, n) + rng.standard_normal(n)
    gold = rng.integers(0, n_documents, 30)
    return documents[gold] + noise * rng.standard_normal((30, n)), documents, gold


def variant(questions, documents):
    return EmbeddingVariant("made up", "x", questions, (documents,), np.zeros(30, dtype=np.int64))


def by_hand(Q, D, name):
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
def test_agrees_with_textbook_formulas(name, seed):
    questions, documents, gold = embeddings(seed)
    found = transformed_scores(variant(questions, documents), gold, transforms=[name])
    Q, D = by_hand(questions, documents, name)
    similarities = normalize(Q) @ normalize(D).T
    ranks = [1 + (row > row[g] + 1e-9).sum() for row, g in zip(similarities, gold, strict=True)]
    assert found.ranks[name].tolist() == ranks
    row = found.table.iloc[0]
    assert row["transform"] == name
    assert row["accuracy"] == np.mean(np.array(ranks) <= 10)
    assert row["i_b"] == pytest.approx(isoscore_seven_steps(normalize(D))[0], abs=1e-9)
    second = np.linalg.eigvalsh(normalize(D).T @ normalize(D))
    length = np.linalg.norm(normalize(D).sum(0))
    expected = (80 - length + second[0] / 2) / (80 + length + second[-1] / 2)
    assert row["i_a"] == pytest.approx(expected, abs=1e-8)
    assert row["average_cosine"] == pytest.approx((length**2 - 80) / (80 * 79), abs=1e-9)


def test_the_lengths_of_rows_and_a_rotation_change_nothing():
    questions, documents, gold = embeddings(3)
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.standard_normal((6, 6)))
    turned = questions * rng.uniform(0.2, 5, (30, 1)) @ Q, documents * rng.uniform(0.2, 5, (80, 1)) @ Q
    a, b = (transformed_scores(variant(*rows), gold) for rows in ((questions, documents), turned))
    kept = ~a.table["transform"].isin(["standardized"])  # which has the axes as it finds them
    np.testing.assert_allclose(a.table[kept].iloc[:, 1:], b.table[kept].iloc[:, 1:], atol=1e-9)
