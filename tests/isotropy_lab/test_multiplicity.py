"""Tests of the correction of p-values for their number."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from isotropy_lab._multiplicity import holm


@pytest.mark.parametrize("m", [1, 2, 7, 200])
def test_holm_equals_statsmodels(m):
    rng = np.random.default_rng(m)
    pvalues = np.round(rng.random(m) ** 3, 2)  # with ties, zeros and ones
    assert holm(pvalues) == pytest.approx(multipletests(pvalues, method="holm")[1], abs=1e-15)


def test_holm_leaves_its_argument_alone_and_does_not_depend_on_order():
    pvalues = np.array([0.04, 0.01, 1.0, 0.0, 0.01])
    before = pvalues.copy()
    corrected = holm(pvalues)
    assert (pvalues == before).all()
    assert corrected.tolist() == [0.08, 0.04, 1.0, 0.0, 0.04]
    order = [3, 1, 0, 4, 2]
    assert holm(pvalues[order]).tolist() == corrected[order].tolist()
