"""Tests of all-but-the-top and whitening with scikit-learn's checks and against slow implementations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from isotropy_lab.isotropy import isoscore
from isotropy_lab.transforms import AllButTheTop, Whitening

TRANSFORMERS = [
    AllButTheTop(),
    AllButTheTop(n_components=0),
    Whitening(),
    Whitening(floor=0.0, method="pca"),
    Whitening(floor=0.1),
]


@parametrize_with_checks(TRANSFORMERS)
def test_transformers_pass_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def random_points(seed, n_points=60, n=5):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n_points, n)) @ rng.standard_normal((n, n)) + 3 * rng.standard_normal(n)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), removed=st.integers(0, 4))
def test_all_but_the_top_removes_single_directions(seed, removed):
    X = random_points(seed)
    _, _, V = np.linalg.svd(X - X.mean(0), full_matrices=False)
    expected = X - X.mean(0)
    for u in V[:removed]:
        expected = np.array([x - (x @ u) * u for x in expected])
    transformer = AllButTheTop(n_components=removed).fit(X)
    transformed = transformer.transform(X)
    np.testing.assert_allclose(transformed, expected, atol=1e-9 * np.abs(X).max())
    np.testing.assert_allclose(transformed.mean(0), 0, atol=1e-12 * np.abs(X).max())
    assert np.linalg.matrix_rank(transformed, tol=1e-8) == 5 - removed
    np.testing.assert_allclose(
        transformer.components_ @ transformer.components_.T, np.eye(removed), atol=1e-12
    )
    assert all(row[np.abs(row).argmax()] > 0 for row in transformer.components_)  # which sets their signs
    np.testing.assert_allclose(
        transformer.explained_variance_, PCA().fit(X).explained_variance_[:removed], rtol=1e-9
    )


@pytest.mark.parametrize(("n", "removed"), [(2, 1), (99, 1), (199, 1), (200, 2), (384, 3)])
def test_default_removes_one_direction_in_a_hundred(n, removed):
    X = np.random.default_rng(0).standard_normal((10, n))
    assert AllButTheTop().fit(X).n_components_ == removed


def test_zca_and_pca_agree_with_their_definitions():
    X = random_points(2)
    S = np.cov(X.T)
    values, vectors = np.linalg.eigh(S)
    root = sum(np.outer(v, v) / np.sqrt(value) for value, v in zip(values, vectors.T, strict=True))
    np.testing.assert_allclose(Whitening(floor=0.0).fit_transform(X), (X - X.mean(0)) @ root, atol=1e-10)
    np.testing.assert_allclose(
        np.abs(Whitening(floor=0.0, method="pca").fit_transform(X)),
        np.abs(PCA(whiten=True, svd_solver="full").fit_transform(X)),
        atol=1e-10,
    )


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), floor=st.sampled_from([0.0, 1e-6, 0.2, 1.0]))
def test_both_methods_have_the_same_distances_and_cosines(seed, floor):
    X = random_points(seed)
    Z = Whitening(floor, method="zca").fit_transform(X)
    P = Whitening(floor, method="pca").fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, P @ P.T, atol=1e-8 * max(1.0, float(np.abs(Z).max()) ** 2))


def test_directions_without_variance_are_not_magnified():
    X = random_points(8, n_points=300)
    X = np.column_stack([X, np.full(300, 7.0), X[:, 0] - X[:, 1]])  # a dead coordinate and a dependent one
    whitening = Whitening().fit(X)
    assert whitening.n_floored_ == 2
    assert isoscore(whitening.transform(X)) == pytest.approx((5 - 1) / (7 - 1), abs=1e-9)


def test_floor_bounds_the_magnification():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((500, 4)) * [10.0, 1.0, 0.1, 0.001]
    whitening = Whitening(floor=1e-4).fit(X)
    assert whitening.n_floored_ == 1 + int(X[:, 2].var() < 1e-4 * X[:, 0].var())
    values = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    expected = values / np.maximum(values, 1e-4 * values[0])
    actual = np.linalg.eigvalsh(np.cov(whitening.transform(X).T))[::-1]
    np.testing.assert_allclose(actual, np.sort(expected)[::-1], rtol=1e-8)
    # A floor of 1 only centers and rescales.
    rescaled = Whitening(floor=1.0).fit_transform(X)
    np.testing.assert_allclose(rescaled, (X - X.mean(0)) / np.sqrt(values[0]), atol=1e-12)


@pytest.mark.parametrize("floor", [0.0, 1e-15])
def test_floors_below_rounding_are_refused_for_dependent_columns(floor):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 5)) @ rng.standard_normal((5, 8))
    with pytest.raises(ValueError, match="3 of its 8"):
        Whitening(floor=floor).fit(X)
    assert Whitening(floor=1e-12).fit(X).n_floored_ == 3
    full = rng.standard_normal((50, 8))
    np.testing.assert_allclose(np.cov(Whitening(floor=floor).fit_transform(full).T), np.eye(8), atol=1e-12)


def test_rows_without_remaining_variance_are_zero():
    """A search would take rounding errors for directions."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4, 6)) + 2.0
    assert (AllButTheTop(n_components=3).fit_transform(X) == 0).all()
    remaining = AllButTheTop(n_components=2).fit_transform(X)
    assert (np.linalg.norm(remaining, axis=1) > 0.01).all()


def test_fitting_needs_two_rows():
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    transformer = AllButTheTop(n_components=1).fit(X)
    np.testing.assert_allclose(transformer.transform(X), 0, atol=1e-12)
    with pytest.raises(ValueError, match="minimum of 2"):
        transformer.fit(X[:1])


def test_whitened_columns_have_names():
    X = np.random.default_rng(0).standard_normal((30, 4))
    assert Whitening().fit(X).get_feature_names_out().tolist() == [f"whitening{i}" for i in range(4)]
