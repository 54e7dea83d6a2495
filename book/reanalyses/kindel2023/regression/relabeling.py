"""Permutation tests for regressions on two groups, in which words, not pairs, change groups."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import numpy.typing as npt
import pandas as pd

from reanalyses.kindel2023.regression.estimation import columns_of
from reanalyses.kindel2023.regression.least_squares import Floats

__all__ = ["RelabelingTest", "regression_relabeling_test"]


@dataclasses.dataclass(frozen=True)
class RelabelingTest:
    """A permutation test of the difference between two groups of words."""

    observed: float  #: Observed value of the statistic.
    #: Two-sided p-value in (0, 1]: the fraction of relabelings, including the observed one, with an absolute
    #: value at least as large.
    pvalue: float
    n_at_least: int  #: Number of relabelings with an absolute value at least as large.
    count: int  #: Number of all relabelings.
    #: Standard deviation over relabelings: the spread of the statistic if the group has no effect.
    standard_deviation: float


def regression_relabeling_test(
    pairs: pd.DataFrame, *, statistic: str = "difference in cosines", covariate: str | None = None
) -> RelabelingTest:
    """Test the difference between two groups of words by all relabelings of the words.

    All pairs of a word change groups together, so that dependence between pairs does not count as evidence,
    as it does for standard errors that treat pairs as independent. Every word a must have the same words b, as in
    `overlapping_pairs`. `statistic` is "difference in cosines" (α1*), "equal weights" (the difference of
    `weight_standardization`), or "corrected ratio" (β3). The last two adjust for `covariate`, a column of `pairs`;
    the default is 1/LNW. This extends the permutation test of Caliskan et al. (2017) to the models of the
    supplement of Kindel (2023).
    """
    sums, in_group, covariate_zero = _sums_by_word(pairs, covariate)
    groups = np.array(list(itertools.combinations(range(len(in_group)), int(in_group.sum()))))
    masks = np.zeros((len(groups), len(in_group)), dtype=bool)
    np.put_along_axis(masks, groups, True, axis=1)
    observed = float(_statistics(sums, in_group[None, :], statistic, covariate_zero)[0])
    values = _statistics(sums, masks, statistic, covariate_zero)
    # Values of relabelings that differ only by rounding count as tied.
    n_at_least = int(np.count_nonzero(np.abs(values) >= abs(observed) - 1e-10 * np.abs(values).max()))
    return RelabelingTest(
        observed=observed,
        pvalue=n_at_least / len(values),
        n_at_least=n_at_least,
        count=len(values),
        standard_deviation=float(values.std()),
    )


def _sums_by_word(pairs: pd.DataFrame, covariate: str | None) -> tuple[Floats, npt.NDArray[np.bool_], float]:
    """Return each word's sums of 1, d, d², y, and dy over its pairs, its group, and the value of d at covariate 0.

    y is the cosine, and d the covariate in standard deviations from its mean, which preserves digits of the sums.
    """
    y, lnw, X = columns_of(pairs, "cosine", "lnw", "X")
    z = 1 / lnw if covariate is None else pairs[covariate].to_numpy(dtype=np.float64)
    center, scale = float(z.mean()), float(z.std())
    d = (z - center) / scale
    columns = {"one": np.ones(len(y)), "d": d, "dd": d * d, "y": y, "dy": d * y}
    by_word = pd.DataFrame({"a": pairs["a"].to_numpy(), "X": X, **columns}).groupby("a", sort=False)
    sums = by_word[list(columns)].sum().to_numpy(dtype=np.float64)
    return sums, by_word["X"].first().to_numpy() == 1, -center / scale


def _statistics(sums: Floats, masks: npt.NDArray[np.bool_], statistic: str, covariate_zero: float) -> Floats:
    """Return the statistic for each row of `masks`, from the results of `_sums_by_word`."""
    group_sums = masks.astype(np.float64) @ sums
    means, slopes, centers = [], [], []
    for n, d, dd, y, dy in ((sums.sum(axis=0) - group_sums).T, group_sums.T):
        variation = dd - d**2 / n
        means.append(y / n)
        slopes.append((dy - d * y / n) / variation)
        centers.append(d / n)
    difference = np.asarray(means[1] - means[0])
    if statistic == "equal weights":
        difference = difference - (slopes[0] + slopes[1]) / 2 * (centers[1] - centers[0])
    elif statistic == "corrected ratio":
        difference = (
            difference + slopes[1] * (covariate_zero - centers[1]) - slopes[0] * (covariate_zero - centers[0])
        )
    return np.asarray(difference, dtype=np.float64)
