"""Regressions on cosines compared with statsmodels, and the relabeling test with a full enumeration."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm

from isotropy_lab.association import cosine_regression, local_similarity, relabeling_test
from tests.isotropy_lab.bad_input import assert_refused
from tests.isotropy_lab.invariance import unchanged

RNG = np.random.default_rng(0)
A, B, X = RNG.standard_normal((5, 9)) + 0.4, RNG.standard_normal((4, 9)), RNG.standard_normal((3, 9)) + 0.2


def table(*lists):
    units = [words / np.linalg.norm(words, axis=1, keepdims=True) for words in lists]
    return np.vstack(units[:-1]) @ units[-1].T


@pytest.mark.parametrize("covariance", ["nonrobust", "HC3", "cluster"])
def test_least_squares_are_those_of_statsmodels(covariance):
    cosines = table(A, B, X)
    model = sm.OLS(cosines.ravel(), sm.add_constant(np.repeat([1.0] * 5 + [0.0] * 4, 3)))
    options = {"cov_kwds": {"groups": np.repeat(np.arange(9), 3)}} if covariance == "cluster" else {}
    theirs = model.fit(cov_type=covariance, use_t=True, **options)
    ours = cosine_regression(A, B, X, covariance=covariance)
    low, high = theirs.conf_int(0.05)[1]
    found = [ours.estimate, ours.standard_error, ours.pvalue, ours.low, ours.high]
    assert found == pytest.approx([theirs.params[1], theirs.bse[1], theirs.pvalues[1], low, high], rel=1e-9)


def test_all_relabelings_are_counted():
    means = table(A, B, X).mean(axis=1)
    differences = [
        means[list(one)].mean() - np.delete(means, one).mean() for one in combinations(range(9), 5)
    ]
    found = relabeling_test(A, B, X)
    assert found.statistic == pytest.approx(differences[0])
    assert found.n_at_least == sum(abs(d) >= abs(differences[0]) - 1e-12 for d in differences)
    assert (found.count, found.method) == (126, "exact")


def test_random_relabelings_agree_with_all(monkeypatch):
    exact = relabeling_test(A, B, X).pvalue
    monkeypatch.setattr("isotropy_lab.association.regression.MAX_RELABELINGS", 10)
    found = relabeling_test(A, B, X, n_resamples=4_000, rng=0)
    assert (found.count, found.method) == (4_001, "monte-carlo")
    assert found.pvalue == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4_000))


def test_the_local_part_is_the_intercept_of_the_line():
    local = local_similarity(A, X)
    reciprocal = 1 / np.outer(np.linalg.norm(A, axis=1), np.linalg.norm(X, axis=1))
    slope, intercept = np.polyfit(reciprocal.ravel(), table(A, X).ravel(), 1)
    assert local.mean() == pytest.approx(intercept)
    assert local == pytest.approx(table(A, X) - slope * reciprocal)


@pytest.mark.parametrize(("covariance", "freedom"), [("cluster", 6), ("HC3", 19), ("nonrobust", 19)])
def test_words_or_pairs_give_the_degrees_of_freedom(covariance, freedom):
    rng = np.random.default_rng(0)
    words = rng.standard_normal((7, 5))
    found = cosine_regression(words[:3], words[3:], rng.standard_normal((3, 5)), covariance=covariance)
    assert found.degrees_of_freedom == freedom
    axes = np.eye(4)  # right angles everywhere, without an error
    assert cosine_regression(axes[:2], axes[1:3], axes[3:], covariance=covariance).pvalue == 1.0


test_they_are_unchanged = unchanged(
    lambda seed: tuple(np.random.default_rng(seed).standard_normal((3, 4, 6)) + 0.3),
    {
        "regression": (lambda A, B, X: cosine_regression(A, B, X).standard_error, "rotation lengths", 1e-9),
        "relabeling": (lambda A, B, X: relabeling_test(A, B, X).pvalue, "rotation lengths", 1e-12),
    },
)


@pytest.mark.parametrize(
    ("error", "says", "call"),
    [
        (ValueError, "A 1 word 2", lambda: cosine_regression(A[:1], B, X)),
        (ValueError, "covariance 'HC9' 'cluster'", lambda: cosine_regression(A, B, X, covariance="HC9")),
        (ValueError, "n_resamples 0 1", lambda: relabeling_test(A, B, X, n_resamples=0)),
        (ValueError, "B zero", lambda: relabeling_test(A, 0 * B, X)),
        (ValueError, "A X equal length", lambda: local_similarity(np.eye(3), np.eye(3))),
    ],
)
def test_bad_input_is_named(error, says, call):
    assert_refused(error, says, call)
