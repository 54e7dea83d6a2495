"""Simulations of effective rank, spectrum decay, uniformity and hubness: coverage, bias, dependence on N and n.

``python scripts/calibrate_isotropy.py [PART …] [--quick]`` writes benchmarks/calibration_isotropy.json, where each part
keeps the number of simulations, the seed and the versions that it ran with. Every part takes a few minutes on one core.
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
from scipy import stats

from isotropy_lab.isotropy import alignment, effective_rank, hubness, spectrum_decay, uniformity

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "benchmarks" / "calibration_isotropy.json"
SEED = 16

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


def share(hits: Floats) -> dict[str, Any]:
    """Return a share with its exact interval of 95 %."""
    interval = stats.binomtest(int(np.sum(hits)), len(hits)).proportion_ci(0.95, method="exact")
    return {
        "share": float(np.mean(hits)),
        "low": float(interval.low),
        "high": float(interval.high),
        "n": len(hits),
    }


def true_rank(variances: Floats) -> float:
    """Return the effective rank of a population, from its singular values."""
    p = np.sqrt(variances) / np.sqrt(variances).sum()
    return math.exp(-float(p @ np.log(p)))


def true_exponent(variances: Floats, first: int, last: int) -> float:
    """Return the exponent of a population over some ranks."""
    i = np.arange(first, last + 1)
    return -float(np.polyfit(np.log(i), np.log(variances[first - 1 : last]), 1, w=i**-0.5)[0])


# --- spectra ----------------------------------------------------------------------------------------------------


def spectra(size: int) -> Iterator[dict[str, Any]]:
    """Intervals from 20 groups: how often they hold the mean over samples, and, about the corrected value, the population's."""
    rng = np.random.default_rng(SEED)
    n, first, last = 32, 2, 24
    reach = stats.t.ppf(0.975, 19)
    for exponent in EXPONENTS:
        variances = np.arange(1, n + 1.0) ** -exponent
        for tail, draw in TAILS.items():
            for factor in (2, 4, 10, 40):
                ranks, decays = [], []
                for _ in range(size if factor < 40 else size // 2):
                    X = draw(rng, (factor * n, n)) * np.sqrt(variances)
                    ranks.append(effective_rank(X))
                    decays.append(spectrum_decay(X, ranks=(first, last)))
                for name, truth, estimates, found in (
                    ("effective_rank", true_rank(variances), [r.estimate for r in ranks], ranks),
                    (
                        "spectrum_decay",
                        true_exponent(variances, first, last),
                        [d.exponent for d in decays],
                        decays,
                    ),
                ):
                    plain = np.array(estimates)
                    corrected = np.array([f.corrected for f in found], dtype=float)
                    error = np.array([f.standard_error for f in found], dtype=float)
                    yield {
                        "measure": name,
                        "exponent": exponent,
                        "tail": tail,
                        "N": factor * n,
                        "n": n,
                        "truth": truth,
                        "mean": float(plain.mean()),
                        "mean_corrected": float(corrected.mean()),
                        "deviation": float(plain.std(ddof=1)),
                        "mean_error": float(error.mean()),
                        "covers_mean": share(np.abs(plain - plain.mean()) <= reach * error),
                        "covers_truth": share(np.abs(plain - truth) <= reach * error),
                        "corrected_covers_truth": share(np.abs(corrected - truth) <= reach * error),
                    }


# --- uniformity and alignment -----------------------------------------------------------------------------------


def uniformities(size: int) -> Iterator[dict[str, Any]]:
    """How often intervals hold the uniformity or the alignment of the population, taken from 30,000 points."""
    rng = np.random.default_rng(SEED + 1)
    n = 12
    scale = np.arange(1, n + 1.0) ** -0.5
    for tail, draw in TAILS.items():
        for offset in (0.0, 0.5):

            def cloud(number: int, draw: Any = draw, offset: float = offset) -> Floats:
                return draw(rng, (number, n)) * scale + offset

            truth = uniformity(cloud(30_000)).estimate
            partners = cloud(1_000_000)
            aligned = alignment(partners, partners + 0.5 * draw(rng, (1_000_000, n)) * scale).estimate
            for N in (30, 100, 400):
                covers: dict[str, list[bool]] = {"all pairs": [], "random pairs": [], "alignment": []}
                for _ in range(size if N < 400 else size // 2):
                    X = cloud(N)
                    for name, found, value in (
                        ("all pairs", uniformity(X), truth),
                        ("random pairs", uniformity(X, n_pairs=5 * N, rng=rng), truth),
                        ("alignment", alignment(X, X + 0.5 * draw(rng, (N, n)) * scale), aligned),
                    ):
                        covers[name].append(found.low <= value <= found.high)
                yield {
                    "tail": tail,
                    "offset": offset,
                    "N": N,
                    "n": n,
                    "uniformity": truth,
                    "alignment": aligned,
                } | {f"covers, {name}": share(hits) for name, hits in covers.items()}


# --- hubness ----------------------------------------------------------------------------------------------------


def hubs(size: int) -> Iterator[dict[str, Any]]:
    """Mean hubness of Gaussian clouds: its dependence on N, n, k, the metric, the spectrum and the mean."""
    rng = np.random.default_rng(SEED + 2)
    base = {"N": 2000, "n": 50, "k": 10, "metric": "euclidean", "exponent": 0.0, "offset": 0.0}
    cells = [
        {},
        *({"n": n} for n in (3, 10, 200)),
        *({"N": N} for N in (500, 8000)),
        *({"k": k} for k in (1, 50)),
        *({"metric": "cosine", "exponent": e, "offset": o} for e in (0.0, 1.0) for o in (0.0, 0.3)),
    ]
    for change in cells:
        cell: Any = base | change
        scale = np.arange(1, cell["n"] + 1.0) ** (-cell["exponent"] / 2.0)
        found = [
            hubness(
                rng.standard_normal((cell["N"], cell["n"])) * scale + cell["offset"],
                k=cell["k"],
                metric=cell["metric"],
            )
            for _ in range(size if cell["N"] < 8000 else max(2, size // 5))
        ]
        skewness = np.array([f.skewness for f in found])
        yield cell | {
            "skewness": float(skewness.mean()),
            "deviation": float(skewness.std(ddof=1)),
            "anti_hubs": float(np.mean([f.anti_hubs for f in found])),
            "hubs": float(np.mean([f.hubs for f in found])),
            "chance_skewness": found[0].chance.skewness,
        }


PARTS: dict[str, tuple[Callable[[int], Iterator[dict[str, Any]]], int]] = {
    "spectra": (spectra, 400),
    "uniformity": (uniformities, 1000),
    "hubness": (hubs, 20),
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
