"""IsoScore, the isotropy defect, and the number of dimensions used, from the participation ratio.

With eigenvalues λ of the covariance Σ, the participation ratio is PR = (Σλ)²/Σλ² = tr(Σ)²/‖Σ‖²_F. IsoScore is
(PR − 1)/(n − 1), and the number of dimensions used is PR itself. Both need only two traces, no eigenvalues.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.moments import Moments, moments

__all__ = ["dimensions_used", "isoscore", "isoscore_from_eigenvalues", "isotropy_defect"]

ESTIMATORS = ("plug-in", "corrected")

WORTH_CORRECTING = 4.0
"""Number of dimensions used below which the correction adds more variance than it removes bias."""


@dataclasses.dataclass(frozen=True)
class CenteredTraces:
    """Traces of the scatter matrix T = Σ(x − x̄)(x − x̄)ᵀ of N points in n dimensions, at any scale.

    `total` is tr T, `square` is tr T² = ‖T‖²_F, and `quartic` is Σ‖x − x̄‖⁴.
    """

    n_points: int
    n_dimensions: int
    total: float
    square: float
    quartic: float | None = None


def centered_traces(X: checks.Points, *, fourth: bool) -> CenteredTraces:
    """Return the traces of the scatter matrix of `X`, from the Gram matrix if that is smaller."""
    shape = known_shape(X)
    if shape is not None:
        checks.check_size(shape, "X", min_points=4 if fourth else 2, min_dimensions=2)
        if shape[0] < shape[1] and not checks.is_torch(X):
            return _gram_traces(X, fourth)
    m = X if isinstance(X, Moments) else moments(X, fourth=fourth)
    checks.check_size((m.count, m.n_dimensions), "X", min_points=4 if fourth else 2, min_dimensions=2)
    return traces_of_moments(m)


def known_shape(X: Any) -> tuple[int, int] | None:
    """Return (N, n) if `X` is one matrix whose shape is known before it is read, and None otherwise."""
    if isinstance(X, Moments) or checks.is_dask(X) or checks.is_block_iterable(X):
        return None
    if not checks.is_torch(X):
        X = checks.as_array(X, "X", ndim=2)
    elif X.ndim != 2:
        return None
    return int(X.shape[0]), int(X.shape[1])


def traces_of_moments(m: Moments) -> CenteredTraces:
    """Return the traces of a scatter matrix after division by its trace, which prevents overflow."""
    total = float(np.trace(m.scatter))
    checks.check_variance(total, "X")
    # Only ratios of the traces matter, so the data are scaled to tr T = 1.
    scaled = m.scatter / total
    quartic = None if m.quartic is None else m.quartic / total / total
    return CenteredTraces(m.count, m.n_dimensions, 1.0, float(np.vdot(scaled, scaled)), quartic)


def _gram_traces(X: Any, fourth: bool) -> CenteredTraces:
    """Return the traces of the N × N Gram matrix, for fewer points than dimensions."""
    gram, n = centered_gram(X)
    lengths = np.diagonal(gram)
    total = float(lengths.sum())
    checks.check_variance(total, "X")
    gram = gram / total
    lengths = np.diagonal(gram)
    quartic = float(lengths @ lengths) if fourth else None
    return CenteredTraces(gram.shape[0], n, 1.0, float(np.vdot(gram, gram)), quartic)


def centered_gram(X: Any) -> tuple[npt.NDArray[np.float64], int]:
    """Return the Gram matrix of the centered points, and the number of dimensions."""
    array = checks.as_array(X, "X", ndim=2)
    n_points, n = array.shape
    if not checks.is_finite_sum(array):
        checks.raise_if_not_finite(array, "X")
    # Since there are few points, blocks of columns fit in memory in float64.
    chunk_size = max(64, 2**21 // max(1, n_points))
    gram = np.zeros((n_points, n_points))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, n, chunk_size):
            block = array[:, start : start + chunk_size].astype(np.float64)
            block -= block[0].copy()  # makes equal rows exactly zero
            block -= block.mean(axis=0)
            gram += block @ block.T
    if not np.isfinite(np.diagonal(gram)).all():
        checks.raise_overflow("X")
    return gram, n


def participation_ratio(t: CenteredTraces, *, estimator: str) -> float:
    """Return the participation ratio, clipped to [1, n]."""
    n = t.n_dimensions
    if estimator == "plug-in":
        return min(max(t.total**2 / t.square, 1.0), float(n))
    check_fourth(present=t.quartic is not None)
    numerator, denominator = unbiased_traces(t.n_points, t.total, t.square, t.quartic)
    # Both are means over quadruples, of ‖a‖²‖b‖² and (a·b)², so numerator ≥ denominator ≥ 0 up to rounding.
    # The numerator is 0 if there are no two disjoint pairs of different points. The denominator is also 0 if
    # all differences are orthogonal, as for N points on N axes.
    check_two_differ(numerator, (t.total / (t.n_points - 1)) ** 2)
    if numerator >= n * denominator:
        return float(n)
    return max(float(numerator / denominator), 1.0)


def unbiased_traces(n_points: Any, total: Any, square: Any, quartic: Any) -> tuple[Any, Any]:
    """Return unbiased estimates of (tr Σ)² and tr Σ² from N, tr T, tr T² and Σ‖x − x̄‖⁴.

    The estimates do not assume a distribution. Both are U-statistics: means of kernels such as
    ¼((x − y)·(w − z))² over all distinct quadruples of points, expressed in terms of the traces of the sample
    covariance S and Q = Σ‖x − x̄‖⁴/(N − 1); see Himeno and Yamada (2014).
    """
    N = n_points
    t1, t2, q = total / (N - 1), square / (N - 1) ** 2, quartic / (N - 1)
    c = (N - 1) / (N * (N - 2) * (N - 3))
    numerator = c * (2 * t2 + (N * N - 3 * N + 1) * t1 * t1 - N * q)
    denominator = c * ((N - 1) * (N - 2) * t2 + t1 * t1 - N * q)
    return numerator, denominator


def check_fourth(*, present: bool) -> None:
    """Raise ValueError if fourth moments are missing."""
    if not present:
        raise ValueError("X is a Moments object without fourth moments; expected moments(X, fourth=True)")


def check_two_differ(estimates: Any, squares: Any) -> None:
    """Raise ValueError if an unbiased estimate of (tr Σ)² is negligible compared with the plug-in estimate.

    The unbiased estimate is the mean of ‖a − b‖²‖c − d‖² over four different points, which is 0 if all points
    but one coincide.
    """
    if not np.all(np.asarray(estimates) > 1e-12 * np.asarray(squares)):
        raise ValueError(
            "X has no two disjoint pairs of distinct points (all points but one coincide in float64), so the "
            "corrected estimate is 0/0; expected at least 2 points that differ from the others"
        )


def score_of_ratio(ratio: float, n: int) -> float:
    """Return IsoScore, given a participation ratio."""
    return (ratio - 1.0) / (n - 1.0)


def defect_of_ratio(ratio: float, n: int) -> float:
    """Return the isotropy defect, given a participation ratio."""
    root = math.sqrt(n)
    return math.sqrt(max(root - math.sqrt(ratio), 0.0) / (root - 1.0))


def isoscore(X: checks.Points, *, estimator: str = "plug-in") -> float:
    """Return IsoScore, which is 0 for a line and 1 for a covariance proportional to the identity.

    The score is ι = (PR − 1)/(n − 1) with PR = tr(Σ)²/‖Σ‖²_F; the seven steps of Rudman et al. (2022),
    Algorithm 1, reduce to this formula.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 2 points in n ≥ 2 dimensions: an array, memory map, DataFrame, torch tensor, Dask array, iterable
        of blocks, or `isotropy_lab.Moments`.
    estimator : {"plug-in", "corrected"}
        "plug-in" uses the sample covariance. It is too low for few points: for an isotropic cloud, PR ≈ n/(1
        + n/N). "corrected" uses unbiased estimates of both traces, whatever the distribution, and clips their
        ratio to [1, n]; it requires N ≥ 4 independent points. The ratio itself is not unbiased: with heavy
        tails and an uneven spectrum, it is too high. Use "corrected" if the number of dimensions used, 1 +
        ι(n − 1) of "plug-in", is at least 4; for steeper spectra, the plug-in score has the smaller error.

    Returns
    -------
    float
        Dimensionless score in [0, 1]; 1 is best.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric or contains NaN or inf; if there are too few points or dimensions; if all points
        coincide (for "corrected": all but one); if the estimator does not exist; or if a Moments object does
        not contain the fourth moments that the estimator requires.

    Notes
    -----
    It is invariant under translation, rotation, and scaling. Cost: one pass, O(N n · min(N, n)), with the
    memory of `isotropy_lab.moments`. float32 input is multiplied in float32 about its mean and summed in
    float64. Integers beyond 2⁵³ are rounded. Rudman et al. (2022), Section 4 and Algorithm 1; unbiased
    traces: Himeno and Yamada (2014), Journal of Multivariate Analysis 130.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import isoscore
    >>> isoscore([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    1.0
    >>> X = np.random.default_rng(0).standard_normal((100, 50))
    >>> round(isoscore(X), 3), round(isoscore(X, estimator="corrected"), 3)
    (0.663, 1.0)
    """
    checks.check_option(estimator, "estimator", ESTIMATORS)
    traces = centered_traces(X, fourth=estimator == "corrected")
    return score_of_ratio(participation_ratio(traces, estimator=estimator), traces.n_dimensions)


def isoscore_from_eigenvalues(eigenvalues: Any) -> float:
    """Return IsoScore, given the eigenvalues of a covariance.

    Parameters
    ----------
    eigenvalues : array-like of shape (n,)
        All n ≥ 2 eigenvalues, including zeros, in any order and on any scale.

    Returns
    -------
    float
        Score in [0, 1]; 1, the best value, if all eigenvalues are equal.

    Raises
    ------
    TypeError, ValueError
        If eigenvalues are not numeric, fewer than 2, negative, NaN, or inf, or if all of them are zero.

    Notes
    -----
    It is invariant under scaling and reordering. Cost: O(n). Rudman et al. (2022), Algorithm 1.

    Examples
    --------
    >>> from isotropy_lab.isotropy import isoscore_from_eigenvalues
    >>> isoscore_from_eigenvalues([1.0, 1.0, 1.0, 0.0, 0.0])
    0.5
    """
    values = checks.as_eigenvalues(eigenvalues)
    scaled = values / values.max()
    traces = CenteredTraces(0, values.size, float(scaled.sum()), float(scaled @ scaled))
    return score_of_ratio(participation_ratio(traces, estimator="plug-in"), values.size)


def isotropy_defect(X: checks.Points) -> float:
    """Return the isotropy defect, which is 0 for an isotropic cloud and 1 for a line.

    δ is the distance between the vector of eigenvalues, scaled to length √n, and the vector of ones, divided
    by the maximum distance: δ² = (√n − √PR)/(√n − 1).

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 2 points in n ≥ 2 dimensions, in any form that `isoscore` accepts.

    Returns
    -------
    float
        Dimensionless defect in [0, 1]; 0 is best.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric or contains NaN or inf; if there are too few points or dimensions; or if all
        points coincide.

    Notes
    -----
    It is invariant under translation, rotation, and scaling. It costs as much as `isoscore`. Rudman et al.
    (2022), Section 4, steps 5 and 6 of Algorithm 1.

    Examples
    --------
    >>> from isotropy_lab.isotropy import isotropy_defect
    >>> isotropy_defect([[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    1.0
    """
    traces = centered_traces(X, fourth=False)
    return defect_of_ratio(participation_ratio(traces, estimator="plug-in"), traces.n_dimensions)


def dimensions_used(X: checks.Points, *, estimator: str = "plug-in") -> float:
    """Return the number of dimensions that a cloud uses: 1 for a line, and n for an isotropic cloud.

    k(X) is the participation ratio PR = tr(Σ)²/‖Σ‖²_F. For a cloud that is isotropic in k of its dimensions
    and constant in the others, k(X) equals k.

    Parameters
    ----------
    X, estimator
        See `isoscore`.

    Returns
    -------
    float
        Number of dimensions in [1, n]; n is best.

    Raises
    ------
    TypeError, ValueError
        As in `isoscore`.

    Notes
    -----
    It is invariant under translation, rotation, and scaling. It costs as much as `isoscore`. Rudman et al.
    (2022), Heuristic 4.1 and Appendix D.

    Examples
    --------
    >>> from isotropy_lab.isotropy import dimensions_used
    >>> dimensions_used([[1.0, 0.0, 5.0], [-1.0, 0.0, 5.0], [0.0, 1.0, 5.0], [0.0, -1.0, 5.0]])
    2.0
    """
    checks.check_option(estimator, "estimator", ESTIMATORS)
    return participation_ratio(centered_traces(X, fourth=estimator == "corrected"), estimator=estimator)
