"""Results that decide the claims of Weller et al. (2025), version 1: one function per entry of ``ledger.toml``.

A query returns a set of documents when each of them scores above all others. Everything here is arithmetic, a
construction, or a proof that is checked on examples. Random draws have fixed seeds.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reanalyses.ledger import Finding
from reanalyses.zeros import or_zero

Array = NDArray[np.float64]

#: Coefficients of the polynomial of Figure 2 in ascending order of degree, and their largest rounding error.
COEFFICIENTS, ROUNDING = (-10.5322, 4.0309, 0.0520, 0.0037), 0.00005
#: Published extrapolation of the curve in documents, by dimension, and half a unit of its last digit.
PUBLISHED_N = {512: (5e5, 5e4), 768: (1.7e6, 5e4), 1024: (4e6, 5e5), 3072: (1.07e8, 5e5), 4096: (2.5e8, 5e6)}


# --- data shared by several claims --------------------------------------------------------------------------


def documents_on_curve(n: int) -> Array:
    """Return n unit-norm documents (cos t, sin t, cos 2t, sin 2t)/√2 at equally spaced t."""
    t = 2.0 * np.pi * np.arange(n) / n
    return np.asarray(np.stack([np.cos(t), np.sin(t), np.cos(2 * t), np.sin(2 * t)], axis=1) / np.sqrt(2.0))


def pairs_of(n: int) -> NDArray[np.intp]:
    """Return all pairs of n documents."""
    return np.array(list(combinations(range(n), 2)))


def pair_gaps(n: int) -> Array:
    """Return the margins by which queries score each pair of n `documents_on_curve` above all others.

    The score at t decreases with (1 − cos(t − a))(1 − cos(t − b)), which is 0 at the a and b of the pair and
    positive elsewhere.
    """
    pairs = pairs_of(n)
    a, b = 2.0 * np.pi * pairs.T / n
    queries = np.stack(
        [np.cos(a) + np.cos(b), np.sin(a) + np.sin(b), -np.cos(a + b) / 2, -np.sin(a + b) / 2], axis=1
    )
    scores = queries / np.linalg.norm(queries, axis=1, keepdims=True) @ documents_on_curve(n).T
    lowest = np.take_along_axis(scores, pairs, axis=1).min(axis=1)
    np.put_along_axis(scores, pairs, -np.inf, axis=1)
    return np.asarray(lowest - scores.max(axis=1))


def critical_n(d: float) -> float:
    """Return the number of documents from which dimension d is too small according to the curve of Figure 2."""
    return float(np.polynomial.polynomial.polyval(d, COEFFICIENTS))


def log10_of_sets(n: int, k: int) -> float:
    """Return the decimal logarithm of the number of sets of k documents out of n."""
    return math.log10(math.comb(n, k))


def radon_weights(documents: Array) -> Array:
    """Return weights of d + 2 documents whose sum and weighted sum of documents are 0 (Radon's theorem)."""
    return np.asarray(np.linalg.svd(np.column_stack([documents, np.ones(len(documents))]).T)[2][-1])


def thresholds(relevant: NDArray[np.bool_], scores: Array) -> Array:
    """Return each query's midpoint between its lowest relevant score and its highest other score."""
    lowest_relevant = np.where(relevant, scores, np.inf).min(axis=1)
    highest_other = np.where(relevant, -np.inf, scores).max(axis=1)
    return np.asarray((lowest_relevant + highest_other) / 2.0)


def top_k(scores: Array, k: int = 3) -> NDArray[np.bool_]:
    """Return a mask of the top k documents of each query."""
    return np.asarray(scores >= np.sort(scores, axis=1)[:, [-k]])


# --- Sections 1 to 3: what can be represented ---------------------------------------------------------------


def sets_that_no_query_returns() -> Finding:
    """Test whether queries miss some set: error of Radon's weights, queries that return the smaller side."""
    rng = np.random.default_rng(0)
    error, n_returned, sizes = 0.0, 0, []
    for d in (1, 2, 4, 8, 16, 32, 64):
        documents = rng.standard_normal((d + 2, d))
        weights = radon_weights(documents)
        smaller = weights > 0 if 2 * np.sum(weights > 0) <= d + 2 else weights < 0
        scores = rng.standard_normal((10_000, d)) @ documents.T
        error = max(error, float(np.abs(weights @ documents).max() + abs(weights.sum())))
        n_returned += int(np.sum(scores[:, smaller].min(axis=1) > scores[:, ~smaller].max(axis=1)))
        sizes.append(int(smaller.sum()))
    return Finding(
        (error, float(n_returned)),
        error < 1e-9 and n_returned == 0,
        f"sets of {', '.join(map(str, sizes))} documents in 1, 2, 4, …, 64 dimensions; returned by {n_returned} queries; "
        f"weights off by {or_zero(error)}",
    )


def top_pairs_are_limited() -> Finding:
    """Test whether the dimension limits pairs: pairs of 46 and of 200 documents that no query returns."""
    margins_by_size = [pair_gaps(n) for n in (46, 200)]
    missed = [float(np.sum(margins <= 0)) for margins in margins_by_size]
    returned = ", ".join(f"{len(margins):,} by {margins.min():.0e} or more" for margins in margins_by_size)
    return Finding(
        tuple(missed), max(missed) > 0, f"pairs not returned: {max(missed):.0f}; returned: {returned}"
    )


def sign_rank_is_at_least_d() -> Finding:
    """Test whether a solution in d dimensions has sign rank at least d: d = 12, and rank of a sign matrix."""
    t = 2.0 * np.pi * np.arange(12) / 12
    scores = np.cos(t[:, None] - t)  # documents and queries on a circle
    relevant = np.eye(12, dtype=bool)
    margins = scores - thresholds(relevant, scores)[:, None]
    rank = int(np.linalg.matrix_rank(margins)) if np.array_equal(margins > 0, relevant) else 12
    return Finding(
        (12.0, float(rank)), rank >= 12, f"solved in 12 dimensions; signs by a matrix of rank {rank}"
    )


def order_is_a_threshold() -> Finding:
    """Test whether row-wise order and threshold ranks agree: documents on the wrong side of midpoints."""
    rng = np.random.default_rng(0)
    n_wrong = 0
    for i in range(200):
        scores = rng.standard_normal((30, 1 + i % 8)) @ rng.standard_normal((1 + i % 8, 20))
        n_wrong += int(np.sum((scores > thresholds(top_k(scores), scores)[:, None]) != top_k(scores)))
    return Finding((float(n_wrong),), n_wrong == 0, f"{n_wrong} documents on the wrong side in 200 matrices")


def ranks_are_in_a_chain() -> Finding:
    """Test whether sign rank − 1 is at most the row-wise rank: largest excess in rank, wrong signs."""
    rng = np.random.default_rng(1)
    excess, n_wrong = 0, 0
    for d in range(1, 9):
        scores = rng.standard_normal((30, d)) @ rng.standard_normal((d, 20))
        margins = scores - thresholds(top_k(scores), scores)[:, None]
        excess = max(excess, int(np.linalg.matrix_rank(margins)) - d)
        n_wrong += int(np.sum((margins > 0) != top_k(scores)))
    return Finding(
        (float(excess), float(n_wrong)),
        excess <= 1 and n_wrong == 0,
        f"rank higher by {excess}, {n_wrong} wrong signs",
    )


# --- Sections 4 and 5, and the appendix: free embeddings, and numbers ----------------------------------------


def failure_shows_infeasibility() -> Finding:
    """Test whether failed optimization shows infeasibility: documents by the curve, pairs of 46 returned."""
    margins = pair_gaps(46)
    return Finding(
        (critical_n(4), float(np.sum(margins > 0))),
        critical_n(4) >= 46 or bool((margins <= 0).any()),
        f"four dimensions, by the curve {critical_n(4):.1f} documents; by construction {np.sum(margins > 0):,} of {len(margins):,} "
        "pairs of 46",
    )


def extrapolated_curve() -> Finding:
    """Test whether the curve of Figure 2 gives the published extrapolations, given the rounding of both."""
    values = {d: critical_n(d) for d in PUBLISHED_N}
    holds = all(
        abs(values[d] - published) <= rounding + ROUNDING * (1 + d + d**2 + d**3)
        for d, (published, rounding) in PUBLISHED_N.items()
    )
    detail = ", ".join(f"{value / 1e6:.2f} million at {d}" for d, value in values.items())
    return Finding(tuple(values.values()), holds, detail)


def dimensions_for_46() -> Finding:
    """Test whether 12 dimensions suffice for 46 documents: first dimension where the curve reaches 46."""
    first = next(d for d in range(1, 100) if critical_n(d) >= 46)
    return Finding(
        (float(first),), True, f"{critical_n(11):.1f} at 11 dimensions, {critical_n(12):.1f} at 12"
    )


def numbers_of_sets() -> Finding:
    """Recompute the numbers of sets of 100 of 50,000 and 20 of 325,000 documents, as mantissas."""
    values = (10 ** (log10_of_sets(50_000, 100) - 311), 10 ** (log10_of_sets(325_000, 20) - 91))
    return Finding(values, True, f"{values[0]:.2f}e+311 and {values[1]:.2f}e+91")


def query_strength() -> Finding:
    """Recompute LIMIT's query strength: average sum of Jaccard similarities, 1/3 for each shared document."""
    queries = np.random.default_rng(0).choice(pairs_of(46), 1_000, replace=False)
    degrees = np.bincount(queries.ravel(), minlength=46)
    value = float(np.sum(degrees * (degrees - 1)) / 3.0 / len(queries))
    return Finding((value,), True, f"average query strength {value:.2f}")
