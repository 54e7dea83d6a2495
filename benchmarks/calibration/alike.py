"""Redundancy of the measures of `projection_quality` over many projections, and the measures to print.

Bae et al. (2025), "Metric design != metric behavior", do this for other measures. The number of clusters of
measures, at least four, is the one that resampled data sets reproduce most often. Of each cluster, the first
of `MEASURES` that does not depend on the size of the projection is printed. Measures that are comparable
between data sets come first, and trustworthiness before continuity, because false neighbors mislead most.

Run ``python -m benchmarks.calibration map-measures map-clusters``, which takes two minutes.
"""

import warnings
from collections.abc import Iterator
from functools import cache

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn import cluster, datasets, decomposition, manifold, preprocessing

from benchmarks.calibration import Floats, Part, Row, share
from isotropy_lab.projection import projection_quality
from reanalyses.corpora import python_docs
from reanalyses.smelser2025 import experiments

SEED = 37
N_POINTS = 400
#: Measures that are about 1/2, 1/2, and 0 for a random layout of any data; higher is better.
COMPARABLE = ["trustworthiness", "continuity", "shepard_goodness"]
#: Measures that depend on the size of the projection.
SIZED = ["raw_stress", "normalized_stress", "kl_divergence", "gaussian_kl_divergence"]
_KL = ["scale_normalized_kl", "forced_scale_kl", "kl_at_infinity"]
_STRESS = ["scale_normalized_stress", "forced_scale_stress", "nonmetric_stress"]
MEASURES = [*COMPARABLE, *_STRESS, *_KL, *SIZED]
METHODS = ("pca", "mds-classical", "mds", "tsne", "umap", "isomap", "lle")
STORED = ["auto-mpg", "digits", "iris", "mnist-1500", "penguins", "s-curve", "swiss-roll", "wine"]


def data_sets() -> Iterator[tuple[str, Floats, dict[str, Floats]]]:
    """Yield data sets of at most 400 points, with stored projections if the book has them."""
    for name in STORED:
        stored = experiments.projections(name, METHODS)
        stride = -(-len(stored.X) // N_POINTS)
        yield name, stored.X[::stride], {f"stored {method}": Y[::stride] for method, Y in stored.Y.items()}
    yield "breast cancer", preprocessing.minmax_scale(datasets.load_breast_cancer().data[::2]), {}
    rng = np.random.default_rng(SEED)
    labels, spreads = rng.integers(8, size=N_POINTS), np.linspace(0.3, 1.5, 8)
    noise = rng.standard_normal((N_POINTS, 20)) * spreads[labels, None]
    yield "clusters", 3.0 * rng.standard_normal((8, 20))[labels] + noise, {}
    yield "sentences", python_docs.load().document_vectors[:N_POINTS].astype(np.float64), {}


def projections(X: Floats, rng: np.random.Generator) -> dict[str, Floats]:
    """Project by ten methods, and degrade three of the results by noise and by moving clusters."""
    axes = decomposition.PCA(min(4, X.shape[1])).fit_transform(X)
    maps = {"PCA": axes[:, :2], "last axes": axes[:, -2:], "random layout": rng.random((len(X), 2))}
    maps |= {f"random axes {i}": X @ rng.standard_normal((X.shape[1], 2)) for i in range(3)}
    distances, dense = squareform(pdist(X)), {"eigen_solver": "dense"}
    maps["MDS"] = manifold.smacof(distances, n_init=1, random_state=SEED, normalized_stress=False)[0]
    methods = {"spectral": manifold.SpectralEmbedding(n_neighbors=10, random_state=SEED)}
    methods |= {f"t-SNE {p}": manifold.TSNE(perplexity=p, random_state=SEED, n_jobs=1) for p in (5, 15, 50)}
    for k in (8, 20):
        methods[f"Isomap {k}"] = manifold.Isomap(n_neighbors=k, **dense)
        methods[f"LLE {k}"] = manifold.LocallyLinearEmbedding(n_neighbors=k, **dense)
        gamma = k / np.median(distances) ** 2 / 8
        methods[f"kernel PCA {k}"] = decomposition.KernelPCA(2, kernel="rbf", gamma=gamma, **dense)
    maps |= {name: method.fit_transform(X).astype(np.float64) for name, method in methods.items()}
    labels = cluster.KMeans(6, n_init=1, random_state=SEED).fit_predict(X)
    for name in ("PCA", "MDS", "t-SNE 15"):
        Y, in_cluster_0 = maps[name], (labels == 0)[:, None]
        spread, centers = Y.std(), np.array([Y[labels == label].mean(axis=0) for label in range(6)])
        for fraction in (0.05, 0.25, 1.0):
            maps[f"{name}, noise {fraction}"] = Y + fraction * spread * rng.standard_normal(Y.shape)
        maps[f"{name}, exchanged"] = Y + (centers[rng.permutation(6)] - centers)[labels]
        maps[f"{name}, merged"] = Y + in_cluster_0 * (centers[1] - centers[0])
        maps[f"{name}, torn"] = Y + (in_cluster_0 & (Y[:, :1] > centers[0, 0])) * [0.0, 2.0 * spread]
    return maps


@cache
def correlations() -> Floats:
    """Return Spearman's correlations over the projections of each data set, with more as better."""
    signs = [1 if measure in COMPARABLE else -1 for measure in MEASURES]
    by_data_set = []
    with warnings.catch_warnings(action="ignore"):  # disconnected neighbor graphs, and limits on iterations
        for name, X, stored_maps in data_sets():
            maps = stored_maps | projections(X, np.random.default_rng([SEED, len(name)]))
            table = pd.DataFrame([projection_quality(X, Y).to_dict() for Y in maps.values()])[MEASURES]
            by_data_set.append((table * signs).corr("spearman").to_numpy())
            print(f"{name}: {len(maps)} projections of {len(X)} points", flush=True)
    return np.array(by_data_set)


def clusters(rho: Floats, n_clusters: int) -> list[tuple[int, ...]]:
    """Return the cluster of each measure, by average linkage of 1 − |ρ|."""
    tree = linkage(squareform(1.0 - np.abs(rho), checks=False), "average")
    labels = fcluster(tree, n_clusters, "maxclust")
    return [tuple(np.flatnonzero(labels == label).tolist()) for label in labels]


def map_clusters(repetitions: int) -> Iterator[Row]:
    """Measure how often resampled data sets, or all but one, give the same clusters, by their number."""
    rhos, rng = correlations(), np.random.default_rng(SEED)
    n = len(rhos)
    resampled = [rhos[rng.integers(n, size=n)].mean(axis=0) for _ in range(repetitions)]
    without_one = [np.delete(rhos, i, axis=0).mean(axis=0) for i in range(n)]
    for k in range(2, len(MEASURES) - 2):
        reference = clusters(rhos.mean(axis=0), k)
        same, same_without = (
            [clusters(rho, k) == reference for rho in rhos_of] for rhos_of in (resampled, without_one)
        )
        yield {"clusters": k, "resampled": share(same), "without_one": share(same_without)}


def map_measures(repetitions: int) -> Iterator[Row]:
    """Compute mean rank correlations of measures over projections of 11 data sets, and their clusters."""
    rho = correlations().mean(axis=0)
    best = max(map_clusters(repetitions), key=lambda row: (row["clusters"] >= 4, row["resampled"]["share"]))
    clusters_of_measures = clusters(rho, best["clusters"])
    for i, (measure, members) in enumerate(zip(MEASURES, clusters_of_measures, strict=True)):
        scale_free = (MEASURES[j] for j in members if MEASURES[j] not in SIZED)
        yield {
            "measure": measure,
            "cluster": sorted(set(clusters_of_measures)).index(members) + 1,
            "printed": measure == next(scale_free, None),
            "rho": dict(zip(MEASURES, rho[i].tolist(), strict=True)),
        }


PARTS = {"map-measures": Part(map_measures, 1000, SEED), "map-clusters": Part(map_clusters, 1000, SEED)}
