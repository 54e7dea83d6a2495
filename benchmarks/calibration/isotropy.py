"""Simulations of measures of one set of vectors: coverage, bias, and dependence on N and n."""

from collections.abc import Iterator

import numpy as np

from benchmarks.calibration import (
    EXPONENTS,
    TAILS,
    Part,
    Row,
    population_cosine,
    population_isoscore,
    share,
    variances,
)
from isotropy_lab.isotropy import intrinsic_dimension, isoscore, isoscore_interval
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details
from isotropy_lab.isotropy.jackknife import score_of_log
from isotropy_lab.isotropy.participation import WORTH_CORRECTING
from isotropy_report.card.measures import HEAVY, excess_kurtosis, measure_spread
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import survey

SEED = 16
#: Mean of every coordinate, in standard deviations of the first.
OFFSET = 0.3


def scores(n_runs: int) -> Iterator[Row]:
    """Measure the coverage of the card's intervals and the errors of the published and corrected IsoScore."""
    rng = np.random.default_rng(SEED + 3)
    n = 24
    for exponent in (0.0, 0.5, 1.0, 2.0):
        values = variances(n, exponent)
        truth = population_isoscore(values)
        for tail, draw in TAILS.items():
            cosine = population_cosine(
                lambda number, draw=draw, values=values: draw(rng, (number, n)) * np.sqrt(values) + OFFSET
            )
            for factor in (1, 2, 4, 10, 40):
                covers: dict[str, list[bool]] = {"isoscore_corrected": [], "average_cosine": []}
                kurtoses, too_high, published, corrected = [], [], [], []
                for _ in range(n_runs if factor < 40 else n_runs // 2):
                    rows = Rows(draw(rng, (factor * n, n)) * np.sqrt(values) + OFFSET)
                    surveyed = survey(rows, sample_size=1, rng=rng)
                    spread = measure_spread(rows, surveyed, groups=None, confidence_level=0.95)
                    low, high = spread.score_interval(n)
                    covers["isoscore_corrected"].append(low <= truth <= high)
                    assert surveyed.average_cosine is not None
                    assert spread.cosine_half_width is not None
                    covers["average_cosine"].append(
                        abs(surveyed.average_cosine - cosine) <= spread.cosine_half_width
                    )
                    kurtoses.append(excess_kurtosis(surveyed.moments))
                    too_high.append(truth < low)
                    published.append(isoscore(surveyed.moments))
                    corrected.append(score_of_log(spread.log_ratio, n))
                is_worthwhile = 1.0 + np.array(published) * (n - 1) >= WORTH_CORRECTING
                by_rule = np.where(is_worthwhile, corrected, published)
                errors_of = {
                    name: np.array(estimates) - truth
                    for name, estimates in (
                        ("published", published),
                        ("corrected", corrected),
                        ("rule", by_rule),
                    )
                }
                covers_tails = np.array(covers["isoscore_corrected"])[np.array(kurtoses) > HEAVY]
                yield {
                    "exponent": exponent,
                    "tail": tail,
                    "N": factor * n,
                    "n": n,
                    "truth": truth,
                    "truth_cosine": cosine,
                    "covers": {key: share(hits) for key, hits in covers.items()},
                    "below": share(too_high),
                    "excess": float(np.median(kurtoses)),
                    "heavy": [int(covers_tails.sum()), covers_tails.size],
                    "bias": {name: float(np.mean(errors)) for name, errors in errors_of.items()},
                    "error": {
                        name: float(np.sqrt(np.mean(np.square(errors)))) for name, errors in errors_of.items()
                    },
                }


def cosines(n_runs: int) -> Iterator[Row]:
    """Measure the coverage of the card's interval of the average cosine for a population about the origin."""
    rng = np.random.default_rng(SEED + 5)
    n = 24
    for exponent in EXPONENTS:
        for tail, draw in TAILS.items():
            scale = np.sqrt(variances(n, exponent))
            truth = population_cosine(lambda number, draw=draw, scale=scale: draw(rng, (number, n)) * scale)
            for N in (48, 240, 960):
                covers = []
                for _ in range(n_runs):
                    rows = Rows(draw(rng, (N, n)) * scale)
                    statistics = survey(rows, sample_size=1, rng=rng)
                    spread = measure_spread(rows, statistics, groups=None, confidence_level=0.95)
                    assert statistics.average_cosine is not None
                    assert spread.cosine_half_width is not None
                    covers.append(abs(statistics.average_cosine - truth) <= spread.cosine_half_width)
                setting = {"exponent": exponent, "tail": tail, "N": N, "n": n}
                yield setting | {"truth": truth, "covers": share(covers)}


def sampled_dimensions(n_runs: int) -> Iterator[Row]:
    """Measure how often the interval of the intrinsic dimension of some rows contains that of all rows."""
    rng = np.random.default_rng(SEED + 4)
    for tail, draw in TAILS.items():
        for n in (5, 50):
            covers = []
            for _ in range(n_runs):
                X = draw(rng, (1000, n)) * np.sqrt(variances(n, 1.0))
                details = intrinsic_dimension_details(X, n_queries=100, rng=rng)
                covers.append(details.low <= intrinsic_dimension(X) <= details.high)
            yield {"tail": tail, "N": 1000, "n": n, "asked": 100, "covers": share(covers)}


def groups(n_runs: int) -> Iterator[Row]:
    """Measure the coverage of the IsoScore interval with 100 groups of 10 rows that resemble each other."""
    rng = np.random.default_rng(SEED + 6)
    n, labels = 32, np.repeat(np.arange(100), 10)
    for exponent in (0.0, 0.5, 1.0):
        scale = np.sqrt(variances(n, exponent))
        truth = population_isoscore(scale**2)
        for correlation in (0.0, 0.2, 0.5):
            covers, estimates = [], []
            for _ in range(n_runs):
                individual, common = rng.standard_normal((1000, n)), rng.standard_normal((100, n))
                rows = np.sqrt(1.0 - correlation) * individual + np.sqrt(correlation) * common[labels]
                interval = isoscore_interval(rows * scale, groups=labels)
                covers.append(interval.low <= truth <= interval.high)
                estimates.append(interval.estimate)
            setting = {"exponent": exponent, "correlation": correlation, "N": 1000, "n": n, "truth": truth}
            yield setting | {"mean": float(np.mean(estimates)), "covers": share(covers)}


def unequal_groups(n_runs: int) -> Iterator[Row]:
    """Measure whether intervals of 69 groups of 1 to 195 alike rows contain the mean of all estimates."""
    rng = np.random.default_rng(SEED + 7)
    labels = np.repeat(np.arange(69), np.geomspace(1, 195, 69).astype(int))
    scale = np.sqrt(variances(32, 0.5))
    for correlation in (0.0, 0.2, 0.5):
        found = []
        for _ in range(n_runs):
            individual, common = rng.standard_normal((len(labels), 32)), rng.standard_normal((69, 32))
            rows = np.sqrt(1.0 - correlation) * individual + np.sqrt(correlation) * common[labels]
            found.append(isoscore_interval(rows * scale, groups=labels))
        center = float(np.mean([interval.estimate for interval in found]))
        covers = share([interval.low <= center <= interval.high for interval in found])
        setting = {"exponent": 0.5, "correlation": correlation, "N": len(labels), "n": 32}
        yield setting | {"truth": center, "covers": covers}


PARTS = {
    "scores": Part(scores, 1000, SEED),
    "centered cosines": Part(cosines, 500, SEED),
    "intrinsic dimension": Part(sampled_dimensions, 400, SEED),
    "groups": Part(groups, 400, SEED),
    "unequal groups": Part(unequal_groups, 400, SEED),
}
