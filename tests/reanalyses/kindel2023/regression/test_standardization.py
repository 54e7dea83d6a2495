import numpy as np
import pytest
from hypothesis import given, settings

from reanalyses.kindel2023.regression import cosine_regression, weight_standardization
from tests.reanalyses.kindel2023.regression.samples import binary, seeds


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_both_parts_add_up_to_the_difference_of_means(seed):
    pairs = binary(seed)
    alpha = cosine_regression(pairs).coefficient("α1*")
    found = weight_standardization(pairs)
    assert found.at_equal_weights + found.from_weights == pytest.approx(alpha, abs=1e-10)
    assert found.alpha_1 == pytest.approx(alpha, abs=1e-12)


def test_its_error_is_that_of_the_group_coefficient_when_the_weights_are_centered():
    # By hand: shift 1/LNW so that the reference is 0; the coefficient of X is then the difference itself.
    sm = pytest.importorskip("statsmodels.api")
    pairs = binary(5)
    found = weight_standardization(pairs)
    X = pairs["X"].to_numpy(dtype=float)
    z = 1 / pairs["lnw"].to_numpy()
    z -= (z[X == 0].mean() + z[X == 1].mean()) / 2
    design = np.column_stack([np.ones(len(X)), X, z, X * z])
    fit = sm.OLS(pairs["cosine"].to_numpy(), design).fit(cov_type="HC3", use_t=True)
    assert found.at_equal_weights == pytest.approx(fit.params[1], rel=1e-9)
    assert found.standard_error == pytest.approx(fit.bse[1], rel=1e-8)
    assert found.pvalue == pytest.approx(fit.pvalues[1], rel=1e-8)


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_one_common_rescaling_changes_nothing(seed):
    pairs = binary(seed)
    scaled = pairs.assign(
        inner_product=9 * pairs["inner_product"],
        norm_a=3 * pairs["norm_a"],
        norm_b=3 * pairs["norm_b"],
        lnw=9 * pairs["lnw"],
    )
    one, other = weight_standardization(pairs), weight_standardization(scaled)
    assert one.at_equal_weights == pytest.approx(other.at_equal_weights, abs=1e-10)
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-7)
