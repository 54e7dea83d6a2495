"""Pictures for experiments: those that are bundled, others computed; with the data that they are scored against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import pandas as pd
from isotropy_lab import _checks

from reanalyses.smelser2025 import datasets
from reanalyses.smelser2025.datasets import Dataset, embeddings, preprocessing
from reanalyses.smelser2025.datasets.embeddings import Embedding, FloatArray

__all__ = ["WELL_KNOWN", "Source", "dataset_of", "label", "picture", "pictures", "prepared", "with_labels"]

Source: TypeAlias = str | Dataset
"""A dataset by name, or the dataset itself."""

WELL_KNOWN = ("iris", "wine", "swiss-roll", "penguins", "auto-mpg", "s-curve")
"""The datasets of Table II that need no download."""

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


def label(method: str) -> str:
    """Return how a method is called in print.

    Examples
    --------
    >>> label("tsne")
    't-SNE'
    """
    return LABELS.get(method, method)


def with_labels(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which methods are called as in print.

    Returns a table: a new one.

    Examples
    --------
    >>> with_labels(pd.DataFrame({"order": ["mds < tsne"]}))["order"].tolist()
    ['MDS < t-SNE']
    """
    found = table.copy()
    for column in {"method", "first", "second", "order"} & set(table.columns):
        # rank_summary has shares in a column "second": numbers stay numbers.
        found[column] = [
            " < ".join(map(label, cell.split(" < "))) if isinstance(cell, str) else cell
            for cell in table[column]
        ]
    return found


def dataset_of(source: Source) -> Dataset:
    """Return a dataset given by itself or by its name.

    Examples
    --------
    >>> dataset_of("iris").X.shape
    (149, 4)
    """
    return source if isinstance(source, Dataset) else datasets.load(source)


def prepared(
    source: Source, *, preprocess: str = "consistent", scaling: str | None = None
) -> preprocessing.Prepared:
    """Return the data of a dataset to project and those to score a picture against.

    Returns with fields `embedding` and `scoring`.

    Examples
    --------
    >>> float(prepared("iris").scoring.max())
    1.0
    """
    return preprocessing.prepare(dataset_of(source).X, preprocess=preprocess, scaling=scaling)


def picture(
    source: Source,
    method: str,
    *,
    seed: int = 0,
    init: str | None = None,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> Embedding:
    """Return a picture of a dataset: the bundled one if there is one of just these data, else computed now.

    Examples
    --------
    >>> picture("iris", "mds", seed=2).seed
    2
    """
    found = dataset_of(source)
    expected = preprocessing.embedding_scaling(preprocess, scaling)
    data = preprocessing.prepare(found.X, preprocess=preprocess, scaling=scaling).embedding
    return _picture(found.name, data, expected, _bundled(found.name, data, expected), method, init, seed)


def pictures(
    source: Source,
    methods: Sequence[str],
    *,
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return the data to score against and pictures of them by several methods.

    Returns by the names given.

    Examples
    --------
    >>> X, found = pictures("iris", ("pca", "mds-classical"))
    >>> X.shape, list(found)
    ((149, 4), ['pca', 'mds-classical'])
    """
    methods = _checks.check_several(methods, "methods", "names of projection methods")
    found = dataset_of(source)
    expected = preprocessing.embedding_scaling(preprocess, scaling)
    data = preprocessing.prepare(found.X, preprocess=preprocess, scaling=scaling)
    known = _bundled(found.name, data.embedding, expected)
    named = {}
    for name in methods:
        method, _, init = name.partition("-")
        named[name] = _picture(found.name, data.embedding, expected, known, method, init or None, seed).Y
    return data.scoring, named


def _bundled(name: str, data: FloatArray, scaling: str) -> dict[str, list[int | None]]:
    """Return the bundled pictures of just these data, by kind, with their seeds."""
    kinds = embeddings.available().get(name, {})
    # By the name alone a dataset with other rows would get the pictures of the usual ones.
    if kinds and embeddings.provenance(name)["data"].get(scaling) == embeddings.fingerprint(data):
        return kinds
    return {}


def _picture(
    name: str,
    data: FloatArray,
    scaling: str,
    known: dict[str, list[int | None]],
    method: str,
    init: str | None,
    seed: int,
) -> Embedding:
    start = init or next(iter(embeddings.INITS.get(method, (None,))))
    seeds = known.get(embeddings.picture_key(scaling, method, start))
    if seeds is not None and (seeds == [None] or seed in seeds):
        return embeddings.bundled(name, method, seed, init=init, scaling=scaling)
    return embeddings.compute(data, method, seed=seed, init=init)
