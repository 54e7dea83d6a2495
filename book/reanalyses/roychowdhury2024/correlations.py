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
from isotropy_lab._core.results import Result
from isotropy_lab.retrieval._checks import check_kind, check_n_resamples

__all__ = ["TABLE_1_PAIRS", "Correlation", "PoolingEffect", "correlation", "correlations", "pooling_effect"]

Floats = npt.NDArray[np.float64]

METHODS = ("pearson", "spearman")

#: Columns that Table I of Roychowdhury et al. (2025) correlates.
TABLE_1_PAIRS = (
    ("accuracy", "coe"),
    ("accuracy", "roe"),
    ("tau", "roe"),
    ("accuracy", "i_a"),
    ("accuracy", "i_b"),
)

_BLOCK = 2**20  # number of entries resampled at a time: 8 MB
_EXACT_ROWS = 8  # up to this number of rows, all permutations are enumerated: 8! = 40,320


@dataclass(frozen=True)
class Correlation(Result):
    """A correlation coefficient with its confidence interval and the p-value of a permutation test."""

    #: estimate, low, high: coefficient and interval ends, in [−1, 1].
    estimate: float
    low: float
    high: float
    pvalue: float  #: Two-sided p-value, in (0, 1].
    n: int  #: Number of rows.
    #: Number of groups resampled or permuted as a whole; None if rows are independent.
    n_groups: int | None
    #: method, interval: "pearson" or "spearman"; "fisher", "jackknife" or "bootstrap".
    method: str
    interval: str
    confidence_level: float  #: Nominal coverage of the interval.
    exact: bool  #: Whether all permutations were enumerated.


@dataclass(frozen=True, eq=False)
class PoolingEffect(Result):
    """A correlation over pooled groups of rows, decomposed into parts within and between groups."""

    pooled: float  #: Pearson's r over all rows.
    within: float  #: Pearson's r after subtracting each group's means.
    #: Pearson's r between the group means, weighted by group size; None if the means of x or y do not vary.
    between: float | None
    #: Columns group, n, r (NaN with fewer than 3 rows or a constant column), mean_x, mean_y.
    by_group: pd.DataFrame
    n: int  #: Number of rows.


def correlation(
    x: Any,
    y: Any,
    *,
    method: str = "pearson",
    interval: str = "fisher",
    confidence_level: float = 0.95,
    groups: Any = None,
    n_resamples: int = 10_000,
    rng: checks.RandomState = None,
) -> Correlation:
    """Return the correlation between two scores of the same models, with an interval and a permutation test.

    "fisher" treats z = artanh r as normal, with variance 1/(n − 3), or (1 + r²/2)/(n − 3) for Spearman's
    (Bonett and Wright 2000); use it for few rows. "jackknife" uses the variance of z when one row or group is
    left out. "bootstrap" takes percentiles over resampled rows or groups, omitting samples without variation;
    it is too narrow below about 20 of them. `groups` labels dependent rows: at least 4 groups with equal
    numbers of rows, in the same order in each.

    The p-value is the fraction of all permutations of y (up to 8 rows or groups; otherwise of `n_resamples`
    random ones, including the given order) with at least the same magnitude.
    """
    a, b = (_scaled(values) for values in map(_as_scores, (x, y)))
    level = confidence_level
    n_resamples = check_n_resamples(n_resamples, level if interval == "bootstrap" else 0.95)
    blocks = None
    if groups is not None:
        labels = checks.as_labels(groups, "groups", length=a.size, per="x")
        blocks = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    generator = checks.as_generator(rng)
    value = _coefficient(a, b, method)
    half = float(stats.norm.ppf(0.5 + level / 2))
    units = blocks if blocks is not None else [np.array([i]) for i in range(a.size)]
    if interval == "bootstrap":
        low, high = _bootstrap(a, b, method, units, level, n_resamples, generator)
    else:
        if interval == "fisher":
            excess = 1.0 + (value**2 / 2.0 if method == "spearman" else 0.0)
            error = math.sqrt(excess / (a.size - 3))
        else:
            error = _jackknife_error(a, b, method, units)
        with np.errstate(divide="ignore"):
            z = float(np.arctanh(value))
        low, high = math.tanh(z - half * error), math.tanh(z + half * error)
    p, exact = _permutation(a, b, method, units, n_resamples, generator)
    return Correlation(
        value, low, high, p, a.size, len(blocks) if blocks else None, method, interval, level, exact
    )


def correlations(
    table: pd.DataFrame,
    pairs: Iterable[tuple[str, str]] = TABLE_1_PAIRS,
    *,
    method: str = "pearson",
    interval: str = "fisher",
    rng: checks.RandomState = None,
) -> pd.DataFrame:
    """Correlate pairs of columns of a table with one row per embedding model or variant.

    Columns first, second, r, low, high, p, n; intervals and p refer to one pair at a time.
    """
    check_kind(table, "table", pd.DataFrame)
    expected = list(pairs)
    generator = checks.as_generator(rng)
    rows = []
    for first, second in expected:
        found = correlation(table[first], table[second], method=method, interval=interval, rng=generator)
        rows.append((first, second, found.estimate, found.low, found.high, found.pvalue, found.n))
    return pd.DataFrame(rows, columns=["first", "second", "r", "low", "high", "p", "n"])


def pooling_effect(table: pd.DataFrame, x: str, y: str, *, group: str) -> PoolingEffect:
    """Decompose a correlation over pooled rows into parts within and between groups.

    Sums of products about the mean decompose into T = W + B, within and between groups. Therefore, r over all
    rows is W_xy/√(T_xx T_yy) + B_xy/√(T_xx T_yy) = w r_within + b r_between, with w = √(W_xx W_yy/(T_xx
    T_yy)) and b defined likewise. If groups differ strongly in x for reasons unrelated to y, w is small and r
    is near 0, whatever the relation within the groups.
    """
    check_kind(table, "table", pd.DataFrame)
    given = tuple(map(_as_scores, (table[x], table[y])))
    a, b = map(_scaled, given)
    labels = checks.as_labels(table[group], group, length=a.size, per="table")
    found = np.unique(labels)
    deviations = np.column_stack([a - a.mean(), b - b.mean()])
    counts = np.array([(labels == label).sum() for label in found])
    centers = np.array([deviations[labels == label].mean(axis=0) for label in found])
    order = np.searchsorted(found, labels)
    inside = deviations - centers[order]
    total, within = deviations.T @ deviations, inside.T @ inside
    between = (centers * counts[:, None]).T @ centers
    scale = math.sqrt(total[0, 0] * total[1, 1])
    r_within = _bounded(within[0, 1] / math.sqrt(within[0, 0] * within[1, 1]))
    size = math.sqrt(max(between[0, 0] * between[1, 1], 0.0))
    flat = bool((np.diag(between) <= 1e-14 * np.diag(total)).any())
    names = list(dict.fromkeys(table[group].tolist()))
    rows = []
    for name in names:
        mine = (table[group] == name).to_numpy()
        varies = mine.sum() >= 3 and all(_prepared(column[mine], "pearson").any() for column in (a, b))
        r = _coefficient(a[mine], b[mine], "pearson") if varies else math.nan
        rows.append((name, int(mine.sum()), r, *(float(column[mine].mean()) for column in given)))
    return PoolingEffect(
        pooled=_bounded(total[0, 1] / scale),
        within=r_within,
        between=None if flat else _bounded(between[0, 1] / size),
        by_group=pd.DataFrame(rows, columns=["group", "n", "r", "mean_x", "mean_y"]),
        n=a.size,
    )


def _bounded(r: float) -> float:
    return min(max(float(r), -1.0), 1.0)


def _scaled(values: Floats) -> Floats:
    """Divide values by a power of two that makes the largest about 1, so that squares do not overflow."""
    return np.asarray(np.ldexp(values, -math.frexp(float(np.abs(values).max()))[1]))


def _prepared(values: Floats, method: str) -> Floats:
    """Return values or ranks, centered and normalized along the last axis; constant rows become zeros."""
    given = stats.rankdata(values, axis=-1) if method == "spearman" else values
    x = given - given.mean(axis=-1, keepdims=True)
    x = np.where(
        np.abs(x).max(axis=-1, keepdims=True) <= 1e-12 * np.abs(given).max(axis=-1, keepdims=True), 0.0, x
    )
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.asarray(np.divide(x, length, out=np.zeros_like(x, dtype=np.float64), where=length > 0))


def _coefficient(a: Floats, b: Floats, method: str) -> float:
    return _bounded(float(_prepared(a, method) @ _prepared(b, method)))


def _jackknife_error(a: Floats, b: Floats, method: str, units: list[npt.NDArray[np.intp]]) -> float:
    """Return the standard error of artanh r by the jackknife over units."""
    left = []
    for unit in units:
        keep = np.ones(a.size, dtype=bool)
        keep[unit] = False
        left.append(_coefficient(a[keep], b[keep], method))
    z = np.arctanh(np.array(left))
    n = len(units)
    return math.sqrt((n - 1) / n * float(((z - z.mean()) ** 2).sum()))


def _bootstrap(
    a: Floats,
    b: Floats,
    method: str,
    units: list[npt.NDArray[np.intp]],
    level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    places = np.array(units)  # shape (units, rows per unit)
    values: list[Floats] = []
    accepted = 0
    while accepted < n_resamples:
        number = max(1, min(n_resamples - accepted, _BLOCK // a.size))
        drawn = rng.integers(0, len(units), size=(number, len(units)))
        rows = places[drawn].reshape(number, -1)
        u, v = _prepared(a[rows], method), _prepared(b[rows], method)
        # A column that varies also varies in at least a third of its resamples, so the loop ends.
        vary = u.any(axis=1) & v.any(axis=1)
        values.append(np.clip(np.einsum("ij,ij->i", u[vary], v[vary]), -1.0, 1.0))
        accepted += int(vary.sum())
    tail = 50.0 * (1.0 - level)
    low, high = np.percentile(np.concatenate(values), [tail, 100.0 - tail])
    return float(low), float(high)


@lru_cache(maxsize=2)
def _all_orders(n: int) -> npt.NDArray[np.intp]:
    return np.array(list(itertools.permutations(range(n))), dtype=np.intp)


def _permutation(
    a: Floats,
    b: Floats,
    method: str,
    units: list[npt.NDArray[np.intp]],
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[float, bool]:
    """Return the two-sided p-value over permutations of equal-sized units, and whether it is exact."""
    u, v = _prepared(a, method), _prepared(b, method)
    places = np.array(units)  # shape (units, rows per unit)
    n = len(units)
    observed = abs(float(u @ v))
    exact = n <= _EXACT_ROWS
    orders = _all_orders(n) if exact else rng.permuted(np.tile(np.arange(n), (n_resamples, 1)), axis=1)
    # Unit i keeps its x and gets the y of unit orders[i], so r is a sum of entries of one n × n table.
    table = u[places] @ v[places].T
    found = np.abs(table[np.arange(n), orders].sum(axis=1))
    n_extreme = int((found >= observed - 1e-12).sum())
    if exact:
        return n_extreme / len(orders), True
    return (n_extreme + 1) / (n_resamples + 1), False


def _as_scores(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64)
