"""Comparison of lexical search with simple versions of its formulas, and of ranks with the package."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.retrieval import question_scores, relevant_ranks
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.experiments.grouped_accuracy import accuracy_of_groups
from reanalyses.roychowdhury2024.experiments.lexical import (
    bm25_ranks,
    encoder_ranks,
    fuse_ranks,
    ranks_of_relevant,
    stems,
    word_overlap,
)
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, some_variants

WORDS = ["router", "packet", "bridge", "tunnel", "label", "queue", "timer", "zebra"]


def some_texts(n, seed, longest=9):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS[:-1], size=rng.integers(1, longest))) for _ in range(n)]


def bm25_score(question, document, documents, k1=1.5, b=0.75):
    """Return Lucene's BM25 score, word by word."""
    counted = [Counter(words) for words in documents]
    length = sum(map(len, documents)) / len(documents)
    total = 0.0
    for word in question:
        n = sum(word in counts for counts in counted)
        tf = Counter(document)[word]
        if n:
            idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
            total += idf * tf / (tf + k1 * (1 - b + b * len(document) / length))
    return total


def test_bm25_is_its_formula():
    questions, documents = [*some_texts(12, 0, 4), "zebra"], some_texts(40, 1)
    found = bm25_ranks(questions, documents)
    asked, said = stems(questions), stems(documents)
    for row, words in enumerate(asked):
        scores = np.array([bm25_score(words, document, said) for document in said])
        assert ((found[row] > 0) == (scores > 0)).all()
        order = np.argsort(found[row][scores > 0])
        assert (np.diff(scores[scores > 0][order]) <= 1e-9).all()
        assert sorted(found[row][scores > 0]) == list(range(1, (scores > 0).sum() + 1))
    assert not found[-1].any()  # no document has a zebra


def test_equal_scores_keep_the_order_of_the_documents():
    found = bm25_ranks(["tunnel"], ["a router", "the tunnel", "a tunnel", "one tunnel"])
    assert found[0].tolist()[:3] == [0, 1, 2]


@pytest.mark.parametrize("number", [0, 6, 7])  # one model, two, three
def test_ranks_by_an_encoder_are_those_of_the_package(number):
    variant = some_variants()[number]
    gold = np.stack([GOLD, (GOLD + 1) % 150], axis=1)
    found = ranks_of_relevant(encoder_ranks(variant), gold)
    assert (found.best == np.minimum(variant.ranks(GOLD), variant.ranks(gold[:, 1]))).all()
    for part, asked, documents in variant.parts():
        expected = relevant_ranks(asked, documents, gold[part])
        for name in ("ranks", "grades", "documents"):
            assert (getattr(found, name)[part] == getattr(expected, name)).all(), name


def test_ties_go_to_the_lower_index_and_grades_stay_with_their_documents():
    rng = np.random.default_rng(0)
    documents = np.repeat(rng.standard_normal((5, 4)), 2, axis=0)
    questions = rng.standard_normal((3, 4))
    gold = {0: {3: 2, 2: 1, 9: 3}, 1: {0: 1}, 2: {5: 3, 4: 3}}
    variant = EmbeddingVariant("v", "f", questions, (documents,), np.zeros(3, dtype=np.int64))
    found, expected = (
        ranks_of_relevant(encoder_ranks(variant), gold),
        relevant_ranks(questions, documents, gold),
    )
    for name in ("ranks", "grades", "documents"):
        assert (getattr(found, name) == getattr(expected, name)).all(), name


def test_what_is_not_listed_comes_last_and_scores_nothing():
    found = ranks_of_relevant(np.array([[0, 2, 1], [0, 0, 1]]), {0: {0: 3, 1: 2}, 1: {1: 1}})
    assert found.ranks.tolist() == [[2, 0], [0, 0]]
    assert found.grades.tolist() == [[2, 3], [1, 0]]
    assert question_scores(found, "recall", k=10).tolist() == [0.5, 0.0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 8))
def test_fusion_sums_reciprocal_ranks(seed, n):
    rng = np.random.default_rng(seed)
    rankings = [np.array([rng.permutation(n) + 1 for _ in range(2)]) for _ in range(2)]
    rankings[1][0][rankings[1][0] > 2] = 0
    found = fuse_ranks(*rankings)
    for row in range(2):
        sums = [sum(1 / (60 + int(x[row, j])) for x in rankings if x[row, j]) for j in range(n)]
        order = sorted(range(n), key=lambda j: (-round(sums[j], 12), j))
        assert [int(found[row, j]) for j in order] == list(range(1, n + 1))
    assert (fuse_ranks(rankings[0], rankings[0]) == rankings[0]).all()
    assert (fuse_ranks(*rankings) == fuse_ranks(*rankings[::-1])).all()


def test_overlap_counts_different_stems_of_the_question():
    found = word_overlap(
        ["Which packets are bridged?", "tunnel tunnel bridges", "Of the?", "zebra"],
        ["A packet is bridged after packets.", "the tunnel", "of the router", "packet"],
    )
    # "which" is no stop word of the list and stands in no answer
    assert found.tolist() == pytest.approx([2 / 3, 1 / 2, 0, 0])


def test_accuracies_of_groups_average_to_that_of_all():
    rng = np.random.default_rng(3)
    ranks, group = rng.integers(1, 30, size=200), rng.integers(0, 3, size=200)
    table = accuracy_of_groups({"one": ranks}, group, ["a", "b", "c"])
    assert np.average(table["accuracy"], weights=table["n"]) == pytest.approx((ranks <= 10).mean())
    z, n, p = 1.959964, table["n"], table["accuracy"]
    middle, half = (
        (p + z**2 / (2 * n)) / (1 + z**2 / n),
        z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)),
    )
    np.testing.assert_allclose(table["low"], middle - half, rtol=1e-5)
    np.testing.assert_allclose(table["high"], middle + half, rtol=1e-5)
