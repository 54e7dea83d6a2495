"""Tests of regressions on cosines against statsmodels, and of the relabeling test against enumeration."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm

from isotropy_lab.association import cosine_regression, local_similarity, relabeling_test
from tests.isotropy_lab.bad_input import refusal_test
from tests.isotropy_lab.invariance import invariance_test

RNG = np.random.default_rng(0)
A, B, X = RNG.standard_normal((5, 9)) + 0.4, RNG.standard_normal((4, 9)), RNG.standard_normal((3, 9)) + 0.2


def cosine_table(*lists):
    units = [words / np.linalg.norm(words, axis=1, keepdims=True) for words in lists]
    return np.vstack(units[:-1]) @ units[-1].T


@pytest.mark.parametrize("covariance", ["nonrobust", "HC3", "cluster"])
def test_regression_agrees_with_statsmodels(covariance):
    cosines = cosine_table(A, B, X)
    model = sm.OLS(cosines.ravel(), sm.add_constant(np.repeat([1.0] * 5 + [0.0] * 4, 3)))
    options = {"cov_kwds": {"groups": np.repeat(np.arange(9), 3)}} if covariance == "cluster" else {}
    reference = model.fit(cov_type=covariance, use_t=True, **options)
    result = cosine_regression(A, B, X, covariance=covariance)
    low, high = reference.conf_int(0.05)[1]
    actual = [result.estimate, result.standard_error, result.pvalue, result.low, result.high]
    assert actual == pytest.approx(
        [reference.params[1], reference.bse[1], reference.pvalues[1], low, high], rel=1e-9
    )


def test_exact_relabeling_test_agrees_with_enumeration():
    means = cosine_table(A, B, X).mean(axis=1)
    differences = [
        means[list(rows)].mean() - np.delete(means, rows).mean() for rows in combinations(range(9), 5)
    ]
    result = relabeling_test(A, B, X)
    assert result.statistic == pytest.approx(differences[0])
    assert result.n_at_least == sum(abs(d) >= abs(differences[0]) - 1e-12 for d in differences)
    assert (result.count, result.method) == (126, "exact")


def test_random_relabelings_estimate_the_exact_p_value(monkeypatch):
    exact = relabeling_test(A, B, X).pvalue
    monkeypatch.setattr("isotropy_lab.association.regression.MAX_RELABELINGS", 10)
    result = relabeling_test(A, B, X, n_resamples=4_000, rng=0)
    assert (result.count, result.method) == (4_001, "monte-carlo")
    assert result.pvalue == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4_000))


def test_local_similarity_subtracts_the_fitted_slope():
    local = local_similarity(A, X)
    reciprocal = 1 / np.outer(np.linalg.norm(A, axis=1), np.linalg.norm(X, axis=1))
    slope, intercept = np.polyfit(reciprocal.ravel(), cosine_table(A, X).ravel(), 1)
    assert local.mean() == pytest.approx(intercept)
    assert local == pytest.approx(cosine_table(A, X) - slope * reciprocal)


@pytest.mark.parametrize(
    ("covariance", "degrees_of_freedom"), [("cluster", 6), ("HC3", 19), ("nonrobust", 19)]
)
def test_degrees_of_freedom_count_words_or_pairs(covariance, degrees_of_freedom):
    rng = np.random.default_rng(0)
    words = rng.standard_normal((7, 5))
    result = cosine_regression(words[:3], words[3:], rng.standard_normal((3, 5)), covariance=covariance)
    assert result.degrees_of_freedom == degrees_of_freedom
    axes = np.eye(4)  # right angles everywhere, without an error
    assert cosine_regression(axes[:2], axes[1:3], axes[3:], covariance=covariance).pvalue == 1.0


test_regression_and_relabeling_test_are_invariant = invariance_test(
    lambda seed: tuple(np.random.default_rng(seed).standard_normal((3, 4, 6)) + 0.3),
    {
        "regression": (lambda A, B, X: cosine_regression(A, B, X).standard_error, "rotation lengths", 1e-9),
        "relabeling": (lambda A, B, X: relabeling_test(A, B, X).pvalue, "rotation lengths", 1e-12),
    },
)


test_errors_name_the_cause = refusal_test(
    [
        (ValueError, "A 1 word 2", lambda: cosine_regression(A[:1], B, X)),
        (ValueError, "covariance 'HC9' 'cluster'", lambda: cosine_regression(A, B, X, covariance="HC9")),
        (ValueError, "n_resamples 0 1", lambda: relabeling_test(A, B, X, n_resamples=0)),
        (ValueError, "B zero", lambda: relabeling_test(A, 0 * B, X)),
        (ValueError, "A X equal length", lambda: local_similarity(np.eye(3), np.eye(3))),
    ]
)
