"""Argument checks shared by the whole package, for arrays and options.

Every error message names the argument and says what was found and what was expected.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""An array of float32 or float64."""

Points: TypeAlias = Any
"""Any input that can be read as N points in n dimensions, such as an array, DataFrame, or tensor."""

Gold: TypeAlias = Any
"""Relevant documents of each question: one position, a list or set of positions, or grades by position."""

Groups: TypeAlias = Any
"""One label, a number or text, for each row or question."""

RandomState: TypeAlias = np.random.Generator | int | None
"""A random generator, a seed, or None for fresh entropy."""

_MAX_GATHERED_BYTES = 2**30  # largest Dask array that is loaded into memory


# The following functions detect the type of an array without importing the library that defines it.
def is_torch(x: object) -> bool:
    return any(t.__module__ == "torch" and t.__name__ == "Tensor" for t in type(x).__mro__)


def is_dask(x: object) -> bool:
    return any(t.__module__ == "dask.array.core" and t.__name__ == "Array" for t in type(x).__mro__)


def is_sparse(x: object) -> bool:
    return hasattr(x, "toarray") and hasattr(x, "nnz")


def check_chunks(X: Any, name: str, *, sized: bool = True) -> None:
    """Raise an error unless a Dask array is a real matrix and, if `sized` is True, has a known size."""
    if X.ndim != 2:
        raise ValueError(f"{name} has {X.ndim} axes (shape {X.shape}); expected a matrix of shape (N, n)")
    if X.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {X.dtype}; expected real numbers")
    if sized and any(size != size for size in X.shape):  # chunk sizes are NaN after a Boolean selection
        raise ValueError(f"{name} has an unknown number of rows; expected {name}.compute_chunk_sizes()")


def is_frame(x: object) -> bool:
    return any(t.__module__.startswith("pandas") and t.__name__ == "DataFrame" for t in type(x).__mro__)


def is_series(x: object) -> bool:
    """Return whether `x` is a pandas or polars Series."""
    return any(
        t.__module__.startswith(("pandas", "polars")) and t.__name__ == "Series" for t in type(x).__mro__
    )


def is_block_iterable(x: object) -> bool:
    """Return whether `x` is an iterable of blocks, such as a list of two-dimensional arrays."""
    if hasattr(x, "__next__"):
        return True
    if is_sparse(x) or isinstance(x, (Mapping, Set)):
        return False
    if isinstance(x, (list, tuple)) and len(x) > 0:
        return getattr(x[0], "ndim", None) == 2
    return (
        not hasattr(x, "__array__") and isinstance(x, Iterable) and not isinstance(x, (Sequence, str, bytes))
    )


def is_iterable(x: object) -> bool:
    """Return whether `x` can be iterated over; a zero-dimensional array cannot."""
    try:
        iter(x)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


def describe(x: object) -> str:
    """Return a short description of a value for error messages."""
    shape, dtype = getattr(x, "shape", None), getattr(x, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{type(x).__name__} of shape {tuple(shape)} and dtype {dtype}"
    text = repr(x)
    return f"{type(x).__name__} {text}" if len(text) <= 60 else type(x).__name__


_KINDS = {"O": "Python objects", "U": "text", "S": "bytes", "c": "complex numbers", "M": "dates"}
_KINDS |= {"m": "time differences", "V": "records"}


def as_array(x: Any, name: str, *, ndim: int, expected: str | None = None) -> npt.NDArray[Any]:
    """Return `x` as a real array with `ndim` axes, keeping its dtype and not checking its values."""
    are_points = expected is None
    if expected is None:
        expected = {1: "a vector", 2: "a matrix of shape (N, n): N points in n dimensions"}[ndim]
    if is_torch(x):
        x = x.detach().cpu()
        x = (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy()
    elif is_dask(x):
        if not x.nbytes <= _MAX_GATHERED_BYTES:  # also true if the size is unknown (NaN)
            raise ValueError(
                f"{name} is a Dask array of {x.nbytes / 1e9:.3g} GB, too large to load into memory; "
                "expected its isotropy_lab.moments, which many scores accept (report_card and compare in "
                "isotropy_report read a large array in chunks)"
            )
        x = x.compute()
    if is_sparse(x):
        raise TypeError(
            f"{name} is a sparse matrix ({describe(x)}); expected a dense matrix, such as {name}.toarray()"
        )
    if hasattr(x, "__next__"):
        raise TypeError(
            f"{name} is an iterator ({type(x).__name__}), which can be read only once; expected {expected}"
        )
    if isinstance(x, (Mapping, Set)):
        raise TypeError(f"{name} is a {type(x).__name__}, whose rows have no order; expected {expected}")
    if is_frame(x):
        x = _frame_values(x, name)
    if ndim == 2 and is_series(x):
        x = _series_values(x, name)
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array; expected {expected} without missing values (drop or fill them)"
        )
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as error:
        reason = "its rows have different lengths" if "inhomogeneous" in str(error) else error
        raise ValueError(f"{name} cannot be read as an array ({reason}); expected {expected}") from error
    if ndim == 2 and array.dtype.kind == "O" and array.ndim and array.size == len(array) > 0:
        array = _stack_lists(array.ravel(), name)  # also handles a polars frame with one column
    if array.dtype.kind not in "biuf":
        kind = _KINDS.get(array.dtype.kind, "something else")
        hint = ", for example dtype float32 or float64"
        if isinstance(x, (str, os.PathLike)):
            hint = f": read {x} first, by isotropy_report.read{'_gold' * (name == 'gold')}"
        raise TypeError(
            f"{name} contains {kind} (dtype {array.dtype}, shape {array.shape}); expected real numbers{hint}"
        )
    if array.ndim != ndim:
        hint = ""
        if ndim == 2 and array.ndim == 1:
            hint = f": one {'point' if are_points else 'row'} is {name}.reshape(1, -1)"
            hint += f", points on a line are {name}.reshape(-1, 1)" if are_points else ""
        raise ValueError(f"{name} has {array.ndim} axes (shape {array.shape}); expected {expected}{hint}")
    return array


def _series_values(series: Any, name: str) -> Any:
    """Convert a column of lists to rows, and return other values unchanged for later checks to reject."""
    values = series.to_numpy()
    return _stack_lists(values, name) if values.dtype.kind == "O" and values.size else values


def _has_lists(series: Any) -> bool:
    return len(series) > 0 and isinstance(series.iloc[0], (list, tuple, np.ndarray))


def _stack_lists(column: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """Convert a column of equal-length lists to rows of numbers, and return other objects unchanged."""
    if not isinstance(column[0], (list, tuple, np.ndarray)):
        return column
    first = np.asarray(column[0])
    if first.ndim != 1 or first.dtype.kind not in "iuf":
        return column
    rows = np.empty((column.size, first.size), first.dtype if first.dtype.kind == "f" else np.float64)
    for i, entry in enumerate(column):
        row = np.asarray(entry) if isinstance(entry, (list, tuple, np.ndarray)) else None
        if row is None or row.shape != first.shape or row.dtype.kind not in "iuf":
            description = "a missing value" if entry is None else describe(entry if row is None else row)
            raise ValueError(
                f"{name} has {description} in row {i}; expected a list of {first.size} numbers, as in row 0"
            )
        rows[i] = row
    return rows


def _frame_values(frame: Any, name: str) -> npt.NDArray[Any]:
    """Return the values of a DataFrame of numbers or Booleans, with NaN for missing values."""
    dtypes = list(frame.dtypes)
    kinds = [getattr(dtype, "kind", "O") for dtype in dtypes]
    bad = [i for i, kind in enumerate(kinds) if kind not in "biuf"]
    if len(kinds) == 1 and kinds == ["O"] and is_series(frame.iloc[:, 0]) and _has_lists(frame.iloc[:, 0]):
        return _stack_lists(np.asarray(frame.iloc[:, 0], dtype=object), name)
    if bad:
        shown = ", ".join(f"{frame.columns[i]!r} (dtype {dtypes[i]})" for i in bad[:5])
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        kind = (
            "text or Python objects" if kinds[bad[0]] == "O" else _KINDS.get(kinds[bad[0]], "something else")
        )
        lists = [i for i in bad if kinds[i] == "O" and _has_lists(frame.iloc[:, i])]
        ids = [i for i, column in enumerate(frame.columns) if str(column).lower() in ("id", "_id", "index")]
        hint = f", such as {name}.drop(columns={[frame.columns[i] for i in sorted({*ids, *bad[:5]})]!r})"
        if lists:
            hint = f", or a column of lists alone: {name}[{frame.columns[lists[0]]!r}]"
        raise TypeError(
            f"{name} contains {kind} in {'column' if len(bad) == 1 else 'columns'} {shown}{more}; "
            f"expected columns of real numbers{hint}"
        )
    # Only NumPy dtypes have a common dtype; pandas dtypes and mixtures with Booleans become object arrays.
    if all(isinstance(dtype, np.dtype) for dtype in dtypes) and len({kind == "b" for kind in kinds}) == 1:
        return np.asarray(frame)
    return np.asarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))


def working_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the dtype in which products are computed: float32 for float16 and float32, otherwise float64."""
    dtype = np.dtype(dtype)
    return np.dtype(np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64)


def as_points(
    x: Points, name: str = "X", *, min_points: int = 1, min_dimensions: int = 1, finite: bool = True
) -> FloatArray:
    """Return points as an (N, n) float32 or float64 array after checking its size and, if requested, values.

    A float32 or float64 array is returned without a copy.
    """
    array = as_array(x, name, ndim=2)
    check_size(array.shape, name, min_points=min_points, min_dimensions=min_dimensions)
    points: FloatArray = np.asarray(array, dtype=working_dtype(array.dtype))
    if finite and not is_finite_sum(points):
        raise_if_not_finite(points, name)
    return points


def check_size(shape: Sequence[int], name: str, *, min_points: int = 1, min_dimensions: int = 1) -> None:
    """Raise ValueError if there are too few points or dimensions."""
    n_points, n_dimensions = shape
    if n_points < min_points:
        size, minimum = how_many(n_points, "point"), min_points
    elif n_dimensions < min_dimensions:
        size, minimum = how_many(n_dimensions, "dimension"), min_dimensions
    else:
        return
    raise ValueError(f"{name} has {size} (shape {tuple(shape)}); expected at least {minimum}")


def how_many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def is_finite_sum(array: npt.NDArray[Any]) -> bool:
    """Return whether the sum is finite; it never is for NaN or inf, but may overflow for finite data."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum(dtype=np.float64)))


def raise_if_not_finite(
    array: npt.NDArray[Any], name: str, *, first_row: int | None = None, unit: str = "row"
) -> None:
    """Raise ValueError if any row contains NaN or inf, reporting the number of such rows and the first one.

    If the array is a part of X, `first_row` is the index in X of the array's first row.
    """
    n_bad, first = 0, -1
    chunk_size = max(1, 2**22 // max(1, array.shape[1] if array.ndim == 2 else 1))
    for start in range(0, array.shape[0], chunk_size):
        block = array[start : start + chunk_size]
        finite = np.isfinite(block)
        not_finite = np.flatnonzero(~(finite.all(axis=1) if array.ndim == 2 else finite))
        if not_finite.size and first < 0:
            first = start + int(not_finite[0])
        n_bad += int(not_finite.size)
    if n_bad:
        plural = {"row": "rows", "entry": "entries"}[unit]
        value = array[first][~np.isfinite(array[first])][0] if array.ndim == 2 else array[first]
        location = "" if first_row is None else f", which is {unit} {first + first_row} of X"
        raise ValueError(
            f"{name} contains NaN or inf in {n_bad} of {array.shape[0]} {plural}, first in {unit} {first} "
            f"({value}){location}; expected finite numbers"
        )


_MAX_EXACT_INTEGER = 2**53
"""Largest magnitude up to which float64 represents all integers exactly."""


def check_whole_numbers(array: npt.NDArray[Any], name: str) -> None:
    """Raise ValueError if float64 would round any integer in the array."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 8 or not array.size:
        return
    smallest, largest = int(array.min()), int(array.max())
    if max(-smallest, largest) > _MAX_EXACT_INTEGER:
        raise ValueError(
            f"{name} contains integers from {smallest} to {largest}, but float64 rounds integers beyond 2^53"
            f"; expected smaller numbers (subtract {smallest} first, or drop columns of IDs)"
        )


def raise_overflow(name: str) -> None:
    """Raise ValueError for finite data whose squares overflow."""
    raise ValueError(f"{name} contains numbers whose squares overflow float64; expected rescaled data")


def check_representable(values: npt.NDArray[np.float64], noun: str) -> None:
    """Raise ValueError if a result computed on scaled data overflows in the data's original units."""
    if not np.isfinite(values).all():
        raise ValueError(f"{noun} overflows float64; expected rescaled data")


def check_variance(total: float, name: str) -> None:
    """Raise ValueError if the total variance is 0, which means that all points coincide."""
    if not total > 0:
        raise ValueError(f"{name} has zero variance, because all points coincide; expected distinct points")


def check_no_zero_rows(norms: npt.NDArray[Any], name: str) -> None:
    """Raise ValueError if there are zero rows, reporting their number and the first one."""
    zero = np.flatnonzero(norms == 0)
    if zero.size:
        raise ValueError(
            f"{name} contains zero vectors in {zero.size} of {norms.size} rows, first in row {zero[0]}; "
            "expected only nonzero vectors (drop these rows)"
        )


def as_eigenvalues(eigenvalues: Any, name: str = "eigenvalues") -> npt.NDArray[np.float64]:
    """Validate at least two eigenvalues, and set negative values that are due to rounding to zero."""
    values = np.asarray(as_array(eigenvalues, name, ndim=1), dtype=np.float64)
    if values.size < 2:
        raise ValueError(
            f"{name} has {how_many(values.size, 'value')}; expected at least 2, one per dimension"
        )
    raise_if_not_finite(values, name, unit="entry")
    largest = float(values.max())
    if not largest > 0:
        raise ValueError(
            f"{name} has no positive value (largest: {largest:g}); expected at least one positive eigenvalue"
        )
    smallest = float(values.min())
    if smallest < -1e-6 * largest:
        raise ValueError(
            f"{name} has a negative value ({smallest:g}); expected eigenvalues of a covariance, which are ≥ 0"
        )
    return np.maximum(values, 0.0)


def as_labels(labels: Any, name: str, *, length: int, per: str = "X") -> npt.NDArray[np.intp]:
    """Return the group of each point as an integer from 0 to G − 1."""
    try:
        array = np.asarray(labels.detach().cpu().numpy() if is_torch(labels) else labels)
    except (TypeError, ValueError) as error:  # ragged nested lists
        raise ValueError(
            f"{name} cannot be read as an array ({error}); expected one label for each row of {per}"
        ) from error
    if array.ndim != 1:
        raise ValueError(
            f"{name} has {array.ndim} axes (shape {array.shape}); expected one label for each row of {per}"
        )
    if array.shape[0] != length:
        raise ValueError(
            f"{name} has {array.shape[0]} labels, but {per} has {length} rows; expected one label per row"
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise_if_not_finite(array, name, unit="entry")
    try:
        return np.unique(array, return_inverse=True)[1].astype(np.intp)
    except TypeError as error:
        raise TypeError(
            f"{name} mixes labels that cannot be compared ({error}); expected only text or only numbers"
        ) from error


def check_option(value: Any, name: str, options: Sequence[str]) -> str:
    """Return `value` if it is a valid option; otherwise raise a ValueError that lists the options."""
    if not isinstance(value, str) or value not in options:
        shown = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} is {value!r}; expected one of {shown}")
    return value


def check_integer(value: Any, name: str, *, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an integer in [low, high], or raise an error."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r} ({type(value).__name__}); expected a whole number") from None
    if number < low or (high is not None and number > high):
        expected = f"at least {low}" if high is None else f"a whole number from {low} to {high}"
        raise ValueError(f"{name} is {number}; expected {expected}{f' ({why})' if why else ''}")
    return number


def check_real(
    value: Any, name: str, *, low: float, high: float, open_low: bool = False, open_high: bool = False
) -> float:
    """Return `value` as a float in the given interval, or raise an error."""
    interval = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
    try:
        if isinstance(value, (str, bytes)):  # float() would parse text
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}); expected a number in {interval}"
        ) from None
    is_inside = (number > low if open_low else number >= low) and (
        number < high if open_high else number <= high
    )
    if math.isnan(number) or not is_inside:
        raise ValueError(f"{name} is {number:g}; expected a number in {interval}")
    return number


def check_confidence_level(value: Any) -> float:
    """Return the confidence level as a float strictly between 0 and 1."""
    return check_real(value, "confidence_level", low=0.0, high=1.0, open_low=True, open_high=True)


def as_generator(rng: RandomState) -> np.random.Generator:
    """Return `rng` if it is a generator; otherwise, return a new one with the seed `rng` (None: random)."""
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if isinstance(rng, (bool, np.bool_)) or not isinstance(rng, (int, np.integer)):
        raise TypeError(f"rng is {describe(rng)}; expected a numpy.random.Generator, an integer, or None")
    if rng < 0:
        raise ValueError(f"rng is {rng}; expected a seed of at least 0")
    return np.random.default_rng(int(rng))


def check_report_path(path: Any) -> str:
    """Return the suffix of a report's path, which must be .html or .json."""
    try:
        suffix = os.path.splitext(os.fspath(path))[1].lower()
    except TypeError:
        raise TypeError(
            f"path is {describe(path)}; expected the path of a file that ends in .html or .json"
        ) from None
    if suffix not in (".html", ".json"):
        raise ValueError(f"path is {os.fspath(path)!r}; expected a file that ends in .html or .json")
    return str(suffix)
