"""Seven projection methods with explicit parameters, and projections computed in advance.

Parameters are those of the published pipeline if stated, and otherwise the defaults of scikit-learn and umap-learn,
passed explicitly because defaults have changed between versions.
"""

from __future__ import annotations

import hashlib
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from isotropy_lab._core import checks
from isotropy_report._extras import require
from reanalyses import records

FloatArray: TypeAlias = npt.NDArray[np.float64]

METHODS = ("random", "pca", "mds", "tsne", "umap", "isomap", "lle")
"""Methods that `compute` supports."""

INITS: Mapping[str, tuple[str, ...]] = {
    "mds": ("random", "classical"),
    "tsne": ("random", "pca"),
    "umap": ("random", "spectral"),
}
"""Initializations of the iterative methods; the first is the default and that of the published pipeline."""

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "random": {},
    "pca": {},
    "mds": {"n_init": 4, "max_iter": 300, "eps": 1e-6},
    "tsne": {"perplexity": 30.0, "early_exaggeration": 12.0, "max_iter": 1000, "angle": 0.5, "exact": False},
    "umap": {"n_neighbors": 15, "min_dist": 0.1, "n_epochs": 500},
    "isomap": {"n_neighbors": 15},
    "lle": {"n_neighbors": 5, "reg": 1e-3},
}
"""Parameters of each method that `compute` accepts, with their defaults."""

_PACKAGES = {"random": (), "umap": ("umap-learn", "pynndescent", "numba", "scikit-learn")}


@dataclass(frozen=True)
class Embedding:
    """A projection, with a record of its computation."""

    Y: FloatArray  #: The projection in float64; row i corresponds to row i of the data.
    parameters: Mapping[str, Any]  #: All parameters of the method.
    versions: Mapping[str, str]  #: Versions of Python and of the packages involved.
    seconds: float  #: Wall-clock time of the computation.
    #: Warnings of the libraries, such as a disconnected neighbor graph or a limit on iterations.
    warnings: tuple[str, ...]


def compute(
    X: checks.Points,
    method: str,
    *,
    seed: int | None = 0,
    init: str | None = None,
    **parameters: Any,
) -> Embedding:
    """Project data to two dimensions with one of seven methods, using explicit parameters and one thread.

    ========  ===========================================================================================
    random    uniform in the unit square, independent of the data: the floor of every comparison
    pca       the leading principal components
    mds       metric MDS by SMACOF: minimizes raw stress, the best of `n_init` starts
    tsne      t-SNE
    umap      UMAP; needs the package umap-learn
    isomap    classical MDS of path lengths in the graph of nearest neighbors
    lle       locally linear embedding
    ========  ===========================================================================================

    Scale the data first, with `preprocessing.prepare`. The position and orientation of a projection are arbitrary and
    so is, except for PCA, MDS, and Isomap, its size. The same seed gives the same projection only with the same
    versions on the same kind of machine. If a neighbor graph is disconnected, Isomap joins its components, and LLE
    gives a degenerate projection, whose points may coincide; `warnings` contains a message.
    """
    init = init or default_init(method)
    points = np.ascontiguousarray(checks.as_points(X, "X", min_points=3, min_dimensions=1), dtype=np.float64)
    options = {**PARAMETERS[method], **parameters, "n_components": 2}
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
        warnings.simplefilter("ignore", ImportWarning)  # umap-learn warns about a part that is not used
        Y = _PROJECTIONS[method](points, init, seed, options)
    seconds = time.perf_counter() - start
    Y = np.ascontiguousarray(Y, dtype=np.float64)
    warning_texts = (" ".join(str(warning.message).split()) for warning in caught)
    return Embedding(
        Y=Y,
        parameters=options,
        versions=_versions(method),
        seconds=seconds,
        warnings=tuple(dict.fromkeys(text.split(". ")[0].rstrip(".") for text in warning_texts)),
    )


def bundled(
    dataset: str, method: str, seed: int | None = 0, *, init: str | None = None, scaling: str = "minmax"
) -> FloatArray:
    """Return a bundled projection of the scaled data `datasets.load(dataset).X`.

    Stored as float32, it differs from the result of `compute` by a relative rounding error of 6e-8.
    """
    init = init or default_init(method)
    key = projection_key(scaling, method, init)
    seeds = provenance(dataset)["projections"][key]["seeds"]
    index = 0 if is_deterministic(method, init) else seeds.index(seed)
    with np.load(records.data_file("smelser2025", f"embeddings-{dataset}.npz"), allow_pickle=False) as stored:
        return np.asarray(stored[key][index], dtype=np.float64)


def available() -> dict[str, dict[str, list[int | None]]]:
    """Return the bundled projections: dataset → "scaling/method-init" → seeds, or [None] without seeds."""
    files = (path.name for path in records.data_file("smelser2025", "").glob("embeddings-*.json"))
    datasets = sorted(name.removeprefix("embeddings-").removesuffix(".json") for name in files)
    return {
        dataset: {key: facts["seeds"] for key, facts in provenance(dataset)["projections"].items()}
        for dataset in datasets
    }


def provenance(dataset: str) -> dict[str, Any]:
    """Return the record of a dataset's file of projections: source, license, hash, parameters, and versions."""
    return records.record("smelser2025", f"embeddings-{dataset}")


def fingerprint(X: checks.Points) -> str:
    """Return a hash of data rounded to six digits, which identifies the data of a stored projection.

    The hash is the same on every machine, unless rounding differs in the sixth digit.
    """
    points = np.asarray(checks.as_points(X, "X"), dtype=np.float64)
    largest = np.abs(points).max(initial=0.0) or 1.0
    # Shift the grid by a quarter, so that round numbers are not on the boundary of two cells.
    cells = np.floor(points / largest * 1e6 + 0.25).astype("<i8")
    return hashlib.sha256(str(points.shape).encode() + cells.tobytes()).hexdigest()[:32]


def projection_key(scaling: str, method: str, init: str | None) -> str:
    """Return the key of stored projections, such as "minmax/mds-random" or "none/pca"."""
    return f"{scaling}/{method}" if init is None else f"{scaling}/{method}-{init}"


def method_and_init(name: str) -> tuple[str, str | None]:
    """Return the method and the initialization for a name such as "mds-classical"; "mds" has the default one."""
    method, _, init = name.partition("-")
    return method, init or default_init(method)


def default_init(method: str) -> str | None:
    """Return the first of the initializations of a method, or None if it has none."""
    return next(iter(INITS.get(method, ())), None)


def is_deterministic(method: str, init: str | None) -> bool:
    """Return whether a method with this initialization uses no random numbers."""
    return method in ("pca", "isomap", "lle") or (method, init) == ("mds", "classical")


def _random(X: FloatArray, init: str | None, seed: int | None, options: Mapping[str, Any]) -> Any:
    return np.random.default_rng(seed).random((X.shape[0], options["n_components"]))


def _pca(X: FloatArray, init: str | None, seed: int | None, options: Mapping[str, Any]) -> Any:
    from sklearn.decomposition import PCA

    return PCA(n_components=options["n_components"], svd_solver="full").fit_transform(X)


def _mds(X: FloatArray, init: str | None, seed: int | None, options: Mapping[str, Any]) -> Any:
    from scipy.spatial.distance import pdist, squareform
    from sklearn.manifold import smacof

    fixed: dict[str, Any] = {"metric": True, "normalized_stress": False, "n_jobs": 1, "random_state": seed}
    if init == "classical":
        # Classical MDS of Euclidean distances equals PCA.
        fixed |= {"init": _pca(X, None, None, options), "n_init": 1}
    # Use the function, because the parameters of the estimator have changed between versions.
    return smacof(squareform(pdist(X)), **{**options, **fixed})[0]


def _tsne(X: FloatArray, init: str | None, seed: int | None, options: Mapping[str, Any]) -> Any:
    from sklearn.manifold import TSNE

    return TSNE(
        **{name: value for name, value in options.items() if name != "exact"},
        method="exact" if options["exact"] else "barnes_hut",
        learning_rate="auto",
        n_iter_without_progress=300,
        min_grad_norm=1e-7,
        metric="euclidean",
        init=init,
        random_state=seed,
        n_jobs=1,
    ).fit_transform(X)


def _umap(X: FloatArray, init: str | None, seed: int | None, options: Mapping[str, Any]) -> Any:
    umap = require("umap", "method 'umap' (bundled projections need nothing)", install="umap-learn")
    fixed = {"metric": "euclidean", "spread": 1.0, "init": init, "random_state": seed, "n_jobs": 1}
    return umap.UMAP(**options, **fixed).fit_transform(X)


def _isomap(X: FloatArray, init: str | None, seed: int | None, options: Mapping[str, Any]) -> Any:
    from sklearn.manifold import Isomap

    # The dense solver is deterministic, whereas the iterative one starts at random.
    fixed = {"eigen_solver": "dense", "path_method": "D", "neighbors_algorithm": "brute", "n_jobs": 1}
    return Isomap(**options, **fixed, metric="euclidean").fit_transform(X)


def _lle(X: FloatArray, init: str | None, seed: int | None, options: Mapping[str, Any]) -> Any:
    from scipy.sparse.csgraph import connected_components
    from sklearn.manifold import LocallyLinearEmbedding
    from sklearn.neighbors import kneighbors_graph

    n_components, _ = connected_components(
        kneighbors_graph(X, options["n_neighbors"], n_jobs=1), directed=False
    )
    if n_components > 1:
        warnings.warn(
            f"the graph of {options['n_neighbors']} nearest neighbors has {n_components} components, "
            "whose relative positions LLE cannot determine",
            stacklevel=1,
        )
    fixed = {"eigen_solver": "dense", "method": "standard", "neighbors_algorithm": "brute", "n_jobs": 1}
    Y = LocallyLinearEmbedding(**options, **fixed).fit_transform(X)
    # The sign of an eigenvector is arbitrary, so make its largest entry positive.
    signs = np.sign(Y[np.abs(Y).argmax(axis=0), np.arange(Y.shape[1])])
    return Y * np.where(signs == 0, 1.0, signs)


_PROJECTIONS: Mapping[str, Callable[[FloatArray, str | None, int | None, Mapping[str, Any]], Any]] = {
    "random": _random,
    "pca": _pca,
    "mds": _mds,
    "tsne": _tsne,
    "umap": _umap,
    "isomap": _isomap,
    "lle": _lle,
}


def _versions(method: str) -> dict[str, str]:
    packages = ("numpy", "scipy", *_PACKAGES.get(method, ("scikit-learn",)))
    python = {"python": ".".join(map(str, sys.version_info[:3]))}
    return python | {package: metadata.version(package) for package in packages}
