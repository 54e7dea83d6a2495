"""Null distributions in the paper other than randomization: random subspaces, and partly random lists."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.association._checks import check_subspaces
from isotropy_lab.association.nulls import (
    CHUNK,
    TOTALS,
    NullIntervals,
    Pool,
    compare,
    intervals,
    intervals_of_places,
    redrawn,
)

__all__ = ["GaussianNulls", "gaussian_nulls", "matched_pools", "partial_nulls", "stratified_nulls"]

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


@dataclasses.dataclass(frozen=True, eq=False)
class GaussianNulls:
    """Principal-angle cosines and totals of two uniformly random subspaces."""

    #: One row per principal angle: index (1 is the largest cosine), low, mean, high.
    congruences: pd.DataFrame
    totals: pd.DataFrame  #: The same for quantity = "canonical" (geometric scaling) and "canonical-trace".


def gaussian_nulls(
    k_a: int,
    k_b: int,
    p: int,
    *,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> GaussianNulls:
    """Return the intervals of all principal-angle cosines and totals for uniformly random subspaces.

    Since only the angle between two spans matters, one of them may be the span of the first k_b axes. Only
    k_b coordinates of the random words and the triangular factor of the rest (Bartlett's decomposition) are
    drawn. At least k_a + k_b − p cosines are 1.
    """
    k_a, k_b, p = check_subspaces(k_a, k_b, p)
    n = n_resamples
    generator = checks.as_generator(rng)
    rest = min(k_a, p - k_b)
    step = max(1, CHUNK // (k_a * (k_b + rest)))
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
    cosines = np.concatenate(parts)
    traces = np.einsum("ij,ij->i", cosines, cosines)
    totals = np.stack([traces / math.sqrt(k_a * k_b), traces], axis=1)
    index = np.arange(1, cosines.shape[1] + 1)
    return GaussianNulls(
        pd.DataFrame({"index": index, **intervals(cosines, confidence_level)}),
        pd.DataFrame({"quantity": TOTALS[:2], **intervals(totals, confidence_level)}),
    )


def partial_nulls(
    A: checks.Points,
    B: checks.Points,
    pool: checks.Points,
    *,
    randomize: str = "A",
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Return the intervals of the totals if no words, some words, or all words are random.

    The replaced words and their replacements are both random; for "both", equal numbers of words are replaced
    in each list. One random word gives a leave-one-out sensitivity, and all words give the null of
    `null_intervals`. The supplement of Kindel (2023) suggests this interpolation.
    """
    source = Pool(A, B, pool)
    n = n_resamples
    generator = checks.as_generator(rng)
    _, observed = source.observed()
    longest = {"A": source.k_a, "B": source.k_b, "both": max(source.k_a, source.k_b)}[randomize]
    tables = []
    for n_random in range(longest + 1):
        drawn_a, drawn_b = source.draw(n, generator)
        if n_random == 0:
            totals = observed[None]
        else:
            places_a = _replace(source.own_a, drawn_a, n_random if randomize != "B" else 0, generator)
            places_b = _replace(source.own_b, drawn_b, n_random if randomize != "A" else 0, generator)
            totals = _totals(source, places_a, places_b)
        table = {"n_random": n_random, "quantity": TOTALS, "observed": observed}
        tables.append(pd.DataFrame(table | intervals(totals, confidence_level)))
    return pd.concat(tables, ignore_index=True)


def _totals(source: Pool, places_a: Indices, places_b: Indices) -> Array:
    """Return the totals of pairs of lists; a single list is compared with all lists on the other side."""
    n, p = max(len(places_a), len(places_b)), source.rows.shape[1]
    step = max(1, CHUNK // (p * max(places_a.shape[1], places_b.shape[1])))
    totals = []
    for start in range(0, n, step):
        here = slice(start, start + step)
        side_a, side_b = source.sides(
            places_a[here] if len(places_a) > 1 else places_a,
            places_b[here] if len(places_b) > 1 else places_b,
        )
        totals.append(compare(side_a, side_b)[1])
    return np.concatenate(totals)


def _replace(own: Indices, drawn: Indices, n_random: int, rng: np.random.Generator) -> Indices:
    """Return indices of lists in which `n_random` words are replaced by drawn words, at the same positions."""
    k = own.size
    if n_random == 0:
        return own[None]
    if n_random >= k:
        return drawn
    replaced = np.argsort(rng.random(drawn.shape), axis=1) < n_random  # uniformly random positions
    return np.where(replaced, drawn, own)


def matched_pools(
    frequencies: npt.ArrayLike, pool_frequencies: npt.ArrayLike, *, width: float = 0.25, at_least: int = 50
) -> list[Indices]:
    """Return, for each word, the rows of a pool with a similar frequency, as strata for `stratified_nulls`.

    Frequencies are logarithmic, such as Zipf values. A word of unknown frequency (NaN) gets the whole pool,
    and a word with fewer than `at_least` others within `width` gets that number of the nearest in frequency.
    """
    known = np.asarray(pool_frequencies, dtype=np.float64)
    rows = np.flatnonzero(~np.isnan(known))
    strata = []
    for frequency in np.asarray(frequencies, dtype=np.float64):
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


def stratified_nulls(
    A: checks.Points,
    B: checks.Points,
    pool: checks.Points,
    strata: Sequence[npt.ArrayLike],
    *,
    n_resamples: int = 2000,
    confidence_level: float = 0.95,
    rng: checks.RandomState = None,
) -> NullIntervals:
    """Return `null_intervals` of lists in which each word is drawn from its own stratum of the pool, A first."""
    source = Pool(A, B, pool)
    drawn = draw_strata([np.unique(rows) for rows in strata], n_resamples, checks.as_generator(rng))
    return intervals_of_places(source, drawn[:, : source.k_a], drawn[:, source.k_a :], confidence_level)


def draw_strata(strata: Sequence[Indices], n: int, rng: np.random.Generator) -> Indices:
    """Return n samples with one index from each stratum, all different, uniform over all such samples."""

    def once(rows: int) -> Indices:
        return np.stack([stratum[rng.integers(stratum.size, size=rows)] for stratum in strata], axis=1)

    return redrawn(once, n)
