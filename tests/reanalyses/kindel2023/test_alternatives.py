"""Tests that the tables of the case file agree with their measures, and that its examples are as stated."""

import numpy as np
import pytest

from reanalyses.kindel2023 import experiments
from reanalyses.kindel2023.regression import corrected_ratio_regression

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
    readings = experiments.length_example_table()
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
def test_with_random_shared_words_the_slope_is_the_cosine_of_the_lists(space: str) -> None:
    table = experiments.shared_words_table(space).set_index("words")
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
