"""What measures make of pictures that get worse step by step, at sizes drawn at random: Figures 5, 6 and 14 to 18."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from isotropy_lab import _checks
from isotropy_lab.projection._pairs.pair_sums import pair_sums
from isotropy_lab.projection.ranks import rank_scores
from isotropy_lab.retrieval._checks import check_columns
from scipy.stats import pearsonr, spearmanr

from reanalyses.smelser2025.experiments.pictures import Source, dataset_of, pictures

__all__ = ["noise_correlations", "sensitivity"]

Rng = np.random.Generator | int | None

MEASURES = ("ns", "sgs", "nms", "sns", "fsns")


def sensitivity(
    sources: Sequence[Source] = ("auto-mpg", "iris", "wine", "penguins"),
    *,
    methods: Sequence[str] = ("mds", "tsne", "umap", "isomap", "pca", "random"),
    n_steps: int = 50,
    noise: float = 0.25,
    scale_range: tuple[float, float] = (0.1, 10.0),
    seed: int = 0,
    preprocess: str = "consistent",
    scaling: str | None = None,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Add noise to pictures again and again, enlarge each by a random factor, and measure: Figures 5 and 15 to 18.

    Returns a table: one row for each dataset, method, step (0 is the picture itself) and measure: dataset,
    method, step, scale, measure, value. Measures are ns (at the random size), sgs (1 − Shepard goodness, so
    that lower is better), nms, sns, fsns, all stresses with the root.

    Examples
    --------
    >>> table = sensitivity(["iris"], methods=("mds",), n_steps=5)
    >>> len(table), table["measure"].unique().tolist()
    (30, ['ns', 'sgs', 'nms', 'sns', 'fsns'])
    """
    n_steps = _checks.check_integer(n_steps, "n_steps", low=2)
    noise = _checks.check_real(noise, "noise", low=0.0, high=math.inf, open_low=True, open_high=True)
    sources = _checks.check_several(sources, "sources", "datasets or their names")
    least, largest = _checks.check_range_pair(scale_range, "scale_range")
    low = _checks.check_real(least, "scale_range[0]", low=0.0, high=math.inf, open_low=True)
    high = _checks.check_real(largest, "scale_range[1]", low=low, high=math.inf, open_high=True)
    generator = _checks.as_generator(rng)
    rows = []
    for source in map(dataset_of, sources):
        X, named = pictures(source, methods, seed=seed, preprocess=preprocess, scaling=scaling)
        for method, picture in named.items():
            Y = picture.copy()
            spread = float(np.sqrt(Y.var(axis=0).mean()))
            for step in range(n_steps + 1):
                if step:
                    Y += generator.standard_normal(Y.shape) * (spread * noise * step / n_steps)
                factor = float(generator.uniform(low, high))
                for measure, value in zip(MEASURES, _measured(X, factor * Y), strict=True):
                    rows.append((source.name, method, step, factor, measure, value))
    return pd.DataFrame(rows, columns=["dataset", "method", "step", "scale", "measure", "value"])


def noise_correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Correlate the values of each measure with the number of noise steps: Figures 6 and 14.

    Returns a table: one row for each dataset, method and measure: dataset, method, measure, pearson (as in
    the paper), spearman. +1 is what a measure should have, except on random pictures, which do not get worse.

    Examples
    --------
    >>> table = noise_correlations(sensitivity(["iris"], methods=("mds",), n_steps=20))
    >>> bool(table.set_index("measure")["pearson"].drop("ns").min() > 0.9)
    True
    """
    check_columns(table, ("dataset", "method", "step", "measure", "value"), "table")
    rows = []
    for (dataset, method, measure), part in table.groupby(["dataset", "method", "measure"], sort=False):
        step, value = (part["step"].to_numpy(float), part["value"].to_numpy(float))
        _check_changes(value, f"{measure} of {method} on {dataset}")
        pearson, spearman = (float(pearsonr(step, value)[0]), float(spearmanr(step, value)[0]))
        rows.append((dataset, method, measure, pearson, spearman))
    return pd.DataFrame(rows, columns=["dataset", "method", "measure", "pearson", "spearman"])


def _measured(X: _checks.FloatArray, Y: _checks.FloatArray) -> tuple[float, ...]:
    sums, ranks = pair_sums(X, Y), rank_scores(X, Y)
    scales = (1.0, sums.optimal_scale, sums.max_d / sums.max_e)
    own, best, forced = (math.sqrt(sums.normalized_stress(scale)) for scale in scales)
    return (own, 1.0 - ranks.shepard_goodness, ranks.nonmetric_stress, best, forced)


def _check_changes(values: npt.NDArray[np.float64], name: str) -> None:
    """Raise ValueError for values of which no correlation can be taken, all being equal up to rounding."""
    if values.size < 2 or not np.ptp(values) > 1e-12 * float(np.abs(values).max()):
        raise ValueError(f"{name} is {values[0]:g} at all steps; expected values that change")
