"""Comparison of our measures with other libraries, or with NumPy definitions, on the same real vectors.

The reference values come from SciPy, scikit-learn, or NumPy and share no line with our code. The benchmarks
cover packages that the book does not install.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from isotropy_report import measures
from reanalyses import style

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_N_POINTS = 400
_PERPLEXITY = 30.0
_K = 10

#: Name of a measure, the other implementation, our values, and the reference values.
Comparison = tuple[str, str, Any, Any]


def compare_with_libraries() -> pd.DataFrame:
    """Return each measure's largest relative difference from another implementation (column ``beside``)."""
    rows = []
    for measure, implementation, *pair in _comparisons():
        ours, reference = (np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in pair)
        difference = float(np.abs(ours - reference).max()) / (float(np.abs(reference).max()) or 1.0)
        rows.append((measure, implementation, ours.size, difference))
    return pd.DataFrame(rows, columns=["measure", "beside", "numbers", "difference"])


#: Packages in the benchmarks that compute the same number, by the first word of a competitor's name.
_PACKAGES = {
    "peer": "IsoScore 2.0.1",
    "zadu": "zadu 0.5.4",
    "scikit-learn": "scikit-learn",
    "ir_measures": "ir_measures 0.4.3",
    "faiss": "faiss 1.15.1",
}


def compare_with_packages(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the benchmark values that another package also computed: task, beside (the package), and values."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for area in results.values():
        for row in (area or {}).get("rows", ()):
            values = row.get("values", {})
            ours = next((value for name, value in values.items() if name.startswith("ours")), None)
            for name, reference in values.items():
                package = _PACKAGES.get(name.split(",")[0].split(" ")[0])
                if package is None or ours is None or reference is None:
                    continue
                rows.setdefault(
                    (row["task"], package),
                    {
                        "task": row["task"],
                        "beside": package,
                        "ours": ours,
                        "theirs": reference,
                        "difference": abs(ours - reference) / abs(reference),
                    },
                )
    return pd.DataFrame(list(rows.values()))


#: Position at which a difference of zero is drawn.
_X_OF_ZERO = 1e-17


def differences_figure(table: pd.DataFrame) -> Figure:
    """Draw relative differences from other implementations, one row per measure, with zero at the left edge."""
    names = list(table["measure"])
    with style.style():
        fig, (ax,) = style.rows(1, height=0.6 + 0.25 * len(names))
        equal = table["difference"].to_numpy() == 0.0
        positions = np.arange(len(names))
        for i, (group, label) in enumerate(((equal, "equal"), (~equal, "apart by"))):
            look = style.look(i) | {"linestyle": "none"}
            ax.plot(table["difference"].clip(lower=_X_OF_ZERO)[group], positions[group], label=label, **look)
        ax.axvline(2.0**-52, color="0.35", linewidth=0.8, zorder=0)
        ax.axvline(2.0**-23, color="0.35", linewidth=0.8, linestyle="--", zorder=0)
        ax.set_xscale("log")
        ax.set_xlim(_X_OF_ZERO / 3, 1e-4)
        style.name_rows([ax], names)
        ax.set_xlabel("difference, as a share of the largest number")
        ax.grid(visible=False, axis="y")
        return style.finish(fig, ax, columns=2)


def _comparisons() -> Iterator[Comparison]:
    """Yield all pairs of values to compare."""
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    yang = encoders.load("MiniLM", "yang")
    X = np.asarray(yang.documents[0][:_N_POINTS], dtype=np.float64)
    centered = X - X.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2]
    Y = centered @ axes[:2].T
    yield from _isotropy_comparisons(X)
    yield from _projection_comparisons(X, Y)
    yield from _association_comparisons()
    questions = np.asarray(yang.questions, dtype=np.float64)
    documents = np.asarray(yang.documents[0], dtype=np.float64)
    gold = np.ravel(text_collections.collection("yang").gold)
    yield from _retrieval_comparisons(questions, documents, gold)
    yield from _model_comparisons(X)


def _isotropy_comparisons(X: Floats) -> Iterator[Comparison]:
    from sklearn.decomposition import PCA
    from sklearn.metrics.pairwise import cosine_similarity
    from sklearn.neighbors import NearestNeighbors

    from isotropy_lab import isotropy
    from isotropy_lab.transforms import Whitening

    n = X.shape[1]
    variances = PCA(svd_solver="full").fit(X).explained_variance_
    variances = np.append(variances, np.zeros(n - variances.size))
    scaled = np.sqrt(n) * variances / np.linalg.norm(variances)
    defect = np.linalg.norm(scaled - 1.0) / np.sqrt(2.0 * (n - np.sqrt(n)))
    isoscore = ((n - defect**2 * (n - np.sqrt(n))) ** 2 / n - 1.0) / (n - 1.0)
    yield "IsoScore", "seven steps on PCA of scikit-learn", isotropy.isoscore(X), isoscore
    yield (
        "average cosine",
        "cosine_similarity of scikit-learn",
        isotropy.average_cosine(X),
        cosine_similarity(X)[np.triu_indices(len(X), 1)].mean(),
    )
    vectors = np.linalg.eigh(X.T @ X)[1]
    sums = np.exp(X @ np.hstack([vectors, -vectors])).sum(axis=0)
    partition_score = sums.min() / sums.max()
    yield "partition score", "its definition in NumPy", isotropy.partition_score(X), partition_score
    distances = NearestNeighbors(n_neighbors=20).fit(X).kneighbors()[0]
    ratios = np.log(distances[:, -1:] / distances[:, :-1])
    yield (
        "intrinsic dimension",
        "neighbors of scikit-learn",
        isotropy.intrinsic_dimension(X, n_neighbors=20),
        1.0 / np.mean(ratios.mean(axis=1)),
    )
    yield (
        "whitening",
        "PCA(whiten=True) of scikit-learn",
        np.abs(Whitening(method="pca").fit_transform(X)[:, :50]),
        np.abs(PCA(n_components=50, whiten=True, svd_solver="full").fit_transform(X)),
    )


def _projection_comparisons(X: Floats, Y: Floats) -> Iterator[Comparison]:
    from scipy import stats
    from scipy.spatial.distance import pdist, squareform
    from sklearn.isotonic import IsotonicRegression
    from sklearn.manifold import trustworthiness
    from sklearn.manifold._t_sne import _joint_probabilities

    from isotropy_lab import projection

    d, e = pdist(X), pdist(Y)
    P = projection.affinities(X, perplexity=_PERPLEXITY)

    scale = float(d @ e / (e @ e))
    yield (
        "scale-normalized stress",
        "pdist of SciPy",
        projection.scale_normalized_stress(X, Y),
        np.linalg.norm(d - scale * e) / np.linalg.norm(d),
    )
    yield (
        "Shepard goodness",
        "spearmanr of SciPy",
        projection.shepard_goodness(X, Y),
        stats.spearmanr(d, e).statistic,
    )
    fitted = IsotonicRegression().fit_transform(d, e)
    yield (
        "non-metric stress",
        "IsotonicRegression of scikit-learn",
        projection.nonmetric_stress(X, Y),
        np.sqrt(np.sum((e - fitted) ** 2) / np.sum(e**2)),
    )
    yield (
        "affinities",
        "t-SNE of scikit-learn, in float32",
        squareform(P, checks=False),
        _joint_probabilities(squareform(d**2).astype(np.float32), _PERPLEXITY, 0),
    )
    Q = 1.0 / (1.0 + squareform(e) ** 2)
    np.fill_diagonal(Q, 0.0)
    yield (
        "KL divergence",
        "entropy of SciPy",
        projection.kl_divergence(P, Y, metric="affinities"),
        stats.entropy(P.ravel(), Q.ravel()),
    )
    yield (
        "trustworthiness",
        "scikit-learn",
        projection.trustworthiness(X, Y, n_neighbors=_K),
        trustworthiness(X, Y, n_neighbors=_K),
    )


def _association_comparisons() -> Iterator[Comparison]:
    from scipy import stats
    from scipy.linalg import subspace_angles
    from sklearn.metrics.pairwise import cosine_similarity

    from isotropy_lab import association
    from isotropy_report.io import load_word_vectors

    words = load_word_vectors("glove-weat")
    rows = np.asarray(words.vectors, dtype=np.float64)
    A, B, C, D = (rows[8 * i : 8 * (i + 1)] for i in range(4))

    def difference(first: Floats, second: Floats, axis: int = -1) -> Any:
        return first.sum(axis=axis) - second.sum(axis=axis)

    def scores(targets: Floats) -> Any:
        return cosine_similarity(targets, C).mean(axis=1) - cosine_similarity(targets, D).mean(axis=1)

    exact_test = stats.permutation_test(
        (scores(A), scores(B)), difference, alternative="greater", n_resamples=np.inf, vectorized=True
    )
    yield (
        "mean cosine similarity",
        "cosine_similarity of scikit-learn",
        association.mean_cosine_similarity(A, C),
        cosine_similarity(A, C).mean(),
    )
    yield (
        "canonical congruences",
        "subspace_angles of SciPy",
        association.canonical_congruences(A, B),
        np.sort(np.cos(subspace_angles(A.T, B.T)))[::-1],
    )
    yield (
        "exact p-value of a WEAT",
        "permutation_test of SciPy",
        association.weat_permutation_test(A, B, C, D).pvalue,
        exact_test.pvalue,
    )


def _retrieval_comparisons(questions: Floats, documents: Floats, gold: Indices) -> Iterator[Comparison]:
    from scipy.stats import binom
    from sklearn.metrics import ndcg_score, top_k_accuracy_score
    from sklearn.metrics.pairwise import cosine_similarity
    from sklearn.neighbors import NearestNeighbors

    from isotropy_lab import retrieval

    ranks = retrieval.answer_ranks(questions, documents, gold)
    ranks_by_half = retrieval.answer_ranks(questions[:, ::2], documents[:, ::2], gold)
    similarities = cosine_similarity(questions, documents)
    hits, hits_by_half = ranks <= _K, ranks_by_half <= _K
    gained, lost = (hits & ~hits_by_half).sum(), (hits_by_half & ~hits).sum()
    options: dict[str, Any] = {"n_resamples": 100, "rng": 0}
    yield (
        "ten nearest documents",
        "NearestNeighbors of scikit-learn",
        retrieval.top_k(questions, documents, _K).indices,
        (
            NearestNeighbors(n_neighbors=_K, metric="cosine", algorithm="brute")
            .fit(documents)
            .kneighbors(questions)[1]
        ),
    )
    yield (
        "accuracy at 10",
        "top_k_accuracy_score of scikit-learn",
        retrieval.bootstrap_interval(ranks, k=_K, **options).estimate,
        top_k_accuracy_score(gold, similarities, k=_K, labels=np.arange(len(documents))),
    )
    yield (
        "NDCG at 10",
        "ndcg_score of scikit-learn",
        retrieval.bootstrap_interval(ranks, metric="ndcg", k=_K, **options).estimate,
        ndcg_score(np.arange(len(documents)) == gold[:, None], similarities, k=_K),
    )
    yield (
        "McNemar's exact test",
        "definition, with binom of SciPy",
        retrieval.compare_models(ranks, ranks_by_half, k=_K, **options).pvalue,
        min(1.0, 2.0 * binom.cdf(min(gained, lost), gained + lost, 0.5)),
    )


def _model_comparisons(X: Floats) -> Iterator[Comparison]:
    from scipy.spatial.distance import cdist

    half = X[:, ::2]
    first, second = X[:200], X[200:]

    def center_products(points: Floats) -> Floats:
        """Return the inner products without the diagonal, centered so that their products are unbiased."""
        n, products = len(points), points @ points.T
        np.fill_diagonal(products, 0.0)
        sums = products.sum(axis=0) / (n - 2)
        products += sums.sum() / (n - 1) - sums - sums[:, None]
        np.fill_diagonal(products, 0.0)
        return products

    K, L = center_products(X), center_products(half)
    between, *within = (cdist(a, b).mean() for a, b in ((first, second), (first, first), (second, second)))
    yield (
        "linear CKA",
        "its definition in NumPy",
        measures.cka(X, half, n_resamples=0).statistic,
        (K * L).sum() / np.linalg.norm(K) / np.linalg.norm(L),
    )
    yield (
        "energy distance",
        "cdist of SciPy",
        measures.drift_test(first, second, n_resamples=19, rng=0).statistic,
        2.0 * between - sum(within),
    )
