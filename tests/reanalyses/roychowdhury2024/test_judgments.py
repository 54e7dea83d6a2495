"""Tests that judgments are complete, match the texts, and are combined as recorded."""

import numpy as np
import pytest

from reanalyses.roychowdhury2024.datasets.adapted import text_hash
from reanalyses.roychowdhury2024.datasets.judgments import (
    ANSWERS,
    agreement,
    judged_open_vswitch,
    question_ratings,
    relevance,
)
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.text_collections import open_vswitch


def kappa(first, second, n_grades, power=2):
    """Return Cohen's weighted kappa from two tables of counts; it is unweighted for a power of 0."""
    observed = np.zeros((n_grades, n_grades))
    for a, b in zip(first, second, strict=True):
        observed[a, b] += 1
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0)) / observed.sum()
    distance = np.abs(np.arange(n_grades)[:, None] - np.arange(n_grades))
    weights = np.where(distance > 0, distance, np.nan) ** power
    weights[distance == 0] = 0
    return 1 - (weights * observed).sum() / (weights * expected).sum()


def test_agreement_equals_cohens_kappa():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, size=300)
    second = np.clip(first + rng.integers(-1, 2, size=300), 0, 3)
    result = agreement(first, second)
    assert result == {
        "n": 300,
        "equal": pytest.approx(np.mean(first == second)),
        "kappa": pytest.approx(kappa(first, second, 4, power=0)),
        "weighted_kappa": pytest.approx(kappa(first, second, 4)),
    }


def test_grades_are_means_rounded_down():
    for table, name, low, high in ((relevance(), "grade", 0, 3), (question_ratings(), "rating", 1, 5)):
        ratings = table[["first", "second"]].to_numpy()
        assert ratings.min() >= low
        assert ratings.max() <= high
        assert (table[name] == np.floor(ratings.mean(axis=1))).all()


def test_pairs_are_unique_and_include_published_answers():
    question_table, paragraphs = open_vswitch()
    pairs = relevance()
    assert not pairs.duplicated(["question", "document"]).any()
    assert set(pairs["question"]) == set(question_table["id"])
    assert set(pairs["document"]) <= set(paragraphs["id"])
    judged = set(zip(pairs["question"], pairs["document"], strict=True))
    for key, answer in zip(question_table["id"], question_table["answer"], strict=True):
        assert {(key, document) for document in answer} <= judged


def test_recorded_text_hashes_match_current_texts():
    question_table, paragraphs = open_vswitch()
    texts = relevance().attrs["texts"]
    assert texts["questions"] == text_hash(question_table["question"].to_list())
    assert texts["documents"] == text_hash(paragraphs["text"].to_list())
    assert question_ratings().attrs["texts"]["questions"] == text_hash(questions()["question"].to_list())


def test_graded_answers_agree_with_pairs():
    texts, grades, answered = judged_open_vswitch()
    table, paragraphs = open_vswitch()
    assert sorted(grades) == list(range(len(answered)))
    assert len(texts.questions) == len(table)
    pairs = relevance().set_index(["question", "document"])["grade"]
    for row, question in enumerate(answered):
        key = table["id"][question]
        relevant = {document: grade for document, grade in pairs[key].items() if grade > 0}
        assert {paragraphs["id"][document]: grade for document, grade in grades[row].items()} == relevant
        assert max(relevant.values()) >= ANSWERS
    unanswered = set(table["id"]) - set(table["id"][answered])
    assert all(pairs[key].max() < ANSWERS for key in unanswered)
    assert len(unanswered) == 1
