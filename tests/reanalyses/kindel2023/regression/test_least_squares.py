"""Least squares for places without statsmodels, compared with statsmodels."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from reanalyses.kindel2023.regression import breusch_pagan_test, inner_product_regression, word_pairs


def pairs():
    rng = np.random.default_rng(0)
    words = [f"a{i}" for i in range(12)], [f"b{i}" for i in range(9)]
    found = word_pairs(rng.normal(size=(12, 5)), rng.normal(size=(9, 5)), words_a=words[0], words_b=words[1])
    found["X"] = np.arange(len(found)) % 2
    return found


@pytest.mark.parametrize("weights", [None, "inverse-square"])
@pytest.mark.parametrize("covariance", ["HC3", "HC2", "HC1", "HC0", "nonrobust", "a", "b", "both"])
def test_it_is_that_of_statsmodels(monkeypatch, covariance, weights):
    clusters = {"a": "a", "b": "b", "both": ("a", "b")}.get(covariance)
    options = (
        {"covariance": covariance} if clusters is None else {"covariance": "cluster", "clusters": clusters}
    )
    if weights:
        options["weights"] = weights
    theirs = inner_product_regression(pairs(), **options)
    monkeypatch.setattr(sys, "platform", "emscripten")
    ours = inner_product_regression(pairs(), **options)
    assert type(ours.model).__module__.startswith("reanalyses")
    assert ours.df_inference == theirs.df_inference
    for name in ("estimate", "std_error", "statistic", "p_value", "low", "high"):
        np.testing.assert_allclose(ours.terms[name], theirs.terms[name], rtol=1e-9, atol=1e-14)
    assert ours.r_squared == pytest.approx(theirs.r_squared, rel=1e-9)
    assert ours.breusch_pagan.statistic == pytest.approx(theirs.breusch_pagan.statistic, rel=1e-9)
    assert ours.breusch_pagan.pvalue == pytest.approx(theirs.breusch_pagan.pvalue, rel=1e-9)


@pytest.mark.parametrize("studentized", [True, False])
def test_so_is_the_test_of_the_error_variance(monkeypatch, studentized):
    fit = inner_product_regression(pairs())
    theirs = breusch_pagan_test(fit, studentized=studentized)
    monkeypatch.setattr(sys, "platform", "emscripten")
    ours = breusch_pagan_test(fit, studentized=studentized)
    assert (ours.statistic, ours.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
