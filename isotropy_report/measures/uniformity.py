"""Uniformity and alignment of Wang and Isola: the spread of directions and the distance between partners."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from scipy import special, stats

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import Floats, unit_rows

__all__ = ["Alignment", "Uniformity", "alignment", "uniformity"]

_T = 2.0
"""Temperature; a larger value increases the weight of the closest pairs."""

_TILE_ROWS = 1024
_PAIR_ENTRIES = 2**20


@dataclasses.dataclass(frozen=True)
class Uniformity(Result):
    """The uniformity of directions, with the value for a uniform distribution on the sphere.

    Attributes
    ----------
    estimate
        Log of the mean of exp(−2‖u − v‖²), in [−8, 0]; lower is more uniform.
    low, high
        Ends of a confidence interval for the population from which the points were drawn.
    standard_error
        Standard error of the estimate, over draws of the points.
    uniform_sphere
        Value for a uniform distribution on the sphere in n dimensions, at any N.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    uniform_sphere: float


@dataclasses.dataclass(frozen=True)
class Alignment(Result):
    """The mean distance between partners on the unit sphere.

    Attributes
    ----------
    estimate
        Mean of ‖u − v‖², in [0, 4]; 0 is best and means that every row has its partner's direction.
    low, high, standard_error
        Ends of a confidence interval over draws of pairs, and the standard error.
    n_pairs : int
        Number of pairs.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    n_pairs: int


def uniformity(X: checks.Points, *, confidence_level: float = 0.95) -> Uniformity:
    """Return the uniformity of Wang and Isola: the log of the mean of exp(−2‖u − v‖²) over unit-norm rows.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 4 points without zero rows; rows are normalized. A memory map is read in blocks.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.

    Returns
    -------
    Uniformity
        Near 0 if all directions are alike; the smallest possible value for a population is `uniform_sphere`,
        about −4(1 − 2/n) in many dimensions: −3.98 in 384 dimensions.

    Raises
    ------
    TypeError, ValueError
        If `X` does not contain real numbers, there are fewer than 4 points, a row is zero, a value is NaN or
        inf, or an option is out of range.

    Notes
    -----
    Only pairs of distinct rows count, as in the authors' own code. The mean does not depend on N, so values
    at different N can be compared, unlike ranks and hubness. Since ‖u − v‖² = 2 − 2cos, uniformity is −4
    plus the log of the mean of exp(4cos): in many dimensions, where cosines are small, this log is little
    more than 4 times `average_cosine`, and centering the points removes most of the difference from
    `uniform_sphere`. Uniformity ignores distances from the origin, and a few tight clusters that are evenly
    placed come close to the best value.

    The mean is a U-statistic; the standard error is the closed-form delete-one jackknife error over rows,
    divided by the mean. For the coverage of the interval, see *Is it calibrated?* in the book. If a few pairs
    dominate the mean, N is too small for any such interval. On the sphere, E exp(4cos) =
    Γ(n/2) 2^(1−n/2) I_{n/2−1}(4), with the modified Bessel function I.

    Invariant under rotation and positive factors on any row, but not under translation. Cost: O(N² n), in
    four tiles of 8 MB. Wang and Isola (2020), section 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import uniformity
    >>> cloud = np.random.default_rng(0).standard_normal((1000, 20))
    >>> found = uniformity(cloud)
    >>> found.low < found.uniform_sphere < found.high, round(found.uniform_sphere, 2)
    (True, -3.61)
    >>> round(uniformity(cloud + 3.0).estimate, 2)
    -0.37
    """
    level = checks.check_confidence_level(confidence_level)
    points = checks.as_points(X, min_points=4, min_dimensions=1, finite=False)
    _check_rows(points, "X")
    n_points, n = points.shape
    sums = _sums(points)
    # Without row i, the mean is (Σr − 2rᵢ)/((N − 1)(N − 2)), so the jackknife requires only the scatter of
    # the row sums r.
    mean = float(sums.sum()) / (n_points * (n_points - 1.0))
    error = 2.0 * float(sums.std()) / ((n_points - 2.0) * math.sqrt(n_points - 1.0)) / mean
    log_mean, reach = min(math.log(mean), 0.0), float(stats.t.ppf(0.5 + level / 2.0, n_points - 1)) * error
    return Uniformity(
        estimate=log_mean,
        low=max(log_mean - reach, -4.0 * _T),
        high=min(log_mean + reach, 0.0),
        standard_error=error,
        uniform_sphere=log_mean_on_sphere(n),
    )


def alignment(X: checks.Points, Y: checks.Points, *, confidence_level: float = 0.95) -> Alignment:
    """Return the alignment of Wang and Isola: the mean of ‖u − v‖² over corresponding rows of X and Y.

    Parameters
    ----------
    X, Y : array-like of shape (N, n)
        N ≥ 2 pairs of vectors from one model, such as questions and their answers, without zero rows. Rows
        are normalized. Memory maps are read in blocks.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.

    Returns
    -------
    Alignment
        In [0, 4]; 0 is best, and unrelated partners in many dimensions give about 2.

    Raises
    ------
    TypeError, ValueError
        If `X` or `Y` does not contain real numbers, they differ in shape, there are fewer than 2 pairs, a row
        is zero, a value is NaN or inf, or an option is out of range.

    Notes
    -----
    Alignment is 2 minus twice the mean cosine of partners. A model that maps everything to one
    point has the best possible alignment, so read it together with `uniformity`. The interval uses Student's
    quantiles, assumes independent pairs, and is too narrow for few pairs.

    Invariant under a common rotation and positive factors on any row, but not under translation; the mean
    does not depend on N. Cost: O(N n). Wang and Isola (2020), section 4.1.

    Examples
    --------
    >>> from isotropy_report.measures import alignment
    >>> round(alignment([[1.0, 0.0], [0.0, 2.0]], [[3.0, 0.0], [1.0, 0.0]]).estimate, 6)  # 0 and 2
    1.0
    """
    level = checks.check_confidence_level(confidence_level)
    left = checks.as_points(X, "X", min_points=2, min_dimensions=1, finite=False)
    right = checks.as_points(Y, "Y", finite=False)
    if left.shape != right.shape:
        raise ValueError(
            f"X has shape {left.shape}, and Y has shape {right.shape}; expected equal shapes, with pairs of "
            "vectors from one model in the same rows"
        )
    n_pairs, n = left.shape
    _check_rows(left, "X")
    _check_rows(right, "Y")
    values = np.empty(n_pairs)
    step = max(1, _PAIR_ENTRIES // n)
    for start in range(0, n_pairs, step):
        part = slice(start, start + step)
        gap = unit_rows(left[part], "X") - unit_rows(right[part], "Y")
        values[part] = np.einsum("ij,ij->i", gap, gap)
    mean = float(values.mean())
    error = float(values.std(ddof=1)) / math.sqrt(n_pairs)
    reach = float(stats.t.ppf(0.5 + level / 2.0, n_pairs - 1)) * error
    return Alignment(
        estimate=mean,
        low=max(mean - reach, 0.0),
        high=min(mean + reach, 4.0),
        standard_error=error,
        n_pairs=n_pairs,
    )


def log_mean_on_sphere(n: int) -> float:
    """Return log E exp(−2‖u − v‖²) for independent u and v, uniform on the unit sphere in n dimensions.

    With κ = 4, E exp(κ cos) is the sum over j of the positive terms (κ/2)^2j / (j! (n/2)_j).
    """
    j = np.arange(72)  # terms decrease from j = 2 onward
    logs = 2.0 * j * math.log(_T) - special.gammaln(j + 1.0)
    logs -= special.gammaln(n / 2.0 + j) - special.gammaln(n / 2.0)
    return float(special.logsumexp(logs)) - 2.0 * _T


def _sums(points: checks.FloatArray) -> Floats:
    """Return the sum of exp(−2‖u − v‖²) over all other rows, for each row."""
    size = len(points)
    sums = np.zeros(size)
    for start in range(0, size, _TILE_ROWS):
        left = unit_rows(points[start : start + _TILE_ROWS], "X")
        for other in range(start, size, _TILE_ROWS):
            right = left if other == start else unit_rows(points[other : other + _TILE_ROWS], "X")
            tile = np.exp(2.0 * _T * (np.minimum(left @ right.T, 1.0) - 1.0))
            if other == start:
                np.fill_diagonal(tile, 0.0)
            else:
                sums[other : other + _TILE_ROWS] += tile.sum(axis=0)
            sums[start : start + _TILE_ROWS] += tile.sum(axis=1)
    return sums


def _check_rows(points: checks.FloatArray, name: str) -> None:
    """Raise ValueError for NaN, inf, and zero rows, reporting the first such row."""
    if not checks.is_finite_sum(points):
        checks.raise_if_not_finite(points, name)
    checks.check_no_zero_rows(np.asarray(points.any(axis=1)), name)
