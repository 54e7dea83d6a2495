"""Tests that the arrays of the lessons equal the stored datasets and projections."""

import numpy as np
import pytest

from reanalyses.smelser2025 import experiments, layouts


@pytest.mark.parametrize(("name", "step"), [("iris", 1), ("wine", 1), ("penguins", 1), ("digits", 3)])
def test_layouts_equal_stored_projections(name: str, step: int) -> None:
    stored, methods = layouts.load(name), {"MDS": "mds", "t-SNE": "tsne", "PCA": "pca", "random": "random"}
    data = experiments.projections(name, list(methods.values()))
    np.testing.assert_array_equal(stored.X, data.X[::step])
    np.testing.assert_array_equal(stored.labels, np.asarray(data.dataset.labels)[::step])
    for method, key in methods.items():
        np.testing.assert_allclose(stored.Y[method], data.Y[key][::step], rtol=1e-6, atol=1e-6)
