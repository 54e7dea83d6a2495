"""Effective rank, compared with the effective rank of an isotropic cloud of the same size."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from isotropy_lab import Moments, moments
from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import Floats, release
from isotropy_lab.isotropy.participation import known_shape

__all__ = ["EffectiveRank", "effective_rank"]

_BLOCK_ENTRIES = 2**21


@dataclasses.dataclass(frozen=True)
class EffectiveRank(Result):
    """An effective rank, with the effective rank of an isotropic cloud of the same size.

    Attributes
    ----------
    estimate
        In [1, min(N, n)], or in [1, min(N − 1, n)] for centered points.
    isotropic
        Expected value for an isotropic Gaussian cloud about the origin with this N and n, the best to expect.
    """

    estimate: float
    isotropic: float


def effective_rank(X: checks.Points, *, centered: bool = True) -> EffectiveRank:
    """Return the effective rank: exp of the entropy of the singular values divided by their sum.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points, in any form that `isoscore` accepts, including Dask arrays and `Moments`.
    centered : bool, default True
        Whether to subtract the mean first. Otherwise, a mean far from the origin adds one large singular
        value, which lowers the rank.

    Returns
    -------
    EffectiveRank
        From 1, for a line, to min(N, n), the best value, for equal singular values.

    Raises
    ------
    TypeError, ValueError
        If `X` does not contain real numbers, there are fewer than 3 points, all points coincide (or are
        zero, if not centered), or a value is NaN or inf.

    Notes
    -----
    The rank is exp(−Σ p_k log p_k) with p_k = σ_k/Σσ for the singular values σ, as in Roy and Vetterli; with
    the squares of σ, it is smaller. Any noise raises the rank, and so does N, since few points leave
    directions unseen and spread the other singular values: for a Gaussian cloud with variances 1/k in 100
    dimensions, the rank is 67.3 at N = 100, 81.3 at 400, and 84.2 at 6,400 (the true value is 84.4). Compare
    at equal N, or with `isotropic`, the mean over the Marchenko–Pastur law with the finite-N correction of
    Bai and Silverstein, accurate to .1% from 50 dimensions and points on.

    Invariant under rotation and scale, and, if centered, under translation. Cost: O(N n · min(N, n)), in one
    pass, so N may be in the millions. Roy and Vetterli (2007); Bai and Silverstein (2004). Without centering,
    it is RankMe of Garrido et al. (2023), except for the 1e-7 that RankMe adds to each p_k.

    Examples
    --------
    >>> from isotropy_report.measures import effective_rank
    >>> square = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    >>> line = [[x, 0.0] for x, _ in square]
    >>> round(effective_rank(square).estimate, 6), round(effective_rank(line).estimate, 6)
    (2.0, 1.0)
    """
    centered = bool(centered)
    values, n_points, n = _spectrum(X, centered)
    sizes = np.sqrt(values)
    p = sizes / sizes.sum()
    p = p[p > 0]
    return EffectiveRank(
        estimate=math.exp(max(-float(p @ np.log(p)), 0.0)),
        isotropic=_isotropic_rank(n_points - int(centered), n),
    )


def _expected_sum(f: Callable[[Floats], Floats], m: int, larger: int) -> float:
    """Return the expected Σ f(λ) over m eigenvalues for real Gaussian points, to second order."""
    # Marchenko–Pastur law: λ = 1 + y + 2√y cos θ, with θ in (0, π).
    y = m / larger
    angle = (np.arange(4096) + 0.5) * (math.pi / 4096)
    values = 1.0 + y + 2.0 * math.sqrt(y) * np.cos(angle)
    weights = 2.0 * np.sin(angle) ** 2 / values / 4096
    ends = f(np.array([(1.0 - math.sqrt(y)) ** 2, (1.0 + math.sqrt(y)) ** 2]))
    # The next term is half the difference between the mean at the two ends and the mean over all angles.
    return m * float(weights @ f(values)) + float(ends.sum()) / 4.0 - float(f(values).mean()) / 2.0


def _isotropic_rank(degrees: int, n: int) -> float:
    m, larger = min(degrees, n), max(degrees, n)
    total = _expected_sum(np.sqrt, m, larger)

    def entropy(values: Floats) -> Floats:
        p = np.sqrt(values) / total
        return np.asarray(-p * np.log(np.maximum(p, 1e-300)))

    return min(max(math.exp(_expected_sum(entropy, m, larger)), 1.0), float(m))


def _spectrum(X: Any, centered: bool) -> tuple[Floats, int, int]:
    """Return the squared singular values in descending order, divided by the largest, and the shape of X."""
    about_origin = not centered
    if known_shape(X) is None or checks.is_torch(X):
        m = X if isinstance(X, Moments) else moments(X)
        shape = m.count, m.n_dimensions
        checks.check_size(shape, "X", min_points=3)
    else:
        points = checks.as_points(X, min_points=3, min_dimensions=1, finite=False)
        shape = points.shape
        m = moments(_blocks(points, centered))
        about_origin |= shape[0] < shape[1]  # inner products of points are the columns' moments about 0
    scatter = m.scatter
    if about_origin:
        mean = np.ldexp(m.mean, -m.exponent)
        exponent = max(math.frexp(float(np.abs(mean).max()))[1], 0)  # prevents overflow of squares
        mean = np.ldexp(mean, -exponent)
        scatter = np.ldexp(scatter, -2 * exponent) + m.count * np.outer(mean, mean)
    total = float(np.trace(scatter))
    if centered:
        checks.check_variance(total, "X")
    elif not total > 0:
        raise ValueError("X contains only zero vectors; expected at least one nonzero row")
    values = np.linalg.eigvalsh(scatter / total)[::-1][: shape[0] - int(centered)]
    # Set rounding errors to 0: each has a square root of about 1e-8, and there may be hundreds of them.
    floor = len(scatter) * np.finfo(np.float64).eps * values[0]
    return np.asarray(np.where(values > floor, values, 0.0) / values[0]), *shape


def _blocks(points: checks.FloatArray, centered: bool) -> Iterator[Floats]:
    """Yield blocks of rows, or of columns if there are more columns than rows, centered if requested.

    Blocks are float64, because rounding in float32 products would swamp squares of small singular values.
    """
    wide = len(points) < points.shape[1]
    table = points.T if wide else points
    step = max(64, _BLOCK_ENTRIES // table.shape[1])
    for start in range(0, len(table), step):
        block = np.asarray(table[start : start + step], dtype=np.float64)
        if not checks.is_finite_sum(block):
            checks.raise_if_not_finite(points, "X")
        if wide and centered:
            block = block - block[:, :1]  # makes equal points exactly zero
            block -= block.mean(axis=1, keepdims=True)
        yield block
        release(points)
