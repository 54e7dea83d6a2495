"""Stored scores of the bundled projections, which claims and errata read instead of recomputing them.

`scripts/make_projection_scores.py` stores the results of `compute_scores` and `compute_noise`, which `scores`
and `noise` read. A test recomputes parts of both.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist, squareform

from isotropy_lab.projection import affinities, kl_divergence, scale_normalized_kl
from reanalyses.records import data_file
from reanalyses.smelser2025.datasets import embeddings
from reanalyses.smelser2025.experiments import (
    SIX,
    Projections,
    noise_correlations,
    projection_scores,
    projections,
    sensitivity,
)

#: Methods whose projections are scored: those of Table III, LLE of Table VI, and MDS from the classical solution.
METHODS = (*SIX, "lle", "mds-classical")
SEEDS = tuple(range(10))
#: Datasets to whose projections noise is added, and its amount in the last step, in standard deviations of these.
NOISY_DATASETS = ("iris", "wine", "penguins", "auto-mpg")
NOISE_LEVELS = (0.05, 0.25, 1.0)
#: Counts and Booleans, which are read as floats like the other columns.
COUNT_COLUMNS = ("minima", "at_zero", "at_infinity")


def compute_scores(
    name: str, *, preprocess: str, methods: Sequence[str] = METHODS, seeds: Sequence[int] = SEEDS
) -> pd.DataFrame:
    """Compute the scores of a dataset's projections: the measures of Tables III to V, and curves of divergence.

    The measures are those of `projection_scores`; ``kl_far`` is the divergence at a hundred times the size
    with a median distance of 1, and ``bend`` half the second derivative at 0 over the mean squared distance,
    by equation (10).
    """
    data = projections(name, methods, seeds=seeds, preprocess=preprocess)
    return projection_scores(data).merge(_curve_summaries(data), on=["dataset", "method", "seed"])


def _curve_summaries(data: Projections) -> pd.DataFrame:
    P = affinities(data.X)
    p = 2.0 * squareform(P, checks=False)
    rows = []
    curves: dict[int, dict[str, float]] = {}
    for seed, projections_of_seed in data.by_seed.items():
        for method, Y in projections_of_seed.items():
            if id(Y) not in curves:
                normalized = scale_normalized_kl(P, Y, metric="affinities")
                e2 = pdist(Y, "sqeuclidean")
                far_scale = 100.0 / float(np.sqrt(np.median(e2)))
                curves[id(Y)] = {
                    "kl_0": kl_divergence(P, Y, scale=0.0, metric="affinities"),
                    "kl_inf": kl_divergence(P, Y, kernel="inverse-square", metric="affinities"),
                    "kl_far": kl_divergence(P, Y, scale=far_scale, metric="affinities"),
                    "minima": normalized.n_minima,
                    "at_zero": int(normalized.at_zero),
                    "at_infinity": int(normalized.at_infinity),
                    "bend": float(p @ e2) / float(e2.mean()) - 1.0,
                }
            rows.append({"dataset": data.dataset.name, "method": method, "seed": seed, **curves[id(Y)]})
    return pd.DataFrame(rows)


def compute_noise(name: str, method: str, *, preprocess: str, noise: float) -> pd.DataFrame:
    """Add noise to a projection (seed 0) in fifty steps, and correlate each measure with the step number.

    There is one row per measure: dataset, method, measure, pearson, and the values without noise and with
    all of it.
    """
    seed = zlib.crc32(f"{name} {method}".encode())  # a separate stream for each projection
    table = sensitivity(projections(name, (method,), preprocess=preprocess), noise=noise, rng=seed)
    ends = table[table["step"].isin([0, 50])].pivot(index="measure", columns="step", values="value")
    correlations = noise_correlations(table).drop(columns="spearman")
    return correlations.assign(
        without_noise=ends[0].loc[correlations["measure"]].to_numpy(),
        with_all_noise=ends[50].loc[correlations["measure"]].to_numpy(),
    )


@lru_cache(maxsize=1)
def _stored_scores() -> pd.DataFrame:
    table = pd.read_csv(data_file("smelser2025", "scores.csv"))
    deterministic = [m for m in METHODS if embeddings.is_deterministic(*embeddings.method_and_init(m))]
    # Results that do not depend on the seed are stored once, for all seeds.
    without_seed = table[table["method"].isin(deterministic)]
    with_seeds = [without_seed.assign(seed=seed) for seed in SEEDS[1:]]
    return pd.concat([table, *with_seeds], ignore_index=True)


def scores(preprocess: str = "consistent", *, methods: Sequence[str] = SIX) -> pd.DataFrame:
    """Return the scores of projections of six datasets from ten seeds, as computed by `compute_scores`.

    The reference is the projected data or, with ``preprocess="as-published"``, the raw data.
    """
    table = _stored_scores()
    rows = table[(table["preprocess"] == preprocess) & table["method"].isin(list(methods))]
    return rows.drop(columns="preprocess").astype(dict.fromkeys(COUNT_COLUMNS, float)).reset_index(drop=True)


def noise(preprocess: str = "consistent", level: float = 0.25) -> pd.DataFrame:
    """Return the correlations with noise for four datasets and six methods, as computed by `compute_noise`."""
    table = pd.read_csv(data_file("smelser2025", "noise.csv"))
    rows = table[(table["preprocess"] == preprocess) & (table["noise"] == level)]
    return rows.drop(columns=["preprocess", "noise"]).reset_index(drop=True)
