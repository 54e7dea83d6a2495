"""Tests of differences at equal weights by identities and against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings

from reanalyses.kindel2023.regression import cosine_regression, weight_standardization
from tests.reanalyses.kindel2023.regression.samples import seeds, two_group_pairs


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_parts_sum_to_the_difference_of_means(seed):
    pairs = two_group_pairs(seed)
    alpha = cosine_regression(pairs).coefficient("α1*")
    result = weight_standardization(pairs)
    assert result.at_equal_weights + result.from_weights == pytest.approx(alpha, abs=1e-10)
    assert result.alpha_1 == pytest.approx(alpha, abs=1e-12)


def test_standard_error_equals_statsmodels_with_centered_weights():
    # Shift 1/LNW so that the common weight is 0; the coefficient of X is then the difference itself.
    pairs = two_group_pairs(5)
    result = weight_standardization(pairs)
    X = pairs["X"].to_numpy(dtype=float)
    z = 1 / pairs["lnw"].to_numpy()
    z -= (z[X == 0].mean() + z[X == 1].mean()) / 2
    design = np.column_stack([np.ones(len(X)), X, z, X * z])
    fit = sm.OLS(pairs["cosine"].to_numpy(), design).fit(cov_type="HC3", use_t=True)
    assert result.at_equal_weights == pytest.approx(fit.params[1], rel=1e-9)
    assert result.standard_error == pytest.approx(fit.bse[1], rel=1e-8)
    assert result.pvalue == pytest.approx(fit.pvalues[1], rel=1e-8)


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_estimates_ignore_vector_scale(seed):
    pairs = two_group_pairs(seed)
    scaled = pairs.assign(
        inner_product=9 * pairs["inner_product"],
        norm_a=3 * pairs["norm_a"],
        norm_b=3 * pairs["norm_b"],
        lnw=9 * pairs["lnw"],
    )
    original, rescaled = weight_standardization(pairs), weight_standardization(scaled)
    assert original.at_equal_weights == pytest.approx(rescaled.at_equal_weights, abs=1e-10)
    assert original.standard_error == pytest.approx(rescaled.standard_error, rel=1e-7)
