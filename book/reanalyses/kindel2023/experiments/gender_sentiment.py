"""The supplement's regressions on the gender-sentiment example, equation by equation.

X = 1 for the first target list of the test (male), and X = 0 for the second (female); a *design* compares both
with one of the two attribute lists (pleasant, unpleasant). The lengths of vectors matter here: the bundled
spaces preserve them, but the bundled pools may not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from reanalyses.kindel2023.experiments.spaces import find_test
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.kindel2023.regression import (
    Regression,
    corrected_ratio_regression,
    cosine_regression,
    distortion_decomposition,
    frequency_adjusted_regressions,
    inner_product_regression,
    split_similarity,
    two_groups,
    word_pairs,
)

__all__ = [
    "binary_regressions",
    "covariance_table",
    "decomposition_table",
    "design_pairs",
    "frequency_table",
    "group_differences",
    "inner_product_lines",
    "local_similarity_means",
    "local_similarity_table",
]


def design_pairs(
    space: Any = "googlenews-weat", test: str = "gender-sentiment", *, attribute: str = "C"
) -> pd.DataFrame:
    """Return all pairs of words from both target lists with the words of one attribute list."""
    lists = find_test(space, test)
    female, male = (
        word_pairs(
            getattr(lists, target),
            getattr(lists, attribute),
            words_a=lists.words[target],
            words_b=lists.words[attribute],
        )
        for target in "BA"
    )
    return two_groups(female, male, labels=(lists.labels["B"], lists.labels["A"]))


def both_designs(space: Any, test: str) -> dict[str, pd.DataFrame]:
    """Return the pairs of both target lists with each attribute list, by the label of the attribute list."""
    labels = find_test(space, test).labels
    return {labels[attribute]: design_pairs(space, test, attribute=attribute) for attribute in "CD"}


#: Model, the symbol of its difference between the groups, its function, and the options of the function.
_MODELS: tuple[tuple[str, str, Callable[..., Regression], dict[str, str]], ...] = (
    ("difference in cosines", "α1*", cosine_regression, {}),
    ("corrected ratio", "β3", corrected_ratio_regression, {}),
    ("inner product", "β3", inner_product_regression, {}),
    ("inner product, weighted", "β3", inner_product_regression, {"weights": "inverse-square"}),
)


def binary_regressions(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Fit the binary models of the supplement to both designs, and return all coefficients in one table.

    The inner product is fitted by ordinary and by 1/LNW² weighted least squares, which gives the coefficients
    of the ratio model. Pairs that share words are not independent: see `covariance_table`.
    """
    tables = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        for model, _, regression, options in _MODELS:
            fit = regression(pairs, **options)
            tables.append(fit.terms.assign(design=design, model=model, r_squared=fit.r_squared))
    return pd.concat(tables, ignore_index=True)


def group_differences(coefficients: pd.DataFrame) -> pd.DataFrame:
    """Return the difference between the groups according to each model of `binary_regressions`.

    All values are differences between similarities: mean cosines (α1*), or slopes of the inner product on LNW
    (β3).
    """
    symbols = {model: symbol for model, symbol, _, _ in _MODELS}
    return coefficients[coefficients["model"].map(symbols) == coefficients["symbol"]]


def covariance_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return the standard error of the group difference under several assumptions about the errors.

    The columns nonrobust, hc3, and cluster are the assumptions; clusters are two-way, by each word of a pair.
    """
    rows = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        for model, symbol, regression, _ in _MODELS[:3]:
            row = {"design": design, "model": model, "symbol": symbol}
            for covariance in ("nonrobust", "HC3", "cluster"):
                terms = regression(pairs, covariance=covariance).terms.set_index("symbol")
                row[covariance.lower()] = terms.at[symbol, "std_error"]
            rows.append(row)
    return pd.DataFrame(rows)


def decomposition_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Decompose the difference between mean cosines by the identity and by the published equation."""
    tables = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        decomposition = distortion_decomposition(pairs)
        tables.append(decomposition.terms.assign(design=design, alpha_1=decomposition.alpha_1))
    return pd.concat(tables, ignore_index=True)


def local_similarity_table(space: Any = "googlenews-weat", *, coefficients: str = "ratio") -> pd.DataFrame:
    """Split every cosine of both designs into its local and global parts.

    The table contains the pairs of `design_pairs` with the columns design, sim_local, and sim_global.
    """
    tables = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        tables.append(split_similarity(pairs, coefficients=coefficients).assign(design=design))
    return pd.concat(tables, ignore_index=True)


def local_similarity_means(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean local and global similarity by group, and the fraction of inflated cosines.

    "Inflated" is the fraction of the pairs whose cosine exceeds sim_local. The means of sim_local are exactly
    β2 and β2 + β3 of the ratio model; if β0 + β1 X is negative, the cosine is below the local similarity.
    """
    with_flags = table.assign(inflated=table["cosine"] > table["sim_local"])
    means = with_flags.groupby(["design", "group"], sort=False).agg(
        pairs=("cosine", "size"),
        cosine=("cosine", "mean"),
        sim_local=("sim_local", "mean"),
        sim_global=("sim_global", "mean"),
        inflated=("inflated", "mean"),
    )
    return means.reset_index()


def inner_product_lines(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the lines that two models fit to the inner products of each group as a function of LNW.

    The line of "difference in cosines" passes through the origin with the mean cosine as its slope.
    """
    cosine, inner = cosine_regression(pairs), inner_product_regression(pairs)
    rows = []
    for x, group_pairs in pairs.groupby("X"):
        mean_cosine = cosine.coefficient("α0*") + x * cosine.coefficient("α1*")
        intercept = inner.coefficient("β0") + x * inner.coefficient("β1")
        slope = inner.coefficient("β2") + x * inner.coefficient("β3")
        group = group_pairs["group"].iloc[0]
        for lnw in (float(group_pairs["lnw"].min()), float(group_pairs["lnw"].max())):
            rows.append((group, "difference in cosines", lnw, mean_cosine * lnw))
            rows.append((group, "inner product", lnw, intercept + slope * lnw))
    table = pd.DataFrame(rows, columns=["group", "model", "lnw", "inner_product"])
    return table.sort_values(["model", "group", "lnw"], ignore_index=True)


def frequency_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Fit the same regressions with word frequencies from an external source as a correction for scale."""
    zipf = word_frequencies()
    tables = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        frequencies = {word: zipf[word.casefold()] for word in (*pairs["a"], *pairs["b"])}
        tables.append(frequency_adjusted_regressions(pairs, frequencies).assign(design=design))
    return pd.concat(tables, ignore_index=True)
