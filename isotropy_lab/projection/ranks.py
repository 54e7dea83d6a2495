"""Measures of the order of distances, which no monotone change of them affects: Shepard goodness, non-metric stress."""

from __future__ import annotations

from dataclasses import dataclass

from isotropy_lab import _checks
from isotropy_lab._results import Result
from isotropy_lab.projection._pairs.distances import Pairs, by_products, pairs_of
from isotropy_lab.projection._pairs.histogram import histogram_ranks
from isotropy_lab.projection._pairs.packed import packed_ranks
from isotropy_lab.projection._pairs.rank_sums import RankSums, exact_ranks

__all__ = ["RankScores", "nonmetric_stress", "rank_scores", "shepard_goodness"]

PRECISIONS = ("exact", "packed", "histogram")
TIES = ("primary", "secondary")


@dataclass(frozen=True)
class RankScores(Result):
    """Shepard goodness and non-metric stress, with bounds of the error that a cheaper precision makes."""

    shepard_goodness: float
    nonmetric_stress: float
    shepard_error: float
    nonmetric_error: float
    n_pairs: int


def rank_scores(
    X: _checks.Points,
    Y: _checks.Points,
    *,
    ties: str = "primary",
    squared: bool = False,
    precision: str = "exact",
    tie_tolerance: float | None = None,
    metric: str = "euclidean",
    n_threads: int = 1,
) -> RankScores:
    """Return the Shepard goodness and the non-metric stress of a projection from one sorting of its distances.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their projection.
    ties : {"primary", "secondary"}, default "primary"
        Whether pairs with equal distances in X may be fitted differently; see `nonmetric_stress`.
    squared : bool, default False
        Non-metric stress without the root.
    precision : {"exact", "packed", "histogram"}, default "exact"
        How distances are sorted; see `shepard_goodness`.
    tie_tolerance : float, optional
        Fraction of the largest distance within which distances are equal; see `shepard_goodness`.
    metric : str, default "euclidean"
        Of X: also "precomputed", or a metric of `sklearn.metrics.pairwise_distances`.
    n_threads : int, default 1
        Threads; the result does not depend on their number.

    Returns
    -------
    RankScores
        The errors are bounds that hold for any data, mostly far above the errors themselves; 0 for
        ``precision="exact"``.

    Raises
    ------
    TypeError
        If X or Y does not hold real numbers.
    ValueError
        If X and Y differ in length or have fewer than 3 points, a value is NaN or inf, all distances of X or all of Y
        are equal, an option does not exist, or `tie_tolerance` or the primary approach is asked of a precision that
        does not know it.

    Notes
    -----
    Invariant as both measures are. Cost: that of `shepard_goodness`, whose sorts do for both. Smelser et al. (2025),
    section III-B.

    Examples
    --------
    >>> scores = rank_scores([[0.0], [1.0], [3.0]], [[0.0], [3.0], [4.0]])  # 1, 2, 3 become 3, 1, 4
    >>> round(scores.shepard_goodness, 6), round(scores.nonmetric_stress, 6)
    (0.5, 0.27735)
    """
    pairs = pairs_of(X, Y, metric=metric)
    _checks.check_option(ties, "ties", TIES)
    sums = _sums(pairs, precision, tie_tolerance, n_threads, ranks=True, stress=True, ties=ties)
    stress, error = sums.stress(squared)
    return RankScores(sums.correlation(), stress, sums.correlation_error(), error, pairs.n_pairs)


def shepard_goodness(
    X: _checks.Points,
    Y: _checks.Points,
    *,
    precision: str = "exact",
    tie_tolerance: float | None = None,
    metric: str = "euclidean",
    n_threads: int = 1,
) -> float:
    """Return the Shepard goodness, the rank correlation between the distances of the data and of the projection.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their projection.
    precision : {"exact", "packed", "histogram"}, default "exact"
        "exact" sorts the float64 distances (24 bytes for each of the N(N − 1)/2 pairs); "packed" sorts them as
        float32, side by side in one integer (16 bytes); "histogram" counts them in bins of relative width 2⁻¹⁶,
        without sorting (4 bytes, none above 2²⁸ pairs). `rank_scores` states bounds of their errors.
    tie_tolerance : float, optional
        With ``precision="exact"``, the fraction of the largest distance within which distances count as equal and get
        their average rank: by default what the rounding of X and Y can make of equal ones, some 4e-15, or 5e-7 of the
        largest coordinate where it is a float32. (Distances that are 1e10 times smaller than the largest are then told
        apart to 4e-5 of themselves: a smaller tolerance tells more.) With 0 rounding breaks ties.
    metric : str, default "euclidean"
        Of X: also "precomputed", or a metric of `sklearn.metrics.pairwise_distances`.
    n_threads : int, default 1
        Threads for the distances, and for the sort of packed ones; the result does not depend on their number.

    Returns
    -------
    float
        Spearman's ρ over pairs i < j, in [−1, 1]; 1 is best, and a projection that has nothing to do with the data has
        about 0.

    Raises
    ------
    TypeError
        If X or Y does not hold real numbers.
    ValueError
        If X and Y differ in length or have fewer than 3 points, a value is NaN or inf, precomputed distances are not
        distances, all distances of X or all of Y are equal, an option does not exist, or `tie_tolerance` is given for
        another precision than "exact".

    Notes
    -----
    Invariant under translation, rotation and scale of X and of Y, and under any increasing function of the distances
    of either. Cost: O(N²(n + t)) time for the distances, O(N² log N) for two sorts.

    Why a tolerance: of the 11,175 distances between iris's flowers, which are measured in tenths of a centimeter,
    2,757 differ, but 5,564 differ in the last digits of float64. Without it the fourth digit of the correlation would
    change with the order of additions, or when the data are rotated.

    Smelser et al. (2025), section III-B; the library that they used correlated the flattened square matrices,
    diagonals included.

    Examples
    --------
    >>> round(shepard_goodness([[0.0], [1.0], [3.0]], [[0.0], [3.0], [4.0]]), 6)  # 1, 2, 3 become 3, 1, 4
    0.5
    """
    pairs = pairs_of(X, Y, metric=metric)
    return _sums(pairs, precision, tie_tolerance, n_threads, ranks=True, stress=False).correlation()


def nonmetric_stress(
    X: _checks.Points,
    Y: _checks.Points,
    *,
    ties: str = "primary",
    squared: bool = False,
    precision: str = "exact",
    tie_tolerance: float | None = None,
    metric: str = "euclidean",
    n_threads: int = 1,
) -> float:
    """Return Kruskal's non-metric stress, √(Σ(e − ê)²/Σe²) with ê the best non-decreasing function of the distances.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their projection, not all points equal.
    ties : {"primary", "secondary"}, default "primary"
        What happens to pairs with equal distances in X: under Kruskal's primary approach they may have different ê, in
        the order of e; under the secondary one they have the same. The primary value is never larger.
    squared : bool, default False
        Without the root, as Table I of the paper has it; the authors' code takes the root.
    precision : {"exact", "packed", "histogram"}, default "exact"
        How distances are sorted; see `shepard_goodness`. Packing makes ties of distances that are equal in float32; a
        histogram makes ties of those that share a bin and knows the secondary approach only.
    tie_tolerance : float, optional
        Fraction of the largest distance within which distances are equal; see `shepard_goodness`.
    metric : str, default "euclidean"
        Of X: also "precomputed", or a metric of `sklearn.metrics.pairwise_distances`.
    n_threads : int, default 1
        Threads; the result does not depend on their number.

    Returns
    -------
    float
        In [0, 1); 0 for a projection whose distances have the order of those of the data.

    Raises
    ------
    TypeError
        If X or Y does not hold real numbers.
    ValueError
        If X and Y differ in length or have fewer than 3 points, all points of Y coincide, a value is NaN or inf,
        precomputed distances are not distances, an option does not exist, or `tie_tolerance` or the primary approach
        is asked of a precision that does not know it.

    Notes
    -----
    The regression is that of e on d. The paper's text has it the other way round, and then the value would depend on
    the scale of Y. Invariant under translation, rotation and scale of X and of Y, and under any increasing function of
    the distances of X. Cost: O(N²(n + t)) time for the distances, O(N² log N) for one sort; the memory of
    `shepard_goodness`, and up to 32 bytes more for each pair where the projection is nearly perfect. Smelser et al.
    (2025), equation (3); Kruskal (1964).

    Examples
    --------
    >>> round(nonmetric_stress([[0.0], [1.0], [3.0]], [[0.0], [3.0], [4.0]]), 6)  # 3, 1, 4 are fitted by 2, 2, 4
    0.27735
    """
    pairs = pairs_of(X, Y, metric=metric)
    _checks.check_option(ties, "ties", TIES)
    sums = _sums(pairs, precision, tie_tolerance, n_threads, ranks=False, stress=True, ties=ties)
    return sums.stress(squared)[0]


def _sums(
    pairs: Pairs,
    precision: str,
    tie_tolerance: float | None,
    n_threads: int,
    *,
    ranks: bool,
    stress: bool,
    ties: str = "primary",
) -> RankSums:
    _checks.check_option(precision, "precision", PRECISIONS)
    if tie_tolerance is not None and precision != "exact":
        raise ValueError(
            f"tie_tolerance is {tie_tolerance!r} with precision={precision!r}, which settles itself what is tied; "
            "expected precision='exact', or no tie_tolerance"
        )
    if stress and precision == "histogram" and ties != "secondary":
        raise ValueError(
            f"ties is {ties!r} with precision='histogram', which forgets the order within a bin; expected "
            "ties='secondary', or precision='packed'"
        )
    n_threads = _checks.check_integer(n_threads, "n_threads", low=1)
    if tie_tolerance is not None:
        tie_tolerance = _checks.check_real(tie_tolerance, "tie_tolerance", low=0.0, high=1.0, open_high=True)
    if precision == "histogram":
        return histogram_ranks(by_products(pairs), n_threads=n_threads, ranks=ranks, stress=stress)
    if pairs.n_pairs >= 2**31:  # the places of a sorted key count no further
        raise ValueError(
            f"X and Y have {pairs.n_pairs:,} pairs of points, precision={precision!r} sorts at most {2**31 - 1:,}; "
            "expected precision='histogram'"
        )
    if precision == "packed":
        return packed_ranks(by_products(pairs), n_threads=n_threads, ranks=ranks, stress=stress, ties=ties)
    return exact_ranks(pairs, tie_tolerance, n_threads=n_threads, ranks=ranks, stress=stress, ties=ties)
