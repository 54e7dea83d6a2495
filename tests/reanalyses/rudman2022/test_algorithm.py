"""Test of the seven published steps of IsoScore against the closed form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotropy_lab.isotropy import dimensions_used, isoscore, isotropy_defect
from reanalyses.rudman2022.algorithm import isoscore_steps


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 12), extra=st.integers(1, 40))
def test_steps_agree_with_the_closed_form(seed: int, n: int, extra: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((1 + extra, n)) * rng.uniform(0.1, 3, n) + rng.uniform(-5, 5, n)
    steps = isoscore_steps(X)
    assert steps.isoscore == pytest.approx(isoscore(X), abs=1e-10)
    assert steps.dimensions_used == pytest.approx(dimensions_used(X), abs=1e-9)
    assert steps.isotropy_defect == pytest.approx(isotropy_defect(X), abs=1e-7)
    assert np.linalg.norm(steps.normalized_variances) == pytest.approx(np.sqrt(n))
    eigenvalues = np.linalg.eigvalsh(np.atleast_2d(np.cov(X.T)))[::-1]
    np.testing.assert_allclose(steps.variances, eigenvalues, rtol=1e-9, atol=1e-9 * eigenvalues[0])
    assert 1 / n - 1e-12 <= steps.fraction_used <= 1 + 1e-12
