"""Average cosine between the points of a cloud."""

from __future__ import annotations

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows

__all__ = ["average_cosine", "average_cosine_score"]

_CHUNK_BYTES = 2**20
"""Size of a block of rows, small enough to be read a second time from the cache."""

_SINGLE_ROWS = 2**11
"""Maximum number of rows summed in float32; the sums of blocks are added in float64."""

_NARROW_DIMENSIONS = 16
"""Maximum number of dimensions for which float32 is converted to float64 at little cost."""


def average_cosine(X: checks.Points) -> float:
    """Return the mean cosine over all pairs of distinct points.

    With unit vectors u = x/‖x‖, the mean over all pairs i ≠ j is (‖Σu‖² − N)/(N(N − 1)), without sampling.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 2 points, none of them zero.

    Returns
    -------
    float
        Dimensionless mean in [−1/(N − 1), 1]; near 0 if the directions of the points cancel.

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric, has fewer than 2 points, or contains NaN, inf, or a zero row.

    Notes
    -----
    It is invariant under rotation and scaling, but not under translation: a large mean raises it to 1,
    whatever the covariance. Cost: O(N n). Rudman et al. (2022), equation (B.1), average over a sample of
    pairs.

    Examples
    --------
    >>> from isotropy_lab.isotropy import average_cosine
    >>> round(average_cosine([[1.0, 0.0], [0.0, 1.0], [3.0, 0.0]]), 6)  # cosines 0, 1, 0
    0.333333
    """
    points = checks.as_points(X, min_points=2, finite=False)
    n_points, n = points.shape
    total = np.zeros(n)
    is_narrow = n <= _NARROW_DIMENSIONS
    chunk_size = max(64, _CHUNK_BYTES // ((8 if is_narrow else points.itemsize) * n))
    if points.dtype != np.float64 and not is_narrow:
        chunk_size = min(chunk_size, _SINGLE_ROWS)
    # In shorter rows, the squares of individual entries lose precision.
    info = np.finfo(points.dtype)
    shortest = float(np.sqrt(float(info.tiny) / float(info.eps)))
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start in range(0, n_points, chunk_size):
            block = points[start : start + chunk_size]
            if is_narrow:
                block = block.astype(np.float64, copy=False)
            norms = np.sqrt(np.einsum("ij,ij->i", block, block).astype(np.float64))
            if norms.min() > shortest and norms.max() < np.inf:
                total += (1.0 / norms).astype(block.dtype) @ block
            else:
                checks.raise_if_not_finite(points, "X")
                checks.check_no_zero_rows(np.abs(points).max(axis=1), "X")
                total += unit_rows(block).sum(axis=0)
    mean: float = (float(total @ total) - n_points) / (n_points * (n_points - 1.0))
    return float(min(max(mean, -1.0 / (n_points - 1.0)), 1.0))


def average_cosine_score(X: checks.Points) -> float:
    """Return one minus the absolute value of the mean cosine.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 2 points, none of them zero.

    Returns
    -------
    float
        Score in [0, 1]. A score of 1 is interpreted as isotropic, but every cloud that is symmetric about the
        origin, even a line, has a score near 1.

    Raises
    ------
    TypeError, ValueError
        As in `average_cosine`.

    Notes
    -----
    Invariances and cost are those of `average_cosine`. Rudman et al. (2022), equation (B.1).

    Examples
    --------
    >>> from isotropy_lab.isotropy import average_cosine_score
    >>> average_cosine_score([[1.0, 0.0], [2.0, 0.0]])
    0.0
    """
    return 1.0 - abs(average_cosine(X))
