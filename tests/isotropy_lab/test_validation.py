import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from isotropy_lab import isotropy
from isotropy_lab._checks import as_array
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details
from isotropy_lab.isotropy.partition import log_partition_score

good = np.random.default_rng(0).standard_normal((30, 3))
OF_POINTS = [
    isotropy.isoscore,
    isotropy.isotropy_defect,
    isotropy.dimensions_used,
    isotropy.average_cosine,
    isotropy.average_cosine_score,
    isotropy.partition_score,
    log_partition_score,
    isotropy.partition_score_second_order,
    isotropy.intrinsic_dimension,
    intrinsic_dimension_details,
    isotropy.id_score,
    isotropy.varex_score,
    isotropy.isoscore_interval,
    isotropy.isotropy_scores,
]
OF_SPREAD = [
    isotropy.isoscore,
    isotropy.isotropy_defect,
    isotropy.dimensions_used,
    isotropy.varex_score,
    isotropy.isoscore_interval,
    isotropy.isotropy_scores,
]


@pytest.mark.parametrize("function", OF_POINTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.where(np.arange(90).reshape(30, 3) > 50, np.nan, 1.0), ValueError, "X has NaN or inf in 13 of 30 rows, first in row 17"),
        (np.vstack([good, [[1.0, -np.inf, 2.0]]]), ValueError, r"X has NaN or inf in 1 of 31 rows, first in row 30 \(-inf\)"),
        (np.array([[1, "a"], [2, None]], dtype=object), TypeError, r"X holds Python objects \(dtype object, shape \(2, 2\)\)"),
        (good.astype(complex), TypeError, r"X holds complex numbers \(dtype complex128"),
        (np.array([["1", "2"], ["3", "4"]]), TypeError, "X holds text .*; expected real numbers"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), TypeError, "X holds dates"),
        (good[0], ValueError, r"X has 1 axes \(shape \(3,\)\); expected a matrix of shape \(N, n\).*reshape"),
        (good[None], ValueError, r"X has 3 axes \(shape \(1, 30, 3\)\)"),
        (3.0, ValueError, "X has 0 axes"),
        ("vectors.npy", TypeError, "X holds text"),
        (None, TypeError, "X holds Python objects"),
        ([[1.0, 2.0], [3.0]], ValueError, "X cannot be read as an array"),
        (sparse.eye(4).tocsr(), TypeError, r"X is a sparse matrix .*X.toarray\(\)"),
        (np.ma.masked_less(good, 0), TypeError, "X is a masked array"),
        (np.empty((0, 3)), ValueError, "X has (0|no) points"),
        (pd.DataFrame({"word": ["a", "b"], "x": [1.0, 2.0]}), TypeError, "X holds (Python objects|text)"),
    ],
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)  # fmt: skip
def test_bad_points_are_named(function, X, error, message):
    with pytest.raises(error, match=message):
        function(X)


@pytest.mark.parametrize("function", OF_SPREAD, ids=lambda f: f.__name__)
def test_too_small_or_constant(function):
    with pytest.raises(ValueError, match=r"X has 1 point \(shape \(1, 3\)\); expected at least [245]"):
        function(good[:1])
    with pytest.raises(ValueError, match="X has zero variance"):
        function(np.full((30, 3), 2.5))
    if function is not isotropy.varex_score:  # defined, and always 1, on a line
        with pytest.raises(ValueError, match=r"X has 1 dimension \(shape \(30, 1\)\); expected at least 2"):
            function(good[:, :1])


def test_points_needed_by_the_corrected_estimator():
    for X in (good[:3], iter([good[:3]])):
        with pytest.raises(ValueError, match=r"X has 3 points .*; expected at least 4"):
            isotropy.isoscore(X, estimator="corrected")
    assert 0 <= isotropy.isoscore(good[:4], estimator="corrected") <= 1


def test_unknown_options_list_those_that_exist():
    for function in (isotropy.isoscore, isotropy.dimensions_used):
        with pytest.raises(
            ValueError, match="estimator is 'unbiased'; expected one of 'plug-in', 'corrected'"
        ):
            function(good, estimator="unbiased")


def test_an_iterator_is_refused_where_points_are_read_twice():
    with pytest.raises(TypeError, match=r"X is an iterator .*, which can be read only once"):
        isotropy.partition_score(iter([good]))


def test_eigenvalues():
    from_eigenvalues = isotropy.isoscore_from_eigenvalues
    assert from_eigenvalues([1.0, -1e-12]) == 0.0  # rounding below zero
    for values, message in [
        ([1.0], "eigenvalues has 1 value; expected at least 2"),
        ([1.0, -0.5], r"eigenvalues has a negative value \(-0.5\)"),
        ([0.0, 0.0], "eigenvalues are all zero"),
        ([1.0, np.nan], r"eigenvalues has NaN or inf in 1 of 2 entries, first in entry 1"),
        ([[1.0, 2.0]], "eigenvalues has 2 axes"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_eigenvalues(values)


def test_covariances():
    from_covariance = isotropy.isoscore_from_covariance
    for matrix, message in [
        (np.ones((2, 3)), r"cov has shape \(2, 3\); expected a square"),
        ([[1.0]], "cov has 1 dimension"),
        (np.empty((0, 0)), "cov has 0 dimensions"),
        ([[1, 1, -1], [1, 1, 1], [-1, 1, 1]], r"cov has a negative eigenvalue \(-1\)"),
        ([[1.0, 0.5], [0.1, 1.0]], r"cov is not symmetric \(0.5 at \(0, 1\), 0.1 at \(1, 0\)\)"),
        (
            [[1.0, 2.0], [2.0, 1.0]],
            r"cov has a covariance of 2 at \(0, 1\), more than its variances 1 and 1 allow",
        ),
        ([[1.0, 0.0], [0.0, -1.0]], "cov has a negative variance"),
        (np.zeros((2, 2)), "cov has zero variance"),
        ([[1.0, np.inf], [np.inf, 1.0]], "cov has NaN or inf in 2 of 2 rows"),
    ]:
        with pytest.raises(ValueError, match=message):
            from_covariance(matrix)


def test_a_covariance_without_full_rank_is_one_whatever_its_dtype():
    for dtype in (np.float32, np.float64):
        X = np.random.default_rng(1).standard_normal((20, 60)).astype(dtype)
        cov = np.cov(X, rowvar=False, dtype=dtype)
        assert isotropy.isoscore_from_covariance(cov) == pytest.approx(isotropy.isoscore(X), abs=1e-5)


@pytest.mark.parametrize("function", OF_POINTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ({"a": good}, "X is a dict, which has no rows in order"),
        ({1, 2}, "X is a set, which has no rows in order"),
        (sparse.csr_array(good), r"X is a sparse matrix .*X.toarray\(\)"),
        (
            pd.DataFrame({"word": ["a", "b"], "x": [1.0, 2.0], "y": [1, 2]}),
            r"X holds text or Python objects in column 'word' \(dtype (str|object)\)",
        ),
        (
            pd.DataFrame({"x": [1.0, 2.0], "when": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
            r"X holds dates in column 'when'",
        ),
    ],
    ids=["dict", "set", "sparse", "text", "dates"],
)
def test_what_has_no_rows_of_numbers_is_named(function, X, message):
    with pytest.raises(TypeError, match=message):
        function(X)


def test_frames_of_numbers_and_truth_values():
    frame = pd.DataFrame(good, columns=["a", "b", "c"])
    expected = isotropy.isoscore(good)
    assert isotropy.isoscore(frame.astype("Float64")) == pytest.approx(expected, abs=1e-13)
    assert isotropy.isoscore(frame.astype({"a": "Float64"})) == pytest.approx(expected, abs=1e-13)
    mixed = frame.assign(a=frame["a"] > 0, b=(frame["b"] * 10).round().astype("Int64"))
    same = np.column_stack([good[:, 0] > 0, np.round(good[:, 1] * 10), good[:, 2]])
    assert isotropy.isoscore(mixed) == pytest.approx(isotropy.isoscore(same), abs=1e-13)
    mixed.loc[4, "b"] = pd.NA
    with pytest.raises(ValueError, match="X has NaN or inf in 1 of 30 rows, first in row 4"):
        isotropy.isoscore(mixed)
    assert as_array(frame.astype("float32"), "X", ndim=2).dtype == np.float32


def test_a_column_of_lists_of_any_length_is_rows():
    for size in (1, 2, 30):
        for rows in (good[:size].tolist(), list(good[:size])):
            found = as_array(pd.DataFrame({"vector": rows}), "X", ndim=2)
            np.testing.assert_array_equal(found, good[:size])
    with pytest.raises(TypeError, match=r"a column of lists alone: X\['vector'\]"):
        as_array(pd.DataFrame({"word": ["cat"], "vector": [[1.0, 2.0]]}), "X", ndim=2)


def test_seeds():
    for rng, error in ((-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="rng is"):
            isotropy.average_cosine(good, n_pairs=5, rng=rng)
    with pytest.raises(ValueError, match="groups has NaN or inf"):
        isotropy.isoscore_interval(good, groups=np.r_[np.nan, np.arange(29)])
    with pytest.raises(ValueError, match="groups has 2 axes"):
        isotropy.isoscore_interval(good, groups=good)


def test_without_torch_the_regularizer_says_how_to_install_it(monkeypatch):
    from isotropy_lab.isotropy import regularizer

    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    with pytest.raises(ModuleNotFoundError, match=r'pip install "isotropy-lab\[torch\]"'):
        regularizer.differentiable_isoscore(good)
