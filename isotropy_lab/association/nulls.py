"""Null distributions of the similarity of two word lists, one or both of which are drawn at random.

Kindel (2023) compares each principal-angle cosine with the cosines of random lists. The meaning of "random"
depends on the pool of words from which lists are drawn, so the pool is a required argument; the paper does
not name its pool.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association._checks import as_word_lists, rank_tolerance
from isotropy_lab.association._sublists import subset_bases
from isotropy_lab.association.canonical import canonical_congruences, warn_if_spans_intersect
from isotropy_lab.association.cosine import mean_cosine

__all__ = ["NullIntervals", "null_intervals"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
Side = tuple[Array, Array, Indices]

TOTALS = ("canonical", "canonical-trace", "mean-cosine")

_CHUNK_ENTRIES = 2**20
"""Maximum number of entries in a batch of drawn lists: 8 MB, to stay in the cache."""

_TIE = 1e-8
"""Maximum difference between tied values: cosines in batches are accurate to about 1e−9."""

_MAX_ROUNDS = 5_000


@dataclasses.dataclass(frozen=True, eq=False)
class NullIntervals(Result):
    """Principal-angle cosines and totals of two word lists, compared with random lists.

    Attributes
    ----------
    congruences : DataFrame
        One row per null hypothesis and principal angle: index (1 for the largest cosine), observed, null
        ("A random", "B random", "both random"), low, mean, high, p_greater, p_less, and p_value. The missing
        cosines of linearly dependent lists are 0.
    totals : The same for quantity = "canonical" (geometric scaling), "canonical-trace", and "mean-cosine".
    n_resamples : Number of random lists for each null hypothesis.
    confidence_level : float
        Fraction of the draws in the interval [low, high]; equally many lie below and above.
    pool_size : Number of words from which lists were drawn.
    """

    congruences: pd.DataFrame
    totals: pd.DataFrame
    n_resamples: int
    confidence_level: float
    pool_size: int


def _has_no_repeats(drawn: Indices) -> npt.NDArray[np.bool_]:
    ordered = np.sort(drawn, axis=1)
    return np.asarray((ordered[:, 1:] != ordered[:, :-1]).all(axis=1))


def draw_without_repeats(draw: Callable[[int], Indices], n: int) -> Indices:
    """Return n samples without repeated indices; samples that contain repetitions are redrawn."""
    drawn = draw(n)
    repeated = np.flatnonzero(~_has_no_repeats(drawn))
    while repeated.size:
        drawn[repeated] = draw(repeated.size)
        repeated = repeated[~_has_no_repeats(drawn[repeated])]
    return drawn


def _draw_samples(size: int, k: int, n: int, rng: np.random.Generator) -> Indices:
    """Return n ordered samples of k integers below `size`, drawn without replacement."""
    if k * k > size:  # samples without repetition would be rare
        drawn = np.empty((n, k), dtype=np.intp)
        chunk_size = max(1, _CHUNK_ENTRIES // size)
        for start in range(0, n, chunk_size):
            rows = min(chunk_size, n - start)
            drawn[start : start + rows] = np.argsort(rng.random((rows, size)), axis=1)[:, :k]
        return drawn
    return draw_without_repeats(lambda rows: rng.integers(size, size=(rows, k)), n)


def _nearest(units: Array, seeds: Indices, k: int) -> Indices:
    """Return the indices of the k rows with the largest cosines with each seed, including the seed itself."""
    nearest = np.empty((seeds.size, k), dtype=np.intp)
    n_rows = max(1, _CHUNK_ENTRIES // len(units))
    for start in range(0, seeds.size, n_rows):
        batch = seeds[start : start + n_rows]
        cosines = units[batch] @ units.T
        cosines[np.arange(batch.size), batch] = np.inf  # the seed is always included, despite rounding
        nearest[start : start + n_rows] = np.argpartition(cosines, -k, axis=1)[:, -k:]
    return nearest


class Pool:
    """Unit-norm rows of the pool, followed by those of the observed lists, and methods to draw from them."""

    def __init__(self, A: checks.Points, B: checks.Points, pool: checks.Points) -> None:
        self.a, self.b, words = as_word_lists({"A": A, "B": B, "pool": pool})
        self.k_a, self.k_b = len(self.a), len(self.b)
        units = unit_rows(words)
        observed = np.concatenate([unit_rows(self.a), unit_rows(self.b)])
        self.size = len(units)
        if self.size < self.k_a + self.k_b:
            raise ValueError(
                f"pool contains {checks.how_many(self.size, 'word')} to draw from; expected at least "
                f"{self.k_a + self.k_b}, because a draw takes {self.k_a} for A and {self.k_b} others for B"
            )
        self.rows = np.concatenate([units, observed])
        self.own_a = len(units) + np.arange(self.k_a)
        self.own_b = len(units) + self.k_a + np.arange(self.k_b)
        # Random lists are drawn from the pool, so its dtype determines their rounding errors.
        self.tolerances = [
            rank_tolerance(np.empty((k, words.shape[1]), np.result_type(words, observed_list)))
            for k, observed_list in ((self.k_a, self.a), (self.k_b, self.b))
        ]

    def neighborhoods(self, n: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return the indices of n lists A and n lists B, each with a random word and its nearest words."""
        units = self.rows[: self.size]
        indices_a = np.empty((n, self.k_a), dtype=np.intp)
        indices_b = np.empty((n, self.k_b), dtype=np.intp)
        missing = np.arange(n)
        for _ in range(_MAX_ROUNDS):
            seeds = rng.integers(self.size, size=(2, missing.size))
            indices_a[missing] = _nearest(units, seeds[0], self.k_a)
            indices_b[missing] = _nearest(units, seeds[1], self.k_b)
            overlapping = (indices_a[missing][:, :, None] == indices_b[missing][:, None, :]).any(axis=(1, 2))
            missing = missing[overlapping]
            if not missing.size:
                return indices_a, indices_b
        raise ValueError(
            f"pool has too few words: in {missing.size} of {n} draws, all neighborhoods share words; "
            "expected a larger pool"
        )

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return the indices of n random lists A and B; the two lists of a draw share no word."""
        drawn = _draw_samples(self.size, self.k_a + self.k_b, n, rng)
        return drawn[:, : self.k_a], drawn[:, self.k_a :]

    def sides(self, indices_a: Indices, indices_b: Indices) -> tuple[Side, Side]:
        """Return the spans, mean unit vectors, and ranks of the lists A and B with the given indices."""
        return (
            _orthonormalize(self.rows, indices_a, self.tolerances[0]),
            _orthonormalize(self.rows, indices_b, self.tolerances[1]),
        )

    def observed(self, level: int = 3) -> tuple[Array, Array]:
        """Return padded cosines and totals of the observed lists; warn if their spans must intersect."""
        cosines = canonical_congruences(self.a, self.b)
        padded = np.zeros(min(self.k_a, self.k_b))
        padded[: cosines.size] = cosines
        r_a, r_b = (
            int(subset_bases(unit_rows(own), np.arange(len(own))[None], rank_tolerance(own))[1][0])
            for own in (self.a, self.b)
        )
        warn_if_spans_intersect(self.k_a, self.k_b, r_a, r_b, self.rows.shape[1], ("A", "B"), level)
        trace = float(cosines @ cosines)
        mean = mean_cosine(self.a, self.b, ("A", "B"))
        return padded, np.array([trace / math.sqrt(r_a * r_b), trace, mean])


def _orthonormalize(rows: Array, indices: Indices, tolerance: float) -> Side:
    """Return, for each list, orthonormal rows that span it (m, k, p), its mean unit vector, and its rank."""
    bases, ranks = subset_bases(rows, indices, tolerance)
    return np.swapaxes(bases, 1, 2), rows[indices].mean(axis=1), ranks


def compare(side_a: Side, side_b: Side) -> tuple[Array, Array]:
    """Return principal-angle cosines (n, r) and `TOTALS` (n, 3) of n lists with n lists or one list."""
    (span_a, mean_a, rank_a), (span_b, mean_b, rank_b) = side_a, side_b
    products = span_a @ np.swapaxes(span_b, 1, 2)
    cosines = np.clip(np.linalg.svd(products, compute_uv=False), 0.0, 1.0)
    traces = np.einsum("ij,ij->i", cosines, cosines)
    means = np.clip(np.einsum("ij,ij->i", *np.broadcast_arrays(mean_a, mean_b)), -1.0, 1.0)
    return cosines, np.stack([traces / np.sqrt(rank_a * rank_b), traces, means], axis=1)


def intervals(draws: Array, confidence_level: float) -> dict[str, Array]:
    """Return the ends of the central intervals of draws, and their means."""
    low, high = np.quantile(draws, [(1 - confidence_level) / 2, (1 + confidence_level) / 2], axis=0)
    return {"low": low, "mean": draws.mean(axis=0), "high": high}


def _p_values(draws: Array, observed: Array) -> dict[str, Array]:
    n = len(draws)
    greater = (1 + (draws >= observed - _TIE).sum(axis=0)) / (n + 1)
    less = (1 + (draws <= observed + _TIE).sum(axis=0)) / (n + 1)
    return {"p_greater": greater, "p_less": less, "p_value": np.minimum(1.0, 2 * np.minimum(greater, less))}


def null_intervals(
    A: checks.Points,
    B: checks.Points,
    pool: checks.Points,
    *,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
    draw: str = "words",
) -> NullIntervals:
    """Compute prediction intervals for all principal-angle cosines and totals of two word lists.

    There are three null hypotheses: A is random and B is fixed, B is random and A is fixed, or both are
    random.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one nonzero word vector per row.
    pool : array-like of shape (N, p)
        Words from which random lists are drawn, one nonzero vector per row. If the pool contains words of `A`
        or `B`, random lists may contain them, too.
    n_resamples : int
        Number of random lists for each null hypothesis.
    confidence_level : float
        Nominal coverage of the intervals, in (0, 1).
    rng : numpy.random.Generator or int, optional
        Generator or seed for drawing the lists.
    draw : {"words", "neighborhoods"}
        Whether a random list consists of words drawn individually, or of one random word and the words of the
        pool nearest to it by cosine, which are related like the words of published lists.

    Returns
    -------
    NullIntervals
        Intervals and p-values, without correction for multiple testing.

    Raises
    ------
    TypeError, ValueError
        If a list or the pool is not numeric, is empty, or contains NaN, inf, or a zero row; if dimensions
        differ; if the pool has fewer words than the two lists together; or if an option is out of range.

    Warns
    -----
    UserWarning
        If lists have so many words that their spans must intersect.

    Notes
    -----
    Words are drawn without replacement, and the two lists of a draw share no word. The third null
    hypothesis uses the random lists of the other two, so the three sets of intervals are not independent. The
    i-th cosine is compared with the i-th largest cosine of the random lists. p_greater = (1 + number of draws
    at least as large)/(1 + n_resamples), p_less is defined likewise, and p_value is twice the smaller of the
    two, but at most 1. Draws within 1e−8 of the observed value count for both.

    The intervals are invariant under a common rotation and positive rescaling of any word. Cost:
    O(n_resamples·k² p), 0.1 s for 2,000 draws of 8 words in 300 dimensions, plus O(n_resamples·N p) for
    neighborhoods. Kindel (2023), Figure 3.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.association import null_intervals
    >>> rng = np.random.default_rng(0)
    >>> pool = rng.standard_normal((500, 20))
    >>> A = pool[:3]
    >>> B = A + 0.1 * rng.standard_normal((3, 20))  # nearly the same span
    >>> result = null_intervals(A, B, pool, n_resamples=200, rng=0)
    >>> result.totals.query("quantity == 'canonical-trace'")[["null", "p_greater"]].round(4).values.tolist()
    [['A random', 0.005], ['B random', 0.005], ['both random', 0.005]]
    """
    source = Pool(A, B, pool)
    n = checks.check_integer(n_resamples, "n_resamples", low=1)
    confidence_level = checks.check_confidence_level(confidence_level)
    checks.check_option(draw, "draw", ("words", "neighborhoods"))
    generator = checks.as_generator(rng)
    indices = (source.neighborhoods if draw == "neighborhoods" else source.draw)(n, generator)
    return intervals_of_indices(source, *indices, confidence_level)


def intervals_of_indices(
    source: Pool, indices_a: Indices, indices_b: Indices, confidence_level: float
) -> NullIntervals:
    """Return the intervals for random lists, given the indices of their words in a pool."""
    n = len(indices_a)
    observed = source.observed(4)
    observed_a, observed_b = source.sides(source.own_a[None], source.own_b[None])
    drawn: dict[str, list[tuple[Array, Array]]] = {"A random": [], "B random": [], "both random": []}
    n_rows = max(1, _CHUNK_ENTRIES // (source.rows.shape[1] * max(source.k_a, source.k_b)))
    for chunk in (slice(start, start + n_rows) for start in range(0, n, n_rows)):
        random_a, random_b = source.sides(indices_a[chunk], indices_b[chunk])
        drawn["A random"].append(compare(random_a, observed_b))
        drawn["B random"].append(compare(observed_a, random_b))
        drawn["both random"].append(compare(random_a, random_b))
    tables: list[pd.DataFrame] = []
    labels: list[dict[str, Any]] = [{"index": np.arange(1, observed[0].size + 1)}, {"quantity": TOTALS}]
    for label, values, field in zip(labels, observed, (0, 1), strict=True):
        nulls = []
        for null, chunk_draws in drawn.items():
            draws = np.concatenate([cosines_and_totals[field] for cosines_and_totals in chunk_draws])
            row = {**label, "observed": values, "null": null}
            nulls.append(pd.DataFrame(row | intervals(draws, confidence_level) | _p_values(draws, values)))
        tables.append(pd.concat(nulls, ignore_index=True))
    return NullIntervals(tables[0], tables[1], n, confidence_level, source.size)
