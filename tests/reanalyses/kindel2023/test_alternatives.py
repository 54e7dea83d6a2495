"""What the case file sets beside the corrections: the tables are their measures, and the examples what they say."""

from __future__ import annotations

import numpy as np
import pytest

from isotropy_lab.association import weat
from isotropy_lab.association.cosine import mean_cosine_similarity
from reanalyses.kindel2023 import experiments
from reanalyses.kindel2023.regression import (
    breusch_pagan_test,
    corrected_ratio_regression,
    cosine_regression,
    distortion_decomposition,
    inner_product_regression,
    relabeling_test,
    weight_standardization,
)

SPACES = ("glove-weat", "googlenews-weat")


def test_the_two_examples_have_the_same_cosines_and_other_lengths() -> None:
    table = experiments.length_examples()
    one, two = (part for _, part in table.groupby("example", sort=False))
    np.testing.assert_allclose(one["cosine"].to_numpy(), two["cosine"].to_numpy())
    assert one["lnw"].tolist() == pytest.approx([2, 4, 8, 4, 8, 16])
    assert two["lnw"].tolist() == pytest.approx([2, 4, 8, 2, 4, 8])
    # Group 1 of the first lies on the line of group 0, group 1 of the second on half its slope.
    lines = [corrected_ratio_regression(part, covariance="nonrobust") for part in (one, two)]
    for fit, b1 in zip(lines, (0.0, 0.4), strict=True):
        found = [fit.coefficient(symbol) for symbol in ("β0", "β1", "β2", "β3")]
        assert found == pytest.approx([-0.8, b1, 0.6, 0.0], abs=1e-12)


def test_the_corrected_model_cannot_tell_them_apart_and_equal_lengths_can() -> None:
    readings = experiments.length_readings()
    assert readings["alpha_1"].tolist() == pytest.approx([7 / 60, 7 / 60])
    assert readings["beta_3"].tolist() == [0.0, 0.0]
    assert readings["at_equal_weights"].tolist() == pytest.approx([0, 7 / 60])
    assert readings["from_weights"].tolist() == pytest.approx([7 / 60, 0])


@pytest.mark.parametrize("space", SPACES)
def test_the_gap_of_the_lines_is_beta_3_at_0_and_the_lines_go_through_the_means(space: str) -> None:
    pairs = experiments.design_pairs(space, attribute="D")
    lines = experiments.ratio_lines(pairs)
    at_0 = lines.loc[~lines["observed"]].set_index("X")["cosine"]
    assert at_0[1] - at_0[0] == pytest.approx(corrected_ratio_regression(pairs).coefficient("β3"))
    for x, line in lines.groupby("X"):
        part = pairs.loc[pairs["X"] == x]
        height = np.interp((1 / part["lnw"]).mean(), line["reciprocal"], line["cosine"])
        assert height == pytest.approx(part["cosine"].mean())
        assert line["reciprocal"].max() == (1 / part["lnw"]).max()


@pytest.mark.parametrize("space", SPACES)
def test_every_reading_is_its_measure(space: str) -> None:
    table = experiments.judged_differences(space).set_index(["design", "reading"])
    outside = experiments.frequency_table(space).set_index(["design", "model"])
    for attribute, design in (("C", "pleasant"), ("D", "unpleasant")):
        pairs = experiments.design_pairs(space, attribute=attribute)
        rows = table.loc[design]
        plain = cosine_regression(pairs).terms.iloc[1]
        assert rows.loc["as it is", ["difference", "error_pairs", "p_pairs"]].tolist() == pytest.approx(
            plain[["estimate", "std_error", "p_value"]].tolist()
        )
        split = weight_standardization(pairs)
        assert rows.loc[
            "at equal lengths", ["difference", "error_pairs", "p_pairs"]
        ].tolist() == pytest.approx([split.at_equal_weights, split.standard_error, split.pvalue])
        tested = relabeling_test(pairs, statistic="corrected ratio")
        assert rows.loc[
            "at infinite length", ["difference", "error_words", "p_words"]
        ].tolist() == pytest.approx([tested.observed, tested.standard_deviation, tested.pvalue])
        frequency = outside.loc[(design, "cosine, frequency")]
        assert rows.at["at equal frequency", "difference"] == pytest.approx(frequency["difference"])
        # The lists are equally long, so that the midpoint of the groups is the mean of all pairs.
        zipf = experiments.word_zipf(pairs)
        again = relabeling_test(pairs.assign(f=zipf), statistic="equal weights", covariate="f")
        assert again.observed == pytest.approx(frequency["difference"])
        assert rows.at["at equal frequency", "p_words"] == again.pvalue


def test_what_the_case_file_says_of_real_words() -> None:
    glove = experiments.judged_differences("glove-weat").set_index(["design", "reading"])
    one = glove.loc[("unpleasant", "as it is")]
    assert (one["p_pairs"], one["p_words"]) == pytest.approx((0.0062, 2672 / 12870), abs=5e-5)
    for space in SPACES:
        table = experiments.judged_differences(space)
        assert (table["p_words"] > 0.1).all()
        wide = table.set_index(["design", "reading"])["error_pairs"].unstack()
        assert (wide["at infinite length"] > 4 * wide["as it is"]).all()
        assert (wide["at equal lengths"] < 1.1 * wide["as it is"]).all()


@pytest.mark.parametrize("space", SPACES)
def test_an_outside_frequency_gives_smaller_errors_than_the_weight(space: str) -> None:
    errors = experiments.frequency_table(space).pivot(
        index=["design", "outcome"], columns="correction", values="std_error"
    )
    own = errors["LNW"].fillna(errors["1/LNW"])
    assert len(own) == 4
    assert (errors["frequency"] < own).all()


def test_one_word_decides_the_corrected_difference() -> None:
    table = experiments.without_each_word("glove-weat").set_index("left_out")
    pairs = experiments.design_pairs("glove-weat", attribute="D")
    assert list(table.index[1:]) == list(dict.fromkeys(pairs["a"]))
    for word in ("none", "hers", "man"):
        kept = pairs[pairs["a"] != word]
        assert table.at[word, "alpha_1"] == pytest.approx(cosine_regression(kept).coefficient("α1*"))
        assert table.at[word, "beta_3"] == pytest.approx(corrected_ratio_regression(kept).coefficient("β3"))
        split = weight_standardization(kept)
        assert table.at[word, "at_equal_weights"] == pytest.approx(split.at_equal_weights)
    assert table.loc[["none", "hers"], "beta_3"].tolist() == pytest.approx([0.3563, 0.0647], abs=5e-5)
    assert table.loc[["none", "hers"], "p_beta_3"].tolist() == pytest.approx([0.0028, 0.6081], abs=5e-5)
    assert table["length"].idxmin() == "hers" == table["beta_3"].idxmin()


def test_error_variances_are_tested_along_the_weight() -> None:
    table = experiments.error_variance_table()
    assert table["more_unequal"].tolist() == ["inner product"] * 2 + ["corrected ratio", "inner product"]
    pairs = experiments.design_pairs("googlenews-weat", attribute="D")
    row = table.iloc[-1]
    for fit, name in (
        (inner_product_regression, "inner_product"),
        (corrected_ratio_regression, "corrected_ratio"),
    ):
        found = breusch_pagan_test(fit(pairs), pairs["lnw"], names=["LNW"])
        assert (row[name], row[f"p_{name}"]) == pytest.approx((found.statistic, found.pvalue))


@pytest.mark.parametrize("space", SPACES)
def test_one_score_has_many_errors(space: str) -> None:
    table = experiments.weat_errors_table(space)
    score = weat(*experiments.list_vectors(space).values()).score
    assert table["score"].to_numpy() == pytest.approx([score] * 5)
    # Equally long lists: dividing the other way mirrors every score.
    assert round(table["p_value"].iloc[-1] * 12870) == {"glove-weat": 6, "googlenews-weat": 1946}[space]
    errors = table["std_error"].iloc[:-1]
    assert errors.max() > 2 * errors.min()


@pytest.mark.parametrize("space", SPACES)
def test_sums_have_larger_cosines_and_one_distortion_each(space: str) -> None:
    table = experiments.centroid_distortion_table(space)
    lists = experiments.list_vectors(space)
    for role, design in (("C", "pleasant"), ("D", "unpleasant")):
        pairs, sums = (row for _, row in table.loc[table["design"] == design].iterrows())
        assert pairs["mean_1"] == pytest.approx(mean_cosine_similarity(lists["A"], lists[role]))
        assert (sums["mean_0"], sums["mean_1"]) > (pairs["mean_0"], pairs["mean_1"])
        for row in (pairs, sums):
            assert row["at_equal_weights"] + row["from_weights"] == pytest.approx(row["alpha_1"])
        of_pairs = distortion_decomposition(
            experiments.design_pairs(space, attribute=role)
        ).absolute_distortion
        assert pairs["absolute_distortion"] == pytest.approx(of_pairs)


@pytest.mark.parametrize("space", SPACES)
def test_with_random_shared_words_the_slope_is_the_cosine_of_the_lists(space: str) -> None:
    table = experiments.shared_words_table(space, n_random=4_000, rng=1).set_index("words")
    random = table.loc["random directions"]
    assert abs(random["gamma_1"] - random["cosine"]) < 4 * random["std_error"]
    lists = experiments.list_vectors(space)
    # By hand, for the attribute words: a slope in their covariance.
    words = np.vstack([lists["C"], lists["D"]])
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    units = units - units.mean(axis=0)
    a, b = (lists[r].sum(axis=0) / np.linalg.norm(lists[r].sum(axis=0)) for r in "AB")
    slope = (units @ a) @ (units @ b) / ((units @ b) @ (units @ b))
    assert table.at["attribute words", "gamma_1"] == pytest.approx(slope, rel=1e-9)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="n_random"):
        experiments.shared_words_table(n_random=1)
    with pytest.raises(ValueError, match="weat-99"):
        experiments.judged_differences("googlenews-weat", "weat-99")
