"""Estimates of stress and rank measures from a sample of pairs, with standard errors.

Of the sums that stress rests on, Σd² and Σe² follow from the coordinates; only Σde is estimated, and what d²
and e² explain of it is not left to chance. Pairs are drawn so that every point takes part equally often,
which removes the largest part of the error of random pairs: that some points are farther out than others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import check_distances_vary, check_some_distance
from isotropy_lab.projection._pairs.distances import Distances, Pairs, pairs_of

__all__ = ["PairEstimate", "stress_estimate"]

MEASURES = ("scale-normalized", "normalized", "optimal-scale", "Shepard", "non-metric")

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_BLOCK_BYTES = 2**22
_LEAST_VARIANCE = 0.02
"""Of the variance of single pairs, what is kept at least when the part of the points is taken out of it."""


@dataclass(frozen=True)
class PairEstimate(Result):
    """An estimate from a sample of pairs, with a confidence interval.

    Attributes
    ----------
    estimate : float
        Of the measure over all pairs.
    standard_error : float
        Of the estimate, over the draw of pairs; 0 where all pairs were visited.
    low, high : float
        Ends of the confidence interval, within the range of the measure.
    confidence_level : float
        Nominal coverage.
    n_pairs : int
        Pairs visited.
    method : str
        "balanced pairs", in which every point takes part equally often, "random pairs" or "all pairs".
    """

    estimate: float
    standard_error: float
    low: float
    high: float
    confidence_level: float
    n_pairs: int
    method: str


def stress_estimate(
    X: checks.Points,
    Y: checks.Points,
    *,
    measure: str = "scale-normalized",
    n_pairs: int = 1_000_000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> PairEstimate:
    """Estimate a measure of a projection from a sample of pairs, with a confidence interval.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points, not all equal. Distances are Euclidean: only for them is Σd² known without all pairs.
    Y : array-like of shape (N, t)
        Their projection, not all points equal unless the measure is "normalized".
    measure : str, default "scale-normalized"
        What is estimated: "scale-normalized", "normalized" or "non-metric" stress, "optimal-scale", or
        "Shepard" for `shepard_goodness`.
    n_pairs : int, default 1,000,000
        Pairs to visit, at least 100; from N on rounded up to a multiple of N. If there are no more, all are
        visited.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.
    rng : numpy.random.Generator or int, optional
        Draws the pairs.

    Returns
    -------
    PairEstimate

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity, or only equal points (allowed in Y
        for "normalized"); their lengths differ; all sampled distances are equal (for "Shepard"); an option is
        unknown or out of range; the result overflows.

    Notes
    -----
    *Stress and scale.* With r the residual of de in a regression on d² and e² over the sampled pairs, mean de
    = its regression at the known means of d² and e². For a good projection de is nearly a combination of the
    two, so that the error shrinks with the stress itself. Smelser et al. (2025), equations (2) and (4).

    *Shepard goodness.* The rank correlation within the sample. Its error is that of a mean over pairs of its
    influence function, 12(F(d) − ½)(G(e) − ½) plus what the ranks themselves owe to the pair, F and G being
    the ranks as fractions. Equal distances share their average rank; how often they are equal is taken as
    known.

    *Non-metric stress.* A non-decreasing function ê is fitted to the sampled pairs. Each of its steps costs
    one degree of freedom, which the residuals are corrected for; the correction counts as a part of the
    error. The error of ê itself enters to second order only, so that what remains is that of a mean of (e −
    ê)², less what d² and e² explain of it. Equal distances of X are ordered by those of Y (Kruskal's primary
    approach).

    Invariant as the measure. Cost: O(N(n + t)) for the exact sums, O(n_pairs(n + t)) for the sample, and
    O(n_pairs log n_pairs) to sort it for the last two measures; 32 to 80 bytes for each pair.

    Simulated coverage of the 95% interval (80 to 150 draws each; Gaussian data and Student's with 3 degrees
    of freedom; random, noisy and linear projections; N of 300 and 400): .89 to .99 for stress where `n_pairs`
    is N or more; with fewer .90 to .96 for Gaussian data, but down to .81 for heavy tails: take as many pairs
    as there are points. For Shepard goodness .93 to .99, for non-metric stress .90 to 1.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((500, 10)) * np.linspace(3, 1, 10)
    >>> estimate = stress_estimate(X, X[:, :2], n_pairs=5000, rng=0)
    >>> from isotropy_lab.projection.stress import scale_normalized_stress
    >>> estimate.low < scale_normalized_stress(X, X[:, :2]) < estimate.high
    True
    """
    checks.check_option(measure, "measure", MEASURES)
    pairs = pairs_of(X, Y, metric="euclidean")
    sample = _Sample.of(pairs, n_pairs, confidence_level, rng)
    if measure == "Shepard":
        return _shepard(sample)
    d2, e2 = (_mean_square(side) for side in (pairs.x, pairs.y))
    if measure == "non-metric":
        return _nonmetric(sample, d2, e2)
    check_some_distance(d2, "X")
    if measure != "normalized":
        check_some_distance(e2, "Y")
    de, error = sample.mean(sample.d * sample.e, d2, e2)
    reach = sample.quantile * error
    if measure == "optimal-scale":
        return sample.result(*(v / e2 for v in (de, error, max(de - reach, 0.0), de + reach)))
    if measure == "normalized":
        base, slope, top = 1.0 + e2 / d2, 2.0 / d2, math.inf
        square, low, high = (base - slope * v for v in (de, de + reach, de - reach))
    else:
        norm = math.sqrt(d2 * e2)
        square, low, high = (1.0 - (max(v, 0.0) / norm) ** 2 for v in (de, de + reach, de - reach))
        slope, top = 2.0 * de / norm / norm, 1.0
    return sample.result_of_square(square, abs(slope) * error, low, high, top=top)


def _shepard(sample: _Sample) -> PairEstimate:
    by_d, by_e = _sorted_positions(sample.d), _sorted_positions(sample.e)
    f, g = _centered_ranks(by_d), _centered_ranks(by_e)
    check_distances_vary(float(f @ f), "X")
    check_distances_vary(float(g @ g), "Y")
    spread = math.sqrt(float(f @ f) * float(g @ g)) / f.size
    value = float(f @ g) / f.size / spread
    influence = f * g + _mean_above(g, by_d) + _mean_above(f, by_e)
    error = sample.error(influence / spread, n_fitted=1)
    reach = sample.quantile * error
    return sample.result(value, error, max(value - reach, -1.0), min(value + reach, 1.0))


def _nonmetric(sample: _Sample, d2: float, e2: float) -> PairEstimate:
    from scipy.optimize import isotonic_regression

    check_some_distance(e2, "Y")
    order = np.lexsort((sample.e, sample.d))
    fit = isotonic_regression(sample.e[order])
    residuals = np.empty_like(sample.e)
    residuals[order] = np.square(sample.e[order] - fit.x)
    n_steps = fit.blocks.size - 1
    # Where nearly every pair is its own step, the projection is nearly perfect, and there is nothing to
    # correct.
    correction = 1.0
    if sample.method != "all pairs" and 2 * n_steps < sample.n_pairs:
        correction = sample.n_pairs / (sample.n_pairs - n_steps)
    mean, error = sample.mean(residuals * correction, d2, e2)
    error = math.hypot(error, (correction - 1.0) * mean)
    reach = sample.quantile * error
    return sample.result_of_square(*(v / e2 for v in (mean, error, mean - reach, mean + reach)), top=1.0)


@dataclass(frozen=True, eq=False)
class _Sample:
    """Distances of sampled pairs, and how they were drawn."""

    n_points: int
    first: Indices
    second: Indices
    d: Floats
    e: Floats
    method: str
    confidence_level: float

    @classmethod
    def of(cls, pairs: Pairs, n_pairs: int, confidence_level: float, rng: checks.RandomState) -> _Sample:
        asked = checks.check_integer(n_pairs, "n_pairs", low=100)
        level = checks.check_confidence_level(confidence_level)
        generator = checks.as_generator(rng)
        n = pairs.x.n_points
        if asked >= pairs.n_pairs:
            method = "all pairs"
            first, second = np.triu_indices(n, k=1)
        elif asked >= n:
            # On a circle of points in random order, a shift pairs every point with one before and one after
            # it.
            method = "balanced pairs"
            n_shifts = min(-(-asked // n), (n - 1) // 2)
            order = generator.permutation(n)
            shifts = 1 + generator.choice((n - 1) // 2, size=n_shifts, replace=False)
            first = np.tile(order, n_shifts)
            second = np.concatenate([np.roll(order, -int(shift)) for shift in shifts])
        else:
            method = "random pairs"
            first = generator.integers(n, size=asked)
            second = (first + generator.integers(1, n, size=asked)) % n
        d, e = (_distances(side, first, second) for side in (pairs.x, pairs.y))
        return cls(n, first, second, d, e, method, level)

    @property
    def n_pairs(self) -> int:
        return int(self.d.size)

    @property
    def quantile(self) -> float:
        from scipy import stats

        return float(stats.norm.ppf(0.5 + self.confidence_level / 2.0))

    def mean(self, values: Floats, d2: float, e2: float) -> tuple[float, float]:
        """Return the mean of a function of pairs at the known means of d² and e², and its standard error."""
        if self.method == "all pairs":
            return math.fsum(values) / values.size, 0.0
        controls = np.stack([np.square(self.d), np.square(self.e)], axis=1)
        center = controls.mean(axis=0)
        unit = np.where(center > 0.0, center, 1.0)
        controls = (controls - center) / unit
        # Constant distances leave one of the two numbers, or none.
        slopes = np.linalg.lstsq(controls.T @ controls, controls.T @ values, rcond=1e-12)[0]
        error = self.error(values - controls @ slopes, n_fitted=3)
        return float(values.mean() + slopes @ ((np.array([d2, e2]) - center) / unit)), error

    def error(self, values: Floats, *, n_fitted: int) -> float:
        """Return the standard error of the mean of a function of pairs.

        Where every point takes part equally often, what a value owes to its two points cancels in the mean. A
        variance V = s² + 2a² of single values leaves a² + (s² + a²)/k in the means of the k values of each
        point, from which a² follows.
        """
        if self.method == "all pairs":
            return 0.0
        m = values.size
        centered = values - values.mean()
        variance = float(centered @ centered) / (m - n_fitted)
        if self.method == "balanced pairs":
            k = 2 * m // self.n_points
            ends = (self.first, self.second)
            total = sum(np.bincount(end, centered, minlength=self.n_points) for end in ends)
            between = float(np.square(total / k).sum()) / (self.n_points - 1)
            own = max((between - variance / k) / (1.0 - 1.0 / k), 0.0)
            variance = max(variance - 2.0 * own, _LEAST_VARIANCE * variance)
            variance *= 1.0 - 2.0 * m / (self.n_points * (self.n_points - 1.0))
        return math.sqrt(max(variance, 0.0) / m)

    def result(self, value: float, error: float, low: float, high: float) -> PairEstimate:
        numbers = np.array([value, error, low, high])
        checks.check_representable(numbers, "the estimate")
        value, error, low, high = numbers.tolist()
        return PairEstimate(value, error, low, high, self.confidence_level, self.n_pairs, self.method)

    def result_of_square(
        self, square: float, error: float, low: float, high: float, *, top: float
    ) -> PairEstimate:
        """Clip a square and its interval to their range and take roots."""
        square, low, high = (min(max(v, 0.0), top) for v in (square, low, high))
        root, reach = math.sqrt(square), math.sqrt(high) - math.sqrt(low)
        # Near 0 a root has no slope; there half the interval says how far it can be off.
        by_interval = reach / (2.0 * self.quantile) if self.quantile > 0.0 else 0.0
        error = min(error / (2.0 * root), by_interval) if root > 0.0 else by_interval
        return self.result(root, error, math.sqrt(low), math.sqrt(high))


def _distances(side: Distances, i: Indices, j: Indices) -> Floats:
    """Return the distances between points i and points j."""
    out = np.empty(i.size)
    step = max(_BLOCK_BYTES // (8 * side.n_dimensions), 1)
    for start in range(0, i.size, step):
        block = slice(start, start + step)
        gap = side.points[i[block]].astype(np.float64)
        gap -= side.points[j[block]]
        np.sqrt(np.einsum("ij,ij->i", gap, gap), out=out[block])
    return out


def _mean_square(side: Distances) -> float:
    """Return the mean of d² over all pairs, 2Σ‖x − x̄‖²/(N − 1)."""
    n = side.n_points
    step = max(_BLOCK_BYTES // (8 * side.n_dimensions), 1)
    first = side.points[0].astype(np.float64)
    total, square = np.zeros(side.n_dimensions), []
    for start in range(0, n, step):
        total += (side.points[start : start + step].astype(np.float64) - first).sum(axis=0)
    mean = first + total / n
    for start in range(0, n, step):
        gap = side.points[start : start + step].astype(np.float64) - mean
        square.append(float(np.einsum("ij,ij->", gap, gap)))
    return 2.0 * math.fsum(square) / (n - 1.0)


def _sorted_positions(values: Floats) -> tuple[Indices, Indices, Indices]:
    """Return the order of values, and the number of values below, and not above, each of them."""
    order = np.argsort(values, kind="stable")
    below, up_to = (np.searchsorted(values[order], values, side=side) for side in ("left", "right"))
    return order, below, up_to


def _centered_ranks(positions: tuple[Indices, Indices, Indices]) -> Floats:
    """Return average ranks as fractions, centered at 0."""
    _, below, up_to = positions
    ranks: Floats = (below + up_to) / (2.0 * below.size) - 0.5
    return ranks


def _mean_above(weights: Floats, positions: tuple[Indices, Indices, Indices]) -> Floats:
    """Return the mean weight of larger values, and half of equal values, for each value."""
    order, below, up_to = positions
    total = np.concatenate([[0.0], np.cumsum(weights[order])])
    mean: Floats = (total[-1] - 0.5 * (total[below] + total[up_to])) / order.size
    return mean
