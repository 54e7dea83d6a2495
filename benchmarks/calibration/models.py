"""Scores of models of the same items: level, coverage, tied sets, and minimum detectable differences."""

import math
from collections.abc import Iterator

import numpy as np
from scipy import optimize, stats

from benchmarks.calibration import (
    EXPONENTS,
    TAILS,
    Floats,
    Part,
    Row,
    cosine_of,
    isoscore_of,
    share,
    variances,
)
from isotropy_lab.retrieval import compare_models
from isotropy_report.card.measures import variance_fractions
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import survey
from isotropy_report.comparison.paired import SCORES, Model, ModelDifference, best_or_tied, compare_scores

SEED = 161
N_DIMENSIONS = 16
#: Correlation of the same coordinate in two models.
CORRELATION = 0.8
#: Mean of every coordinate, in standard deviations of the first.
OFFSET = 0.3


def mixed(rng: np.random.Generator, tail: str, common: Floats, exponent: float) -> Floats:
    """Return the rows of a model: a part common to all models, with its own noise, variances, and mean."""
    rows = math.sqrt(CORRELATION) * common + math.sqrt(1.0 - CORRELATION) * TAILS[tail](rng, common.shape)
    return rows * np.sqrt(variances(N_DIMENSIONS, exponent)) + OFFSET


def models(rng: np.random.Generator, tail: str, N: int, exponents: tuple[float, ...]) -> list[Model]:
    """Return models of the same items: the same coordinates with different noise and variances."""
    common = TAILS[tail](rng, (N, N_DIMENSIONS))
    found = []
    for i, exponent in enumerate(exponents):
        rows = Rows(mixed(rng, tail, common, exponent))
        surveyed = survey(rows, sample_size=1, rng=rng)
        found.append(Model(str(i), rows, surveyed, variance_fractions(surveyed.moments)))
    return found


def differences(found: list[Model]) -> dict[str, list[ModelDifference]]:
    """Return the paired differences, keyed by measure."""
    every = compare_scores(found, paired=True, confidence_level=0.95).differences
    return {key: [one for one in every if one.measure == key] for key in SCORES}


def truths(rng: np.random.Generator, tail: str, exponent: float) -> dict[str, float]:
    """Return the scores of the population."""
    score = isoscore_of(variances(N_DIMENSIONS, exponent))
    return {
        "isoscore_corrected": score,
        "dimensions_used_corrected": 1.0 + score * (N_DIMENSIONS - 1),
        "average_cosine": cosine_of(
            lambda size: mixed(rng, tail, TAILS[tail](rng, (size, N_DIMENSIONS)), exponent)
        ),
    }


def levels(size: int) -> Iterator[Row]:
    """Measure how often two models without a true difference differ significantly at level 0.05."""
    rng = np.random.default_rng(SEED)
    for exponent in EXPONENTS:
        for tail in TAILS:
            rejects: dict[str, list[bool]] = {key: [] for key in SCORES}
            for _ in range(size):
                for key, (one,) in differences(models(rng, tail, 200, (exponent, exponent))).items():
                    rejects[key].append(one.pvalue <= 0.05)
            cell = {"exponent": exponent, "tail": tail, "N": 200, "n": N_DIMENSIONS}
            for key, hits in rejects.items():
                yield {"measure": key, **cell, "rejects": share(hits)}


def coverage(size: int) -> Iterator[Row]:
    """Measure the coverage of the paired interval of a difference (or ratio) of scores."""
    rng = np.random.default_rng(SEED + 1)
    for exponents in ((0.0, 1.0), (1.0, 1.5), (1.0, 2.0)):
        for tail in TAILS:
            first, second = (truths(rng, tail, exponent) for exponent in exponents)
            for N in (64, 160, 640):
                found = [differences(models(rng, tail, N, exponents)) for _ in range(size)]
                cell = {"exponents": list(exponents), "tail": tail, "N": N, "n": N_DIMENSIONS}
                for key, score in SCORES.items():
                    ratio = score.scale == "ratio"
                    truth = first[key] / second[key] if ratio else first[key] - second[key]
                    own = [one[key][0] for one in found if one[key]]
                    mean = float(np.mean([math.log(one.estimate) if ratio else one.estimate for one in own]))
                    yield {
                        "measure": key,
                        **cell,
                        "truth": truth,
                        "mean": math.exp(mean) if ratio else mean,
                        "undefined": size - len(own),
                        "covers": share([one.low <= truth <= one.high for one in own]),
                    }


def tied_sets(size: int) -> Iterator[Row]:
    """Measure how often the tied set of four models omits the best one, and the size of the set."""
    rng = np.random.default_rng(SEED + 2)
    for exponents in ((1.0, 1.0, 1.0, 1.0), (0.9, 1.0, 1.0, 1.1), (0.8, 1.0, 1.2, 1.4)):
        for tail in ("Gaussian", "t5"):
            key, misses, sizes = "isoscore_corrected", [], []
            for _ in range(size):
                found = compare_scores(models(rng, tail, 200, exponents), paired=True, confidence_level=0.95)
                own = [one for one in found.differences if one.measure == key]
                tied = best_or_tied(found.values[key], 1, own, 0.95)
                misses.append("0" not in tied)
                sizes.append(len(tied))
            cell = {"measure": key, "exponents": list(exponents), "tail": tail, "N": 200, "n": N_DIMENSIONS}
            yield cell | {"lacks_the_best": share(misses), "mean_size": float(np.mean(sizes))}


def least_differences(size: int) -> Iterator[Row]:
    """Measure how often the minimum detectable ratio of IsoScores is detected."""
    rng = np.random.default_rng(SEED + 3)
    for tail in TAILS:
        for N in (200, 800):
            named = [
                differences(models(rng, tail, N, (1.0, 1.0)))["isoscore_corrected"][0].least
                for _ in range(max(3, size // 10))
            ]
            ratio = float(np.median([least for least in named if least is not None]))
            wanted = isoscore_of(variances(N_DIMENSIONS, 1.0)) / ratio
            other = float(
                optimize.brentq(
                    lambda e, wanted=wanted: isoscore_of(variances(N_DIMENSIONS, e)) - wanted, 1.0, 4.0
                )
            )
            found = [
                differences(models(rng, tail, N, (1.0, other)))["isoscore_corrected"][0].pvalue <= 0.05
                for _ in range(size)
            ]
            yield {"tail": tail, "N": N, "n": N_DIMENSIONS, "least": ratio, "found": share(found)}


def retrieval(size: int) -> Iterator[Row]:
    """Measure the power at level 0.05, and the coverage, for two models' accuracies on the same questions."""
    rng = np.random.default_rng(SEED + 4)
    for first, second in ((0.5, 0.5), (0.9, 0.9), (0.6, 0.7), (0.85, 0.95)):
        cuts = stats.norm.isf([first, second])
        for n_questions in (50, 200, 1000):
            found = []
            for _ in range(size):
                easy = rng.standard_normal(n_questions)
                hits = (math.sqrt(0.5) * (easy + rng.standard_normal(n_questions)) > cut for cut in cuts)
                ranks = (np.where(hit, 1, 50) for hit in hits)
                found.append(compare_models(*ranks, n_resamples=999, rng=rng))
            yield {
                "accuracies": [first, second],
                "N": n_questions,
                "rejects": {
                    "bootstrap": share([one.pvalue <= 0.05 for one in found]),
                    "McNemar": share([(one.mcnemar_pvalue or 0.0) <= 0.05 for one in found]),
                },
                "covers": share([one.low <= first - second <= one.high for one in found]),
            }


PARTS = {
    "model levels": Part(levels, 2000, SEED),
    "model coverage": Part(coverage, 1000, SEED),
    "tied sets": Part(tied_sets, 2000, SEED),
    "retrieval": Part(retrieval, 2000, SEED),
    "least differences": Part(least_differences, 1000, SEED),
}
