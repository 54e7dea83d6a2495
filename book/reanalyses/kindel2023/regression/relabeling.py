"""Permutation tests of the binary regressions, in which words rather than pairs change groups."""

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
# Up to this number of relabelings, all are enumerated.
MOST_RELABELINGS = 100_000
_BLOCK = 20_000


@dataclasses.dataclass(frozen=True)
class RelabelingTest:
    """A permutation test of the difference between two groups of words."""

    statistic: str  #: The tested statistic.
    observed: float  #: Observed value.
    #: Two-sided p-value in (0, 1]: the fraction of relabelings, including the observed one, with an absolute
    #: value at least as large.
    pvalue: float
    #: n_at_least, count: number of relabelings at least as large, and number of all evaluated relabelings.
    n_at_least: int
    count: int
    #: Standard deviation over relabelings, that is, the variation if the group has no effect.
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
    """Test the difference by relabeling the words of both groups in all ways, or in a random sample of them.

    All pairs of a word change groups together, so that dependence between pairs does not count as evidence,
    as it does for standard errors that treat pairs as independent. The statistics are the "difference in
    cosines" α1*, that at "equal weights" (`weight_standardization`), and β3 of the "corrected ratio". The last
    two adjust for the column `covariate`, by default 1/LNW. This extends the permutation test of Caliskan et
    al. (2017) to the models of Kindel (2023), supplement.
    """
    checks.check_option(statistic, "statistic", _STATISTICS)
    sums, in_group, origin = _word_sums(pairs, covariate)
    k, chosen = len(in_group), int(in_group.sum())
    count = math.comb(k, chosen)
    exact = count <= MOST_RELABELINGS
    observed = float(_statistics(sums, in_group[None, :], statistic, origin)[0])
    if exact:
        rows = np.array(list(itertools.combinations(range(k), chosen)))
        masks = np.zeros((count, k), dtype=bool)
        np.put_along_axis(masks, rows, True, axis=1)
    else:
        generator = checks.as_generator(rng)
        masks = generator.permuted(np.tile(in_group, (n_resamples, 1)), axis=1)
        masks = np.concatenate([in_group[None, :], masks])
    blocks = range(0, len(masks), _BLOCK)
    values = np.concatenate([_statistics(sums, masks[i : i + _BLOCK], statistic, origin) for i in blocks])
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


def _word_sums(pairs: pd.DataFrame, covariate: str | None) -> tuple[Floats, npt.NDArray[np.bool_], float]:
    """Return, for each word, the sums over its pairs of 1, d, d², y, and dy, its group, and where the covariate is 0.

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
    if (both := groups["min"] != groups["max"]).any():
        raise ValueError(f"pairs has {both.idxmax()} in both groups; expected one value of X for each word a")
    partners = pairs.groupby("a", sort=False)["b"].agg(lambda words: tuple(sorted(map(str, words))))
    if partners.nunique() > 1:
        other = partners.index[partners != partners.iloc[0]][0]
        raise ValueError(
            f"pairs compares {partners.index[0]} and {other} with different words b; expected the same words b for "
            "all, as overlapping_pairs returns them"
        )
    in_group = groups["min"].to_numpy() == 1
    return (by_word[list(values)].sum().to_numpy(dtype=np.float64), in_group, -center / scale)


def _statistics(sums: Floats, masks: npt.NDArray[np.bool_], statistic: str, origin: float) -> Floats:
    """Return the statistic of each relabeling, a row of `masks`, from the results of `_word_sums`."""
    ones = masks.astype(np.float64) @ sums
    means, slopes, centers = [], [], []
    for n, d, dd, y, dy in ((sums.sum(axis=0) - ones).T, ones.T):
        spread = dd - d**2 / n
        means.append(y / n)
        slopes.append((dy - d * y / n) / np.where(spread > 0, spread, 1.0))
        centers.append(d / n)
    difference = np.asarray(means[1] - means[0])
    if statistic == "equal weights":
        difference = difference - (slopes[0] + slopes[1]) / 2 * (centers[1] - centers[0])
    elif statistic == "corrected ratio":
        difference = difference + slopes[1] * (origin - centers[1]) - slopes[0] * (origin - centers[0])
    return np.asarray(difference, dtype=np.float64)
