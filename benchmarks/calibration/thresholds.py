"""`isotropy_lab.retrieval.similarity_threshold`: how often its guarantee fails, and how much loss it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.calibration import Floats, Part, Row, share
from isotropy_lab.retrieval import similarity_threshold

SEED = 34
MARGIN = 0.02
#: Its own error is a thirtieth of the standard error of a sample of 2,000.
_POPULATION = 2_000_000
_IN_A_GROUP = 3


def _clusters(rng: np.random.Generator, shifts: Floats) -> Floats:
    """Of a hundred questions 2.01 lose their hit at any useful threshold: a little more than the margin."""
    return np.where(shifts > 1.93, 0.3, 0.6) + 0.01 * rng.random(shifts.size)


#: Similarity of the relevant document of each question, from a normal number that a group may share.
POPULATIONS: dict[str, Callable[[np.random.Generator, Floats], Floats]] = {
    "Gaussian": lambda rng, shifts: 0.5 + 0.1 * shifts,
    "two clusters": _clusters,
    "heavy tails": lambda rng, shifts: 0.6 - 0.05 * np.exp(shifts),
    "few values": lambda rng, shifts: np.round(0.5 + 0.1 * shifts, 1),
}


def _questions(rng: np.random.Generator, name: str, n: int, grouped: bool) -> tuple[Floats, Floats]:
    """Return similarities and ranks of n groups of three questions, or of n questions; rank 4 is no hit."""
    size = n * _IN_A_GROUP if grouped else n
    shared = np.repeat(rng.standard_normal(n), _IN_A_GROUP) if grouped else rng.standard_normal(n)
    shifts = np.sqrt(0.8) * shared + np.sqrt(0.2) * rng.standard_normal(size) if grouped else shared
    ranks = rng.choice([1, 2, 3, 4], p=[0.5, 0.15, 0.1, 0.25], size=size)
    return POPULATIONS[name](rng, shifts), ranks


def promises(size: int) -> Iterator[Row]:
    """Choose thresholds on samples with a margin of .02, and see what all questions of the population lose.

    Broken: more than the margin. Given: the mean loss over that of the best threshold, known in hindsight.
    """
    for name in POPULATIONS:
        for metric, grouped in (("accuracy", False), ("mrr", False), ("accuracy", True)):
            rng = np.random.default_rng(SEED)
            values, ranks = _questions(rng, name, _POPULATION, grouped=False)
            scores = np.where(ranks < 4, 1.0 if metric == "accuracy" else 1.0 / ranks, 0.0)
            order = np.argsort(values)
            ordered, lost = values[order], np.append(0.0, np.cumsum(scores[order])) / _POPULATION
            # At a similarity of the population a threshold loses what is below it.
            possible = lost[np.searchsorted(ordered, ordered)]
            best = possible[possible <= MARGIN].max()
            for n in (200, 700, 2000):
                losses = [_loss(rng, name, n, metric, grouped, ordered, lost) for _ in range(size)]
                found = np.array([loss for loss in losses if loss is not None])
                yield {
                    "population": name,
                    "metric": metric,
                    "grouped": grouped,
                    "n": n,
                    "refused": size - found.size,
                    "broken": share(int((found > MARGIN).sum()), size),
                    "given": float(found.mean() / best) if found.size and best > 0 else None,
                }


def _loss(
    rng: np.random.Generator, name: str, n: int, metric: str, grouped: bool, ordered: Floats, lost: Floats
) -> float | None:
    """Return what the population loses at the threshold of a sample, None if there are too few questions."""
    values, ranks = _questions(rng, name, n, grouped)
    groups = np.arange(values.size) // _IN_A_GROUP if grouped else None
    rows = np.repeat(values[:, None], 3, axis=1)
    try:
        found = similarity_threshold(rows, ranks, margin=MARGIN, metric=metric, groups=groups)
    except ValueError:
        return None
    return float(lost[np.searchsorted(ordered, found.threshold)])


PARTS = {"thresholds": Part(promises, 2000, SEED)}
