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
    project, raw = preprocessing.prepare(X, preprocess="as-published")
    named = {"both columns": project, "second column only": project * [0.0, 1.0]}
    rows = [
        (name, scale_normalized_stress(project, Y), scale_normalized_stress(raw, Y))
        for name, Y in named.items()
    ]
    return (X, named, pd.DataFrame(rows, columns=["projection", "consistent", "as_published"]))


def leading_columns() -> pd.DataFrame:
    """Return the column that dominates raw squared distances, and the largest fraction after scaling.

    The mean squared distance over all pairs is twice the sum of the column variances.
    """
    rows = []
    for dataset in map(datasets.load, WELL_KNOWN):
        project, raw = preprocessing.prepare(dataset.X, preprocess="as-published")
        fractions = []
        for X in (raw, project):
            variance = X.var(axis=0)
            fractions.append(variance / variance.sum())
        largest = int(fractions[0].argmax())
        column, raw_fraction = dataset.feature_names[largest], float(fractions[0][largest])
        rows.append((dataset.name, column, raw_fraction, float(fractions[1].max())))
    return pd.DataFrame(rows, columns=["dataset", "column", "raw", "scaled"])


def compare_refits(data: Projections) -> pd.DataFrame:
    """Recompute the projections for the first seed, and compare them with the given ones.

    ``difference`` is 0 if they differ only by position and orientation.
    """
    seed = next(iter(data.by_seed))
    P = affinities(data.X, perplexity=30.0)
    rows = []
    for name, stored in data.Y.items():
        method, init = embeddings.method_and_init(name)
        new = embeddings.compute(data.projected, method, seed=seed, init=init).Y
        both = {"bundled": stored, "refitted": new}
        row: dict[str, object] = {"method": name, "difference": normalized_stress(stored, new)}
        row |= {f"sns_{which}": scale_normalized_stress(data.X, Y) for which, Y in both.items()}
        row |= {
            f"snkl_{which}": scale_normalized_kl(P, Y, metric="affinities").value for which, Y in both.items()
        }
        rows.append(row)
    return pd.DataFrame(rows)


def table_3_range(consistent: pd.DataFrame, as_published: pd.DataFrame) -> pd.DataFrame:
    """Return the range of Table III, given results on some datasets and any results on the others.

    ``least`` and ``most`` are the percentages of all trials if the method never or always precedes MDS on the
    missing datasets.
    """
    keys = ["method", "scale", "measure"]
    counted = baseline_table(as_published).rename(columns={"percent": "as_published"})
    found = baseline_table(consistent).rename(columns={"percent": "consistent"})[[*keys, "consistent"]]
    n_datasets, here = 24, int(as_published["dataset"].nunique())
    table = found.merge(counted, on=keys)
    table["least"] = table["as_published"] * here / n_datasets
    table["most"] = table["least"] + 100.0 * (n_datasets - here) / n_datasets
    return table[[*keys, "consistent", "as_published", "least", "most", "printed"]]


def min_max_stress(X: checks.Points, Y: checks.Points, *, squared: bool = False) -> float:
    """Return the stress between distances mapped to [0, 1], computed as in the survey.

    The survey of Espadoto et al. (2021) subtracts the smallest distance and divides by the range, for data
    and projection, before it computes normalized stress.
    """
    distances = (pdist(X), pdist(Y))
    high, low = ((d - d.min()) / np.ptp(d) for d in distances)
    value = float(((high - low) ** 2).sum() / (high**2).sum())
    return value if squared else math.sqrt(value)


def reported_agreement() -> pd.DataFrame:
    """Compare the ranks of methods by the survey's reported stress with those by NS and SNS."""
    rows = []
    for dataset, part in reported_numbers.survey_scores().groupby("dataset"):
        reported = part["survey_stress"]
        others = [part[name].rank() for name in ("normalized_stress", "sns_rank")]
        taus = [float(kendalltau(reported, other)[0]) for other in others]
        same = [bool((reported.rank() == other).all()) for other in others]
        rows.append((dataset, *taus, *same, float(reported.max())))
    names = ["dataset", "with_ns", "with_sns", "same_as_ns", "same_as_sns", "largest"]
    return pd.DataFrame(rows, columns=names)
