"""Level and power of tests, and coverage of intervals in `isotropy_report.measures`."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.calibration import TAILS, Floats, Part, Row, share, variances
from isotropy_report.measures import cka, compression_costs, drift_power, drift_test, neighbor_overlap

SEED = 16
#: Spectra by name.
SPECTRA = {"flat": 0.0, "1/j": 1.0}


def deviations(n: int, spectrum: str) -> Floats:
    """Return standard deviations of n dimensions."""
    return np.sqrt(variances(n, SPECTRA[spectrum]))


# --- level --------------------------------------------------------------------------------------------------


def levels(size: int) -> Iterator[Row]:
    """Measure how often p ≤ 0.05 in every test of unrelated vectors, or of samples from one distribution."""
    rng = np.random.default_rng(SEED)
    for tail in ("Gaussian", "t5", "lognormal"):
        draw = TAILS[tail]
        hits = 0
        for _ in range(size):
            unrelated = draw(rng, (40, 12)) * deviations(12, "1/j"), draw(rng, (40, 8))
            hits += cka(*unrelated, n_resamples=199, rng=rng).pvalue <= 0.05
        yield {"test": "cka", "tail": tail, "N": 40, "n": 12, "rejects": share(hits, size)}
        for n_a, n_b in ((40, 40), (60, 20)):
            scale = deviations(16, "1/j")
            hits = sum(
                drift_test(
                    draw(rng, (n_a, 16)) * scale, draw(rng, (n_b, 16)) * scale, n_resamples=199, rng=rng
                ).pvalue
                <= 0.05
                for _ in range(size)
            )
            rejects = share(hits, size)
            yield {"test": "drift_test", "tail": tail, "N": n_a, "M": n_b, "n": 16, "rejects": rejects}


# --- drift: power -------------------------------------------------------------------------------


def unit(rng: np.random.Generator, n: int) -> Floats:
    """Return a random direction."""
    direction = rng.standard_normal(n)
    return direction / np.linalg.norm(direction)


def turned(x: Floats) -> Floats:
    """Rotate the first two dimensions by 45 degrees."""
    out = x.copy()
    out[:, 0], out[:, 1] = (x[:, 0] + x[:, 1]) / 2**0.5, (x[:, 0] - x[:, 1]) / 2**0.5
    return out


def with_topic(x: Floats, rng: np.random.Generator, radius: float) -> Floats:
    """Move 10% of the rows into a narrow cluster at a distance of half the radius."""
    out = x.copy()
    n_new = len(x) // 10
    out[:n_new] = 0.5 * x[:n_new] + 0.5 * radius * unit(rng, x.shape[1])
    return out


#: Changes to the second sample, in which the radius is √tr Σ.
SHIFTS: dict[str, Callable[[Floats, np.random.Generator, float], Floats]] = {
    "none": lambda x, rng, r: x,
    "mean by .03 radii, any direction": lambda x, rng, r: x + 0.03 * r * unit(rng, x.shape[1]),
    "mean by .05 radii, any direction": lambda x, rng, r: x + 0.05 * r * unit(rng, x.shape[1]),
    "mean by .05 radii, first axis": lambda x, rng, r: x + 0.05 * r * np.eye(x.shape[1])[0],
    "scale by 1.03": lambda x, rng, r: 1.03 * x,
    "first two axes turned by 45°": lambda x, rng, r: turned(x),
    "all axes exchanged": lambda x, rng, r: x[:, rng.permutation(x.shape[1])],
    "10 % of a new topic": with_topic,
}
#: Shifts that are almost always detected, for which 10% of the simulations suffice.
CERTAIN = ("all axes exchanged", "10 % of a new topic")


def drift_powers(size: int) -> Iterator[Row]:
    """Measure the power at level 0.05 for given shifts, with 500 + 500 rows in 384 dimensions."""
    yield from shifted("Gaussian", tuple(SHIFTS), size, SEED + 1)
    heavy = ("none", "mean by .05 radii, any direction", "scale by 1.03")
    yield from shifted("t5", heavy, max(1, size // 5), SEED + 8)


def shifted(tail: str, shifts: tuple[str, ...], size: int, seed: int) -> Iterator[Row]:
    """Yield how often the test detects each shift."""
    rng = np.random.default_rng(seed)
    n, n_rows = 384, 500
    scale = deviations(n, "1/j")
    radius = float(np.linalg.norm(scale))
    for name in shifts:
        times = max(1, size // 10) if name in CERTAIN else 4 * size if name == "none" else size
        hits = 0
        for _ in range(times):
            a, b = (TAILS[tail](rng, (n_rows, n)) * scale for _ in range(2))
            b = SHIFTS[name](b, rng, radius)
            hits += drift_test(a, b, n_resamples=199, rng=rng).pvalue <= 0.05
        rejects = share(hits, times)
        yield {"tail": tail, "shift": name, "N": n_rows, "M": n_rows, "n": n, "rejects": rejects}


def least_shifts(size: int) -> Iterator[Row]:
    """Measure how often new samples show the smallest detectable shift reported by `drift_power`."""
    rng = np.random.default_rng(SEED + 2)
    for n_rows, n, tail in ((50, 20, "Gaussian"), (100, 100, "t5"), (300, 100, "lognormal")):
        scale, draw = deviations(n, "1/j"), TAILS[tail]
        radius = float(np.linalg.norm(scale))
        hits, named = 0, []
        for _ in range(size):
            a, b = draw(rng, (n_rows, n)) * scale, draw(rng, (n_rows, n)) * scale
            if len(named) < 10:
                named.append(drift_power(a, b, rng=rng).least_shift)
            moved = b + np.mean(named) * radius * unit(rng, n)
            hits += drift_test(a, moved, n_resamples=199, rng=rng).pvalue <= 0.05
        yield {
            "N": n_rows,
            "n": n,
            "tail": tail,
            "least_shift": float(np.mean(named)),
            "power": share(hits, size),
            "wanted": 0.8,
        }


# --- coverage -----------------------------------------------------------------------------------------------


def related(
    rng: np.random.Generator, n_points: int, n: int, tail: str, spectrum: str, noise: float
) -> tuple[Floats, Floats]:
    """Return two models of the same items: common vectors plus independent noise."""
    scale, draw = deviations(n, spectrum), TAILS[tail]
    common = draw(rng, (n_points, n)) * scale
    one, two = (common + noise * draw(rng, (n_points, n)) * scale for _ in range(2))
    return one, two


def cka_coverage(size: int) -> Iterator[Row]:
    """Measure how often the interval of unbiased CKA contains the population's CKA, 1/(1 + noise²)²."""
    rng = np.random.default_rng(SEED + 3)
    for n_points, n in ((50, 10), (200, 20), (200, 100), (500, 20)):
        for spectrum, tail, noise in itertools.product(SPECTRA, TAILS, (0.3, 1.0)):
            # Both covariances are (1 + noise²)Σ, and the covariance between the models is Σ.
            truth = 1.0 / (1.0 + noise**2) ** 2
            pairs = (related(rng, n_points, n, tail, spectrum, noise) for _ in range(size))
            found = [cka(*pair, n_resamples=0) for pair in pairs]
            hits = sum(f.low <= truth <= f.high for f in found)
            yield {
                "N": n_points,
                "n": n,
                "spectrum": spectrum,
                "tail": tail,
                "truth": truth,
                "mean": float(np.mean([f.statistic for f in found])),
                "covers": share(hits, size),
            }


def unrelated_coverage(size: int) -> Iterator[Row]:
    """Measure how often the intervals of CKA and overlap contain the chance level for unrelated models."""
    rng = np.random.default_rng(SEED + 7)
    for n_points, n in ((50, 10), (200, 20)):
        for tail in TAILS:
            hits = np.zeros(2, dtype=np.int64)
            for _ in range(size):
                a, b = (TAILS[tail](rng, (n_points, n)) * deviations(n, "1/j") for _ in range(2))
                one, two = cka(a, b, n_resamples=0), neighbor_overlap(a, b)
                hits += (one.low <= 0.0 <= one.high, two.low <= two.chance <= two.high)
            covers = {"cka": share(int(hits[0]), size), "overlap": share(int(hits[1]), size)}
            yield {"N": n_points, "n": n, "tail": tail, "covers": covers}


def overlap_coverage(size: int) -> Iterator[Row]:
    """Measure how often the interval of the overlap contains its mean over all samples of that size."""
    rng = np.random.default_rng(SEED + 4)
    for n_points, n in ((100, 5), (300, 20), (300, 100)):
        for spectrum, tail, noise in itertools.product(SPECTRA, TAILS, (0.2, 1.0)):
            pairs = (related(rng, n_points, n, tail, spectrum, noise) for _ in range(size))
            found = [neighbor_overlap(*pair, k=10) for pair in pairs]
            truth = float(np.mean([f.overlap for f in found]))
            hits = sum(f.low <= truth <= f.high for f in found)
            yield {
                "N": n_points,
                "n": n,
                "spectrum": spectrum,
                "tail": tail,
                "noise": noise,
                "mean": truth,
                "deviation": float(np.std([f.overlap for f in found], ddof=1)),
                "error": float(np.mean([f.standard_error for f in found])),
                "covers": share(hits, size),
            }


def compression(size: int) -> Iterator[Row]:
    """Measure how often the interval of a loss of neighbors contains its mean over samples."""
    rng = np.random.default_rng(SEED + 6)
    found = [
        compression_costs(
            rng.standard_normal((300, 32)) * deviations(32, "1/j"), dimensions=[16], rng=rng
        ).rows[1:]
        for _ in range(size)
    ]
    for rows in zip(*found, strict=True):
        truth = float(np.mean([row.overlap for row in rows]))
        hits = sum(row.overlap_low <= truth <= row.overlap_high for row in rows)
        yield {"method": rows[0].method, "mean": truth, "covers": share(hits, size)}


PARTS = {
    "comparison levels": Part(levels, 4000, SEED),
    "drift powers": Part(drift_powers, 1000, SEED),
    "least shifts": Part(least_shifts, 300, SEED),
    "cka coverage": Part(cka_coverage, 1000, SEED),
    "unrelated coverage": Part(unrelated_coverage, 500, SEED),
    "overlap coverage": Part(overlap_coverage, 400, SEED),
    "compression coverage": Part(compression, 400, SEED),
}
