"""Exercises of the lesson "What isotropy is"."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Data, Exercise, Slip, Wrong, reverse

__all__ = ["EXERCISES"]

#: IsoScore that clearly separate clusters must exceed.
MIN_SCORE = 0.95
#: Mean silhouette of clearly visible clusters: 1 is far apart, and 0.4 is one round cloud split into parts.
MIN_SILHOUETTE = 0.6


def participation_ratio(lam: Any) -> float:
    """Return the number of dimensions used, given the variances: their squared sum over the sum of their squares."""
    lam = np.asarray(lam)
    return float(lam.sum() ** 2 / (lam**2).sum())


# 1. half


def larger_variance(dimensions: float) -> float:
    """Return the larger variance x for which x and 1 use k dimensions: (x + 1)² / (x² + 1) = k."""
    return float((1 + np.sqrt(1 - (dimensions - 1) ** 2)) / (dimensions - 1))


def larger_standard_deviation(dimensions: float) -> float:
    return float(np.sqrt(larger_variance(dimensions)))


def judge_variance(answer: Any, dimensions: float) -> None:
    for variance in np.atleast_1d(answers.array(answer, "variance")).reshape(-1):
        if variance < 0:
            raise Wrong("your variance is negative. A variance is at least 0.")
        dimensions_used = participation_ratio([variance, 1.0])
        if not abs(dimensions_used - dimensions) <= 0.004:  # also True if squares overflow
            digits = 2 if abs(dimensions_used - dimensions) > 0.01 else 4
            raise Wrong(
                f"your variance gives {dimensions_used:.{digits}f} dimensions; the exercise asks for {dimensions:.{digits}f}."
            )


# 2. used


def draw_spectrum(rng: np.random.Generator) -> Data:
    return {"lam": np.sort(rng.gamma(0.7, size=int(rng.integers(20, 60))) + 0.01)}


def lesson_spectrum() -> Data:
    from reanalyses.corpora import python_docs

    vectors = python_docs.load().document_vectors.astype(float)
    return {"lam": np.linalg.eigvalsh(np.cov(vectors.T))}


def dimensions_by_fractions(lam: Any) -> tuple[float, float]:
    """Return the dimensions used with and without the largest variance, from fractions of the total variance."""
    variances, without_largest = np.sort(lam), np.sort(lam)[: len(lam) - 1]
    p, q = ((spectrum / spectrum.sum()) for spectrum in (variances, without_largest))
    return 1 / float(p @ p), 1 / float(q @ q)


def dimensions_without_smallest(lam: Any) -> tuple[float, float]:
    return participation_ratio(lam), participation_ratio(lam[1:])


def dimensions_without_square(lam: Any) -> tuple[float, float]:
    return lam.sum() / (lam**2).sum(), lam[:-1].sum() / (lam[:-1] ** 2).sum()


def scores_instead_of_dimensions(lam: Any) -> tuple[float, float]:
    dimensions, without_largest = participation_ratio(lam), participation_ratio(lam[:-1])
    return (dimensions - 1) / (len(lam) - 1), (without_largest - 1) / (len(lam) - 2)


# 3. fool


def draw_clusters(rng: np.random.Generator) -> Data:
    return {"n_clusters": int(rng.integers(3, 7)), "noise": rng.standard_normal((120, 2))}


def lesson_clusters() -> Data:
    return {"n_clusters": 3, "noise": np.random.default_rng(0).standard_normal((120, 2))}


def clusters_on_a_line(n_clusters: int, noise: Any) -> Any:
    cluster = np.arange(len(noise)) % n_clusters
    return np.column_stack([cluster, np.zeros(len(noise))]) + 0.02 * noise


def round_cloud(n_clusters: int, noise: Any) -> Any:
    return noise


def find_clusters(cloud: Any, max_clusters: int) -> tuple[int, float, float]:
    """Return the best number of clusters by mean silhouette, this silhouette, and the smallest cluster's fraction."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import cdist
    from sklearn.metrics import silhouette_score

    sample = np.random.default_rng(0).permutation(len(cloud))[:1_500]
    tree, distances = linkage(cloud[sample], "ward"), cdist(cloud[sample], cloud[sample])
    best = (1, 0.0, 1.0)
    for k in range(2, max_clusters + 1):
        labels = fcluster(tree, k, "maxclust")
        sizes = np.bincount(labels)[1:]
        if 1 < len(sizes) == k < len(sample):
            silhouette = float(silhouette_score(distances, labels, metric="precomputed"))
            if silhouette > best[1]:
                best = k, silhouette, float(sizes.min() / len(sample))
    return best


def judge_clusters(answer: Any, n_clusters: int, noise: Any) -> None:
    from isotropy_lab.isotropy import isoscore

    cloud = answers.rows(answer, "cloud", 2)
    if not 10 * n_clusters <= len(cloud) <= 5_000:
        raise Wrong(f"your cloud has {len(cloud)} points; expected {10 * n_clusters} to 5,000.")
    if (np.ptp(cloud, axis=0) == 0).all():
        raise Wrong("all points of your cloud coincide.")
    k, silhouette, smallest_fraction = find_clusters(cloud, n_clusters + 3)
    if silhouette < MIN_SILHOUETTE:
        raise Wrong(
            f"your cloud does not have {n_clusters} clearly separate clusters. Widen the gaps, or reduce the noise. "
            "(Only the cloud of clusters is judged here.)"
        )
    if k != n_clusters or smallest_fraction < 1 / (10 * n_clusters):
        raise Wrong(f"your cloud looks like {k} clusters (some may be tiny). Make {n_clusters} clusters.")
    if (score := isoscore(cloud)) <= MIN_SCORE:
        raise Wrong(f"your clusters are correct, but the score is {score:.3f}. It must exceed {MIN_SCORE}.")


EXERCISES = (
    Exercise(
        name="half",
        number=1,
        objectives=(3,),
        asks="the variance of the other axis, a number",
        lesson_data=lambda: {"dimensions": 1.5},
        draw=lambda rng: {"dimensions": round(float(rng.uniform(1.2, 1.8)), 2)},
        judge=judge_variance,
        slips=(Slip(larger_standard_deviation, "that is a standard deviation. Square it."),),
        praise="Its reciprocal is also right: it gives the same ellipse, rotated by 90°.",
    ),
    Exercise(
        name="used",
        number=2,
        objectives=(2, 3),
        asks="two numbers: the dimensions used in all, and the dimensions used without the largest variance",
        parts=("dimensions used", "dimensions used without the largest variance"),
        lesson_data=lesson_spectrum,
        draw=draw_spectrum,
        decimals=(0, 0),
        solution=dimensions_by_fractions,
        slips=(
            Slip(reverse(dimensions_by_fractions), "those are the right numbers in the other order."),
            Slip(dimensions_without_smallest, "you left out the smallest variance. Eigenvalues ascend."),
            Slip(dimensions_without_square, "square the sum of variances, so that the unit cancels."),
            Slip(scores_instead_of_dimensions, "those are scores from 0 to 1, not numbers of dimensions."),
        ),
        praise="Removing a direction can increase the number of dimensions used.",
    ),
    Exercise(
        name="fool",
        number=3,
        objectives=(1, 3),
        asks="the cloud of separate clusters with a high score, an array of the shape (N, 2)",
        lesson_data=lesson_clusters,
        draw=draw_clusters,
        judge=judge_clusters,
        slips=(
            Slip(clusters_on_a_line, "your clusters are on a line, across which the variance is too small."),
            Slip(round_cloud, "that is one round cloud, in which there are no clusters to see."),
        ),
        praise="Now say which number other than the score distinguishes your clouds.",
    ),
)
