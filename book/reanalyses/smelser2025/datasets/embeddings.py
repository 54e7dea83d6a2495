"""Seven projection methods with explicit parameters, and projections computed in advance.

Parameters are those of the published pipeline if stated, and otherwise the defaults of scikit-learn and umap-learn,
passed explicitly because defaults have changed between versions.
"""

from __future__ import annotations

import hashlib
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from isotropy_lab._core import checks
from isotropy_lab.projection._checks import check_perplexity
from isotropy_report._extras import require
from reanalyses import records

__all__ = ["INITS", "METHODS", "PARAMETERS", "Embedding", "available", "bundled", "compute", "fingerprint"]

FloatArray: TypeAlias = npt.NDArray[np.float64]

METHODS = ("random", "pca", "mds", "tsne", "umap", "isomap", "lle")
"""Methods that `compute` supports."""

INITS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"mds": ("random", "classical"), "tsne": ("random", "pca"), "umap": ("random", "spectral")}
)
"""Initializations of the iterative methods; the first is the default and that of the published pipeline."""

PARAMETERS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "random": MappingProxyType({}),
        "pca": MappingProxyType({}),
        "mds": MappingProxyType({"n_init": 4, "max_iter": 300, "eps": 1e-6}),
        "tsne": MappingProxyType(
            {"perplexity": 30.0, "early_exaggeration": 12.0, "max_iter": 1000, "angle": 0.5, "exact": False}
        ),
        "umap": MappingProxyType({"n_neighbors": 15, "min_dist": 0.1, "n_epochs": 500}),
        "isomap": MappingProxyType({"n_neighbors": 15}),
        "lle": MappingProxyType({"n_neighbors": 5, "reg": 1e-3}),
    }
)
"""Parameters of each method that `compute` accepts, with their defaults."""

_PACKAGES = {"random": (), "umap": ("umap-learn", "pynndescent", "numba", "scikit-learn")}


@dataclass(frozen=True)
class Embedding:
    """A projection, with the method that produced it."""

    Y: FloatArray  #: The projection in float64; row i corresponds to row i of the data.
    method: str  #: One of `METHODS`.
    #: Initialization of an iterative method, one of `INITS`; None for other methods.
    init: str | None
    seed: int | None  #: Random seed; None if the method uses no random numbers.
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
    n_components: int = 2,
    **parameters: Any,
) -> Embedding:
    """Project data with one of seven methods, using explicit parameters and one thread.

    ========  ===========================================================================================
    random    uniform in the unit square, whatever the data: the floor of every comparison
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
    start = _start(init, method, INITS.get(method, ()))
    _check_parameters(parameters, tuple(PARAMETERS[method]), method)
    points = np.ascontiguousarray(checks.as_points(X, "X", min_points=3, min_dimensions=1), dtype=np.float64)
    chosen = {**PARAMETERS[method], **parameters, "n_components": n_components}
    if method == "tsne":
        chosen["perplexity"] = check_perplexity(chosen["perplexity"], len(points))
    used: int | None = None
    if not is_deterministic(method, start):
        used = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed

    points = _about_mean(points, method)

    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
        warnings.simplefilter("ignore", ImportWarning)  # umap-learn warns about a part that is not used
        Y = _PROJECTIONS[method](points, start, used, chosen)
    seconds = time.perf_counter() - began
    Y = np.ascontiguousarray(Y, dtype=np.float64)
    return Embedding(
        Y=Y,
        method=method,
        init=start,
        seed=used,
        parameters=MappingProxyType(chosen),
        versions=MappingProxyType(_versions(method)),
        seconds=seconds,
        warnings=tuple(dict.fromkeys(_first_sentence(w) for w in caught)),
    )


def bundled(
    dataset: str, method: str, seed: int | None = 0, *, init: str | None = None, scaling: str = "minmax"
) -> Embedding:
    """Return a bundled projection of the scaled `datasets.load(dataset).X`.

    Stored as float32, it differs from the result of `compute` by a relative rounding error of 6e-8.
    """
    start = _start(init, method, INITS.get(method, ()))
    record = provenance(dataset)
    key = projection_key(scaling, method, start)
    facts = record["projections"][key]
    seeds = facts["seeds"]
    if is_deterministic(method, start):
        place = 0
    elif seed in seeds:
        place = seeds.index(seed)
    else:
        raise ValueError(f"seed is {seed}; expected one of the bundled seeds {', '.join(map(str, seeds))}")
    with np.load(records.data_file("smelser2025", f"embeddings-{dataset}.npz"), allow_pickle=False) as stored:
        Y = stored[key][place].astype(np.float64)
    return Embedding(
        Y=Y,
        method=method,
        init=start,
        seed=seeds[place],
        parameters=MappingProxyType(dict(facts["parameters"])),
        versions=MappingProxyType(dict(facts["versions"])),
        seconds=float(facts["seconds"][place]),
        warnings=tuple(facts["warnings"][place]),
    )


def available() -> dict[str, dict[str, list[int | None]]]:
    """Return the bundled projections: dataset → "scaling/method-init" → seeds, or [None] without seeds."""
    return {
        dataset: {key: facts["seeds"] for key, facts in provenance(dataset)["projections"].items()}
        for dataset in _bundled_datasets()
    }


def provenance(dataset: str) -> dict[str, Any]:
    """Return the record of a file of projections: source, license, hash, parameters, and versions."""
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


def _bundled_datasets() -> list[str]:
    found = (path.name for path in records.data_file("smelser2025", "").glob("embeddings-*.json"))
    return sorted(name.removeprefix("embeddings-").removesuffix(".json") for name in found)


def is_deterministic(method: str, init: str | None) -> bool:
    """Return whether a method with this initialization uses no random numbers."""
    return method in ("pca", "isomap", "lle") or (method, init) == ("mds", "classical")


def _about_mean(points: FloatArray, method: str) -> FloatArray:
    """Return the points, centered if a large offset would cost digits that libraries need."""
    if method == "random":
        return points
    with np.errstate(over="ignore"):
        apart = points - points[0]
    spread = float(np.abs(apart).max())
    return apart - apart.mean(axis=0) if float(np.abs(points).max()) > 1e3 * spread else points


def _random(X: FloatArray, init: str | None, seed: int | None, chosen: Mapping[str, Any]) -> FloatArray:
    return np.random.default_rng(seed).random((X.shape[0], chosen["n_components"]))


def _pca(X: FloatArray, init: str | None, seed: int | None, chosen: Mapping[str, Any]) -> FloatArray:
    from sklearn.decomposition import PCA

    Y: FloatArray = PCA(n_components=chosen["n_components"], svd_solver="full").fit_transform(X)
    return Y


def _mds(X: FloatArray, init: str | None, seed: int | None, chosen: Mapping[str, Any]) -> FloatArray:
    from scipy.spatial.distance import pdist, squareform
    from sklearn.manifold import smacof

    t = chosen["n_components"]
    start = None
    if init == "classical":
        # Classical MDS of Euclidean distances equals PCA; additional dimensions are zero.
        k = min(t, *X.shape)
        start = np.zeros((X.shape[0], t))
        start[:, :k] = _pca(X, None, None, {"n_components": k})
    # Use the function, because the parameters of the estimator have changed between versions.
    Y: FloatArray
    Y, _ = smacof(
        squareform(pdist(X)), metric=True, n_components=t, init=start, n_init=1 if start is not None else chosen["n_init"],
        n_jobs=1, max_iter=chosen["max_iter"], eps=chosen["eps"], random_state=seed, normalized_stress=False,
    )  # fmt: skip
    return Y


def _tsne(X: FloatArray, init: str | None, seed: int | None, chosen: Mapping[str, Any]) -> FloatArray:
    from sklearn.manifold import TSNE

    Y: FloatArray = TSNE(
        n_components=chosen["n_components"],
        perplexity=chosen["perplexity"],
        early_exaggeration=chosen["early_exaggeration"],
        learning_rate="auto",
        max_iter=chosen["max_iter"],
        n_iter_without_progress=300,
        min_grad_norm=1e-7,
        metric="euclidean",
        init=init,
        random_state=seed,
        method="exact" if chosen["exact"] else "barnes_hut",
        angle=chosen["angle"],
        n_jobs=1,
    ).fit_transform(X)
    return Y


def _umap(X: FloatArray, init: str | None, seed: int | None, chosen: Mapping[str, Any]) -> FloatArray:
    umap = require("umap", "method 'umap' (bundled projections need nothing)", install="umap-learn")
    Y: FloatArray = umap.UMAP(
        n_neighbors=chosen["n_neighbors"],
        n_components=chosen["n_components"],
        metric="euclidean",
        n_epochs=chosen["n_epochs"],
        min_dist=chosen["min_dist"],
        spread=1.0,
        init=init,
        random_state=seed,
        n_jobs=1,
    ).fit_transform(X)
    return Y


def _isomap(X: FloatArray, init: str | None, seed: int | None, chosen: Mapping[str, Any]) -> FloatArray:
    from sklearn.manifold import Isomap

    # The dense solver is deterministic, whereas the iterative one starts at random.
    Y: FloatArray = Isomap(
        n_neighbors=chosen["n_neighbors"],
        n_components=chosen["n_components"],
        eigen_solver="dense",
        path_method="D",
        neighbors_algorithm="brute",
        metric="euclidean",
        n_jobs=1,
    ).fit_transform(X)
    return Y


def _lle(X: FloatArray, init: str | None, seed: int | None, chosen: Mapping[str, Any]) -> FloatArray:
    from scipy.sparse.csgraph import connected_components
    from sklearn.manifold import LocallyLinearEmbedding
    from sklearn.neighbors import kneighbors_graph

    pieces, _ = connected_components(kneighbors_graph(X, chosen["n_neighbors"], n_jobs=1), directed=False)
    if pieces > 1:
        warnings.warn(
            f"the graph of {chosen['n_neighbors']} nearest neighbors has {pieces} components, "
            "whose relative positions LLE cannot determine",
            stacklevel=1,
        )
    Y: FloatArray = LocallyLinearEmbedding(
        n_neighbors=chosen["n_neighbors"],
        n_components=chosen["n_components"],
        reg=chosen["reg"],
        eigen_solver="dense",
        method="standard",
        neighbors_algorithm="brute",
        n_jobs=1,
    ).fit_transform(X)
    # The sign of an eigenvector is arbitrary, so make its largest entry positive.
    signs = np.sign(Y[np.abs(Y).argmax(axis=0), np.arange(Y.shape[1])])
    return Y * np.where(signs == 0, 1.0, signs)


_PROJECTIONS: Mapping[str, Callable[[FloatArray, str | None, int | None, Mapping[str, Any]], FloatArray]] = {
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
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    return found | {package: metadata.version(package) for package in packages}


def _first_sentence(warning: warnings.WarningMessage) -> str:
    return " ".join(str(warning.message).split()).split(". ")[0].rstrip(".")


def _check_parameters(given: Iterable[str], known: Sequence[str], method: str) -> None:
    """Raise TypeError for parameters that a projection method does not have."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        listed = ", ".join(known) if known else "none"
        raise TypeError(
            f"parameters includes {', '.join(map(repr, unknown))}; expected parameters of the method {method!r}: {listed}"
        )


def _start(init: str | None, method: str, inits: Sequence[str]) -> str | None:
    """Return the initialization of a method: the given one, its default, or None if it has none."""
    if init is None:
        return inits[0] if inits else None
    return init
