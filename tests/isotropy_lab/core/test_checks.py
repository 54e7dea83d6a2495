"""Tests of the argument checks shared by all measures: points, covariances, labels, and seeds."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from isotropy_lab import isotropy
from isotropy_lab._core.checks import as_array, as_labels, check_whole_numbers, raise_if_not_finite
from tests.isotropy_lab.bad_input import assert_refused

POINTS = np.random.default_rng(0).standard_normal((30, 3))


@pytest.mark.parametrize("function", [isotropy.isoscore, isotropy.average_cosine])
@pytest.mark.parametrize(
    ("X", "error", "expected_words"),
    [
        (np.where(np.arange(90).reshape(30, 3) > 50, np.nan, 1.0), ValueError, "X NaN 13 of 30 rows row 17"),
        (np.vstack([POINTS, [[1.0, -np.inf, 2.0]]]), ValueError, "X 1 of 31 rows row 30 -inf"),
        (np.array([[1, "a"], [2, None]], dtype=object), TypeError, "X Python objects object (2, 2)"),
        (POINTS.astype(complex), TypeError, "X complex numbers complex128"),
        (np.array([["1", "2"], ["3", "4"]]), TypeError, "X text expected real numbers"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), TypeError, "X dates"),
        (POINTS[0], ValueError, "X 1 axes (3,) matrix (N, n) X.reshape(1, -1)"),
        (POINTS[None], ValueError, "X 3 axes (1, 30, 3)"),
        (3.0, ValueError, "X 0 axes"),
        ("vectors.npy", TypeError, "X text"),
        (None, TypeError, "X Python objects"),
        ([[1.0, 2.0], [3.0]], ValueError, "X array"),
        (sparse.csr_array(POINTS), TypeError, "X sparse X.toarray()"),
        (np.ma.masked_less(POINTS, 0), TypeError, "X masked"),
        ({"a": POINTS}, TypeError, "X dict rows order"),
        ({1, 2}, TypeError, "X set rows order"),
        (np.empty((0, 3)), ValueError, "X points"),
        (np.empty((3, 0)), ValueError, "X 0 dimensions"),
        (pd.DataFrame({"word": ["a", "b"], "x": [1.0, 2.0]}), TypeError, "X text column 'word'"),
        (pd.DataFrame({"x": [1.0], "when": pd.to_datetime(["2020-01-01"])}), TypeError, "X dates 'when'"),
        (POINTS[:1], ValueError, "X 1 point (1, 3) at least 2"),
    ],
)  # fmt: skip
def test_errors_of_invalid_points_name_the_cause(function, X, error, expected_words):
    assert_refused(error, expected_words, lambda: function(X))


def test_rows_with_nan_are_counted_over_all_chunks():
    """A chunk has two rows of 2²¹ numbers; all invalid rows are counted, and the first is named."""
    rows = np.repeat(np.zeros((1, 2**21), dtype=np.float16), 5, axis=0)
    rows[[1, 2, 4], -1] = np.nan
    assert_refused(ValueError, "X 3 of 5 rows row 1", lambda: raise_if_not_finite(rows, "X"))
    rows[0, 0] = np.nan
    assert_refused(ValueError, "X 4 of 5 rows row 0", lambda: raise_if_not_finite(rows, "X"))


def test_whole_numbers_beyond_float64_precision_are_refused():
    check_whole_numbers(np.array([-(2**53), 2**53]), "X")
    for values in ([0, 2**53 + 1], [-(2**53) - 1, 0]):
        assert_refused(ValueError, "X 2^53", lambda values=values: check_whole_numbers(np.array(values), "X"))


@pytest.mark.parametrize(
    ("values", "expected_words"),
    [
        ([1.0], "eigenvalues 1 value at least 2"),
        ([1.0, -0.5], "eigenvalues negative -0.5"),
        ([0.0, 0.0], "eigenvalues positive"),
        ([1.0, np.nan], "eigenvalues NaN 1 of 2 entries entry 1"),
        ([[1.0, 2.0]], "eigenvalues 2 axes"),
    ],
)
def test_invalid_eigenvalues_are_refused(values, expected_words):
    assert_refused(ValueError, expected_words, lambda: isotropy.isoscore_from_eigenvalues(values))
    assert isotropy.isoscore_from_eigenvalues([1.0, -1e-12]) == 0.0  # rounding below zero


def test_data_frames_of_numbers_and_booleans_are_accepted():
    frame = pd.DataFrame(POINTS, columns=["a", "b", "c"])
    expected = isotropy.isoscore(POINTS)
    assert isotropy.isoscore(frame.astype("Float64")) == pytest.approx(expected, abs=1e-13)
    assert isotropy.isoscore(frame.astype({"a": "Float64"})) == pytest.approx(expected, abs=1e-13)
    mixed = frame.assign(a=frame["a"] > 0, b=(frame["b"] * 10).round().astype("Int64"))
    mixed_array = np.column_stack([POINTS[:, 0] > 0, np.round(POINTS[:, 1] * 10), POINTS[:, 2]])
    assert isotropy.isoscore(mixed) == pytest.approx(isotropy.isoscore(mixed_array), abs=1e-13)
    mixed.loc[4, "b"] = pd.NA
    assert_refused(ValueError, "X 1 of 30 rows row 4", lambda: isotropy.isoscore(mixed))
    assert as_array(frame.astype("float32"), "X", ndim=2).dtype == np.float32


def test_objects_with_an_array_interface_are_accepted():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return POINTS.astype(dtype or POINTS.dtype)

    assert isotropy.isoscore(Tensor()) == isotropy.isoscore(POINTS)


@pytest.mark.parametrize(
    ("labels", "error", "expected_words"),
    [
        ([[1, 2], [3]], ValueError, "groups array"),
        ([[1], [2]], ValueError, "groups 2 axes"),
        ([1, 2, 3], ValueError, "groups 3 labels X 2 rows"),
        ([1.0, np.nan], ValueError, "groups NaN entry 1"),
        (np.array([1, "a"], dtype=object), TypeError, "groups mixes"),
    ],
)
def test_invalid_labels_are_refused(labels, error, expected_words):
    assert_refused(error, expected_words, lambda: as_labels(labels, "groups", length=2))


@pytest.mark.parametrize(("rng", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError)])
def test_invalid_seeds_are_refused(rng, error):
    assert_refused(
        error, f"rng {rng}", lambda: isotropy.intrinsic_dimension(POINTS, n_queries=5, n_neighbors=2, rng=rng)
    )


def test_error_shows_the_first_value_that_is_not_finite():
    X = np.where(np.arange(90).reshape(30, 3) == 31, np.inf, POINTS)
    X[20, 0] = X[10, 2] = np.nan
    assert_refused(ValueError, "X 2 of 30 rows row 10 (inf)", lambda: raise_if_not_finite(X, "X"))
    assert_refused(
        ValueError, "x 1 of 3 entries entry 1 (nan)",
        lambda: raise_if_not_finite(np.array([0.0, np.nan, 1.0]), "x", unit="entry"),
    )  # fmt: skip


@pytest.mark.parametrize("column", [[], [1.0, "a"], [None, [1.0, 2.0]], [["a", "b"], ["c", "d"]]])
def test_columns_of_other_objects_are_refused(column):
    with pytest.raises((TypeError, ValueError), match="X"):
        as_array(pd.Series(column, dtype=object), "X", ndim=2)


VECTORS = [[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]


@pytest.mark.parametrize(
    "column", [VECTORS, [tuple(row) for row in VECTORS], [np.array(row) for row in VECTORS]]
)
def test_columns_of_lists_are_read_as_rows(column):
    for table in (pd.Series(column), pd.DataFrame({"vector": column})):
        np.testing.assert_array_equal(as_array(table, "X", ndim=2), VECTORS)
    assert as_array(pd.Series([[1, 2], [3, 4]]), "X", ndim=2).dtype == np.float64
    single = pd.DataFrame({"vector": [np.ones(3, dtype=np.float32)]})
    assert (as_array(single, "X", ndim=2).shape, as_array(single, "X", ndim=2).dtype) == ((1, 3), np.float32)


def test_column_of_arrays_from_another_library_is_read_as_rows():
    class Frame:  # as polars writes it
        def __array__(self, dtype=None, copy=None):
            column = np.empty((3, 1), dtype=object)
            column[:, 0] = [np.array(row) for row in VECTORS]
            return column

    np.testing.assert_array_equal(as_array(Frame(), "X", ndim=2), VECTORS)


@pytest.mark.parametrize("path", ["vectors.npy", Path("vectors.npy")])
def test_error_for_a_path_names_the_function_that_reads_it(path):
    assert_refused(TypeError, "X vectors.npy isotropy_report.read", lambda: isotropy.isoscore(path))


@pytest.mark.parametrize(
    ("column", "expected_words"),
    [
        ([[1.0, 2.0], None, [3.0, 4.0]], ["missing", "row 1", "2 numbers"]),
        ([[1.0, 2.0], [3.0], [3.0, 4.0]], ["row 1", "2 numbers"]),
        ([[1.0, 2.0], [3.0, 4.0], ["a", "b"]], ["row 2", "2 numbers"]),
        ([[1.0, 2.0], [3.0, 4.0], None], ["missing", "row 2", "2 numbers"]),
    ],
)
def test_error_names_the_row_of_a_list_with_another_length(column, expected_words):
    for table in (pd.Series(column), pd.DataFrame({"vector": column})):
        with pytest.raises(ValueError, match="X") as error_info:
            as_array(table, "X", ndim=2)
        assert all(words in str(error_info.value) for words in expected_words)


def test_error_for_several_columns_suggests_the_column_of_lists():
    frame = pd.DataFrame({"word": ["a", "b", "c"], "vector": VECTORS})
    with pytest.raises(TypeError, match=r"X\['vector'\]"):
        as_array(frame, "X", ndim=2)
    with pytest.raises(TypeError) as error_info:
        as_array(frame[["word"]], "X", ndim=2)
    assert "lists" not in str(error_info.value)
    with pytest.raises((TypeError, ValueError)):
        as_array(frame[["word"]].iloc[:0], "X", ndim=2)
