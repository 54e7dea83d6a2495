"""Measures of one set of vectors: coverage, bias, and dependence on N and n."""

from collections.abc import Iterator
from typing import Any

import numpy as np

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
from isotropy_lab.isotropy import intrinsic_dimension, isoscore
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details
from isotropy_lab.isotropy.jackknife import score_of_log
from isotropy_lab.isotropy.participation import WORTH_CORRECTING
from isotropy_report.card.measures import HEAVY, excess_kurtosis, spread_of
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import survey
from isotropy_report.measures import alignment, hubness, uniformity

SEED = 16
#: Mean of every coordinate, in standard deviations of the first.
OFFSET = 0.3


# --- scores of the card -------------------------------------------------------------------------------------


def scores(size: int) -> Iterator[Row]:
    """Measure the coverage of the card's intervals and the errors of the published and corrected IsoScore."""
    rng = np.random.default_rng(SEED + 3)
    n = 24
    for exponent in (0.0, 0.5, 1.0, 2.0):
        values = variances(n, exponent)
        truth = isoscore_of(values)
        for tail, draw in TAILS.items():
            cosine = cosine_of(
                lambda number, draw=draw, values=values: draw(rng, (number, n)) * np.sqrt(values) + OFFSET
            )
            for factor in (1, 2, 4, 10, 40):
                covers: dict[str, list[bool]] = {"isoscore_corrected": [], "average_cosine": []}
                heavy, below, published, corrected = [], [], [], []
                for _ in range(size if factor < 40 else size // 2):
                    rows = Rows(draw(rng, (factor * n, n)) * np.sqrt(values) + OFFSET)
                    found = survey(rows, sample_size=1, rng=rng)
                    spread = spread_of(rows, found, groups=None, confidence_level=0.95)
                    low, high = spread.score_interval(n)
                    covers["isoscore_corrected"].append(low <= truth <= high)
                    assert found.average_cosine is not None
                    assert spread.cosine_reach is not None
                    covers["average_cosine"].append(abs(found.average_cosine - cosine) <= spread.cosine_reach)
                    heavy.append(excess_kurtosis(found.moments))
                    below.append(truth < low)
                    published.append(isoscore(found.moments))
                    corrected.append(score_of_log(spread.log_ratio, n))
                pays = 1.0 + np.array(published) * (n - 1) >= WORTH_CORRECTING
                chosen = np.where(pays, corrected, published)
                held = np.array(covers["isoscore_corrected"])[np.array(heavy) > HEAVY]
                yield {
                    "exponent": exponent,
                    "tail": tail,
                    "N": factor * n,
                    "n": n,
                    "truth": truth,
                    "truth_cosine": cosine,
                    "covers": {key: share(hits) for key, hits in covers.items()},
                    "below": share(below),
                    "excess": float(np.median(heavy)),
                    "heavy": [int(held.sum()), held.size],
                    "bias": {
                        name: float(np.mean(estimates)) - truth
                        for name, estimates in (
                            ("published", published),
                            ("corrected", corrected),
                            ("rule", chosen),
                        )
                    },
                    "error": {
                        name: float(np.sqrt(np.mean(np.square(np.array(estimates) - truth))))
                        for name, estimates in (
                            ("published", published),
                            ("corrected", corrected),
                            ("rule", chosen),
                        )
                    },
                }


def cosines(size: int) -> Iterator[Row]:
    """Measure the coverage of the card's interval of the average cosine for a population about the origin."""
    rng = np.random.default_rng(SEED + 5)
    n = 24
    for exponent in EXPONENTS:
        for tail, draw in TAILS.items():
            scale = np.sqrt(variances(n, exponent))
            truth = cosine_of(lambda number, draw=draw, scale=scale: draw(rng, (number, n)) * scale)
            for N in (48, 240, 960):
                covers = []
                for _ in range(size):
                    rows = Rows(draw(rng, (N, n)) * scale)
                    found = survey(rows, sample_size=1, rng=rng)
                    spread = spread_of(rows, found, groups=None, confidence_level=0.95)
                    assert found.average_cosine is not None
                    assert spread.cosine_reach is not None
                    covers.append(abs(found.average_cosine - truth) <= spread.cosine_reach)
                yield {
                    "exponent": exponent,
                    "tail": tail,
                    "N": N,
                    "n": n,
                    "truth": truth,
                    "covers": share(covers),
                }


def asked(size: int) -> Iterator[Row]:
    """Measure how often the interval of the intrinsic dimension of some rows contains that of all rows."""
    rng = np.random.default_rng(SEED + 4)
    for tail, draw in TAILS.items():
        for n in (5, 50):
            covers = []
            for _ in range(size):
                X = draw(rng, (1000, n)) * np.sqrt(variances(n, 1.0))
                found = intrinsic_dimension_details(X, n_queries=100, rng=rng)
                covers.append(found.low <= intrinsic_dimension(X) <= found.high)
            yield {"tail": tail, "N": 1000, "n": n, "asked": 100, "covers": share(covers)}


# --- uniformity and alignment -------------------------------------------------------------------------------


def uniformities(size: int) -> Iterator[Row]:
    """Measure how often intervals contain the population's uniformity or alignment, from 30,000 points."""
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
                covers: dict[str, list[bool]] = {"uniformity": [], "alignment": []}
                for _ in range(size if N < 400 else size // 2):
                    X = cloud(N)
                    for name, found, value in (
                        ("uniformity", uniformity(X), truth),
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


# --- hubness ------------------------------------------------------------------------------------------------


def hubs(size: int) -> Iterator[Row]:
    """Compute the mean hubness of Gaussian clouds as a function of N, n, k, the spectrum, and the mean."""
    rng = np.random.default_rng(SEED + 2)
    base = {"N": 2000, "n": 50, "k": 10, "exponent": 1.0, "offset": 0.0}
    cells = [
        {},
        *({"n": n} for n in (3, 10, 200)),
        *({"N": N} for N in (500, 8000)),
        *({"k": k} for k in (1, 50)),
        *({"exponent": e, "offset": o} for e, o in ((0.0, 0.0), (0.0, 0.3), (1.0, 0.3))),
    ]
    for change in cells:
        cell: Any = base | change
        scale = np.arange(1, cell["n"] + 1.0) ** (-cell["exponent"] / 2.0)
        found = [
            hubness(rng.standard_normal((cell["N"], cell["n"])) * scale + cell["offset"], k=cell["k"])
            for _ in range(size if cell["N"] < 8000 else max(2, size // 5))
        ]
        skewness = np.array([f.skewness for f in found])
        yield cell | {
            "skewness": float(skewness.mean()),
            "deviation": float(skewness.std(ddof=1)),
            "anti_hubs": float(np.mean([f.anti_hubs for f in found])),
            "hubs": float(np.mean([f.hubs for f in found])),
        }


PARTS = {
    "scores": Part(scores, 1000, SEED),
    "centered cosines": Part(cosines, 500, SEED),
    "intrinsic dimension": Part(asked, 400, SEED),
    "uniformity": Part(uniformities, 1000, SEED),
    "hubness": Part(hubs, 20, SEED),
}
