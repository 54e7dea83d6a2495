"""Simulations of the comparison of models: level, coverage, the tied set, and the least difference.

``python scripts/calibrate_models.py [PART …] [--quick]`` writes benchmarks/calibration_models.json, where each part keeps the
number of simulations, the seed and the versions that it ran with. Every part takes a few minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import platform
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy
from scipy import optimize, stats

from isotropy_lab.report.measures import variance_fractions
from isotropy_lab.report.paired import SCORES, Model, ModelDifference, compare_scores, not_shown_worse
from isotropy_lab.report.rows import Rows
from isotropy_lab.report.survey import survey

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "benchmarks" / "calibration_models.json"
SEED = 161
N_DIMENSIONS = 16

Floats = Any

#: Entries of mean 0 and variance 1.
TAILS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "Gaussian": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
    "t5": lambda rng, shape: rng.standard_t(5, shape) / math.sqrt(5.0 / 3.0),
    "lognormal": lambda rng, shape: (
        (np.exp(rng.standard_normal(shape)) - math.exp(0.5)) / math.sqrt((math.e - 1.0) * math.e)
    ),
}
#: Exponents of the variances j^(−α).
EXPONENTS = (0.0, 1.0, 2.0)
#: Correlation of the same coordinate in two models.
CORRELATION = 0.8


def share(hits: Floats) -> dict[str, Any]:
    """Return a share with its exact interval of 95 %."""
    interval = stats.binomtest(int(np.sum(hits)), len(hits)).proportion_ci(0.95, method="exact")
    return {
        "share": float(np.mean(hits)),
        "low": float(interval.low),
        "high": float(interval.high),
        "n": len(hits),
    }


def variances(exponent: float) -> Floats:
    """Return the variances of a spectrum."""
    return np.arange(1, N_DIMENSIONS + 1.0) ** -exponent


def log_score(exponent: float) -> float:
    """Return the logarithm of the IsoScore of a population."""
    values = variances(exponent)
    return math.log((values.sum() ** 2 / (values**2).sum() - 1.0) / (N_DIMENSIONS - 1.0))


def models(rng: np.random.Generator, tail: str, N: int, exponents: tuple[float, ...]) -> list[Model]:
    """Return models of the same items: the same coordinates with other noise, variances and directions."""
    draw = TAILS[tail]
    common = draw(rng, (N, N_DIMENSIONS))
    found = []
    for i, exponent in enumerate(exponents):
        own = draw(rng, (N, N_DIMENSIONS))
        mixed = math.sqrt(CORRELATION) * common + math.sqrt(1.0 - CORRELATION) * own
        X = mixed * np.sqrt(variances(exponent)) + 0.3
        surveyed = survey(Rows(X), sample_size=1, rng=rng)
        found.append(Model(str(i), Rows(X), surveyed, variance_fractions(surveyed.moments)))
    return found


def differences(found: list[Model]) -> dict[str, list[ModelDifference]]:
    """Return the paired differences by measure."""
    every = compare_scores(found, paired=True, confidence_level=0.95).differences
    return {key: [one for one in every if one.measure == key] for key in SCORES}


def levels(size: int) -> Iterator[dict[str, Any]]:
    """How often two models of the same items that do not differ in truth are told apart at .05, by each score."""
    rng = np.random.default_rng(SEED)
    for exponent in EXPONENTS:
        for tail in TAILS:
            rejects: dict[str, list[bool]] = {key: [] for key in SCORES}
            for _ in range(size):
                for key, (one,) in differences(models(rng, tail, 200, (exponent, exponent))).items():
                    rejects[key].append(one.pvalue <= 0.05)
            yield {"exponent": exponent, "tail": tail, "N": 200, "n": N_DIMENSIONS} | {
                "rejects": {key: share(hits) for key, hits in rejects.items()}
            }


def coverage(size: int) -> Iterator[dict[str, Any]]:
    """How often the interval of the ratio of two corrected IsoScores holds the population's."""
    rng = np.random.default_rng(SEED + 1)
    for exponents in ((0.0, 1.0), (1.0, 1.5), (1.0, 2.0)):
        truth = math.exp(log_score(exponents[0]) - log_score(exponents[1]))
        for tail in TAILS:
            for N in (64, 160, 640):
                found = [
                    differences(models(rng, tail, N, exponents))["isoscore_corrected"] for _ in range(size)
                ]
                covers = [bool(one) and one[0].low <= truth <= one[0].high for one in found]
                estimates = [math.log(one[0].estimate) for one in found if one]
                yield {
                    "exponents": list(exponents),
                    "tail": tail,
                    "N": N,
                    "n": N_DIMENSIONS,
                    "truth": truth,
                    "mean": math.exp(float(np.mean(estimates))),
                    "covers": share(covers),
                }


def tied_sets(size: int) -> Iterator[dict[str, Any]]:
    """How often, of four models, the tied set lacks the truly best one, and how many models it has."""
    rng = np.random.default_rng(SEED + 2)
    for exponents in ((1.0, 1.0, 1.0, 1.0), (0.9, 1.0, 1.0, 1.1), (0.8, 1.0, 1.2, 1.4)):
        for tail in ("Gaussian", "t5"):
            lacking: dict[str, list[bool]] = {"isoscore_corrected": [], "varex_score": []}
            sizes = []
            for _ in range(size):
                found = compare_scores(models(rng, tail, 200, exponents), paired=True, confidence_level=0.95)
                for key, misses in lacking.items():
                    own = [one for one in found.differences if one.measure == key]
                    tied = not_shown_worse(found.values[key], 1, own, 0.95)
                    misses.append("0" not in tied)
                    if key == "isoscore_corrected":
                        sizes.append(len(tied))
            yield {
                "exponents": list(exponents),
                "tail": tail,
                "N": 200,
                "n": N_DIMENSIONS,
                "lacks_the_best": {key: share(misses) for key, misses in lacking.items()},
                "mean_size": float(np.mean(sizes)),
            }


def least_differences(size: int) -> Iterator[dict[str, Any]]:
    """How often a true ratio of IsoScores is found that is the least one named for models without a difference."""
    rng = np.random.default_rng(SEED + 3)
    for tail in TAILS:
        for N in (200, 800):
            named = [
                differences(models(rng, tail, N, (1.0, 1.0)))["isoscore_corrected"][0].least
                for _ in range(max(3, size // 10))
            ]
            ratio = float(np.median([least for least in named if least is not None]))
            other = float(
                optimize.brentq(
                    lambda e, ratio=ratio: log_score(1.0) - log_score(e) - math.log(ratio), 1.0, 4.0
                )
            )
            found = [
                differences(models(rng, tail, N, (1.0, other)))["isoscore_corrected"][0].pvalue <= 0.05
                for _ in range(size)
            ]
            yield {"tail": tail, "N": N, "n": N_DIMENSIONS, "least": ratio, "found": share(found)}


PARTS: dict[str, tuple[Callable[[int], Iterator[dict[str, Any]]], int]] = {
    "levels": (levels, 2000),
    "coverage": (coverage, 1000),
    "tied sets": (tied_sets, 2000),
    "least differences": (least_differences, 1000),
}


def main() -> None:
    """Run the parts that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="few simulations, nothing written")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        run, size = PARTS[name]
        start, rows = time.perf_counter(), []
        for row in run(6 if options.quick else size):
            print(name, json.dumps(row, ensure_ascii=False), flush=True)
            rows.append(row)
        if options.quick:
            continue
        results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        results[name] = {
            "what": " ".join((run.__doc__ or "").split()),
            "simulations": size,
            "seed": SEED,
            "minutes": round((time.perf_counter() - start) / 60.0, 1),
            "versions": {
                "python": platform.python_version(),
                "numpy": np.__version__,
                "scipy": scipy.__version__,
            },
            "rows": rows,
        }
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
