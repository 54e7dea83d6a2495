"""Tests of lookups of word vectors, and their errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotropy_report.io import WordVectors

X = np.arange(12, dtype=np.float32).reshape(4, 3)
WORDS = ["cat", "Käse", "dog", "car"]


@pytest.fixture
def vectors():
    return WordVectors(WORDS, X)


def test_lookup_of_words_and_lists_returns_rows(vectors):
    np.testing.assert_array_equal(vectors["Käse"], X[1])
    np.testing.assert_array_equal(vectors[["dog", "cat", "dog"]], X[[2, 0, 2]])
    np.testing.assert_array_equal(vectors[("car",)], X[3:])
    assert vectors[[]].shape == (0, 3)


def test_array_is_shared_and_read_only(vectors):
    assert np.shares_memory(vectors.vectors, X)
    assert X.flags.writeable  # the caller's own array stays as it is
    with pytest.raises(ValueError, match="read-only"):
        vectors.vectors[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        vectors["cat"][0] = 1


@pytest.mark.parametrize("words", ["caat", ["dog", "caat"]])
def test_error_suggests_words_with_similar_spellings(vectors, words):
    with pytest.raises(KeyError, match=r"'caat' is not among the 4 words .near it: cat, car"):
        vectors[words]
    with pytest.raises(KeyError, match=r"'zebra' is not among the 4 words\"$"):
        vectors["zebra"]


@given(st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_lookup_returns_the_row_of_each_word(words):
    rows = np.arange(len(words), dtype=float)[:, None]
    vectors = WordVectors(words, rows)
    assert [float(vectors[word][0]) for word in words] == list(range(len(words)))
    np.testing.assert_array_equal(vectors[words], rows)
