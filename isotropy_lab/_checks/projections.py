"""Data and their pictures: distances, affinities, datasets, tables of scores."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._checks.arrays import (
    FloatArray,
    as_array,
    describe,
    how_many,
    is_finite_sum,
    raise_if_not_finite,
    working_dtype,
)
from isotropy_lab._checks.options import check_integer, check_option, check_real


def check_same_points(n_x: int, n_y: int) -> None:
    """Raise ValueError unless the data and the picture have the same points, and at least 3 of them."""
    if n_x != n_y:
        raise ValueError(
            f"X has {how_many(n_x, 'point')} and Y has {n_y}; expected row i of Y to be the picture of row i of X"
        )
    if n_x < 3:
        raise ValueError(
            f"X and Y have {how_many(n_x, 'point')}; expected at least 3, which have 3 distances"
        )


def as_distance_matrix(x: Any, name: str) -> FloatArray:
    """Return a square matrix of distances: finite, non-negative, symmetric, with zeros on the diagonal.

    Rounding is let pass: up to a millionth of the largest distance beside zero and between the two triangles.
    """
    matrix = as_array(x, name, ndim=2, expected="a square matrix of distances of shape (N, N)")
    n = matrix.shape[0]
    if matrix.shape != (n, n):
        raise ValueError(
            f"{name} has shape {matrix.shape} with metric='precomputed'; expected a square matrix of distances (N, N), "
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
            f"{name} has a negative distance ({smallest:g} at ({i}, {j})); expected distances, all ≥ 0"
        )
    diagonal = np.diagonal(distances)
    if float(diagonal.max()) > 1e-6 * largest:
        where = int(np.argmax(diagonal))
        raise ValueError(
            f"{name} has {diagonal[where]:g} at ({where}, {where}); expected distances, which are 0 from a point to itself: are "
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
                "expected distances"
            )
    return distances


def check_metric(metric: Any, metrics: Iterable[str]) -> str:
    """Return the name of a metric if it is one of `metrics`, else raise listing them."""
    if not isinstance(metric, str):
        raise TypeError(
            f"metric is {describe(metric)}; expected the name of a metric, or metric='precomputed' with a square matrix "
            "of your own distances as X"
        )
    return check_option(metric, "metric", sorted(metrics))


def check_metric_block(block: npt.NDArray[np.float64], metric: str) -> None:
    """Raise ValueError if a metric gives numbers that are no distances."""
    if not np.isfinite(block).all():
        bad = block[~np.isfinite(block)][0]
        raise ValueError(
            f"metric {metric!r} gives a distance of {bad} between points of X; expected data for which it is defined and "
            "finite"
        )
    # Rounding: 1 − cos of a point and its multiple is −2e-16.
    if float(block.min()) < -1e-12 * max(float(block.max()), 1.0):
        raise ValueError(
            f"metric {metric!r} gives a negative distance ({float(block.min()):g}) between points of X; expected a metric"
        )


def check_some_distance(largest: float, name: str) -> None:
    """Raise ValueError if all points coincide."""
    if not largest > 0:
        raise ValueError(f"{name} has only distances of 0 (all points coincide); expected points that differ")


def check_distances_vary(spread: float, name: str) -> None:
    """Raise ValueError if all distances are equal, so that they have no ranks to compare."""
    if not spread > 0:
        raise ValueError(
            f"{name} has the same distance between any two points, so that a rank correlation is 0/0; expected "
            "distances that differ"
        )


def as_scales(scales: Any) -> npt.NDArray[np.float64]:
    """Return scales of a picture as a vector of finite numbers, all ≥ 0, at least one."""
    values = np.asarray(as_array(scales, "scales", ndim=1), dtype=np.float64)
    if values.size == 0:
        raise ValueError("scales is empty; expected at least one number ≥ 0")
    raise_if_not_finite(values, "scales", unit="entry")
    if float(values.min()) < 0:
        where = int(np.argmin(values))
        raise ValueError(f"scales has {values[where]:g} in entry {where}; expected numbers ≥ 0")
    return values


def check_tie_options(precision: str, ties: str, tie_tolerance: Any, *, stress: bool) -> None:
    """Raise ValueError for options on ties that a precision cannot follow."""
    if tie_tolerance is not None and precision != "exact":
        raise ValueError(
            f"tie_tolerance is {tie_tolerance!r} with precision={precision!r}, which settles itself what is tied; "
            "expected precision='exact', or no tie_tolerance"
        )
    if stress and precision == "histogram" and ties != "secondary":
        raise ValueError(
            f"ties is {ties!r} with precision='histogram', which forgets the order within a bin; expected "
            "ties='secondary', or precision='packed'"
        )


def check_not_vanished(scaled: float, value: float, what: str) -> None:
    """Raise ValueError if a result, computed on scaled data, is too small for float64 in the units of the data."""
    if scaled != 0 and abs(value) < 2.0**-1022:
        raise ValueError(f"{what} underflows float64; expected rescaled data")


def check_pair_count(n_pairs: int, most: int, precision: str) -> None:
    """Raise ValueError if there are more pairs than the places of a sorted key can count."""
    if n_pairs > most:
        raise ValueError(
            f"X and Y have {n_pairs:,} pairs of points, precision={precision!r} sorts at most {most:,}; expected "
            "precision='histogram'"
        )


def check_curves(curves: Sequence[Any], kind: type, names: Sequence[Any]) -> None:
    """Raise unless there are two or more curves, all of the same data."""
    for name, curve in zip(names, curves, strict=True):
        if not isinstance(curve, kind):
            raise TypeError(
                f"curves has {describe(curve)} for {name!r}; expected {kind.__name__} or PairSums"
            )
    if len(curves) < 2:
        raise ValueError(f"curves has {how_many(len(curves), 'curve')}; expected at least 2 to compare")
    first: Any = curves[0]
    for name, curve in zip(names, curves, strict=True):
        other: Any = curve
        same = abs(other.sum_d2 - first.sum_d2) <= 1e-9 * first.sum_d2
        if other.n_pairs != first.n_pairs or not same:
            raise ValueError(
                f"curves has pictures of different data: {names[0]!r} with {first.n_pairs} pairs and Σd² = "
                f"{first.sum_d2:g}, {name!r} with {other.n_pairs} and {other.sum_d2:g}; expected pictures of the same X"
            )


def inverse_covariance(points: FloatArray) -> npt.NDArray[np.float64]:
    """Return the inverse covariance of X for the Mahalanobis metric, or say that there is none."""
    cov = np.atleast_2d(np.cov(points, rowvar=False))
    if np.linalg.matrix_rank(cov, hermitian=True) < cov.shape[0]:
        raise ValueError(
            f"X has a covariance of rank {np.linalg.matrix_rank(cov, hermitian=True)} in {cov.shape[0]} dimensions, "
            "where metric='mahalanobis' is undefined; expected points that fill their dimensions"
        )
    return np.asarray(np.linalg.inv(cov))


def check_perplexity(perplexity: Any, n_points: int) -> float:
    """Return the perplexity as a float, at least 1 and less than the number of other points."""
    value = check_real(perplexity, "perplexity", low=1.0, high=math.inf, open_high=True)
    if value >= n_points - 1:
        raise ValueError(
            f"perplexity is {value:g}, X has {how_many(n_points, 'point')}; expected less than {n_points - 1}, the number "
            "of other points, because it is the number of neighbors that a point effectively has"
        )
    return value


def as_affinity_matrix(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a finite square matrix for use as affinities; `check_affinities` checks the rest."""
    matrix = as_array(x, name, ndim=2, expected="a square matrix of affinities of shape (N, N)")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{name} has shape {matrix.shape} with metric='affinities'; expected a square matrix of affinities (N, N)"
        )
    P = np.ascontiguousarray(matrix, dtype=np.float64)
    if not is_finite_sum(P):
        raise_if_not_finite(P, name)
    return P


def check_affinities(total: float, lowest: float, gap: float, where: tuple[int, int], name: str) -> None:
    """Raise ValueError unless affinities are non-negative and symmetric, 0 on the diagonal, and sum to 1."""
    if lowest < 0:
        raise ValueError(
            f"{name} has a negative affinity ({lowest:g}); expected probabilities of pairs, all ≥ 0"
        )
    i, j = where
    # Joint probabilities of a few points in float32 differ by 1e-8.
    if gap > 1e-8:
        raise ValueError(
            f"{name} has {gap:g} at ({i}, {i}); expected affinities, which are 0 from a point to itself"
            if i == j
            else f"{name} is not symmetric (entries ({i}, {j}) and ({j}, {i}) differ by {gap:g}); expected affinities"
        )
    if not abs(total - 1.0) <= 1e-6:
        raise ValueError(
            f"{name} sums to {total:.9g}; expected affinities, the probabilities of all ordered pairs, which sum to 1"
        )


def check_scale_range(largest: float, scale: float) -> None:
    """Raise ValueError for a finite scale at which the square of a distance of the picture overflows."""
    if not largest < 1e150:
        raise ValueError(
            f"scale is {scale:g}, at which the squares of the distances in Y overflow float64; expected a smaller scale, "
            "or math.inf for the limit"
        )


def check_power_of_two(value: Any, name: str, *, high: int) -> int:
    """Return the exponent of a power of two within 1 … high."""
    number = check_integer(value, name, low=1, high=high)
    if number & (number - 1):
        raise ValueError(f"{name} is {number}; expected a power of two from 1 to {high}")
    return number.bit_length() - 1


def check_no_strata(given: bool) -> None:
    """Raise ValueError if strata are given for lists whose words are not drawn one by one."""
    if given:
        raise ValueError(
            'strata_a or strata_b is given with draw="neighborhoods"; expected draw="words", or no strata'
        )


def check_neighborhoods_drawn(missing: int, n_draws: int) -> None:
    """Raise ValueError if a pool is so small that two neighborhoods without a common word are hardly ever found."""
    if missing:
        raise ValueError(
            f"pool has so few words that {missing} of {n_draws} pairs of neighborhoods without a common word were not "
            "found; expected a larger pool"
        )


def check_published_scaling(preprocess: str, scaling: str) -> None:
    """Raise ValueError for a scaling that the published pipeline does not have."""
    if preprocess == "as-published" and scaling != "minmax":
        raise ValueError(
            f"scaling is {scaling!r} with preprocess='as-published', which projects min-max scaled data; expected "
            "scaling='minmax', or preprocess='consistent'"
        )


def check_name(value: Any, name: str, known: Sequence[str], *, what: str) -> str:
    """Return `value` if it is one of the names known, else raise with those that are spelled like it, or all."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {describe(value)}; expected the name of a {what}")
    if value not in known:
        near = difflib.get_close_matches(value.lower().replace("_", "-").replace(" ", "-"), known, n=3)
        hint = f"did you mean {' or '.join(map(repr, near))}? expected" if near else "expected"
        raise ValueError(f"{name} is {value!r}; {hint} one of {', '.join(known)}")
    return value


def check_parameters(given: Iterable[str], known: Sequence[str], method: str) -> None:
    """Raise TypeError for parameters that a projection method does not have."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        listed = ", ".join(known) if known else "none"
        raise TypeError(
            f"parameters for method {method!r} include {', '.join(map(repr, unknown))}; expected parameters of it: {listed}"
        )


def check_init(init: Any, method: str, inits: Sequence[str]) -> str | None:
    """Return the start of a projection method: the one given, the first of its own, or None if it has none."""
    if init is None:
        return inits[0] if inits else None
    if not inits:
        raise ValueError(f"init is {init!r}, but method {method!r} starts from nothing; expected init=None")
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
        raise ValueError(f"{given} is given for {name!r}, which is here already; expected load({name!r})")


def check_source(name: str, content: str, *, folder: Any, openml: bool, on_openml: bool) -> None:
    """Raise ValueError, saying how to get a dataset that no package carries, unless one way to it is given."""
    way = (
        f"folder=…, the folder with X.npy and y.npy of {name!r} from the supplement of the survey of Espadoto et al. "
        '("Toward a quantitative survey of dimension reduction techniques", datasets page of its repository proj-quant-eval)'
    )
    if on_openml:
        way += ", or openml=True, which downloads it"
    if folder is not None and openml:
        raise ValueError(f"folder and openml are both given for {name!r}; expected one of them")
    if openml and not on_openml:
        raise ValueError(
            f"openml is True, but OpenML has no table from which {name!r} could be made; expected {way}"
        )
    if folder is None and not openml:
        raise ValueError(f"{name!r} ({content}) does not come with the package; expected {way}")


def as_stored_array(path: Any) -> npt.NDArray[Any]:
    """Return a .npy file as a memory map; a file with pickled objects, or of another format, is refused."""
    try:
        stored: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read ({error}); expected a .npy file of numbers") from error
    if not isinstance(stored, np.ndarray):
        raise ValueError(f"{path} is an archive; expected a .npy file of numbers")
    return stored


def check_surveyed_shape(shape: Sequence[int], where: str, n_points: Set[int], n_dimensions: int) -> None:
    """Raise ValueError unless a table has the size that is known of it."""
    if len(shape) != 2 or shape[0] not in n_points or shape[1] != n_dimensions:
        rows = " or ".join(str(number) for number in sorted(n_points))
        raise ValueError(
            f"{where} has shape {tuple(shape)}; expected {rows} points in {n_dimensions} dimensions"
        )


def check_faces(n_empty: int) -> None:
    """Raise ValueError for the survey's faces, most of which were lost when they were written."""
    if n_empty:
        raise ValueError(
            f"X.npy has {n_empty} rows of zeros, as the survey's file of the ORL faces does by mistake; expected the 400 "
            "faces themselves, of which sklearn.datasets.fetch_olivetti_faces has another version (64 × 64)"
        )


def check_label_count(shape: Sequence[int], n_points: int, where: str) -> None:
    """Raise ValueError unless there is one label per point."""
    if tuple(shape) != (n_points,):
        raise ValueError(
            f"{where} has shape {tuple(shape)}; expected one label for each of {n_points} points"
        )


def check_resolved(spread: npt.NDArray[np.float64], columns: npt.NDArray[np.intp], name: str) -> None:
    """Raise ValueError if a column that is not constant has a spread too small to divide by."""
    small = columns[~(spread >= np.finfo(np.float64).tiny)]
    if small.size:
        raise ValueError(
            f"{name} has a spread in column {small[0]} that underflows float64; expected rescaled data"
        )


def check_columns(found: Iterable[str], expected: Sequence[str], name: str) -> None:
    """Raise ValueError for a table that lacks columns."""
    found = list(map(str, found))
    missing = [column for column in expected if column not in found]
    if missing:
        raise ValueError(f"{name} lacks the columns {', '.join(missing)}; found {', '.join(found)}")


def check_methods_scored(found: Iterable[str], expected: Sequence[str], name: str) -> None:
    """Raise ValueError for a table of scores without some of the methods that are compared."""
    found = list(dict.fromkeys(map(str, found)))
    missing = [method for method in expected if method not in found]
    if missing:
        raise ValueError(f"{name} has no scores of {', '.join(missing)}; found those of {', '.join(found)}")


def check_scale_count(found: int, expected: int) -> None:
    """Raise ValueError unless there is one scale for each picture."""
    if found != expected:
        raise ValueError(
            f"scales has {how_many(found, 'value')} for {how_many(expected, 'picture')}; expected one for each"
        )


def check_page_size(found: int, most: int) -> None:
    """Raise ValueError for statistics that are too long for a page."""
    if found > most:
        raise ValueError(
            f"max_bytes is {most}, but the statistics of these pictures take {found}; "
            "expected more room, fewer pictures or a smaller max_drawn"
        )


def check_scored_completely(values: npt.NDArray[Any], name: str) -> None:
    """Raise ValueError if pictures that are compared seed by seed have scores missing."""
    missing = int(np.isnan(values).sum())
    if missing:
        raise ValueError(
            f"{name} lack {missing} of {values.size} scores that are compared; expected one of every method "
            "for each dataset and seed"
        )


def check_changes(values: npt.NDArray[np.float64], name: str) -> None:
    """Raise ValueError for values of which no correlation can be taken, all being equal up to rounding."""
    if values.size < 2 or not np.ptp(values) > 1e-12 * float(np.abs(values).max()):
        raise ValueError(f"{name} is {values[0]:g} at all steps; expected values that change")


def check_range_of_distances(distances: npt.NDArray[np.float64], name: str) -> None:
    """Raise ValueError for distances that are all equal, up to rounding: nothing maps them to [0, 1]."""
    if not np.ptp(distances) > 1e-12 * float(distances.max()):
        raise ValueError(f"{name} has all distances equal ({distances[0]:g}); expected distances that differ")


def check_on_sphere(n_dimensions: int) -> None:
    """Raise ValueError unless points have a latitude and a longitude."""
    if n_dimensions != 2:
        raise ValueError(
            f"X has {how_many(n_dimensions, 'dimension')} with metric='haversine'; expected 2: latitude and longitude in radians"
        )


def check_projectable(spread: float, low: float, high: float, method: str) -> None:
    """Raise ValueError for points so far apart, or so near, that a library's square distances leave its numbers."""
    if spread > 0 and not low < spread < high:
        raise ValueError(
            f"X is {spread:.3g} wide, where method {method!r} over- or underflows; expected rescaled data, between {low:g} and "
            f"{high:g} wide"
        )
