"""Causes of the results of Smelser et al. (2025): units, seeds, and the stress of the earlier survey."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.spatial.distance import pdist
from scipy.stats import kendalltau

from isotropy_lab._core import checks
from isotropy_lab.projection import (
    affinities,
    normalized_stress,
    scale_normalized_kl,
    scale_normalized_stress,
)
from reanalyses.smelser2025 import datasets, reported_numbers
from reanalyses.smelser2025.datasets import embeddings, preprocessing
from reanalyses.smelser2025.experiments.comparisons import baseline_table
from reanalyses.smelser2025.experiments.projection_sets import WELL_KNOWN, Projections

__all__ = [
    "compare_refits",
    "leading_columns",
    "min_max_stress",
    "reported_agreement",
    "table_3_range",
    "units_example",
]

Array = npt.NDArray[np.float64]


def units_example() -> tuple[Array, dict[str, Array], pd.DataFrame]:
    """Score two projections of a rectangle, whose sides have different units, against scaled and raw data.

    The data are scaled to a square for "both columns"; for "second column only", corners that differ in the
    first column coincide. The table contains scale-normalized stress against the scaled and against the raw
    data.
    """
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1000.0], [1.0, 1000.0]])
    scaled, raw = preprocessing.prepare(X, preprocess="as-published")
    projections = {"both columns": scaled, "second column only": scaled * [0.0, 1.0]}
    rows = [
        (name, scale_normalized_stress(scaled, Y), scale_normalized_stress(raw, Y))
        for name, Y in projections.items()
    ]
    return (X, projections, pd.DataFrame(rows, columns=["projection", "consistent", "as_published"]))


def leading_columns() -> pd.DataFrame:
    """Return the column that dominates raw squared distances, and the largest fraction after scaling.

    The mean squared distance over all pairs is twice the sum of the column variances.
    """
    rows = []
    for dataset in map(datasets.load, WELL_KNOWN):
        scaled, raw = preprocessing.prepare(dataset.X, preprocess="as-published")
        raw_fractions, scaled_fractions = (X.var(axis=0) / X.var(axis=0).sum() for X in (raw, scaled))
        column = dataset.feature_names[int(raw_fractions.argmax())]
        rows.append((dataset.name, column, float(raw_fractions.max()), float(scaled_fractions.max())))
    return pd.DataFrame(rows, columns=["dataset", "column", "raw", "scaled"])


def compare_refits(data: Projections) -> pd.DataFrame:
    """Recompute the projections for the first seed, and compare them with the given ones.

    ``difference`` is the normalized stress between the two: 0 if they differ only by position and orientation.
    """
    seed = next(iter(data.by_seed))
    P = affinities(data.X, perplexity=30.0)
    rows = []
    for name, stored in data.Y.items():
        method, init = embeddings.method_and_init(name)
        refitted = embeddings.compute(data.projected, method, seed=seed, init=init).Y
        versions = {"bundled": stored, "refitted": refitted}
        row: dict[str, object] = {"method": name, "difference": normalized_stress(stored, refitted)}
        row |= {f"sns_{version}": scale_normalized_stress(data.X, Y) for version, Y in versions.items()}
        for version, Y in versions.items():
            row[f"snkl_{version}"] = scale_normalized_kl(P, Y, metric="affinities").value
        rows.append(row)
    return pd.DataFrame(rows)


def table_3_range(consistent: pd.DataFrame, as_published: pd.DataFrame) -> pd.DataFrame:
    """Return the range of Table III for all datasets that is possible given our results on some of them.

    ``least`` and ``most`` are the percentages of all trials if the method never or always precedes MDS on the
    missing datasets.
    """
    keys = ["method", "scale", "measure"]
    published_percentages = baseline_table(as_published).rename(columns={"percent": "as_published"})
    consistent_percentages = baseline_table(consistent).rename(columns={"percent": "consistent"})[
        [*keys, "consistent"]
    ]
    n_datasets, n_here = 24, int(as_published["dataset"].nunique())
    table = consistent_percentages.merge(published_percentages, on=keys)
    table["least"] = table["as_published"] * n_here / n_datasets
    table["most"] = table["least"] + 100.0 * (n_datasets - n_here) / n_datasets
    return table[[*keys, "consistent", "as_published", "least", "most", "printed"]]


def min_max_stress(X: checks.Points, Y: checks.Points, *, squared: bool = False) -> float:
    """Return the stress between min–max scaled distances, as computed in the survey.

    The survey of Espadoto et al. (2021) subtracts the smallest distance and divides by the range, for data
    and projection, before it computes normalized stress.
    """
    distances = (pdist(X), pdist(Y))
    d, e = ((values - values.min()) / np.ptp(values) for values in distances)
    value = float(((d - e) ** 2).sum() / (d**2).sum())
    return value if squared else math.sqrt(value)


def reported_agreement() -> pd.DataFrame:
    """Compare the ranks of methods by the survey's reported stress with those by NS and SNS."""
    rows = []
    for dataset, scores in reported_numbers.survey_scores().groupby("dataset"):
        reported = scores["survey_stress"]
        rankings = [scores[name].rank() for name in ("normalized_stress", "sns_rank")]
        taus = [float(kendalltau(reported, ranks)[0]) for ranks in rankings]
        are_equal = [bool((reported.rank() == ranks).all()) for ranks in rankings]
        rows.append((dataset, *taus, *are_equal, float(reported.max())))
    names = ["dataset", "with_ns", "with_sns", "same_as_ns", "same_as_sns", "largest"]
    return pd.DataFrame(rows, columns=names)
