"""The only place where input is checked.

Every message names the argument, says what was found and what is wanted.
"""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
"""An array of float32 or float64."""

Points: TypeAlias = Any
"""Whatever can be read as N points in n dimensions: array, array-like, memory map, DataFrame, tensor."""

RandomState: TypeAlias = np.random.Generator | int | None
"""A generator, a seed, or None for fresh entropy."""


# --- kinds of input -------------------------------------------------------------------------------------------


def is_torch(x: object) -> bool:
    """Whether `x` is a torch tensor, found out without importing torch."""
    return any(t.__module__ == "torch" and t.__name__ == "Tensor" for t in type(x).__mro__)


def is_dask(x: object) -> bool:
    """Whether `x` is a Dask array, found out without importing Dask."""
    return any(t.__module__ == "dask.array.core" and t.__name__ == "Array" for t in type(x).__mro__)


def is_sparse(x: object) -> bool:
    """Whether `x` is a sparse matrix or array, found out without importing scipy."""
    return hasattr(x, "toarray") and hasattr(x, "nnz")


def is_frame(x: object) -> bool:
    """Whether `x` is a pandas DataFrame, found out without importing pandas."""
    return any(t.__module__.startswith("pandas") and t.__name__ == "DataFrame" for t in type(x).__mro__)


def is_block_iterable(x: object) -> bool:
    """Whether `x` is an iterator of blocks, or a list or tuple of two-dimensional arrays."""
    if hasattr(x, "__next__"):
        return True
    if is_sparse(x) or isinstance(x, (Mapping, Set)):
        return False
    if isinstance(x, (list, tuple)) and len(x) > 0:
        return getattr(x[0], "ndim", None) == 2
    return (
        not hasattr(x, "__array__") and isinstance(x, Iterable) and not isinstance(x, (Sequence, str, bytes))
    )


def describe(x: object) -> str:
    """Say what `x` is in a few words, for an error message."""
    shape, dtype = getattr(x, "shape", None), getattr(x, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{type(x).__name__} of shape {tuple(shape)} and dtype {dtype}"
    text = repr(x)
    return f"{type(x).__name__} {text}" if len(text) <= 60 else type(x).__name__


_KINDS = {
    "O": "Python objects",
    "U": "text",
    "S": "bytes",
    "c": "complex numbers",
    "M": "dates",
    "m": "time differences",
    "V": "records",
}


# --- arrays ---------------------------------------------------------------------------------------------------


def as_array(x: Any, name: str, *, ndim: int, wanted: str | None = None) -> npt.NDArray[Any]:
    """Return `x` as a real array of `ndim` dimensions in its own dtype, without looking at its values."""
    points = wanted is None
    if wanted is None:
        wanted = {1: "a vector", 2: "a matrix of shape (N, n): N points in n dimensions"}[ndim]
    if is_torch(x):
        x = x.detach().cpu()
        x = (x.float() if str(x.dtype) == "torch.bfloat16" else x).numpy()
    elif is_dask(x):
        x = x.compute()
    if is_sparse(x):
        raise TypeError(
            f"{name} is a sparse matrix ({describe(x)}); wanted a dense one: pass {name}.toarray()"
        )
    if hasattr(x, "__next__"):
        raise TypeError(
            f"{name} is an iterator ({type(x).__name__}), which can be read only once; this needs {wanted}"
        )
    if isinstance(x, (Mapping, Set)):
        raise TypeError(f"{name} is a {type(x).__name__}, which has no rows in order; wanted {wanted}")
    if is_frame(x):
        x = _frame_values(x, name)
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array; wanted {wanted} without gaps: drop or fill the masked rows"
        )
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as error:  # ragged nested lists
        raise ValueError(f"{name} cannot be read as an array ({error}); wanted {wanted}") from error
    if array.dtype.kind not in "biuf":
        kind = _KINDS.get(array.dtype.kind, "something else")
        raise TypeError(
            f"{name} holds {kind} (dtype {array.dtype}, shape {array.shape}); wanted real numbers, "
            "for example dtype float32 or float64"
        )
    if array.ndim != ndim:
        hint = ""
        if ndim == 2 and array.ndim == 1:
            hint = (
                f": one point is {name}.reshape(1, -1), points on a line are {name}.reshape(-1, 1)"
                if points
                else f": one row is {name}.reshape(1, -1)"
            )
        raise ValueError(f"{name} has {array.ndim} axes (shape {array.shape}); wanted {wanted}{hint}")
    return array


def _frame_values(frame: Any, name: str) -> npt.NDArray[Any]:
    """Return the values of a DataFrame whose columns are numbers or truth values, with NaN where one is missing."""
    dtypes = list(frame.dtypes)
    kinds = [getattr(dtype, "kind", "O") for dtype in dtypes]
    bad = [i for i, kind in enumerate(kinds) if kind not in "biuf"]
    if bad:
        listed = ", ".join(f"{frame.columns[i]!r} (dtype {dtypes[i]})" for i in bad[:5])
        more = f" and {len(bad) - 5} more" if len(bad) > 5 else ""
        kind = (
            "text or Python objects" if kinds[bad[0]] == "O" else _KINDS.get(kinds[bad[0]], "something else")
        )
        raise TypeError(
            f"{name} holds {kind} in {'column' if len(bad) == 1 else 'columns'} {listed}{more}; "
            "wanted columns of real numbers"
        )
    # NumPy's own dtypes have a common one; pandas' dtypes and truth values beside numbers become objects.
    if all(isinstance(dtype, np.dtype) for dtype in dtypes) and len({kind == "b" for kind in kinds}) == 1:
        return np.asarray(frame)
    return np.asarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))


def working_dtype(dtype: Any) -> np.dtype[Any]:
    """Return the dtype in which blocks of `dtype` are multiplied: float32 for halves and singles, else float64."""
    dtype = np.dtype(dtype)
    return np.dtype(np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64)


def as_points(
    x: Points, name: str = "X", *, min_points: int = 1, min_dimensions: int = 1, finite: bool = True
) -> FloatArray:
    """Return `x` as an (N, n) array of float32 or float64, checked for size and, if asked, for NaN and inf.

    An array that is float32 or float64 already comes back as it is: no copy is made.
    """
    array = as_array(x, name, ndim=2)
    check_size(array.shape, name, min_points=min_points, min_dimensions=min_dimensions)
    points: FloatArray = np.asarray(array, dtype=working_dtype(array.dtype))
    if finite and not is_finite_sum(points):
        raise_if_not_finite(points, name)
    return points


def check_size(shape: Sequence[int], name: str, *, min_points: int = 1, min_dimensions: int = 1) -> None:
    """Raise ValueError unless there are at least so many points and dimensions."""
    n_points, n_dimensions = shape
    if n_points < min_points:
        raise ValueError(
            f"{name} has {_count(n_points, 'point')} (shape {tuple(shape)}); wanted at least {min_points}"
        )
    if n_dimensions < min_dimensions:
        raise ValueError(
            f"{name} has {_count(n_dimensions, 'dimension')} (shape {tuple(shape)}); "
            f"wanted at least {min_dimensions}"
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def is_finite_sum(array: npt.NDArray[Any]) -> bool:
    """Whether the sum of all entries is finite: a cheap test that can give a false alarm but never a miss."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum(dtype=np.float64)))


def raise_if_not_finite(
    array: npt.NDArray[Any], name: str, *, first_row: int | None = None, unit: str = "row"
) -> None:
    """Raise ValueError naming the first row with a NaN or inf and how many rows have one.

    `first_row` is the place of the array in X where the array is a part of it.
    """
    n_bad, first = 0, -1
    step = max(1, 2**22 // max(1, array.shape[1] if array.ndim == 2 else 1))
    for start in range(0, array.shape[0], step):
        block = array[start : start + step]
        good = np.isfinite(block)
        bad = np.flatnonzero(~(good.all(axis=1) if array.ndim == 2 else good))
        if bad.size and first < 0:
            first = start + int(bad[0])
        n_bad += int(bad.size)
    if n_bad:
        plural = {"row": "rows", "entry": "entries"}[unit]
        value = array[first][~np.isfinite(array[first])][0] if array.ndim == 2 else array[first]
        place = "" if first_row is None else f", which is {unit} {first + first_row} of X"
        raise ValueError(
            f"{name} has NaN or inf in {n_bad} of {array.shape[0]} {plural}, first in {unit} {first} "
            f"({value}){place}; wanted finite numbers"
        )


def raise_overflow(name: str) -> None:
    """Raise ValueError for finite data whose squares are not."""
    raise ValueError(
        f"{name} holds numbers so large that their squares overflow float64; wanted rescaled data"
    )


def check_representable(values: npt.NDArray[np.float64], what: str) -> None:
    """Raise ValueError if a result, computed on scaled data, overflows in the units of the data."""
    if not np.isfinite(values).all():
        raise ValueError(f"{what} overflows float64; wanted rescaled data")


def check_variance(total: float, name: str) -> None:
    """Raise ValueError when all points coincide."""
    if not total > 0:
        raise ValueError(f"{name} has zero variance (all points coincide); wanted points that differ")


def check_no_underflow(total: float, name: str) -> None:
    """Raise ValueError for points that differ, but by so little that a variance loses its digits."""
    if total < 1e-290:
        raise ValueError(
            f"{name} varies by so little that its variances underflow float64; wanted rescaled data"
        )


def check_fourth(*, fourth: bool, present: bool) -> None:
    """Raise ValueError when fourth moments are needed and were not gathered."""
    if fourth and not present:
        raise ValueError("X is Moments without fourth moments; wanted moments(X, fourth=True)")


def check_two_differ(estimates: Any, squares: Any) -> None:
    """Raise ValueError if an unbiased estimate of (tr Σ)² is zero beside the square of its plug-in estimate.

    It is the mean of ‖a − b‖²‖c − d‖² over four different points, so it vanishes if all points but one coincide.
    """
    if not np.all(np.asarray(estimates) > 1e-12 * np.asarray(squares)):
        raise ValueError(
            "X has no two disjoint pairs of points that differ (all points but one coincide, as far as float64 tells), where the corrected "
            "estimate is 0/0; wanted more than one point apart from the others"
        )


def check_no_zero_rows(norms: npt.NDArray[Any], name: str) -> None:
    """Raise ValueError naming the first row of length zero and how many there are."""
    zero = np.flatnonzero(norms == 0)
    if zero.size:
        raise ValueError(
            f"{name} has zero vectors in {zero.size} of {norms.size} rows, first in row {zero[0]}; "
            "the cosine with a zero vector is undefined: drop these rows"
        )


def as_eigenvalues(eigenvalues: Any, name: str = "eigenvalues") -> npt.NDArray[np.float64]:
    """Return a vector of at least two non-negative eigenvalues, not all zero; rounding below zero becomes zero."""
    values = np.asarray(as_array(eigenvalues, name, ndim=1), dtype=np.float64)
    if values.size < 2:
        raise ValueError(f"{name} has {_count(values.size, 'value')}; wanted at least 2, one per dimension")
    raise_if_not_finite(values, name, unit="entry")
    largest = float(values.max())
    if not largest > 0:
        raise ValueError(
            f"{name} are all zero or negative (largest {largest:g}); wanted zero variance nowhere but some"
        )
    smallest = float(values.min())
    if smallest < -1e-6 * largest:
        raise ValueError(
            f"{name} has a negative value ({smallest:g}); wanted eigenvalues of a covariance, all ≥ 0"
        )
    return np.maximum(values, 0.0)


def as_covariance(cov: Any, name: str = "cov") -> npt.NDArray[np.float64]:
    """Return a square symmetric matrix of at least two dimensions with a positive trace."""
    matrix = np.asarray(as_array(cov, name, ndim=2), dtype=np.float64)
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        raise ValueError(f"{name} has shape {matrix.shape}; wanted a square covariance matrix")
    if n < 2:
        raise ValueError(f"{name} has {_count(n, 'dimension')} (shape {matrix.shape}); wanted at least 2")
    raise_if_not_finite(matrix, name)
    diagonal = np.diagonal(matrix)
    if float(diagonal.min()) < 0:
        where = int(np.argmin(diagonal))
        raise ValueError(f"{name} has a negative variance ({diagonal[where]:g} at {where}); wanted all ≥ 0")
    largest = float(diagonal.max())
    if not largest > 0:
        raise ValueError(f"{name} has zero variance (all its variances are 0); wanted at least one above 0")
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        scaled = matrix / largest  # so that no product over- or underflows
        gap = np.abs(scaled - scaled.T)
        bound = np.sqrt(np.diagonal(scaled))
        excess = np.abs(scaled) - np.outer(bound, bound)
    # Rounding of float32 products is far below 1e-5.
    if not float(gap.max()) <= 1e-5:
        i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
        raise ValueError(
            f"{name} is not symmetric ({matrix[i, j]:g} at ({i}, {j}), {matrix[j, i]:g} at ({j}, {i})); "
            "wanted a covariance matrix"
        )
    # Every covariance lies within ±√(variance product).
    if float(excess.max()) > 1e-5:
        i, j = np.unravel_index(int(np.argmax(excess)), excess.shape)
        raise ValueError(
            f"{name} has a covariance of {matrix[i, j]:g} at ({i}, {j}), more than its variances "
            f"{diagonal[i]:g} and {diagonal[j]:g} allow; wanted a covariance matrix"
        )
    try:  # succeeds if no eigenvalue is below −1e-5, for a third of the cost of the eigenvalues
        np.linalg.cholesky((scaled + scaled.T) / 2 + 1e-5 * np.eye(n))
    except np.linalg.LinAlgError:
        smallest = largest * float(np.linalg.eigvalsh(scaled)[0])
        raise ValueError(
            f"{name} has a negative eigenvalue ({smallest:g}); wanted a covariance matrix, whose eigenvalues are ≥ 0"
        ) from None
    return matrix


def as_labels(labels: Any, name: str, *, length: int, per: str = "X") -> npt.NDArray[np.intp]:
    """Return group numbers 0 … G−1, one for each point."""
    array = np.asarray(labels.detach().cpu().numpy() if is_torch(labels) else labels)
    if array.ndim != 1:
        raise ValueError(
            f"{name} has {array.ndim} axes (shape {array.shape}); wanted one label for each row of {per}"
        )
    if array.shape[0] != length:
        raise ValueError(
            f"{name} has {array.shape[0]} labels, {per} has {length} rows; wanted one label for each row"
        )
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise_if_not_finite(array, name, unit="entry")
    try:
        return np.unique(array, return_inverse=True)[1].astype(np.intp)
    except TypeError as error:
        raise TypeError(
            f"{name} mixes labels that cannot be compared ({error}); wanted all text or all numbers"
        ) from error


# --- options --------------------------------------------------------------------------------------------------


def check_option(value: Any, name: str, options: Sequence[str]) -> str:
    """Return `value` if it is one of `options`, else raise ValueError listing them."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} is {value!r}; wanted one of {listed}")
    return value


def check_integer(value: Any, name: str, *, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an int within [low, high]."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r} ({type(value).__name__}); wanted a whole number") from None
    if number < low or (high is not None and number > high):
        wanted = f"at least {low}" if high is None else f"a whole number from {low} to {high}"
        raise ValueError(f"{name} is {number}; wanted {wanted}{f' ({why})' if why else ''}")
    return number


def check_real(
    value: Any, name: str, *, low: float, high: float, open_low: bool = False, open_high: bool = False
) -> float:
    """Return `value` as a float within the stated interval."""
    left, right = "(" if open_low else "[", ")" if open_high else "]"
    try:
        if isinstance(value, (str, bytes)):  # which float would read
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} is {value!r} ({type(value).__name__}); wanted a number in {left}{low:g}, {high:g}{right}"
        ) from None
    inside = (number > low if open_low else number >= low) and (
        number < high if open_high else number <= high
    )
    if math.isnan(number) or not inside:
        raise ValueError(f"{name} is {number:g}; wanted a number in {left}{low:g}, {high:g}{right}")
    return number


def as_generator(rng: RandomState, name: str = "rng") -> np.random.Generator:
    """Return a generator: the one given, one made from a seed, or one with fresh entropy for None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if isinstance(rng, (bool, np.bool_)) or not isinstance(rng, (int, np.integer)):
        raise TypeError(f"{name} is {describe(rng)}; wanted a numpy.random.Generator, a whole number or None")
    if rng < 0:
        raise ValueError(f"{name} is {rng}; wanted a seed of at least 0")
    return np.random.default_rng(int(rng))


def check_neighbors(n_neighbors: int, n_points: int, n_duplicates: int) -> None:
    """Raise ValueError unless there are more distinct points than neighbours."""
    if n_neighbors >= n_points:
        dropped = f" after dropping {_count(n_duplicates, 'duplicate')}" if n_duplicates else ""
        raise ValueError(
            f"n_neighbors is {n_neighbors}, X has {_count(n_points, 'distinct point')}{dropped}; "
            "wanted fewer neighbours than points"
        )


def check_distances(distances: npt.NDArray[np.float64]) -> None:
    """Raise ValueError for distinct points so near to each other that their distance vanishes."""
    if not distances.all():
        raise ValueError(
            "X has distinct points whose distance is 0 in float64 beside the spread of the others; "
            "wanted points that can be told apart: round or rescale the data"
        )


def check_groups(sizes: npt.NDArray[np.intp], n_points: int) -> None:
    """Raise ValueError unless there are groups to leave out and at least 4 points remain each time."""
    if sizes.size < 2:
        raise ValueError(
            f"groups has {_count(int(sizes.size), 'distinct label')}; wanted at least 2 groups to leave out"
        )
    largest = int(sizes.max())
    if n_points - largest < 4:
        raise ValueError(
            f"groups has a group of {largest} of the {n_points} points, which leaves {n_points - largest}; "
            "wanted at least 4 points left without it"
        )


def check_resamples(refused: int, accepted: int) -> None:
    """Raise ValueError when nearly all resamples have no corrected score."""
    if refused > 1000 + 10 * accepted:
        raise ValueError(
            f"groups has so few or so equal groups that {refused} of {refused + accepted} resamples have fewer than "
            "4 points, or all points but one alike; wanted more groups, or method='jackknife'"
        )


def check_positive_trace(estimates: Any) -> None:
    """Raise ValueError if an unbiased estimate of tr Σ² is not positive, so that its ratio has no logarithm."""
    bad = ~(np.atleast_1d(estimates) > 0)
    if bad.any():
        where = "of all points" if bad.size == 1 else f"with {int(bad.sum())} of {bad.size} groups left out"
        raise ValueError(
            f"X has too few points for an interval: the unbiased estimate of tr(Σ²) {where} is not positive, because "
            "all differences between points are orthogonal; wanted more points for this number of dimensions"
        )


# --- word lists -----------------------------------------------------------------------------------------------


def as_word_vectors(x: Any, name: str, *, min_words: int = 1) -> FloatArray:
    """Return a word list as a (k, p) array of float32 or float64: finite, with enough words, none of them zero."""
    if (isinstance(x, (list, tuple)) and not x) or getattr(x, "shape", None) == (0,):
        raise ValueError(f"{name} is empty; wanted at least {_count(min_words, 'word')}, one in each row")
    array = as_array(x, name, ndim=2, wanted="a matrix of shape (k, p): k words in p dimensions")
    k, p = array.shape
    if k < min_words:
        raise ValueError(f"{name} has {_count(k, 'word')} (shape {(k, p)}); wanted at least {min_words}")
    if p < 1:
        raise ValueError(f"{name} has 0 dimensions (shape {(k, p)}); wanted word vectors of at least 1")
    words: FloatArray = np.asarray(array, dtype=working_dtype(array.dtype))
    if not is_finite_sum(words):
        raise_if_not_finite(words, name)
    check_no_zero_rows(np.abs(words).max(axis=1), name)
    return words


def as_word_lists(lists: Mapping[str, Any]) -> list[FloatArray]:
    """Return word lists by name as arrays, all in the same number of dimensions."""
    arrays = [as_word_vectors(x, name) for name, x in lists.items()]
    names = list(lists)
    for name, array in zip(names, arrays, strict=True):
        if array.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"{names[0]} and {name} have {arrays[0].shape[1]} and {array.shape[1]} dimensions "
                f"(shapes {arrays[0].shape} and {array.shape}); wanted words of one vector space"
            )
    return arrays


def check_equal_lengths(k_a: int, k_b: int, names: tuple[str, str]) -> None:
    """Raise ValueError unless two word lists are equally long."""
    if k_a != k_b:
        raise ValueError(
            f"{names[0]} has {_count(k_a, 'word')}, {names[1]} has {k_b}; wanted lists of equal length, "
            "because the words are compared in pairs"
        )


def check_no_shared_words(a: npt.NDArray[Any], b: npt.NDArray[Any], names: tuple[str, str]) -> None:
    """Raise ValueError if a row of one list is a row of the other, naming the rows."""
    # A word is the same in single and in double precision. Adding 0 makes −0 and 0 the same bytes.
    dtype = min(a.dtype, b.dtype, key=lambda kind: kind.itemsize)
    with np.errstate(over="ignore", under="ignore"):
        a, b = a.astype(dtype) + dtype.type(0), b.astype(dtype) + dtype.type(0)
    places = {row.tobytes(): j for j, row in reversed(list(enumerate(b)))}
    shared = [(i, places.get(row.tobytes())) for i, row in enumerate(a)]
    shared = [(i, j) for i, j in shared if j is not None]
    if shared:
        listed = ", ".join(f"row {i} of {names[0]} is row {j} of {names[1]}" for i, j in shared[:5])
        more = f" and {len(shared) - 5} more" if len(shared) > 5 else ""
        raise ValueError(
            f"{names[0]} and {names[1]} share {_count(len(shared), 'word')} ({listed}{more}); "
            "wanted lists without a common word: drop it from both"
        )


def check_mean_direction(length: float, tolerance: float, name: str, what: str) -> None:
    """Raise ValueError if the mean of a word list is too short to have a direction."""
    if not length > tolerance:
        raise ValueError(
            f"{name} has a {what} of length {length:.3g} (at most {tolerance:.3g} is rounding), so that its cosine "
            "is undefined; wanted words that do not cancel each other"
        )


def check_not_whole_space(r_a: int, r_b: int, p: int, names: tuple[str, str]) -> None:
    """Raise ValueError if the words of a list span the whole space, where chance and maximum coincide."""
    for name, rank in zip(names, (r_a, r_b), strict=True):
        if rank >= p:
            raise ValueError(
                f"{name} spans all {_count(p, 'dimension')}, so that every list lies in its span and the corrected "
                "similarity is 0/0; wanted fewer words than dimensions"
            )


def raise_infeasible(n_divisions: int, limit: str) -> None:
    """Raise ValueError for an exact permutation test that would take too long."""
    raise ValueError(
        f"n_resamples is 'exact', but A and B can be divided in {n_divisions:,} ways, which is too many ({limit}); "
        "wanted 'exact-if-feasible' or a number of random divisions"
    )


def check_spread(spread: float, tolerance: float) -> None:
    """Raise ValueError if the words of both target lists have the same association."""
    if not spread > tolerance:
        raise ValueError(
            f"A and B hold words that all have the same association (standard deviation {spread:.3g}, at most "
            f"{tolerance:.3g} is rounding), where the effect size is undefined; wanted words that differ"
        )


# --- words as text --------------------------------------------------------------------------------------------


def as_words(words: Any, name: str) -> tuple[str, ...]:
    """Return a list of words as a tuple: text only, none empty, none twice, at least one."""
    if isinstance(words, (str, bytes, Mapping, Set)) or not isinstance(words, Iterable):
        hint = f"; for one word pass [{words!r}]" if isinstance(words, str) else ""
        raise TypeError(f"{name} is {describe(words)}; wanted a list of words{hint}")
    found = tuple(words)
    if not found:
        raise ValueError(f"{name} is empty; wanted at least one word")
    for place, word in enumerate(found):
        if not isinstance(word, str):
            raise TypeError(f"{name} has {describe(word)} at place {place}; wanted words as text")
        if not word.strip() or word != word.strip():
            raise ValueError(f"{name} has {word!r} at place {place}; wanted words without blanks around them")
    seen: set[str] = set()
    twice = [word for word in found if word in seen or seen.add(word)]  # type: ignore[func-returns-value]
    if twice:
        listed = ", ".join(dict.fromkeys(twice))
        raise ValueError(f"{name} has {listed} more than once; wanted every word once")
    return tuple(str(word) for word in found)


def check_disjoint_words(first: Sequence[str], second: Sequence[str], names: tuple[str, str]) -> None:
    """Raise ValueError naming the words that two lists share."""
    shared = [word for word in first if word in set(second)]
    if shared:
        raise ValueError(
            f"{names[0]} and {names[1]} share {', '.join(shared)}; wanted lists without a word in common"
        )


# --- sublists -------------------------------------------------------------------------------------------------


def check_sublist_length(q: Any, high: int, name: str, k: int) -> int:
    """Return the number of words of a sublist within 1 … high."""
    return check_integer(q, "q", low=1, high=high, why=f"{name} has {_count(k, 'word')}")


def check_table_size(n_subsets: int, most: int, what: str) -> None:
    """Raise ValueError if a table of the similarities of all sublists would be too large."""
    if n_subsets > most:
        raise ValueError(
            f"{what}, which makes {n_subsets:,} sublists; wanted at most {most:,}, because a table with a cell for "
            "every pair is formed: use fewer words, or consistency_profile, which forms no table"
        )


# --- regressions on cosines -----------------------------------------------------------------------------------


def check_labels(labels: Any, name: str, *, length: int, per: str) -> list[Any]:
    """Return a list of words, one for each row of `per`; a word may occur twice."""
    if isinstance(labels, (str, bytes, Mapping, Set)) or not isinstance(labels, Iterable):
        raise TypeError(f"{name} is {describe(labels)}; wanted one word for each row of {per}")
    found = list(labels)
    if len(found) != length:
        raise ValueError(
            f"{name} has {_count(len(found), 'word')}, {per} has {_count(length, 'row')}; wanted one word for each row"
        )
    return found


def check_pairs(pairs: Any, name: str, columns: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Return columns of a table of word pairs as float64: there, numeric, finite, and norms above zero."""
    if not is_frame(pairs):
        raise TypeError(f"{name} is {describe(pairs)}; wanted a DataFrame as word_pairs makes it")
    missing = [column for column in columns if column not in pairs.columns]
    if missing:
        hint = ": join the pairs of two groups with two_groups" if "X" in missing else ""
        raise ValueError(
            f"{name} lacks the columns {', '.join(missing)} (it has {', '.join(map(str, pairs.columns))}); "
            f"wanted pairs as word_pairs makes them{hint}"
        )
    if len(pairs) == 0:
        raise ValueError(f"{name} has no pairs; wanted at least one")
    found = {}
    for column in columns:
        values = as_array(pairs[column].to_numpy(), f"{name}[{column!r}]", ndim=1)
        found[column] = np.asarray(values, dtype=np.float64)
        raise_if_not_finite(found[column], f"{name}[{column!r}]", unit="entry")
        if column in ("lnw", "norm_a", "norm_b") and not (found[column] > 0).all():
            where = int(np.argmin(found[column]))
            raise ValueError(
                f"{name}[{column!r}] is {found[column][where]:g} in entry {where}; wanted lengths above 0: drop the "
                "zero vectors"
            )
    if "X" in columns:
        values = found["X"]
        if not np.isin(values, (0, 1)).all():
            where = int(np.flatnonzero(~np.isin(values, (0, 1)))[0])
            raise ValueError(f"{name}['X'] is {values[where]:g} in entry {where}; wanted 0 or 1")
        if values.min() == values.max():
            raise ValueError(
                f"{name}['X'] is {values[0]:g} in all {values.size} entries; wanted pairs of two groups, 0 and 1"
            )
    return found


def check_weights_representable(lnw: npt.NDArray[np.float64]) -> None:
    """Raise ValueError for words so long or short that squares of inner products over- or underflow."""
    bad = np.flatnonzero(~((lnw > 1e-70) & (lnw < 1e70)))
    if bad.size:
        raise ValueError(
            f"the words of {bad.size} of {lnw.size} pairs have lengths whose product is outside 1e-70 … 1e70, first "
            f"pair {bad[0]} ({lnw[bad[0]]:.3g}), where sums of squares over- or underflow; wanted rescaled words"
        )


def check_varies(values: npt.NDArray[np.float64], name: str) -> None:
    """Raise ValueError if an outcome is the same everywhere, up to rounding."""
    spread = float(np.ptp(values))
    if not spread > 1e-12 * float(np.abs(values).max()):
        raise ValueError(
            f"{name} is {values[0]:g} in all {values.size} pairs, so that there is nothing to explain; wanted an "
            "outcome that varies"
        )


def check_enough_pairs(n: int, k: int) -> None:
    """Raise ValueError unless there are more pairs than terms."""
    if n <= k:
        raise ValueError(
            f"pairs has {_count(n, 'pair')} for {_count(k, 'term')}; wanted more pairs than terms, so that residuals "
            "are left"
        )


def check_leverage(leverage: npt.NDArray[np.float64], covariance: str) -> None:
    """Raise ValueError if an observation is fitted perfectly by construction, where HC2 and HC3 are 0/0."""
    where = int(np.argmax(leverage))
    if leverage[where] > 1 - 1e-9:
        raise ValueError(
            f"pairs has entry {where} with leverage 1: a term exists for it alone, and {covariance} errors are 0/0; "
            "wanted covariance='HC1' or 'nonrobust', or more pairs in its group"
        )


def check_identified(aliased: Sequence[str], why: str) -> None:
    """Raise ValueError if a quantity needs a coefficient that the data do not identify."""
    if aliased:
        raise ValueError(
            f"pairs does not identify {'; '.join(aliased)}; wanted pairs whose lengths vary within each group: {why}"
        )


def check_frequencies(
    words: Sequence[Any], frequencies: Any, name: str = "frequencies"
) -> npt.NDArray[np.float64]:
    """Return the frequency of every word from a mapping or a Series, all finite."""
    if not hasattr(frequencies, "keys"):
        raise TypeError(
            f"{name} is {describe(frequencies)}; wanted a mapping or a Series from word to frequency"
        )
    missing = sorted({str(word) for word in words if word not in frequencies})
    if missing:
        listed = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        raise ValueError(
            f"{name} lacks {_count(len(missing), 'word')} of the pairs ({listed}); wanted a frequency for every word: "
            "drop their pairs or add them"
        )
    try:
        values = np.array([float(frequencies[word]) for word in words])
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} does not give one number for a word ({error}); wanted a number for every word, once"
        ) from error
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"{name} gives {values[bad[0]]} for {words[bad[0]]}; wanted finite numbers")
    return values


def check_list_length(k: int, most: int) -> None:
    """Raise ValueError if a list has too many sublists to visit them all."""
    if k > most:
        raise ValueError(
            f"W has {k} words and so 2^{k} sublists; wanted at most {most} words, or "
            "consistency_index(..., n_samples=10_000), which looks at random sublists of one length"
        )


def check_sublists_of_list(k: int, most: int) -> None:
    """Raise ValueError if a list has too many sublists to take the centroids of them all."""
    if k > most:
        raise ValueError(
            f"B has {k} words and so 2^{k} sublists; wanted at most {most} words, or n_samples=1_000, which looks at "
            "random sublists of each length"
        )


def check_dependent_words(dependent: npt.NDArray[np.intp], most: int) -> None:
    """Raise ValueError if too many words of a list are in the span of the others to visit all their sublists."""
    if dependent.size > most:
        raise ValueError(
            f"W has {dependent.size} words in the span of the others (rows {dependent[:5].tolist()} …); wanted at most "
            f"{most}, or consistency_index(..., n_samples=10_000), which looks at random sublists of one length"
        )


def check_can_sample(similarity: str) -> None:
    """Raise ValueError for a similarity that does not decide from a sublist alone."""
    if similarity == "normalized":
        raise ValueError(
            "n_samples cannot be used with similarity='normalized', where each sublist is compared with all others; "
            "wanted n_samples=None: lists of linearly independent words need no sampling"
        )


def check_pairs_decided(decided: bool, dependent: npt.NDArray[np.intp], n_subsets: int, most: int) -> None:
    """Raise ValueError if mean directions may coincide and there are too many to compare all pairs."""
    if not decided:
        where = f"rows {dependent[:5].tolist()} are" if dependent.size else "they are nearly"
        raise ValueError(
            f"W has linearly dependent words ({where} in the span of the others) and {n_subsets:,} sublists; "
            f"wanted independent words or at most {most:,} sublists to compare in pairs"
        )


# --- random lists ---------------------------------------------------------------------------------------------


def check_pool_size(n_words: int, k_a: int, k_b: int) -> None:
    """Raise ValueError if a pool has too few words for one draw of both lists."""
    if n_words < k_a + k_b:
        raise ValueError(
            f"pool has {_count(n_words, 'word')} to draw from; wanted at least {k_a + k_b}, because a draw takes {k_a} "
            f"for A and {k_b} others for B"
        )


def as_strata(strata: Any, name: str, k: int, n_pool: int) -> list[npt.NDArray[np.intp]]:
    """Return for each of k words the distinct rows of a pool that may take its place."""
    if isinstance(strata, (str, bytes, Mapping, Set)) or not hasattr(strata, "__len__"):
        raise TypeError(f"{name} is {describe(strata)}; wanted a sequence of {k} arrays of rows of pool")
    if len(strata) != k:
        raise ValueError(
            f"{name} has {len(strata)} strata; wanted {k}, one for each word of {name[-1].upper()}"
        )
    rows = []
    for place, stratum in enumerate(strata):
        array = np.asarray(stratum)
        if array.size and array.dtype.kind not in "iu":
            raise TypeError(f"{name}[{place}] is {describe(stratum)}; wanted row numbers of pool (dtype int)")
        if array.ndim != 1:
            raise ValueError(f"{name}[{place}] has shape {array.shape}; wanted a vector of row numbers")
        if array.size and (int(array.min()) < 0 or int(array.max()) >= n_pool):
            raise ValueError(
                f"{name}[{place}] has rows from {array.min()} to {array.max()}; wanted rows of pool, 0 to {n_pool - 1}"
            )
        rows.append(np.unique(array).astype(np.intp))
    return rows


def check_strata_sizes(sizes: Sequence[int], name: str) -> None:
    """Raise ValueError naming the first word without a word to take its place."""
    empty = [place for place, size in enumerate(sizes) if size == 0]
    if empty:
        raise ValueError(
            f"{name} has {len(empty)} of {len(sizes)} strata without a word to draw, first at place {empty[0]}; "
            "wanted at least one pool word for each word: widen the strata"
        )


def check_strata_feasible(matched: int, k: int) -> None:
    """Raise ValueError if the strata cannot give every word a pool word of its own."""
    if matched < k:
        raise ValueError(
            f"strata_a and strata_b have different words for {matched} of the {k} words at most; "
            "wanted one of its own for each: widen the strata"
        )


def check_strata_drawn(missing: int, n_draws: int) -> None:
    """Raise ValueError if strata are so small that a draw without repetition hardly ever happens."""
    if missing:
        raise ValueError(
            f"strata_a and strata_b overlap in so few words that {missing} of {n_draws} draws without a repeated word "
            "were not found; wanted wider strata"
        )


def as_frequencies(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a vector of frequencies on a logarithmic scale, where NaN means unknown."""
    values = np.asarray(as_array(x, name, ndim=1), dtype=np.float64)
    if values.size < 1:
        raise ValueError(f"{name} is empty; wanted one frequency per word")
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise ValueError(
            f"{name} has {values[infinite[0]]} at place {infinite[0]}; wanted finite numbers on a logarithmic scale, "
            "NaN where unknown"
        )
    return values


def check_some_known(n_known: int, all_unknown: bool) -> None:
    """Raise ValueError if no pool frequency is known and one is wanted."""
    if n_known == 0 and not all_unknown:
        raise ValueError(
            "pool_frequencies are all unknown (NaN); wanted frequencies of the words of the pool"
        )


# --- single cosines and vectors -------------------------------------------------------------------------------


def check_cosines_possible(r_ab: float, r_ac: float, r_bc: float) -> None:
    """Raise ValueError if no three vectors have these cosines."""
    determinant = 1 + 2 * r_ab * r_ac * r_bc - r_ab * r_ab - r_ac * r_ac - r_bc * r_bc
    if determinant < -1e-12:
        raise ValueError(
            f"r_ab, r_ac and r_bc are {r_ab:g}, {r_ac:g} and {r_bc:g}, which no three vectors have (their matrix has "
            f"determinant {determinant:.3g}); wanted cosines whose matrix is positive semidefinite"
        )


def as_probabilities(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a vector of at least one number, each in [0, 1]."""
    values = np.asarray(as_array(x, name, ndim=1), dtype=np.float64)
    if values.size < 1:
        raise ValueError(f"{name} is empty; wanted at least one number in [0, 1]")
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if bad.size:
        raise ValueError(
            f"{name} has {bad.size} of {values.size} values outside [0, 1], first {values[bad[0]]:g} at place {bad[0]}; "
            "wanted probabilities"
        )
    return values


def as_vectors(vectors: Mapping[str, Any]) -> dict[str, npt.NDArray[np.float64]]:
    """Return vectors by name: finite, not zero, of equal length."""
    found = {name: np.asarray(as_array(x, name, ndim=1), dtype=np.float64) for name, x in vectors.items()}
    first = next(iter(found))
    for name, vector in found.items():
        if vector.size != found[first].size or vector.size < 1:
            raise ValueError(
                f"{first} has {found[first].size} dimensions, {name} has {vector.size}; wanted vectors of one space"
            )
        raise_if_not_finite(vector, name, unit="entry")
        if not vector.any():
            raise ValueError(f"{name} is the zero vector; the cosine with a zero vector is undefined")
    return found


def check_sum_not_zero(length: float, longest: float) -> None:
    """Raise ValueError if two vectors cancel."""
    if not length > 1e-15 * longest:
        raise ValueError(
            "a and b cancel (a + b is zero); wanted a sum with a direction, or its cosine is undefined"
        )


def check_center(by: str, given: bool) -> None:
    """Raise ValueError unless a centre is given exactly where it is used."""
    if given != (by == "given"):
        found = "given" if given else "missing"
        raise ValueError(
            f"center is {found} and by is {by!r}; wanted a center with by='given' and only there"
        )


def as_center(x: Any, name: str, p: int) -> npt.NDArray[np.float64]:
    """Return a finite vector of p numbers."""
    center = np.asarray(as_array(x, name, ndim=1), dtype=np.float64)
    if center.size != p:
        raise ValueError(f"{name} has {_count(center.size, 'dimension')}; wanted {p}, as the words have")
    raise_if_not_finite(center, name, unit="entry")
    return center


# --- distances of a projection --------------------------------------------------------------------------------


def check_same_points(n_x: int, n_y: int) -> None:
    """Raise ValueError unless the data and the picture have the same points, and at least 3 of them."""
    if n_x != n_y:
        raise ValueError(
            f"X has {_count(n_x, 'point')} and Y has {n_y}; wanted row i of Y to be the picture of row i of X"
        )
    if n_x < 3:
        raise ValueError(f"X and Y have {_count(n_x, 'point')}; wanted at least 3, which have 3 distances")


def as_distance_matrix(x: Any, name: str) -> FloatArray:
    """Return a square matrix of distances: finite, non-negative, symmetric, with zeros on the diagonal.

    Rounding is let pass: up to a millionth of the largest distance beside zero and between the two triangles.
    """
    matrix = as_array(x, name, ndim=2, wanted="a square matrix of distances of shape (N, N)")
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        raise ValueError(
            f"{name} has shape {matrix.shape} with metric='precomputed'; wanted a square matrix of distances (N, N), "
            "or points with metric='euclidean'"
        )
    distances: FloatArray = np.asarray(matrix, dtype=working_dtype(matrix.dtype))
    if not is_finite_sum(distances):
        raise_if_not_finite(distances, name)
    if n == 0:
        return distances
    smallest, largest = float(distances.min()), float(distances.max())
    if smallest < 0:
        i, j = np.unravel_index(int(np.argmin(distances)), matrix.shape)
        raise ValueError(
            f"{name} has a negative distance ({smallest:g} at ({i}, {j})); wanted distances, all ≥ 0"
        )
    diagonal = np.diagonal(distances)
    if float(diagonal.max()) > 1e-6 * largest:
        where = int(np.argmax(diagonal))
        raise ValueError(
            f"{name} has {diagonal[where]:g} at ({where}, {where}); wanted distances, which are 0 from a point to itself: are "
            "these similarities?"
        )
    step = max(1, 2**20 // n)
    for start in range(0, n, step):
        gap = np.abs(distances[start : start + step] - distances[:, start : start + step].T)
        if float(gap.max()) > 1e-6 * largest:
            row, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
            k = start + int(row)
            raise ValueError(
                f"{name} is not symmetric ({distances[k, j]:g} at ({k}, {j}), {distances[j, k]:g} at ({j}, {k})); "
                "wanted distances"
            )
    return distances


def check_metric(metric: Any, metrics: Iterable[str]) -> str:
    """Return the name of a metric if it is one of `metrics`, else raise listing them."""
    if not isinstance(metric, str):
        raise TypeError(
            f"metric is {describe(metric)}; wanted the name of a metric, or metric='precomputed' with a square matrix "
            "of your own distances as X"
        )
    return check_option(metric, "metric", sorted(metrics))


def check_metric_block(block: npt.NDArray[np.float64], metric: str) -> None:
    """Raise ValueError if a metric gives numbers that are no distances."""
    if not np.isfinite(block).all():
        bad = block[~np.isfinite(block)][0]
        raise ValueError(
            f"metric {metric!r} gives a distance of {bad} between points of X; wanted data for which it is defined and "
            "finite"
        )
    # Rounding: 1 − cos of a point and its multiple is −2e-16.
    if float(block.min()) < -1e-12 * max(float(block.max()), 1.0):
        raise ValueError(
            f"metric {metric!r} gives a negative distance ({float(block.min()):g}) between points of X; wanted a metric"
        )


def check_some_distance(largest: float, name: str) -> None:
    """Raise ValueError if all points coincide."""
    if not largest > 0:
        raise ValueError(f"{name} has only distances of 0 (all points coincide); wanted points that differ")


def check_distances_vary(spread: float, name: str) -> None:
    """Raise ValueError if all distances are equal, so that they have no ranks to compare."""
    if not spread > 0:
        raise ValueError(
            f"{name} has the same distance between any two points, so that a rank correlation is 0/0; wanted "
            "distances that differ"
        )


def as_scales(scales: Any) -> npt.NDArray[np.float64]:
    """Return scales of a picture as a vector of finite numbers, all ≥ 0, at least one."""
    values = np.asarray(as_array(scales, "scales", ndim=1), dtype=np.float64)
    if values.size == 0:
        raise ValueError("scales is empty; wanted at least one number ≥ 0")
    raise_if_not_finite(values, "scales", unit="entry")
    if float(values.min()) < 0:
        where = int(np.argmin(values))
        raise ValueError(f"scales has {values[where]:g} in entry {where}; wanted numbers ≥ 0")
    return values


def check_tie_options(precision: str, ties: str, tie_tolerance: Any, *, stress: bool) -> None:
    """Raise ValueError for options on ties that a precision cannot follow."""
    if tie_tolerance is not None and precision != "exact":
        raise ValueError(
            f"tie_tolerance is {tie_tolerance!r} with precision={precision!r}, which settles itself what is tied; "
            "wanted precision='exact', or no tie_tolerance"
        )
    if stress and precision == "histogram" and ties != "secondary":
        raise ValueError(
            f"ties is {ties!r} with precision='histogram', which forgets the order within a bin; wanted "
            "ties='secondary', or precision='packed'"
        )


def check_not_vanished(scaled: float, value: float, what: str) -> None:
    """Raise ValueError if a result, computed on scaled data, is too small for float64 in the units of the data."""
    if scaled != 0 and abs(value) < 2.0**-1022:
        raise ValueError(f"{what} underflows float64; wanted rescaled data")


def check_pair_count(n_pairs: int, most: int, precision: str) -> None:
    """Raise ValueError if there are more pairs than the places of a sorted key can count."""
    if n_pairs > most:
        raise ValueError(
            f"X and Y have {n_pairs:,} pairs of points, precision={precision!r} sorts at most {most:,}; wanted "
            "precision='histogram'"
        )


def check_curves(curves: Sequence[Any], kind: type, names: Sequence[Any]) -> None:
    """Raise unless there are two or more curves, all of the same data."""
    for name, curve in zip(names, curves, strict=True):
        if not isinstance(curve, kind):
            raise TypeError(f"curves has {describe(curve)} for {name!r}; wanted {kind.__name__} or PairSums")
    if len(curves) < 2:
        raise ValueError(f"curves has {_count(len(curves), 'curve')}; wanted at least 2 to compare")
    first: Any = curves[0]
    for name, curve in zip(names, curves, strict=True):
        other: Any = curve
        same = abs(other.sum_d2 - first.sum_d2) <= 1e-9 * first.sum_d2
        if other.n_pairs != first.n_pairs or not same:
            raise ValueError(
                f"curves has pictures of different data: {names[0]!r} with {first.n_pairs} pairs and Σd² = "
                f"{first.sum_d2:g}, {name!r} with {other.n_pairs} and {other.sum_d2:g}; wanted pictures of the same X"
            )


def inverse_covariance(points: FloatArray) -> npt.NDArray[np.float64]:
    """Return the inverse covariance of X for the Mahalanobis metric, or say that there is none."""
    cov = np.atleast_2d(np.cov(points, rowvar=False))
    if np.linalg.matrix_rank(cov, hermitian=True) < cov.shape[0]:
        raise ValueError(
            f"X has a covariance of rank {np.linalg.matrix_rank(cov, hermitian=True)} in {cov.shape[0]} dimensions, "
            "where metric='mahalanobis' is undefined; wanted points that fill their dimensions"
        )
    return np.asarray(np.linalg.inv(cov))


# --- affinities and divergences -------------------------------------------------------------------------------


def check_perplexity(perplexity: Any, n_points: int) -> float:
    """Return the perplexity as a float, at least 1 and less than the number of other points."""
    value = check_real(perplexity, "perplexity", low=1.0, high=math.inf, open_high=True)
    if value >= n_points - 1:
        raise ValueError(
            f"perplexity is {value:g}, X has {_count(n_points, 'point')}; wanted less than {n_points - 1}, the number "
            "of other points, because it is the number of neighbours that a point effectively has"
        )
    return value


def as_affinity_matrix(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a finite square matrix for use as affinities; `check_affinities` checks the rest."""
    matrix = as_array(x, name, ndim=2, wanted="a square matrix of affinities of shape (N, N)")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{name} has shape {matrix.shape} with metric='affinities'; wanted a square matrix of affinities (N, N)"
        )
    P = np.ascontiguousarray(matrix, dtype=np.float64)
    if not is_finite_sum(P):
        raise_if_not_finite(P, name)
    return P


def check_affinities(total: float, lowest: float, gap: float, where: tuple[int, int], name: str) -> None:
    """Raise ValueError unless affinities are non-negative and symmetric, 0 on the diagonal, and sum to 1."""
    if lowest < 0:
        raise ValueError(
            f"{name} has a negative affinity ({lowest:g}); wanted probabilities of pairs, all ≥ 0"
        )
    i, j = where
    # Joint probabilities of a few points in float32 differ by 1e-8.
    if gap > 1e-8:
        raise ValueError(
            f"{name} has {gap:g} at ({i}, {i}); wanted affinities, which are 0 from a point to itself"
            if i == j
            else f"{name} is not symmetric (entries ({i}, {j}) and ({j}, {i}) differ by {gap:g}); wanted affinities"
        )
    if not abs(total - 1.0) <= 1e-6:
        raise ValueError(
            f"{name} sums to {total:.9g}; wanted affinities, the probabilities of all ordered pairs, which sum to 1"
        )


def check_scale_range(largest: float, scale: float) -> None:
    """Raise ValueError for a finite scale at which the square of a distance of the picture overflows."""
    if not largest < 1e150:
        raise ValueError(
            f"scale is {scale:g}, at which the squares of the distances in Y overflow float64; wanted a smaller scale, "
            "or math.inf for the limit"
        )


def check_power_of_two(value: Any, name: str, *, high: int) -> int:
    """Return the exponent of a power of two within 1 … high."""
    number = check_integer(value, name, low=1, high=high)
    if number & (number - 1):
        raise ValueError(f"{name} is {number}; wanted a power of two from 1 to {high}")
    return number.bit_length() - 1


# Random lists that hang together


def check_no_strata(given: bool) -> None:
    """Raise ValueError if strata are given for lists whose words are not drawn one by one."""
    if given:
        raise ValueError(
            'strata_a or strata_b is given with draw="neighbourhoods"; wanted draw="words", or no strata'
        )


def check_neighbourhoods_drawn(missing: int, n_draws: int) -> None:
    """Raise ValueError if a pool is so small that two neighbourhoods without a common word are hardly ever found."""
    if missing:
        raise ValueError(
            f"pool has so few words that {missing} of {n_draws} pairs of neighbourhoods without a common word were not "
            "found; wanted a larger pool"
        )


# --- datasets and pictures of a projection --------------------------------------------------------------------


def check_published_scaling(preprocess: str, scaling: str) -> None:
    """Raise ValueError for a scaling that the published pipeline does not have."""
    if preprocess == "as-published" and scaling != "minmax":
        raise ValueError(
            f"scaling is {scaling!r} with preprocess='as-published', which projects min-max scaled data; wanted "
            "scaling='minmax', or preprocess='consistent'"
        )


def check_name(value: Any, name: str, known: Sequence[str], *, what: str) -> str:
    """Return `value` if it is one of the names known, else raise with those that are spelt like it, or all."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {describe(value)}; wanted the name of a {what}")
    if value not in known:
        near = difflib.get_close_matches(value.lower().replace("_", "-").replace(" ", "-"), known, n=3)
        hint = f"did you mean {' or '.join(map(repr, near))}? wanted" if near else "wanted"
        raise ValueError(f"{name} is {value!r}; {hint} one of {', '.join(known)}")
    return value


def check_parameters(given: Iterable[str], known: Sequence[str], method: str) -> None:
    """Raise TypeError for parameters that a projection method does not have."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        listed = ", ".join(known) if known else "none"
        raise TypeError(
            f"parameters for method {method!r} include {', '.join(map(repr, unknown))}; wanted parameters of it: {listed}"
        )


def check_init(init: Any, method: str, inits: Sequence[str]) -> str | None:
    """Return the start of a projection method: the one given, the first of its own, or None if it has none."""
    if init is None:
        return inits[0] if inits else None
    if not inits:
        raise ValueError(f"init is {init!r}, but method {method!r} starts from nothing; wanted init=None")
    return check_option(init, "init", inits)


def check_seed(seed: Any) -> int | None:
    """Return a seed for libraries that take 32 bits, or None."""
    if seed is None:
        return None
    return check_integer(seed, "seed", low=0, high=2**32 - 1)


def check_here(name: str, *, folder: Any, openml: bool) -> None:
    """Raise ValueError for a folder or a download where a dataset needs none."""
    if folder is not None or openml:
        given = f"folder={str(folder)!r}" if folder is not None else "openml=True"
        raise ValueError(f"{given} is given for {name!r}, which is here already; wanted load({name!r})")


def check_source(name: str, content: str, *, folder: Any, openml: bool, on_openml: bool) -> None:
    """Raise ValueError, saying how to get a dataset that no package carries, unless one way to it is given."""
    way = (
        f"folder=…, the folder with X.npy and y.npy of {name!r} from the supplement of the survey of Espadoto et al. "
        '("Toward a quantitative survey of dimension reduction techniques", datasets page of its repository proj-quant-eval)'
    )
    if on_openml:
        way += ", or openml=True, which downloads it"
    if folder is not None and openml:
        raise ValueError(f"folder and openml are both given for {name!r}; wanted one of them")
    if openml and not on_openml:
        raise ValueError(
            f"openml is True, but OpenML has no table from which {name!r} could be made; wanted {way}"
        )
    if folder is None and not openml:
        raise ValueError(f"{name!r} ({content}) does not come with the package; wanted {way}")


def as_stored_array(path: Any) -> npt.NDArray[Any]:
    """Return a .npy file as a memory map; a file with pickled objects, or of another format, is refused."""
    try:
        stored: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read ({error}); wanted a .npy file of numbers") from error
    if not isinstance(stored, np.ndarray):
        raise ValueError(f"{path} is an archive; wanted a .npy file of numbers")
    return stored


def check_surveyed_shape(shape: Sequence[int], where: str, n_points: Set[int], n_dimensions: int) -> None:
    """Raise ValueError unless a table has the size that is known of it."""
    if len(shape) != 2 or shape[0] not in n_points or shape[1] != n_dimensions:
        rows = " or ".join(str(number) for number in sorted(n_points))
        raise ValueError(
            f"{where} has shape {tuple(shape)}; wanted {rows} points in {n_dimensions} dimensions"
        )


def check_faces(n_empty: int) -> None:
    """Raise ValueError for the survey's faces, most of which were lost when they were written."""
    if n_empty:
        raise ValueError(
            f"X.npy has {n_empty} rows of zeros, as the survey's file of the ORL faces does by mistake; wanted the 400 "
            "faces themselves, of which sklearn.datasets.fetch_olivetti_faces has another version (64 × 64)"
        )


def check_label_count(shape: Sequence[int], n_points: int, where: str) -> None:
    """Raise ValueError unless there is one label per point."""
    if tuple(shape) != (n_points,):
        raise ValueError(f"{where} has shape {tuple(shape)}; wanted one label for each of {n_points} points")


def check_resolved(spread: npt.NDArray[np.float64], columns: npt.NDArray[np.intp], name: str) -> None:
    """Raise ValueError if a column that is not constant has a spread too small to divide by."""
    small = columns[~(spread >= np.finfo(np.float64).tiny)]
    if small.size:
        raise ValueError(
            f"{name} has a spread in column {small[0]} that underflows float64; wanted rescaled data"
        )


# --- tables of scores of pictures -----------------------------------------------------------------------------


def check_columns(found: Iterable[str], wanted: Sequence[str], name: str) -> None:
    """Raise ValueError for a table that lacks columns."""
    found = list(map(str, found))
    missing = [column for column in wanted if column not in found]
    if missing:
        raise ValueError(f"{name} lacks the columns {', '.join(missing)}; found {', '.join(found)}")


def check_methods_scored(found: Iterable[str], wanted: Sequence[str], name: str) -> None:
    """Raise ValueError for a table of scores without some of the methods that are compared."""
    found = list(dict.fromkeys(map(str, found)))
    missing = [method for method in wanted if method not in found]
    if missing:
        raise ValueError(f"{name} has no scores of {', '.join(missing)}; found those of {', '.join(found)}")


def check_scale_count(found: int, wanted: int) -> None:
    """Raise ValueError unless there is one scale for each picture."""
    if found != wanted:
        raise ValueError(
            f"scales has {_count(found, 'value')} for {_count(wanted, 'picture')}; wanted one for each"
        )


def check_page_size(found: int, most: int) -> None:
    """Raise ValueError for statistics that are too long for a page."""
    if found > most:
        raise ValueError(
            f"max_bytes is {most}, but the statistics of these pictures take {found}; "
            "wanted more room, fewer pictures or a smaller max_drawn"
        )


def check_scored_completely(values: npt.NDArray[Any], name: str) -> None:
    """Raise ValueError if pictures that are compared seed by seed have scores missing."""
    missing = int(np.isnan(values).sum())
    if missing:
        raise ValueError(
            f"{name} lack {missing} of {values.size} scores that are compared; wanted one of every method "
            "for each dataset and seed"
        )


def check_changes(values: npt.NDArray[np.float64], name: str) -> None:
    """Raise ValueError for values of which no correlation can be taken, all being equal up to rounding."""
    if values.size < 2 or not np.ptp(values) > 1e-12 * float(np.abs(values).max()):
        raise ValueError(f"{name} is {values[0]:g} at all steps; wanted values that change")


# --- transformers ---------------------------------------------------------------------------------------------


def as_samples(estimator: Any, x: Any, *, reset: bool, min_dimensions: int = 1) -> npt.NDArray[np.float64]:
    """Return `x` as a float64 matrix by scikit-learn's rules, which also keep or compare names and number of columns.

    `reset` is True where the estimator is fitted, which takes at least 2 rows.
    """
    from sklearn.utils.validation import validate_data

    checked = validate_data(
        estimator,
        x,
        reset=reset,
        dtype=np.float64,
        ensure_min_samples=2 if reset else 1,
        ensure_min_features=min_dimensions,
    )
    return np.asarray(checked, dtype=np.float64)


def check_removed(n_components: Any, n_points: int, n: int) -> int:
    """Return the number of directions to remove from `n_points` points: max(1, ⌊n/100⌋) for None."""
    if n_components is None:
        number, origin = max(1, n // 100), f" (None takes one in a hundred of {n} dimensions)"
    else:
        number, origin = check_integer(n_components, "n_components", low=0), ""
    if number > n - 1:
        raise ValueError(
            f"n_components is {number} of {n} dimensions, which leaves none; wanted at most {n - 1}"
        )
    if number > n_points - 1:
        raise ValueError(
            f"n_components is {number}{origin}, but {n_points} points have at most {n_points - 1} directions with variance; "
            "wanted fewer directions or more points"
        )
    return number


def check_more_points_than_dimensions(n_points: int, n: int) -> None:
    """Raise ValueError unless a covariance of so many points can have full rank."""
    if n_points <= n:
        raise ValueError(
            f"X has {_count(n_points, 'point')} in {_count(n, 'dimension')}, whose covariance has at most "
            f"{n_points - 1} directions with variance; wanted more points than dimensions for whitening: "
            "fit it on more documents, or reduce the dimensions first"
        )


def check_full_rank(eigenvalues: npt.NDArray[np.float64], floor: float) -> None:
    """Raise ValueError if directions without variance (up to rounding) would be divided by it."""
    rounding = eigenvalues.size * float(np.finfo(np.float64).eps)
    void = int((eigenvalues <= rounding * eigenvalues[0]).sum())
    if floor <= rounding and void:
        raise ValueError(
            f"X has no variance in {void} of its {eigenvalues.size} principal directions, which cannot be scaled to "
            f"1; wanted a floor above 0 and above rounding ({rounding:.2g}; relative to the largest eigenvalue), or fewer "
            "dimensions"
        )


def as_whitened(x: Any, n: int) -> npt.NDArray[np.float64]:
    """Return whitened rows in the `n` dimensions in which they were fitted."""
    rows = np.asarray(as_points(x), dtype=np.float64)
    if rows.shape[1] != n:
        raise ValueError(f"X has {_count(rows.shape[1], 'dimension')}; wanted {n}, as the fitted rows have")
    return rows


# --- rankings of documents ------------------------------------------------------------------------------------


def as_embeddings(
    questions: Points, documents: Points, names: tuple[str, str] = ("questions", "documents")
) -> tuple[FloatArray, FloatArray]:
    """Return two matrices of embeddings with the same number of dimensions, their values not looked at yet."""
    left, right = as_points(questions, names[0], finite=False), as_points(documents, names[1], finite=False)
    if left.shape[1] != right.shape[1]:
        raise ValueError(
            f"{names[0]} has {_count(left.shape[1], 'dimension')} (shape {left.shape}), {names[1]} has "
            f"{right.shape[1]} (shape {right.shape}); wanted embeddings by one model"
        )
    return left, right


def as_gold(gold: Any, n_questions: int, n_documents: int, name: str = "gold") -> npt.NDArray[np.int64]:
    """Return the position of the right document of every question."""
    if gold is None:
        raise ValueError(f"{name} is None; wanted one document position for each question")
    objects = getattr(getattr(gold, "dtype", None), "kind", "") == "O" and gold.ndim == 1
    if objects or isinstance(gold, (list, tuple)):
        # None beside whole numbers, which as_array would take for any object
        gold = [math.nan if place is None else place for place in gold]
    array = as_array(gold, name, ndim=1, wanted="one document position for each question")
    if array.shape[0] != n_questions:
        raise ValueError(
            f"{name} has {_count(array.shape[0], 'position')} for {_count(n_questions, 'question')}; "
            "wanted one document position for each question"
        )
    if array.dtype.kind == "f":
        missing = np.flatnonzero(np.isnan(array))
        if missing.size:
            raise ValueError(
                f"{name} is missing (NaN) for {missing.size} of {_count(n_questions, 'question')}, first for "
                f"question {missing[0]}; wanted one document position for each: drop questions without an answer"
            )
    positions = _as_whole_numbers(array, name, "positions")
    bad = np.flatnonzero((positions < 0) | (positions >= n_documents))
    if bad.size:
        raise ValueError(
            f"{name} is outside the documents for {bad.size} of {_count(n_questions, 'question')}, first for "
            f"question {bad[0]} ({positions[bad[0]]}); wanted positions from 0 to {n_documents - 1}"
        )
    return positions


def _as_whole_numbers(array: npt.NDArray[Any], name: str, what: str) -> npt.NDArray[np.int64]:
    if array.dtype.kind == "b":
        raise TypeError(f"{name} holds truth values; wanted {what}, whole numbers")
    if array.dtype.kind == "f":
        bad = np.flatnonzero(~(np.isfinite(array) & (array == np.rint(array))))
        if bad.size:
            raise ValueError(f"{name} has {array[bad[0]]} in entry {bad[0]}; wanted {what}, whole numbers")
    if array.dtype.kind in "fu":
        far = np.flatnonzero((array >= 2.0**63) | (array < -(2.0**63)))
        if far.size:
            raise ValueError(
                f"{name} has {array[far[0]]} in entry {far[0]}; wanted {what}, whole numbers below 2⁶³"
            )
    return array.astype(np.int64)


def check_n_best(k: Any, n_documents: int) -> int:
    """Return the number of documents that are retrieved, from 1 to all."""
    return check_integer(k, "k", low=1, high=n_documents, why=f"there are {n_documents} documents")


def as_ranks(ranks: Any, name: str = "ranks") -> npt.NDArray[np.int64]:
    """Return 1-based ranks, one for each question, at least one."""
    array = as_array(ranks, name, ndim=1, wanted="one rank for each question")
    if array.shape[0] == 0:
        raise ValueError(f"{name} is empty; wanted the rank of the right document for at least one question")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise_if_not_finite(array, name, unit="entry")
    numbers = _as_whole_numbers(array, name, "ranks")
    bad = np.flatnonzero(numbers < 1)
    if bad.size:
        raise ValueError(
            f"{name} is below 1 for {bad.size} of {_count(numbers.size, 'question')}, first for question {bad[0]} "
            f"({numbers[bad[0]]}); wanted ranks that count from 1"
        )
    return numbers


def check_same_questions(sizes: Mapping[str, int]) -> None:
    """Raise ValueError unless all arguments are about equally many questions."""
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name} is about {size}" for name, size in sizes.items())
        raise ValueError(f"{found} questions; wanted the same questions in the same order")


def check_bootstraps(n_bootstraps: Any, confidence: float) -> int:
    """Return the number of bootstrap samples, enough that each end of the interval leaves out at least one."""
    return check_resample_count(n_bootstraps, confidence, "n_bootstraps")


def check_resample_count(number: Any, confidence: float, name: str = "n_resamples") -> int:
    """Return the number of samples, enough that each end of an interval of percentiles leaves out at least one."""
    # 1e-9: 2/(1 − 0.95) is 40.000000000000036.
    low = max(40, math.ceil(2.0 / (1.0 - confidence) - 1e-9))
    return check_integer(
        number,
        name,
        low=low,
        why=f"fewer leave no sample outside the percentiles of a {100 * confidence:g}% interval",
    )


# --- thresholds of similarities -------------------------------------------------------------------------------


def as_top_similarities(x: Any, name: str = "similarities") -> npt.NDArray[np.float64]:
    """Return the similarities of each question's best documents, in descending order along rows."""
    array = as_array(x, name, ndim=2, wanted="a matrix of shape (Q, K): the K best of each question")
    if 0 in array.shape:
        raise ValueError(f"{name} is empty (shape {array.shape}); wanted at least 1 question and 1 document")
    values: npt.NDArray[np.float64] = np.asarray(array, dtype=np.float64)
    raise_if_not_finite(values, name)
    rising = np.flatnonzero((np.diff(values, axis=1) > 0).any(axis=1))
    if rising.size:
        raise ValueError(
            f"{name} rises along {rising.size} of {len(values)} rows, first in row {rising[0]}; wanted the best "
            "document first, as from top_k"
        )
    return values


def check_percentiles(psi: Any, name: str = "psi") -> npt.NDArray[np.float64]:
    """Return percentages from 0 to 100; a number between 0 and 1 is taken for a share and refused."""
    given = as_array(np.atleast_1d(psi), name, ndim=1, wanted="percentages")
    if given.dtype.kind == "b":
        raise TypeError(f"{name} is {describe(psi)}; wanted a percentage from 0 to 100")
    array = np.asarray(given, dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{name} is empty; wanted at least one percentage")
    for value in array:
        if 0.01 <= value < 1.0:
            raise ValueError(
                f"{name} is {value:g}; wanted a percentage from 0 to 100: for a share of {value:g} pass {100 * value:g}"
            )
        if 0.0 < value < 0.01:
            raise ValueError(
                f"{name} is {value:g}; wanted 0 or a percentage from 1 to 100: what lies between may be meant as a share"
            )
        check_real(value, name, low=0.0, high=100.0)
    return array


def as_question_set(x: Any, name: str, n_questions: int) -> npt.NDArray[np.intp]:
    """Return the positions of some questions, given as positions or as a truth value for each question."""
    array = as_array(x, name, ndim=1, wanted="positions of questions, or a truth value for each")
    if array.dtype.kind == "b":
        if array.size != n_questions:
            raise ValueError(
                f"{name} has {array.size} truth values for {_count(n_questions, 'question')}; wanted one for each"
            )
        positions = np.flatnonzero(array)
    else:
        positions = _as_whole_numbers(array, name, "positions of questions").astype(np.intp)
    if positions.size == 0:
        raise ValueError(f"{name} has no questions; wanted at least one")
    bad = positions[(positions < 0) | (positions >= n_questions)]
    if bad.size:
        raise ValueError(f"{name} has position {bad[0]}; wanted positions from 0 to {n_questions - 1}")
    if np.unique(positions).size < positions.size:
        raise ValueError(f"{name} names a question twice; wanted each at most once")
    return positions


def check_halves(calibration: npt.NDArray[np.intp], report: npt.NDArray[np.intp]) -> None:
    """Raise ValueError if a threshold would be reported on questions that it was chosen with."""
    if report.size == 0:
        raise ValueError(
            "calibration takes all questions and leaves none to report on; wanted other questions for the report"
        )
    shared = np.intersect1d(calibration, report)
    if shared.size:
        raise ValueError(
            f"calibration and report share {_count(int(shared.size), 'question')}, first {shared[0]}; wanted other "
            "questions for the report, since a threshold looks harmless on those that it was chosen with"
        )


def check_halves_possible(n_left: int, n_questions: int, *, whole: bool) -> None:
    """Raise ValueError unless questions are left to choose a threshold with, and two to be divided."""
    if whole and n_questions < 2:
        raise ValueError(
            f"ranks has {_count(n_questions, 'question')}; wanted at least 2, some to choose the threshold with and "
            "others to report on"
        )
    if n_left == 0:
        raise ValueError(
            "report takes all questions and leaves none to choose the threshold with; wanted other questions for the "
            "calibration"
        )


def check_margin_reachable(
    bound: float, margin: float, n_questions: int, z: float, *, nothing_lost: bool
) -> None:
    """Raise ValueError if not even the lowest threshold can be shown to lose no more than the margin."""
    if bound > margin:
        cause = (
            f"a threshold that loses nothing needs {math.ceil(z**2 * (1.0 - margin) / margin)}"
            if nothing_lost
            else "lower percentages may help, too"
        )
        raise ValueError(
            f"margin is {margin:g}, but with {_count(n_questions, 'calibration question')} even the lowest threshold "
            f"may lose up to {bound:.3g}; wanted a larger margin, or more questions ({cause})"
        )


# --- distributions of similarities ----------------------------------------------------------------------------


def check_kind(x: Any, name: str, kind: type) -> None:
    """Raise TypeError unless `x` is of this kind."""
    if not isinstance(x, kind):
        raise TypeError(f"{name} is {describe(x)}; wanted {kind.__name__}")


def check_other_documents(n_documents: int) -> None:
    """Raise ValueError if there is no document beside the right one."""
    if n_documents < 2:
        raise ValueError("documents has 1 point; wanted at least 2, so that one is not the right document")


def check_bandwidth_used(method: str) -> None:
    """Raise ValueError if a bandwidth is given where there is no kernel."""
    if method != "kde":
        raise ValueError(f"bandwidth is given with method={method!r}; wanted method='kde', or no bandwidth")


def check_density_spread(spread: float, name: str) -> None:
    """Raise ValueError for values that are all equal, which have no density."""
    if not spread > 0:
        raise ValueError(
            f"{name} has equal values only, which have no density; wanted values that differ, or a bandwidth"
        )


def check_percentile(psi: Any, name: str = "psi") -> float:
    """Return one percentage from 0 to 100; a number between 0 and 1 is taken for a share and refused."""
    check_real(psi, name, low=0.0, high=100.0)
    return float(check_percentiles(psi, name)[0])


# --- separation of two sets of sentences ----------------------------------------------------------------------


def check_same_dimensions(left: Sequence[int], right: Sequence[int], names: tuple[str, str]) -> None:
    """Raise ValueError unless two matrices have equally many columns."""
    if left[1] != right[1]:
        raise ValueError(
            f"{names[0]} has {_count(left[1], 'dimension')} (shape {tuple(left)}), {names[1]} has {right[1]} "
            f"(shape {tuple(right)}); wanted embeddings by one model"
        )


def check_some_apart(within_mean: float) -> None:
    """Raise ValueError if every domain sentence coincides with another one."""
    if not within_mean > 0:
        raise ValueError(
            "domain has a duplicate of every sentence, so that the distance within it is 0; wanted distinct sentences"
        )


def check_same_sentences(before: int, after: int) -> None:
    """Raise ValueError unless two separations are about equally many sentences."""
    if before != after:
        raise ValueError(
            f"before is about {_count(before, 'sentence')} and after about {after}; "
            "wanted the same sentences in the same order"
        )


def check_same_candidates(before: int | None, after: int | None) -> None:
    """Raise ValueError unless two separations sought the nearest among equally many sentences."""
    if before != after:
        raise ValueError(
            f"before sought the nearest among n={before} sentences and after among n={after}; wanted the same n, "
            "since the nearest of more sentences is nearer"
        )


def check_ratios_defined(log_ratios: npt.NDArray[np.float64]) -> None:
    """Raise ValueError if bootstrap samples have no distance within the domain, or none to the outside."""
    bad = int((~np.isfinite(log_ratios)).sum())
    if bad:
        raise ValueError(
            f"domain has so many duplicates that {bad} of {log_ratios.size} bootstrap samples have distances of 0 "
            "only; wanted distinct sentences"
        )


# --- correlations of scores -----------------------------------------------------------------------------------


def as_score_pairs(
    x: Any, y: Any, names: tuple[str, str], *, min_rows: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return two columns of scores of the same rows, both of which vary."""
    columns = []
    for values, name in zip((x, y), names, strict=True):
        array = as_array(values, name, ndim=1, wanted="one score for each row")
        column = np.asarray(array, dtype=np.float64)
        raise_if_not_finite(column, name, unit="entry")
        columns.append(column)
    if columns[0].size != columns[1].size:
        raise ValueError(
            f"{names[0]} has {_count(columns[0].size, 'score')} and {names[1]} has {columns[1].size}; "
            "wanted two scores of the same rows"
        )
    for column, name in zip(columns, names, strict=True):
        if column.size < min_rows:
            raise ValueError(
                f"{name} has {_count(column.size, 'score')}; wanted at least {min_rows} for a correlation"
            )
        if not np.ptp(column) > 1e-12 * float(np.abs(column).max()):
            raise ValueError(
                f"{name} is {column[0]:g} in all {column.size} rows; wanted scores that vary, or there is no "
                "correlation"
            )
    return columns[0], columns[1]


def check_score_groups(n_groups: int, sizes: Sequence[int], interval: str) -> None:
    """Raise ValueError unless groups of rows can be resampled and permuted as wholes."""
    if interval == "fisher":
        raise ValueError(
            "interval is 'fisher' with groups, but takes rows for independent; wanted 'jackknife' or 'bootstrap'"
        )
    if n_groups < 4:
        raise ValueError(f"groups has {_count(n_groups, 'distinct label')}; wanted at least 4")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"groups have from {min(sizes)} to {max(sizes)} rows; wanted equally many, with the same meaning in the "
            "same order, so that they can be permuted"
        )


def check_jackknife_possible(left: Sequence[float]) -> None:
    """Raise ValueError if a correlation is ±1 without one of its rows, where its z is infinite."""
    if max(map(abs, left)) >= 1.0 - 1e-15:
        raise ValueError(
            "x and y have correlation ±1 when one row or group is left out, where the jackknife is undefined; "
            "wanted interval='fisher' or 'bootstrap'"
        )


def check_some_groups(n_groups: int, name: str) -> None:
    """Raise ValueError unless there are two groups."""
    if n_groups < 2:
        raise ValueError(
            f"{name} has {_count(n_groups, 'distinct label')}; wanted at least 2 groups that were pooled"
        )


def check_varies_within(within: float, total: float, name: str, group: str) -> None:
    """Raise ValueError if a column is constant within every group."""
    if not within > 1e-14 * total:
        raise ValueError(
            f"{name} does not vary within any {group}; wanted scores that do, or there is no correlation within"
        )


# --- transformations of embeddings ----------------------------------------------------------------------------


def check_some_transforms(number: int) -> None:
    """Raise ValueError if no transformation is asked for."""
    if not number:
        raise ValueError("transforms is empty; wanted at least one transformation")


def check_transformer(transformer: Any, name: str) -> None:
    """Raise TypeError unless this is one transformer, not a class and not one for each side."""
    if isinstance(transformer, (tuple, list)):
        raise TypeError(
            f"{name} is a {type(transformer).__name__} of {len(transformer)}; wanted one transformer for questions and "
            "documents alike: fitted on one side each, two send them into different spaces"
        )
    if isinstance(transformer, type) or not (
        hasattr(transformer, "fit") and hasattr(transformer, "transform")
    ):
        raise TypeError(f"{name} is {describe(transformer)}; wanted a transformer with fit and transform")


def check_fitted_for(transformer: Any, questions: FloatArray, documents: FloatArray) -> None:
    """Raise ValueError unless a transformer is fitted, in these dimensions, and not on the questions alone."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    kind = type(transformer).__name__
    try:
        check_is_fitted(transformer)
    except NotFittedError:
        raise ValueError(
            f"transformer is a {kind} that is not fitted; wanted {kind}(...).fit(documents)"
        ) from None
    n = int(documents.shape[1])
    fitted = int(getattr(transformer, "n_features_in_", n))
    if fitted != n:
        raise ValueError(
            f"transformer was fitted in {_count(fitted, 'dimension')}, questions and documents have {n}; "
            "wanted one that was fitted on these documents"
        )
    mean: Any = getattr(transformer, "mean_", None)
    if mean is None or np.shape(mean) != (n,):
        return
    of_questions = questions.mean(axis=0, dtype=np.float64)
    of_documents = documents.mean(axis=0, dtype=np.float64)
    scale = float(max(np.abs(of_questions).max(), np.abs(of_documents).max(), np.abs(mean).max()))
    to_questions, to_documents = np.abs(mean - of_questions).max(), np.abs(mean - of_documents).max()
    # The second for means far from 0 that differ by little; neither is met by rounding alone.
    if to_questions <= 1e-6 * scale < to_documents or (
        to_questions <= 1e-3 * to_documents and to_documents > 1e-9 * scale
    ):
        raise ValueError(
            f"transformer is a {kind} that was fitted on the questions only (its mean is theirs, and not that of the "
            "documents); wanted one that was fitted on the documents and is applied to both"
        )


def check_ndcg_possible(ndcg: float, accuracy: float, least_gain: float, k: int) -> None:
    """Raise ValueError unless ranks exist with this NDCG and this share within the first k."""
    low, high = accuracy * least_gain, accuracy
    if not low - 1e-12 <= ndcg <= high + 1e-12:
        raise ValueError(
            f"ndcg is {ndcg:g} at an accuracy of {accuracy:g}; wanted a number from {low:.4g} (all hits at rank {k}) "
            f"to {high:g} (all at rank 1)"
        )


# --- comparisons of models ------------------------------------------------------------------------------------


def check_last_rank(k: Any, metric: str) -> int | None:
    """Return the last rank that counts; None, for all, with the reciprocal rank only."""
    if k is None:
        if metric != "mrr":
            raise ValueError(f"k is None with metric {metric!r}; wanted the number of documents retrieved")
        return None
    return check_integer(k, "k", low=1)


def check_models(models: Any, baseline: Any) -> list[str]:
    """Return the names of at least two models, the baseline being one of them."""
    if not isinstance(models, Mapping):
        raise TypeError(f"models is {describe(models)}; wanted a mapping of names to ranks")
    names = list(models)
    if len(names) < 2:
        raise ValueError(f"models has {_count(len(names), 'model')}; wanted at least 2 to compare")
    if baseline is not None and baseline not in names:
        raise ValueError(f"baseline is {baseline!r}; wanted one of {', '.join(repr(name) for name in names)}")
    return names


def as_p_values(x: Any, name: str = "p_values") -> npt.NDArray[np.float64]:
    """Return at least one number, all from 0 to 1."""
    array = np.asarray(as_array(x, name, ndim=1, wanted="p-values, one for each test"), dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{name} is empty; wanted at least one p-value")
    raise_if_not_finite(array, name, unit="entry")
    bad = np.flatnonzero((array < 0) | (array > 1))
    if bad.size:
        raise ValueError(f"{name} has {array[bad[0]]:g} in entry {bad[0]}; wanted numbers from 0 to 1")
    return array


# --- adaptation to a domain -----------------------------------------------------------------------------------


def check_fitted_dimensions(found: int, wanted: int, name: str) -> None:
    """Raise ValueError unless rows have the number of dimensions that was fitted."""
    if found != wanted:
        raise ValueError(f"{name} has {_count(found, 'dimension')}; wanted {wanted}, as in fit")


def check_fold_count(n_folds: Any, n_groups: int) -> int:
    """Return the number of folds, from 2 to the number of groups, which are never parted."""
    number = check_integer(n_folds, "n_folds", low=2)
    if number > n_groups:
        raise ValueError(
            f"n_folds is {number} for {_count(n_groups, 'group')}; wanted at least one group a fold"
        )
    return number


def check_cross_fitting(gold: npt.NDArray[np.int64], folds: npt.NDArray[np.intp]) -> None:
    """Raise ValueError unless there are two folds or more, with no right document in common."""
    if folds.size == 0 or folds.max() == 0:
        raise ValueError(
            "folds puts all questions into one fold; wanted at least 2: nothing is left to fit on"
        )
    pairs = np.unique(np.stack([gold, folds]), axis=1)
    documents, counts = np.unique(pairs[0], return_counts=True)
    shared = documents[counts > 1]
    if shared.size:
        raise ValueError(
            f"{_count(shared.size, 'document')} answer questions of several folds (first: document {shared[0]}), so "
            "that an adapter would have seen the answers that it is scored on; wanted folds that keep questions with "
            "one answer together, as folds(gold) makes them"
        )


# --- retrieval: experiments -----------------------------------------------------------------------------------


def check_different_names(names: Sequence[str], what: str) -> None:
    """Refuse no names at all, and one that stands twice."""
    if not names:
        raise ValueError(f"{what} is empty; wanted at least one")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"{what} has two with the name {', '.join(map(repr, twice))}; wanted a name for each"
        )


def check_some_agnostic(number: int) -> None:
    """Raise ValueError if no variant has sentences of no domain."""
    if number == 0:
        raise ValueError("variants have no agnostic sentences; wanted at least one that has")


# --- variants of embeddings -----------------------------------------------------------------------------------


def as_texts(texts: Any, name: str) -> list[str]:
    """Return a list of texts: at least one, none empty."""
    if isinstance(texts, (str, bytes, Mapping, Set)) or not isinstance(texts, Iterable):
        hint = f"; for one text pass [{name}]" if isinstance(texts, str) else ""
        raise TypeError(f"{name} is {describe(texts)}; wanted a list of texts{hint}")
    found = list(texts)
    if not found:
        raise ValueError(f"{name} is empty; wanted at least one text")
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{place}] is {describe(text)}; wanted a str")
    empty = [place for place, text in enumerate(found) if not text.strip()]
    if empty:
        raise ValueError(f"{name}[{empty[0]}] is empty ({len(empty)} such); drop empty texts first")
    return [str(text) for text in found]


def check_variants(names: Sequence[str], known: Sequence[str], *, own: bool) -> None:
    """Raise ValueError for names of variants that do not exist."""
    for name in names:
        if name not in known:
            hint = " for texts of your own" if own else ""
            raise ValueError(f"names has {name!r}; wanted{hint} some of {', '.join(known)}")


def check_both_texts(questions: bool, documents: bool) -> None:
    """Raise ValueError if only one side's texts are given."""
    if questions != documents:
        given, missing = ("questions", "documents") if questions else ("documents", "questions")
        raise ValueError(f"{given} is given without {missing}; wanted both, or neither for the bundled ones")


def check_gold_given(given: bool, wanted: bool) -> None:
    """Raise ValueError if right documents are needed and missing."""
    if wanted and not given:
        raise ValueError(
            "gold is missing, and 'minilm-adapter' learns from it; wanted one position a question"
        )


def check_some_words(counts: npt.NDArray[Any], name: str, source: str) -> None:
    """Raise ValueError for texts of which no word is known."""
    empty = np.flatnonzero(counts == 0)
    if empty.size:
        raise ValueError(
            f"{name}: {_count(empty.size, 'text')} without a word that {source} have, first text {empty[0]}; "
            "wanted at least one in each: drop such texts, or leave this variant out"
        )


def check_lsa(n: int, shape: Sequence[int], name: str) -> None:
    """Raise ValueError unless a matrix of counts has more than `n` rows and columns."""
    if min(shape) <= n:
        raise ValueError(
            f"{name} has more dimensions than {shape[0]} documents with {shape[1]} different words give; wanted more "
            f"than {n} of both, or names without it"
        )


# Reanalyses: distances mapped to [0, 1]
# ------------------------------------------------------------------------------------------


def check_range_of_distances(distances: npt.NDArray[np.float64], name: str) -> None:
    """Raise ValueError for distances that are all equal, up to rounding: nothing maps them to [0, 1]."""
    if not np.ptp(distances) > 1e-12 * float(distances.max()):
        raise ValueError(f"{name} has all distances equal ({distances[0]:g}); wanted distances that differ")


# Projections: names, spheres, sizes
# ------------------------------------------------------------------------------------------


def check_several(values: Any, name: str, what: str) -> tuple[Any, ...]:
    """Return one or more things as a tuple; a text is one thing, not its letters."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} is {describe(values)}; wanted a sequence of {what}, as in [{values!r}]")
    found = tuple(values)
    if not found:
        raise ValueError(f"{name} is empty; wanted at least one of {what}")
    return found


def check_range_pair(values: Any, name: str) -> tuple[Any, Any]:
    """Return the two ends of a range."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Sequence) or len(values) != 2:
        raise ValueError(f"{name} is {values!r}; wanted two numbers, the least and the largest")
    return values[0], values[1]


def check_on_sphere(n_dimensions: int) -> None:
    """Raise ValueError unless points have a latitude and a longitude."""
    if n_dimensions != 2:
        raise ValueError(
            f"X has {_count(n_dimensions, 'dimension')} with metric='haversine'; wanted 2: latitude and longitude in radians"
        )


def check_projectable(spread: float, low: float, high: float, method: str) -> None:
    """Raise ValueError for points so far apart, or so near, that a library's square distances leave its numbers."""
    if spread > 0 and not low < spread < high:
        raise ValueError(
            f"X is {spread:.3g} wide, where method {method!r} over- or underflows; wanted rescaled data, between {low:g} and "
            f"{high:g} wide"
        )


def check_flag(value: Any, name: str) -> bool:
    """Return True or False if `value` is one of them."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {describe(value)}; wanted True or False")
    return bool(value)


# Widths of intervals
# ------------------------------------------------------------------------------------------


def check_some_sizes(number: int, name: str) -> None:
    """Raise ValueError if no size is given."""
    if number == 0:
        raise ValueError(f"{name} is empty; wanted at least one number of questions")


def check_width_possible(root: float, width: float, deviation: float) -> None:
    """Raise ValueError if an interval is so narrow that no number of questions gives it."""
    if not root < 1e150:
        raise ValueError(
            f"width is {width:g} at a deviation of {deviation:g}, for which no number of questions will do; wanted a "
            "wider interval"
        )


def check_correction_possible(product: float, size: int, n_questions: int) -> None:
    """Raise ValueError beyond the pole of the correction for skewness, where acceleration times z reaches 1."""
    if not product < 1.0:
        raise ValueError(
            f"method is 'bca' with samples of {size} from {n_questions} questions, whose values are too skewed for that "
            "correction; wanted method='percentile', or samples of all questions"
        )


def check_metric_varies(spread: float, metric: str, n_questions: int) -> None:
    """Raise ValueError if all questions score alike, where no sample varies."""
    if not spread > 0:
        raise ValueError(
            f"ranks have the same {metric} for all {n_questions} questions; wanted some hits and some misses, or no "
            "sample varies: bootstrap_accuracy gives Wilson's interval"
        )
