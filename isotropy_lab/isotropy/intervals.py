"""Confidence intervals for IsoScore."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.isotropy.participation import unbiased_traces
from isotropy_lab.moments import unit_deviations

__all__ = ["IsoScoreInterval", "isoscore_interval"]

Floats: TypeAlias = npt.NDArray[np.float64]

METHODS = ("jackknife", "bootstrap")


@dataclasses.dataclass(frozen=True)
class IsoScoreInterval:
    """The corrected IsoScore with a confidence interval.

    Attributes
    ----------
    estimate : float
        Corrected IsoScore, in [0, 1].
    low, high : float
        Ends of the interval, in [0, 1].
    standard_error : float
        Of the estimate, on the scale of IsoScore.
    confidence : float
        Nominal coverage.
    method : str
        "jackknife" or "bootstrap".
    n_points, n_dimensions : int
        Shape of the data.
    n_groups : int
        Units that were left out or drawn, one by one: points, or groups of dependent points.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    confidence: float
    method: str
    n_points: int
    n_dimensions: int
    n_groups: int


def isoscore_interval(
    X: _checks.Points,
    *,
    confidence: float = 0.95,
    method: str = "jackknife",
    groups: Any = None,
    n_resamples: int = 2000,
    rng: _checks.RandomState = None,
) -> IsoScoreInterval:
    """Return the corrected IsoScore with a confidence interval, by default from the delete-one jackknife.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 5 points in n ≥ 2 dimensions.
    confidence : float
        Nominal coverage, in (0, 1).
    method : {"jackknife", "bootstrap"}
        "jackknife" works on the logarithm of the corrected ratio tr(Σ)²/tr(Σ²), with Student quantiles.
        "bootstrap" is the percentile bootstrap of the corrected score; it is offered to show that it fails: points
        drawn twice lower the rank of the sample, so the interval lies below the truth. Resamples without a corrected
        score, of fewer than 4 points or with all points but one alike, are drawn again.
    groups : array-like of shape (N,), optional
        Labels of dependent points, such as the sentence that each token stands in: whole groups are left out or
        drawn.
    n_resamples : int
        Draws of the bootstrap.
    rng : numpy.random.Generator or int, optional
        Draws the resamples.

    Returns
    -------
    IsoScoreInterval

    Raises
    ------
    TypeError
        If `X` does not hold real numbers.
    ValueError
        If there are too few points or groups, all points or all but one coincide, also with a group left out or in
        most resamples, a value is NaN or inf, or an option does not exist.

    Notes
    -----
    Leaving one point out changes the traces by closed formulas, so nothing is fitted again. Cost of the jackknife:
    O(N n · min(N, n)). The estimate is that of `isoscore` with ``estimator="corrected"``: dependence within groups
    widens the interval but does not move its center. Invariant under translation, rotation and scale.

    Simulated coverage of the 95% jackknife (1,000 clouds each, Gaussian and multivariate t with 6 degrees of freedom,
    n from 10 to 300, N from 15 to 200): .94 to .99, on the safe side where n ≥ N; with 8 to 10 groups .94 to .97.
    Normal quantiles instead of Student's give the same from 50 groups on, but .92 with 8 to 10.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 11. The traces are those of Himeno and
    Yamada (2014).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import isoscore_interval
    >>> X = np.random.default_rng(0).standard_normal((200, 20)) * np.linspace(1, 3, 20)
    >>> interval = isoscore_interval(X)  # the truth is 0.7
    >>> interval.low < 0.7 < interval.high
    True
    """
    level = _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
    _checks.check_option(method, "method", METHODS)
    points = _checks.as_points(X, min_points=5, min_dimensions=2)
    n_points, n = points.shape
    labels = np.arange(n_points) if groups is None else _checks.as_labels(groups, "groups", length=n_points)
    n_groups = int(labels.max()) + 1
    _checks.check_groups(np.bincount(labels, minlength=n_groups), n_points)
    cloud = _Cloud.of(points)
    log_ratio = float(_log_ratio(n_points, cloud.total, cloud.square, cloud.quartic))
    if method == "jackknife":
        low, high, se_log = _jackknife(cloud, labels, n_groups, log_ratio, level)
    else:
        size = _checks.check_integer(n_resamples, "n_resamples", low=2)
        low, high, se_log = _bootstrap(cloud, labels, n_groups, level, size, _checks.as_generator(rng))
    return IsoScoreInterval(
        estimate=_to_score(log_ratio, n),
        low=_to_score(low, n),
        high=_to_score(high, n),
        standard_error=math.exp(log_ratio) * se_log / (n - 1),
        confidence=level,
        method=method,
        n_points=n_points,
        n_dimensions=n,
        n_groups=n_groups,
    )


def _to_score(log_ratio: float, n: int) -> float:
    return min(max((math.exp(min(log_ratio, 700.0)) - 1.0) / (n - 1.0), 0.0), 1.0)


def _log_ratio(n_points: Any, total: Any, square: Any, quartic: Any) -> Any:
    """Return the logarithm of the corrected participation ratio, not clipped, for numbers or arrays."""
    numerator, denominator = unbiased_traces(n_points, total, square, quartic)
    _checks.check_two_differ(numerator, 1.0 / (np.asarray(n_points) - 1) ** 2)  # of tr T = 1, the whole cloud
    # tr(Σ²)^ is a mean of squares: never below zero, and zero only when all differences of disjoint pairs are
    # orthogonal, as for N points on N axes. Then rounding decides its sign.
    _checks.check_positive_trace(denominator - 1e-12 * numerator)
    return np.log(numerator) - np.log(denominator)


@dataclasses.dataclass(frozen=True, eq=False)
class _Cloud:
    """Centered points scaled to tr T = 1, with the sums that the closed forms need."""

    points: Floats
    lengths: Floats  # ‖y‖²
    matrix: Floats  # the scatter matrix T = YᵀY, or the Gram matrix YYᵀ if that is smaller
    from_gram: bool
    total: float
    square: float
    quartic: float

    @classmethod
    def of(cls, points: _checks.FloatArray) -> _Cloud:
        Y, _ = unit_deviations(points)
        _checks.check_variance(float(np.abs(Y).max()), "X")
        Y -= Y.mean(axis=0)
        lengths = np.einsum("ij,ij->i", Y, Y)
        total = float(lengths.sum())
        Y /= math.sqrt(total)
        lengths /= total
        from_gram = Y.shape[0] < Y.shape[1]
        matrix = Y @ Y.T if from_gram else Y.T @ Y
        square, quartic = float(np.vdot(matrix, matrix)), float(lengths @ lengths)
        return cls(Y, lengths, matrix, from_gram, 1.0, square, quartic)

    def quadratic(self, rows: Floats) -> Floats:
        """Return sᵀTs for each row s."""
        if self.from_gram:
            return np.asarray(np.square(rows @ self.points.T).sum(axis=1))
        return np.asarray(np.einsum("ij,ij->i", rows @ self.matrix, rows))


def _group_sums(values: Floats, labels: npt.NDArray[np.intp], n_groups: int) -> Floats:
    """Return the sum over each group of numbers or of rows."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(n_groups))
    return np.asarray(np.add.reduceat(values[order], starts, axis=0))


def _without_each_group(
    cloud: _Cloud, labels: npt.NDArray[np.intp], n_groups: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return N, tr T, tr T² and Σ‖y‖⁴ of the cloud with each group left out in turn.

    Leaving out a group g of m points with sum s moves the mean by −d, d = s/(N − m), so that the scatter becomes
    T − T_g − s sᵀ/(N − m) and every remaining y becomes y + d; the rest is expansion.
    """
    Y, q = cloud.points, cloud.lengths
    size = np.bincount(labels, minlength=n_groups).astype(np.float64)
    left = Y.shape[0] - size
    if n_groups == Y.shape[0]:
        order = np.argsort(labels)
        s = Y if np.array_equal(order, np.arange(order.size)) else Y[order]
        q = q[order]
        with_sum, labels = q, np.arange(n_groups)  # y·s is ‖y‖²
        own_square = q * q
    else:
        s = _group_sums(Y, labels, n_groups)
        with_sum = np.einsum("ij,ij->i", Y, s[labels])
        own_square = _squared_scatter_norms(Y, labels, n_groups)
    s_square = np.einsum("ij,ij->i", s, s)
    s_T_s = cloud.quadratic(s)
    inner = (
        s_T_s if s.shape[0] == Y.shape[0] else _group_sums(cloud.quadratic(Y), labels, n_groups)
    )  # ⟨T, T_g⟩
    s_Tg_s = _group_sums(with_sum**2, labels, n_groups)
    total_left = cloud.total - _group_sums(q, labels, n_groups)
    total = total_left - s_square / left
    square = (
        cloud.square + own_square + (s_square / left) ** 2 - 2 * inner - 2 * s_T_s / left + 2 * s_Tg_s / left
    )
    d_square = s_square / left**2
    cubic_left = s @ (cloud.lengths @ Y) - _group_sums(
        q * with_sum, labels, n_groups
    )  # s·Σ‖y‖²y over the rest
    quartic = (
        cloud.quartic
        - _group_sums(q * q, labels, n_groups)
        + 4 * (s_T_s - s_Tg_s) / left**2
        + 4 * cubic_left / left
        + 2 * d_square * total_left
        - 3 * left * d_square**2
    )
    return left, total, square, quartic


def _squared_scatter_norms(Y: Floats, labels: npt.NDArray[np.intp], n_groups: int) -> Floats:
    """Return ‖Σ yyᵀ‖²_F over each group, from whichever of its two product matrices is smaller."""
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(n_groups + 1))
    norms = np.empty(n_groups)
    for g in range(n_groups):
        rows = Y[order[bounds[g] : bounds[g + 1]]]
        product = rows @ rows.T if rows.shape[0] < rows.shape[1] else rows.T @ rows
        norms[g] = np.vdot(product, product)
    return norms


def _jackknife(
    cloud: _Cloud, labels: npt.NDArray[np.intp], n_groups: int, log_ratio: float, level: float
) -> tuple[float, float, float]:
    """Return the ends of the interval on the log scale, and the standard error there.

    Groups may differ in size: this is the delete-m_j jackknife of Busing, Meijer and van der Leeden (1999), which
    for groups of one point is the usual one.
    """
    from scipy import stats

    left, total, square, quartic = _without_each_group(cloud, labels, n_groups)
    n_points = cloud.points.shape[0]
    logs = _log_ratio(left, total, square, quartic)
    h = n_points / (n_points - left)
    pseudo = h * log_ratio - (h - 1) * logs
    center = n_groups * log_ratio - float(((1 - 1 / h) * logs).sum())
    se = math.sqrt(float((np.square(pseudo - center) / (h - 1)).mean()))
    reach = float(stats.t.ppf(0.5 + level / 2, n_groups - 1)) * se
    return log_ratio - reach, log_ratio + reach, se


def _bootstrap(
    cloud: _Cloud,
    labels: npt.NDArray[np.intp],
    n_groups: int,
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    """Return percentiles of the log of the corrected ratio over resamples, and their standard deviation."""
    n = cloud.points.shape[1]
    logs = np.empty(n_resamples)
    b = refused = 0
    while b < n_resamples:
        _checks.check_resamples(refused, b)
        weights = rng.multinomial(n_groups, np.full(n_groups, 1.0 / n_groups))[labels].astype(np.float64)
        size = float(weights.sum())
        if size < 4:  # groups so small that four-point means do not exist
            refused += 1
            continue
        drawn = weights > 0
        w = weights[drawn, None]
        Y = cloud.points[drawn]
        Y = Y - (w * Y).sum(axis=0) / size
        q = np.einsum("ij,ij->i", Y, Y)
        Z = np.sqrt(w) * Y
        product = Z @ Z.T if Z.shape[0] < n else Z.T @ Z
        w = w[:, 0]
        total = float(w @ q)
        numerator, denominator = unbiased_traces(
            size, total, float(np.vdot(product, product)), float(w @ (q * q))
        )
        if (
            not numerator > 1e-12 * (total / (size - 1)) ** 2
        ):  # 0/0: all points drawn, or all but one, coincide
            refused += 1
            continue
        # Beyond n the score is 1 anyway; a denominator of 0 or less says the same.
        logs[b] = math.log(numerator / denominator) if denominator > numerator / n else math.log(n)
        b += 1
    low, high = np.quantile(logs, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), float(logs.std(ddof=1))
