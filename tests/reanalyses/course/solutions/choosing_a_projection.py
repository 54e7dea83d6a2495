"""Right answers to the exercises of the lesson "Choosing a projection", each found in three ways."""

from __future__ import annotations

from typing import Any

import numpy as np

from reanalyses.course.projection.choosing_a_projection import press, ranks, search_by_scipy, swap


def swap_by_sets(line: Any, drawing: Any, k: int) -> list[Any]:
    """Point by point, with lists of neighbors."""
    N = len(line)
    near = [np.argsort(np.abs(line[:, 0] - at), kind="stable") for at in line[:, 0]]
    drawn = [np.argsort(np.abs(drawing[:, 0] - at), kind="stable") for at in drawing[:, 0]]
    worst = N * k * (2 * N - 3 * k - 1) / 2
    losses = []
    for one, other in ((near, drawn), (drawn, near)):  # what is near in `other` only, by its rank in `one`
        loss = 0
        for i in range(N):
            places = [int(j) for j in one[i]]
            loss += sum(max(places.index(int(j)) - k, 0) for j in other[i][1 : k + 1])
        losses.append(loss)
    curve = [
        np.mean([len(set(near[i][1 : q + 1]) & set(drawn[i][1 : q + 1])) / q for i in range(N)])
        for q in range(1, N)
    ]
    return [1 - losses[0] / worst, 1 - losses[1] / worst, curve]


def swap_by_sklearn(line: Any, drawing: Any, k: int) -> tuple[float, float, Any]:
    """scikit-learn's trustworthiness, once with data and drawing exchanged."""
    from sklearn.manifold import trustworthiness

    R, r = ranks(line), ranks(drawing)
    curve = [((R >= 1) & (q >= R) & (r <= q)).sum() / (q * len(R)) for q in range(1, len(R))]
    one, other = (trustworthiness(A, B, n_neighbors=k) for A, B in ((line, drawing), (drawing, line)))
    return one, other, np.array(curve)


def press_by_reflection(solid: Any) -> dict[str, Any]:
    """Center both; send half of each cluster to the other side; move one cluster up and away."""
    flat = np.array(solid[:, :2])
    over = np.vstack([flat[:30] - flat[:30].mean(axis=0), flat[30:] - flat[30:].mean(axis=0)])
    up = np.where(np.arange(60) % 2 == 0, 40.0, 0.0)
    far = np.vstack([flat[:30], flat[30:] + np.array([-20, 100])])
    return {"laid over": over, "torn": np.column_stack([flat[:, 0], flat[:, 1] + up]), "far": far}


def press_by_group(solid: Any) -> list[Any]:
    """With a label for each point."""
    group = np.repeat([0, 1], 30)
    flat = solid[:, :2]
    torn = flat + np.outer(np.arange(60) % 2, [5, -20])
    return [flat - np.outer(group, [20, 0]), torn, flat + np.outer(group, [500, 300])]


def search(documents: Any, questions: Any, gold: Any, components: Any) -> list[float]:
    """Count the documents that are nearer than the answer, in the first principal components."""
    mean = documents.mean(axis=0)
    directions = np.linalg.svd(documents - mean, full_matrices=False)[2]
    found = []
    for n in components:
        asked = (questions - mean) @ directions[:n].T
        stored = (documents - mean) @ directions[:n].T
        squared = (asked**2).sum(axis=1)[:, None] + (stored**2).sum(axis=1) - 2 * asked @ stored.T
        right = squared[np.arange(len(gold)), gold]
        found.append(float(((squared < right[:, None]).sum(axis=1) < 10).mean()))
    return found


def search_by_sklearn(documents: Any, questions: Any, gold: Any, components: Any) -> Any:
    """scikit-learn's components and neighbors."""
    from sklearn.decomposition import PCA
    from sklearn.neighbors import NearestNeighbors

    found = []
    for n in components:
        axes = PCA(int(n), svd_solver="full").fit(documents)
        ten = NearestNeighbors(n_neighbors=10).fit(axes.transform(documents))
        near = ten.kneighbors(axes.transform(questions), return_distance=False)
        found.append(np.mean([answer in row for answer, row in zip(gold, near, strict=True)]))
    return np.array(found)


SOLUTIONS = {
    "swap": (swap, swap_by_sets, swap_by_sklearn),
    "press": (press, press_by_reflection, press_by_group),
    "search": (search, search_by_scipy, search_by_sklearn),
}
