"""Effective rank and RankMe, each with the value of an even cloud.

Both depend on the number of points N as well as on the cloud. Few points leave directions unseen and
spread the eigenvalues that they do see, so that a value rises with N until N is some ten times n. Compare
clouds at the same N, and read each value beside that of an isotropic Gaussian cloud of the same N and n,
which stands in the result.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab import Moments, moments
from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import release
from isotropy_lab.isotropy.jackknife import Jackknife
from isotropy_lab.isotropy.participation import centered_gram, known_shape

__all__ = ["EffectiveRank", "effective_rank", "rankme"]

Floats: TypeAlias = npt.NDArray[np.float64]

_EPSILON = 1e-7
"""What RankMe adds to each share."""

_GROUPS = 20
_GROUPED_DIMENSIONS = 1024
"""Up to this many, standard errors are computed unless told otherwise: they take 20 spectra more."""

_BLOCK_ENTRIES = 2**21
_LEAST_ROWS = 64
"""Of each group in a block, so that merging moments costs little beside computing them."""

_GRID = 4096
"""Points of the sums that stand for integrals over the Marchenko–Pastur law."""


@dataclasses.dataclass(frozen=True)
class EffectiveRank(Result):
    """An effective rank, with that of an isotropic cloud of the same size.

    Attributes
    ----------
    estimate
        In [1, min(N, n)], or, for centered points, in [1, min(N − 1, n)].
    standard_error, low, high
        Over the draw of the points, by the jackknife, and a confidence interval for what N such points show
        on average, to be read beside `isotropic`; None unless groups were left out.
    confidence_level
        Nominal coverage.
    corrected
        The estimate less its bias of order 1/N as the jackknife sees it, within the same range: what many
        more points would show. None likewise, and for N < 2 n, where directions that were not seen leave
        nothing to correct by.
    isotropic
        Expected of an isotropic Gaussian cloud of the same N and n about the origin: the most that this N
        lets one hope for, near n only for N far above n.
    centered
        Whether the mean was taken out.
    n_points, n_dimensions : int
        Shape of the data.
    n_groups : int
        Groups of points that were left out in turn; 0 for none.
    """

    estimate: float
    standard_error: float | None
    low: float | None
    high: float | None
    confidence_level: float
    corrected: float | None
    isotropic: float
    centered: bool
    n_points: int
    n_dimensions: int
    n_groups: int


def effective_rank(
    X: checks.Points,
    *,
    centered: bool = True,
    confidence_level: float = 0.95,
    n_groups: int | None = None,
) -> EffectiveRank:
    """Return the effective rank, exp of the entropy of the singular values divided by their sum.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; all that `isoscore` accepts, Dask arrays and `Moments` included.
    centered : bool, default True
        Take the mean out first, so that the rank is one of the cloud's shape, as `dimensions_used` and
        IsoScore are. Without, a mean far from the origin is one large singular value, and the rank falls with
        it.
    confidence_level : float, default 0.95
        Nominal coverage of the interval.
    n_groups : int, optional
        Groups of points left out in turn for the standard error, at least 2, at most N/2; 0 for none. By
        default 20, or ⌊N/2⌋ if that is less; above 1,024 dimensions and for `Moments`, Dask arrays and blocks
        none.

    Returns
    -------
    EffectiveRank
        1 for a line, min(N, n) for equal singular values, which is the best.

    Raises
    ------
    TypeError, ValueError
        If `X` does not hold real numbers, there are fewer than 3 points, all points coincide (or, not
        centered, are zero), a value is NaN or inf, or an option does not exist.

    Notes
    -----
    p_k = σ_k/Σσ, rank = exp(−Σ p_k log p_k), with the singular values σ, as Roy and Vetterli have it; of
    their squares it is smaller. It says over how many directions the lengths of the axes spread; it does not
    say that the others are noise, nor that they are of no use: noise of any size raises it. It depends on N:
    of a Gaussian cloud with variances 1/k in 100 dimensions it shows 67.3 at N = 100, 81.3 at 400, 84.2 at
    6,400 (the truth is 84.4); `corrected` is 84.6 at 400. Compare at equal N, or read it beside `isotropic`,
    which is the mean over the Marchenko–Pastur law with the correction of Bai and Silverstein for finite N,
    right to .1% from 50 dimensions and points on.

    *Is it calibrated?* in the book has the coverage of the interval, for what N points show and, moved to
    `corrected`, for the population.

    Invariant under rotation and scale, and, centered, under translation. Cost: O(N n · min(N, n)), from one
    pass over float64 moments, so N may be millions; with groups as many spectra more and 8 n² bytes for each.
    Roy and Vetterli (2007); Bai and Silverstein (2004).

    Examples
    --------
    >>> from isotropy_report.measures import effective_rank
    >>> square = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    >>> line = [[x, 0.0] for x, _ in square]
    >>> round(effective_rank(square).estimate, 6), round(effective_rank(line).estimate, 6)
    (2.0, 1.0)
    """
    level = checks.check_confidence_level(confidence_level)
    return _rank(_Spectra.of(X, bool(centered), n_groups), 0.0, level)


def rankme(
    X: checks.Points,
    *,
    confidence_level: float = 0.95,
    n_groups: int | None = None,
) -> EffectiveRank:
    """Return RankMe, the effective rank of embeddings that are not centered.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; all that `isoscore` accepts, Dask arrays and `Moments` included.
    confidence_level, n_groups
        See `effective_rank`.

    Returns
    -------
    EffectiveRank
        `estimate` is RankMe, from 1 to min(N, n), up to what ε adds: 2e-4 of itself at min(N, n) = 384.

    Raises
    ------
    TypeError, ValueError
        If `X` does not hold real numbers, there are fewer than 3 points, all points are zero, a value is NaN
        or inf, or an option is out of range.

    Notes
    -----
    p_k = σ_k/Σσ + ε, RankMe = exp(−Σ p_k log p_k) over k ≤ min(N, n), with the paper's ε of 1e-7 for float32.
    Garrido et al. take some 25,000 points: with fewer points than some ten times n it measures N as much as
    the model, and it can never exceed N. It ranks models of one family trained alike, as the paper shows; a
    longer mean vector lowers it, and so does centering raise it, though no neighbor by Euclidean distance
    changes. It is from singular values: the same of eigenvalues is a smaller number.

    Invariant under rotation and scale, not under translation. Cost as `effective_rank`. Garrido, Balestriero,
    Najman and LeCun (2023), section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.measures import rankme
    >>> cloud = np.random.default_rng(0).standard_normal((2000, 10))
    >>> round(rankme(cloud).estimate, 1), round(rankme(cloud + 10.0).estimate, 1)
    (10.0, 2.8)
    """
    level = checks.check_confidence_level(confidence_level)
    return _rank(_Spectra.of(X, False, n_groups), _EPSILON, level)


# --- effective rank -----------------------------------------------------------------------------------------


def _rank(spectra: _Spectra, epsilon: float, level: float) -> EffectiveRank:
    def of(values: Floats) -> float:
        return _entropy(values, epsilon)

    estimate = math.exp(of(spectra.values))
    jackknife = spectra.jackknife(lambda values: math.exp(of(values)))
    reach = None if jackknife is None else jackknife.reach(level)
    most = max(float(len(spectra.values)), estimate)  # which epsilon may exceed
    corrected = None
    if jackknife is not None and not spectra.too_few_to_correct:
        corrected = min(max(jackknife.center(), 1.0), most)
    return EffectiveRank(
        estimate=estimate,
        standard_error=None if jackknife is None else jackknife.error(),
        low=None if reach is None else max(estimate - reach, 1.0),
        high=None if reach is None else min(estimate + reach, most),
        confidence_level=level,
        corrected=corrected,
        isotropic=_isotropic_rank(spectra.n_points - int(spectra.centered), spectra.n_dimensions, epsilon),
        centered=spectra.centered,
        n_points=spectra.n_points,
        n_dimensions=spectra.n_dimensions,
        n_groups=spectra.n_groups,
    )


def _entropy(values: Floats, epsilon: float) -> float:
    sizes = np.sqrt(values)
    p = sizes / sizes.sum() + epsilon
    p = p[p > 0]
    return max(float(-(p @ np.log(p))), 0.0)


# --- an isotropic Gaussian cloud ----------------------------------------------------------------------------


def _law(m: int, larger: int) -> tuple[Floats, Floats]:
    """Return values and probabilities of the Marchenko–Pastur law: λ = 1 + y + 2√y cos θ, θ in (0, π)."""
    y = m / larger
    angle = (np.arange(_GRID) + 0.5) * (math.pi / _GRID)
    values = 1.0 + y + 2.0 * math.sqrt(y) * np.cos(angle)
    return values, 2.0 * np.sin(angle) ** 2 / values / _GRID


def _expected_sum(f: Callable[[Floats], Floats], m: int, larger: int) -> float:
    """Return E Σ f(λ) of m eigenvalues for real Gaussian points, to two terms."""
    values, weights = _law(m, larger)
    root = math.sqrt(m / larger)
    ends = f(np.array([(1.0 - root) ** 2, (1.0 + root) ** 2]))
    # The next term is half the difference of the mean of the two ends and the mean over angles.
    return m * float(weights @ f(values)) + float(ends.sum()) / 4.0 - float(f(values).mean()) / 2.0


def _isotropic_rank(degrees: int, n: int, epsilon: float) -> float:
    m, larger = min(degrees, n), max(degrees, n)
    total = _expected_sum(lambda values: np.sqrt(values), m, larger)

    def entropy(values: Floats) -> Floats:
        p = np.sqrt(values) / total + epsilon
        return np.asarray(-p * np.log(np.maximum(p, 1e-300)))

    return min(max(math.exp(_expected_sum(entropy, m, larger)), 1.0), m * (1.0 + epsilon * m * 40.0))


# --- spectra, of all points and with groups left out --------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class _Spectra:
    """Squared singular values over some scale, descending, and those without each group of points."""

    values: Floats
    n_points: int
    n_dimensions: int
    centered: bool
    left_out: list[tuple[int, Floats]]

    @property
    def n_groups(self) -> int:
        return len(self.left_out)

    @property
    def too_few_to_correct(self) -> bool:
        return self.n_points < 2 * self.n_dimensions

    @classmethod
    def of(cls, X: Any, centered: bool, n_groups: int | None) -> _Spectra:
        if known_shape(X) is None or checks.is_torch(X):
            parts = [X if isinstance(X, Moments) else moments(X)]
            if n_groups:
                raise ValueError(
                    f"n_groups is {n_groups} for {checks.describe(X)}; expected an array of points, from "
                    "which groups can be left out, or n_groups=0"
                )
        else:
            points = checks.as_points(X, min_points=3, min_dimensions=1, finite=False)
            n_points, n = points.shape
            groups = _as_groups(n_groups, n_points, n)
            if n_points < n:
                if not checks.is_finite_sum(points):
                    checks.raise_if_not_finite(points, "X")
                (_, values), *left_out = _gram_spectra(points, centered, groups)
                return cls(values, n_points, n, centered, left_out)
            parts = _grouped_moments(points, max(groups, 1))
        shape = sum(m.count for m in parts), parts[0].n_dimensions
        checks.check_size(shape, "X", min_points=3)
        (_, values), *left_out = _scatter_spectra(parts, centered)
        return cls(values, *shape, centered, left_out)

    def jackknife(self, f: Callable[[Floats], float]) -> Jackknife | None:
        if not self.left_out:
            return None
        jackknife = Jackknife(f(self.values), self.n_points)
        sizes = np.array([size for size, _ in self.left_out], dtype=np.float64)
        jackknife.add(sizes, np.array([f(values) for _, values in self.left_out]))
        return jackknife


def _as_groups(n_groups: int | None, n_points: int, n: int) -> int:
    most = n_points // 2
    if n_groups is None:
        return min(_GROUPS, most) if n <= _GROUPED_DIMENSIONS and most >= 2 else 0
    n_groups = checks.check_integer(n_groups, "n_groups", low=0, high=most, why=f"{n_points} points")
    if n_groups == 1:
        raise ValueError("n_groups is 1; expected 0, or at least 2 groups to leave out in turn")
    return n_groups


def _scatter_spectra(parts: Sequence[Moments], centered: bool) -> Iterator[tuple[int, Floats]]:
    """Yield the number of points left out and the spectrum: of all parts, then without each of several."""
    after = list(parts)
    for g in reversed(range(len(parts) - 1)):
        after[g] = parts[g].merge(after[g + 1])
    yield 0, _of_moments(after[0], centered)
    before: Moments | None = None
    for g, part in enumerate(parts):
        others = [m for m in (before, after[g + 1] if g + 1 < len(parts) else None) if m is not None]
        if others:
            rest = others[0] if len(others) == 1 else others[0].merge(others[1])
            yield part.count, _of_moments(rest, centered, part.count)
        before = part if before is None else before.merge(part)


def _grouped_moments(points: checks.FloatArray, n_groups: int) -> list[Moments]:
    """Return the moments of every n_groups-th point, from each of the first ones on, in one reading."""
    parts: list[Moments | None] = [None] * n_groups
    step = max(_LEAST_ROWS * n_groups, _BLOCK_ENTRIES // points.shape[1])
    for start in range(0, len(points), step):
        # In float64: squares of small singular values drown in the rounding of float32 products.
        block = np.asarray(points[start : start + step], dtype=np.float64)
        if not checks.is_finite_sum(block):
            checks.raise_if_not_finite(points, "X")
        for g in range(n_groups):
            rows = block[(g - start) % n_groups :: n_groups]
            if len(rows):
                part, before = moments(rows), parts[g]
                parts[g] = part if before is None else before.merge(part)
        release(points)
    return [part for part in parts if part is not None]


def _of_moments(m: Moments, centered: bool, n_left_out: int = 0) -> Floats:
    """Return the min(N, n) largest eigenvalues of the scatter matrix, or of XᵀX, over the largest."""
    scatter = m.scatter
    if not centered:
        mean = np.ldexp(m.mean, -m.exponent)
        exponent = max(math.frexp(float(np.abs(mean).max()))[1] - 300, 0)  # whose square would overflow
        mean = np.ldexp(mean, -exponent)
        scatter = np.ldexp(scatter, -2 * exponent) + m.count * np.outer(mean, mean)
    return _eigenvalues(scatter, min(m.count - int(centered), m.n_dimensions), centered, n_left_out)


def _gram_spectra(points: checks.FloatArray, centered: bool, n_groups: int) -> Iterator[tuple[int, Floats]]:
    """Yield what `_scatter_spectra` does, from inner products of points, for fewer points than dimensions."""
    gram = centered_gram(points)[0] if centered else _gram(points)
    labels = np.arange(len(points)) % max(n_groups, 1)
    for group in range(-1, n_groups):
        rest = np.flatnonzero(labels != group)
        part = gram[np.ix_(rest, rest)]
        if centered:
            part = part - part.mean(axis=0)
            part -= part.mean(axis=1)[:, None]
        n_left_out = len(points) - len(rest)
        yield n_left_out, _eigenvalues(part, len(rest) - int(centered), centered, n_left_out)


def _gram(points: checks.FloatArray) -> Floats:
    """Return the inner products of points over a power of two."""
    exponent = math.frexp(float(np.abs(points).max()))[1]
    gram = np.zeros((len(points), len(points)))
    step = max(64, _BLOCK_ENTRIES // len(points))
    for start in range(0, points.shape[1], step):
        block = np.ldexp(points[:, start : start + step].astype(np.float64), -exponent)
        gram += block @ block.T
    return gram


def _eigenvalues(matrix: Floats, count: int, centered: bool, n_left_out: int) -> Floats:
    """Return the `count` largest eigenvalues over the largest, descending, with 0 for rounding of 0."""
    total = float(np.trace(matrix))
    if not total > 0 and n_left_out:
        raise ValueError(
            f"X has {'zero variance' if centered else 'only zero vectors'} without {n_left_out} of its "
            "points; expected n_groups=0 with an array, for the estimate without an interval, or other points"
        )
    if centered:
        checks.check_variance(total, "X")
    elif not total > 0:
        raise ValueError("X has only zero vectors; expected others")
    values = np.linalg.eigvalsh(matrix / total)[::-1][:count]
    # Their square roots would be 1e-8 each, and there may be hundreds.
    floor = len(matrix) * np.finfo(np.float64).eps * values[0]
    return np.asarray(np.where(values > floor, values, 0.0) / values[0])
