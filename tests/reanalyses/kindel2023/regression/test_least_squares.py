"""Tests of least squares against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

from reanalyses.kindel2023.regression import least_squares

RNG = np.random.default_rng(0)
DESIGN = np.column_stack([np.ones(108), RNG.standard_normal((108, 3))])
CODES = np.column_stack([np.repeat(np.arange(12), 9), np.tile(np.arange(9), 12)])
SLOPES = [RNG.standard_normal((count, 4))[codes] for count, codes in zip((12, 9), CODES.T, strict=True)]
TARGET = (DESIGN * ([1.0, 2.0, 0.0, -1.0] + SLOPES[0] + SLOPES[1])).sum(axis=1) + RNG.standard_normal(108)


@pytest.mark.parametrize("weights", [np.ones(108), RNG.uniform(0.1, 3.0, 108)], ids=["equal", "different"])
@pytest.mark.parametrize(
    ("covariance", "clusters"),
    [("HC3", None), ("nonrobust", None), ("cluster", CODES[:, 0]), ("cluster", CODES)],
)
def test_fit_equals_statsmodels(covariance, clusters, weights):
    options = {} if clusters is None else {"cov_kwds": {"groups": clusters}}
    reference = sm.WLS(TARGET, DESIGN, weights=weights).fit(cov_type=covariance, use_t=True, **options)
    fit = least_squares.fit(TARGET, DESIGN, roots=np.sqrt(weights), covariance=covariance, clusters=clusters)
    np.testing.assert_allclose(fit.coefficients, reference.params, rtol=1e-9)
    np.testing.assert_allclose(fit.r_squared, reference.rsquared, rtol=1e-9)
    np.testing.assert_allclose(fit.covariance, reference.cov_params(), rtol=1e-9, atol=1e-14)
    assert fit.df_inference == getattr(reference, "df_resid_inference", reference.df_resid)
