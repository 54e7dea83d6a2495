"""Densities of the similarities of questions to relevant, best, and random documents."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats

from isotropy_lab.results import SimilaritySamples


def similarity_densities(samples: SimilaritySamples) -> pd.DataFrame:
    """Estimate the densities of similarities to relevant, best, and random documents on one grid (Figure 2)."""
    values = {name: getattr(samples, name).ravel() for name in ("S_corr", "S_topK", "S_rand")}
    kernels = {name: stats.gaussian_kde(x) for name, x in values.items()}
    margin = 3.0 * max(math.sqrt(kernel.covariance[0, 0]) for kernel in kernels.values())
    low, high = (float(extreme([extreme(x) for x in values.values()])) for extreme in (np.min, np.max))
    grid = np.linspace(low - margin, high + margin, 256)
    tables = [
        pd.DataFrame({"sample": name, "similarity": grid, "density": kernel(grid)})
        for name, kernel in kernels.items()
    ]
    return pd.concat(tables, ignore_index=True)
