"""The five scores of each layer of a model, with jackknife intervals over groups of sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student_t

from isotropy_lab._core import checks
from isotropy_lab.isotropy.intrinsic import inverse_dimensions, nearest_others
from isotropy_lab.isotropy.partition import log_score_over
from isotropy_lab.isotropy.variance import n_leading, score_of_spectrum
from reanalyses.rudman2022.experiments.marks import SCORES

__all__ = ["scores_by_layer"]

Array = NDArray[np.float64]
Labels = NDArray[np.intp]


def scores_by_layer(
    hidden_states: Any,
    *,
    groups: ArrayLike | None = None,
    n_groups: int = 20,
    n_queries: int | None = 2_000,
    rng: np.random.Generator | int | None = 0,
) -> pd.DataFrame:
    """Score the tokens of every layer, with jackknife intervals over groups of sentences.

    Tokens of one sentence are dependent, so whole sentences are assigned at random to ``n_groups`` groups of
    nearly equal sizes, and each score is recomputed without one group at a time. This is the experiment of
    Figures 8 and 9 of Rudman et al. (2022), which show no intervals.

    Intervals are value · exp(±t·s), where t is Student's quantile with G − 1 degrees of freedom and s is the
    delete-a-group jackknife standard error of the logarithm; the upper end is clipped to 1. They cover the
    result for a new sample with the same number of sentences, not the limit of infinitely many tokens. A
    partition score below 1e-300 is reported as 0 with the interval from 0 to the upper end, and an average
    cosine of exactly ±1 as 0 with the interval [0, 0].
    """
    layers: Sequence[ArrayLike] = getattr(hidden_states, "layers", hidden_states)
    clouds = [np.asarray(layer, dtype=np.float64) for layer in layers]
    generator = checks.as_generator(rng)
    if groups is None:
        groups = getattr(hidden_states, "sentence", None)
    labels = np.unique(np.arange(len(clouds[0])) if groups is None else groups, return_inverse=True)[1]
    group_of_point = _assign_groups(labels, n_groups, generator)
    quantile = float(student_t.ppf(0.975, n_groups - 1))

    rows = []
    for index, X in enumerate(clouds):
        logs = _log_scores(X, group_of_point, n_groups)
        logs["id_score"] = _log_id_scores(X, group_of_point, n_groups, n_queries, generator)
        for score in SCORES:
            value, error = logs[score][0], _jackknife_error(logs[score][1:])
            # Clip the upper end at 1 before the exponential, which may overflow for an extreme layer.
            low, high = (np.exp(value - quantile * error), np.exp(min(value + quantile * error, 0.0)))
            rows.append((index, score, np.exp(value), low, high, error, *X.shape, n_groups))
    columns = ["layer", "score", "value", "low", "high", "standard_error"]
    return pd.DataFrame(rows, columns=[*columns, "n_points", "n_dimensions", "n_groups"])


def _assign_groups(labels: Labels, n_groups: int, generator: np.random.Generator) -> Labels:
    """Assign labels at random to groups of nearly equal numbers, and return the group of every point."""
    group_of_label = np.arange(labels.max() + 1) % n_groups
    group_of_point: Labels = generator.permutation(group_of_label)[labels].astype(np.intp)
    return group_of_point


def _jackknife_error(replicates: Array) -> float:
    """Return the delete-a-group jackknife standard error, √((G − 1)/G · Σ(θ_g − θ̄)²)."""
    g = replicates.size
    finite = np.isfinite(replicates)
    if not finite.all():
        # A score that is 0 in every replicate does not vary; if it is 0 in some, its logarithm is unbounded.
        return 0.0 if not finite.any() else float("inf")
    return float(np.sqrt((g - 1) / g * np.sum((replicates - replicates.mean()) ** 2)))


def _log_scores(X: Array, groups: Labels, n_groups: int) -> dict[str, Array]:
    """Return the logarithms of all scores but the ID score, for the cloud and then without each group."""
    names = ("isoscore", "average_cosine_score", "partition_score", "varex_score")
    table: dict[str, list[float]] = {name: [] for name in names}
    n = X.shape[1]
    mean = X.mean(axis=0)
    for keep, scatter, total, units in _sums_without_each_group(X, mean, groups, n_groups):
        count = int(keep.sum())
        centered = scatter - np.outer(total, total) / count
        eigenvalues = np.linalg.eigvalsh(centered)[::-1].clip(min=0.0)
        ratio = eigenvalues.sum() ** 2 / (eigenvalues @ eigenvalues)
        table["isoscore"].append(_log(float((ratio - 1.0) / (n - 1.0))))
        table["varex_score"].append(_log(score_of_spectrum(eigenvalues, n_leading(0.3, n), n)))
        cosine = (float(units @ units) - count) / (count * (count - 1.0))
        table["average_cosine_score"].append(_log(1.0 - min(abs(cosine), 1.0)))
        # Compute XᵀX about the origin from sums about the mean.
        cross = np.outer(total, mean)
        second_moments = scatter + cross + cross.T + count * np.outer(mean, mean)
        table["partition_score"].append(log_score_over(X[keep], np.linalg.eigh(second_moments)[1]))
    return {name: np.array(values) for name, values in table.items()}


def _sums_without_each_group(
    X: Array, mean: Array, groups: Labels, n_groups: int
) -> Iterator[tuple[NDArray[np.bool_], Array, Array, Array]]:
    """Yield masks of points with three sums over them, for all points and then without each group.

    The sums are of outer products of centered points, of centered points, and of unit vectors.
    """
    centered = X - mean
    unit_vectors = X / np.linalg.norm(X, axis=1)[:, None]
    scatter, units = centered.T @ centered, unit_vectors.sum(axis=0)
    yield np.ones(len(X), dtype=bool), scatter, np.zeros(X.shape[1]), units
    for g in range(n_groups):
        omitted = groups == g
        y = centered[omitted]
        yield ~omitted, scatter - y.T @ y, -y.sum(axis=0), units - unit_vectors[omitted].sum(axis=0)


def _log(value: float) -> float:
    return float(np.log(value)) if value > 0.0 else float("-inf")


def _log_id_scores(
    X: Array,
    groups: Labels,
    n_groups: int,
    n_queries: int | None,
    generator: np.random.Generator,
) -> Array:
    """Return the ID score's logarithms, for the whole cloud and without each group, from one search.

    Duplicates of a point count once, as in `id_score`. A point that is in several groups remains when one of
    them is excluded. Twice the number of neighbors is searched for, so that enough remain without a group;
    for the few queries that lose more, the search is repeated among the remaining points.
    """
    n_neighbors = 20
    points, group_of_point = _distinct_points(X, groups)
    n_points, n = points.shape
    count = n_points if n_queries is None else min(n_queries, n_points)
    queries: Labels = np.arange(n_points, dtype=np.intp)
    if count < n_points:
        queries = generator.permutation(queries)[:count]
    n_searched = min(2 * n_neighbors, n_points - 1)
    distances, neighbors = nearest_others(points, queries, n_searched)

    values = [_log(min(1.0 / inverse_dimensions(distances[:, :n_neighbors]).mean() / n, 1.0))]
    for g in range(n_groups):
        query_remains = group_of_point[queries] != g
        neighbor_remains = group_of_point[neighbors[query_remains]] != g
        # Remaining neighbors come first, in order of distance.
        order = np.argsort(~neighbor_remains, axis=1, kind="stable")[:, :n_neighbors]
        kept_distances = np.take_along_axis(distances[query_remains], order, axis=1)
        too_few = neighbor_remains.sum(axis=1) < n_neighbors
        if too_few.any():
            others = np.flatnonzero(group_of_point != g)
            position = np.searchsorted(others, queries[query_remains][too_few]).astype(np.intp)
            kept_distances[too_few] = nearest_others(points[others], position, n_neighbors)[0]
        values.append(_log(min(1.0 / inverse_dimensions(kept_distances).mean() / n, 1.0)))
    return np.array(values)


def _distinct_points(X: Array, groups: Labels) -> tuple[Array, Labels]:
    """Return the distinct rows in order, each with its group, or −1 if several groups contain it."""
    rows = np.ascontiguousarray(X + 0.0)  # −0 and 0 are equal but have different bytes
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    lowest = np.full(first.size, np.iinfo(np.intp).max)
    highest = np.full(first.size, -1)
    np.minimum.at(lowest, inverse, groups)
    np.maximum.at(highest, inverse, groups)
    # The order of bytes depends on the last bits, so use the original order for a reproducible sample.
    order = np.argsort(first)
    return rows[first[order]], np.where(lowest == highest, lowest, -1)[order]
