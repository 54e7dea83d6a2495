"""Null distributions in the paper other than randomization: random subspaces, and partly random lists."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.association.nulls import (
    TOTALS,
    NullIntervals,
    Pool,
    compare,
    draw_without_repeats,
    intervals,
    intervals_of_indices,
)

Indices = npt.NDArray[np.intp]

#: Nominal coverage of all intervals.
CONFIDENCE_LEVEL = 0.95


@dataclasses.dataclass(frozen=True, eq=False)
class GaussianNulls:
    """Principal-angle cosines and totals of two uniformly random subspaces."""

    #: One row per principal angle: index (1 is the largest cosine), low, mean, high.
    congruences: pd.DataFrame
    totals: pd.DataFrame  #: The same for quantity = "canonical" (geometric scaling) and "canonical-trace".


def gaussian_nulls(
    k_a: int, k_b: int, p: int, *, n_resamples: int = 2000, rng: checks.RandomState = None
) -> GaussianNulls:
    """Return the 95% intervals of all principal-angle cosines and totals for uniformly random subspaces.

    The subspaces have k_a and k_b of p dimensions. Since only the angle between two spans matters, one of them
    may be the span of the first k_b axes. Only k_b coordinates of the random words and the triangular factor of
    the rest (Bartlett's decomposition) are drawn. At least k_a + k_b − p cosines are 1.
    """
    generator = checks.as_generator(rng)
    words = generator.standard_normal((n_resamples, k_a, k_b + min(k_a, p - k_b)))
    if p - k_b >= k_a:
        factor = np.tril(words[:, :, k_b:], -1)
        factor[:, np.arange(k_a), np.arange(k_a)] = np.sqrt(
            generator.chisquare(p - k_b - np.arange(k_a), size=(n_resamples, k_a))
        )
        words[:, :, k_b:] = factor
    bases = np.linalg.qr(np.swapaxes(words, 1, 2))[0]
    cosines = np.clip(np.linalg.svd(bases[:, :k_b], compute_uv=False), 0.0, 1.0)
    traces = np.einsum("ij,ij->i", cosines, cosines)
    totals = np.stack([traces / math.sqrt(k_a * k_b), traces], axis=1)
    index = np.arange(1, cosines.shape[1] + 1)
    return GaussianNulls(
        pd.DataFrame({"index": index, **intervals(cosines, CONFIDENCE_LEVEL)}),
        pd.DataFrame({"quantity": TOTALS[:2], **intervals(totals, CONFIDENCE_LEVEL)}),
    )


def partial_nulls(
    A: checks.Points,
    B: checks.Points,
    pool: checks.Points,
    *,
    randomize: str = "A",
    n_resamples: int = 2000,
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Return the 95% intervals of the totals if no words, some words, or all words of one list are random.

    `randomize` is the list with random words, "A" or "B". The positions of the replaced words and their
    replacements from the pool are random. With one random word,
    the intervals show the sensitivity to a single word; with k, they are those of `null_intervals`. The
    supplement of Kindel (2023) suggests this interpolation.
    """
    source = Pool(A, B, pool)
    generator = checks.as_generator(rng)
    _, observed = source.observed()
    indices = source.own_a if randomize == "A" else source.own_b
    tables = []
    for n_random in range(indices.size + 1):
        samples = source.draw(n_resamples, generator)[0 if randomize == "A" else 1]
        totals = observed[None]
        if n_random > 0:
            if n_random < indices.size:
                is_replaced = np.argsort(generator.random(samples.shape), axis=1) < n_random
                samples = np.where(is_replaced, samples, indices)
            lists = (samples, source.own_b[None]) if randomize == "A" else (source.own_a[None], samples)
            totals = compare(*source.sides(*lists))[1]
        table = {"n_random": n_random, "quantity": TOTALS, "observed": observed}
        tables.append(pd.DataFrame(table | intervals(totals, CONFIDENCE_LEVEL)))
    return pd.concat(tables, ignore_index=True)


def matched_pools(
    frequencies: npt.ArrayLike, pool_frequencies: npt.ArrayLike, *, width: float = 0.25, at_least: int = 50
) -> list[Indices]:
    """Return, for each word, the rows of a pool with a similar frequency, as strata for `stratified_nulls`.

    Frequencies are logarithmic, such as Zipf values. A word of unknown frequency (NaN) gets the whole pool,
    and a word with fewer than `at_least` others within `width` gets that number of the nearest in frequency.
    """
    frequencies_in_pool = np.asarray(pool_frequencies, dtype=np.float64)
    rows = np.flatnonzero(~np.isnan(frequencies_in_pool))
    strata = []
    for frequency in np.asarray(frequencies, dtype=np.float64):
        if np.isnan(frequency):
            strata.append(np.arange(frequencies_in_pool.size))
            continue
        distances = np.abs(frequencies_in_pool[rows] - frequency)
        is_near = distances <= width
        if int(is_near.sum()) >= at_least:
            strata.append(rows[is_near])
        else:
            strata.append(np.sort(rows[np.argsort(distances, kind="stable")[:at_least]]))
    return strata


def stratified_nulls(
    A: checks.Points,
    B: checks.Points,
    pool: checks.Points,
    strata: Sequence[npt.ArrayLike],
    *,
    n_resamples: int = 2000,
    rng: checks.RandomState = None,
) -> NullIntervals:
    """Return `null_intervals` of lists in which each word is drawn from its own stratum of the pool, A first."""
    source = Pool(A, B, pool)
    samples = draw_strata([np.unique(rows) for rows in strata], n_resamples, checks.as_generator(rng))
    return intervals_of_indices(source, samples[:, : source.k_a], samples[:, source.k_a :], CONFIDENCE_LEVEL)


def draw_strata(strata: Sequence[Indices], n: int, rng: np.random.Generator) -> Indices:
    """Return n samples with one index from each stratum, all different, uniform over all such samples."""

    def draw(rows: int) -> Indices:
        return np.stack([stratum[rng.integers(stratum.size, size=rows)] for stratum in strata], axis=1)

    return draw_without_repeats(draw, n)
