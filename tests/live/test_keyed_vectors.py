"""Comparison of `KeyedVectors` in the browser with gensim's."""

from typing import Any

import gensim.models
import numpy as np
import pytest

from tests.conftest import script_module

keyed_vectors = script_module("keyed_vectors", "book/_live")

WORDS = [f"word{i}" for i in range(60)]
ROWS = np.random.default_rng(0).standard_normal((60, 8))


def actual_and_expected() -> list[Any]:
    both = [module.KeyedVectors(8) for module in (keyed_vectors, gensim.models)]
    for vectors in both:
        vectors.add_vectors(WORDS[:40], ROWS[:40])
        vectors.add_vectors(WORDS[40:], ROWS[40:])
    return both


@pytest.mark.parametrize("replace", [False, True])
def test_words_and_rows_equal_gensim(replace: bool) -> None:
    actual, expected = actual_and_expected()
    for vectors in (actual, expected):
        vectors.add_vectors([WORDS[3], "new"], ROWS[:2], replace=replace)
    assert (len(actual), actual.index_to_key) == (len(expected), list(expected.index_to_key))
    assert actual.key_to_index == dict(expected.key_to_index)
    assert actual.vectors.dtype == expected.vectors.dtype
    np.testing.assert_array_equal(actual.vectors, expected.vectors)
    for vectors in (actual, expected):
        assert "new" in vectors
        assert "none" not in vectors
        with pytest.raises(KeyError, match="none"):
            vectors["none"]
    np.testing.assert_array_equal(actual["new"], expected["new"])
    np.testing.assert_array_equal(actual[WORDS[:5]], expected[WORDS[:5]])
    units = [vectors.get_vector("new", norm=True) for vectors in (actual, expected)]
    np.testing.assert_allclose(*units, rtol=1e-6)


@pytest.mark.parametrize(
    "query", [{"positive": "word7"}, {"positive": ["word7", "word9"], "negative": ["word1"], "topn": 5}]
)
def test_nearest_words_equal_gensim(query: dict[str, Any]) -> None:
    actual, expected = actual_and_expected()
    (words, cosines), (expected_words, expected_cosines) = (
        zip(*vectors.most_similar(**query), strict=True) for vectors in (actual, expected)
    )
    assert words == expected_words
    np.testing.assert_allclose(cosines, expected_cosines, atol=1e-6)
    similarity = float(expected.similarity("word1", "word2"))
    assert actual.similarity("word1", "word2") == pytest.approx(similarity, abs=1e-6)
