"""Simulations of the level and power of tests and the coverage of intervals in `isotropy_report.measures`."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.calibration import TAILS, Floats, Part, Row, share, variances
from isotropy_report.measures import cka, compression_costs, drift_power, drift_test, neighbor_overlap

SEED = 16
#: Exponents of the variances by name.
SPECTRA = {"flat": 0.0, "1/j": 1.0}


def standard_deviations(n: int, spectrum: str) -> Floats:
    """Return the standard deviations of n dimensions for a named spectrum."""
    return np.sqrt(variances(n, SPECTRA[spectrum]))


def comparison_levels(n_runs: int) -> Iterator[Row]:
    """Measure how often p ≤ 0.05 in every test of unrelated vectors, or of samples from one distribution."""
    rng = np.random.default_rng(SEED)
    for tail in ("Gaussian", "t5", "lognormal"):
        draw = TAILS[tail]
        n_rejected = 0
        for _ in range(n_runs):
            unrelated = draw(rng, (40, 12)) * standard_deviations(12, "1/j"), draw(rng, (40, 8))
            n_rejected += cka(*unrelated, n_resamples=199, rng=rng).pvalue <= 0.05
        yield {"test": "cka", "tail": tail, "N": 40, "n": 12, "rejects": share(n_rejected, n_runs)}
        for n_a, n_b in ((40, 40), (60, 20)):
            scale = standard_deviations(16, "1/j")
            n_rejected = sum(
                drift_test(
                    draw(rng, (n_a, 16)) * scale, draw(rng, (n_b, 16)) * scale, n_resamples=199, rng=rng
                ).pvalue
                <= 0.05
                for _ in range(n_runs)
            )
            rejects = share(n_rejected, n_runs)
            yield {"test": "drift_test", "tail": tail, "N": n_a, "M": n_b, "n": 16, "rejects": rejects}


def random_direction(rng: np.random.Generator, n: int) -> Floats:
    """Return a random direction."""
    direction = rng.standard_normal(n)
    return direction / np.linalg.norm(direction)


def reflect_first_axes(x: Floats) -> Floats:
    """Reflect the first two dimensions in the line at 22.5 degrees.

    For data that are symmetric in the second dimension, this is a rotation by 45 degrees in distribution.
    """
    reflected = x.copy()
    reflected[:, 0], reflected[:, 1] = (x[:, 0] + x[:, 1]) / 2**0.5, (x[:, 0] - x[:, 1]) / 2**0.5
    return reflected


def add_topic(x: Floats, rng: np.random.Generator, radius: float) -> Floats:
    """Move 10% of the rows into a narrow cluster, at a distance of half the radius from the origin."""
    changed = x.copy()
    n_new = len(x) // 10
    changed[:n_new] = 0.5 * x[:n_new] + 0.5 * radius * random_direction(rng, x.shape[1])
    return changed


#: Changes to the second sample, in which the radius is √tr Σ.
SHIFTS: dict[str, Callable[[Floats, np.random.Generator, float], Floats]] = {
    "none": lambda x, rng, r: x,
    "mean by .03 radii, any direction": lambda x, rng, r: x + 0.03 * r * random_direction(rng, x.shape[1]),
    "mean by .05 radii, any direction": lambda x, rng, r: x + 0.05 * r * random_direction(rng, x.shape[1]),
    "mean by .05 radii, first axis": lambda x, rng, r: x + 0.05 * r * np.eye(x.shape[1])[0],
    "scale by 1.03": lambda x, rng, r: 1.03 * x,
    "first two axes turned by 45°": lambda x, rng, r: reflect_first_axes(x),
    "all axes exchanged": lambda x, rng, r: x[:, rng.permutation(x.shape[1])],
    "10 % of a new topic": add_topic,
}
#: Shifts that are almost always detected, for which 10% of the simulations suffice.
CERTAIN = ("all axes exchanged", "10 % of a new topic")


def drift_powers(n_runs: int) -> Iterator[Row]:
    """Measure the power at level 0.05 for given shifts, with 500 + 500 rows in 384 dimensions."""
    yield from detection_rates("Gaussian", tuple(SHIFTS), n_runs, SEED + 1)
    heavy_tailed = ("none", "mean by .05 radii, any direction", "scale by 1.03")
    yield from detection_rates("t5", heavy_tailed, max(1, n_runs // 5), SEED + 8)


def detection_rates(tail: str, shifts: tuple[str, ...], n_runs: int, seed: int) -> Iterator[Row]:
    """Yield how often the test detects each of the named shifts."""
    rng = np.random.default_rng(seed)
    n, n_rows = 384, 500
    scale = standard_deviations(n, "1/j")
    radius = float(np.linalg.norm(scale))
    for name in shifts:
        repetitions = max(1, n_runs // 10) if name in CERTAIN else 4 * n_runs if name == "none" else n_runs
        n_detected = 0
        for _ in range(repetitions):
            a, b = (TAILS[tail](rng, (n_rows, n)) * scale for _ in range(2))
            b = SHIFTS[name](b, rng, radius)
            n_detected += drift_test(a, b, n_resamples=199, rng=rng).pvalue <= 0.05
        rejects = share(n_detected, repetitions)
        yield {"tail": tail, "shift": name, "N": n_rows, "M": n_rows, "n": n, "rejects": rejects}


def least_shifts(n_runs: int) -> Iterator[Row]:
    """Measure how often new samples show the smallest detectable shift reported by `drift_power`."""
    rng = np.random.default_rng(SEED + 2)
    for n_rows, n, tail in ((50, 20, "Gaussian"), (100, 100, "t5"), (300, 100, "lognormal")):
        scale, draw = standard_deviations(n, "1/j"), TAILS[tail]
        radius = float(np.linalg.norm(scale))
        n_detected, reported = 0, []
        for _ in range(n_runs):
            a, b = draw(rng, (n_rows, n)) * scale, draw(rng, (n_rows, n)) * scale
            if len(reported) < 10:
                reported.append(drift_power(a, b, rng=rng).least_shift)
            moved = b + np.mean(reported) * radius * random_direction(rng, n)
            n_detected += drift_test(a, moved, n_resamples=199, rng=rng).pvalue <= 0.05
        yield {
            "N": n_rows,
            "n": n,
            "tail": tail,
            "least_shift": float(np.mean(reported)),
            "power": share(n_detected, n_runs),
            "wanted": 0.8,
        }


def related_models(
    rng: np.random.Generator, n_points: int, n: int, tail: str, spectrum: str, noise: float
) -> tuple[Floats, Floats]:
    """Return two models of the same items: common vectors plus independent noise."""
    scale, draw = standard_deviations(n, spectrum), TAILS[tail]
    common = draw(rng, (n_points, n)) * scale
    first, second = (common + noise * draw(rng, (n_points, n)) * scale for _ in range(2))
    return first, second


def cka_coverage(n_runs: int) -> Iterator[Row]:
    """Measure how often the interval of unbiased CKA contains the population's CKA, 1/(1 + noise²)²."""
    rng = np.random.default_rng(SEED + 3)
    for n_points, n in ((50, 10), (200, 20), (200, 100), (500, 20)):
        for spectrum, tail, noise in itertools.product(SPECTRA, TAILS, (0.3, 1.0)):
            # Both covariances are (1 + noise²)Σ, and the covariance between the models is Σ.
            truth = 1.0 / (1.0 + noise**2) ** 2
            pairs = (related_models(rng, n_points, n, tail, spectrum, noise) for _ in range(n_runs))
            results = [cka(*pair, n_resamples=0) for pair in pairs]
            n_covered = sum(r.low <= truth <= r.high for r in results)
            yield {
                "N": n_points,
                "n": n,
                "spectrum": spectrum,
                "tail": tail,
                "truth": truth,
                "mean": float(np.mean([r.statistic for r in results])),
                "covers": share(n_covered, n_runs),
            }


def unrelated_coverage(n_runs: int) -> Iterator[Row]:
    """Measure how often the intervals of CKA and overlap contain the chance level for unrelated models."""
    rng = np.random.default_rng(SEED + 7)
    for n_points, n in ((50, 10), (200, 20)):
        for tail in TAILS:
            n_covered = np.zeros(2, dtype=np.int64)
            for _ in range(n_runs):
                a, b = (TAILS[tail](rng, (n_points, n)) * standard_deviations(n, "1/j") for _ in range(2))
                first, second = cka(a, b, n_resamples=0), neighbor_overlap(a, b)
                n_covered += (first.low <= 0.0 <= first.high, second.low <= second.chance <= second.high)
            covers = {"cka": share(int(n_covered[0]), n_runs), "overlap": share(int(n_covered[1]), n_runs)}
            yield {"N": n_points, "n": n, "tail": tail, "covers": covers}


def overlap_coverage(n_runs: int) -> Iterator[Row]:
    """Measure how often the interval of the overlap contains its mean over all samples of that size."""
    rng = np.random.default_rng(SEED + 4)
    for n_points, n in ((100, 5), (300, 20), (300, 100)):
        for spectrum, tail, noise in itertools.product(SPECTRA, TAILS, (0.2, 1.0)):
            pairs = (related_models(rng, n_points, n, tail, spectrum, noise) for _ in range(n_runs))
            results = [neighbor_overlap(*pair, k=10) for pair in pairs]
            truth = float(np.mean([r.overlap for r in results]))
            n_covered = sum(r.low <= truth <= r.high for r in results)
            yield {
                "N": n_points,
                "n": n,
                "spectrum": spectrum,
                "tail": tail,
                "noise": noise,
                "mean": truth,
                "deviation": float(np.std([r.overlap for r in results], ddof=1)),
                "error": float(np.mean([r.standard_error for r in results])),
                "covers": share(n_covered, n_runs),
            }


def compression_coverage(n_runs: int) -> Iterator[Row]:
    """Measure how often the interval of a loss of neighbors contains its mean over samples."""
    rng = np.random.default_rng(SEED + 6)
    samples = [
        compression_costs(
            rng.standard_normal((300, 32)) * standard_deviations(32, "1/j"), dimensions=[16], rng=rng
        ).rows[1:]
        for _ in range(n_runs)
    ]
    for estimates in zip(*samples, strict=True):
        truth = float(np.mean([row.overlap for row in estimates]))
        n_covered = sum(row.overlap_low <= truth <= row.overlap_high for row in estimates)
        yield {"method": estimates[0].method, "mean": truth, "covers": share(n_covered, n_runs)}


PARTS = {
    "comparison levels": Part(comparison_levels, 4000, SEED),
    "drift powers": Part(drift_powers, 1000, SEED),
    "least shifts": Part(least_shifts, 300, SEED),
    "cka coverage": Part(cka_coverage, 1000, SEED),
    "unrelated coverage": Part(unrelated_coverage, 500, SEED),
    "overlap coverage": Part(overlap_coverage, 400, SEED),
    "compression coverage": Part(compression_coverage, 400, SEED),
}
