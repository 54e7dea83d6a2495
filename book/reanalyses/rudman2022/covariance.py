"""IsoScore of a known covariance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def isoscore_from_covariance(covariance: ArrayLike) -> float:
    """Return the IsoScore of a covariance matrix: ((tr Σ)²/‖Σ‖² − 1)/(n − 1).

    >>> round(isoscore_from_covariance([[1.0, 0.8], [0.8, 1.0]]), 6)  # 9/41
    0.219512
    """
    sigma = np.asarray(covariance, dtype=np.float64)
    sigma = sigma / np.trace(sigma)
    ratio = min(max(1.0 / float(np.vdot(sigma, sigma)), 1.0), float(len(sigma)))
    return (ratio - 1.0) / (len(sigma) - 1.0)
