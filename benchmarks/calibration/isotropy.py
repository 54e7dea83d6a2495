"""Measures of one set of vectors: coverage, bias, dependence on N and n."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.calibration import EXPONENTS, TAILS, Floats, Part, Row, share, variances
from isotropy_lab.isotropy import alignment, effective_rank, hubness, spectrum_decay, uniformity

SEED = 16


def true_rank(variances: Floats) -> float:
    """Return the effective rank of a population, from its singular values."""
    p = np.sqrt(variances) / np.sqrt(variances).sum()
    return math.exp(-float(p @ np.log(p)))


def true_exponent(variances: Floats, first: int, last: int) -> float:
    """Return the exponent of a population over some ranks."""
    i = np.arange(first, last + 1)
    return -float(np.polyfit(np.log(i), np.log(variances[first - 1 : last]), 1, w=i**-0.5)[0])


# --- spectra ----------------------------------------------------------------------------------------------------


def spectra(size: int) -> Iterator[Row]:
    """Intervals from 20 groups: how often they hold the mean over samples, and, about the corrected value, the population's."""
    rng = np.random.default_rng(SEED)
    n, first, last = 32, 2, 24
    reach = stats.t.ppf(0.975, 19)
    for exponent in EXPONENTS:
        values = variances(n, exponent)
        for tail, draw in TAILS.items():
            for factor in (2, 4, 10, 40):
                ranks, decays = [], []
                for _ in range(size if factor < 40 else size // 2):
                    X = draw(rng, (factor * n, n)) * np.sqrt(values)
                    ranks.append(effective_rank(X))
                    decays.append(spectrum_decay(X, ranks=(first, last)))
                for name, truth, estimates, found in (
                    ("effective_rank", true_rank(values), [r.estimate for r in ranks], ranks),
                    (
                        "spectrum_decay",
                        true_exponent(values, first, last),
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


def uniformities(size: int) -> Iterator[Row]:
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


def hubs(size: int) -> Iterator[Row]:
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


PARTS = {
    "spectra": Part(spectra, 400, SEED),
    "uniformity": Part(uniformities, 1000, SEED),
    "hubness": Part(hubs, 20, SEED),
}
