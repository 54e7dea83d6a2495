"""Differences between cosines and their corrections: equal weights, and permutation of words between groups.

These tables of the case file evaluate the models of `gender_sentiment`, with the same designs and X.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.permutation import weat_permutation_test
from reanalyses.kindel2023.experiments.gender_sentiment import both_designs, design_pairs, frequency_table
from reanalyses.kindel2023.experiments.spaces import find_test, list_labels, list_vectors, other_words
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.kindel2023.regression import (
    breusch_pagan_test,
    centroid_pairs,
    corrected_ratio_regression,
    cosine_regression,
    distortion_decomposition,
    inner_product_regression,
    nested_weat,
    overlapping_bivariate_centroid_regression,
    regression_relabeling_test,
    two_groups,
    weight_standardization,
    word_pairs,
)

__all__ = [
    "centroid_distortion_table",
    "difference_tests",
    "error_variance_table",
    "leave_one_out_table",
    "length_example_table",
    "length_examples",
    "ratio_lines",
    "shared_words_table",
    "weat_errors_table",
]

_EXAMPLES = {"one line, longer words": ((2, 4, 8), (4, 8, 16)), "two lines, equal words": ((2, 4, 8),) * 2}


def length_examples() -> pd.DataFrame:
    """Return two small sets of pairs with the same six cosines but different vector lengths.

    In "one line, longer words", the cosine depends on the length in the same way in both groups, whose
    lengths differ; in "two lines, equal words", lengths are equal, and cosines differ at every length.
    """
    # The residuals 1, −3, 2 (thousandths) are orthogonal to 1 and to 1/LNW for lengths 2, 4, 8 and for 4, 8,
    # 16, so that the coefficients are round numbers: 3/5 − (4/5)/LNW in group 0.
    fitted = np.array([0.2, 0.4, 0.5]), np.array([0.4, 0.5, 0.55])
    residuals = np.array([0.001, -0.003, 0.002])
    tables = []
    for example, lengths_by_group in _EXAMPLES.items():
        groups = []
        for letter, cosines, lengths in zip("uv", fitted, lengths_by_group, strict=True):
            cosine = cosines + residuals
            words = np.column_stack([cosine, np.sqrt(1 - cosine**2)]) * np.array(lengths)[:, None]
            names = [f"{letter}{i}" for i in (1, 2, 3)]
            groups.append(word_pairs([[1.0, 0.0]], words, words_a=["w"], words_b=names))
        table = two_groups(*groups, labels=("group 0", "group 1"))
        table.insert(0, "example", example)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def length_example_table() -> pd.DataFrame:
    """Compare the two sets of `length_examples` by mean cosines, by the corrected model, and at equal weights."""
    rows = []
    for example, pairs in length_examples().groupby("example", sort=False):
        beta = corrected_ratio_regression(pairs).coefficient("β3")
        standardized = weight_standardization(pairs)
        values = (standardized.alpha_1, beta, standardized.at_equal_weights, standardized.from_weights)
        # Rounding errors below 0 would be displayed as −0.000.
        rows.append((example, *(float(np.round(value, 12) + 0.0) for value in values)))
    columns = ["example", "alpha_1", "beta_3", "at_equal_weights", "from_weights"]
    return pd.DataFrame(rows, columns=columns)


def ratio_lines(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of the corrected ratio model, from infinite weight to the smallest weight in the data.

    Each group has three points (column reciprocal): 1/LNW = 0, where there are no data, and the smallest and
    the largest 1/LNW in the data. The distance between the lines at 0 is β3.
    """
    fit = corrected_ratio_regression(pairs)
    b0, b1, b2, b3 = (fit.coefficient(symbol) for symbol in ("β0", "β1", "β2", "β3"))
    rows = []
    for x, group_pairs in pairs.groupby("X"):
        reciprocals = 1 / group_pairs["lnw"]
        for reciprocal in (0.0, float(reciprocals.min()), float(reciprocals.max())):
            cosine = b2 + b3 * x + (b0 + b1 * x) * reciprocal
            rows.append((group_pairs["group"].iloc[0], x, reciprocal, cosine, reciprocal > 0))
    return pd.DataFrame(rows, columns=["group", "X", "reciprocal", "cosine", "observed"])


def difference_tests(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Test four estimands of the difference between two groups, with pairs and with words as units.

    The estimands (column reading) are "as it is" (α1*), "at equal lengths", "at infinite length" (β3), and "at
    equal frequency" (from an external source). Standard errors of pairs are HC3, as if pairs were independent;
    those of words are based on all relabelings of the words.
    """
    by_model = frequency_table(space).set_index(["design", "model"])[["difference", "std_error", "p_value"]]
    rows, zipf = [], word_frequencies()
    for design, pairs in both_designs(space, "gender-sentiment").items():
        # An external frequency of every pair is the sum of the Zipf frequencies of its two words.
        pairs = pairs.assign(frequency=sum(pairs[side].str.casefold().map(zipf) for side in "ab"))
        alpha = _coefficient(cosine_regression(pairs), "α1*")
        beta = _coefficient(corrected_ratio_regression(pairs), "β3")
        standardized = weight_standardization(pairs)
        at_equal_lengths = (standardized.at_equal_weights, standardized.standard_error, standardized.pvalue)
        at_equal_frequency = tuple(map(float, by_model.loc[(design, "cosine, frequency")]))
        estimands: list[tuple[str, str, str | None, tuple[float, ...]]] = [
            ("as it is", "difference in cosines", None, alpha),
            ("at equal lengths", "equal weights", None, at_equal_lengths),
            ("at infinite length", "corrected ratio", None, beta),
            ("at equal frequency", "equal weights", "frequency", at_equal_frequency),
        ]
        for estimand, statistic, covariate, by_pairs in estimands:
            by_words = regression_relabeling_test(pairs, statistic=statistic, covariate=covariate)
            rows.append((design, estimand, *by_pairs, by_words.standard_deviation, by_words.pvalue))
    columns = ["design", "reading", "difference", "error_pairs", "p_pairs", "error_words", "p_words"]
    return pd.DataFrame(rows, columns=columns)


def _coefficient(fit: Any, symbol: str) -> tuple[float, float, float]:
    row = fit.terms.iloc[fit.position(symbol)]
    return (float(row["estimate"]), float(row["std_error"]), float(row["p_value"]))


def error_variance_table() -> pd.DataFrame:
    """Test in two spaces whether the error variances of two models depend on the normalization weight."""
    rows = []
    for space in ("glove-weat", "googlenews-weat"):
        for design, pairs in both_designs(space, "gender-sentiment").items():
            row: dict[str, Any] = {"space": space, "design": design}
            for name, regression in (
                ("inner_product", inner_product_regression),
                ("corrected_ratio", corrected_ratio_regression),
            ):
                test = breusch_pagan_test(regression(pairs), pairs["lnw"])
                row |= {name: test.statistic, f"p_{name}": test.pvalue}
            rows.append(row)
    return pd.DataFrame(rows)


def weat_errors_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return one WEAT score with four standard errors and a permutation test, for different sampling units.

    Two-way clustering is not included, because with few words its variance may be negative. The permutation
    test has no standard error, and its p-value is twice the smaller one-sided p-value.

    >>> weat_errors_table("googlenews-weat")["score"].round(6).nunique()
    1
    """
    test = find_test(space, "gender-sentiment")
    A, B, C, D = test.lists
    words = {"words_a": test.words["C"], "words_b": test.words["D"]}
    nested = nested_weat(A, B, C, D, **words)
    rows = [("target words, one coefficient each", *_coefficient(nested.second_level, "WEAT"))]
    sampling_units: dict[str, dict[str, Any]] = {
        "pairs of words": {"covariance": "HC3"},
        "target words, all their pairs": {"covariance": "cluster", "clusters": "b"},
        "attribute words, all their pairs": {"covariance": "cluster", "clusters": "a"},
    }
    for units, options in sampling_units.items():
        rows.append((units, *_coefficient(nested_weat(A, B, C, D, **words, **options).pooled, "WEAT")))
    one_sided = [weat_permutation_test(*lists, C, D, rng=0).pvalue for lists in ((A, B), (B, A))]
    rows.append(("divisions of the target words", nested.score, np.nan, min(1.0, 2 * min(one_sided))))
    return pd.DataFrame(rows, columns=["draws", "score", "std_error", "p_value"])


def centroid_distortion_table(space: Any = "googlenews-weat", test: str = "gender-sentiment") -> pd.DataFrame:
    """Compare the distortion of a difference in cosines for all pairs of words with that for sums of words."""
    lists, labels = list_vectors(space, test), list_labels(test)
    rows = []
    for attribute in "CD":
        pairs_by_kind = {
            "all pairs": design_pairs(space, test, attribute=attribute),
            "sums": two_groups(*(centroid_pairs(lists[target], lists[attribute]) for target in "BA")),
        }
        for kind, pairs in pairs_by_kind.items():
            decomposition = distortion_decomposition(pairs)
            means = pairs.groupby("X")["cosine"].mean()
            rows.append(
                {
                    "design": labels[attribute],
                    "pairs": kind,
                    "n": len(pairs),
                    "mean_0": float(means[0]),
                    "mean_1": float(means[1]),
                    "alpha_1": decomposition.alpha_1,
                    "beta_3": decomposition.beta[3],
                    "absolute_distortion": decomposition.absolute_distortion,
                }
            )
    return pd.DataFrame(rows)


def shared_words_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Regress cosines with one summed list on those with another, for three sets of shared words.

    The sets of words x are both attribute lists, the pool of the space, and random directions. For isotropic
    directions, the cosine between the two sums is γ1*.
    """
    A, B, C, D = list_vectors(space).values()
    cosine = mean_cosine_similarity(A.sum(axis=0)[None], B.sum(axis=0)[None])
    word_sets = {
        "attribute words": np.vstack([C, D]),
        "pool": other_words(space)[1],
        "random directions": np.random.default_rng(0).standard_normal((10_000, A.shape[1])),
    }
    rows = []
    for name, words in word_sets.items():
        fit = overlapping_bivariate_centroid_regression(A, B, words)
        gamma, standard_error, _ = _coefficient(fit, "γ1*")
        rows.append((name, len(words), gamma, standard_error, fit.r_squared, cosine))
    return pd.DataFrame(rows, columns=["words", "n", "gamma_1", "std_error", "r_squared", "cosine"])


def leave_one_out_table(space: Any = "googlenews-weat") -> pd.DataFrame:
    """Return the group difference without each target word in turn; the first row excludes none."""
    pairs = design_pairs(space, "gender-sentiment", attribute="D")
    rows = []
    words = pairs.drop_duplicates("a")
    omissions = [("none", "", np.nan), *zip(words["a"], words["group"], words["norm_a"], strict=True)]
    for word, group, length in omissions:
        other_pairs = pairs.loc[pairs["a"] != word]
        standardized = weight_standardization(other_pairs)
        beta, _, p = _coefficient(corrected_ratio_regression(other_pairs), "β3")
        rows.append((word, group, length, standardized.alpha_1, standardized.at_equal_weights, beta, p))
    columns = ["left_out", "group", "length", "alpha_1", "at_equal_weights", "beta_3", "p_beta_3"]
    return pd.DataFrame(rows, columns=columns)
