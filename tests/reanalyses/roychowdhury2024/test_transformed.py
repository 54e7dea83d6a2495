"""Tests of isotropy and accuracy under transformations fitted on documents and applied to both sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reanalyses.roychowdhury2024.transformed import transformed_scores
from tests.oracles import isoscore_seven_steps

NAMES = ["baseline", "standardized", "whitened", "all-but-the-top", "centered"]


def embeddings(seed, n_documents=80, n=6, noise=0.7):
    rng = np.random.default_rng(seed)
    documents = rng.standard_normal((n_documents, n)) * rng.uniform(0.5, 3, n) + rng.standard_normal(n)
    gold = rng.integers(0, n_documents, 30)
    return documents[gold] + noise * rng.standard_normal((30, n)), documents, gold


def units(x):
    return x / np.linalg.norm(x, axis=1)[:, None]


def by_hand(Q, D, name):
    """Apply the transformations by textbook formulas to normalized rows."""
    Q, D = units(Q), units(D)
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


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), renormalize=st.booleans())
def test_agrees_with_textbook_formulas(name, seed, renormalize):
    questions, documents, gold = embeddings(seed)
    found = transformed_scores(questions, documents, gold, transforms=[name], k=3, renormalize=renormalize)
    Q, D = by_hand(questions, documents, name)
    similarities = units(Q) @ units(D).T
    ranks = [1 + (row > row[g] + 1e-9).sum() for row, g in zip(similarities, gold, strict=True)]
    assert found.ranks[name].tolist() == ranks
    measured = units(D) if renormalize else D
    row = found.table.iloc[0]
    assert row["transform"] == name
    assert row["accuracy"] == np.mean(np.array(ranks) <= 3)
    assert row["i_b"] == pytest.approx(isoscore_seven_steps(measured)[0], abs=1e-9)
    second = np.linalg.eigvalsh(measured.T @ measured)
    length = np.linalg.norm(measured.sum(0))
    expected = (80 - length + second[0] / 2) / (80 + length + second[-1] / 2)
    assert row["i_a"] == pytest.approx(expected, abs=1e-8)


def test_whitened_documents_are_isotropic_by_construction_and_not_after_renormalization():
    # Whatever the embeddings, here far from any symmetry.
    questions, documents, gold = embeddings(1, n_documents=300)
    documents = documents**3
    raw = transformed_scores(
        questions, documents, gold, transforms=["whitened"], renormalize=False
    ).table.iloc[0]
    assert raw["i_b"] == pytest.approx(1, abs=1e-10)
    # Mean 0 and all eigenvalues N − 1: (N + (N − 1)/2)/(N + (N − 1)/2).
    assert raw["i_a"] == pytest.approx(1, abs=1e-10)
    unit = transformed_scores(questions, documents, gold, transforms=["whitened"]).table.iloc[0]
    assert unit["i_b"] < 0.999
    assert unit["i_a"] < 0.95
    assert unit["accuracy"] == raw["accuracy"]
    # A floor that bites leaves less.
    floored = transformed_scores(
        questions, documents, gold, transforms=["whitened"], renormalize=False, floor=0.5
    )
    assert floored.table["i_b"].iloc[0] < 0.999


def test_centering_leaves_isoscore_alone_until_rows_are_renormalized():
    questions, documents, gold = embeddings(2)
    table = transformed_scores(
        questions, documents, gold, transforms=["baseline", "centered"], renormalize=False
    ).table.set_index("transform")
    assert table.loc["centered", "i_b"] == pytest.approx(table.loc["baseline", "i_b"], abs=1e-12)
    assert table.loc["centered", "i_a"] > table.loc["baseline", "i_a"]


def test_the_lengths_of_rows_and_a_rotation_change_nothing():
    questions, documents, gold = embeddings(3)
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.standard_normal((6, 6)))
    a = transformed_scores(questions, documents, gold)
    b = transformed_scores(
        questions * rng.uniform(0.2, 5, (30, 1)) @ Q, documents * rng.uniform(0.2, 5, (80, 1)) @ Q, gold
    )
    kept = ~a.table["transform"].isin(["standardized"])  # which has the axes as it finds them
    np.testing.assert_allclose(a.table[kept].iloc[:, 1:], b.table[kept].iloc[:, 1:], atol=1e-9)
