"""Simulations of sample size: bias and coverage of IsoScore, and comparisons of unequal samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest

from isotropy_lab._core import checks
from isotropy_lab.isotropy.intervals import isoscore_interval
from isotropy_lab.isotropy.participation import isoscore, isoscore_from_eigenvalues
from reanalyses.rudman2022 import clouds

__all__ = ["comparison_void", "finite_sample_bias", "gaussian_corrected_isoscore", "interval_coverage"]

Array = NDArray[np.float64]
Rng = np.random.Generator | int | None
Population = Literal["gaussian", "multivariate-t"]
Method = Literal["jackknife", "bootstrap"]


def gaussian_corrected_isoscore(X: Array) -> float:
    """Return IsoScore, computed from traces unbiased for Gaussian data only, to contrast with "corrected".

    With m = N − 1, t₁ = tr S and t₂ = tr S², Wishart's moments give the unbiased
    tr(Σ²)^ = m²/((m − 1)(m + 2))·(t₂ − t₁²/m) and (tr Σ)²^ = t₁² − (2/m)·tr(Σ²)^. Heavy tails break them.

    >>> X = clouds.multivariate_t(100, clouds.power_law_eigenvalues(50), rng=0)
    >>> truth = isoscore_from_eigenvalues(clouds.power_law_eigenvalues(50))
    >>> gaussian_corrected_isoscore(X) < isoscore(X, estimator="corrected") and truth > 0
    True
    """
    cloud = np.asarray(checks.as_points(X, "X", min_points=3, min_dimensions=2), dtype=np.float64)
    n_points, n = cloud.shape
    m = n_points - 1.0
    centered = cloud - cloud.mean(axis=0)
    gram = centered @ centered.T if n_points < n else centered.T @ centered
    t1, t2 = float(np.trace(gram)) / m, float(np.sum(gram * gram)) / m**2
    of_square = m * m / ((m - 1.0) * (m + 2.0)) * (t2 - t1 * t1 / m)
    squared = t1 * t1 - 2.0 / m * of_square
    ratio = squared / of_square if of_square > 0.0 else float(n)
    return float((np.clip(ratio, 1.0, n) - 1.0) / (n - 1.0))


def finite_sample_bias(
    *,
    n_dimensions: Sequence[int] = (10, 50, 200),
    n_points: Sequence[int] = (25, 50, 100, 200, 500, 1_000),
    population: Population = "gaussian",
    exponent: float = 0.0,
    n_repeats: int = 40,
) -> pd.DataFrame:
    """Simulate three estimators of IsoScore for small samples, and compare them with the population value.

    The plug-in score of an isotropic Gaussian is near (n(1 + 2/(nm))/(1 + (n + 1)/m) − 1)/(n − 1) with m = N
    − 1, far below its true 1 unless N is many times n.
    """
    generator = np.random.default_rng(0)
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
            samples = [_draw(population, size, eigenvalues, 6.0, generator) for _ in range(n_repeats)]
            for name, estimator in estimators.items():
                values = np.array([estimator(sample) for sample in samples])
                spread = float(values.std(ddof=1))
                mean = float(values.mean())
                error = spread / np.sqrt(n_repeats)
                rows.append((population, n, size, name, truth, mean, spread, error, mean - truth))
    columns = ["population", "n_dimensions", "n_points", "estimator", "truth", "mean"]
    return pd.DataFrame(rows, columns=[*columns, "standard_deviation", "standard_error", "bias"])


def interval_coverage(
    *,
    cells: Sequence[tuple[int, int]] = ((20, 50), (20, 200), (100, 200), (100, 1_000)),
    n_repeats: int = 100,
    n_resamples: int = 200,
) -> pd.DataFrame:
    """Simulate the coverage of `isoscore_interval`."""
    generator = np.random.default_rng(0)
    rows = []
    for n, size in cells:
        eigenvalues = clouds.power_law_eigenvalues(n, exponent=0.5)
        truth = isoscore_from_eigenvalues(eigenvalues)
        samples = [_draw("gaussian", size, eigenvalues, 10.0, generator) for _ in range(n_repeats)]
        for method in ("jackknife", "bootstrap"):
            ends = np.array([_ends(sample, method, n_resamples, generator) for sample in samples])
            below, above = (int((ends[:, 1] < truth).sum()), int((ends[:, 0] > truth).sum()))
            covered = n_repeats - below - above
            wilson = binomtest(covered, n_repeats).proportion_ci(0.95, method="wilson")
            width = float((ends[:, 1] - ends[:, 0]).mean())
            rows.append(
                (
                    *(method, n, size, truth, 0.95, covered, n_repeats, covered / n_repeats),
                    *(wilson.low, wilson.high),
                    *(below, above, width),
                )
            )
    columns = [
        "method",
        "n_dimensions",
        "n_points",
        "truth",
        "confidence",
        "covered",
        "n_repeats",
        "coverage",
    ]
    return pd.DataFrame(rows, columns=[*columns, "low", "high", "below", "above", "mean_width"])


def comparison_void(
    *,
    models: Sequence[tuple[str, int, int]] = (
        ("A", 101, 300),
        ("A, more points", 101, 3_000),
        ("B", 769, 300),
        ("B, more points", 769, 3_000),
    ),
) -> pd.DataFrame:
    """Score models with equal true scores but different n or N: only the plug-in scores differ.

    Every model is a Gaussian cloud that uniformly uses k of its n dimensions, with k chosen so that its true
    IsoScore (k − 1)/(n − 1) is 1/2.

    >>> table = comparison_void(models=(("A", 11, 40), ("B", 101, 40)))
    >>> table["truth"].tolist()
    [0.5, 0.5]
    >>> table["plug_in"].round(2).tolist()
    [0.41, 0.21]
    """
    generator = np.random.default_rng(0)
    rows = []
    for name, n, size in models:
        k = round(0.5 * (n - 1)) + 1
        samples = [clouds.first_k_dimensions(size, n, k, rng=generator) for _ in range(10)]
        plug_in = np.array([isoscore(sample) for sample in samples])
        corrected = np.array([isoscore(sample, estimator="corrected") for sample in samples])
        moments = (plug_in.mean(), plug_in.std(ddof=1), corrected.mean(), corrected.std(ddof=1))
        rows.append((name, n, size, (k - 1) / (n - 1), *map(float, moments)))
    columns = [
        "model",
        "n_dimensions",
        "n_points",
        "truth",
        "plug_in",
        "plug_in_sd",
        "corrected",
        "corrected_sd",
    ]
    return pd.DataFrame(rows, columns=columns)


def _draw(
    population: Population,
    n_points: int,
    eigenvalues: Array,
    degrees_of_freedom: float,
    rng: np.random.Generator,
) -> Array:
    if population == "gaussian":
        return clouds.gaussian(n_points, eigenvalues, rng=rng)
    return clouds.multivariate_t(n_points, eigenvalues, degrees_of_freedom=degrees_of_freedom, rng=rng)


def _ends(X: Array, method: Method, n_resamples: int, rng: np.random.Generator) -> tuple[float, float]:
    if method == "jackknife":
        interval = isoscore_interval(X)
        return interval.low, interval.high
    n_points, n = X.shape
    scores = []
    for _ in range(n_resamples):
        weights = rng.multinomial(n_points, np.full(n_points, 1.0 / n_points))
        scores.append(isoscore(np.repeat(X, weights, axis=0), estimator="corrected"))
    low, high = np.quantile(np.log1p((n - 1) * np.array(scores)), [(1 - 0.95) / 2, (1 + 0.95) / 2])
    return float(np.expm1(low)) / (n - 1), float(np.expm1(high)) / (n - 1)
