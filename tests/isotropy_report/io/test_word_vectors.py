"""Tests of words with vectors: lookup, and errors."""

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


def test_rows_by_word_and_by_list(vectors):
    np.testing.assert_array_equal(vectors["Käse"], X[1])
    np.testing.assert_array_equal(vectors[["dog", "cat", "dog"]], X[[2, 0, 2]])
    np.testing.assert_array_equal(vectors[("car",)], X[3:])
    assert vectors[[]].shape == (0, 3)


def test_the_array_is_shared_and_cannot_be_written_to(vectors):
    assert np.shares_memory(vectors.vectors, X)
    assert X.flags.writeable  # the caller's own array stays as it is
    with pytest.raises(ValueError, match="read-only"):
        vectors.vectors[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        vectors["cat"][0] = 1


@pytest.mark.parametrize("asked", ["caat", ["dog", "caat"]])
def test_a_missing_word_is_named_with_those_near_it(vectors, asked):
    with pytest.raises(KeyError, match=r"'caat' is not among the 4 words .near it: cat, car"):
        vectors[asked]
    with pytest.raises(KeyError, match=r"'zebra' is not among the 4 words\"$"):
        vectors["zebra"]


@given(st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_every_word_gives_its_own_row(words):
    rows = np.arange(len(words), dtype=float)[:, None]
    vectors = WordVectors(words, rows)
    assert [float(vectors[word][0]) for word in words] == list(range(len(words)))
    np.testing.assert_array_equal(vectors[words], rows)
