"""Tests of regressions that adjust for word frequency, against NumPy and a centered model."""

import numpy as np
import pytest

from reanalyses.kindel2023.regression import (
    corrected_ratio_regression,
    cosine_regression,
    frequency_adjusted_regressions,
)
from tests.reanalyses.kindel2023.regression.samples import two_group_pairs, word_names

WORDS = [word for letter in "abcd" for word in word_names(letter, 6)]


def random_zipf_frequencies(seed=0):
    return dict(zip(WORDS, np.random.default_rng(seed).uniform(2, 7, size=24), strict=True))


@pytest.mark.parametrize("form", ["log", "geometric"])
def test_frequency_adjusted_estimates_equal_numpy_lstsq(form):
    pairs, zipf = two_group_pairs(1), random_zipf_frequencies(1)
    models = frequency_adjusted_regressions(pairs, zipf, form=form)
    total = np.array([zipf[row.a] + zipf[row.b] for row in pairs.itertuples()])
    F = total if form == "log" else np.sqrt(10.0**total)
    X, lnw = pairs["X"].to_numpy(), pairs["lnw"].to_numpy()
    design = np.column_stack([np.ones(72), X, lnw, X * lnw, F, X * F])
    y = pairs["inner_product"].to_numpy()
    expected, rss, *_ = np.linalg.lstsq(design / np.linalg.norm(design, axis=0), y, rcond=None)
    expected = expected / np.linalg.norm(design, axis=0)
    row = models.set_index("model").loc["inner product, both"]
    assert row["r_squared"] == pytest.approx(1 - rss[0] / ((y - y.mean()) ** 2).sum(), abs=1e-9)
    assert row["adjusted_r_squared"] == pytest.approx(1 - (1 - row["r_squared"]) * 71 / 66, abs=1e-12)
    difference = expected[1] + expected[3] * lnw.mean() + expected[5] * F.mean()
    assert row["difference"] == pytest.approx(difference, rel=1e-6)
    assert row["interaction"] == pytest.approx(expected[3] * lnw.std(ddof=1), rel=1e-6)
    assert row["correlation"] == pytest.approx(np.corrcoef(lnw, F)[0, 1], abs=1e-12)


def test_difference_equals_coefficient_of_a_centered_model():
    pairs, zipf = two_group_pairs(2), random_zipf_frequencies(2)
    models = frequency_adjusted_regressions(pairs, zipf)
    reciprocal = 1 / pairs["lnw"]
    # Shifting 1/LNW to mean 0 moves the difference at the mean into the coefficient of X.
    centered = pairs.assign(lnw=1 / (reciprocal - reciprocal.mean() + 10))
    fit = corrected_ratio_regression(centered)
    weights = np.array([0, 1, 0, 10])
    row = models.set_index("model").loc["cosine, 1/LNW"]
    expected_error = np.sqrt(weights @ fit.covariance_matrix @ weights)
    assert row["difference"] == pytest.approx(weights @ fit.terms["estimate"].to_numpy(), rel=1e-6)
    assert row["std_error"] == pytest.approx(expected_error, rel=1e-5)
    unadjusted = models.set_index("model").loc["cosine"]
    reference = cosine_regression(pairs).terms.iloc[1]
    assert unadjusted["difference"] == pytest.approx(reference["estimate"], rel=1e-8)
    for column in ("std_error", "p_value"):
        assert unadjusted[column] == pytest.approx(reference[column], rel=1e-8)
    assert unadjusted["interaction"] == 0
