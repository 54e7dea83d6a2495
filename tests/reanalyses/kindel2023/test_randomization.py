"""Tests of exact nulls of two words against loops over the same words."""

import numpy as np
import pytest

from isotropy_lab._core.rows import unit_rows
from reanalyses.kindel2023 import experiments
from reanalyses.kindel2023.experiments.spaces import other_words

SPACE = "glove-weat"


@pytest.fixture(scope="module")
def pool() -> np.ndarray:
    return unit_rows(other_words(SPACE, 400)[1])


@pytest.mark.parametrize(("first", "second"), [("she", "awful"), ("male", "awful")])
def test_two_word_nulls_equal_loops_over_words_and_pairs(first: str, second: str, pool: np.ndarray) -> None:
    table = experiments.two_word_nulls(first, second, space=SPACE, sizes=(400,)).set_index("null")
    keyed = experiments.word_vectors(SPACE)
    a, b = (keyed[word].astype(np.float64) for word in (first, second))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    cosine = a @ b
    pairs = [pool[i] @ pool[j] for i in range(len(pool)) for j in range(i)]
    for null, cosines in (("first random", pool @ b), ("second random", pool @ a), ("both random", pairs)):
        row = table.loc[null]
        assert row["cosine"] == pytest.approx(cosine, abs=1e-14)
        assert row["count"] == len(cosines)
        assert row["n_at_least"] == sum(c >= cosine for c in cosines)
        assert row["share"] == row["n_at_least"] / row["count"]
        assert row["mean"] == pytest.approx(np.mean(cosines), abs=1e-12)


def test_two_word_nulls_with_a_negative_cosine() -> None:
    from gensim.models import KeyedVectors

    keyed = KeyedVectors(2)
    angles = np.radians([0, 120, 10, 70, 150, 260])
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    keyed.add_vectors(["male", "female", "p", "q", "r", "s"], vectors)
    keyed.add_vectors(["pleasure", "agony"], vectors[:2])
    table = experiments.two_word_nulls("male", "female", space=keyed, sizes=(8,)).set_index("null")
    # The pool has 10°, 70°, 150°, and 260°. The two words are at 120°, so smaller angles count.
    assert table["count"].tolist() == [4, 4, 6]
    assert table["n_at_least"].tolist() == [3, 3, 4]
