"""Correlations of scores across embedding models: intervals, exact tests, and the effect of pooling."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats

from isotropy_lab._core import checks

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

#: Columns that Table I of Roychowdhury et al. (2025) correlates.
TABLE_1_PAIRS = (
    ("accuracy", "coe"),
    ("accuracy", "roe"),
    ("tau", "roe"),
    ("accuracy", "i_a"),
    ("accuracy", "i_b"),
)

_Z = float(stats.norm.ppf(0.975))
_BLOCK_SIZE = 2**20  # number of entries resampled at a time: 8 MB
_MAX_EXACT_ROWS = 8  # up to this number of rows, all permutations are enumerated: 8! = 40,320


@dataclass(frozen=True)
class Correlation:
    """A correlation coefficient with its 95% interval and the p-value of a permutation test."""

    #: estimate, low, high: coefficient and interval ends, in [−1, 1].
    estimate: float
    low: float
    high: float
    pvalue: float  #: Two-sided p-value, in (0, 1].
    n: int  #: Number of rows.


@dataclass(frozen=True, eq=False)
class PoolingEffect:
    """A correlation over pooled groups of rows, decomposed into parts within and between groups."""

    pooled: float  #: Pearson's r over all rows.
    within: float  #: Pearson's r after subtracting each group's means.
    between: float  #: Pearson's r between the group means, weighted by group size.
    n: int  #: Number of rows.


def correlation(
    x: Any,
    y: Any,
    *,
    method: str = "pearson",
    interval: str = "fisher",
    groups: Any = None,
    n_resamples: int = 10_000,
    rng: checks.RandomState = None,
) -> Correlation:
    """Return the correlation between two scores of the same models, with an interval and a permutation test.

    `method` is "pearson" or "spearman". "fisher" treats z = artanh r as normal, with variance 1/(n − 3), or
    (1 + r²/2)/(n − 3) for Spearman's (Bonett and Wright 2000); use it for few rows. "bootstrap" takes
    percentiles over resampled rows or groups, omitting samples without variation; it is too narrow below about
    20 of them. `groups` labels dependent rows: at least 4 groups with equal numbers of rows, in the same order
    in each.

    The p-value is the fraction of all permutations of y (up to 8 rows or groups; otherwise of `n_resamples`
    random ones, including the given order) with at least the same magnitude.
    """
    a, b = (np.asarray(values, dtype=np.float64) for values in (x, y))
    generator = checks.as_generator(rng)
    estimate = _coefficient(a, b, method)
    labels = np.arange(a.size) if groups is None else np.asarray(groups)
    units = np.stack([np.flatnonzero(labels == label) for label in np.unique(labels)])
    if interval == "bootstrap":
        low, high = _bootstrap(a, b, method, units, n_resamples, generator)
    else:
        excess = 1.0 + (estimate**2 / 2.0 if method == "spearman" else 0.0)
        half = _Z * math.sqrt(excess / (a.size - 3))
        with np.errstate(divide="ignore"):
            z = float(np.arctanh(estimate))
        low, high = math.tanh(z - half), math.tanh(z + half)
    pvalue = _permutation_pvalue(a, b, method, units, n_resamples, generator)
    return Correlation(estimate, low, high, pvalue, a.size)


def correlations(
    table: pd.DataFrame,
    pairs: Iterable[tuple[str, str]],
    *,
    method: str = "pearson",
    interval: str = "fisher",
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Correlate pairs of columns of a table with one row per embedding model or variant.

    The table has the columns first, second, r, low, high, p, and n; intervals and p refer to one pair at a
    time.
    """
    rows = []
    for first, second in pairs:
        result = correlation(table[first], table[second], method=method, interval=interval, rng=rng)
        rows.append((first, second, result.estimate, result.low, result.high, result.pvalue, result.n))
    return pd.DataFrame(rows, columns=["first", "second", "r", "low", "high", "p", "n"])


def pooling_effect(table: pd.DataFrame, x: str, y: str, *, group: str) -> PoolingEffect:
    """Decompose a correlation over pooled rows into parts within and between groups.

    Sums of products about the mean decompose into T = W + B, within and between groups. Therefore, r over all
    rows is W_xy/√(T_xx T_yy) + B_xy/√(T_xx T_yy) = w r_within + b r_between, with w = √(W_xx W_yy/(T_xx
    T_yy)) and b defined likewise. If groups differ strongly in x for reasons unrelated to y, w is small and r
    is near 0, whatever the relation within the groups.
    """
    scores = table[[x, y]]
    means = scores.groupby(table[group]).transform("mean")
    pooled, within, between = (float(values.corr().loc[x, y]) for values in (scores, scores - means, means))
    return PoolingEffect(pooled, within, between, len(table))


def power_sums(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Return 1, x, y, x², y², and xy of each row, whose sums over any rows determine their correlation."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return np.column_stack([np.ones(a.size), a, b, a * a, b * b, a * b])


def products_about_means(sums: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the sums of products xx, yy, and xy about the means, from rows of sums of `power_sums`."""
    n, x, y, xx, yy, xy = sums.T
    return xx - x * x / n, yy - y * y / n, xy - x * y / n


def _normalize_centered(values: Floats, method: str) -> Floats:
    """Return values or ranks, centered and normalized along the last axis; constant rows become zeros."""
    raw = stats.rankdata(values, axis=-1) if method == "spearman" else values
    x = raw - raw.mean(axis=-1, keepdims=True)
    x = np.where(
        np.abs(x).max(axis=-1, keepdims=True) <= 1e-12 * np.abs(raw).max(axis=-1, keepdims=True), 0.0, x
    )
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.asarray(np.divide(x, length, out=np.zeros_like(x, dtype=np.float64), where=length > 0))


def _coefficient(a: Floats, b: Floats, method: str) -> float:
    return float(np.clip(_normalize_centered(a, method) @ _normalize_centered(b, method), -1.0, 1.0))


def _bootstrap(
    a: Floats,
    b: Floats,
    method: str,
    units: Indices,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return percentiles over samples of `units`, each an array of the rows that are drawn together."""
    values: list[Floats] = []
    accepted = 0
    while accepted < n_resamples:
        n_drawn = max(1, min(n_resamples - accepted, _BLOCK_SIZE // a.size))
        sample = rng.integers(0, len(units), size=(n_drawn, len(units)))
        rows = units[sample].reshape(n_drawn, -1)
        u, v = _normalize_centered(a[rows], method), _normalize_centered(b[rows], method)
        # A column that varies also varies in at least a third of its resamples, so the loop ends.
        vary = u.any(axis=1) & v.any(axis=1)
        values.append(np.clip(np.einsum("ij,ij->i", u[vary], v[vary]), -1.0, 1.0))
        accepted += int(vary.sum())
    low, high = np.percentile(np.concatenate(values), [2.5, 97.5])
    return float(low), float(high)


@lru_cache(maxsize=2)
def _all_orders(n: int) -> Indices:
    return np.array(list(itertools.permutations(range(n))), dtype=np.intp)


def _permutation_pvalue(
    a: Floats,
    b: Floats,
    method: str,
    units: Indices,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """Return the two-sided p-value over permutations of equal-sized units, all of them if there are few."""
    u, v = _normalize_centered(a, method), _normalize_centered(b, method)
    n = len(units)
    observed = abs(float(u @ v))
    exact = n <= _MAX_EXACT_ROWS
    orders = _all_orders(n) if exact else rng.permuted(np.tile(np.arange(n), (n_resamples, 1)), axis=1)
    # Unit i keeps its x and gets the y of unit orders[i], so r is a sum of entries of one n × n table.
    table = u[units] @ v[units].T
    magnitudes = np.abs(table[np.arange(n), orders].sum(axis=1))
    n_extreme = int((magnitudes >= observed - 1e-12).sum())
    return n_extreme / len(orders) if exact else (n_extreme + 1) / (n_resamples + 1)
