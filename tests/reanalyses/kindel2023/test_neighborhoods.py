"""Tests of centroids of growing lists against a loop and proved properties."""

import itertools

import numpy as np
import pytest
from gensim.models import KeyedVectors

from isotropy_lab.association import keywords
from reanalyses.kindel2023 import experiments
from tests.oracles import cosine

SPACE = "googlenews-weat"


def random_word_vectors(p: int, shift: float) -> KeyedVectors:
    """Return the words of the gender-sentiment lists as random vectors around a common direction."""
    words = sorted(
        {word for role in "ABCD" for word in getattr(keywords.load("gender-sentiment"), role).words()}
    )
    rows = np.random.default_rng(3).standard_normal((len(words), p)) + shift
    keyed = KeyedVectors(p)
    keyed.add_vectors(words, rows.astype(np.float32))
    return keyed


def test_separability_means_equal_a_loop() -> None:
    table = experiments.separability_by_k(SPACE).set_index(["centroid_of", "k"])
    lists = experiments.list_vectors(SPACE)
    own_means, other_means, separable = [], [], []
    for chosen in itertools.combinations(lists["A"], 3):
        centroid = np.mean(chosen, axis=0)
        inside, outside = ([cosine(word, centroid) for word in words] for words in (chosen, lists["B"]))
        own_means.append(np.mean(inside))
        other_means.append(np.mean(outside))
        separable.append(min(inside) > max(outside))
    row = table.loc[("male", 3)]
    assert row["own"] == pytest.approx(np.mean(own_means), abs=1e-12)
    assert row["others"] == pytest.approx(np.mean(other_means), abs=1e-12)
    assert row["separable"] == pytest.approx(np.mean(separable), abs=1e-12)


@pytest.mark.parametrize("shift", [-0.3, 0.0, 0.5])
def test_own_similarity_decreases_with_list_length(shift: float) -> None:
    table = experiments.separability_by_k(random_word_vectors(12, shift))
    for _, rows in table.groupby("centroid_of"):
        assert rows["own"].iloc[0] == pytest.approx(1.0)
        assert rows["separable"].iloc[0] == 1.0
        # Proved for unit vectors; these differ in length by less than a factor of three.
        assert (np.diff(rows["own"]) < 0).all()
