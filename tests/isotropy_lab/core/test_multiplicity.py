"""Tests of the correction of p-values for multiple testing."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from isotropy_lab._core.multiplicity import holm


@pytest.mark.parametrize("m", [1, 2, 7, 200])
def test_holm_equals_statsmodels(m):
    rng = np.random.default_rng(m)
    pvalues = np.round(rng.random(m) ** 3, 2)  # with ties, zeros and ones
    assert holm(pvalues) == pytest.approx(multipletests(pvalues, method="holm")[1], abs=1e-15)
