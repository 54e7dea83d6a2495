"""Naive versions of the metrics in plain loops or textbook linear algebra, independent of the package."""

import itertools

import numpy as np


def cosine(a, b):
    """Compute the cosine of the angle between two vectors from its definition."""
    return np.dot(a, b) / np.sqrt(np.dot(a, a) * np.dot(b, b))


def isoscore_seven_steps(X):
    """Compute IsoScore by Algorithm 1 of Rudman et al. (2022), step by step."""
    X = np.asarray(X, dtype=float)
    n = X.shape[1]
    cov = np.cov(X, rowvar=False)
    _, axes = np.linalg.eigh(cov)
    diagonal = np.diag(np.cov((X - X.mean(0)) @ axes, rowvar=False))
    normalized = diagonal * np.sqrt(n) / np.linalg.norm(diagonal)
    defect = np.linalg.norm(normalized - 1) / np.sqrt(2 * (n - np.sqrt(n)))
    fraction = (n - defect**2 * (n - np.sqrt(n))) ** 2 / n**2
    return (n * fraction - 1) / (n - 1), defect, n * fraction


def corrected_traces_by_quadruples(X):
    """Return unbiased estimates of (tr Σ)² and tr Σ², as means over ordered quadruples of distinct points.

    For independent points, ½‖x − y‖² has mean tr Σ, so ¼‖x − y‖²‖w − z‖² has mean (tr Σ)², and
    ¼((x − y)·(w − z))² has mean tr Σ².
    """
    X = np.asarray(X, dtype=float)
    squares, products = [], []
    for i, j, k, m in itertools.permutations(range(len(X)), 4):
        a, b = X[i] - X[j], X[k] - X[m]
        squares.append((a @ a) * (b @ b) / 4)
        products.append((a @ b) ** 2 / 4)
    return np.mean(squares), np.mean(products)


def average_cosine(X):
    X = np.asarray(X, dtype=float)
    cosines = [
        (X[i] @ X[j]) / (np.linalg.norm(X[i]) * np.linalg.norm(X[j]))
        for i, j in itertools.combinations(range(len(X)), 2)
    ]
    return float(np.mean(cosines))


def partition_score(X):
    X = np.asarray(X, dtype=float)
    columns = list(np.linalg.eigh(X.T @ X)[1].T)
    directions = columns + [-c for c in columns]
    Z = [sum(np.exp(float(c @ x)) for x in X) for c in directions]
    return min(Z) / max(Z)


def partition_score_second_order(X):
    X = np.asarray(X, dtype=float)
    values = np.linalg.eigvalsh(X.T @ X)
    length = np.linalg.norm(X.sum(axis=0))
    return (len(X) - length + max(values[0], 0) / 2) / (len(X) + length + values[-1] / 2)


def intrinsic_dimension(X, k):
    X = np.asarray(X, dtype=float)
    X = X[sorted(np.unique(X, axis=0, return_index=True)[1])]
    inverse = []
    for i, x in enumerate(X):
        T = sorted(np.linalg.norm(x - y) for j, y in enumerate(X) if j != i)[:k]
        inverse.append(sum(np.log(T[-1] / t) for t in T[:-1]) / (k - 1))
    return 1 / np.mean(inverse)


def varex_score(X, k):
    X = np.asarray(X, dtype=float)
    values = np.linalg.eigvalsh(np.cov(X, rowvar=False))[::-1]
    return (k / X.shape[1]) / (values[:k].sum() / values.sum())


def log_corrected_ratio(X):
    """Return the logarithm of the corrected ratio (tr Σ)² / tr Σ²."""
    X = np.asarray(X, dtype=float)
    N = len(X)
    Y = X - X.mean(0)
    S = Y.T @ Y / (N - 1)
    t1, t2, Q = np.trace(S), np.sum(S * S), np.sum(np.sum(Y * Y, axis=1) ** 2) / (N - 1)
    c = (N - 1) / (N * (N - 2) * (N - 3))
    return np.log((2 * t2 + (N * N - 3 * N + 1) * t1**2 - N * Q) * c) - np.log(
        ((N - 1) * (N - 2) * t2 + t1**2 - N * Q) * c
    )


def jackknife(X, labels):
    """Return the log ratio and its standard error, by refitting without each group."""
    X, labels = np.asarray(X, dtype=float), np.asarray(labels)
    without = np.array([log_corrected_ratio(X[labels != g]) for g in np.unique(labels)])
    return log_corrected_ratio(X), np.sqrt((len(without) - 1) * np.var(without))


def affinities(X, perplexity, distance=np.linalg.norm):
    """Return the joint probabilities of pairs, with each bandwidth found by bisection."""
    X = np.asarray(X, dtype=float)
    N = len(X)
    conditional = np.zeros((N, N))
    for i in range(N):
        others = [j for j in range(N) if j != i]
        squares = np.array([distance(X[i] - X[j]) ** 2 for j in others])
        squares = (squares - squares.min()) / (squares.max() - squares.min())
        low, high = -50.0, 50.0
        for _ in range(200):
            middle = (low + high) / 2
            p = np.exp(-np.exp(middle) * squares)
            p /= p.sum()
            entropy = -sum(q * np.log(q) for q in p if q > 0)
            low, high = (middle, high) if entropy > np.log(perplexity) else (low, middle)
        conditional[i, others] = p
    return (conditional + conditional.T) / (2 * N)


def log_kernel(Y, scale, kernel):
    """Return the logarithms of the unnormalized Q, with −inf on the diagonal."""
    Y = np.asarray(Y, dtype=float)
    with np.errstate(divide="ignore"):
        squares = np.array([[np.sum((a - b) ** 2) for b in Y] for a in Y])
        logs = {
            "student-t": lambda: -np.log1p(scale**2 * squares),
            "gaussian": lambda: -(scale**2) * squares,
            "inverse-square": lambda: -np.log(squares),
        }[kernel]()
    np.fill_diagonal(logs, -np.inf)
    return logs


def kl_divergence(P, Y, scale=1.0, kernel="student-t"):
    logs = log_kernel(Y, scale, kernel)
    log_q = logs - logs.max() - np.log(np.sum(np.exp(logs - logs.max())))
    return sum(p * (np.log(p) - q) for p, q in zip(np.ravel(P), np.ravel(log_q), strict=True) if p > 0)


def retrieval_scores(ranking, grades, k=None, gain="linear"):
    """Return the metrics of one question, from the retrieved documents and the grades of relevant ones."""
    k = len(ranking) if k is None else k
    gains = {d: g if gain == "linear" else 2**g - 1 for d, g in grades.items() if g > 0}
    hits, precisions, reciprocal, dcg = 0, 0.0, 0.0, 0.0
    for rank, document in enumerate(ranking[:k], 1):
        if document in gains:
            hits += 1
            precisions += hits / rank
            reciprocal = reciprocal or 1 / rank
            dcg += gains[document] / np.log2(rank + 1)
    ideal = sorted(gains.values(), reverse=True)[:k]
    return {
        "accuracy": float(hits > 0),
        "recall": hits / len(gains),
        "ndcg": dcg / sum(g / np.log2(rank + 1) for rank, g in enumerate(ideal, 1)),
        "mrr": reciprocal,
        "map": precisions / len(gains),
    }


def nearest_neighbors(X, k, metric):
    """Return indices and values of the k nearest other points, pair by pair; values equal to 40 bits tie."""
    rows = [[float(value) for value in row] for row in np.asarray(X)]

    def dot(x, y):
        return sum(a * b for a, b in zip(x, y, strict=True))

    indices, values = [], []
    for i, x in enumerate(rows):
        entries = []
        for j, y in enumerate(rows):
            if metric == "cosine":
                value = round(dot(x, y) / (dot(x, x) * dot(y, y)) ** 0.5 / 2.0**-40) * 2.0**-40
                entries.append((-value, j, value))
            else:
                difference = [a - b for a, b in zip(x, y, strict=True)]
                mantissa, exponent = np.frexp(dot(difference, difference))
                square = np.ldexp(round(mantissa / 2.0**-40) * 2.0**-40, exponent)
                entries.append((square, j, float(square) ** 0.5))
        nearest = sorted(entry for entry in entries if entry[1] != i)[:k]
        indices.append([entry[1] for entry in nearest])
        values.append([entry[2] for entry in nearest])
    return indices, values


def unbiased_cka(A, B):
    """Return CKA with the unbiased products of Song et al. (2012)."""

    def product(K, L):
        n, ones = len(K), np.ones(len(K))
        K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
        middle = (ones @ K @ ones) * (ones @ L @ ones) / ((n - 1) * (n - 2))
        return (np.trace(K @ L) + middle - 2 / (n - 2) * (ones @ K @ L @ ones)) / (n * (n - 3))

    K, L = A @ A.T, B @ B.T
    return product(K, L) / np.sqrt(product(K, K) * product(L, L))


def shared_neighbors(A, B, k, metric):
    """Return the number of shared neighbors of each item by sorting; ties go to the lower index."""

    def lists(X):
        neighbors = []
        for i, x in enumerate(X):
            if metric == "cosine":
                distances = [-(x @ y) / (np.linalg.norm(x) * np.linalg.norm(y)) for y in X]
            else:
                distances = [np.linalg.norm(x - y) for y in X]
            others = [j for j in range(len(X)) if j != i]
            neighbors.append(sorted(others, key=lambda j, d=distances: (round(d[j], 10), j))[:k])
        return neighbors

    return [len(set(a) & set(b)) for a, b in zip(lists(A), lists(B), strict=True)]


def energy_distance(A, B):
    """Return twice the mean distance between the samples minus the mean distances within each."""

    def mean(X, Y):
        return np.mean([[np.linalg.norm(x - y) for y in Y] for x in X])

    return 2 * mean(A, B) - mean(A, A) - mean(B, B)


def distance_ranks(X, metric="euclidean"):
    """Return the rank of every point by distance from each point, 0 for itself; ties are in point order."""
    X = np.asarray(X, dtype=float)
    D = X if metric == "precomputed" else np.stack([np.linalg.norm(X - x, axis=1) for x in X])
    ranks = np.zeros(D.shape, dtype=int)
    for i in range(len(D)):
        others = [j for j in range(len(D)) if j != i]
        # Distances that are equal to twelve digits tie.
        for rank, j in enumerate(sorted(others, key=lambda j: (float(f"{D[i, j]:.11e}"), j)), start=1):
            ranks[i, j] = rank
    return ranks


def co_ranking(R, r):
    """Return trustworthiness, continuity, and preserved neighbors by K, from ranks in data and map."""

    def at(K):
        N = len(R)
        # At worst, the K neighbors are the farthest points, of which at most N − 1 − K have ranks above K.
        n_worst = min(K, N - 1 - K)
        worst = N * sum(N - 1 - m - K for m in range(n_worst))
        false, missing = (r <= K) & (R > K), (R <= K) & (r > K)
        kept = ((R >= 1) & (R <= K) & (r <= K)).sum() / (N * K)
        return 1 - (R[false] - K).sum() / worst, 1 - (r[missing] - K).sum() / worst, kept

    return at
