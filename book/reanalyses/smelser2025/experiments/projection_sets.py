"""Projections of a dataset, bundled or computed, with the data for scoring; display names of methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import pandas as pd

from reanalyses.smelser2025 import datasets
from reanalyses.smelser2025.datasets import Dataset, embeddings, preprocessing
from reanalyses.smelser2025.datasets.embeddings import FloatArray

__all__ = [
    "SIX",
    "THREE",
    "WELL_KNOWN",
    "Projections",
    "Source",
    "label",
    "projections",
    "with_labels",
]

Source: TypeAlias = str | Dataset
"""A dataset by name, or the dataset itself."""

WELL_KNOWN = ("iris", "wine", "swiss-roll", "penguins", "auto-mpg", "s-curve")
"""Datasets of Table II that require no download."""

THREE = ("mds", "tsne", "random")
"""Methods that the paper's figures compare."""

SIX = ("mds", "tsne", "umap", "pca", "isomap", "random")
"""Methods of Table III."""

LABELS = {
    "random": "random",
    "pca": "PCA",
    "mds": "MDS",
    "tsne": "t-SNE",
    "umap": "UMAP",
    "isomap": "Isomap",
    "lle": "LLE",
    "mds-classical": "MDS from classical",
    "tsne-pca": "t-SNE from PCA",
    "umap-spectral": "UMAP from spectral",
}


@dataclass(frozen=True, repr=False)
class Projections:
    """Projections of one dataset by several methods, with the data to score them against."""

    dataset: Dataset  #: Dataset with its raw data.
    scaling: str  #: Scaling of the data before projection; see `preprocessing.prepare`.
    projected: FloatArray  #: Scaled data that the methods projected.
    #: Data for scoring: `projected`, or the raw data as in the published pipeline.
    X: FloatArray
    #: Projections by seed and method. A method without random numbers has the same array for all seeds.
    by_seed: Mapping[int, Mapping[str, FloatArray]]

    @property
    def Y(self) -> Mapping[str, FloatArray]:
        """Projections from the first seed, by method."""
        return next(iter(self.by_seed.values()))


def projections(
    source: Source,
    methods: Sequence[str] = THREE,
    *,
    seeds: Sequence[int] = (0,),
    preprocess: str = "consistent",
    scaling: str = "minmax",
) -> Projections:
    """Return bundled projections of a dataset if its data match, and computed ones otherwise.

    The name of a method may include its initialization: "mds-classical", "tsne-pca". `preprocess` and `scaling`
    are those of `preprocessing.prepare`.
    """
    dataset = datasets.load(source) if isinstance(source, str) else source
    data = preprocessing.prepare(dataset.X, preprocess=preprocess, scaling=scaling)
    bundled_seeds = embeddings.available().get(dataset.name, {})
    # Compare the data, since a dataset with the same name may have other rows.
    fingerprint = embeddings.provenance(dataset.name)["data"].get(scaling) if bundled_seeds else None
    if fingerprint != embeddings.fingerprint(data.embedding):
        bundled_seeds = {}
    deterministic: dict[str, FloatArray] = {}
    by_seed: dict[int, dict[str, FloatArray]] = {}
    for seed in seeds:
        by_seed[seed] = {}
        for name in methods:
            method, init = embeddings.method_and_init(name)
            Y = deterministic.get(name)
            if Y is None:
                known_seeds = bundled_seeds.get(embeddings.projection_key(scaling, method, init), [])
                if known_seeds == [None] or seed in known_seeds:
                    Y = embeddings.bundled(dataset.name, method, seed, init=init, scaling=scaling)
                else:
                    Y = embeddings.compute(data.embedding, method, seed=seed, init=init).Y
            if embeddings.is_deterministic(method, init):
                deterministic[name] = Y
            by_seed[seed][name] = Y
    return Projections(dataset, scaling, data.embedding, data.scoring, by_seed)


def as_tuple(several: Projections | Iterable[Projections]) -> tuple[Projections, ...]:
    """Return projections of one or several datasets as a tuple."""
    if isinstance(several, Projections):
        return (several,)
    return tuple(several)


def label(method: str) -> str:
    """Return the display name of a method, such as "t-SNE" for "tsne"."""
    return LABELS.get(method, method)


def with_labels(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with display names of methods in columns of names and orders.

    >>> with_labels(pd.DataFrame({"order": ["mds < tsne"]}))["order"].tolist()
    ['MDS < t-SNE']
    """
    labeled = table.copy()
    for column in {"method", "first", "second", "order"} & set(table.columns):
        # The column "second" of rank_summary contains percentages and must remain numeric.
        labeled[column] = [
            " < ".join(map(label, cell.split(" < "))) if isinstance(cell, str) else cell
            for cell in table[column]
        ]
    return labeled
