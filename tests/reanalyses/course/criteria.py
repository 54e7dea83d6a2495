"""Slow, independent criteria, each named after its exercise, for exercises with several correct answers."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.manifold import trustworthiness

from isotropy_lab.isotropy import isoscore
from tests.oracles import cosine, isoscore_seven_steps


def naive_isoscore(X: Any) -> float:
    """Return IsoScore by definition."""
    return float(isoscore_seven_steps(X)[0])


def fool(cloud: Any, n_clusters: int, noise: Any) -> bool:
    """Check clusters from k-means, with silhouettes from all distances."""
    cloud = np.asarray(cloud, dtype=float)
    if not 10 * n_clusters <= len(cloud) <= 5_000 or np.ptp(cloud) == 0:
        return False
    distances = cdist(cloud, cloud)
    fits = {}
    for k in range(2, min(n_clusters + 3, len(np.unique(cloud, axis=0)) - 1) + 1):
        labels = KMeans(k, n_init=5, random_state=0).fit_predict(cloud)
        sizes = np.bincount(labels, minlength=k)
        means = np.stack([distances[:, labels == c].sum(axis=1) / max(sizes[c], 1) for c in range(k)], axis=1)
        rows = np.arange(len(cloud))
        a = means[rows, labels] * sizes[labels] / np.maximum(sizes[labels] - 1, 1)
        means[rows, labels] = np.inf
        b = means.min(axis=1)
        fits[k] = (np.where(sizes[labels] > 1, (b - a) / np.maximum(a, b), 0).mean(), sizes.min())
    best = max(fits, key=lambda k: fits[k][0], default=0)
    return bool(
        best == n_clusters
        and fits[best][0] >= 0.59
        and fits[best][1] >= len(cloud) / (11 * n_clusters)
        and naive_isoscore(cloud) > 0.95
    )


def half(variance: Any, dimensions: float) -> bool:
    """Check that the variances (v, 1) have the given number of dimensions used."""
    return bool(abs((variance + 1) ** 2 / (variance**2 + 1) - dimensions) < 0.004 and variance >= 0)


def needle(rows: Any, needle: Any) -> bool:
    """Check that all distances are proportional, and compute average cosine and partition score."""
    rows = np.asarray(rows, dtype=float)
    d, expected = cdist(rows[:60], rows), cdist(needle[:60], needle)
    if rows.shape != needle.shape or not np.allclose(d / d.max(), expected / expected.max(), atol=1e-9):
        return False
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = ((units @ units.T).sum() - len(rows)) / (len(rows) * (len(rows) - 1))
    directions = np.linalg.eigh(rows.T @ rows)[1]
    Z = [np.exp(sign * rows @ axis).sum() for axis in directions.T for sign in (1, -1)]
    return bool(1 - abs(cosine) > 0.99 and min(Z) / max(Z) > 0.99)


def seventh(changed: Any, round_cloud: Any) -> bool:
    """Check few changed points with another score, or many with the same score but visibly different lengths."""
    changed = np.asarray(changed, dtype=float)
    n_changed = sum(not np.array_equal(a, b) for a, b in zip(changed, round_cloud, strict=True))
    drop = naive_isoscore(round_cloud) - naive_isoscore(changed)
    if n_changed <= len(changed) / 100:
        return n_changed > 0 and drop >= 0.3
    lengths = [np.sort(np.sqrt(((X - X.mean(0)) ** 2).sum(1))) for X in (changed, round_cloud)]
    a, b = (sizes / np.sqrt((sizes**2).mean()) for sizes in lengths)
    thresholds = np.concatenate([a, b])
    ks_distance = max(abs((a <= t).mean() - (b <= t).mean()) for t in thresholds)
    return drop < 0.05 and ks_distance >= 0.2


def mean_cosine(S: Any, T: Any) -> float:
    return float(np.mean([[cosine(a, b) for b in T] for a in S]))


def count_outscored_sublists(words: Any) -> int:
    """Count the sublists that another sublist of the same size outscores in mean cosine."""
    n, count = len(words), 0
    C = np.array([[cosine(a, b) for b in words] for a in words])
    for q in range(1, n):
        lists = [list(rows) for rows in combinations(range(n), q)]
        for S in lists:
            within = C[np.ix_(S, S)].mean()
            count += any(C[np.ix_(S, T)].mean() > within + 1e-12 for T in lists)
    return count


def even(answer: Any, n: int, at_least: int, noise: Any) -> bool:
    """Check by loops that no sublist of one list is outscored and many of the other are."""
    alike, uneven = answer.values() if isinstance(answer, dict) else answer
    cosines = [cosine(alike[i], alike[j]) for i, j in combinations(range(n), 2)]
    if len(alike) != n or len(uneven) != n or min(map(abs, cosines)) < 1e-6 or max(cosines) > 0.999:
        return False
    return count_outscored_sublists(alike) == 0 and count_outscored_sublists(uneven) >= at_least


def pool(rows: Any, space: Any, first: Any, second: Any) -> bool:
    """Check by simulation that words of the pool reach the observed mean cosine in more than 3% of draws."""
    allowed, chosen = ([tuple(row) for row in np.asarray(X).tolist()] for X in (space, rows))
    if len(chosen) < 50 or len(set(chosen)) < len(chosen) or not set(chosen) <= set(allowed):
        return False
    rng, k, observed = np.random.default_rng(7), len(first), mean_cosine(first, second)
    count = 1
    for _ in range(2_000):
        order = rng.permutation(len(rows))[: 2 * k]
        count += (rows[order[:k]] @ rows[order[k:]].T).mean() >= observed
    return count / 2_001 > 0.03


def turned(answer: Any, flowers: Any, insects: Any, pleasant: Any, unpleasant: Any, n: int) -> bool:
    """Check that the chosen words reverse the effect, with a size of at least 1, and the reported similarities."""
    i, f, cosines = answer.values() if isinstance(answer, dict) else answer
    if len(set(i)) != n or len(set(f)) != n or len(i) != n or len(f) != n:
        return False
    expected_cosines = [
        mean_cosine(words, attr) for words in (insects[i], flowers[f]) for attr in (pleasant, unpleasant)
    ]
    s = [mean_cosine([w], pleasant) - mean_cosine([w], unpleasant) for w in (*insects[i], *flowers[f])]
    d = (np.mean(s[:n]) - np.mean(s[n:])) / np.std(s, ddof=1)
    return bool(d >= 1 and np.allclose(cosines, expected_cosines, atol=1e-4))


def pairwise_distances(X: Any) -> Any:
    X = np.asarray(X, dtype=float)
    return np.array([np.linalg.norm(a - b) for a, b in combinations(X, 2)])


def sizes(answer: Any, X: Any, mds: Any, tsne: Any) -> bool:
    of_mds, of_tsne = answer.values() if isinstance(answer, dict) else answer
    d, e, f = pairwise_distances(X), pairwise_distances(mds), pairwise_distances(tsne)
    return min(of_mds, of_tsne) > 0 and sum((d - of_tsne * f) ** 2) < sum((d - of_mds * e) ** 2)


def blind(drawing: Any, noise: Any, square: Any, uniform: Any) -> bool:
    """Check that the larger cosine between lists of distances has the smaller stress."""
    d, e, f = pairwise_distances(noise), pairwise_distances(drawing), pairwise_distances(square)
    return len(drawing) == len(noise) and d @ e / np.linalg.norm(e) > d @ f / np.linalg.norm(f)


def press(answer: Any, solid: Any) -> bool:
    """Check trustworthiness and continuity of projections that are laid over, torn, and moved far apart."""
    over, torn, far = answer.values() if isinstance(answer, dict) else answer
    flat = solid[:, :2]

    def rate(Z: Any) -> Any:
        return np.array(
            [trustworthiness(solid, Z, n_neighbors=10), trustworthiness(Z, solid, n_neighbors=10)]
        )

    scores = {name: rate(Z) for name, Z in {"flat": flat, "over": over, "torn": torn, "far": far}.items()}
    gaps, spreads = [], []
    for Z in (flat, np.asarray(far)):
        gaps.append(np.hypot(*(Z[30:].mean(axis=0) - Z[:30].mean(axis=0))))
        spreads.append(max(np.std(Z[:30], axis=0).mean(), np.std(Z[30:], axis=0).mean()))
    return bool(
        scores["over"][0] < min(scores["over"][1], scores["flat"][0]) - 0.02
        and scores["torn"][1] < min(scores["torn"][0], scores["flat"][1]) - 0.02
        and (scores["far"] >= scores["flat"] - 0.005).all()
        and gaps[1] / gaps[0] >= 2.95 * spreads[1] / spreads[0]
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

    def average_cosine(A: Any) -> float:
        return float((sum((A @ row).sum() for row in A) - len(A)) / (len(A) * (len(A) - 1)))

    scores = [isoscore(A, estimator="corrected") for A in (X, rows)]
    return (
        abs(average_cosine(rows) - average_cosine(X)) <= 0.8 / len(X) ** 0.5
        and 0.9 * scores[0] <= scores[1] <= 1.1 * scores[0]
    )


def foreign(answer: Any, ours: Any, theirs: Any, hit: Any, allowed: int) -> bool:
    """Check that the scores reject more out-of-scope questions than the maximum, with as many lost hits."""
    rates = []
    pair = answer.values() if isinstance(answer, dict) else answer
    for relevant, out_of_scope in (pair, (ours.max(axis=1), theirs.max(axis=1))):
        if len(relevant) != len(ours) or len(out_of_scope) != len(theirs):
            return False
        threshold = sorted(value for value, is_hit in zip(relevant, hit, strict=True) if is_hit)[allowed]
        rates.append(sum(value < threshold for value in out_of_scope) / len(out_of_scope))
    return rates[0] >= rates[1] + 0.05


def rotation(W: Any, asked: Any, target: Any, pull: float) -> bool:
    """Check that W is orthogonal, diagonal, or a change in few directions, and raises the mean cosine."""
    n = asked.shape[1]
    singular = np.linalg.svd(W - np.eye(n), compute_uv=False)
    free = abs(np.linalg.svd(W, compute_uv=False) - 1).max() > 1e-6 and (singular > 1e-6).sum() > n // 4
    if W.shape != (n, n) or (free and abs(W - np.diag(np.diag(W))).max() > 1e-9):
        return False
    cosines = [
        np.mean([cosine(row, expected) for row, expected in zip(rows, target, strict=True)])
        for rows in (asked, asked @ W)
    ]
    return bool(cosines[1] >= cosines[0] + 0.01)


def pooled(answer: Any, n_groups: int, n_models: int) -> bool:
    """Check the correlations within and across groups, and the two parts of the covariance."""
    table, within, between = answer.values() if "table" in answer else answer
    members: dict[str, list[tuple[float, float]]] = {}
    for name, x, y in zip(table["group"], table["x"], table["y"], strict=True):
        members.setdefault(str(name), []).append((float(x), float(y)))
    rows = [np.array(group).T for group in members.values()]
    everything = np.hstack(rows)
    scale = np.prod(everything.std(axis=1))
    own = np.mean([np.cov(group, bias=True)[0, 1] for group in rows])
    means = np.cov(np.array([group.mean(axis=1) for group in rows]).T, bias=True)[0, 1]
    return bool(
        [group.shape[1] for group in rows] == [n_models] * n_groups
        and min(np.corrcoef(group)[0, 1] for group in rows) >= 1 - 1e-6
        and np.corrcoef(everything)[0, 1] < -0.9
        and np.allclose([within, between], [own / scale, means / scale], rtol=0, atol=2e-3)
    )


def free(answer: Any, Q: Any, D: Any, noise: Any) -> bool:
    """Check that the similarities of every pair of documents have the same order for every question."""
    questions, documents = answer.values() if isinstance(answer, dict) else answer
    if len(questions) != len(Q) or len(documents) != len(D):
        return False
    unit = documents / np.sqrt((documents**2).sum(axis=1, keepdims=True))
    unit_questions = questions / np.sqrt((questions**2).sum(axis=1, keepdims=True))
    for q, new in zip(Q, unit_questions, strict=True):
        before, after = D @ q, unit @ new
        swapped = (before[:, None] > before + 1e-12) & (after[:, None] < after - 1e-7)
        if swapped.any():
            return False
    length, sigma = np.linalg.norm(unit.sum(axis=0)), np.linalg.svd(unit, compute_uv=False)
    smallest = sigma[-1] if unit.shape[1] <= len(unit) else 0.0
    score_a = (len(unit) - length + smallest**2 / 2) / (len(unit) + length + sigma[0] ** 2 / 2)
    return bool(score_a > 0.9)


_ALL = (
    blind, even, fool, foreign, forged, free, half, needle, pool, pooled, press, rotation, seventh, sizes, turned
)  # fmt: skip
CRITERIA: dict[str, Callable[..., bool]] = {criterion.__name__: criterion for criterion in _ALL}
