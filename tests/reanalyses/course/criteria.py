"""Slow, independent criteria for exercises with several correct answers."""

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np
import scipy
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.manifold import trustworthiness

from isotropy_lab.isotropy import isoscore
from tests.oracles import cosine, isoscore_seven_steps


def score(X: Any) -> float:
    """Return IsoScore by definition."""
    return float(isoscore_seven_steps(X)[0])


def fool(cloud: Any, n_clusters: int, noise: Any) -> bool:
    """Check clusters from k-means, comparing distances to own and other points directly."""
    cloud = np.asarray(cloud, dtype=float)
    if not 10 * n_clusters <= len(cloud) <= 5_000 or np.ptp(cloud) == 0:
        return False
    apart = cdist(cloud, cloud)
    fits = {}
    for k in range(2, min(n_clusters + 3, len(np.unique(cloud, axis=0)) - 1) + 1):
        labels = KMeans(k, n_init=5, random_state=0).fit_predict(cloud)
        sizes = np.bincount(labels, minlength=k)
        means = np.stack(
            [apart[:, labels == one].sum(axis=1) / max(sizes[one], 1) for one in range(k)], axis=1
        )
        everyone = np.arange(len(cloud))
        own = means[everyone, labels] * sizes[labels] / np.maximum(sizes[labels] - 1, 1)
        means[everyone, labels] = np.inf
        other = means.min(axis=1)
        fits[k] = (np.where(sizes[labels] > 1, (other - own) / np.maximum(own, other), 0).mean(), sizes.min())
    best = max(fits, key=lambda k: fits[k][0], default=0)
    return bool(
        best == n_clusters
        and fits[best][0] >= 0.59
        and fits[best][1] >= len(cloud) / (11 * n_clusters)
        and score(cloud) > 0.95
    )


def half(variance: Any, dimensions: float) -> bool:
    return bool(abs((variance + 1) ** 2 / (variance**2 + 1) - dimensions) < 0.004 and variance >= 0)


def needle(mine: Any, needle: Any) -> bool:
    """Check that all distances are proportional, and both scores by definition."""
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
    """Check few changed points with another score, or many with the same score but visibly different lengths."""
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


def mean_cosine(S: Any, T: Any) -> float:
    return float(np.mean([[cosine(one, other) for other in T] for one in S]))


def n_beaten(words: Any) -> int:
    """Compare each sublist with every sublist of its size."""
    n, found = len(words), 0
    C = np.array([[cosine(one, other) for other in words] for one in words])
    for q in range(1, n):
        lists = [list(rows) for rows in combinations(range(n), q)]
        for S in lists:
            own = C[np.ix_(S, S)].mean()
            found += any(C[np.ix_(S, T)].mean() > own + 1e-12 for T in lists)
    return found


def even(answer: Any, n: int, at_least: int, noise: Any) -> bool:
    alike, uneven, canonical, chance = answer.values() if isinstance(answer, dict) else answer
    cosines = [cosine(alike[i], alike[j]) for i, j in combinations(range(n), 2)]
    if len(alike) != n or len(uneven) != n or min(map(abs, cosines)) < 1e-6 or max(cosines) > 0.999:
        return False
    h, p = n // 2, uneven.shape[1]
    A, B = (scipy.linalg.orth(part.T) for part in (uneven[:h], uneven[h:]))
    size = np.sqrt(h * (n - h))
    right = [((A.T @ B) ** 2).sum() / size, size / p]
    return (
        n_beaten(alike) == 0
        and n_beaten(uneven) >= at_least
        and np.allclose([canonical, chance], right, atol=1e-3)
    )


def pool(rows: Any, space: Any, first: Any, second: Any) -> bool:
    known, mine = ([tuple(row) for row in np.asarray(X).tolist()] for X in (space, rows))
    if len(mine) < 50 or len(set(mine)) < len(mine) or not set(mine) <= set(known):
        return False
    rng, k, observed = np.random.default_rng(7), len(first), mean_cosine(first, second)
    count = 1
    for _ in range(2_000):
        drawn = rng.permutation(len(rows))[: 2 * k]
        count += (rows[drawn[:k]] @ rows[drawn[k:]].T).mean() >= observed
    return count / 2_001 > 0.03


def turned(answer: Any, flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int) -> bool:
    i, f, size, four = answer.values() if isinstance(answer, dict) else answer
    if len(set(i)) != n or len(set(f)) != n or len(i) != n or len(f) != n:
        return False
    parts = [
        mean_cosine(words, other) for words in (insects[i], flowers[f]) for other in (pleasant, unpleasant)
    ]
    s = [mean_cosine([w], pleasant) - mean_cosine([w], unpleasant) for w in (*insects[i], *flowers[f])]
    found = (np.mean(s[:n]) - np.mean(s[n:])) / np.std(s, ddof=1)
    return found >= 1 and abs(size - found) < 1e-3 and np.allclose(four, parts, atol=1e-4)


def pairwise(X: Any) -> Any:
    X = np.asarray(X, dtype=float)
    return np.array([np.linalg.norm(one - other) for one, other in combinations(X, 2)])


def sizes(answer: Any, X: Any, mds: Any, tsne: Any) -> bool:
    of_mds, of_tsne = answer.values() if isinstance(answer, dict) else answer
    d, e, f = pairwise(X), pairwise(mds), pairwise(tsne)
    return min(of_mds, of_tsne) > 0 and sum((d - of_tsne * f) ** 2) < sum((d - of_mds * e) ** 2)


def blind(drawing: Any, noise: Any, square: Any, uniform: Any) -> bool:
    """Check that the larger cosine between lists of distances has the smaller stress."""
    d, e, f = pairwise(noise), pairwise(drawing), pairwise(square)
    return len(drawing) == len(noise) and d @ e / np.linalg.norm(e) > d @ f / np.linalg.norm(f)


def press(answer: Any, solid: Any) -> bool:
    over, torn, far = answer.values() if isinstance(answer, dict) else answer
    flat = solid[:, :2]

    def both(drawn: Any) -> Any:
        return np.array(
            [trustworthiness(solid, drawn, n_neighbors=10), trustworthiness(drawn, solid, n_neighbors=10)]
        )

    scores = {name: both(Z) for name, Z in {"flat": flat, "over": over, "torn": torn, "far": far}.items()}
    gap = np.linalg.norm(np.mean(far[30:], axis=0) - np.mean(far[:30], axis=0)) / 20
    gap /= np.std(far[:30], axis=0).mean() / np.std(flat[:30], axis=0).mean()
    return bool(
        scores["over"][0] < min(scores["over"][1], scores["flat"][0]) - 0.02
        and scores["torn"][1] < min(scores["torn"][0], scores["flat"][1]) - 0.02
        and (scores["far"] >= scores["flat"] - 0.005).all()
        and not 0.5 < gap < 2
    )


def forged(rows: Any, X: Any, noise: Any) -> bool:
    """Check that no row equals one of X, that all are normalized, and both numbers of the card."""
    rows = np.asarray(rows, dtype=float)
    if (
        rows.shape != X.shape
        or abs(np.sqrt((rows**2).sum(axis=1)) - 1).max() > 1e-3
        or cdist(rows, X).min() < 1e-7
    ):
        return False

    def average(A: Any) -> float:
        return float((sum((A @ row).sum() for row in A) - len(A)) / (len(A) * (len(A) - 1)))

    scores = [isoscore(A, estimator="corrected") for A in (X, rows)]
    return (
        abs(average(rows) - average(X)) <= 0.8 / len(X) ** 0.5
        and 0.9 * scores[0] <= scores[1] <= 1.1 * scores[0]
    )


def foreign(answer: Any, ours: Any, theirs: Any, hit: Any, allowed: int) -> bool:
    shares = []
    given = answer.values() if isinstance(answer, dict) else answer
    for one, other in (given, (ours.max(axis=1), theirs.max(axis=1))):
        if len(one) != len(ours) or len(other) != len(theirs):
            return False
        threshold = sorted(value for value, kept in zip(one, hit, strict=True) if kept)[allowed]
        shares.append(sum(value < threshold for value in other) / len(other))
    return shares[0] >= shares[1] + 0.05


def rotation(W: Any, asked: Any, target: Any, pull: float) -> bool:
    n = asked.shape[1]
    singular = np.linalg.svd(W - np.eye(n), compute_uv=False)
    free = abs(np.linalg.svd(W, compute_uv=False) - 1).max() > 1e-6 and (singular > 1e-6).sum() > n // 4
    if W.shape != (n, n) or (free and abs(W - np.diag(np.diag(W))).max() > 1e-9):
        return False
    cosines = [
        np.mean([cosine(one, other) for one, other in zip(rows, target, strict=True)])
        for rows in (asked, asked @ W)
    ]
    return bool(cosines[1] >= cosines[0] + 0.01)


def pooled(answer: Any, n_groups: int, n_models: int) -> bool:
    table, low, high = answer.values() if "table" in answer else answer
    kin: dict[str, list[tuple[float, float]]] = {}
    for name, x, y in zip(table["group"], table["x"], table["y"], strict=True):
        kin.setdefault(str(name), []).append((float(x), float(y)))
    rows = [np.array(part).T for part in kin.values()]
    draws = [np.corrcoef(np.hstack(drawn))[0, 1] for drawn in product(rows, repeat=len(rows))]
    return bool(
        [part.shape[1] for part in rows] == [n_models] * n_groups
        and min(np.corrcoef(part)[0, 1] for part in rows) >= 1 - 1e-6
        and np.corrcoef(np.hstack(rows))[0, 1] < -0.9
        and np.allclose([low, high], [min(draws), max(draws)], atol=2e-3)
    )


def free(answer: Any, Q: Any, D: Any, noise: Any, at_least: float) -> bool:
    """Check that the similarities of every pair of documents have the same order for every question."""
    questions, documents = answer.values() if isinstance(answer, dict) else answer
    if len(questions) != len(Q) or len(documents) != len(D):
        return False
    unit = documents / np.sqrt((documents**2).sum(axis=1, keepdims=True))
    asked = questions / np.sqrt((questions**2).sum(axis=1, keepdims=True))
    for q, new in zip(Q, asked, strict=True):
        before, after = D @ q, unit @ new
        turned = (before[:, None] > before + 1e-12) & (after[:, None] < after - 1e-7)
        if turned.any():
            return False
    length, sigma = np.linalg.norm(unit.sum(axis=0)), np.linalg.svd(unit, compute_uv=False)
    least = sigma[-1] if unit.shape[1] <= len(unit) else 0.0
    score_a = (len(unit) - length + least**2 / 2) / (len(unit) + length + sigma[0] ** 2 / 2)
    return bool(score_a > 0.9 and 1 + score(unit) * (unit.shape[1] - 1) > at_least)


_ALL = (
    blind, even, fool, foreign, forged, free, half, needle, pool, pooled, press, rotation, seventh, sizes, turned
)  # fmt: skip
CRITERIA: dict[str, Callable[..., bool]] = {one.__name__: one for one in _ALL}
