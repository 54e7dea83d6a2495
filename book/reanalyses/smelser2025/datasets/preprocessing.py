"""Scaling of data before projection, and choice of the data for scoring."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks

SCALINGS = ("minmax", "standardize", "none")
"""Options of `scale` for the columns of the data."""


class Prepared(NamedTuple):
    """The data to project and the data to score the projection against, both of shape (N, n)."""

    embedding: npt.NDArray[np.float64]
    scoring: npt.NDArray[np.float64]


def scale(X: checks.Points, *, scaling: str = "minmax") -> npt.NDArray[np.float64]:
    """Scale the columns of the data to a common range.

    `scaling` is "minmax" (to [0, 1]), "standardize", or "none", which alone does not set constant columns to 0.
    """
    points = checks.as_points(X, "X", min_points=1, min_dimensions=1)
    data = np.array(points, dtype=np.float64)
    if scaling == "none":
        return data
    # scikit-learn's scalers silently return zeros if a range overflows, and treat a column as constant if its range
    # is below 2e-15.
    is_constant = data.min(axis=0) == data.max(axis=0)
    origin, unit = (
        (data.min(axis=0), np.ptp(data, axis=0))
        if scaling == "minmax"
        else (data.mean(axis=0), data.std(axis=0))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        data = np.asarray((data - origin) / unit)
    data[:, is_constant] = 0.0
    return data


def prepare(X: checks.Points, *, preprocess: str = "consistent", scaling: str = "minmax") -> Prepared:
    """Return the data to project, and the data to score the projection against.

    The published pipeline projects min–max scaled data and scores the projection against raw data. If columns differ
    in their units, the two have different neighbors, and the scores penalize the projection for the scaling.
    "as-published" reproduces this; "consistent" gives the same array for both.
    """
    scaled = scale(X, scaling=scaling)
    return Prepared(scaled, scale(X, scaling="none") if preprocess == "as-published" else scaled)
