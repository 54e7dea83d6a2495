"""Data for the interactive figure of projections at every scale, which the page draws without Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.projection import affinities, pair_sums
from isotropy_lab.projection._checks import as_scales
from isotropy_lab.projection._pairs.kl_histogram import KLHistogram
from reanalyses.smelser2025.experiments.kl_scales import kl_histogram
from reanalyses.smelser2025.experiments.sources import Projections, label

__all__ = ["scale_statistics", "stress_and_kl_at"]

#: Binary logarithms of the bins per octave, from the coarsest; the first with this precision is used.
_BITS = range(3, 8)
_PRECISION = 2e-6
#: Scales at which precision is measured: the scales of the figure, and larger and smaller scales.
_SCALES = np.geomspace(1e-4, 1e4, 161)


def scale_statistics(data: Projections) -> dict[str, Any]:
    """Return compact statistics that determine stress and divergence at every scale.

    Stress requires three sums per projection and is exact at every scale. The divergence requires the
    distances of all pairs; they are binned as in `KLHistogram`, so finely that the error is at most 2e-6,
    well below the three displayed decimals. ``unit`` is the unit of length of the following fields;
    ``number`` and ``probability`` are counts of pairs and their P, by e² − nearest.
    """
    X, named, dataset = data.X, data.Y, data.dataset
    P = affinities(X, perplexity=30.0)
    drawn = np.unique(np.linspace(0, X.shape[0] - 1, min(250, X.shape[0])).round().astype(int))
    groups, group_names = _groups(dataset.labels, dataset.label_names, drawn)
    parts = []
    for method, Y in named.items():
        sums = pair_sums(X, Y)
        middle = 0.5 * (Y.min(axis=0) + Y.max(axis=0))
        parts.append(
            {
                "method": method,
                "label": label(method),
                "sum_d2": sums.sum_d2,
                "sum_de": sums.sum_de,
                "sum_e2": sums.sum_e2,
                "max_e": sums.max_e,
                "points": ((Y[drawn, :2] - middle[:2]) / sums.max_e).round(3).ravel().tolist(),
            }
        )
    fine = [kl_histogram(P, Y) for Y in named.values()]
    exact = [histogram.values(_SCALES) for histogram in fine]
    for bits in _BITS:
        histograms = [kl_histogram(P, Y, bits=bits) for Y in named.values()]
        statistics = {
            "dataset": dataset.name,
            "n_points": int(X.shape[0]),
            "perplexity": 30.0,
            "max_d": sums.max_d,
            "log_p": fine[0].log_p,
            "groups": groups,
            "group_names": group_names,
            "projections": [
                {**part, **_bins(histogram)} for part, histogram in zip(parts, histograms, strict=True)
            ],
        }
        error = 0.0
        for scale, *values in zip(_SCALES, *exact, strict=True):
            gathered = stress_and_kl_at(statistics, [float(scale)] * len(named))
            error = max(error, *(abs(kl - value) for (_, kl), value in zip(gathered, values, strict=True)))
        statistics["kl_error"] = float(error)
        if error <= _PRECISION:
            return statistics
    raise RuntimeError(
        f"{dataset.name}: {2**bits} bins per octave have an error of {error:.1e} > {_PRECISION:.1e}"
    )


def stress_and_kl_at(statistics: Mapping[str, Any], scales: Sequence[float]) -> list[tuple[float, float]]:
    """Return each projection's stress (with the root) and divergence at its own scale, from the statistics.

    The figure `reanalyses.moving.sizes` computes the same values in the page.
    """
    factors = as_scales(scales)
    parts = statistics["projections"]
    found = []
    for part, scale in zip(parts, factors, strict=True):
        stress = part["sum_d2"] - 2.0 * scale * part["sum_de"] + scale * scale * part["sum_e2"]
        inner = (scale * part["unit"]) ** 2
        far = np.log1p(inner * (np.array(part["probability_at"]) + part["nearest"]))
        weights = np.array(part["number"]) / (1.0 + inner * (np.array(part["number_at"]) + part["nearest"]))
        kl = statistics["log_p"] + float(np.array(part["probability"]) @ far) + math.log(2.0 * weights.sum())
        found.append((math.sqrt(max(stress / part["sum_d2"], 0.0)), max(kl, 0.0)))
    return found


def _bins(histogram: KLHistogram) -> dict[str, Any]:
    names = ("number", "number_at", "probability", "probability_at")
    values = {name: _short(getattr(histogram, name)) for name in names}
    return {"unit": histogram.size, "nearest": histogram.nearest, **values}


def _short(values: checks.FloatArray) -> list[float]:
    """Return values rounded to seven significant digits; those that are then whole numbers are ints."""
    rounded = [float(f"{value:.7g}") for value in values]
    return [int(value) if value.is_integer() else value for value in rounded]


def _groups(
    labels: Any, names: tuple[str, ...] | None, drawn: np.ndarray[Any, Any]
) -> tuple[list[int], list[str]]:
    """Return the group of each drawn point: its class, or the third of a quantity's range."""
    if labels is None:
        return [0] * drawn.size, [""]
    values = np.asarray(labels)
    if values.dtype.kind in "iub":
        found = values[drawn].astype(int)
        return found.tolist(), list(names or map(str, range(int(values.max()) + 1)))
    low, high = float(values.min()), float(values.max())
    thirds = np.minimum((values[drawn] - low) / ((high - low) or 1.0) * 3.0, 2.0).astype(int)
    return thirds.tolist(), ["low", "middle", "high"]
