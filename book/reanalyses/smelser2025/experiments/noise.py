"""Measures of projections with added noise at random scales (Figures 5, 6, and 14 to 18), and of noise itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, spearmanr

from isotropy_lab._core import checks
from isotropy_lab.projection import shepard_goodness
from reanalyses.smelser2025.datasets.embeddings import compute
from reanalyses.smelser2025.experiments.projection_sets import Projections, as_tuple
from reanalyses.smelser2025.experiments.stress_formulas import stress_by_distances, stress_by_ranks

__all__ = ["noise_baselines", "noise_correlations", "sensitivity"]

Rng = np.random.Generator | int | None

MEASURES = ("ns", "sgs", "nms", "sns", "fsns")


def sensitivity(
    several: Projections | Iterable[Projections], *, n_steps: int = 50, noise: float = 0.25, rng: Rng = 0
) -> pd.DataFrame:
    """Return measures of projections with repeatedly added noise and random scales (Figures 5 and 15 to 18).

    Step k adds noise of `noise`·k/`n_steps` times the standard deviation of the projection's coordinates.
    Only the first seed of each method is used. sgs is 1 − Shepard goodness, so that lower is better; stress
    values include the root.
    """
    several = as_tuple(several)
    low, high = 0.1, 10.0
    generator = checks.as_generator(rng)
    rows = []
    for data in several:
        for method, projection in data.Y.items():
            Y = projection.copy()
            deviation = float(np.sqrt(Y.var(axis=0).mean()))
            for step in range(n_steps + 1):
                if step:
                    Y += generator.standard_normal(Y.shape) * (deviation * noise * step / n_steps)
                factor = float(generator.uniform(low, high))
                values = stress_by_distances(data.X, factor * Y) | stress_by_ranks(data.X, factor * Y)
                values["sgs"] = 1.0 - values["sgs"]
                rows += [(data.dataset.name, method, step, factor, name, values[name]) for name in MEASURES]
    return pd.DataFrame(rows, columns=["dataset", "method", "step", "scale", "measure", "value"])


def noise_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Return the correlation between each measure and the number of noise steps (Figures 6 and 14).

    The correlation should be +1, except for random projections, which cannot get worse.
    """
    rows = []
    for (dataset, method, measure), group in table.groupby(["dataset", "method", "measure"], sort=False):
        step, value = group["step"].to_numpy(float), group["value"].to_numpy(float)
        pearson, spearman = float(pearsonr(step, value)[0]), float(spearmanr(step, value)[0])
        rows.append((dataset, method, measure, pearson, spearman))
    return pd.DataFrame(rows, columns=["dataset", "method", "measure", "pearson", "spearman"])


def noise_baselines(
    dimensions: Sequence[int] = (2, 5, 20, 100, 500), *, n_points: int = 100, repeats: int = 3
) -> pd.DataFrame:
    """Return measures of projections of noise for an increasing number of dimensions.

    ``spread`` is the scale-normalized stress of a projection in which all distances are equal.
    """
    generator = np.random.default_rng(0)
    methods: dict[str, dict[str, Any]] = {"mds": {"n_init": 1}, "pca": {}, "random": {}}
    rows = []
    for dimension in dimensions:
        for repeat in range(repeats):
            X = generator.standard_normal((n_points, dimension))
            d = pdist(X)
            for method, options in methods.items():
                Y = compute(X, method, seed=repeat, **options).Y
                rows.append(
                    {
                        "dimensions": dimension,
                        "method": method,
                        "scale_normalized_stress": stress_by_distances(X, Y)["sns"],
                        "shepard_goodness": shepard_goodness(X, Y),
                        "spread": float(d.std() / np.sqrt((d**2).mean())),
                    }
                )
    return pd.DataFrame(rows).groupby(["dimensions", "method"], sort=False).mean().reset_index()
