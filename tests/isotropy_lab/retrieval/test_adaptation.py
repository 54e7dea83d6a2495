"""Tests that the linear adapter minimizes its objective, and that cross-fitting does not leak answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize

from isotropy_lab.retrieval import LinearAdapter, adaptation, cross_fitted
from isotropy_lab.retrieval.adaptation import folds


@pytest.fixture
def domain():
    """Return questions at a fixed rotation from their answers, with noise."""
    rng = np.random.default_rng(1)
    documents = normalize(rng.standard_normal((120, 12)))
    gold = rng.permutation(120)[:60]
    rotation = np.linalg.qr(np.eye(12) + 0.4 * rng.standard_normal((12, 12)))[0]
    questions = normalize(documents[gold] @ rotation + 0.15 * rng.standard_normal((60, 12)))
    return questions, documents, gold


def objective(W, questions, documents, gold, scale, strength):
    """Compute the objective from its formula, one question at a time."""
    loss = 0.0
    for q, g in zip(questions, gold, strict=True):
        scores = scale * documents @ W.T @ q
        loss += np.log(np.sum(np.exp(scores))) - scores[g]
    return loss / len(questions) + strength / 2 * np.sum((W - np.eye(len(W))) ** 2)


def gradient(W, questions, documents, gold, scale, strength):
    total = np.zeros_like(W)
    for q, g in zip(questions, gold, strict=True):
        weights = np.exp(scale * documents @ W.T @ q)
        weights /= weights.sum()
        total += scale * np.outer(q, weights @ documents - documents[g])
    return total / len(questions) + strength * (W - np.eye(len(W)))


@pytest.mark.parametrize(("scale", "strength"), [(20.0, 0.1), (5.0, 0.01), (20.0, 3.0)])
def test_fitted_map_minimizes_the_objective(domain, scale, strength):
    adapter = LinearAdapter(scale=scale, strength=strength).fit(*domain)
    minimum = objective(adapter.weights_, *domain, scale, strength)
    # The objective has curvature of at least `strength`, which bounds the distance to the minimum.
    slope = np.linalg.norm(gradient(adapter.weights_, *domain, scale, strength))
    assert slope / strength < 0.05 * np.linalg.norm(adapter.weights_ - np.eye(12))
    rng = np.random.default_rng(0)
    for _ in range(10):
        step = 0.1 * rng.standard_normal((12, 12))
        assert objective(adapter.weights_ + step, *domain, scale, strength) > minimum


def test_too_few_iterations_cause_a_warning(domain, monkeypatch):
    monkeypatch.setattr(adaptation, "_MAX_ITERATIONS", 1)
    with pytest.warns(ConvergenceWarning, match="no minimum in 1 iterations") as warned:
        LinearAdapter().fit(*domain)
    assert warned[0].filename == __file__


def test_cross_fitting_equals_fitting_by_fold(domain):
    questions, documents, gold = domain
    fold_numbers = folds(gold, n_folds=3)
    adapter = LinearAdapter(strength=3.0)
    mapped = cross_fitted(questions, documents, gold, fold_numbers, adapter=adapter)
    for k in range(3):
        in_fold = fold_numbers == k
        expected = adapter.fit(questions[~in_fold], documents, gold[~in_fold]).transform(questions[in_fold])
        np.testing.assert_array_equal(mapped[in_fold], expected)


def test_folds_that_share_a_document_are_refused(domain):
    questions, documents, gold = domain
    gold = gold.copy()
    gold[1] = gold[0]
    with pytest.raises(ValueError, match=f"document {gold[0]}"):
        cross_fitted(questions, documents, gold, np.arange(60) % 5)
    cross_fitted(questions, documents, gold, folds(gold))
    assert LinearAdapter().fit(questions[:2], documents[:2], [0, 1]).weights_.shape == (12, 12)


def test_several_relevant_documents_share_the_weight_of_a_question(domain, monkeypatch):
    questions, documents, gold = domain
    # Each question has its relevant document and up to two more, some of which questions share.
    rng = np.random.default_rng(0)
    rows = [[int(g), *(int(x) for x in rng.permutation(40)[: rng.integers(3)] if x != g)] for g in gold]
    rows[0] = [0, 7, 9]
    adapter = LinearAdapter(strength=0.05).fit(questions, documents, rows)

    def mean_over_answers(function, W):
        total = 0
        for q, answers in zip(questions, rows, strict=True):
            total = total + sum(function(W, [q], documents, [g], 20.0, 0.0) for g in answers) / len(answers)
        return total / len(questions)

    W, identity = adapter.weights_, np.eye(12)
    slope = np.linalg.norm(mean_over_answers(gradient, W) + 0.05 * (W - identity))
    assert slope / 0.05 < 0.05 * np.linalg.norm(W - identity)
    minimum = mean_over_answers(objective, W) + 0.05 / 2 * np.sum((W - identity) ** 2)
    rng = np.random.default_rng(0)
    for _ in range(5):
        perturbed = W + 0.1 * rng.standard_normal((12, 12))
        penalty = 0.05 / 2 * np.sum((perturbed - identity) ** 2)
        assert mean_over_answers(objective, perturbed) + penalty > minimum
    grades = {i: {g: 1 + g % 3 for g in row} | {119 - (119 in row): 0} for i, row in enumerate(rows)}
    graded = LinearAdapter(strength=0.05).fit(questions, documents, grades)
    np.testing.assert_array_equal(graded.weights_, W)
    monkeypatch.setattr("isotropy_lab.retrieval.adaptation._CHUNK_ENTRIES", 7 * 120)
    chunked = LinearAdapter(strength=0.05).fit(questions, documents, rows)
    # float32 sums of other chunks, and a minimum that is flatter than with the default strength
    np.testing.assert_allclose(chunked.weights_, W, atol=5e-4)


def test_folds_balance_large_groups_and_strata():
    assert np.bincount(folds(np.repeat(range(4), [1, 2, 3, 6]), n_folds=2)).tolist() == [6, 6]
    assert len(set(folds([0, 0, 0, 1, 2, 3], strata=[0, 0, 0, 0, 1, 1], n_folds=2)[4:])) == 2


@settings(max_examples=40, deadline=None)
@given(
    groups=hnp.arrays(np.int64, st.integers(2, 60), elements=st.integers(0, 25)),
    n_folds=st.integers(2, 6),
    seed=st.integers(0, 99),
)
def test_folds_keep_groups_together_and_are_balanced(groups, n_folds, seed):
    labels, sizes = np.unique(groups, return_counts=True)
    if len(labels) < n_folds:
        with pytest.raises(ValueError, match="n_folds"):
            folds(groups, n_folds=n_folds)
        return
    fold_numbers = folds(groups, n_folds=n_folds, rng=seed)
    assert fold_numbers.dtype == np.int64
    assert all(len(set(fold_numbers[groups == label])) == 1 for label in labels)
    counts = np.bincount(fold_numbers, minlength=n_folds)
    assert counts.min() >= 1
    assert counts.max() - counts.min() <= sizes.max()
    order = np.random.default_rng(seed).permutation(len(groups))
    np.testing.assert_array_equal(folds(groups[order], n_folds=n_folds, rng=seed), fold_numbers[order])


@settings(max_examples=40, deadline=None)
@given(strata=hnp.arrays(np.int64, st.integers(5, 80), elements=st.integers(0, 6)), seed=st.integers(0, 99))
def test_folds_spread_strata_evenly(strata, seed):
    fold_numbers = folds(np.arange(len(strata)), strata=strata, rng=seed)
    for stratum in np.unique(strata):
        counts = np.bincount(fold_numbers[strata == stratum], minlength=5)
        assert counts.max() - counts.min() <= 1
    counts = np.bincount(fold_numbers, minlength=5)
    assert counts.max() - counts.min() <= 1
