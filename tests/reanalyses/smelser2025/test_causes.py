"""Tests of the causes of printed tables, by naive sums and with the available datasets."""

import math

import numpy as np
import pandas as pd
import pytest

from reanalyses.smelser2025 import experiments
from reanalyses.smelser2025.datasets import load
from reanalyses.smelser2025.experiments import projections


def naive_min_max_stress(X: np.ndarray, Y: np.ndarray) -> float:
    pairs = [(i, j) for i in range(len(X)) for j in range(i)]
    d = [math.dist(X[i], X[j]) for i, j in pairs]
    e = [math.dist(Y[i], Y[j]) for i, j in pairs]
    d = [(v - min(d)) / (max(d) - min(d)) for v in d]
    e = [(v - min(e)) / (max(e) - min(e)) for v in e]
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(d, e, strict=True)) / sum(a * a for a in d))


def test_units_by_hand() -> None:
    X, named, table = experiments.units_example()
    scores = table.set_index("projection")
    # Distances of the square 1, 1, 1, 1, √2, √2; of the other projection 0, 0 and four times 1.
    sine = math.sqrt(1 - (2 + 2 * math.sqrt(2)) ** 2 / (8 * 4))
    np.testing.assert_allclose(scores["consistent"], [0, sine], atol=1e-12)
    # The raw data are nearly 0, 0 and four times 1000, so that the two change places.
    np.testing.assert_allclose(scores["as_published"], [sine, 0], atol=2e-3)
    assert X.max(axis=0).tolist() == [1, 1000]
    assert [len(Y) for Y in named.values()] == [4, 4]


def test_leading_columns_are_fractions_of_squared_distances() -> None:
    table = experiments.leading_columns().set_index("dataset")
    assert table.loc[["wine", "penguins", "auto-mpg"], "column"].tolist() == [
        "proline",
        "body_mass_g",
        "weight",
    ]
    assert (table.loc[["wine", "penguins", "auto-mpg"], "raw"] > 0.98).all()
    assert (table["scaled"] < 0.45).all()
    X = load("iris").X
    squares = [((X[:, None, k] - X[None, :, k]) ** 2).sum() for k in range(4)]
    assert table.loc["iris", "raw"] == pytest.approx(max(squares) / sum(squares))


def test_projections_computed_anew_are_those_that_are_bundled() -> None:
    table = experiments.compare_refits(projections("iris", ("random", "pca", "mds"))).set_index("method")
    assert table.loc[["random", "pca"], "difference"].max() < 1e-6
    np.testing.assert_allclose(table["sns_bundled"], table["sns_refitted"], rtol=1e-3)
    np.testing.assert_allclose(table["snkl_bundled"], table["snkl_refitted"], rtol=1e-2)


@pytest.fixture(scope="module")
def accounted() -> pd.DataFrame:
    consistent, published = (
        experiments.projection_scores(
            [
                projections(name, experiments.SIX, seeds=(0, 1), preprocess=preprocess)
                for name in experiments.WELL_KNOWN
            ],
            measures=("ns", "sns"),
        )
        for preprocess in ("consistent", "as-published")
    )
    return experiments.table_3_range(consistent, published)


def test_six_datasets_account_for_printed_reversals(accounted: pd.DataFrame) -> None:
    own = accounted.query("measure == 'ns' and scale == 1").set_index("method")
    np.testing.assert_allclose(own["least"], own["as_published"] / 4)
    np.testing.assert_allclose(own["most"], own["least"] + 75)
    exact = ["tsne", "umap", "isomap", "random"]
    np.testing.assert_allclose(own.loc[exact, "least"], own.loc[exact, "printed"], atol=0.051)
    assert own.loc[exact, "consistent"].tolist() == [0, 0, 0, 0]
    # Components are the exception: the printed percentage needs another dataset.
    assert own.loc["pca", "least"] < own.loc["pca", "printed"] < own.loc["pca", "most"]


def test_min_max_stress_is_the_naive_one() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(14, 5)), rng.normal(size=(14, 2))
    assert experiments.min_max_stress(X, Y) == pytest.approx(naive_min_max_stress(X, Y), rel=1e-12)
    assert experiments.min_max_stress(X, Y, squared=True) == pytest.approx(
        naive_min_max_stress(X, Y) ** 2, rel=1e-12
    )
