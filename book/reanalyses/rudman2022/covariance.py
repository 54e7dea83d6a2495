"""IsoScore of a known covariance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def isoscore_from_covariance(covariance: ArrayLike) -> float:
    """Return the IsoScore of a covariance matrix: ((tr Σ)²/‖Σ‖² − 1)/(n − 1).

    >>> round(isoscore_from_covariance([[1.0, 0.8], [0.8, 1.0]]), 6)  # 9/41
    0.219512
    """
    matrix = np.asarray(covariance, dtype=np.float64)
    matrix = matrix / np.trace(matrix)
    ratio = min(max(1.0 / float(np.vdot(matrix, matrix)), 1.0), float(len(matrix)))
    return (ratio - 1.0) / (len(matrix) - 1.0)
