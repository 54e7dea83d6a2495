"""Confidence intervals for IsoScore."""

from __future__ import annotations

import dataclasses
import math
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.moments import unit_deviations
from isotropy_lab._core.results import Result
from isotropy_lab.isotropy.jackknife import (
    Jackknife,
    check_groups,
    group_sums,
    interval_of_logs,
    log_ratio,
    score_of_log,
    traces_without,
)

__all__ = ["IsoScoreInterval", "isoscore_interval"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class IsoScoreInterval(Result):
    """The corrected IsoScore with a confidence interval.

    Attributes
    ----------
    estimate
        Corrected IsoScore, in [0, 1].
    low, high
        Ends of the interval, in [0, 1].
    standard_error
        Standard error of the estimate, on the scale of IsoScore.
    confidence_level
        Nominal coverage.
    n_points, n_dimensions
        Shape of the data.
    n_groups
        Number of jackknife units, each left out once: points, or groups of dependent points.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    confidence_level: float
    n_points: int
    n_dimensions: int
    n_groups: int


def isoscore_interval(
    X: checks.Points, *, confidence_level: float = 0.95, groups: checks.Groups = None
) -> IsoScoreInterval:
    """Return the corrected IsoScore with a confidence interval from the delete-one jackknife.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 5 points in n ≥ 2 dimensions.
    confidence_level : float, default 0.95
        Nominal coverage, in (0, 1).
    groups : array-like of shape (N,), optional
        Group label of each point, such as the sentence of each token. The jackknife leaves out whole groups.

    Returns
    -------
    IsoScoreInterval

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric or contains NaN or inf; if there are too few points or groups; or if all points,
        or all but one, coincide, also without any one group.

    Notes
    -----
    The jackknife is applied to the logarithm of the corrected ratio tr(Σ)²/tr(Σ²), with quantiles of
    Student's t. A bootstrap of few points would fail: points drawn twice reduce the rank of the sample, so
    that the interval lies below the true value. The traces without a group have closed forms; the jackknife
    costs O(N n · min(N, n)). The estimate is that of `isoscore` with ``estimator="corrected"``. Groups of any
    sizes widen the interval, but do not move its center. If the rows of a group resemble each other, the
    estimate is too low for new groups, and the interval may miss their score: give one row of each. If the
    estimate is clipped to 1, so is the interval, without changing its length below the estimate: the cloud
    cannot be distinguished from a ball, or its axes were fitted to these rows, as by PCA, SVD, or whitening.
    The interval is invariant under translation, rotation, and scaling. With heavy tails, coverage is below
    nominal, and the true value is then usually lower (see *Is it calibrated?*). Efron and Tibshirani (1993),
    chapter 11; Himeno and Yamada (2014).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import isoscore_interval
    >>> X = np.random.default_rng(0).standard_normal((200, 20)) * np.linspace(1, 3, 20)
    >>> interval = isoscore_interval(X)  # the truth is 0.7
    >>> interval.low < 0.7 < interval.high
    True
    """
    level = checks.check_confidence_level(confidence_level)
    points = checks.as_points(X, min_points=5, min_dimensions=2)
    n_points, n = points.shape
    labels = np.arange(n_points) if groups is None else checks.as_labels(groups, "groups", length=n_points)
    n_groups = int(labels.max()) + 1
    check_groups(np.bincount(labels, minlength=n_groups), n_points)
    cloud = _Cloud.of(points)
    log = float(log_ratio(n_points, 1.0, cloud.square, cloud.quartic))
    cubic = cloud.lengths @ cloud.points
    sums = group_sums(cloud.points, cloud.lengths, labels, n_groups, cloud.quadratic, cubic)
    jackknife = Jackknife(log)
    jackknife.add(log_ratio(*traces_without(n_points, cloud.square, cloud.quartic, sums)))
    half_width = jackknife.half_width(level)
    low, high = interval_of_logs(log, log - half_width, log + half_width, n)
    return IsoScoreInterval(
        estimate=score_of_log(log, n),
        low=low,
        high=high,
        standard_error=min(math.exp(log), n) * jackknife.error() / (n - 1),
        confidence_level=level,
        n_points=n_points,
        n_dimensions=n,
        n_groups=n_groups,
    )


@dataclasses.dataclass(frozen=True, eq=False)
class _Cloud:
    """Centered points scaled to tr T = 1, and the sums required by the closed forms."""

    points: Floats
    lengths: Floats  # ‖y‖²
    matrix: Floats  # the scatter matrix T = YᵀY, or the Gram matrix YYᵀ if that is smaller
    from_gram: bool
    square: float
    quartic: float

    @classmethod
    def of(cls, points: checks.FloatArray) -> _Cloud:
        Y, _ = unit_deviations(points)
        checks.check_variance(float(np.abs(Y).max()), "X")
        Y -= Y.mean(axis=0)
        lengths = np.einsum("ij,ij->i", Y, Y)
        total = float(lengths.sum())
        Y /= math.sqrt(total)
        lengths /= total
        from_gram = Y.shape[0] < Y.shape[1]
        matrix = Y @ Y.T if from_gram else Y.T @ Y
        square, quartic = float(np.vdot(matrix, matrix)), float(lengths @ lengths)
        return cls(Y, lengths, matrix, from_gram, square, quartic)

    def quadratic(self, rows: Floats) -> Floats:
        """Return sᵀTs for each row s."""
        if self.from_gram:
            return np.asarray(np.square(rows @ self.points.T).sum(axis=1))
        return np.asarray(np.einsum("ij,ij->i", rows @ self.matrix, rows))
