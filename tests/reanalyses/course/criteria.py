"""Where many answers are right: a second rule for each exercise, slow and plain, written apart from the checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist


def score(X: Any) -> float:
    """IsoScore, from the definition."""
    X = np.asarray(X, dtype=float)
    centered = X - sum(X) / len(X)
    C = sum(np.outer(row, row) for row in centered) / (len(X) - 1)
    k = sum(np.diag(C)) ** 2 / (C * C).sum()
    return float((k - 1) / (X.shape[1] - 1))


def fool(cloud: Any, n_clusters: int, noise: Any) -> bool:
    """Walk from point to point with ever longer steps, until as many clusters are left as were asked for."""
    cloud = np.asarray(cloud, dtype=float)
    if not 10 * n_clusters <= len(cloud) <= 5_000 or np.ptp(cloud) == 0:
        return False
    apart = cdist(cloud, cloud)
    in_tree, near, steps = [0], apart[0].copy(), []
    for _ in range(len(cloud) - 1):  # the shortest tree
        near[in_tree] = np.inf
        new = int(near.argmin())
        steps.append(float(near[new]))
        in_tree.append(new)
        near = np.minimum(near, apart[new])
    steps.sort()
    joined, gap = steps[-n_clusters], steps[-n_clusters + 1]
    left, sizes = set(range(len(cloud))), []
    while left:
        reached = grown = {left.pop()}
        while grown:
            grown = {j for j in left if (apart[j, list(grown)] <= joined).any()}
            left -= grown
            reached = reached | grown
        sizes.append(len(reached))
    return bool(gap >= 2 * joined and min(sizes) >= len(cloud) / (10 * n_clusters) and score(cloud) > 0.95)


def half(variance: Any, dimensions: float) -> bool:
    return bool(abs((variance + 1) ** 2 / (variance**2 + 1) - dimensions) < 0.004 and variance >= 0)


def needle(mine: Any, needle: Any) -> bool:
    """All distances in proportion, and both scores from their definitions."""
    mine = np.asarray(mine, dtype=float)
    some, wanted = cdist(mine[:60], mine), cdist(needle[:60], needle)
    if mine.shape != needle.shape or not np.allclose(some / some.max(), wanted / wanted.max(), atol=1e-9):
        return False
    units = mine / np.linalg.norm(mine, axis=1, keepdims=True)
    cosine = ((units @ units.T).sum() - len(mine)) / (len(mine) * (len(mine) - 1))
    axes = np.linalg.eigh(mine.T @ mine)[1]
    Z = [np.exp(sign * mine @ axis).sum() for axis in axes.T for sign in (1, -1)]
    return bool(1 - abs(cosine) > 0.99 and min(Z) / max(Z) > 0.99)


def seventh(changed: Any, round_cloud: Any) -> bool:
    """Few points changed and another score, or many and the same score for lengths that anybody can tell apart."""
    changed = np.asarray(changed, dtype=float)
    n_changed = sum(not np.array_equal(one, other) for one, other in zip(changed, round_cloud, strict=True))
    drop = score(round_cloud) - score(changed)
    if n_changed <= len(changed) / 100:
        return n_changed > 0 and drop >= 0.3
    lengths = [np.sort(np.sqrt(((X - X.mean(0)) ** 2).sum(1))) for X in (changed, round_cloud)]
    one, other = (each / np.sqrt((each**2).mean()) for each in lengths)
    places = np.concatenate([one, other])
    apart = max(abs((one <= at).mean() - (other <= at).mean()) for at in places)
    return drop < 0.05 and apart >= 0.2


CRITERIA: dict[str, Callable[..., bool]] = {"fool": fool, "half": half, "needle": needle, "seventh": seventh}
