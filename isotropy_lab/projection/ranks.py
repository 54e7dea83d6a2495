"""Measures of the order of distances, which no monotone change of them affects: Shepard goodness, non-metric stress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab import _checks
from isotropy_lab.projection._pairs.compilation import compiled
from isotropy_lab.projection._pairs.distances import Pairs, Tile, pairs_of
from isotropy_lab.projection._pairs.histogram import histogram_ranks
from isotropy_lab.projection._pairs.kernels import distances as kernels_pairs
from isotropy_lab.projection._pairs.kernels import ranks as kernels_ranks
from isotropy_lab.projection._pairs.packed import packed_ranks
from isotropy_lab.projection._pairs.products import by_products
from isotropy_lab.projection._pairs.rank_sums import RankSums

__all__ = ["RankScores", "nonmetric_stress", "rank_scores", "shepard_goodness"]

PRECISIONS = ("exact", "packed", "histogram")
TIES = ("primary", "secondary")


@dataclass(frozen=True)
class RankScores:
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
    """Return the Shepard goodness and the non-metric stress of a picture from one sorting of its distances.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their picture.
    ties, squared
        As for `nonmetric_stress`.
    precision, tie_tolerance, metric, n_threads
        As for `shepard_goodness`.

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
        As for `shepard_goodness` and `nonmetric_stress`.

    Notes
    -----
    Invariant as both measures are. Cost: that of `shepard_goodness`, whose sorts do for both. Smelser et al. (2025), section III-B.

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
    """Return the Shepard goodness, the rank correlation between the distances of the data and those of the picture.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 3 points; with ``metric="precomputed"`` their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Their picture.
    precision : {"exact", "packed", "histogram"}, default "exact"
        "exact" sorts the float64 distances (24 bytes for each of the N(N − 1)/2 pairs); "packed" sorts them as
        float32, side by side in one whole number (16 bytes); "histogram" counts them in bins of relative width 2⁻¹⁶,
        without sorting (4 bytes, none above 2²⁸ pairs). `rank_scores` states bounds of their errors.
    tie_tolerance : float, optional
        With ``precision="exact"``, the share of the largest distance within which distances count as equal, so that
        they get their average rank: by default what the rounding of X and Y can make of equal ones, some 4e-15, or
        5e-7 of the largest coordinate where it is a float32. (Beside one distance 1e10 times the others these are told
        apart to 4e-5 of themselves: a smaller tolerance tells more.) With 0 rounding breaks ties: of the 11,175 distances between iris's flowers, which are measured in tenths of a
        centimeter, 2,757 differ, but 5,564 differ in the last digits of float64, and the rank correlation with any
        picture changes in the fourth digit with the order of additions, or when the data are rotated.
    metric : str, default "euclidean"
        As for `pair_sums`.
    n_threads : int, default 1
        Threads for the distances, and for the sort of packed ones; the result does not depend on their number.

    Returns
    -------
    float
        Spearman's ρ over pairs i < j, in [−1, 1]; 1 is best, and a picture that has nothing to do with the data has
        about 0.

    Raises
    ------
    TypeError
        If X or Y does not hold real numbers.
    ValueError
        As for `pair_sums`; if all distances of X or all of Y are equal, or an option does not exist.

    Notes
    -----
    Invariant under translation, rotation and scale of X and of Y, and under any increasing function of the distances
    of either. Cost: O(N²(n + t)) time for the distances, O(N² log N) for two sorts. Smelser et al. (2025), section
    III-B; the library that they used correlated the flattened square matrices, diagonals included.

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
        Their picture, not all points equal.
    ties : {"primary", "secondary"}, default "primary"
        What happens to pairs with equal distances in X: under Kruskal's primary approach they may have different ê,
        in the order of e; under the secondary one they have the same. The primary value is never larger.
    squared : bool, default False
        Without the root, as Table I of the paper has it; the authors' code takes the root.
    precision, tie_tolerance, metric, n_threads
        As for `shepard_goodness`. Packing makes ties of distances that are equal in float32; a histogram makes
        ties of those that share a bin and knows the secondary approach only.

    Returns
    -------
    float
        In [0, 1); 0 for a picture whose distances have the order of those of the data.

    Raises
    ------
    TypeError
        If X or Y does not hold real numbers.
    ValueError
        As for `pair_sums`; if all points of Y coincide, or an option does not exist.

    Notes
    -----
    The regression is that of e on d. The paper's text has it the other way round, and then the value would depend on
    the scale of Y. Invariant under translation, rotation and scale of X and of Y, and under any increasing function
    of the distances of X. Cost: O(N²(n + t)) time for the distances, O(N² log N) for one sort; memory as for
    `shepard_goodness`, and up to 32 bytes more for each pair where the picture is nearly perfect. Smelser et al.
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
    _check_tie_options(precision, ties, tie_tolerance, stress=stress)
    n_threads = _checks.check_integer(n_threads, "n_threads", low=1)
    if tie_tolerance is not None:
        tie_tolerance = _checks.check_real(tie_tolerance, "tie_tolerance", low=0.0, high=1.0, open_high=True)
    if precision == "histogram":
        return histogram_ranks(by_products(pairs), n_threads=n_threads, ranks=ranks, stress=stress)
    _check_pair_count(pairs.n_pairs, 2**31 - 1, precision)
    if precision == "packed":
        return packed_ranks(by_products(pairs), n_threads=n_threads, ranks=ranks, stress=stress, ties=ties)
    return _exact(pairs, tie_tolerance, n_threads, ranks, stress, ties)


def _exact(
    pairs: Pairs, tie_tolerance: float | None, n_threads: int, ranks: bool, stress: bool, ties: str
) -> RankSums:
    n = pairs.n_pairs
    d, e, keys = np.empty(n), np.empty(n), np.empty(n, np.uint64)
    gather = compiled(kernels_pairs.gather_tile)

    def work(number: int, tile: Tile, D: NDArray[np.float64], E: NDArray[np.float64]) -> None:
        place = slice(tile.first, tile.first + tile.n_pairs)
        gather(D, E, tile.i0, tile.j0, d[place], e[place])

    pairs.each(pairs.tiles(), work, n_threads=n_threads)
    tolerances = [
        side.resolution + 16 * np.finfo(float).eps * float(values.max())
        if tie_tolerance is None
        else tie_tolerance * float(values.max())
        for side, values in ((pairs.x, d), (pairs.y, e))
    ]
    sum_e2 = float(np.einsum("i,i->", e, e)) if stress else 0.0
    by_data, by_picture = np.zeros(2), np.zeros(2)
    bits = _sort(keys, d)
    compiled(kernels_ranks.walk_data)(
        keys, bits, d, e, tolerances[0], ranks, stress, ties == "primary", _stack(n, stress), by_data
    )
    if ranks:  # d holds the ranks now
        bits = _sort(keys, e)
        compiled(kernels_ranks.walk_picture)(keys, bits, e, d, tolerances[1], by_picture)
    return RankSums(n, by_picture[0], by_data[1], by_picture[1], by_data[0], sum_e2)


def _sort(keys: NDArray[np.uint64], values: NDArray[np.float64]) -> int:
    """Order the places of `values` by value; return how many low bits of a key are the place.

    A place leaves some 40 of 64 bits for the value, of which the distances of a few thousand points hardly ever share
    one; where they do they are compared in full.
    """
    bits = max(values.size - 1, 1).bit_length()
    largest = float(values.max())
    # Half of the room, so that no rounding reaches its end.
    factor = min(2.0 ** (63 - bits) / largest, 2.0**1000) if largest > 0 else 0.0
    compiled(kernels_ranks.key_places)(values, factor, bits, keys)
    keys.sort()
    compiled(kernels_ranks.settle)(keys, values, bits)
    return bits


def _stack(n: int, stress: bool) -> NDArray[np.float64]:
    """Room for blocks; what is never written to is never taken from the machine's memory."""
    return np.empty((3, n if stress else 1))


def _check_tie_options(precision: str, ties: str, tie_tolerance: Any, *, stress: bool) -> None:
    """Raise ValueError for options on ties that a precision cannot follow."""
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


def _check_pair_count(n_pairs: int, most: int, precision: str) -> None:
    """Raise ValueError if there are more pairs than the places of a sorted key can count."""
    if n_pairs > most:
        raise ValueError(
            f"X and Y have {n_pairs:,} pairs of points, precision={precision!r} sorts at most {most:,}; expected "
            "precision='histogram'"
        )
