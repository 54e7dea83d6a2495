"""Comparison of our measures with other libraries, or with NumPy definitions, on the same real vectors.

The comparison of each pair uses functions of SciPy, scikit-learn, or NumPy and shares no line with our
code. The benchmarks cover packages that the book does not install.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

from isotropy_report import measures
from reanalyses import style as drawing
from reanalyses.style import style

Floats = npt.NDArray[np.float64]

_N_POINTS = 400
_PERPLEXITY = 30.0
_K = 10


#: Name of a measure, the other implementation, our values, and the other values.
Pair = tuple[str, str, Any, Any]


def compare_with_libraries() -> pd.DataFrame:
    """Return the largest relative difference of each measure from another implementation on real vectors."""
    rows = []
    for measure, beside, *both in _pairs():
        ours, theirs = (np.atleast_1d(np.asarray(side, dtype=np.float64)) for side in both)
        difference = float(np.abs(ours - theirs).max()) / (float(np.abs(theirs).max()) or 1.0)
        rows.append((measure, beside, ours.size, difference))
    return pd.DataFrame(rows, columns=["measure", "beside", "numbers", "difference"])


#: Competitors in the benchmarks that compute the same number, by the first word of their names.
_PACKAGES = {
    "peer": "IsoScore 2.0.1",
    "zadu": "zadu 0.5.4",
    "scikit-learn": "scikit-learn",
    "ir_measures": "ir_measures 0.4.3",
    "faiss": "faiss 1.15.1",
}


def compare_with_packages(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the benchmark values that another package computed as well, with their differences."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for wing in results.values():
        for row in (wing or {}).get("rows", ()):
            values = row.get("values", {})
            ours = next((value for name, value in values.items() if name.startswith("ours")), None)
            for name, theirs in values.items():
                package = _PACKAGES.get(name.split(",")[0].split(" ")[0])
                if package is None or ours is None or theirs is None:
                    continue
                rows.setdefault(
                    (row["task"], package),
                    {
                        "task": row["task"],
                        "beside": package,
                        "ours": ours,
                        "theirs": theirs,
                        "difference": abs(ours - theirs) / abs(theirs),
                    },
                )
    return pd.DataFrame(list(rows.values()))


#: Position at which a difference of zero is drawn.
_LEAST = 1e-17


def differences_figure(table: pd.DataFrame) -> Figure:
    """Draw relative differences from other implementations, one row per measure, with zero at the left edge."""
    names = list(table["measure"])
    with style():
        fig, (ax,) = drawing.rows(1, height=0.6 + 0.25 * len(names))
        equal = table["difference"].to_numpy() == 0.0
        places = np.arange(len(names))
        for i, (chosen, label) in enumerate(((equal, "equal"), (~equal, "apart by"))):
            look = drawing.look(i) | {"linestyle": "none"}
            ax.plot(table["difference"].clip(lower=_LEAST)[chosen], places[chosen], label=label, **look)
        ax.axvline(2.0**-52, color="0.35", linewidth=0.8, zorder=0)
        ax.axvline(2.0**-23, color="0.35", linewidth=0.8, linestyle="--", zorder=0)
        ax.set_xscale("log")
        ax.set_xlim(_LEAST / 3, 1e-4)
        drawing.name_rows([ax], names)
        ax.set_xlabel("difference, as a share of the largest number")
        ax.grid(visible=False, axis="y")
        return drawing.finish(fig, ax, columns=2)


def _pairs() -> Iterator[Pair]:
    """Yield all pairs of values to compare."""
    from reanalyses.roychowdhury2024.datasets import encoders, text_collections

    yang = encoders.load("MiniLM", "yang")
    X = np.asarray(yang.documents[0][:_N_POINTS], dtype=np.float64)
    centered = X - X.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2]
    Y = centered @ axes[:2].T
    yield from _cloud_pairs(X)
    yield from _projection_pairs(X, Y)
    yield from _word_pairs()
    questions = np.asarray(yang.questions, dtype=np.float64)
    documents = np.asarray(yang.documents[0], dtype=np.float64)
    yield from _search_pairs(questions, documents, np.ravel(text_collections.collection("yang").gold))
    yield from _model_pairs(X, Y)


def _cloud_pairs(X: Floats) -> Iterator[Pair]:
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
    seven_steps = ((n - defect**2 * (n - np.sqrt(n))) ** 2 / n - 1.0) / (n - 1.0)
    yield "IsoScore", "seven steps on PCA of scikit-learn", isotropy.isoscore(X), seven_steps
    yield (
        "average cosine",
        "cosine_similarity of scikit-learn",
        isotropy.average_cosine(X),
        cosine_similarity(X)[np.triu_indices(len(X), 1)].mean(),
    )
    vectors = np.linalg.eigh(X.T @ X)[1]
    sums = np.exp(X @ np.hstack([vectors, -vectors])).sum(axis=0)
    ratio = sums.min() / sums.max()
    yield "partition score", "its definition in NumPy", isotropy.partition_score(X), ratio
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


def _projection_pairs(X: Floats, Y: Floats) -> Iterator[Pair]:
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


def _word_pairs() -> Iterator[Pair]:
    from scipy import stats
    from scipy.linalg import subspace_angles
    from sklearn.metrics.pairwise import cosine_similarity

    from isotropy_lab import association
    from isotropy_report.io import load_word_vectors

    words = load_word_vectors("glove-weat")
    rows = np.asarray(words.vectors, dtype=np.float64)
    A, B, C, D = (rows[8 * i : 8 * (i + 1)] for i in range(4))

    def score(targets: Floats, others: Floats, axis: int = -1) -> Any:
        return targets.sum(axis=axis) - others.sum(axis=axis)

    def leanings(targets: Floats) -> Any:
        return cosine_similarity(targets, C).mean(axis=1) - cosine_similarity(targets, D).mean(axis=1)

    permuted = stats.permutation_test(
        (leanings(A), leanings(B)), score, alternative="greater", n_resamples=np.inf, vectorized=True
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
        permuted.pvalue,
    )


def _search_pairs(questions: Floats, documents: Floats, gold: npt.NDArray[np.int64]) -> Iterator[Pair]:
    from scipy.stats import binom
    from sklearn.metrics import ndcg_score, top_k_accuracy_score
    from sklearn.metrics.pairwise import cosine_similarity
    from sklearn.neighbors import NearestNeighbors

    from isotropy_lab import retrieval

    ranks = retrieval.answer_ranks(questions, documents, gold)
    weaker = retrieval.answer_ranks(questions[:, ::2], documents[:, ::2], gold)
    similarities = cosine_similarity(questions, documents)
    hits, weaker_hits = ranks <= _K, weaker <= _K
    gained, lost = (hits & ~weaker_hits).sum(), (weaker_hits & ~hits).sum()
    once: dict[str, Any] = {"n_resamples": 100, "rng": 0}
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
        retrieval.bootstrap_interval(ranks, k=_K, **once).estimate,
        top_k_accuracy_score(gold, similarities, k=_K, labels=np.arange(len(documents))),
    )
    yield (
        "NDCG at 10",
        "ndcg_score of scikit-learn",
        retrieval.bootstrap_interval(ranks, metric="ndcg", k=_K, **once).estimate,
        ndcg_score(np.arange(len(documents)) == gold[:, None], similarities, k=_K),
    )
    yield (
        "McNemar's exact test",
        "definition, with binom of SciPy",
        retrieval.compare_models(ranks, weaker, k=_K, **once).mcnemar_pvalue,
        min(1.0, 2.0 * binom.cdf(min(gained, lost), gained + lost, 0.5)),
    )


def _model_pairs(X: Floats, Y: Floats) -> Iterator[Pair]:
    from scipy.spatial.distance import cdist

    half = X[:, ::2]
    first, second = X[:200], X[200:]

    def centered(points: Floats) -> Floats:
        """Return the inner products without the diagonal, centered so that their products are unbiased."""
        n, products = len(points), points @ points.T
        np.fill_diagonal(products, 0.0)
        sums = products.sum(axis=0) / (n - 2)
        products += sums.sum() / (n - 1) - sums - sums[:, None]
        np.fill_diagonal(products, 0.0)
        return products

    K, L = centered(X), centered(half)
    across, *within = (cdist(a, b).mean() for a, b in ((first, second), (first, first), (second, second)))
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
        2.0 * across - sum(within),
    )
