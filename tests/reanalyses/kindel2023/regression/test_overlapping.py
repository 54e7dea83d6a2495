import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings

from isotropy_lab.association._weat import weat, word_associations
from reanalyses.kindel2023.regression import (
    centroid_pairs,
    nested_weat,
    overlapping_bivariate_centroid_regression,
)
from tests.reanalyses.kindel2023.regression.samples import lists, names, seeds


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_nested_weat_is_weat(seed):
    X, Y, A, B = lists(seed, 4, 5, 3, 6)
    found = nested_weat(X, Y, A, B)
    reference = weat(X, Y, A, B)
    assert found.score == pytest.approx(reference.score, abs=1e-12)
    assert found.second_level.coefficient("WEAT") == pytest.approx(reference.score, abs=1e-11)
    assert found.pooled.coefficient("WEAT") == pytest.approx(reference.score, abs=1e-11)
    for targets, alpha in ((X, found.alpha_x), (Y, found.alpha_y)):
        assert alpha == pytest.approx(word_associations(targets, A, B), abs=1e-12)


def test_the_errors_of_both_levels():
    X, Y, A, B = lists(4, 6, 6, 4, 4)
    found = nested_weat(X, Y, A, B)
    # HC3 in closed form, since leverages are 1/k.
    groups = [found.alpha_x, found.alpha_y]
    error = np.sqrt(sum(((group - group.mean()) ** 2).sum() / 25 for group in groups))
    assert found.second_level.terms["std_error"][1] == pytest.approx(error, rel=1e-8)
    everything = np.concatenate([X, Y])
    cosines = np.array(
        [[a @ x / np.linalg.norm(a) / np.linalg.norm(x) for x in everything] for a in [*A, *B]]
    )
    D, S = np.repeat([1.0, 0.0], 4)[:, None], np.repeat([1.0, 0.0], 6)[None]
    design = np.stack([np.ones((8, 12)), D + 0 * S, S + 0 * D, D * S], axis=-1).reshape(96, 4)
    for clusters, codes in (("a", np.repeat(np.arange(8), 12)), ("b", np.tile(np.arange(12), 8))):
        options = {"cov_type": "cluster", "cov_kwds": {"groups": codes}, "use_t": True}
        theirs = sm.OLS(cosines.ravel(), design).fit(**options)
        words = {"words_a": names("a", 4), "words_b": names("b", 4)}
        ours = nested_weat(X, Y, A, B, **words, covariance="cluster", clusters=clusters).pooled
        assert ours.terms["std_error"].to_numpy() == pytest.approx(theirs.bse, rel=1e-8)


@given(seeds)
@settings(max_examples=15, deadline=None)
def test_the_shared_word_cancels_from_the_ratio_of_weights(seed):
    A, B, X = lists(seed, 3, 4, 30)
    fit = overlapping_bivariate_centroid_regression(A, B, X, model="expanded")
    ratio = np.linalg.norm(A.sum(axis=0)) / np.linalg.norm(B.sum(axis=0))
    found = {alias.symbol: alias.combination for alias in fit.aliased}
    assert set(found) == {"γ5", "γ7"}
    assert found["γ7"] == {"intercept": pytest.approx(ratio)}
    assert found["γ5"] == {"cos(c,d)·LNW(a,b)": pytest.approx(1 / ratio)}
    left, right = centroid_pairs(A, X)["lnw"], centroid_pairs(B, X)["lnw"]
    assert (left / right).to_numpy() == pytest.approx(np.full(30, ratio), rel=1e-12)


def test_the_uncorrected_model():
    A, B, X = lists(7, 3, 4, 30)
    cosines = [centroid_pairs(W, X)["cosine"].to_numpy() for W in (A, B)]
    two = overlapping_bivariate_centroid_regression(A, B, X)
    assert two.coefficient("γ1*") == pytest.approx(np.polyfit(cosines[1], cosines[0], 1)[0], rel=1e-8)
