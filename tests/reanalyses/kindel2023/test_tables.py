"""Tests of the tables of estimators, separability, and binary regressions against direct computations."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.association import keywords
from isotropy_lab.association.cosine import cosine_similarities
from reanalyses.kindel2023 import experiments

SPACE = "googlenews-weat"


def test_estimators_equal_direct_computations() -> None:
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


def test_separability_counts_words_nearer_to_a_centroid() -> None:
    table = experiments.separability_table(SPACE).set_index("lists")
    assert len(table) == 8
    lists = experiments.list_vectors(SPACE)
    a, c = lists["A"], lists["C"]
    list_words = [w for k in keywords.load("gender-sentiment").lists.values() for w in k.words()]
    _, pool = experiments.pool_words(SPACE, without=list_words)
    vocabulary = np.concatenate([pool, *lists.values()])
    for label, words, rest in (("pleasant / male", a, c), ("male / pleasant", c, a)):
        center = words.mean(axis=0)
        cosine = [
            x @ center / np.linalg.norm(x, axis=1) / np.linalg.norm(center) for x in (words, rest, vocabulary)
        ]
        row = table.loc[label]
        assert row["rank"] == 1 + (cosine[0] > cosine[1].max()).sum()
        assert row["separable"] == (cosine[0].min() > cosine[1].max())
        assert row["n_closer"] == (cosine[2] > cosine[0].min() + 1e-12).sum()
        assert row["log10_subspaces"] == pytest.approx(math.log10(math.comb(row["n_closer"], 8)))


@pytest.fixture(scope="module")
def regressions() -> pd.DataFrame:
    return experiments.binary_regressions(SPACE)


def coefficient(regressions: pd.DataFrame, model: str, symbol: str, design: str = "pleasant") -> float:
    estimates = regressions.query("design == @design and model == @model and symbol == @symbol")["estimate"]
    assert len(estimates) == 1
    return float(estimates.iloc[0])


def test_binary_regressions_equal_numpy_lstsq(regressions: pd.DataFrame) -> None:
    pairs = experiments.design_pairs(SPACE)
    X, lnw, cosine = (pairs[name].to_numpy(dtype=float) for name in ("X", "lnw", "cosine"))
    ones = np.ones(len(pairs))
    models = {
        "difference in cosines": (cosine, np.stack([ones, X]), ("α0*", "α1*")),
        "corrected ratio": (cosine, np.stack([ones, X, 1 / lnw, X / lnw]), ("β2", "β3", "β0", "β1")),
        "inner product": (cosine * lnw, np.stack([ones, X, lnw, X * lnw]), ("β0", "β1", "β2", "β3")),
    }
    for model, (y, design, symbols) in models.items():
        expected = np.linalg.lstsq(design.T, y, rcond=None)[0]
        estimates = [coefficient(regressions, model, symbol) for symbol in symbols]
        np.testing.assert_allclose(estimates, expected, rtol=1e-7)
    for symbol in ("β0", "β1", "β2", "β3"):
        weighted = coefficient(regressions, "inner product, weighted", symbol)
        assert weighted == pytest.approx(coefficient(regressions, "corrected ratio", symbol), rel=1e-8)
