"""The sums over pairs of points from which the stress of a projection at any scale follows."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import check_not_vanished, check_some_distance
from isotropy_lab.projection._pairs import plain
from isotropy_lab.projection._pairs.compilation import choose
from isotropy_lab.projection._pairs.distances import Pairs, Tile, by_products, pairs_of, times_power
from isotropy_lab.projection._pairs.kernels import distances as kernels
from isotropy_lab.projection._pairs.threads import one_blas_thread

__all__ = ["PairSums", "in_data_units", "pair_sums", "scaled_sums"]

_EVERY, _AT_LEAST = 127, 16
"""Where products are in float32, every so many tiles are done in float64 as well, and at least so many."""


@dataclass(frozen=True)
class PairSums(Result):
    """Sums over the pairs i < j of data and projection, from which their stress at any scale follows.

    Attributes
    ----------
    n_pairs : int
        Pairs i < j.
    sum_d2, sum_e2, sum_de : float
        Σd², Σe² and Σde.
    max_d, max_e : float
        The largest distances.
    reference, sum_r2, sum_re : float
        A scale β near the best one, and Σr² and Σre of the residuals r = d − βe. They keep the digits of a small stress,
        which Σd² − 2αΣde + α²Σe² loses: a perfect projection has stress 0 rather than 1e-8. Left out, they are those of
        β = 0, where r = d.
    error : float
        0 for sums in float64. With ``precision="float32"`` tiles of pairs from all over the table are done both ways, and
        this is how far Σd², αΣde and α²Σe² of one are from those in float64, at most, as a fraction of its Σd², where α
        is the best scale. As far as these tiles stand for all, the sums over all pairs are no farther off, and the
        squared normalized stress at the best scale is off by at most four times as much.
    """

    n_pairs: int
    sum_d2: float
    sum_e2: float
    sum_de: float
    max_d: float
    max_e: float
    reference: float = 0.0
    sum_r2: float | None = None
    sum_re: float | None = None
    error: float = 0.0

    def raw_stress(self, scale: float = 1.0) -> float:
        """Σ(d − scale·e)², in the units of d squared."""
        direct = (self.sum_d2, 2.0 * scale * self.sum_de, scale * scale * self.sum_e2)
        if scale > 0 and self.sum_r2 is not None and self.sum_re is not None:
            t = scale - self.reference
            residual = (self.sum_r2, 2.0 * t * self.sum_re, t * t * self.sum_e2)
            if sum(map(abs, residual)) < sum(map(abs, direct)):  # the form with less to cancel
                direct = residual
        return max(direct[0] - direct[1] + direct[2], 0.0)

    def normalized_stress(self, scale: float = 1.0) -> float:
        """Σ(d − scale·e)²/Σd², without the root."""
        check_some_distance(self.sum_d2, "X")
        return self.raw_stress(scale) / self.sum_d2

    @property
    def optimal_scale(self) -> float:
        """The scale of least stress, Σde/Σe²."""
        check_some_distance(self.sum_e2, "Y")
        return self.sum_de / self.sum_e2


def pair_sums(
    X: checks.Points,
    Y: checks.Points,
    *,
    metric: str = "euclidean",
    precision: str = "float64",
    n_threads: int = 1,
) -> PairSums:
    """Return the sums over all pairs of points that determine the stress of a projection at every scale.

    Parameters
    ----------
    X, Y : array-like of shapes (N, n) and (N, t)
        The data and their projection, as `raw_stress` takes them.
    metric, n_threads
        See `raw_stress`.
    precision : {"float64", "float32"}, default "float64"
        Of the inner products from which Euclidean distances in 32 and more dimensions are found. "float32" takes half the
        time for tens of thousands of points in hundreds of dimensions, and the field `error` says how far the sums are off.
        Sums are in float64 either way. It changes nothing for other distances, and without numba.

    Returns
    -------
    PairSums
        In the units of X and Y.

    Raises
    ------
    TypeError, ValueError
        X or Y is not numeric, has fewer than 3 points, NaN or infinity; their lengths differ; all points of X coincide;
        precomputed distances are not distances; an option is unknown or out of range; a sum over- or underflows.

    Notes
    -----
    Invariant under translation and rotation of X and of Y. Cost: that of `raw_stress`. A product of n numbers in float32
    is only sure to n·2⁻²⁴ of their norms, so that no error below 1e-6 can be promised in hundreds of dimensions. Rounding
    is random, as a rule, and takes itself back in sums: `error` says what is left, some 1e-10 for 784 normal coordinates.

    Smelser et al. (2025), equation (1) and the expansion below it, whose middle term is −2αΣde (+α is printed).

    Examples
    --------
    >>> sums = pair_sums([[0.0], [1.0], [3.0]], [[0.0], [2.0], [6.0]])
    >>> sums.sum_d2, sums.sum_e2, sums.sum_de, sums.n_pairs
    (14.0, 56.0, 28.0, 3)
    """
    checks.check_option(precision, "precision", ("float64", "float32"))
    pairs = pairs_of(X, Y, metric=metric)
    return in_data_units(scaled_sums(pairs, n_threads=n_threads, single=precision == "float32"), pairs)


def in_data_units(sums: PairSums, pairs: Pairs) -> PairSums:
    """Return what `scaled_sums` gives in the units of X and Y; raise if a sum over- or underflows."""
    a, b = pairs.x.exponent, pairs.y.exponent
    powers = {"sum_d2": 2 * a, "sum_e2": 2 * b, "sum_de": a + b, "max_d": a, "max_e": b, "reference": a - b}
    if sums.sum_r2 is not None:
        powers |= {"sum_r2": 2 * a, "sum_re": a + b}
    values = {name: times_power(getattr(sums, name), power) for name, power in powers.items()}
    what = "a sum over pairs of points"
    checks.check_representable(np.array(list(values.values())), what)
    for name in ("sum_d2", "sum_e2", "sum_de"):
        check_not_vanished(getattr(sums, name), values[name], what)
    return PairSums(n_pairs=sums.n_pairs, error=sums.error, **values)


def scaled_sums(pairs: Pairs, *, n_threads: int, single: bool = False) -> PairSums:
    """Return the sums in the units of the two sides, which are powers of two, so that nothing overflows."""
    n_threads = checks.check_integer(n_threads, "n_threads", low=1)
    add = choose(kernels.sum_tile, plain.sum_tile, reorder=True)

    def of_tiles(pairs: Pairs, some: list[Tile], reference: float) -> checks.FloatArray:
        slots = np.zeros((len(some), 7))

        def work(number: int, tile: Tile, d: checks.FloatArray, e: checks.FloatArray) -> None:
            add(d, e, tile.i0, tile.j0, reference, slots[number])

        # So that no number of BLAS's threads can change the order of a sum.
        with one_blas_thread() if single else nullcontext():
            pairs.each(some, work, n_threads=n_threads)
        return slots

    fast = by_products(pairs, single=single)
    tiles = fast.tiles()
    (first,) = of_tiles(fast, tiles[:1], 0.0)
    reference = float(first[2] / first[1]) if first[1] > 0 else 0.0
    slots = of_tiles(fast, tiles, reference)
    dd, ee, de, rr, re = (math.fsum(column) for column in slots[:, :5].T)
    max_d, max_e = (float(column.max()) for column in slots[:, 5:].T)
    checks.check_representable(np.array([dd]), "Σd²")
    check_some_distance(max_d, "X")
    error = 0.0
    if fast.rows != pairs.rows:  # some products are in float32
        some = slice(None, None, max(1, min(_EVERY, len(tiles) // _AT_LEAST)))
        double = of_tiles(Pairs(pairs.x, pairs.y, fast.rows), tiles[some], 0.0)
        error = _largest_error(slots[some], double, de / ee if ee > 0.0 else 0.0)
    if not math.isfinite(rr):  # the first tile of the projection is all but a point: its scale is of no use
        return PairSums(pairs.n_pairs, dd, ee, de, max_d, max_e, error=error)
    return PairSums(pairs.n_pairs, dd, ee, de, max_d, max_e, reference, rr, re, error)


def _largest_error(single: checks.FloatArray, double: checks.FloatArray, scale: float) -> float:
    """Return how far Σd², αΣde and α²Σe² of tiles are from those in float64, at most, as a fraction of their Σd²."""
    off = np.abs(single[:, :3] - double[:, :3]) * [1.0, scale**2, scale]
    apart = double[:, 0] > 0.0  # else all points of the tile coincide, which differences see, too
    return float((off[apart].max(axis=1) / double[apart, 0]).max(initial=0.0))
