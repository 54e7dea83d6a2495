"""Intrinsic dimension of more points than can all be queried: an estimate with a standard error."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from isotropy_lab import _checks
from isotropy_lab.isotropy._checks import check_inverse_dimension
from isotropy_lab.isotropy.intrinsic import distinct_rows, inverse_dimensions

__all__ = ["DimensionEstimate", "intrinsic_dimension_estimate"]


@dataclasses.dataclass(frozen=True)
class DimensionEstimate:
    """What a sample of queries says of the intrinsic dimension that all queries would give.

    Attributes
    ----------
    value : float
        In dimensions.
    standard_error : float
        Of the value, over the draw of queries; 0 if every point was queried.
    low, high : float
        Ends of the confidence interval, in dimensions.
    id_score, id_score_low, id_score_high : float
        The same over the number of dimensions of the space, at most 1.
    confidence : float
        Nominal coverage.
    n_queries, n_points : int
        Points queried, and distinct points.
    """

    value: float
    standard_error: float
    low: float
    high: float
    id_score: float
    id_score_low: float
    id_score_high: float
    confidence: float
    n_queries: int
    n_points: int


def intrinsic_dimension_estimate(
    X: _checks.Points,
    *,
    n_queries: int = 1000,
    n_neighbors: int = 20,
    confidence: float = 0.95,
    rng: _checks.RandomState = None,
) -> DimensionEstimate:
    """Return the intrinsic dimension of a cloud from some of its points, with the error that the choice makes.

    Parameters
    ----------
    X : array-like of shape (N, n)
        The points; exact duplicates are dropped.
    n_queries : int, default 1000
        Points whose neighbors are looked up among all the others, at least 30, drawn without replacement; all points
        if there are no more.
    n_neighbors : int, default 20
        k ≥ 2 neighbors of each query.
    confidence : float, default 0.95
        Nominal coverage of the interval.
    rng : numpy.random.Generator or int, optional
        Draws the queries.

    Returns
    -------
    DimensionEstimate
        For the number that `intrinsic_dimension` gives with every point queried. That this number is itself too low
        in many dimensions, and would differ for another sample of points, is no part of the error.

    Raises
    ------
    TypeError
        If `X` does not hold real numbers.
    ValueError
        As for `intrinsic_dimension_details`; if `n_queries` is below 30.

    Notes
    -----
    The estimate is 1 over the mean of 1/m over queries; its error follows from the scatter of 1/m, with the factor
    √(1 − queries/N) for draws without replacement, and the interval is that of the mean, turned over. Invariant under
    translation, rotation and scale. Cost: O(queries · N · n) in many dimensions. Levina and Bickel (2004), equation
    (8).

    Examples
    --------
    >>> X = np.random.default_rng(0).random((2000, 3))
    >>> estimate = intrinsic_dimension_estimate(X, n_queries=300, rng=0)
    >>> from isotropy_lab.isotropy import intrinsic_dimension
    >>> estimate.low < intrinsic_dimension(X) < estimate.high
    True
    """
    from scipy import stats

    points = _checks.as_points(X, min_points=2, min_dimensions=1)
    k = _checks.check_integer(n_neighbors, "n_neighbors", low=2)
    expected = _checks.check_integer(n_queries, "n_queries", low=30)
    level = _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
    points, n_duplicates = distinct_rows(points)
    n_points, n = points.shape
    _checks.check_neighbors(k, n_points, n_duplicates)
    if expected >= n_points:
        queries = np.arange(n_points)
    else:
        queries = np.sort(_checks.as_generator(rng).choice(n_points, size=expected, replace=False))
    inverse = inverse_dimensions(points, queries, k)
    mean = float(inverse.mean())
    check_inverse_dimension(mean, k)
    share = 1.0 - queries.size / n_points
    error = math.sqrt(float(inverse.var(ddof=1)) / queries.size * share)
    reach = float(stats.t.ppf(0.5 + level / 2.0, queries.size - 1)) * error
    low = 1.0 / (mean + reach)
    high = 1.0 / (mean - reach) if mean > reach else math.inf
    value = 1.0 / mean
    return DimensionEstimate(
        value=value,
        standard_error=error / mean**2,
        low=low,
        high=high,
        id_score=min(value / n, 1.0),
        id_score_low=min(low / n, 1.0),
        id_score_high=min(high / n, 1.0),
        confidence=level,
        n_queries=int(queries.size),
        n_points=n_points,
    )
