"""Tests of scaling against loops, its invariances, and the published mismatch of "as published"."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reanalyses.smelser2025 import datasets
from reanalyses.smelser2025.datasets.preprocessing import prepare, scale


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), scaling=st.sampled_from(["minmax", "standardize"]))
def test_units_and_origin_of_a_column_do_not_matter(seed, scaling):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(2, 30), rng.integers(1, 6)))
    other = X * rng.uniform(0.1, 1000.0, size=X.shape[1]) + rng.uniform(-50.0, 50.0, size=X.shape[1])
    np.testing.assert_allclose(scale(other, scaling=scaling), scale(X, scaling=scaling), atol=1e-9)


@pytest.mark.parametrize("scaling", ["minmax", "standardize"])
def test_a_constant_column_becomes_zero(scaling):
    scaled = scale([[5.0, 1.0], [5.0, 2.0]], scaling=scaling)
    assert (scaled[:, 0] == 0).all()
    assert scaled[1, 1] > scaled[0, 1]


@pytest.mark.parametrize("name", ["wine", "auto-mpg", "mnist-1500"])
def test_scaling_equals_scikit_learn(name):
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    X = datasets.load(name).X
    np.testing.assert_allclose(scale(X), MinMaxScaler().fit_transform(X), atol=1e-14)
    np.testing.assert_allclose(scale(X, scaling="standardize"), StandardScaler().fit_transform(X), atol=1e-11)


def test_consistent_is_one_array_and_as_published_is_two():
    X = datasets.load("penguins").X
    consistent = prepare(X)
    assert consistent.embedding is consistent.scoring
    np.testing.assert_array_equal(consistent.embedding, scale(X))
    published = prepare(X, preprocess="as-published")
    np.testing.assert_array_equal(published.embedding, scale(X))
    np.testing.assert_array_equal(published.scoring, X)
    standardized = prepare(X, scaling="standardize")
    np.testing.assert_array_equal(standardized.scoring, scale(X, scaling="standardize"))
