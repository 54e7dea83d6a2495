"""Tests that stored scores are complete and equal recomputed scores of the projections."""

import numpy as np
import pytest

from reanalyses.smelser2025 import experiments, stored


@pytest.mark.parametrize(
    ("name", "preprocess", "seed"),
    [("iris", "consistent", 3), ("wine", "as-published", 0), ("swiss-roll", "consistent", 7)],
)
def test_stored_scores_are_those_of_the_projections(name, preprocess, seed):
    methods = ("mds", "tsne", "random") if name == "swiss-roll" else stored.METHODS
    new = stored.compute_scores(name, preprocess=preprocess, methods=methods, seeds=(seed,))
    old = stored.scores(preprocess, methods=methods)
    old = old[(old["dataset"] == name) & (old["seed"] == seed)].set_index("method").loc[list(methods)]
    new = new.set_index("method")
    columns = [column for column in new if column not in ("dataset", "seed")]
    np.testing.assert_allclose(new[columns].astype(float), old[columns].astype(float), rtol=1e-6, atol=1e-9)


def test_scores_are_complete():
    table = stored.scores()
    assert len(table) == len(experiments.WELL_KNOWN) * len(stored.SEEDS) * len(experiments.SIX)
    assert not table.duplicated(["dataset", "method", "seed"]).any()
    assert not table.isna().any().any()
    assert set(table["method"]) == set(experiments.SIX)
    assert table.groupby("method")["sns"].nunique()["pca"] == len(experiments.WELL_KNOWN)
    # Against raw data the same projections have other scores, except where the data are not scaled by columns.
    other = stored.scores("as-published")
    assert (table["sns"] != other["sns"]).mean() > 0.9
    assert (table["minima"] % 1 == 0).all()


@pytest.mark.parametrize(("name", "method", "preprocess", "level"), [("iris", "tsne", "as-published", 0.25)])
def test_stored_noise_is_that_of_the_projections(name, method, preprocess, level):
    new = stored.compute_noise(name, method, preprocess=preprocess, noise=level).set_index("measure")
    old = stored.noise(preprocess, level).query("dataset == @name and method == @method").set_index("measure")
    columns = ["pearson", "without_noise", "with_all_noise"]
    np.testing.assert_allclose(new[columns], old.loc[new.index, columns], rtol=1e-6, atol=1e-9)
