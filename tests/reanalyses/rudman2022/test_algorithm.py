"""The seven published steps, one by one, and their agreement with the closed form."""

from __future__ import annotations

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
    assert steps.variances.sum() == pytest.approx(np.trace(np.atleast_2d(np.cov(X.T))))
    assert 1 / n - 1e-12 <= steps.fraction_used <= 1 + 1e-12


def test_variances_are_the_eigenvalues_of_the_covariance() -> None:
    X = np.random.default_rng(3).standard_normal((50, 4)) @ np.diag([3.0, 1.0, 0.5, 0.1])
    np.testing.assert_allclose(isoscore_steps(X).variances, np.linalg.eigvalsh(np.cov(X.T))[::-1], rtol=1e-10)


def test_fewer_points_than_dimensions() -> None:
    X = np.random.default_rng(4).standard_normal((5, 20))
    steps = isoscore_steps(X)
    assert steps.variances.shape == (20,)
    assert steps.isoscore == pytest.approx(isoscore(X), abs=1e-12)


def test_table_shows_every_step_and_shortens_long_spectra() -> None:
    table = isoscore_steps(np.random.default_rng(5).standard_normal((60, 9))).as_table(decimals=2)
    assert list(table.columns) == ["step", "computes", "value"]
    assert [step for row in table["step"] for step in row.split(", ")] == [
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "6",
        "7",
    ]
    assert table["value"][1].endswith(", …")
    with pytest.raises(ValueError, match="decimals"):
        isoscore_steps(np.eye(3)).as_table(decimals=-1)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 3)), "X has zero variance"),
        (np.ones((1, 3)), "X has 1 point"),
        (np.ones((4, 1)), "X has 1 dimension"),
        (np.array([[1.0, np.nan], [0.0, 1.0]]), "X has NaN or inf in 1 of 2 rows, first in row 0"),
    ],
)
def test_bad_input(X: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        isoscore_steps(X)


@pytest.mark.parametrize("scale", [1e-300, 1e-162, 1e-100, 1e-77, 1e77, 1e100, 1e150, 1e300])
@pytest.mark.parametrize("rows", [5, 200])
def test_any_scale(scale: float, rows: int) -> None:
    X = np.random.default_rng(0).standard_normal((rows, 6)) * np.arange(1, 7) + [3, 0, 0, 0, 0, 1]
    steps, expected = isoscore_steps(X * scale), isoscore_steps(X)
    assert steps.isoscore == pytest.approx(expected.isoscore, abs=1e-12)
    assert steps.isotropy_defect == pytest.approx(expected.isotropy_defect, abs=1e-12)
    np.testing.assert_allclose(steps.normalized_variances, expected.normalized_variances, atol=1e-12)
    if 1e-140 < scale < 1e140:
        np.testing.assert_allclose(
            steps.variances / scale / scale, expected.variances, rtol=1e-10, atol=1e-14
        )


@pytest.mark.parametrize("value", [0.1, 1e5 + 0.1, 1e300, 1e-320])
def test_equal_points_have_no_score_whatever_their_rounding(value: float) -> None:
    with pytest.raises(ValueError, match="X has zero variance"):
        isoscore_steps(np.full((30, 3), value))
