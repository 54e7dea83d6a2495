"""Exact permutation tests of whether texts encoded by one model come from one distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import Floats

__all__ = ["Drift", "DriftPower", "drift_power", "drift_test"]

_CHUNK_ENTRIES = 2**20  # permuted labels at a time: 8 MB

LEVEL = 0.05
"""Significance level: texts are reported to differ if the p-value is at most this."""

_POWER, _N_SPLITS = 0.8, 200

_ROUNDING = 1e-10
"""Permuted values at most this far below the observed one, in units of the mean distance, count as ties."""


@dataclass(frozen=True, eq=False)
class Drift(Result):
    """A permutation test of whether two samples of vectors come from one distribution.

    Attributes
    ----------
    statistic : float
        Squared energy distance between the two samples, ≥ 0.
    pvalue : float
        (b + 1)/(m + 1), where b of the m permutations give a statistic at least as large.
    chance : float
        Mean of the statistic over the permutations, as expected if both samples have one distribution.
    coefficient : float
        The energy distance over twice the mean distance between the samples, in [0, 1], without a unit.
    n_a, n_b : int
        Number of rows of each sample that the test used.
    n_rows_a, n_rows_b : int
        Total number of rows of each sample.
    n_resamples : int
        Number of permutations.
    """

    statistic: float
    pvalue: float
    chance: float
    coefficient: float
    n_a: int
    n_b: int
    n_rows_a: int
    n_rows_b: int
    n_resamples: int


@dataclass(frozen=True, eq=False)
class DriftPower(Result):
    """The shift that a drift test with samples of these sizes can detect.

    Attributes
    ----------
    least_shift : float
        Shift of the mean that the test detects with probability `power`, in units of the root mean square
        distance of the rows from their mean, √tr Σ.
    distance : float
        The same shift in units of the data.
    power, level : float
        Probability of detecting this shift, 0.8, and of a false alarm, 0.05.
    shifts : ndarray of shape (200,)
        The smallest detectable shift of each random split, ascending: the fraction at or below a shift is
        the power at that shift.
    n_a, n_b : int
        Number of rows of each sample.
    """

    least_shift: float
    distance: float
    power: float
    level: float
    shifts: Floats
    n_a: int
    n_b: int


def drift_test(
    A: checks.Points,
    B: checks.Points,
    *,
    n_resamples: int = 999,
    max_rows: int = 2000,
    rng: checks.RandomState = 0,
) -> Drift:
    """Test whether two samples of texts encoded by one model come from one distribution.

    Parameters
    ----------
    A, B : array-like of shape (N, n) and (M, n)
        Vectors of different texts from the same model, at least 2 in each sample, in any order.
    n_resamples : int, default 999
        Number of permutations of the rows of both samples, at least 19.
    max_rows : int, default 2000
        Maximum rows per sample; from a larger sample, the test draws this many rows at random.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the permutations and the rows.

    Returns
    -------
    Drift
        The p-value is in (0, 1]; without drift, it is at most 0.05 in at most 5% of cases (see the notes).

    Raises
    ------
    TypeError, ValueError
        If vectors are not real numbers, contain NaN or inf, or differ in dimensions; if a sample has fewer
        than 2 rows or all rows are equal; or if an option does not exist or is out of range.

    Notes
    -----
    Rows of *both* samples are permuted, so that under the null hypothesis all splits are equally likely, and
    for independent rows the level is exact at every N, M, and n, even with ties and heavy tails. (Resampling
    only the reference, as some monitors do, gives the wrong null distribution: false alarms far above the
    level, or hardly any power.) Sentences from one page, or texts that are in both samples, are not
    independent. The model must be fitted to neither sample: one fitted to a sample, such as TF-IDF, SVD,
    PCA, or word2vec, represents it better, and the test finds this difference.

    The squared energy distance 2E‖a − b‖ − E‖a − a′‖ − E‖b − b′‖ converges to 0 only for equal
    distributions, but with n in the hundreds it detects a shift of the mean, a new topic, or exchanged axes
    long before a change of scale or a rotation of two axes. `drift_power` reports the detectable shift.

    The test is invariant under a common translation and rotation and, for the same permutations, under
    reordering rows, and the p-value also under a common scale. Cost: O((N + M)² (n + m)) time for m
    permutations; 2(N + M)² values, or 256 MB with 2,000 rows per sample. Székely and Rizzo (2004); Phipson
    and Smyth (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import drift_test
    >>> rng = np.random.default_rng(0)
    >>> old, same, moved = rng.standard_normal((3, 90, 50)) + np.array([0.0, 0.0, 0.2])[:, None, None]
    >>> drift_test(old, same, rng=0).pvalue > 0.05, drift_test(old, moved, rng=0).pvalue
    (True, 0.001)
    """
    m = checks.check_integer(n_resamples, "n_resamples", low=19, why="fewer cannot give a p-value of 0.05")
    generator = checks.as_generator(rng)
    rows = _draw_samples(A, B, max_rows, generator, at_least=2)
    pooled, scale = _pool(rows)
    squares = _squared_distances(pooled)
    distances = np.sqrt(squares, out=squares)
    labels, n_a = _labels(rows), len(rows[0])
    mean_between = float(distances[:n_a, n_a:].mean())
    mean_distance = float(np.abs(distances).mean())
    _center(distances)
    observed = float(_energy(distances, labels[:, None])[0])
    null = _permuted_values(distances, labels, m, generator)
    at_least = int((null >= observed - _ROUNDING * mean_distance).sum())
    return Drift(
        statistic=max(0.0, observed) * scale,
        pvalue=(at_least + 1) / (m + 1),
        chance=float(null.mean()) * scale,
        coefficient=max(0.0, observed) / (2.0 * mean_between),
        n_a=n_a,
        n_b=len(rows[1]),
        n_rows_a=len(A),
        n_rows_b=len(B),
        n_resamples=m,
    )


def drift_power(
    A: checks.Points, B: checks.Points, *, max_rows: int = 2000, rng: checks.RandomState = 0
) -> DriftPower:
    """Return the smallest shift of the mean that a drift test of these two samples detects at level 0.05.

    Parameters
    ----------
    A, B : array-like of shape (N, n) and (M, n)
        The samples of `drift_test`, with at least 10 rows each.
    max_rows
        As in `drift_test`.
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the rows, splits, and directions.

    Returns
    -------
    DriftPower
        For example, `least_shift` is 0.1 if a shift by 10% of √tr Σ is detected with probability 0.8.

    Raises
    ------
    TypeError, ValueError
        If vectors are not real numbers, contain NaN or inf, or differ in dimensions; if a sample has fewer
        than 10 rows or all rows are equal; or if an option does not exist or is out of range.

    Notes
    -----
    The two samples are pooled after subtracting the mean of each, which leaves a cloud without any shift.
    This cloud is split at random into parts of the same sizes; one part is moved in a random direction, and
    the smallest step that takes the statistic above the critical value is the shift detectable in this
    split. The critical value is that of unmoved splits, which a shift much smaller than the spread hardly
    changes; with 50 rows per sample, where the shift is larger, 75% of new samples show the shift reported
    for 80%. Directions are uniform on the sphere. If a model has few dimensions with large variance, a shift
    along them is harder to detect, and a shift across them easier.

    The shift is invariant under translations of either sample, a common rotation (for the same random
    directions), and a common scale. Cost: as for `drift_test`, plus O(N M) time for about five steps per
    split; with 2,000 rows per sample, a minute or two.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import drift_power
    >>> rng = np.random.default_rng(0)
    >>> few, many = rng.standard_normal((40, 30)), rng.standard_normal((160, 30))
    >>> drift_power(few, few, rng=0).least_shift > drift_power(many, many, rng=0).least_shift
    True
    """
    generator = checks.as_generator(rng)
    samples = _draw_samples(A, B, max_rows, generator, at_least=10)
    pooled, scale = _pool([x - x.mean(axis=0, keepdims=True) for x in samples])
    squares = _squared_distances(pooled)
    table = np.sqrt(squares)
    labels = _labels(samples)
    null = np.sort(_permuted_values(_center(table.copy()), labels, 999, generator))
    critical = float(null[-round(LEVEL * 1000)])
    radius = math.sqrt(float(np.vdot(pooled, pooled)) / (labels.size - 2))
    arguments = pooled, squares, table, labels, critical, generator
    shifts = np.sort([_smallest_significant_shift(*arguments) for _ in range(_N_SPLITS)])
    return DriftPower(
        least_shift=float(np.quantile(shifts, _POWER)) / radius,
        distance=float(np.quantile(shifts, _POWER)) * scale,
        power=_POWER,
        level=LEVEL,
        shifts=shifts / radius,
        n_a=len(samples[0]),
        n_b=len(samples[1]),
    )


def _draw_samples(
    A: checks.Points, B: checks.Points, max_rows: int, rng: np.random.Generator, *, at_least: int
) -> list[Floats]:
    """Return at most `max_rows` rows of each sample in float64, in the original order."""
    a, b = (checks.as_points(x, name, min_points=at_least) for x, name in ((A, "A"), (B, "B")))
    if a.shape[1] != b.shape[1]:
        raise ValueError(
            f"A has {checks.how_many(a.shape[1], 'dimension')}, and B has {b.shape[1]}; expected vectors of "
            "different texts from one model (compare measures two models on the same texts)"
        )
    limit = checks.check_integer(max_rows, "max_rows", low=at_least)
    return [_draw_rows(points, limit, rng) for points in (a, b)]


def _draw_rows(points: checks.FloatArray, limit: int, rng: np.random.Generator) -> Floats:
    if len(points) > limit:
        points = points[np.sort(rng.choice(len(points), size=limit, replace=False))]
    return np.asarray(points, dtype=np.float64)


def _labels(samples: list[Floats]) -> Floats:
    """Return 1/N for each row of the first sample and −1/M for each row of the second."""
    n_a, n_b = map(len, samples)
    return np.asarray(np.r_[np.full(n_a, 1.0 / n_a), np.full(n_b, -1.0 / n_b)])


def _pool(rows: list[Floats]) -> tuple[Floats, float]:
    """Return the rows of both samples, centered and scaled to a maximum deviation of 1, and the scale."""
    pooled = np.concatenate(rows)
    largest = float(np.abs(pooled).max()) or 1.0
    pooled = pooled / largest
    offset = float(np.abs(pooled.mean(axis=0)).max())
    pooled -= pooled.mean(axis=0)
    spread = float(np.abs(pooled).max())
    checks.check_variance(spread if spread > 1e-14 * offset else 0.0, "A with B")
    return pooled / spread, spread * largest


def _squared_distances(rows: Floats) -> Floats:
    squares = np.einsum("ij,ij->i", rows, rows)
    table = rows @ rows.T
    table *= -2.0
    table += squares[:, None]
    table += squares
    # Equal rows leave a rounding error of about this size, whose square root is not small.
    rounding = 4.0 * float(np.finfo(np.float64).eps) * squares
    for row, bound in zip(table, rounding, strict=True):
        row[row <= bound + rounding] = 0.0
    return table


def _center(table: Floats) -> Floats:
    """Subtract row and column means in place; since labels sum to 0, only rounding errors change."""
    means = table.mean(axis=0)
    table -= means
    table -= (means - float(means.mean()))[:, None]
    return table


def _energy(table: Floats, labels: Floats) -> Floats:
    """Return −zᵀTz for each column z of labels, which are 1/N for one sample and −1/M for the other."""
    return -np.asarray(np.einsum("ij,ij->j", table @ labels, labels))


def _permuted_values(table: Floats, labels: Floats, n_resamples: int, rng: np.random.Generator) -> Floats:
    null = np.empty(n_resamples)
    chunk_size = max(1, _CHUNK_ENTRIES // labels.size)
    for start in range(0, n_resamples, chunk_size):
        size = min(chunk_size, n_resamples - start)
        orders = rng.permuted(np.tile(labels, (size, 1)), axis=1)
        null[start : start + size] = _energy(table, orders.T)
    return null


def _smallest_significant_shift(
    pooled: Floats, squares: Floats, table: Floats, labels: Floats, critical: float, rng: np.random.Generator
) -> float:
    """Return the smallest shift of one part of a random split that makes the statistic significant."""
    order = rng.permutation(labels.size)
    n_a = int((labels > 0).sum())
    first, second = np.sort(order[:n_a]), np.sort(order[n_a:])
    direction = rng.standard_normal(pooled.shape[1])
    projections = pooled @ (direction / np.linalg.norm(direction))
    arrays = [squares[np.ix_(first, second)], projections[first][:, None] - projections[second]]
    scale = float(arrays[0].mean())
    within = float(table[np.ix_(first, first)].mean() + table[np.ix_(second, second)].mean())

    def excess(shift_square: float) -> float:
        between, offsets = arrays
        shifted = between + shift_square - 2.0 * math.sqrt(shift_square) * offsets
        np.maximum(shifted, 0.0, out=shifted)
        return 2.0 * float(np.sqrt(shifted, out=shifted).mean()) - within - critical

    # The statistic grows approximately linearly with the square of the shift.
    low, high = 0.0, 0.01 * scale
    if excess(low) > 0:
        return 0.0
    while excess(high) <= 0:
        if high > 100.0 * scale:
            return math.inf
        low, high = high, 4.0 * high
    square = optimize.brentq(excess, low, high, xtol=0.001 * high, rtol=0.001)
    arrays.clear()  # SciPy's wrapper refers to itself, so it would keep them until garbage collection
    return math.sqrt(square)
