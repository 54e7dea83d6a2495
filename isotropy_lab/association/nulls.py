"""What two word lists would have in common if one of them, or both, were drawn at random.

Kindel (2023) compares each canonical congruence with the congruences of random lists: one list random and the other as
it is, or both random. What "random" means is decided by the pool of words that lists are drawn from, so the pool is
always an argument here; the paper does not state its own.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from isotropy_lab import _checks
from isotropy_lab.association import lattice
from isotropy_lab.association._checks import as_word_lists
from isotropy_lab.association.canonical import canonical_congruences, warn_if_crowded
from isotropy_lab.association.cosine import mean_cosine_similarity, rank_tolerance, unit_vectors

__all__ = [
    "GaussianNulls",
    "NullIntervals",
    "gaussian_nulls",
    "matched_pools",
    "null_intervals",
    "partial_nulls",
]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

_TOTALS = ("canonical", "canonical-trace", "mean-cosine")

_CHUNK = 2**20
"""Most numbers in a batch of drawn lists: 8 MB, so that it stays near the processor."""

_SAME = 1e-9
"""A pool word with 1 − cosine below this to a word of a list is that word."""

_TIE = 1e-8
"""A draw this near to the observed value equals it: congruences of batches are right to about 1e−9."""

_MOST_ROUNDS = 5_000


@dataclasses.dataclass(frozen=True, eq=False)
class NullIntervals:
    """Congruences and totals of two word lists beside those of random lists.

    Attributes
    ----------
    congruences : DataFrame
        One row per null and congruence: index (1 is the largest), observed, null ("A random", "B random", "both
        random"), low, mean, high, p_greater, p_less, p_value. Where a list is dependent, the missing congruences are 0.
    totals : DataFrame
        The same for quantity = "canonical" (geometric scaling), "canonical-trace" and "mean-cosine".
    n_draws : int
        Random lists for each null.
    confidence : float
        Of the intervals [low, high]: so many of the draws lie inside, equally many on either side.
    pool_size : int
        Words that lists were drawn from.
    """

    congruences: pd.DataFrame
    totals: pd.DataFrame
    n_draws: int
    confidence: float
    pool_size: int


@dataclasses.dataclass(frozen=True, eq=False)
class GaussianNulls:
    """Congruences and totals of two uniformly random subspaces.

    Attributes
    ----------
    congruences : DataFrame
        One row per congruence: index (1 is the largest), low, mean, high.
    totals : DataFrame
        The same for quantity = "canonical" (geometric scaling) and "canonical-trace".
    n_draws : int
        Random subspaces.
    confidence : float
        Of the intervals.
    """

    congruences: pd.DataFrame
    totals: pd.DataFrame
    n_draws: int
    confidence: float


# --- drawing --------------------------------------------------------------------------------------------------


def _distinct(drawn: Indices) -> npt.NDArray[np.bool_]:
    ordered = np.sort(drawn, axis=1)
    return np.asarray((ordered[:, 1:] != ordered[:, :-1]).all(axis=1))


def _draw(size: int, k: int, n: int, rng: np.random.Generator) -> Indices:
    """Return n ordered samples of k from 0 … size − 1 without replacement."""
    if k * k > size:  # so few that samples without repetition are rare
        drawn = np.empty((n, k), dtype=np.intp)
        step = max(1, _CHUNK // size)
        for start in range(0, n, step):
            rows = min(step, n - start)
            drawn[start : start + rows] = np.argsort(rng.random((rows, size)), axis=1)[:, :k]
        return drawn
    drawn = rng.integers(size, size=(n, k))
    again = np.flatnonzero(~_distinct(drawn))
    while again.size:
        drawn[again] = rng.integers(size, size=(again.size, k))
        again = again[~_distinct(drawn[again])]
    return drawn


def _draw_strata(strata: Sequence[Indices], n: int, rng: np.random.Generator) -> Indices:
    """Return n samples with one place from each stratum, all different: uniform over all such samples."""

    def once(rows: int) -> Indices:
        return np.stack([stratum[rng.integers(stratum.size, size=rows)] for stratum in strata], axis=1)

    drawn = once(n)
    again = np.flatnonzero(~_distinct(drawn))
    for _ in range(_MOST_ROUNDS):
        if not again.size:
            break
        drawn[again] = once(again.size)
        again = again[~_distinct(drawn[again])]
    _check_strata_drawn(int(again.size), n)
    return drawn


def _strata(
    strata: Sequence[npt.ArrayLike] | None, name: str, k: int, allowed: npt.NDArray[np.bool_]
) -> list[Indices]:
    everything = np.flatnonzero(allowed)
    if strata is None:
        return [everything] * k
    chosen = _as_strata(strata, name, k, allowed.size)
    kept = [stratum[allowed[stratum]] for stratum in chosen]
    _check_strata_sizes([stratum.size for stratum in kept], name)
    return kept


def _check_feasible(strata: Sequence[Indices], n_rows: int) -> None:
    """Raise unless every word can have a place of its own."""
    columns = np.concatenate(strata)
    starts = np.concatenate([[0], np.cumsum([stratum.size for stratum in strata])])
    graph = csr_array((np.ones(columns.size, dtype=np.int8), columns, starts), shape=(len(strata), n_rows))
    matched = maximum_bipartite_matching(graph, perm_type="column")
    _check_strata_feasible(int((matched >= 0).sum()), len(strata))


def _nearest(units: Array, seeds: Indices, k: int) -> Indices:
    """Return the places of the k rows with the largest cosines to each seed, the seed itself among them."""
    found = np.empty((seeds.size, k), dtype=np.intp)
    step = max(1, _CHUNK // len(units))
    for start in range(0, seeds.size, step):
        here = seeds[start : start + step]
        cosines = units[here] @ units.T
        cosines[np.arange(here.size), here] = np.inf  # the seed first, whatever rounding and copies of it say
        found[start : start + step] = np.argpartition(cosines, len(units) - k, axis=1)[:, len(units) - k :]
    return found


class _Pool:
    """Unit rows to draw from, those of the observed lists behind them, and the ways to draw."""

    def __init__(
        self,
        A: _checks.Points,
        B: _checks.Points,
        pool: _checks.Points,
        strata_a: Sequence[npt.ArrayLike] | None,
        strata_b: Sequence[npt.ArrayLike] | None,
        exclude_observed: bool,
    ) -> None:
        self.a, self.b, words = as_word_lists({"A": A, "B": B, "pool": pool})
        self.k_a, self.k_b = len(self.a), len(self.b)
        units = unit_vectors(words, name="pool")
        observed = np.concatenate([unit_vectors(self.a, name="A"), unit_vectors(self.b, name="B")])
        allowed = np.ones(len(units), dtype=np.bool_)
        if exclude_observed:
            allowed = (units @ observed.T).max(axis=1) < 1.0 - _SAME
        self.size = int(allowed.sum())
        _check_pool_size(self.size, self.k_a, self.k_b)
        self.rows = np.concatenate([units, observed])
        self.own_a = len(units) + np.arange(self.k_a)
        self.own_b = len(units) + self.k_a + np.arange(self.k_b)
        self.strata: list[Indices] | None = None
        self.allowed = np.flatnonzero(allowed)
        if strata_a is not None or strata_b is not None:
            self.strata = [
                *_strata(strata_a, "strata_a", self.k_a, allowed),
                *_strata(strata_b, "strata_b", self.k_b, allowed),
            ]
            _check_feasible(self.strata, len(units))
        # Random lists come from the pool, so its type says what rounding can do to them.
        self.tolerances = tuple(
            rank_tolerance(np.empty((k, words.shape[1]), np.result_type(words, own)))
            for k, own in ((self.k_a, self.a), (self.k_b, self.b))
        )

    def neighborhoods(self, n: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return places of n lists A and B that are each a random word and the words nearest to it."""
        units = self.rows[self.allowed]
        places_a = np.empty((n, self.k_a), dtype=np.intp)
        places_b = np.empty((n, self.k_b), dtype=np.intp)
        expected = np.arange(n)
        for _ in range(_MOST_ROUNDS):
            seeds = rng.integers(self.size, size=(2, expected.size))
            places_a[expected] = _nearest(units, seeds[0], self.k_a)
            places_b[expected] = _nearest(units, seeds[1], self.k_b)
            common = (places_a[expected][:, :, None] == places_b[expected][:, None, :]).any(axis=(1, 2))
            expected = expected[common]
            if not expected.size:
                break
        _check_neighborhoods_drawn(int(expected.size), n)
        return self.allowed[places_a], self.allowed[places_b]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
        """Return places of n random lists A and B; the lists of one draw share no word."""
        if self.strata is None:
            drawn = self.allowed[_draw(self.size, self.k_a + self.k_b, n, rng)]
        else:
            drawn = _draw_strata(self.strata, n, rng)
        return drawn[:, : self.k_a], drawn[:, self.k_a :]


# --- many lists at once ---------------------------------------------------------------------------------------


def _orthonormal(rows: Array, places: Indices, tolerance: float) -> tuple[Array, Array, Indices]:
    """Return orthonormal rows that span each list, (m, k, p), the mean unit vectors, and the ranks.

    By the Cholesky factor of the Gram matrix, L⁻¹A, wherever that keeps nine digits; else by singular values, with
    zero rows past the rank.
    """
    lists = rows[places]
    means = lists.mean(axis=1)
    m, k, _ = lists.shape
    ranks = np.full(m, k, dtype=np.intp)
    gram = lists @ np.swapaxes(lists, 1, 2)
    bad = np.zeros(m, dtype=np.bool_)
    try:
        factors = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        bad = np.linalg.eigvalsh(gram)[:, 0] < 1e-9
        factors = np.linalg.cholesky(np.where(bad[:, None, None], np.eye(k), gram))
    inverses = np.linalg.inv(factors)
    # The trace of the inverse Gram matrix bounds its condition number.
    bad |= k * np.einsum("mij,mij->m", inverses, inverses) > 1e7
    spans = inverses @ lists
    doubtful = np.flatnonzero(bad)
    if doubtful.size:
        bases, ranks[doubtful] = lattice.subset_bases(rows, places[doubtful], tolerance)
        spans[doubtful] = np.swapaxes(bases, 1, 2)
    return spans, means, ranks


def _compare(
    pool: _Pool, places_a: Indices, places_b: Indices
) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Yield congruences, scaled and unscaled traces and mean cosines, chunk by chunk, of lists against lists.

    If one side has a single list, it is compared with all of the other side.
    """
    n, p = max(len(places_a), len(places_b)), pool.rows.shape[1]
    step = max(1, _CHUNK // (p * max(places_a.shape[1], places_b.shape[1])))
    fixed = [
        _orthonormal(pool.rows, places, tolerance) if len(places) == 1 else None
        for places, tolerance in zip((places_a, places_b), pool.tolerances, strict=True)
    ]
    for start in range(0, n, step):
        here = slice(start, start + step)
        sides = [
            known if known is not None else _orthonormal(pool.rows, places[here], tolerance)
            for known, places, tolerance in zip(fixed, (places_a, places_b), pool.tolerances, strict=True)
        ]
        yield _common(*sides)


def _common(
    side_a: tuple[Array, Array, Indices], side_b: tuple[Array, Array, Indices]
) -> tuple[Array, Array, Array, Array]:
    (span_a, mean_a, rank_a), (span_b, mean_b, rank_b) = side_a, side_b
    if len(span_b) == 1:
        product = span_a @ span_b[0].T
    elif len(span_a) == 1:
        product = span_b @ span_a[0].T
    else:
        product = span_a @ np.swapaxes(span_b, 1, 2)
    congruences = np.clip(np.linalg.svd(product, compute_uv=False), 0.0, 1.0)
    traces = np.einsum("ij,ij->i", congruences, congruences)
    cosines = np.clip(np.einsum("ij,ij->i", *np.broadcast_arrays(mean_a, mean_b)), -1.0, 1.0)
    return congruences, traces / np.sqrt(rank_a * rank_b), traces, cosines


def _gather(parts: Sequence[tuple[Array, Array, Array, Array]]) -> tuple[Array, Array]:
    """Return congruences (n, r) and totals (n, 3) of all chunks."""
    congruences = np.concatenate([part[0] for part in parts])
    totals = np.stack([np.concatenate([part[i] for part in parts]) for i in (1, 2, 3)], axis=1)
    return congruences, totals


def _intervals(draws: Array, confidence: float) -> dict[str, Array]:
    low, high = np.quantile(draws, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return {"low": low, "mean": draws.mean(axis=0), "high": high}


def _p_values(draws: Array, observed: Array) -> dict[str, Array]:
    n = len(draws)
    greater = (1 + (draws >= observed - _TIE).sum(axis=0)) / (n + 1)
    less = (1 + (draws <= observed + _TIE).sum(axis=0)) / (n + 1)
    return {
        "p_greater": greater,
        "p_less": less,
        "p_value": np.minimum(1.0, 2 * np.minimum(greater, less)),
    }


def _observed(pool: _Pool) -> tuple[Array, Array]:
    """Return the congruences, padded with 0, and the totals of the lists themselves; warn if they must meet."""
    found = canonical_congruences(pool.a, pool.b)
    congruences = np.zeros(min(pool.k_a, pool.k_b))
    congruences[: found.size] = found
    r_a, r_b = (
        int(lattice.subset_bases(unit_vectors(own), np.arange(len(own))[None], rank_tolerance(own))[1][0])
        for own in (pool.a, pool.b)
    )
    warn_if_crowded(pool.k_a, pool.k_b, r_a, r_b, pool.rows.shape[1], ("A", "B"), 3)
    trace = float(found @ found)
    cosine = mean_cosine_similarity(pool.a, pool.b)
    return congruences, np.array([trace / math.sqrt(r_a * r_b), trace, cosine])


def null_intervals(
    A: _checks.Points,
    B: _checks.Points,
    pool: _checks.Points,
    *,
    n_draws: int = 2000,
    confidence: float = 0.95,
    rng: _checks.RandomState = None,
    strata_a: Sequence[npt.ArrayLike] | None = None,
    strata_b: Sequence[npt.ArrayLike] | None = None,
    exclude_observed: bool = False,
    draw: str = "words",
) -> NullIntervals:
    """Return one- and two-way prediction intervals for every congruence and for the totals of two word lists.

    Three nulls: the words of A are drawn at random and B stays, B is drawn and A stays, both are drawn.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero.
    pool : array-like of shape (N, p)
        The words to draw from, none of them zero. State it wherever the intervals are shown: more frequent words have
        more in common.
    n_draws : int
        Random lists for each null.
    confidence : float
        Of the intervals, in (0, 1).
    rng : numpy.random.Generator or int, optional
        Draws the lists.
    strata_a, strata_b : sequence of k_a (k_b) arrays of int, optional
        For each word of the list the rows of `pool` that may take its place, such as the words of similar frequency
        (`matched_pools`). By default any word may.
    exclude_observed : bool
        Leave out pool words whose vectors are those of a word of `A` or `B`, up to length. By default they stay, so
        that the pool is what its name says; a drawn list can then contain a word of the list that stays.
    draw : {"words", "neighborhoods"}
        What a random list is: so many words drawn one by one, or one word of the pool, drawn, and the words of the pool
        nearest to it by cosine. Lists that people make hang together; the first kind does not, the second does. Strata
        belong to the first.

    Returns
    -------
    NullIntervals
        Intervals and p-values. Compare all rows of one null only after adjusting for their number
        (`adjusted`).

    Raises
    ------
    TypeError
        If an array does not hold real numbers or `n_draws` is no whole number.
    ValueError
        If a list is empty, the dimensions differ, a row is zero, a value is NaN or inf, the pool has fewer words than
        the two lists together, strata are of the wrong number, empty, outside the pool or have too few words to give
        every word its own, or an option is out of range.

    Warns
    -----
    UserWarning
        As `canonical_similarity` does, if lists have so many words that their spans must meet.

    Notes
    -----
    Words are drawn without replacement, and the two lists of a draw share none. The two-way null uses the lists drawn
    for the one-way nulls, so the three sets of intervals are valid each, but not independent of each other. The i-th
    congruence is compared with the i-th largest of the random lists.

    p_greater = (1 + number of draws at least as large)/(1 + n_draws), p_less likewise, and p_value is twice the
    smaller, at most 1; draws within 1e−8 of the observed value, as where both are 1 by geometry, count on both sides. low
    and high are the quantiles (1 ∓ confidence)/2 of the draws, with linear interpolation.

    Invariant under rotation of everything and positive rescaling of any word. Cost: O(n_draws·k² p) in batches: about
    .1 s for 2,000 draws of 8 words in 300 dimensions, with an 8 MB batch. Neighborhoods take O(n_draws·N p) more. Kindel (2023), Figure 3.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.association import null_intervals
    >>> rng = np.random.default_rng(0)
    >>> pool = rng.standard_normal((500, 20))
    >>> A = pool[:3]
    >>> B = A + 0.1 * rng.standard_normal((3, 20))  # nearly the same span
    >>> result = null_intervals(A, B, pool, n_draws=200, rng=0)
    >>> result.totals.query("quantity == 'canonical-trace'")[["null", "p_greater"]].round(4).values.tolist()
    [['A random', 0.005], ['B random', 0.005], ['both random', 0.005]]
    """
    source = _Pool(A, B, pool, strata_a, strata_b, exclude_observed)
    n = _checks.check_integer(n_draws, "n_draws", low=1)
    confidence = _confidence(confidence)
    _checks.check_option(draw, "draw", ("words", "neighborhoods"))
    generator = _checks.as_generator(rng)
    observed, observed_totals = _observed(source)
    if draw == "neighborhoods":
        _check_no_strata(strata_a is not None or strata_b is not None)
        places_a, places_b = source.neighborhoods(n, generator)
    else:
        places_a, places_b = source.draw(n, generator)
    found: dict[str, list[tuple[Array, Array, Array, Array]]] = {
        "A random": [],
        "B random": [],
        "both random": [],
    }
    step = max(1, _CHUNK // (source.rows.shape[1] * max(source.k_a, source.k_b)))
    own_a = _orthonormal(source.rows, source.own_a[None], source.tolerances[0])
    own_b = _orthonormal(source.rows, source.own_b[None], source.tolerances[1])
    for start in range(0, n, step):
        random_a = _orthonormal(source.rows, places_a[start : start + step], source.tolerances[0])
        random_b = _orthonormal(source.rows, places_b[start : start + step], source.tolerances[1])
        found["A random"].append(_common(random_a, own_b))
        found["B random"].append(_common(own_a, random_b))
        found["both random"].append(_common(random_a, random_b))
    congruences, totals = [], []
    for null, parts in found.items():
        draws, total_draws = _gather(parts)
        congruences.append(
            pd.DataFrame(
                {
                    "index": np.arange(1, observed.size + 1),
                    "observed": observed,
                    "null": null,
                    **_intervals(draws, confidence),
                    **_p_values(draws, observed),
                }
            )
        )
        totals.append(
            pd.DataFrame(
                {
                    "quantity": _TOTALS,
                    "observed": observed_totals,
                    "null": null,
                    **_intervals(total_draws, confidence),
                    **_p_values(total_draws, observed_totals),
                }
            )
        )
    return NullIntervals(
        pd.concat(congruences, ignore_index=True),
        pd.concat(totals, ignore_index=True),
        n,
        confidence,
        source.size,
    )


def _confidence(confidence: float) -> float:
    return _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)


def partial_nulls(
    A: _checks.Points,
    B: _checks.Points,
    pool: _checks.Points,
    *,
    randomize: str = "A",
    n_draws: int = 2000,
    confidence: float = 0.95,
    rng: _checks.RandomState = None,
    strata_a: Sequence[npt.ArrayLike] | None = None,
    strata_b: Sequence[npt.ArrayLike] | None = None,
    exclude_observed: bool = False,
) -> pd.DataFrame:
    """Return the intervals of the totals when only some of the words are random, from none to all.

    With one random word this is a leave-one-out sensitivity: what the totals would be if some word of the list had
    been another one. With all words random it is the null of `null_intervals`.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Word lists, one word per row, none of them zero.
    pool : array-like of shape (N, p)
        The words to draw from.
    randomize : {"A", "B", "both"}
        Whose words are replaced. With "both", as many in each list (all of the shorter one, if it has fewer).
    n_draws : int
        Random lists for each number of random words; both which words go and what takes their place are drawn.
    confidence : float
        Of the intervals, in (0, 1).
    rng : numpy.random.Generator or int, optional
        Draws the words.
    strata_a, strata_b, exclude_observed
        As for `null_intervals`.

    Returns
    -------
    DataFrame
        One row per number of random words and total: n_random (0 … k), quantity ("canonical", "canonical-trace",
        "mean-cosine"), observed, low, mean, high.

    Raises
    ------
    TypeError, ValueError
        As for `null_intervals`, and if `randomize` is none of the three.

    Warns
    -----
    UserWarning
        As `canonical_similarity` does, if lists have so many words that their spans must meet.

    Notes
    -----
    The supplement of Kindel (2023) suggests this interpolation between the observed lists and the null. Invariances
    as for `null_intervals`. Cost: k times that of one null.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.association import partial_nulls
    >>> pool = np.random.default_rng(0).standard_normal((500, 20))
    >>> table = partial_nulls(pool[:3], pool[:3], pool, n_draws=200, rng=0).query("quantity == 'canonical'")
    >>> table["mean"].round(1).tolist()  # equal lists, of which ever more words become random
    [1.0, 0.7, 0.4, 0.2]
    """
    source = _Pool(A, B, pool, strata_a, strata_b, exclude_observed)
    _checks.check_option(randomize, "randomize", ("A", "B", "both"))
    n = _checks.check_integer(n_draws, "n_draws", low=1)
    confidence = _confidence(confidence)
    generator = _checks.as_generator(rng)
    _, observed = _observed(source)
    longest = {"A": source.k_a, "B": source.k_b, "both": max(source.k_a, source.k_b)}[randomize]
    tables = []
    for n_random in range(longest + 1):
        drawn_a, drawn_b = source.draw(n, generator)
        if n_random == 0:
            totals = observed[None]
        else:
            places_a = _replace(source.own_a, drawn_a, n_random if randomize != "B" else 0, generator)
            places_b = _replace(source.own_b, drawn_b, n_random if randomize != "A" else 0, generator)
            totals = _gather(list(_compare(source, places_a, places_b)))[1]
        tables.append(
            pd.DataFrame(
                {
                    "n_random": n_random,
                    "quantity": _TOTALS,
                    "observed": observed,
                    **_intervals(totals, confidence),
                }
            )
        )
    return pd.concat(tables, ignore_index=True)


def _replace(own: Indices, drawn: Indices, n_random: int, rng: np.random.Generator) -> Indices:
    """Return places of lists in which `n_random` words are the drawn ones, each in its own place."""
    k = own.size
    if n_random == 0:
        return own[None]
    if n_random >= k:
        return drawn
    replaced = np.argsort(rng.random(drawn.shape), axis=1) < n_random  # ranks of random numbers: uniform
    return np.where(replaced, drawn, own)


def gaussian_nulls(
    k_a: int,
    k_b: int,
    p: int,
    *,
    n_draws: int = 2000,
    confidence: float = 0.95,
    rng: _checks.RandomState = None,
) -> GaussianNulls:
    """Return the intervals of every congruence and of the totals for uniformly random subspaces: a null without a pool.

    Parameters
    ----------
    k_a, k_b : int
        Dimensions of the subspaces: numbers of independent words.
    p : int
        Dimensions of the space; 1 ≤ k ≤ p.
    n_draws : int
        Random subspaces.
    confidence : float
        Of the intervals, in (0, 1).
    rng : numpy.random.Generator or int, optional
        Draws the subspaces.

    Returns
    -------
    GaussianNulls
        Congruences in [0, 1], descending; at least k_a + k_b − p of them are 1 (`forced_congruences`).

    Raises
    ------
    TypeError
        If a size is no whole number.
    ValueError
        If a subspace is larger than the space, or a value is out of range.

    Notes
    -----
    The span of k Gaussian words is uniformly random, and because only the angle between two spans matters, the other
    one may be that of the first k_b axes; of the random words only k_b coordinates and the triangular factor of the
    rest (Bartlett's decomposition) are drawn. Mean and variance of the trace are known exactly: `random_baseline`.
    Word vectors share directions and have more in common than this. Cost: O(n_draws k³), whatever p is.

    Examples
    --------
    >>> from isotropy_lab.association import gaussian_nulls
    >>> result = gaussian_nulls(8, 8, 300, rng=0)
    >>> bool(abs(result.totals["mean"][1] - 8 * 8 / 300) < 0.005)
    True
    """
    p = _checks.check_integer(p, "p", low=1)
    why = "a subspace has at most the dimensions of the space"
    k_a = _checks.check_integer(k_a, "k_a", low=1, high=p, why=why)
    k_b = _checks.check_integer(k_b, "k_b", low=1, high=p, why=why)
    n = _checks.check_integer(n_draws, "n_draws", low=1)
    confidence = _confidence(confidence)
    generator = _checks.as_generator(rng)
    rest = min(k_a, p - k_b)
    step = max(1, _CHUNK // (k_a * (k_b + rest)))
    parts = []
    for start in range(0, n, step):
        size = min(step, n - start)
        words = generator.standard_normal((size, k_a, k_b + rest))
        if p - k_b >= k_a:
            factor = np.tril(words[:, :, k_b:], -1)
            factor[:, np.arange(k_a), np.arange(k_a)] = np.sqrt(
                generator.chisquare(p - k_b - np.arange(k_a), size=(size, k_a))
            )
            words[:, :, k_b:] = factor
        bases = np.linalg.qr(np.swapaxes(words, 1, 2))[0]
        parts.append(np.clip(np.linalg.svd(bases[:, :k_b], compute_uv=False), 0.0, 1.0))
    congruences = np.concatenate(parts)
    traces = np.einsum("ij,ij->i", congruences, congruences)
    totals = np.stack([traces / math.sqrt(k_a * k_b), traces], axis=1)
    index = np.arange(1, congruences.shape[1] + 1)
    return GaussianNulls(
        pd.DataFrame({"index": index, **_intervals(congruences, confidence)}),
        pd.DataFrame({"quantity": _TOTALS[:2], **_intervals(totals, confidence)}),
        n,
        confidence,
    )


def matched_pools(
    frequencies: npt.ArrayLike,
    pool_frequencies: npt.ArrayLike,
    *,
    width: float = 0.25,
    at_least: int = 50,
) -> list[Indices]:
    """Return, for each word, the words of a pool that are about as frequent: strata for `null_intervals`.

    Parameters
    ----------
    frequencies : array-like of shape (k,)
        Of the words of a list, on a logarithmic scale, such as Zipf values (log₁₀ of uses per thousand million). NaN
        for a word of unknown frequency, which gets the whole pool.
    pool_frequencies : array-like of shape (N,)
        Of the words of the pool, on the same scale. NaN for unknown; such a word is in no stratum of a known one.
    width : float
        A stratum holds the words that differ by at most this, ≥ 0; .25 on the Zipf scale is a factor of 1.8.
    at_least : int
        Where there are fewer such words, the `at_least` nearest in frequency are taken (all known ones if the pool has
        fewer).

    Returns
    -------
    list of array of int
        For each word the rows of the pool, ascending.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
    ValueError
        If an array is empty or infinite, no pool frequency is known though a word's is, or an option is out of range.

    Notes
    -----
    Frequent words have more in common with other frequent words, whatever they mean, so a null of similar frequency
    asks a sharper question than one of any frequency. Cost: O(k N).

    Examples
    --------
    >>> from isotropy_lab.association import matched_pools
    >>> [rows.tolist() for rows in matched_pools([5.0, 3.1], [5.1, 4.9, 4.0, 3.0], at_least=1)]
    [[0, 1], [3]]
    """
    expected = _as_frequencies(frequencies, "frequencies")
    known = _as_frequencies(pool_frequencies, "pool_frequencies")
    width = _checks.check_real(width, "width", low=0.0, high=math.inf, open_high=True)
    at_least = _checks.check_integer(at_least, "at_least", low=1)
    rows = np.flatnonzero(~np.isnan(known))
    _check_some_known(rows.size, bool(np.isnan(expected).all()))
    strata = []
    for frequency in expected:
        if np.isnan(frequency):
            strata.append(np.arange(known.size))
            continue
        gaps = np.abs(known[rows] - frequency)
        inside = gaps <= width
        if int(inside.sum()) >= at_least:
            strata.append(rows[inside])
        else:
            strata.append(np.sort(rows[np.argsort(gaps, kind="stable")[:at_least]]))
    return strata


def _check_no_strata(given: bool) -> None:
    """Raise ValueError if strata are given for lists whose words are not drawn one by one."""
    if given:
        raise ValueError(
            'strata_a or strata_b is given with draw="neighborhoods"; expected draw="words", or no strata'
        )


def _check_neighborhoods_drawn(missing: int, n_draws: int) -> None:
    """Raise ValueError if a pool is so small that two neighborhoods without a common word are hardly ever found."""
    if missing:
        raise ValueError(
            f"pool has so few words that {missing} of {n_draws} pairs of neighborhoods without a common word were not "
            "found; expected a larger pool"
        )


def _check_pool_size(n_words: int, k_a: int, k_b: int) -> None:
    """Raise ValueError if a pool has too few words for one draw of both lists."""
    if n_words < k_a + k_b:
        raise ValueError(
            f"pool has {_checks.how_many(n_words, 'word')} to draw from; expected at least {k_a + k_b}, because a draw takes {k_a} "
            f"for A and {k_b} others for B"
        )


def _as_strata(strata: Any, name: str, k: int, n_pool: int) -> list[npt.NDArray[np.intp]]:
    """Return for each of k words the distinct rows of a pool that may take its place."""
    if isinstance(strata, (str, bytes, Mapping, Set)) or not hasattr(strata, "__len__"):
        raise TypeError(
            f"{name} is {_checks.describe(strata)}; expected a sequence of {k} arrays of rows of pool"
        )
    if len(strata) != k:
        raise ValueError(
            f"{name} has {len(strata)} strata; expected {k}, one for each word of {name[-1].upper()}"
        )
    rows = []
    for place, stratum in enumerate(strata):
        array = np.asarray(stratum)
        if array.size and array.dtype.kind not in "iu":
            raise TypeError(
                f"{name}[{place}] is {_checks.describe(stratum)}; expected row numbers of pool (dtype int)"
            )
        if array.ndim != 1:
            raise ValueError(f"{name}[{place}] has shape {array.shape}; expected a vector of row numbers")
        if array.size and (int(array.min()) < 0 or int(array.max()) >= n_pool):
            raise ValueError(
                f"{name}[{place}] has rows from {array.min()} to {array.max()}; expected rows of pool, 0 to {n_pool - 1}"
            )
        rows.append(np.unique(array).astype(np.intp))
    return rows


def _check_strata_sizes(sizes: Sequence[int], name: str) -> None:
    """Raise ValueError naming the first word without a word to take its place."""
    empty = [place for place, size in enumerate(sizes) if size == 0]
    if empty:
        raise ValueError(
            f"{name} has {len(empty)} of {len(sizes)} strata without a word to draw, first at place {empty[0]}; "
            "expected at least one pool word for each word: widen the strata"
        )


def _check_strata_feasible(matched: int, k: int) -> None:
    """Raise ValueError if the strata cannot give every word a pool word of its own."""
    if matched < k:
        raise ValueError(
            f"strata_a and strata_b have different words for {matched} of the {k} words at most; "
            "expected one of its own for each: widen the strata"
        )


def _check_strata_drawn(missing: int, n_draws: int) -> None:
    """Raise ValueError if strata are so small that a draw without repetition hardly ever happens."""
    if missing:
        raise ValueError(
            f"strata_a and strata_b overlap in so few words that {missing} of {n_draws} draws without a repeated word "
            "were not found; expected wider strata"
        )


def _as_frequencies(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a vector of frequencies on a logarithmic scale, where NaN means unknown."""
    values = np.asarray(_checks.as_array(x, name, ndim=1), dtype=np.float64)
    if values.size < 1:
        raise ValueError(f"{name} is empty; expected one frequency per word")
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise ValueError(
            f"{name} has {values[infinite[0]]} at place {infinite[0]}; expected finite numbers on a logarithmic scale, "
            "NaN where unknown"
        )
    return values


def _check_some_known(n_known: int, all_unknown: bool) -> None:
    """Raise ValueError if no pool frequency is known and one is expected."""
    if n_known == 0 and not all_unknown:
        raise ValueError(
            "pool_frequencies are all unknown (NaN); expected frequencies of the words of the pool"
        )
