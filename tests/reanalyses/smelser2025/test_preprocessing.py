"""Tests of scaling, and of the preprocessing options "consistent" and "as-published"."""

import numpy as np
import pytest

from reanalyses.smelser2025 import datasets
from reanalyses.smelser2025.datasets.preprocessing import prepare, scale


@pytest.mark.parametrize("scaling", ["minmax", "standardize"])
def test_constant_columns_become_zero(scaling):
    scaled = scale([[5.0, 1.0], [5.0, 2.0]], scaling=scaling)
    assert (scaled[:, 0] == 0).all()
    assert scaled[1, 1] > scaled[0, 1]


@pytest.mark.parametrize("name", ["wine", "auto-mpg", "mnist-1500"])
def test_scaling_equals_scikit_learn(name):
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    X = datasets.load(name).X
    np.testing.assert_allclose(scale(X), MinMaxScaler().fit_transform(X), atol=1e-14)
    np.testing.assert_allclose(scale(X, scaling="standardize"), StandardScaler().fit_transform(X), atol=1e-11)


def test_only_as_published_scores_against_raw_data():
    X = datasets.load("penguins").X
    consistent = prepare(X)
    assert consistent.embedding is consistent.scoring
    np.testing.assert_array_equal(consistent.embedding, scale(X))
    published = prepare(X, preprocess="as-published")
    np.testing.assert_array_equal(published.embedding, scale(X))
    np.testing.assert_array_equal(published.scoring, X)
    standardized = prepare(X, scaling="standardize")
    np.testing.assert_array_equal(standardized.scoring, scale(X, scaling="standardize"))
