"""Score based on the variance explained by the first principal components."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.moments import Moments, moments
from isotropy_lab.isotropy.participation import centered_gram, known_shape

__all__ = ["varex_score"]


def varex_score(X: checks.Points, *, fraction: float = 0.3) -> float:
    """Return (k/n)/v(k), where v(k) is the fraction of variance explained by the first k of n components.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 2 points, in any form that `isoscore` accepts.
    fraction : float
        Fraction of the components, in (0, 1]; k is max(⌊fraction·n⌋, 1).

    Returns
    -------
    float
        Dimensionless score in [k/n, 1]: 1 for an isotropic cloud, and k/n if k components explain all the
        variance.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric, has fewer than 2 points, or contains NaN or inf; if all points coincide; or if
        the fraction is outside (0, 1].

    Notes
    -----
    It is invariant under translation, rotation, and scaling. If k = n, the score of every cloud is 1. The
    cost is that of `isoscore`. Rudman et al. (2022), Appendix B, as in their figures; the text has the
    inverse ratio.

    Examples
    --------
    >>> from isotropy_lab.isotropy import varex_score
    >>> round(varex_score([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]], fraction=0.5), 6)  # ½ / 0.9
    0.555556
    """
    fraction = checks.check_real(fraction, "fraction", low=0.0, high=1.0, open_low=True)
    values, n = _spectrum(X)
    return score_of_spectrum(values, n_leading(fraction, n), n)


def score_of_spectrum(values: npt.NDArray[np.float64], k: int, n: int) -> float:
    """Return (k/n)/v(k), given the variances of n principal components in descending order.

    Components without a given variance have variance 0.
    """
    explained = float(values[:k].sum() / values.sum())
    return min(max((k / n) / explained, k / n), 1.0)


def n_leading(fraction: float, n: int) -> int:
    """Convert a fraction of n components to a number of components, which is at least 1."""
    # The tolerance prevents rounding from turning 0.29 · 100 into 28, for example.
    return max(math.floor(fraction * n + 1e-9), 1)


def _spectrum(X: checks.Points) -> tuple[npt.NDArray[np.float64], int]:
    """Return the eigenvalues of the scatter matrix, in descending order, and n."""
    shape = known_shape(X)
    if shape is not None:
        checks.check_size(shape, "X", min_points=2)
    if shape is not None and shape[0] < shape[1]:
        matrix, n = centered_gram(X)
    else:
        m = X if isinstance(X, Moments) else moments(X)
        checks.check_size((m.count, m.n_dimensions), "X", min_points=2)
        matrix, n = m.scatter, m.n_dimensions
    checks.check_variance(float(np.trace(matrix)), "X")
    return np.maximum(np.linalg.eigvalsh(matrix)[::-1], 0.0), n
