"""The supplement's regressions on the gender-sentiment example, equation by equation.

X = 1 for the first target list of the test (male), and X = 0 for the second (female); a *design* is one of the two
attribute lists (pleasant, unpleasant) with which both are compared. The lengths of vectors matter here: the bundled
spaces preserve them, but the bundled pools may not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from reanalyses.kindel2023.experiments.spaces import find
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.kindel2023.regression import (
    Regression,
    bivariate_cosine_regression,
    centroid_pairs,
    centroid_regression,
    corrected_ratio_regression,
    cosine_regression,
    distortion_decomposition,
    frequency_adjusted_regression,
    inner_product_regression,
    nested_weat,
    split_similarity,
    two_groups,
    word_pairs,
)

__all__ = [
    "covariance_table",
    "decomposition_table",
    "design_pairs",
    "frequency_story",
    "frequency_table",
    "group_differences",
    "inner_product_lines",
    "local_similarity_means",
    "local_similarity_table",
    "nested_weat_table",
]

_ATTRIBUTES = ("C", "D")


def design_pairs(
    space: Any = "googlenews-weat", test: str = "gender-sentiment", *, attribute: str = "C"
) -> pd.DataFrame:
    """Return all pairs of words from both target lists with the words of one attribute list."""
    found = find(space, test)
    first, second = (
        word_pairs(
            getattr(found, role),
            getattr(found, attribute),
            pairing="all",
            words_a=found.words[role],
            words_b=found.words[attribute],
        )
        for role in "AB"
    )
    return two_groups(second, first, labels=(found.labels["B"], found.labels["A"]))


def both_designs(space: Any, test: str) -> dict[str, pd.DataFrame]:
    """Return the pairs of both target lists with each attribute list, by its label."""
    labels = find(space, test).labels
    return {labels[role]: design_pairs(space, test, attribute=role) for role in _ATTRIBUTES}


def _centroids(space: Any, test: str, attribute: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return pairs of target centroids with the attribute words, first for B (X = 0) and then for A."""
    found = find(space, test)
    b, a = (
        centroid_pairs(
            getattr(found, role),
            getattr(found, attribute),
            words_x=found.words[attribute],
            label=found.labels[role],
        )
        for role in "BA"
    )
    return b, a


def _models(
    space: Any, test: str, attribute: str, pairs: pd.DataFrame, covariance: str
) -> dict[str, Regression]:
    zero, one = _centroids(space, test, attribute)
    labels = find(space, test).labels
    composed = two_groups(zero, one, labels=(labels["B"], labels["A"]))
    errors: dict[str, Any] = {"covariance": covariance}
    return {
        "difference in cosines": cosine_regression(pairs, **errors),
        "corrected ratio": corrected_ratio_regression(pairs, **errors),
        "inner product": inner_product_regression(pairs, **errors),
        "inner product, weighted": inner_product_regression(pairs, weights="inverse-square", **errors),
        "inner product, with lengths": inner_product_regression(pairs, norms=True, **errors),
        "centroids, cosine": centroid_regression(composed, model="uncorrected", **errors),
        "centroids, corrected": centroid_regression(composed, model="corrected", **errors),
        "centroids, one on the other": bivariate_cosine_regression(one, zero, clusters="b", **errors),
    }


def frequency_story(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Fit every model of the supplement to both designs, and return all coefficients in one table.

    The inner product is fitted by ordinary and by 1/LNW² weighted least squares, which gives the coefficients
    of the ratio model; unidentifiable terms of "inner product, with lengths" are dropped. Pairs that share
    words are not independent: see `covariance_table`.
    """
    parts = []
    designs = both_designs(space, "gender-sentiment")
    for attribute, (design, pairs) in zip(_ATTRIBUTES, designs.items(), strict=True):
        for name, fit in _models(space, "gender-sentiment", attribute, pairs, "HC3").items():
            columns = ["term", "symbol", "estimate", "std_error", "p_value", "low", "high"]
            part = fit.terms[columns].reset_index(drop=True)
            part.insert(0, "outcome", fit.outcome)
            part.insert(0, "model", name)
            part.insert(0, "design", design)
            parts.append(part.assign(r_squared=fit.r_squared, n=fit.n))
    return pd.concat(parts, ignore_index=True)


#: The coefficient of each model that represents the difference between the groups.
_DIFFERENCE = {
    "difference in cosines": "α1*",
    "corrected ratio": "β3",
    "inner product": "β3",
    "inner product, weighted": "β3",
    "inner product, with lengths": "β3",
    "centroids, cosine": "γ1*",
    "centroids, corrected": "γ1",
}


def group_differences(story: pd.DataFrame) -> pd.DataFrame:
    """Return the difference between the groups according to each model of `frequency_story`.

    All values are differences of similarities: of mean cosines (α1*, γ1*), or of slopes of the inner product
    on LNW (β3, γ1).
    """
    expected = story["model"].map(_DIFFERENCE) == story["symbol"]
    columns = ["design", "model", "symbol", "estimate", "std_error", "low", "high", "p_value", "r_squared"]
    return story.loc[expected, columns].reset_index(drop=True)


def covariance_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return the standard error of the group difference under several assumptions about the errors.

    The test is that of Breusch and Pagan; the clusters are the two words of a pair.
    """
    models: dict[str, Callable[..., Regression]] = {
        "difference in cosines": cosine_regression,
        "corrected ratio": corrected_ratio_regression,
        "inner product": inner_product_regression,
    }
    rows = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        for name, fit in models.items():
            symbol = _DIFFERENCE[name]
            kinds = {kind: fit(pairs, covariance=kind) for kind in ("nonrobust", "HC3", "cluster")}
            errors = {
                kind.lower(): float(found.terms.set_index("symbol").at[symbol, "std_error"])
                for kind, found in kinds.items()
            }
            tested = kinds["nonrobust"].breusch_pagan
            rows.append(
                {
                    "design": design,
                    "model": name,
                    "symbol": symbol,
                    "estimate": kinds["HC3"].coefficient(symbol),
                    **errors,
                    "breusch_pagan": np.nan if tested is None else tested.statistic,
                    "p_value": np.nan if tested is None else tested.pvalue,
                }
            )
    return pd.DataFrame(rows)


def decomposition_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Decompose the difference between mean cosines by the identity and by the published equation."""
    parts = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        found = distortion_decomposition(pairs, coefficients="ratio")
        part = found.terms.assign(alpha_1=found.alpha_1)
        part.insert(0, "design", design)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def local_similarity_table(space: Any = "googlenews-weat", *, coefficients: str = "ratio") -> pd.DataFrame:
    """Split every cosine of both designs into its local and global parts.

    The table contains the pairs of `design_pairs` with the columns design, sim_local, and sim_global.
    """
    parts = []
    for design, pairs in both_designs(space, "gender-sentiment").items():
        part = split_similarity(pairs, coefficients=coefficients)
        part.insert(0, "design", design)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def local_similarity_means(table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean local and global similarity by group, and the fraction of inflated cosines.

    "Inflated" is the fraction of the pairs whose cosine exceeds sim_local. The means of sim_local are exactly
    β2 and β2 + β3 of the ratio model; if β0 + β1 X is negative, the cosine is below the local similarity.
    """
    marked = table.assign(inflated=table["cosine"] > table["sim_local"])
    means = marked.groupby(["design", "group"], sort=False).agg(
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
    for x, part in pairs.groupby("X"):
        slope = cosine.coefficient("α0*") + x * cosine.coefficient("α1*")
        start = inner.coefficient("β0") + x * inner.coefficient("β1")
        rise = inner.coefficient("β2") + x * inner.coefficient("β3")
        for end in (float(part["lnw"].min()), float(part["lnw"].max())):
            group = part["group"].iloc[0]
            rows.append((group, "difference in cosines", end, slope * end))
            rows.append((group, "inner product", end, start + rise * end))
    table = pd.DataFrame(rows, columns=["group", "model", "lnw", "inner_product"])
    return table.sort_values(["model", "group", "lnw"], ignore_index=True)


def frequency_table(space: Any = "googlenews-weat", test: str = "gender-sentiment") -> pd.DataFrame:
    """Fit the same regressions with word frequencies from an external source as a correction for scale."""
    zipf = word_frequencies()
    parts = []
    for design, pairs in both_designs(space, test).items():
        words = sorted({str(word) for column in ("a", "b") for word in pairs[column]})
        known = {word: float(zipf[word.casefold()]) for word in words if word.casefold() in zipf.index}
        found = frequency_adjusted_regression(pairs, known)
        part = found.summary.copy()
        part.insert(0, "design", design)
        parts.append(part.assign(correlation=found.correlation))
    return pd.concat(parts, ignore_index=True)


def nested_weat_table(
    space: Any = "googlenews-weat", test: str = "gender-sentiment", *, corrected: bool = True
) -> pd.DataFrame:
    """Return WEAT as a nested regression of each word's difference in cosines, corrected and uncorrected.

    The mean of alpha_1 over the first list minus that over the second is the WEAT score.
    """
    found = find(space, test)
    outcome = nested_weat(
        *found.lists,
        corrected=corrected,
        words_x=found.words["A"],
        words_y=found.words["B"],
        words_a=found.words["C"],
        words_b=found.words["D"],
    )
    table = outcome.coefficients.copy()
    names = {"X": found.labels["A"], "Y": found.labels["B"]}
    table.insert(0, "list", table.pop("set").map(names))
    return table
