"""The change of a domain's separation by adaptation, against a uniform stretch and against its own neighborhoods."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab._core.resampling import question_weights
from isotropy_lab.results import Separation

_TILE = 2**19  # weights drawn at a time: 4 MB


@dataclass(frozen=True)
class SeparationChange:
    """Separation before and after adaptation, for the same sentences."""

    #: difference, difference_low, difference_high: mean of Δ after minus before, and its interval.
    difference: float
    difference_low: float
    difference_high: float
    pvalue: float  #: Of Wilcoxon's signed-rank test, two-sided, that the differences are symmetric about 0.
    #: relative_difference, relative_difference_low, relative_difference_high, relative_pvalue: the same for Δ
    #: / spread, which a uniform stretch of everything leaves unchanged.
    relative_difference: float
    relative_difference_low: float
    relative_difference_high: float
    relative_pvalue: float
    #: log_ratio, log_ratio_low, log_ratio_high: natural logarithm of the ratio to the distance within the
    #: domain, after over before, and its interval: above 0 only if the domain moved away from the outside by
    #: more than its own sentences moved apart.
    log_ratio: float
    log_ratio_low: float
    log_ratio_high: float
    fraction_farther: float  #: Fraction of domain sentences whose Δ grew.
    #: n_resamples, confidence_level: bootstrap samples, and the nominal coverage of the intervals.
    n_resamples: int
    confidence_level: float


def compare_separation(
    before: Separation,
    after: Separation,
    *,
    n_resamples: int = 10_000,
    rng: np.random.Generator | int | None = None,
) -> SeparationChange:
    """Test whether adaptation moved the sentences of a domain away from the others, or only everything apart.

    Both are of the same sentences in the same order, sought among as many candidates. Three comparisons, from the
    paper's to the most demanding: Δ itself grows if all distances do, for instance when
    contrastive training spreads embeddings over the sphere; Δ / spread does not grow by a uniform stretch; the ratio to
    the nearest neighbor within the domain not even if all neighborhoods thin out alike. Bootstrap and test take domain
    sentences for independent, which those with a common neighbor are not, so both are somewhat too sure.
    """
    generator = np.random.default_rng(rng)
    plain = after.distances - before.distances
    relative = after.distances / after.spread - before.distances / before.spread
    # One column for each mean that a bootstrap sample needs.
    columns = np.column_stack(
        [plain, relative, after.distances, after.within, before.distances, before.within]
    )
    n_sentences = plain.size
    means = np.empty((n_resamples, columns.shape[1]))
    step = max(1, _TILE // n_sentences)
    for part, weights in question_weights(n_sentences, n_sentences, n_resamples, step, generator):
        means[part] = weights @ columns / n_sentences
    ratios = np.log(means[:, 2] / means[:, 3]) - np.log(means[:, 4] / means[:, 5])
    level = 0.95
    tail = 50.0 * (1.0 - level)
    ends = np.percentile(np.column_stack([means[:, :2], ratios]), [tail, 100.0 - tail], axis=0)
    return SeparationChange(
        difference=float(plain.mean()),
        difference_low=float(ends[0, 0]),
        difference_high=float(ends[1, 0]),
        pvalue=_wilcoxon(plain, after.mean),
        relative_difference=float(relative.mean()),
        relative_difference_low=float(ends[0, 1]),
        relative_difference_high=float(ends[1, 1]),
        relative_pvalue=_wilcoxon(relative, 1.0),
        log_ratio=math.log(after.ratio) - math.log(before.ratio),
        log_ratio_low=float(ends[0, 2]),
        log_ratio_high=float(ends[1, 2]),
        fraction_farther=float((plain > 0).mean()),
        n_resamples=n_resamples,
        confidence_level=level,
    )


def _wilcoxon(differences: NDArray[np.float64], scale: float) -> float:
    """Return the p of the signed-rank test; differences that are rounding count as none, and none at all as p = 1."""
    differences = np.where(np.abs(differences) <= 1e-12 * scale, 0.0, differences)
    if not differences.any():
        return 1.0
    return float(stats.wilcoxon(differences, zero_method="wilcox", method="auto").pvalue)
