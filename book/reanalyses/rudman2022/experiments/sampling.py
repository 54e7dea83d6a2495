"""Simulations of sample size: bias and coverage of IsoScore, and comparisons of unequal samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest

from isotropy_lab.isotropy.intervals import isoscore_interval
from isotropy_lab.isotropy.participation import isoscore, isoscore_from_eigenvalues
from reanalyses.rudman2022 import clouds

__all__ = ["compare_sample_sizes", "finite_sample_bias", "gaussian_corrected_isoscore", "interval_coverage"]

Array = NDArray[np.float64]
Rng = np.random.Generator | int | None
Population = Literal["gaussian", "multivariate-t"]
Method = Literal["jackknife", "bootstrap"]


def gaussian_corrected_isoscore(X: Array) -> float:
    """Return the IsoScore from traces that are unbiased for Gaussian data only, to contrast with "corrected".

    With m = N − 1, t₁ = tr S and t₂ = tr S², Wishart's moments give the unbiased
    tr(Σ²)^ = m²/((m − 1)(m + 2))·(t₂ − t₁²/m) and (tr Σ)²^ = t₁² − (2/m)·tr(Σ²)^. Heavy tails break them.

    >>> X = clouds.multivariate_t(100, clouds.power_law_eigenvalues(50), rng=0)
    >>> truth = isoscore_from_eigenvalues(clouds.power_law_eigenvalues(50))
    >>> gaussian_corrected_isoscore(X) < isoscore(X, estimator="corrected") and truth > 0
    True
    """
    n_points, n = X.shape
    m = n_points - 1.0
    centered = X - X.mean(axis=0)
    gram = centered @ centered.T if n_points < n else centered.T @ centered
    t1, t2 = float(np.trace(gram)) / m, float(np.sum(gram * gram)) / m**2
    trace_of_square = m * m / ((m - 1.0) * (m + 2.0)) * (t2 - t1 * t1 / m)
    squared_trace = t1 * t1 - 2.0 / m * trace_of_square
    ratio = squared_trace / trace_of_square if trace_of_square > 0.0 else float(n)
    return float((np.clip(ratio, 1.0, n) - 1.0) / (n - 1.0))


#: Columns of `summarize_estimates`.
SUMMARY = ("mean", "standard_deviation", "standard_error", "bias")


def summarize_estimates(values: Array, truth: float) -> tuple[float, ...]:
    """Return the mean of repeated estimates, their standard deviation, the error of the mean, and the bias."""
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    return mean, deviation, deviation / np.sqrt(len(values)), mean - truth


def finite_sample_bias(
    *,
    n_dimensions: Sequence[int] = (10, 50, 200),
    n_points: Sequence[int] = (25, 50, 100, 200, 500, 1_000),
    population: Population = "gaussian",
    exponent: float = 0.0,
    n_repeats: int = 40,
) -> pd.DataFrame:
    """Simulate three estimators of IsoScore for small samples, and compare them with the population value.

    For N points of an isotropic Gaussian in n dimensions, the plug-in score is near
    (n(1 + 2/(nm))/(1 + (n + 1)/m) − 1)/(n − 1) with m = N − 1, far below its true 1 unless N is many times n.
    """
    generator = np.random.default_rng(0)
    draw = clouds.gaussian if population == "gaussian" else clouds.multivariate_t
    estimators: dict[str, Callable[[Array], float]] = {
        "plug-in": isoscore,
        "gaussian": gaussian_corrected_isoscore,
        "corrected": lambda X: isoscore(X, estimator="corrected"),
    }
    rows = []
    for n in n_dimensions:
        eigenvalues = clouds.power_law_eigenvalues(n, exponent=exponent)
        truth = isoscore_from_eigenvalues(eigenvalues)
        for size in n_points:
            samples = [draw(size, eigenvalues, rng=generator) for _ in range(n_repeats)]
            for name, estimator in estimators.items():
                values = np.array([estimator(sample) for sample in samples])
                rows.append((population, n, size, name, truth, *summarize_estimates(values, truth)))
    columns = ["population", "n_dimensions", "n_points", "estimator", "truth"]
    return pd.DataFrame(rows, columns=[*columns, *SUMMARY])


def interval_coverage(
    *,
    cells: Sequence[tuple[int, int]] = ((20, 50), (20, 200), (100, 200), (100, 1_000)),
    n_repeats: int = 100,
    n_resamples: int = 200,
) -> pd.DataFrame:
    """Simulate the coverage of two intervals of the corrected IsoScore: jackknife and bootstrap percentiles.

    Each of ``cells`` is a pair of numbers of dimensions and points. ``below`` and ``above`` count the
    intervals that lie entirely below or above the true score; ``low`` and ``high`` are Wilson's 95% interval
    of the coverage.
    """
    generator = np.random.default_rng(0)
    rows = []
    for n, n_points in cells:
        eigenvalues = clouds.power_law_eigenvalues(n, exponent=0.5)
        truth = isoscore_from_eigenvalues(eigenvalues)
        samples = [clouds.gaussian(n_points, eigenvalues, rng=generator) for _ in range(n_repeats)]
        for method in ("jackknife", "bootstrap"):
            intervals = np.array([_interval(sample, method, n_resamples, generator) for sample in samples])
            below, above = int((intervals[:, 1] < truth).sum()), int((intervals[:, 0] > truth).sum())
            covered = n_repeats - below - above
            wilson = binomtest(covered, n_repeats).proportion_ci(0.95, method="wilson")
            rows.append(
                {
                    "method": method,
                    "n_dimensions": n,
                    "n_points": n_points,
                    "truth": truth,
                    "confidence": 0.95,
                    "covered": covered,
                    "n_repeats": n_repeats,
                    "coverage": covered / n_repeats,
                    "low": wilson.low,
                    "high": wilson.high,
                    "below": below,
                    "above": above,
                }
            )
    return pd.DataFrame(rows)


#: Models that `compare_sample_sizes` compares: name, number of dimensions, and number of points.
_MODELS = (
    ("A", 101, 300),
    ("A, more points", 101, 3_000),
    ("B", 769, 300),
    ("B, more points", 769, 3_000),
)


def compare_sample_sizes() -> pd.DataFrame:
    """Score models with equal true scores but different dimensions n or sample sizes N, by both estimators.

    Every model is a Gaussian cloud that uniformly uses k of its n dimensions, with k chosen so that its true
    IsoScore (k − 1)/(n − 1) is 1/2. Only the plug-in scores differ.
    """
    generator = np.random.default_rng(0)
    rows = []
    for name, n, n_points in _MODELS:
        k = round(0.5 * (n - 1)) + 1
        samples = [clouds.first_k_dimensions(n_points, n, k, rng=generator) for _ in range(10)]
        plug_in = np.array([isoscore(sample) for sample in samples])
        corrected = np.array([isoscore(sample, estimator="corrected") for sample in samples])
        moments = (plug_in.mean(), plug_in.std(ddof=1), corrected.mean(), corrected.std(ddof=1))
        rows.append((name, n, n_points, (k - 1) / (n - 1), *map(float, moments)))
    columns = ["model", "n_dimensions", "n_points", "truth"]
    return pd.DataFrame(rows, columns=[*columns, "plug_in", "plug_in_sd", "corrected", "corrected_sd"])


def _interval(X: Array, method: Method, n_resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    if method == "jackknife":
        interval = isoscore_interval(X)
        return interval.low, interval.high
    n_points, n = X.shape
    scores = []
    for _ in range(n_resamples):
        counts = rng.multinomial(n_points, np.full(n_points, 1.0 / n_points))
        scores.append(isoscore(np.repeat(X, counts, axis=0), estimator="corrected"))
    low, high = np.quantile(np.log1p((n - 1) * np.array(scores)), [(1 - 0.95) / 2, (1 + 0.95) / 2])
    return float(np.expm1(low)) / (n - 1), float(np.expm1(high)) / (n - 1)
