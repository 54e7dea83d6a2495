"""Comparison of `KeyedVectors` in the browser with gensim's."""

from typing import Any

import gensim.models
import numpy as np
import pytest

from tests.conftest import script_module

ours = script_module("keyed_vectors", "book/_live")

WORDS = [f"word{i}" for i in range(60)]
ROWS = np.random.default_rng(0).standard_normal((60, 8))


def both() -> list[Any]:
    found = [module.KeyedVectors(8) for module in (ours, gensim.models)]
    for vectors in found:
        vectors.add_vectors(WORDS[:40], ROWS[:40])
        vectors.add_vectors(WORDS[40:], ROWS[40:])
    return found


@pytest.mark.parametrize("replace", [False, True])
def test_words_and_rows(replace: bool) -> None:
    found = both()
    for vectors in found:
        vectors.add_vectors([WORDS[3], "new"], ROWS[:2], replace=replace)
    one, other = found
    assert (len(one), one.index_to_key, one.key_to_index) == (
        len(other), list(other.index_to_key), dict(other.key_to_index),
    )  # fmt: skip
    assert one.vectors.dtype == other.vectors.dtype
    np.testing.assert_array_equal(one.vectors, other.vectors)
    for vectors in found:
        assert "new" in vectors
        assert "none" not in vectors
        with pytest.raises(KeyError, match="none"):
            vectors["none"]
    np.testing.assert_array_equal(one["new"], other["new"])
    np.testing.assert_array_equal(one[WORDS[:5]], other[WORDS[:5]])
    np.testing.assert_allclose(
        one.get_vector("new", norm=True), other.get_vector("new", norm=True), rtol=1e-6
    )


@pytest.mark.parametrize(
    "asked", [{"positive": "word7"}, {"positive": ["word7", "word9"], "negative": ["word1"], "topn": 5}]
)
def test_nearest_words(asked: dict[str, Any]) -> None:
    (one, ours_near), (other, theirs_near) = [(v, v.most_similar(**asked)) for v in both()]
    assert [word for word, _ in ours_near] == [word for word, _ in theirs_near]
    np.testing.assert_allclose([c for _, c in ours_near], [c for _, c in theirs_near], atol=1e-6)
    assert one.similarity("word1", "word2") == pytest.approx(
        float(other.similarity("word1", "word2")), abs=1e-6
    )
