"""Tests of centroids of growing lists against a loop and against proven properties."""

import itertools

import numpy as np
import pytest
from gensim.models import KeyedVectors

from isotropy_lab.association import keywords
from reanalyses.kindel2023 import experiments
from tests.oracles import cosine

SPACE = "googlenews-weat"


def lists_in(p: int, shift: float) -> KeyedVectors:
    """Return the words of the gender-sentiment lists as random vectors around a common direction."""
    words = sorted(
        {word for role in "ABCD" for word in getattr(keywords.load("gender-sentiment"), role).words()}
    )
    rows = np.random.default_rng(3).standard_normal((len(words), p)) + shift
    keyed = KeyedVectors(p)
    keyed.add_vectors(words, rows.astype(np.float32))
    return keyed


def test_means_over_sublists_are_those_of_a_loop() -> None:
    table = experiments.separability_by_k(SPACE).set_index(["centroid_of", "k"])
    lists = experiments.list_vectors(SPACE)
    own, others, separable = [], [], []
    for chosen in itertools.combinations(lists["A"], 3):
        centroid = np.mean(chosen, axis=0)
        near, far = ([cosine(word, centroid) for word in part] for part in (chosen, lists["B"]))
        own.append(np.mean(near))
        others.append(np.mean(far))
        separable.append(min(near) > max(far))
    row = table.loc[("male", 3)]
    assert row["own"] == pytest.approx(np.mean(own), abs=1e-12)
    assert row["others"] == pytest.approx(np.mean(others), abs=1e-12)
    assert row["separable"] == pytest.approx(np.mean(separable), abs=1e-12)


@pytest.mark.parametrize("shift", [-0.3, 0.0, 0.5])
def test_a_centroid_of_one_word_is_that_word_and_more_words_are_farther_from_it(shift: float) -> None:
    table = experiments.separability_by_k(lists_in(12, shift))
    for _, part in table.groupby("centroid_of"):
        assert part["own"].iloc[0] == pytest.approx(1.0)
        assert part["separable"].iloc[0] == 1.0
        # Proved for unit vectors; these differ in length by less than a factor of three.
        assert (np.diff(part["own"]) < 0).all()
