"""Simulations of comparisons of models: level, coverage, tied models, and minimum detectable differences."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import optimize, stats

from benchmarks.calibration import (
    EXPONENTS,
    TAILS,
    Floats,
    Part,
    Row,
    population_cosine,
    population_isoscore,
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


def model_rows(rng: np.random.Generator, tail: str, common: Floats, exponent: float) -> Floats:
    """Return the rows of a model: a part common to all models, with its own noise, variances, and mean."""
    rows = math.sqrt(CORRELATION) * common + math.sqrt(1.0 - CORRELATION) * TAILS[tail](rng, common.shape)
    return rows * np.sqrt(variances(N_DIMENSIONS, exponent)) + OFFSET


def models(rng: np.random.Generator, tail: str, N: int, exponents: tuple[float, ...]) -> list[Model]:
    """Return models of the same items: common coordinates with different noise and variances."""
    common = TAILS[tail](rng, (N, N_DIMENSIONS))
    result = []
    for i, exponent in enumerate(exponents):
        rows = Rows(model_rows(rng, tail, common, exponent))
        statistics = survey(rows, sample_size=1, rng=rng)
        result.append(Model(str(i), rows, statistics, variance_fractions(statistics.moments)))
    return result


def paired_differences(compared: list[Model]) -> dict[str, list[ModelDifference]]:
    """Return the paired differences between models, keyed by measure."""
    all_differences = compare_scores(compared, paired=True, confidence_level=0.95).differences
    return {key: [d for d in all_differences if d.measure == key] for key in SCORES}


def population_scores(rng: np.random.Generator, tail: str, exponent: float) -> dict[str, float]:
    """Return the scores of the population with these variances."""
    score = population_isoscore(variances(N_DIMENSIONS, exponent))
    return {
        "isoscore_corrected": score,
        "dimensions_used_corrected": 1.0 + score * (N_DIMENSIONS - 1),
        "average_cosine": population_cosine(
            lambda size: model_rows(rng, tail, TAILS[tail](rng, (size, N_DIMENSIONS)), exponent)
        ),
    }


def levels(n_runs: int) -> Iterator[Row]:
    """Measure how often two models without a true difference differ significantly at level 0.05."""
    rng = np.random.default_rng(SEED)
    for exponent in EXPONENTS:
        for tail in TAILS:
            rejects: dict[str, list[bool]] = {key: [] for key in SCORES}
            for _ in range(n_runs):
                for key, (d,) in paired_differences(models(rng, tail, 200, (exponent, exponent))).items():
                    rejects[key].append(d.pvalue <= 0.05)
            design = {"exponent": exponent, "tail": tail, "N": 200, "n": N_DIMENSIONS}
            for key, hits in rejects.items():
                yield {"measure": key, **design, "rejects": share(hits)}


def coverage(n_runs: int) -> Iterator[Row]:
    """Measure the coverage of the paired interval of a difference (or ratio) of scores."""
    rng = np.random.default_rng(SEED + 1)
    for exponents in ((0.0, 1.0), (1.0, 1.5), (1.0, 2.0)):
        for tail in TAILS:
            first, second = (population_scores(rng, tail, exponent) for exponent in exponents)
            for N in (64, 160, 640):
                samples = [paired_differences(models(rng, tail, N, exponents)) for _ in range(n_runs)]
                design = {"exponents": list(exponents), "tail": tail, "N": N, "n": N_DIMENSIONS}
                for key, score in SCORES.items():
                    ratio = score.scale == "ratio"
                    truth = first[key] / second[key] if ratio else first[key] - second[key]
                    pairs = [d[key][0] for d in samples if d[key]]
                    mean = float(np.mean([math.log(d.estimate) if ratio else d.estimate for d in pairs]))
                    yield {
                        "measure": key,
                        **design,
                        "truth": truth,
                        "mean": math.exp(mean) if ratio else mean,
                        "undefined": n_runs - len(pairs),
                        "covers": share([d.low <= truth <= d.high for d in pairs]),
                    }


def tied_sets(n_runs: int) -> Iterator[Row]:
    """Measure how often the tied set of four models omits the best one, and the size of the set."""
    rng = np.random.default_rng(SEED + 2)
    for exponents in ((1.0, 1.0, 1.0, 1.0), (0.9, 1.0, 1.0, 1.1), (0.8, 1.0, 1.2, 1.4)):
        for tail in ("Gaussian", "t5"):
            key, misses, sizes = "isoscore_corrected", [], []
            for _ in range(n_runs):
                comparison = compare_scores(
                    models(rng, tail, 200, exponents), paired=True, confidence_level=0.95
                )
                pairs = [d for d in comparison.differences if d.measure == key]
                tied = best_or_tied(comparison.values[key], 1, pairs, 0.95)
                misses.append("0" not in tied)
                sizes.append(len(tied))
            design = {"measure": key, "exponents": list(exponents), "tail": tail, "N": 200, "n": N_DIMENSIONS}
            yield design | {"lacks_the_best": share(misses), "mean_size": float(np.mean(sizes))}


def least_differences(n_runs: int) -> Iterator[Row]:
    """Measure how often the minimum detectable ratio of IsoScores is detected."""
    rng = np.random.default_rng(SEED + 3)
    for tail in TAILS:
        for N in (200, 800):
            reported = [
                paired_differences(models(rng, tail, N, (1.0, 1.0)))["isoscore_corrected"][0].least
                for _ in range(max(3, n_runs // 10))
            ]
            ratio = float(np.median([minimum for minimum in reported if minimum is not None]))
            goal = population_isoscore(variances(N_DIMENSIONS, 1.0)) / ratio
            alpha = float(
                optimize.brentq(
                    lambda e, goal=goal: population_isoscore(variances(N_DIMENSIONS, e)) - goal, 1.0, 4.0
                )
            )
            detected = [
                paired_differences(models(rng, tail, N, (1.0, alpha)))["isoscore_corrected"][0].pvalue <= 0.05
                for _ in range(n_runs)
            ]
            yield {"tail": tail, "N": N, "n": N_DIMENSIONS, "least": ratio, "found": share(detected)}


def retrieval(n_runs: int) -> Iterator[Row]:
    """Measure the power at level 0.05, and the coverage, for two models on the same questions."""
    rng = np.random.default_rng(SEED + 4)
    gain = float(np.mean(1.0 / np.log2(np.arange(2, 12))))  # of a hit, whose rank is from 1 to 10 at random
    for accuracies in ((0.5, 0.5), (0.9, 0.9), (0.6, 0.7), (0.85, 0.95)):
        for n_questions in (10, 50, 200, 1000):
            comparisons: dict[str, list[Any]] = {"accuracy": [], "ndcg": []}
            for _ in range(n_runs):
                easy = rng.standard_normal(n_questions)
                levels = (stats.norm.sf(math.sqrt(0.5) * (easy + rng.standard_normal(n_questions))) / p
                          for p in accuracies)  # fmt: skip
                ranks = [np.where(level <= 1.0, np.ceil(10.0 * level), 50).astype(int) for level in levels]
                for metric, results in comparisons.items():
                    results.append(compare_models(*ranks, metric=metric, n_resamples=999, rng=rng))
            for metric, results in comparisons.items():
                truth = (accuracies[0] - accuracies[1]) * (gain if metric == "ndcg" else 1.0)
                yield {
                    "measure": metric,
                    "accuracies": list(accuracies),
                    "N": n_questions,
                    "rejects": share([c.pvalue <= 0.05 for c in results]),
                    "covers": share([c.low <= truth <= c.high for c in results]),
                }
    # Equal means without exchangeable results: one loss in a hundred, and small gains that make up for it.
    lost, gained = 0.01, 0.01 / (1.0 - 1.0 / math.log2(3.0))
    for n_questions in (100, 400, 1600):
        results = []
        for _ in range(n_runs):
            draw = rng.random(n_questions)
            first = np.where(draw < lost, 50, 1)
            second = np.where((draw >= lost) & (draw < lost + gained), 2, 1)
            results.append(compare_models(first, second, metric="ndcg", n_resamples=999, rng=rng))
        yield {
            "measure": "ndcg",
            "accuracies": [1.0 - lost, 1.0],
            "rare losses": True,
            "N": n_questions,
            "rejects": share([c.pvalue <= 0.05 for c in results]),
            "covers": share([c.low <= 0.0 <= c.high for c in results]),
        }


PARTS = {
    "model levels": Part(levels, 2000, SEED),
    "model coverage": Part(coverage, 1000, SEED),
    "tied sets": Part(tied_sets, 2000, SEED),
    "retrieval": Part(retrieval, 2000, SEED),
    "least differences": Part(least_differences, 1000, SEED),
}
