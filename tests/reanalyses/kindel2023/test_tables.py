"""Tests of small tables: the supplement's remarks, and its regressions on the gender-sentiment example."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.association import keywords
from isotropy_lab.association.cosine import cosine_similarities
from reanalyses.kindel2023 import experiments

SPACE = "googlenews-weat"


def test_estimators_are_what_their_names_say() -> None:
    table = experiments.estimators_table(SPACE)
    a, c = (experiments.list_vectors(SPACE)[role] for role in "AC")
    cosines, row = cosine_similarities(a, c), table.iloc[0]
    assert row["grand_mean"] == pytest.approx(cosines.mean(), abs=1e-14)
    assert row["paired"] == pytest.approx(np.diagonal(cosines).mean(), abs=1e-14)
    pairings = [cosines[range(8), list(order)].mean() for order in itertools.permutations(range(8))]
    assert row["paired_minimum"] == pytest.approx(min(pairings), abs=1e-12)
    assert row["paired_maximum"] == pytest.approx(max(pairings), abs=1e-12)
    assert row["paired_deviation"] == pytest.approx(np.std(pairings), abs=1e-12)
    centroid = c.mean(axis=0)
    expected = (a @ centroid / np.linalg.norm(a, axis=1) / np.linalg.norm(centroid)).mean()
    assert row["centroid"] == pytest.approx(expected, abs=1e-12)
    within = [cosine_similarities(x, x).mean() for x in (a, c)]
    assert row["normalized"] == pytest.approx(cosines.mean() / np.sqrt(np.prod(within)), abs=1e-12)


def test_separability_counts_the_words_nearer_to_a_centroid() -> None:
    table = experiments.separability_table(SPACE).set_index("lists")
    assert len(table) == 8
    lists = experiments.list_vectors(SPACE)
    a, c = lists["A"], lists["C"]
    tested = [w for k in keywords.load("gender-sentiment").lists.values() for w in k.words()]
    _, pool = experiments.pool_words(SPACE, without=tested)
    everything = np.concatenate([pool, *lists.values()])
    for label, own, other in (("pleasant / male", a, c), ("male / pleasant", c, a)):
        center = own.mean(axis=0)
        cosine = [
            x @ center / np.linalg.norm(x, axis=1) / np.linalg.norm(center) for x in (own, other, everything)
        ]
        row = table.loc[label]
        assert row["rank"] == 1 + (cosine[0] > cosine[1].max()).sum()
        assert row["separable"] == (cosine[0].min() > cosine[1].max())
        assert row["n_closer"] == (cosine[2] > cosine[0].min() + 1e-12).sum()
        assert row["log10_subspaces"] == pytest.approx(math.log10(math.comb(row["n_closer"], 8)))


@pytest.fixture(scope="module")
def story() -> pd.DataFrame:
    return experiments.binary_regressions(SPACE)


def coefficient(story: pd.DataFrame, model: str, symbol: str, design: str = "pleasant") -> float:
    chosen = story.query("design == @design and model == @model and symbol == @symbol")["estimate"]
    assert len(chosen) == 1
    return float(chosen.iloc[0])


def test_models_of_the_story_are_least_squares(story: pd.DataFrame) -> None:
    pairs = experiments.design_pairs(SPACE)
    X, lnw, cosine = (pairs[name].to_numpy(dtype=float) for name in ("X", "lnw", "cosine"))
    ones = np.ones(len(pairs))
    by_hand = {
        "difference in cosines": (cosine, np.stack([ones, X]), ("α0*", "α1*")),
        "corrected ratio": (cosine, np.stack([ones, X, 1 / lnw, X / lnw]), ("β2", "β3", "β0", "β1")),
        "inner product": (cosine * lnw, np.stack([ones, X, lnw, X * lnw]), ("β0", "β1", "β2", "β3")),
    }
    for model, (y, design, symbols) in by_hand.items():
        expected = np.linalg.lstsq(design.T, y, rcond=None)[0]
        found = [coefficient(story, model, symbol) for symbol in symbols]
        np.testing.assert_allclose(found, expected, rtol=1e-7)
    for symbol in ("β0", "β1", "β2", "β3"):
        weighted = coefficient(story, "inner product, weighted", symbol)
        assert weighted == pytest.approx(coefficient(story, "corrected ratio", symbol), rel=1e-8)
