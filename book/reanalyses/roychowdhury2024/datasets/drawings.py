"""The YANG definitions drawn in the plane: MiniLM's embeddings and three projections, computed beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from reanalyses import records
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets.text_collections import collection

__all__ = ["FILE", "STARTS", "Drawings", "load"]

FILE = "projections-yang"
"""The name of the file and its record, without the suffix."""

STARTS = {"pca": None, "mds": "classical", "tsne": "pca"}
"""The methods, and where those that iterate start."""


@dataclass(frozen=True)
class Drawings:
    """Embeddings of texts and their projections to the plane; the experiments of `smelser2025` take them, too."""

    X: npt.NDArray[np.float64]  #: Unit vectors, float64: what was projected.
    #: The projections by method, and "random": uniform in the unit square, whatever the texts.
    Y: dict[str, npt.NDArray[np.float64]]
    #: texts, modules: each definition, and the YANG module that it is from.
    texts: tuple[str, ...]
    modules: tuple[str, ...]

    def every(self, step: int) -> Drawings:
        """Return every so many-th text with its points, for what takes long with all of them."""
        Y = {method: points[::step] for method, points in self.Y.items()}
        return Drawings(self.X[::step], Y, self.texts[::step], self.modules[::step])


@lru_cache(maxsize=1)
def load() -> Drawings:
    """Load the embeddings of the YANG definitions by MiniLM, projected by PCA, MDS, t-SNE, and at random."""
    definitions = collection("yang")
    X = encoders.load("MiniLM", "yang").documents[0].astype(np.float64)
    with np.load(records.data_file("roychowdhury2024", f"{FILE}.npz"), allow_pickle=False) as stored:
        Y = {method: stored[method].astype(np.float64) for method in STARTS}
    Y["random"] = np.random.default_rng(0).random((len(X), 2))
    modules = tuple(place.partition(" ")[0] for place in definitions.places)
    return Drawings(X, Y, definitions.documents, modules)
