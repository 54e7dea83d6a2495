"""Transformers for scikit-learn pipelines that increase isotropy: all-but-the-top and whitening.

This module adds what scikit-learn lacks: for unit variance along the given axes, or for centering alone, use
`sklearn.preprocessing.StandardScaler`. Both transformers learn from one set of rows and can then be applied
to any other: for search, fit them on the documents and apply them to both documents and questions.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from isotropy_lab._core import checks
from isotropy_lab._core.moments import moments

__all__ = ["AllButTheTop", "Whitening"]

METHODS = ("zca", "pca")

Floats: TypeAlias = npt.NDArray[np.float64]


def _principal_axes(points: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean, and the covariance's eigenvalues (descending) and eigenvectors (rows).

    Each eigenvector's entry of largest magnitude is positive, so that the same data give the same signs.
    """
    m = moments(points)
    covariance = m.covariance()
    checks.check_variance(float(np.trace(m.scatter)), "X")
    if float(np.trace(covariance)) < 1e-290:
        raise ValueError("X has variances that underflow float64; expected rescaled data")
    values, vectors = np.linalg.eigh(covariance)
    values, rows = np.maximum(values[::-1], 0.0), vectors[:, ::-1].T
    largest = np.abs(rows).argmax(axis=1)
    rows = rows * np.where(rows[np.arange(len(rows)), largest] < 0, -1.0, 1.0)[:, None]
    return m.mean, values, rows


class AllButTheTop(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transformer that centers the rows and removes their leading principal directions.

    It maps x to (x − x̄) − Σ_d ⟨x − x̄, u_d⟩ u_d, over the D eigenvectors u_d of the covariance with the
    largest eigenvalues. The rows keep their n coordinates and lose D of their dimensions.

    Parameters
    ----------
    n_components : int or None
        Number of directions D to remove, from 0 (only center) to n − 1; None means max(1, ⌊n/100⌋).

    Attributes
    ----------
    mean_ : ndarray of shape (n,)
        Mean of the fitted rows.
    components_ : ndarray of shape (D, n)
        Removed directions: orthonormal, in descending order of variance, each with a positive entry of
        largest magnitude.
    explained_variance_ : ndarray of shape (D,)
        Variance along the removed directions (ddof = 1), in squared units of the data.
    n_components_ : int
        Number of removed directions D.

    Raises
    ------
    TypeError, ValueError
        If X contains NaN or inf, or has fewer than 2 rows or columns or no variance; or if `n_components` is
        not an integer or exceeds n − 1 or N − 1, the number of directions with variance.

    Notes
    -----
    It is invariant under translation, and commutes with rotation and scaling. If the D-th eigenvalue and the
    next are equal, the removed direction is arbitrary. Results are float64. Cost: O(N n² + n³) to fit, O(N n
    D) to transform. Mu and Viswanath (2018), Algorithm 1; "PCA" in Roychowdhury et al. (2025), Section II-E.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.transforms import AllButTheTop
    >>> X = np.array([[4.0, 1.0], [6.0, 1.0], [5.0, 1.5], [5.0, 0.5]])
    >>> AllButTheTop().fit_transform(X)  # what is left is the second axis, about its mean
    array([[ 0. ,  0. ],
           [ 0. ,  0. ],
           [ 0. ,  0.5],
           [ 0. , -0.5]])
    """

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    def fit(self, X: Any, y: Any = None) -> AllButTheTop:
        """Learn the mean and leading directions from at least 2 rows and 2 columns; `y` is ignored."""
        points = _as_samples(self, X, reset=True, min_dimensions=2)
        n_points, n = points.shape
        n_components = _check_removed(self.n_components, n_points, n)
        mean, values, rows = _principal_axes(points)
        self.mean_ = mean
        self.components_ = rows[:n_components].copy()
        self.explained_variance_ = values[:n_components].copy()
        self.n_components_ = n_components
        return self

    def transform(self, X: Any) -> Floats:
        """Subtract the fitted mean and remove the fitted directions; set rounding residue to 0."""
        check_is_fitted(self)
        points = _as_samples(self, X, reset=False)
        centered: Floats = points - self.mean_
        centered -= (centered @ self.components_.T) @ self.components_
        rounding = 8.0 * float(np.finfo(np.float64).eps)
        largest = np.maximum(np.abs(points).max(axis=1), np.abs(self.mean_).max())
        centered[np.abs(centered).max(axis=1) <= rounding * largest] = 0.0
        return centered


class Whitening(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transformer that centers the rows and scales their principal directions to unit variance.

    With the covariance's eigenvalues λ and its eigenvectors in the rows of V, z = (x − x̄) Vᵀ diag(μ)^(−½) for
    ``method="pca"``, and this product times V for ``method="zca"``; μ is λ, raised to at least `floor` times
    the largest λ.

    Parameters
    ----------
    floor : float
        Smallest divisor, as a fraction of the largest eigenvalue, in [0, 1]. Directions with a smaller
        eigenvalue get less than unit variance, rather than magnified rounding errors; a floor of 1 only
        centers and rescales.
    method : {"zca", "pca"}
        "zca" rotates the rows back to the original axes: of all whitening transforms, it moves them the
        least, and it is unique even if some eigenvalues are equal. "pca" leaves the rows on the principal
        axes, in descending order of variance; the axes of equal eigenvalues are arbitrary, and signs are set
        by convention. Cosines and distances are the same for both methods.

    Attributes
    ----------
    mean_ : ndarray of shape (n,)
        Mean of the fitted rows.
    explained_variance_ : ndarray of shape (n,)
        Eigenvalues of the covariance (ddof = 1), in descending order, without the floor.
    components_ : ndarray of shape (n, n)
        Eigenvectors of the covariance, in rows.
    scale_ : ndarray of shape (n,)
        Standard deviations used as divisors, with the floor.
    n_floored_ : int
        Number of standard deviations raised by the floor.

    Raises
    ------
    TypeError, ValueError
        If X contains NaN or inf, or has no variance or no more rows than columns (N ≤ n whitened rows are all
        the same distance apart); if an option does not exist; or if a direction has no variance and `floor`
        is 0 or below the rounding error (n times 2.2e-16).

    Notes
    -----
    If the floor raises no eigenvalue, the covariance of the fitted rows becomes the identity, so their
    IsoScore is 1 *by construction*; the score is informative only for other rows, such as questions, or after
    another transformation, such as scaling to unit length. If r of n directions have variance and the floor
    raises no other eigenvalue, the score is (r − 1)/(n − 1).

    The covariance of the result is invariant under invertible linear maps of the data. Results are float64.
    Cost: O(N n² + n³) to fit, O(N n²) to transform. Jung et al. (2023); "Whitened" in Roychowdhury et al.
    (2025), Section II-E.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import isoscore
    >>> from isotropy_lab.transforms import Whitening
    >>> X = np.random.default_rng(0).standard_normal((200, 3)) * [1.0, 2.0, 3.0] + 5.0
    >>> Z = Whitening().fit_transform(X)
    >>> print(np.round(np.cov(Z.T), 12) + 0.0)
    [[1. 0. 0.]
     [0. 1. 0.]
     [0. 0. 1.]]
    >>> round(isoscore(Z), 12)
    1.0
    """

    def __init__(self, floor: float = 1e-6, method: str = "zca") -> None:
        self.floor = floor
        self.method = method

    def fit(self, X: Any, y: Any = None) -> Whitening:
        """Learn the mean, principal directions, and scales from more rows than columns; `y` is ignored."""
        floor = checks.check_real(self.floor, "floor", low=0.0, high=1.0)
        checks.check_option(self.method, "method", METHODS)
        points = _as_samples(self, X, reset=True)
        n_points, n = points.shape
        if n_points <= n:
            raise ValueError(
                f"X has {checks.how_many(n_points, 'point')} in {checks.how_many(n, 'dimension')}; expected "
                "more points than dimensions for whitening (fit on more documents, or reduce the "
                "dimensions first)"
            )
        mean, values, rows = _principal_axes(points)
        _check_full_rank(values, floor)
        minimum = floor * values[0]
        self.mean_ = mean
        self.explained_variance_ = values
        self.components_ = rows
        self.scale_ = np.sqrt(np.maximum(values, minimum))
        self.n_floored_ = int((values < minimum).sum())
        return self

    @property
    def _n_features_out(self) -> int:
        return int(self.components_.shape[0])

    def transform(self, X: Any) -> Floats:
        """Whiten rows using the fitted mean, directions, and scales."""
        check_is_fitted(self)
        scores = (_as_samples(self, X, reset=False) - self.mean_) @ self.components_.T
        scores /= self.scale_
        whitened: Floats = scores @ self.components_ if self.method == "zca" else scores
        return whitened


def _as_samples(estimator: Any, x: Any, *, reset: bool, min_dimensions: int = 1) -> Floats:
    """Validate `x` as scikit-learn does and return it as float64; `reset` is True during fitting."""
    minimums = {"ensure_min_samples": 2 if reset else 1, "ensure_min_features": min_dimensions}
    with np.errstate(invalid="ignore"):  # scikit-learn detects infinity by summing, which may yield ∞ − ∞
        checked = validate_data(estimator, x, reset=reset, dtype=np.float64, **minimums)
    return np.asarray(checked, dtype=np.float64)


def _check_removed(n_components: Any, n_points: int, n: int) -> int:
    """Return the number of directions to remove from `n_points` points, max(1, ⌊n/100⌋) by default."""
    if n_components is None:
        n_removed, origin = max(1, n // 100), f" (the default, 1% of {n} dimensions)"
    else:
        n_removed, origin = checks.check_integer(n_components, "n_components", low=0), ""
    if n_removed > n - 1:
        raise ValueError(
            f"n_components is {n_removed}, which leaves none of {n} dimensions; expected at most {n - 1}"
        )
    if n_removed > n_points - 1:
        raise ValueError(
            f"n_components is {n_removed}{origin}, but {n_points} points have at most {n_points - 1} "
            "directions with variance; expected fewer directions or more points"
        )
    return n_removed


def _check_full_rank(eigenvalues: Floats, floor: float) -> None:
    """Raise ValueError if whitening would divide by a variance of 0, up to rounding."""
    rounding = eigenvalues.size * float(np.finfo(np.float64).eps)
    n_zero = int((eigenvalues <= rounding * eigenvalues[0]).sum())
    if floor <= rounding and n_zero:
        raise ValueError(
            f"X has no variance in {n_zero} of its {eigenvalues.size} principal directions, which cannot be "
            f"scaled to 1; expected a floor above rounding ({rounding:.2g} of the largest eigenvalue), or "
            "fewer dimensions"
        )
