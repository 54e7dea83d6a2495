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
    apart = np.abs(np.arange(n_grades)[:, None] - np.arange(n_grades))
    weights = np.where(apart > 0, apart, np.nan) ** power
    weights[apart == 0] = 0
    return 1 - (weights * observed).sum() / (weights * expected).sum()


def test_agreement_is_cohens_formula():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 4, size=300)
    second = np.clip(first + rng.integers(-1, 2, size=300), 0, 3)
    found = agreement(first, second)
    assert found == {
        "n": 300,
        "equal": pytest.approx(np.mean(first == second)),
        "kappa": pytest.approx(kappa(first, second, 4, power=0)),
        "weighted_kappa": pytest.approx(kappa(first, second, 4)),
    }


def test_grades_are_the_mean_rounded_down():
    for table, name, low, high in ((relevance(), "grade", 0, 3), (question_ratings(), "rating", 1, 5)):
        both = table[["first", "second"]].to_numpy()
        assert both.min() >= low
        assert both.max() <= high
        assert (table[name] == np.floor(both.mean(axis=1))).all()


def test_pairs_are_different_and_known_and_hold_what_is_printed_under_a_question():
    asked, paragraphs = open_vswitch()
    pairs = relevance()
    assert not pairs.duplicated(["question", "document"]).any()
    assert set(pairs["question"]) == set(asked["id"])
    assert set(pairs["document"]) <= set(paragraphs["id"])
    judged = set(zip(pairs["question"], pairs["document"], strict=True))
    for key, answer in zip(asked["id"], asked["answer"], strict=True):
        assert {(key, document) for document in answer} <= judged


def test_they_are_of_todays_texts():
    asked, paragraphs = open_vswitch()
    texts = relevance().attrs["texts"]
    assert texts["questions"] == text_hash(asked["question"].to_list())
    assert texts["documents"] == text_hash(paragraphs["text"].to_list())
    assert question_ratings().attrs["texts"]["questions"] == text_hash(questions()["question"].to_list())


def test_graded_answers_are_those_of_the_pairs():
    texts, grades, answered = judged_open_vswitch()
    asked, paragraphs = open_vswitch()
    assert sorted(grades) == list(range(len(answered)))
    assert len(texts.questions) == len(asked)
    pairs = relevance().set_index(["question", "document"])["grade"]
    for row, place in enumerate(answered):
        key = asked["id"][place]
        of_pairs = {document: grade for document, grade in pairs[key].items() if grade > 0}
        assert {paragraphs["id"][document]: grade for document, grade in grades[row].items()} == of_pairs
        assert max(of_pairs.values()) >= ANSWERS
    left_out = set(asked["id"]) - set(asked["id"][answered])
    assert all(pairs[key].max() < ANSWERS for key in left_out)
    assert len(left_out) == 1
