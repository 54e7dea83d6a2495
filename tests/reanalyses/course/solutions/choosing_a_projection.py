"""Correct answers to the exercises of the lesson "Choosing a projection"."""

from typing import Any

import numpy as np

from reanalyses.course.projection.choosing_a_projection import (
    named,
    neighbor_scores,
    press,
    ranks,
    swap,
    unlabeled,
)
from reanalyses.course.projection.kl_and_scale import kl, shares_of


def swap_by_sklearn(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    """Use scikit-learn's trustworthiness, also with data and projection exchanged."""
    from sklearn.manifold import trustworthiness

    R, r = ranks(line), ranks(drawing)
    curve = [((R >= 1) & (q >= R) & (r <= q)).sum() / (q * len(R)) for q in range(1, len(R))]
    one, other = (trustworthiness(A, B, n_neighbors=k) for A, B in ((line, drawing), (drawing, line)))
    return one, other, np.array(curve)


def press_by_reflection(solid: Any) -> dict[str, Any]:
    """Center both clusters, reflect half of each, and move one cluster away."""
    flat = np.array(solid[:, :2])
    over = np.vstack([flat[:30] - flat[:30].mean(axis=0), flat[30:] - flat[30:].mean(axis=0)])
    up = np.where(np.arange(60) % 2 == 0, 40.0, 0.0)
    far = np.vstack([flat[:30], flat[30:] + np.array([-20, 100])])
    return {"laid over": over, "torn": np.column_stack([flat[:, 0], flat[:, 1] + up]), "far": far}


def press_by_group(solid: Any) -> list[Any]:
    """Compute with a label for each point."""
    group = np.repeat([0, 1], 30)
    flat = solid[:, :2]
    torn = flat + np.outer(np.arange(60) % 2, [5, -20])
    return [flat - np.outer(group, [20, 0]), torn, flat + np.outer(group, [500, 300])]


def unlabeled_by_hand(X: Any, maps: Any) -> dict[str, Any]:
    """Compute stress as a sine, the divergence at many scales, and trustworthiness from ranks."""
    from scipy.spatial.distance import pdist

    P, d, R = shares_of(X, 30), pdist(X), ranks(X)
    stress, divergence, trust = [], [], []
    for Z in maps:
        e = pdist(Z)
        stress.append(float(np.sqrt(1 - (d @ e) ** 2 / ((d @ d) * (e @ e)))))
        logs = np.arange(-4, 9, 0.25)
        near = logs[int(np.argmin([kl(P, Z, np.exp(u)) for u in logs]))]
        fine = np.exp(np.arange(near - 0.25, near + 0.25, 0.02))
        divergence.append(float(min(kl(P, Z, size) for size in [0, *fine])))
        trust.append(neighbor_scores(R, ranks(Z), 10)[0])
    return {
        "indices": named(stress, divergence, trust),
        "SNS": stress,
        "SNKL": divergence,
        "trustworthiness": trust,
    }


SOLUTIONS = {
    "swap": (swap, swap_by_sklearn),
    "press": (press, press_by_reflection, press_by_group),
    "unlabeled": (unlabeled, unlabeled_by_hand),
}
