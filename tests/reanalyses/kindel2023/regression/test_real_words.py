"""The gender–sentiment lists on the bundled vectors: what the supplement says of them, recomputed."""

import functools

import numpy as np
import pytest

from isotropy_lab.association.weat import weat
from reanalyses.kindel2023.frequencies import word_frequencies
from reanalyses.kindel2023.regression import (
    breusch_pagan_test,
    centroid_pairs,
    centroid_regression,
    corrected_ratio_regression,
    cosine_regression,
    distortion_decomposition,
    frequency_adjusted_regression,
    implicit_component_regression,
    inner_product_regression,
    local_similarity,
    nested_weat,
    overlapping_bivariate_centroid_regression,
    two_groups,
)
from tests.reanalyses.kindel2023.regression.samples import LISTS, real, real_pairs

SPACES = ("glove-weat", "googlenews-weat")
found_in = functools.cache(real)


def pairs_of(space, first, second):
    found = found_in(space)
    return two_groups(real_pairs(found, *first), real_pairs(found, *second))


COMPARISONS = [
    (("male", "pleasant"), ("male", "unpleasant")),
    (("female", "pleasant"), ("male", "pleasant")),
    (("female", "unpleasant"), ("male", "unpleasant")),
    (("female", "pleasant"), ("male", "unpleasant")),
]


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("first", "second"), COMPARISONS)
def test_the_derived_decomposition_is_exact_and_the_printed_one_is_not(space, first, second):
    pairs = pairs_of(space, first, second)
    found = distortion_decomposition(pairs)
    assert abs(found.discrepancy) < 1e-12
    assert abs(found.printed_discrepancy) > 0.01
    assert found.alpha_1 == pytest.approx(cosine_regression(pairs).coefficient("α1*"), abs=1e-13)


def test_the_printed_decomposition_is_off_by_orders_of_magnitude():
    found = distortion_decomposition(pairs_of("glove-weat", ("male", "pleasant"), ("male", "unpleasant")))
    assert found.alpha_1 == pytest.approx(-0.0846, abs=5e-5)
    assert found.printed_total == pytest.approx(-9.541, abs=5e-4)
    assert found.beta[3] == pytest.approx(0.2323, abs=5e-5)
    assert found.group_distortion == pytest.approx(-0.3124, abs=5e-5)
    assert found.intercept_distortion == pytest.approx(-0.0045, abs=5e-5)


def test_the_cosine_is_not_always_inflated():
    # Printed: the cosine is always inflated with respect to the grouping.
    for first in (("male", "pleasant"), ("female", "unpleasant"), ("female", "pleasant")):
        parts = local_similarity(pairs_of("glove-weat", first, ("male", "unpleasant")))
        means = parts.groupby("X")[["cosine", "sim_local"]].mean()
        assert means.loc[1, "cosine"] == pytest.approx(0.3245, abs=5e-5)
        assert means.loc[1, "sim_local"] == pytest.approx(0.7348, abs=5e-5)
    parts = local_similarity(
        pairs_of("glove-weat", ("male", "pleasant"), ("male", "unpleasant")), coefficients="inner-product"
    )
    assert parts.groupby("X")["sim_local"].mean()[1] == pytest.approx(0.7742, abs=5e-5)


def test_on_the_other_vectors_it_is():
    parts = local_similarity(pairs_of("googlenews-weat", ("male", "pleasant"), ("male", "unpleasant")))
    means = parts.groupby("X")[["cosine", "sim_local"]].mean()
    assert (means["sim_local"] < means["cosine"]).all()
    assert means.loc[1, "cosine"] == pytest.approx(0.1242, abs=5e-5)
    assert means.loc[1, "sim_local"] == pytest.approx(-0.0038, abs=5e-5)


@pytest.mark.parametrize("space", SPACES)
def test_correcting_for_scale_multiplies_the_error(space):
    # The corrected group difference is a slope at infinite length: a large extrapolation, with a large error.
    pairs = pairs_of(space, ("male", "pleasant"), ("male", "unpleasant"))
    plain, ratio = cosine_regression(pairs), corrected_ratio_regression(pairs)
    errors = [fit.terms["std_error"].iloc[1] for fit in (plain, ratio)]
    assert errors[1] > 4 * errors[0]
    assert ratio.terms["vif"].iloc[1] > 25


def test_the_inner_product_regression_is_the_more_heteroskedastic_one_where_the_test_says_so():
    for space, groups, inner_rejects in (
        ("glove-weat", COMPARISONS[1], True),
        ("googlenews-weat", COMPARISONS[2], True),
        ("glove-weat", COMPARISONS[0], False),
    ):
        pairs = pairs_of(space, *groups)
        inner = breusch_pagan_test(inner_product_regression(pairs), pairs["lnw"], names=["LNW"])
        ratio = breusch_pagan_test(corrected_ratio_regression(pairs), pairs["lnw"], names=["LNW"])
        assert (inner.pvalue < 0.05) == inner_rejects
        assert ratio.pvalue > 0.3
        assert inner.statistic > ratio.statistic


@pytest.mark.parametrize("space", SPACES)
def test_the_centroids_length_cannot_be_told_from_the_group(space):
    found = found_in(space)
    pairs = two_groups(
        centroid_pairs(found["female"], found["pleasant"], words_x=LISTS["pleasant"]),
        centroid_pairs(found["male"], found["unpleasant"], words_x=LISTS["unpleasant"]),
    )
    fit = centroid_regression(pairs, model="expanded")
    assert [alias.symbol for alias in fit.aliased] == ["α4", "α5", "α6", "α7"]
    implicit = implicit_component_regression(pairs)
    assert implicit.pooled.pvalue < 0.001  # all ξ = −1
    assert implicit.equal.pvalue > 0.3


@pytest.mark.parametrize("space", SPACES)
def test_nested_weat_is_weat_on_real_words(space):
    found = found_in(space)
    four = [found[name] for name in ("male", "female", "pleasant", "unpleasant")]
    nested = nested_weat(*four)
    score = weat(*four).score
    assert nested.score == pytest.approx(score, abs=1e-12)
    assert nested.pooled.coefficient("D·S") == pytest.approx(score, abs=1e-12)
    # Which words are thought of as draws decides the error.
    assert nested.pooled.terms["std_error"].iloc[3] > 2 * nested.second_level.terms["std_error"].iloc[1]


def test_overlapping_centroids_on_real_words():
    found = found_in("glove-weat")
    words = np.vstack([found["pleasant"], found["unpleasant"]])
    fit = overlapping_bivariate_centroid_regression(found["male"], found["female"], words, model="expanded")
    assert [alias.symbol for alias in fit.aliased] == ["γ5", "γ7"]
    assert (
        0.5 < overlapping_bivariate_centroid_regression(found["male"], found["female"], words).r_squared < 1
    )


def test_an_external_frequency_raises_the_explained_share_but_not_the_variance():
    frequencies = word_frequencies()
    jumps = {}
    for space in SPACES:
        pairs = pairs_of(space, ("male", "pleasant"), ("male", "unpleasant"))
        summary = frequency_adjusted_regression(pairs, frequencies).summary.set_index("model")
        jumps[space] = summary.loc["cosine, frequency", "r_squared"] - summary.loc["cosine", "r_squared"]
        own, external = summary.loc["cosine, 1/LNW"], summary.loc["cosine, frequency"]
        assert np.sign(own["difference"]) == np.sign(external["difference"]) == -1
        # Printed: higher-variance estimates.
        assert external["std_error"] < 1.05 * own["std_error"]
    assert jumps["glove-weat"] > 0.4
    assert 0.05 < jumps["googlenews-weat"] < 0.1
