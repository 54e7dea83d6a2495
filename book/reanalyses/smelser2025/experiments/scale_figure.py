"""Data for the interactive figure of projections at every scale, which the page draws without Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isotropy_lab.projection import affinities, pair_sums
from isotropy_lab.projection._pairs.kl_histogram import KLHistogram
from reanalyses.smelser2025.experiments.kl_scales import kl_histogram
from reanalyses.smelser2025.experiments.projection_sets import Projections, label

__all__ = ["scale_statistics", "stress_and_kl_at"]

#: Base-2 logarithms of the number of bins per octave, coarsest first; the first that meets `_TOLERANCE` is used.
_LOG2_BINS_PER_OCTAVE = range(3, 8)
_TOLERANCE = 2e-6
#: Scales at which the error is measured; they extend beyond those of the figure at both ends.
_TEST_SCALES = np.geomspace(1e-4, 1e4, 161)


def scale_statistics(data: Projections) -> dict[str, Any]:
    """Return compact statistics from which stress and the KL divergence follow at every scale.

    Stress requires three sums per projection and is exact at every scale. The divergence requires the
    distances of all pairs; they are binned as in `KLHistogram`, so finely that the error is at most 2e-6,
    well below the three displayed decimals. ``unit`` is the unit of length of the fields after it;
    ``number`` and ``probability`` are numbers of pairs and their affinities P; ``number_at`` and ``probability_at``
    are the values of e² − nearest to which these refer.
    """
    X, dataset = data.X, data.dataset
    P = affinities(X, perplexity=30.0)
    shown = np.unique(np.linspace(0, X.shape[0] - 1, min(250, X.shape[0])).round().astype(int))
    groups, group_names = _groups_of_points(dataset.labels, dataset.label_names, shown)
    projections = []
    for method, Y in data.Y.items():
        sums = pair_sums(X, Y)
        center = 0.5 * (Y.min(axis=0) + Y.max(axis=0))
        projections.append(
            {
                "method": method,
                "label": label(method),
                "sum_d2": sums.sum_d2,
                "sum_de": sums.sum_de,
                "sum_e2": sums.sum_e2,
                "max_e": sums.max_e,
                "points": ((Y[shown, :2] - center[:2]) / sums.max_e).round(3).ravel().tolist(),
            }
        )
    reference_histograms = [kl_histogram(P, Y) for Y in data.Y.values()]
    reference_kl = [histogram.values(_TEST_SCALES) for histogram in reference_histograms]
    for bits in _LOG2_BINS_PER_OCTAVE:
        histograms = [kl_histogram(P, Y, bits=bits) for Y in data.Y.values()]
        statistics = {
            "dataset": dataset.name,
            "n_points": int(X.shape[0]),
            "perplexity": 30.0,
            "max_d": sums.max_d,
            "log_p": reference_histograms[0].log_p,
            "groups": groups,
            "group_names": group_names,
            "projections": [
                {**fields, **_histogram_fields(histogram)}
                for fields, histogram in zip(projections, histograms, strict=True)
            ],
        }
        error = 0.0
        for scale, *values in zip(_TEST_SCALES, *reference_kl, strict=True):
            recomputed = stress_and_kl_at(statistics, [float(scale)] * len(data.Y))
            error = max(error, *(abs(kl - value) for (_, kl), value in zip(recomputed, values, strict=True)))
        statistics["kl_error"] = float(error)
        if error <= _TOLERANCE:
            return statistics
    raise RuntimeError(
        f"{dataset.name}: {2**bits} bins per octave have an error of {error:.1e} > {_TOLERANCE:.1e}"
    )


def stress_and_kl_at(statistics: Mapping[str, Any], scales: Sequence[float]) -> list[tuple[float, float]]:
    """Return each projection's stress (the square root of the normalized sum) and KL divergence at its own scale.

    The figure `reanalyses.moving.sizes` computes the same values in the browser.
    """
    results = []
    for fields, scale in zip(statistics["projections"], scales, strict=True):
        stress = fields["sum_d2"] - 2.0 * scale * fields["sum_de"] + scale * scale * fields["sum_e2"]
        squared_scale = (scale * fields["unit"]) ** 2
        log_weights = np.log1p(squared_scale * (np.array(fields["probability_at"]) + fields["nearest"]))
        weights = np.array(fields["number"]) / (
            1.0 + squared_scale * (np.array(fields["number_at"]) + fields["nearest"])
        )
        kl = (
            statistics["log_p"]
            + float(np.array(fields["probability"]) @ log_weights)
            + math.log(2.0 * weights.sum())
        )
        results.append((math.sqrt(max(stress / fields["sum_d2"], 0.0)), max(kl, 0.0)))
    return results


def _histogram_fields(histogram: KLHistogram) -> dict[str, Any]:
    """Return a histogram's numbers to seven significant digits; values that become whole numbers are ints."""
    fields: dict[str, Any] = {"unit": histogram.size, "nearest": histogram.nearest}
    for name in ("number", "number_at", "probability", "probability_at"):
        rounded = [float(f"{value:.7g}") for value in getattr(histogram, name)]
        fields[name] = [int(value) if value.is_integer() else value for value in rounded]
    return fields


def _groups_of_points(
    labels: Any, names: tuple[str, ...] | None, shown: np.ndarray[Any, Any]
) -> tuple[list[int], list[str]]:
    """Return the group of each shown point: its class, or the third of the range in which its value lies."""
    values = np.asarray(labels)
    if values.dtype.kind in "iub":
        return values[shown].astype(int).tolist(), list(names or map(str, range(int(values.max()) + 1)))
    low, high = float(values.min()), float(values.max())
    thirds = np.minimum((values[shown] - low) / ((high - low) or 1.0) * 3.0, 2.0).astype(int)
    return thirds.tolist(), ["low", "center", "high"]
