"""Correct answers to the exercises of the lesson "Choosing a projection"."""

from typing import Any

import numpy as np

from reanalyses.course.projection import choosing_a_projection as lesson
from reanalyses.course.projection.kl_and_scale import data_affinities, kl_divergence


def scores_by_sklearn(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    """Use scikit-learn's trustworthiness, also with data and projection exchanged."""
    from sklearn.manifold import trustworthiness

    R, r = lesson.neighbor_ranks(line), lesson.neighbor_ranks(drawing)
    curve = [((R >= 1) & (q >= R) & (r <= q)).sum() / (q * len(R)) for q in range(1, len(R) - 1)]
    trust, continuity = (trustworthiness(A, B, n_neighbors=k) for A, B in ((line, drawing), (drawing, line)))
    return trust, continuity, np.array(curve)


def projections_by_reflection(solid: Any) -> dict[str, Any]:
    """Center both clusters, reflect half of each, and move one cluster away."""
    flat = np.array(solid[:, :2])
    over = np.vstack([flat[:30] - flat[:30].mean(axis=0), flat[30:] - flat[30:].mean(axis=0)])
    up = np.where(np.arange(60) % 2 == 0, 40.0, 0.0)
    far = np.vstack([flat[:30], flat[30:] + np.array([-20, 100])])
    return {"laid over": over, "torn": np.column_stack([flat[:, 0], flat[:, 1] + up]), "far": far}


def projections_by_group(solid: Any) -> list[Any]:
    """Compute with a label for each point."""
    group = np.repeat([0, 1], 30)
    flat = solid[:, :2]
    torn = flat + np.outer(np.arange(60) % 2, [5, -20])
    return [flat - np.outer(group, [20, 0]), torn, flat + np.outer(group, [500, 300])]


def methods_in_numpy(X: Any, maps: Any) -> dict[str, Any]:
    """Compute stress as a sine, the divergence at many scales, and trustworthiness from ranks."""
    from scipy.spatial.distance import pdist

    P, d, R = data_affinities(X, 30), pdist(X), lesson.neighbor_ranks(X)
    stress, divergence, trust = [], [], []
    for Z in maps:
        e = pdist(Z)
        stress.append(float(np.sqrt(1 - (d @ e) ** 2 / ((d @ d) * (e @ e)))))
        log_scales = np.arange(-4, 9, 0.25)
        best_log_scale = log_scales[
            int(np.argmin([kl_divergence(P, Z, np.exp(log_scale)) for log_scale in log_scales]))
        ]
        scales = np.exp(np.arange(best_log_scale - 0.25, best_log_scale + 0.25, 0.02))
        divergence.append(float(min(kl_divergence(P, Z, scale) for scale in [0, *scales])))
        trust.append(lesson.neighbor_scores(R, lesson.neighbor_ranks(Z), 10)[0])
    return {"indices": lesson.find_methods(stress, divergence, trust), "trustworthiness": trust}


SOLUTIONS = {
    "swap": (lesson.scores_and_curve, scores_by_sklearn),
    "press": (lesson.three_projections, projections_by_reflection, projections_by_group),
    "unlabeled": (lesson.methods_and_trust, methods_in_numpy),
}
