"""Simulations of the guarantee of `isotropy_lab.retrieval.similarity_threshold`, and of the loss used."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy import stats

from benchmarks.calibration import Floats, Part, Row, share
from isotropy_lab.retrieval import similarity_threshold
from isotropy_lab.retrieval.thresholds import SimilarityThreshold

SEED = 34
MARGIN = 0.02
#: Number of questions; the error of their mean is 1/30 of that of a sample of 2,000.
_POPULATION = 2_000_000
#: Out-of-scope queries, equal in number, with normal similarities of this mean and standard deviation.
_N_OUTSIDE, _OUTSIDE_MEAN, _OUTSIDE_SPREAD = 100, 0.4, 0.1
#: The metric, and the kind of groups.
METRICS_AND_GROUPS = (
    ("accuracy", "none"),
    ("mrr", "none"),
    ("ndcg", "none"),
    ("accuracy", "of 3"),
    ("accuracy", "of 1 to 9"),
)


def _clusters(rng: np.random.Generator, shifts: Floats) -> Floats:
    """Return questions of which 2.01%, just above the margin, lose their hit at any useful threshold."""
    return np.where(shifts > 1.93, 0.3, 0.6) + 0.01 * rng.random(shifts.size)


#: Similarity of each question's relevant document, from a normal number that a group may share.
POPULATIONS: dict[str, Callable[[np.random.Generator, Floats], Floats]] = {
    "Gaussian": lambda rng, shifts: 0.5 + 0.1 * shifts,
    "two clusters": _clusters,
    "heavy tails": lambda rng, shifts: 0.6 - 0.05 * np.exp(shifts),
    "few values": lambda rng, shifts: np.round(0.5 + 0.1 * shifts, 1),
}


def _questions(rng: np.random.Generator, name: str, n: int, groups: str) -> tuple[Floats, Floats, Floats]:
    """Return similarities, ranks, and groups for n groups, or for n questions; rank 4 is not a hit.

    Unequal groups with lower similarities are larger. A group counts once, so that the population consists of
    one question per group.
    """
    shared = rng.standard_normal(n)
    if groups == "none":
        labels, shifts = np.arange(n), shared
    else:
        sizes = np.full(n, 3) if groups == "of 3" else np.clip(np.rint(4.0 - 3.0 * shared), 1, 9).astype(int)
        labels = np.repeat(np.arange(n), sizes)
        shifts = np.sqrt(0.8) * shared[labels] + np.sqrt(0.2) * rng.standard_normal(labels.size)
    ranks = rng.choice([1, 2, 3, 4], p=[0.5, 0.15, 0.1, 0.25], size=labels.size)
    return POPULATIONS[name](rng, shifts), ranks, labels


def threshold_guarantees(n_runs: int) -> Iterator[Row]:
    """Choose thresholds on samples with a margin of 0.02, and measure the loss over the whole population.

    Broken: more than the margin. Given: the mean loss over that of the best threshold, known in hindsight.
    Overstated: of 100 questions out of scope, a bound of the share that gets no document above the true
    share.
    """
    for name in POPULATIONS:
        for metric, groups in METRICS_AND_GROUPS:
            rng = np.random.default_rng(SEED)
            values, ranks, _ = _questions(rng, name, _POPULATION, "none")
            gains = {"accuracy": ranks**0, "mrr": 1.0 / ranks, "ndcg": 1.0 / np.log2(1.0 + ranks)}
            scores = np.where(ranks < 4, gains[metric], 0.0)
            order = np.argsort(values)
            ordered, lost = values[order], np.append(0.0, np.cumsum(scores[order])) / _POPULATION
            # A threshold equal to a similarity of the population loses all hits with lower similarities.
            losses_of_thresholds = lost[np.searchsorted(ordered, ordered)]
            best = losses_of_thresholds[losses_of_thresholds <= MARGIN].max()
            for n in (200, 700, 2000):
                chosen = [_threshold(rng, name, n, metric, groups) for _ in range(n_runs)]
                results = [r for r in chosen if r is not None]
                limits = np.array([r.threshold for r in results])
                losses = lost[np.searchsorted(ordered, limits)]
                rejected = stats.norm.cdf(limits, _OUTSIDE_MEAN, _OUTSIDE_SPREAD)
                overstated = [r.rejected_low > true for r, true in zip(results, rejected, strict=True)]
                yield {
                    "population": name,
                    "metric": metric,
                    "groups": groups,
                    "n": n,
                    "refused": n_runs - len(results),
                    "broken": share(int((losses > MARGIN).sum()), n_runs),
                    "overstated": share(sum(overstated), n_runs),
                    "given": float(losses.mean() / best) if results and best > 0 else None,
                }


def _threshold(
    rng: np.random.Generator, name: str, n: int, metric: str, groups: str
) -> SimilarityThreshold | None:
    """Return the threshold of a sample, or None if there are too few questions."""
    values, ranks, labels = _questions(rng, name, n, groups)
    outside = rng.normal(_OUTSIDE_MEAN, _OUTSIDE_SPREAD, _N_OUTSIDE)
    try:
        return similarity_threshold(
            np.repeat(values[:, None], 3, axis=1), ranks, margin=MARGIN, metric=metric,
            groups=None if groups == "none" else labels, out_of_scope=outside,
        )  # fmt: skip
    except ValueError:
        return None


PARTS = {"thresholds": Part(threshold_guarantees, 2000, SEED)}
