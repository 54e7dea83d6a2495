"""Exercises of the lesson "What isotropy is"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong

__all__ = ["EXERCISES"]

#: Score that three clusters must reach to count as misleading.
HIGH = 0.95
#: Mean silhouette of clearly visible clusters: 1 is far apart, and 0.4 is one round cloud split into parts.
SEPARATE = 0.6


def used(lam: Any) -> float:
    """Return the number of dimensions used by a cloud with these variances."""
    lam = np.asarray(lam)
    return float(lam.sum() ** 2 / (lam**2).sum())


# 1. half


def half(dimensions: float) -> float:
    """Return the larger root of (x + 1)² / (x² + 1) = k, that is, of (k − 1) x² − 2x + (k − 1) = 0."""
    return float((1 + np.sqrt(1 - (dimensions - 1) ** 2)) / (dimensions - 1))


def half_as_length(dimensions: float) -> float:
    return float(np.sqrt(half(dimensions)))


def judge_half(answer: Any, dimensions: float) -> None:
    for variance in np.atleast_1d(answers.array(answer, "variance")).reshape(-1):
        if variance < 0:
            raise Wrong("your variance is negative. A variance is at least 0.")
        found = used([variance, 1.0])
        if not abs(found - dimensions) <= 0.004:  # also True if squares overflow
            digits = 2 if abs(found - dimensions) > 0.01 else 4
            raise Wrong(
                f"your variance gives {found:.{digits}f} dimensions; the exercise asks for {dimensions:.{digits}f}."
            )


# 2. used


def spectra(rng: np.random.Generator) -> Data:
    return {"lam": np.sort(rng.gamma(0.7, size=int(rng.integers(20, 60))) + 0.01)}


def sentences() -> Data:
    from reanalyses.corpora import python_docs

    texts = python_docs.load().document_vectors.astype(float)
    return {"lam": np.linalg.eigvalsh(np.cov(texts.T))}


def two_counts_by_shares(lam: Any) -> tuple[float, float]:
    """Return the dimensions used, with and without the largest variance, from fractions of the variance."""
    everything, rest = np.sort(lam), np.sort(lam)[: len(lam) - 1]
    one, other = ((spectrum / spectrum.sum()) for spectrum in (everything, rest))
    return 1 / float(one @ one), 1 / float(other @ other)


def without_the_smallest(lam: Any) -> tuple[float, float]:
    return used(lam), used(lam[1:])


def without_the_square(lam: Any) -> tuple[float, float]:
    return lam.sum() / (lam**2).sum(), lam[:-1].sum() / (lam[:-1] ** 2).sum()


def scores_for_counts(lam: Any) -> tuple[float, float]:
    return (used(lam) - 1) / (len(lam) - 1), (used(lam[:-1]) - 1) / (len(lam) - 2)


# 3. fool


def how_many_clusters(rng: np.random.Generator) -> Data:
    return {"n_clusters": int(rng.integers(3, 7)), "noise": rng.standard_normal((120, 2))}


def three_clusters() -> Data:
    return {"n_clusters": 3, "noise": np.random.default_rng(0).standard_normal((120, 2))}


def on_a_line(n_clusters: int, noise: Any) -> Any:
    place = np.arange(len(noise)) % n_clusters
    return np.column_stack([place, np.zeros(len(noise))]) + 0.02 * noise


def one_round_cloud(n_clusters: int, noise: Any) -> Any:
    return noise


def clusters_seen(cloud: Any, most: int) -> tuple[int, float, float]:
    """Return the best number of clusters, up to `most`, with its silhouette and the fraction in the smallest one."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import cdist
    from sklearn.metrics import silhouette_score

    few = np.random.default_rng(0).permutation(len(cloud))[:1_500]
    tree, distances = linkage(cloud[few], "ward"), cdist(cloud[few], cloud[few])
    found = (1, 0.0, 1.0)
    for k in range(2, most + 1):
        labels = fcluster(tree, k, "maxclust")
        sizes = np.bincount(labels)[1:]
        if 1 < len(sizes) == k < len(few):
            fit = float(silhouette_score(distances, labels, metric="precomputed"))
            found = max(found, (k, fit, float(sizes.min() / len(few))), key=lambda one: one[1])
    return found


def judge_fool(answer: Any, n_clusters: int, noise: Any) -> None:
    from isotropy_lab.isotropy import isoscore

    cloud = answers.rows(answer, "cloud", 2)
    if not 10 * n_clusters <= len(cloud) <= 5_000:
        raise Wrong(f"your cloud has {len(cloud)} points; expected {10 * n_clusters} to 5,000.")
    if (np.ptp(cloud, axis=0) == 0).all():
        raise Wrong("all points of your cloud coincide.")
    k, fit, smallest = clusters_seen(cloud, n_clusters + 3)
    if fit < SEPARATE:
        raise Wrong(
            f"your cloud does not have {n_clusters} clearly separate clusters. Leave wider gaps, or use less noise. (Only the "
            "cloud of clusters is judged here.)"
        )
    if k != n_clusters or smallest < 1 / (10 * n_clusters):
        raise Wrong(f"your cloud looks like {k} clusters (some may be tiny). Make {n_clusters} clusters.")
    if (score := isoscore(cloud)) <= HIGH:
        raise Wrong(f"your clusters are correct, but the score is {score:.3f}. The score must exceed {HIGH}.")


EXERCISES = (
    Exercise(
        name="half",
        number=1,
        objectives=(3,),
        asks="the variance of the other axis, a number",
        own=lambda: {"dimensions": 1.5},
        draw=lambda rng: {"dimensions": round(float(rng.uniform(1.2, 1.8)), 2)},
        judge=judge_half,
        slips=(Slip(half_as_length, "that is a standard deviation. The exercise asks for its square."),),
        praise="One over it is right, too: the same ellipse, turned.",
    ),
    Exercise(
        name="used",
        number=2,
        objectives=(2, 3),
        asks="two numbers: the dimensions used with all directions, and without that of largest variance",
        parts=("dimensions used", "dimensions used without the largest variance"),
        own=sentences,
        draw=spectra,
        decimals=(0, 0),
        solution=two_counts_by_shares,
        slips=(
            Slip(without_the_smallest, "you left out the smallest variance. How are eigenvalues sorted?"),
            Slip(without_the_square, "square the sum of the variances; otherwise, the unit does not cancel."),
            Slip(scores_for_counts, "those are scores from 0 to 1. Convert them to numbers of dimensions."),
        ),
        praise="Taking a direction away can raise the number.",
    ),
    Exercise(
        name="fool",
        number=3,
        objectives=(1, 3),
        asks="the cloud of separate clusters with a high score, an array of the shape (N, 2)",
        own=three_clusters,
        draw=how_many_clusters,
        judge=judge_fool,
        slips=(
            Slip(on_a_line, "your clusters are on a line, so the variance across the line is too small."),
            Slip(one_round_cloud, "that is one round cloud, in which there are no clusters to see."),
        ),
        praise="Now say what besides the score tells your clouds apart.",
    ),
)
