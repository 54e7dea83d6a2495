"""Tests of the tables on vector lengths and shared words against closed forms and direct computations."""

import numpy as np
import pytest

from reanalyses.kindel2023 import experiments
from reanalyses.kindel2023.regression import corrected_ratio_regression

SPACES = ("glove-weat", "googlenews-weat")


def test_length_examples_differ_only_in_lengths() -> None:
    table = experiments.length_examples()
    first, second = (rows for _, rows in table.groupby("example", sort=False))
    np.testing.assert_allclose(first["cosine"].to_numpy(), second["cosine"].to_numpy())
    assert first["lnw"].tolist() == pytest.approx([2, 4, 8, 4, 8, 16])
    assert second["lnw"].tolist() == pytest.approx([2, 4, 8, 2, 4, 8])
    # Group 1 of the first lies on the line of group 0, group 1 of the second on half its slope.
    fits = [corrected_ratio_regression(rows, covariance="nonrobust") for rows in (first, second)]
    for fit, b1 in zip(fits, (0.0, 0.4), strict=True):
        coefficients = [fit.coefficient(symbol) for symbol in ("β0", "β1", "β2", "β3")]
        assert coefficients == pytest.approx([-0.8, b1, 0.6, 0.0], abs=1e-12)


def test_only_equal_lengths_distinguish_the_examples() -> None:
    estimates = experiments.length_example_table()
    assert estimates["alpha_1"].tolist() == pytest.approx([7 / 60, 7 / 60])
    assert estimates["beta_3"].tolist() == [0.0, 0.0]
    assert estimates["at_equal_weights"].tolist() == pytest.approx([0, 7 / 60])
    assert estimates["from_weights"].tolist() == pytest.approx([7 / 60, 0])


@pytest.mark.parametrize("space", SPACES)
def test_ratio_lines_differ_by_beta_3_and_pass_through_means(space: str) -> None:
    pairs = experiments.design_pairs(space, attribute="D")
    lines = experiments.ratio_lines(pairs)
    at_0 = lines.loc[~lines["observed"]].set_index("X")["cosine"]
    assert at_0[1] - at_0[0] == pytest.approx(corrected_ratio_regression(pairs).coefficient("β3"))
    for x, line in lines.groupby("X"):
        group = pairs.loc[pairs["X"] == x]
        height = np.interp((1 / group["lnw"]).mean(), line["reciprocal"], line["cosine"])
        assert height == pytest.approx(group["cosine"].mean())
        assert line["reciprocal"].max() == (1 / group["lnw"]).max()


@pytest.mark.parametrize("space", SPACES)
def test_random_shared_words_give_the_cosine_of_the_lists(space: str) -> None:
    table = experiments.shared_words_table(space).set_index("words")
    random = table.loc["random directions"]
    assert abs(random["gamma_1"] - random["cosine"]) < 4 * random["std_error"]
    lists = experiments.list_vectors(space)
    # For the attribute words, the slope is that of a simple regression.
    words = np.vstack([lists["C"], lists["D"]])
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    units = units - units.mean(axis=0)
    a, b = (lists[r].sum(axis=0) / np.linalg.norm(lists[r].sum(axis=0)) for r in "AB")
    slope = (units @ a) @ (units @ b) / ((units @ b) @ (units @ b))
    assert table.at["attribute words", "gamma_1"] == pytest.approx(slope, rel=1e-9)
