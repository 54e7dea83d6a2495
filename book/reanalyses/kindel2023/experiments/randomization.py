"""Figure 3 of Kindel (2023) as tables: congruences with null distributions, and their dependence on the pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association import nulls
from isotropy_lab.association.canonical import canonical_similarity, row_basis
from reanalyses.kindel2023.experiments.spaces import (
    COMPONENTS,
    find_test,
    other_words,
    pairs_of_lists,
    word_vectors,
)
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.kindel2023.nulls import gaussian_nulls, matched_pools, partial_nulls, stratified_nulls

__all__ = ["congruence_nulls", "partial_randomization", "pool_sensitivity", "two_word_nulls"]

Array = NDArray[np.float64]
Rng = np.random.Generator | int | None

_BATCH = 256
"""Number of rows of a pool whose cosines with all rows are in memory at a time."""


@dataclass(frozen=True)
class CongruenceNulls:
    """Null intervals for all pairs of lists of a test."""

    #: One row per pair, index of the congruence, and null: lists, index, observed, null, low, mean, high,
    #: p_greater, p_less, p_value.
    congruences: pd.DataFrame
    #: The same for the totals: lists, quantity, observed, null, low, mean, high, p_greater, p_less, p_value.
    totals: pd.DataFrame
    n_resamples: int  #: Number of draws from each null.


def congruence_nulls(
    space: Any = "googlenews-weat", *, n_resamples: int = 2_000, rng: Rng = 0
) -> CongruenceNulls:
    """Return every congruence and total of four pairs of lists, with one- and two-way nulls (Figure 3).

    Kindel (2023) does not state the source of the random lists; `pool_sensitivity` shows its effect.
    """
    generator = checks.as_generator(rng)
    _, pool = other_words(space)
    congruences: list[pd.DataFrame] = []
    totals: list[pd.DataFrame] = []
    for label, a, b in pairs_of_lists(space):
        outcome = nulls.null_intervals(a, b, pool, n_resamples=n_resamples, rng=generator)
        congruences.append(outcome.congruences.assign(lists=label))
        totals.append(outcome.totals.assign(lists=label))
    return CongruenceNulls(
        congruences=pd.concat(congruences, ignore_index=True),
        totals=pd.concat(totals, ignore_index=True),
        n_resamples=n_resamples,
    )


def pool_sensitivity(
    space: Any = "googlenews-weat",
    *,
    sizes: Sequence[int] = (2_000, 5_000, 10_000),
    frequency_width: float | None = 0.25,
    gaussian: bool = True,
    neighborhoods: bool = False,
    n_resamples: int = 1_000,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Return the null distribution of the totals for several pools of random words.

    The pools are the most frequent words, words of similar frequency, words of one topic (`neighborhoods`), and
    uniformly random subspaces, which have only the null "both random", the canonical quantities, and no
    p-value.
    """
    options: dict[str, Any] = {"n_resamples": n_resamples, "rng": checks.as_generator(rng)}
    words = find_test(space, "gender-sentiment").words
    results = []
    for (x, y, _), (label, a, b) in zip(COMPONENTS.values(), pairs_of_lists(space), strict=True):
        tables: list[tuple[str, pd.DataFrame]] = []
        for size in sizes:
            outcome = nulls.null_intervals(a, b, other_words(space, size)[1], **options)
            tables.append((f"top {size:,} words", outcome.totals))
        if frequency_width is not None:
            names, pool = other_words(space)
            zipf, pool_zipf = _zipf_of([*words[x], *words[y]]), _zipf_of(names)
            strata = matched_pools(zipf, pool_zipf, width=frequency_width)
            outcome = stratified_nulls(a, b, pool, strata, **options)
            tables.append(("similar frequency", outcome.totals))
        if neighborhoods:
            outcome = nulls.null_intervals(a, b, other_words(space)[1], draw="neighborhoods", **options)
            tables.append(("random topics", outcome.totals))
        if gaussian:
            tables.append(("random subspaces", _gaussian_totals(a, b, **options)))
        for pool_name, table in tables:
            results.append(table.assign(lists=label, pool=pool_name))
    return pd.concat(results, ignore_index=True)


def two_word_nulls(
    first: str = "she",
    second: str = "awful",
    *,
    space: Any = "glove-weat",
    sizes: Sequence[int] = (2_000, 10_000),
) -> pd.DataFrame:
    """Compare the cosine of two words with exact nulls in which any word replaces one or both of them.

    The nulls use all words of a pool and all pairs of its words, 50 million for 10,000 words, in batches.
    """
    vectors = word_vectors(space)
    pair = unit_rows(np.array([vectors[first], vectors[second]], dtype=np.float64))
    cosine = float(pair[0] @ pair[1])
    rows = []
    for size in sizes:
        pool = unit_rows(other_words(space, size)[1])
        n = len(pool)
        cosines = pool @ pair.T
        nulls_of_pool = {
            "first random": (n, int((cosines[:, 1] >= cosine).sum()), float(cosines[:, 1].mean())),
            "second random": (n, int((cosines[:, 0] >= cosine).sum()), float(cosines[:, 0].mean())),
        }
        n_at_least = 0
        for start in range(0, n, _BATCH):
            block = pool[start : start + _BATCH] @ pool[start:].T
            # Each pair is counted once: no word is paired with itself or with earlier words.
            block[np.tril_indices(len(block), m=block.shape[1])] = -np.inf
            n_at_least += int((block >= cosine).sum())
        total = pool.sum(axis=0)
        n_pairs = n * (n - 1) // 2
        nulls_of_pool["both random"] = (n_pairs, n_at_least, float((total @ total - n) / (2 * n_pairs)))
        rows += [
            (f"top {size:,} words", null, cosine, count, n_at_least, n_at_least / count, mean)
            for null, (count, n_at_least, mean) in nulls_of_pool.items()
        ]
    return pd.DataFrame(rows, columns=["pool", "null", "cosine", "count", "n_at_least", "share", "mean"])


def partial_randomization(
    space: Any = "googlenews-weat", *, randomize: Sequence[str] = ("A", "B"), n_resamples: int = 1_000
) -> pd.DataFrame:
    """Return the intervals of the totals when one, two, … and all words of a list are replaced by random words."""
    generator = np.random.default_rng(0)
    _, pool = other_words(space)
    tables = []
    for label, a, b in pairs_of_lists(space):
        for role in randomize:
            table = partial_nulls(a, b, pool, randomize=role, n_resamples=n_resamples, rng=generator)
            tables.append(table.assign(lists=label, randomize=role))
    return pd.concat(tables, ignore_index=True)


def _zipf_of(words: Sequence[str]) -> Array:
    return np.asarray(word_frequencies().reindex([word.casefold() for word in words]), dtype=np.float64)


def _gaussian_totals(a: Array, b: Array, **options: Any) -> pd.DataFrame:
    """Return totals of uniformly random subspaces and observed totals, in the columns of the other nulls."""
    k_a, k_b = row_basis(a).shape[1], row_basis(b).shape[1]
    totals = gaussian_nulls(k_a, k_b, a.shape[1], **options).totals
    observed = {
        name: canonical_similarity(a, b, scale=scale)
        for name, scale in (("canonical", "geometric"), ("canonical-trace", None))
    }
    return totals.assign(observed=totals["quantity"].map(observed), null="both random")
