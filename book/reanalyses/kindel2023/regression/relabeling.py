"""Permutation tests for regressions on two groups, in which words, not pairs, change groups."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from reanalyses.kindel2023.regression.estimation import Floats, columns_of

__all__ = ["RelabelingTest", "regression_relabeling_test"]

_STATISTICS = ("difference in cosines", "equal weights", "corrected ratio")
# All relabelings are enumerated if there are at most this many.
MAX_ENUMERATED = 100_000
_BLOCK_SIZE = 20_000


@dataclasses.dataclass(frozen=True)
class RelabelingTest:
    """A permutation test of the difference between two groups of words."""

    statistic: str  #: The tested statistic.
    observed: float  #: Observed value.
    #: Two-sided p-value in (0, 1]: the fraction of relabelings, including the observed one, with an absolute
    #: value at least as large.
    pvalue: float
    #: n_at_least, count: number of relabelings with a value at least as extreme, and number of relabelings evaluated.
    n_at_least: int
    count: int
    #: Standard deviation over relabelings: the spread of the statistic if the group has no effect.
    standard_deviation: float
    method: str  #: "exact" or "Monte Carlo".


def regression_relabeling_test(
    pairs: pd.DataFrame,
    *,
    statistic: str = "difference in cosines",
    covariate: str | None = None,
    n_resamples: int = 9_999,
    rng: checks.RandomState = None,
) -> RelabelingTest:
    """Test the difference by relabeling the words in every possible way, or in a random sample of these ways.

    All pairs of a word change groups together, so that dependence between pairs does not count as evidence,
    as it does for standard errors that treat pairs as independent. `statistic` is "difference in cosines" (α1*),
    "equal weights" (the difference of `weight_standardization`), or "corrected ratio" (β3). The last two adjust for
    `covariate`, a column of `pairs`; the default is 1/LNW. This extends the permutation test of Caliskan et al.
    (2017) to the models of the supplement of Kindel (2023).
    """
    checks.check_option(statistic, "statistic", _STATISTICS)
    sums, in_group, covariate_zero = _sums_by_word(pairs, covariate)
    n_words, n_in_group = len(in_group), int(in_group.sum())
    n_relabelings = math.comb(n_words, n_in_group)
    exact = n_relabelings <= MAX_ENUMERATED
    observed = float(_statistics(sums, in_group[None, :], statistic, covariate_zero)[0])
    if exact:
        members = np.array(list(itertools.combinations(range(n_words), n_in_group)))
        masks = np.zeros((n_relabelings, n_words), dtype=bool)
        np.put_along_axis(masks, members, True, axis=1)
    else:
        generator = checks.as_generator(rng)
        masks = generator.permuted(np.tile(in_group, (n_resamples, 1)), axis=1)
        masks = np.concatenate([in_group[None, :], masks])
    blocks = range(0, len(masks), _BLOCK_SIZE)
    values = np.concatenate(
        [_statistics(sums, masks[i : i + _BLOCK_SIZE], statistic, covariate_zero) for i in blocks]
    )
    # Values of relabelings that differ only by rounding count as tied.
    at_least = int(np.count_nonzero(np.abs(values) >= abs(observed) - 1e-10 * np.abs(values).max()))
    return RelabelingTest(
        statistic=statistic,
        observed=observed,
        pvalue=at_least / len(values),
        n_at_least=at_least,
        count=len(values),
        standard_deviation=float(values.std()),
        method="exact" if exact else "Monte Carlo",
    )


def _sums_by_word(pairs: pd.DataFrame, covariate: str | None) -> tuple[Floats, npt.NDArray[np.bool_], float]:
    """Return each word's sums of 1, d, d², y, and dy over its pairs, its group, and the value of d at covariate 0.

    y is the cosine, and d the covariate in standard deviations from its mean, which preserves digits of the sums.
    """
    columns = columns_of(pairs, ("cosine", "lnw", "X"))
    y, z = columns["cosine"], 1 / columns["lnw"]
    if covariate is not None:
        z = columns_of(pairs, (covariate,))[covariate]
    center, scale = float(z.mean()), float(z.std())
    scale = scale if scale > 1e-12 * abs(center) else 1.0
    d = (z - center) / scale
    values = {"one": np.ones(len(y)), "d": d, "dd": d * d, "y": y, "dy": d * y}
    frame = pd.DataFrame({"a": pairs["a"].to_numpy(), "X": columns["X"], **values})
    by_word = frame.groupby("a", sort=False)
    groups = by_word["X"].agg(["min", "max"])
    if (mixed := groups["min"] != groups["max"]).any():
        raise ValueError(
            f"pairs has the word {mixed.idxmax()} in both groups; expected one value of X for each word a"
        )
    partners = pairs.groupby("a", sort=False)["b"].agg(lambda words: tuple(sorted(map(str, words))))
    if partners.nunique() > 1:
        other = partners.index[partners != partners.iloc[0]][0]
        raise ValueError(
            f"pairs compares {partners.index[0]} and {other} with different words b; expected the same words b for "
            "all, as overlapping_pairs returns them"
        )
    in_group = groups["min"].to_numpy() == 1
    return (by_word[list(values)].sum().to_numpy(dtype=np.float64), in_group, -center / scale)


def _statistics(sums: Floats, masks: npt.NDArray[np.bool_], statistic: str, covariate_zero: float) -> Floats:
    """Return the statistic for each row of `masks`, from the results of `_sums_by_word`."""
    in_sums = masks.astype(np.float64) @ sums
    means, slopes, centers = [], [], []
    for n, d, dd, y, dy in ((sums.sum(axis=0) - in_sums).T, in_sums.T):
        spread = dd - d**2 / n
        means.append(y / n)
        slopes.append((dy - d * y / n) / np.where(spread > 0, spread, 1.0))
        centers.append(d / n)
    difference = np.asarray(means[1] - means[0])
    if statistic == "equal weights":
        difference = difference - (slopes[0] + slopes[1]) / 2 * (centers[1] - centers[0])
    elif statistic == "corrected ratio":
        difference = (
            difference + slopes[1] * (covariate_zero - centers[1]) - slopes[0] * (covariate_zero - centers[0])
        )
    return np.asarray(difference, dtype=np.float64)
