"""Tests of bivariate cosine regressions against NumPy's fits."""

import numpy as np
import pytest
from hypothesis import given, settings

from reanalyses.kindel2023.regression import bivariate_cosine_regression, composed_pairs
from tests.reanalyses.kindel2023.regression.samples import seeds, word_lists


def left_and_right_pairs(seed, n=40):
    A, B, C, D = word_lists(seed, n, n, n, n)
    return composed_pairs([A], B), composed_pairs([C], D + A)


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_uncorrected_model_equals_simple_regression(seed):
    left, right = left_and_right_pairs(seed)
    fit = bivariate_cosine_regression(left, right)
    slope, intercept = np.polyfit(right["cosine"], left["cosine"], 1)
    assert fit.coefficient("γ1*") == pytest.approx(slope, rel=1e-8, abs=1e-10)
    assert fit.coefficient("γ0*") == pytest.approx(intercept, rel=1e-8, abs=1e-10)
    assert fit.r_squared == pytest.approx(np.corrcoef(left["cosine"], right["cosine"])[0, 1] ** 2, abs=1e-10)


@pytest.mark.parametrize("weights", [None, "inverse-square"])
def test_expanded_model_equals_numpy_lstsq(weights):
    left, right = left_and_right_pairs(1)
    L, R, c, s = left["lnw"], right["lnw"], right["cosine"], right["inner_product"]
    terms = {"γ2": np.ones(40), "γ0": L, "γ1": c * L, "γ3": c, "γ4": 1 / R, "γ5": s, "γ6": s * L, "γ7": L / R}
    roots = np.ones(40) if weights is None else 1 / L.to_numpy()
    design = np.column_stack(list(terms.values()))
    y = left["inner_product"].to_numpy()
    expected = np.linalg.lstsq(design * roots[:, None], y * roots, rcond=None)[0]
    fit = bivariate_cosine_regression(left, right, model="expanded", weights=weights)
    for symbol, value in zip(terms, expected, strict=True):
        assert fit.coefficient(symbol) == pytest.approx(value, rel=1e-5)
