"""Tests of results that decide claims of Kindel (2023), by direct computation."""

import numpy as np
import pytest

from isotropy_lab.association.canonical import canonical_similarity
from reanalyses.kindel2023 import claims


def test_rv_coefficient_equals_metric_only_for_orthonormal_rows():
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 12)))[0]
    A, B = Q[:3], np.linalg.qr(np.random.default_rng(1).standard_normal((12, 4)))[0].T
    by_definition = np.trace(A.T @ A @ B.T @ B) / np.sqrt(
        np.trace(A.T @ A @ A.T @ A) * np.trace(B.T @ B @ B.T @ B)
    )
    assert claims.rv_coefficient(A, B) == pytest.approx(by_definition, rel=1e-12)
    assert claims.rv_coefficient(A, B) == pytest.approx(canonical_similarity(A, B), rel=1e-9)
    C = A + A[[1, 2, 0]] * np.array([[0.9], [0.1], [0.5]])
    assert abs(claims.rv_coefficient(C, B) - canonical_similarity(C, B)) > 1e-3


def test_negative_distance_counterexample():
    # S has directions −60°, 60°, and up; T has −60°, 0°, and up.
    a, b, c, d = np.array([[0.5, -(0.75**0.5), 0], [1, 0, 0], [0.5, 0.75**0.5, 0], [0, 0, 1]])
    S, T = np.array([a, c, d]), np.array([a, b, d])
    assert (S @ S.T).mean() == pytest.approx(2 / 9)
    assert (S @ T.T).mean() == pytest.approx(2.5 / 9)
    assert np.linalg.norm(S.mean(0) - T.mean(0)) == pytest.approx(np.linalg.norm(b - c) / 3)
    values = claims.negative_distance().values
    assert values == pytest.approx((0, 1, 2**0.5, 1))


def test_consistent_scaled_metric_can_decrease():
    # The nine squared cosines are 1, four times 3/4, and four times 9/16. The nine traces of pairs of planes are four
    # times 1 (the shared word is in both planes), four times 6/7 (in one), and (6/7)² (in neither).
    first, second, strict = claims.must_not_decrease().values
    assert first == pytest.approx((1 + 4 * 0.75 + 4 * 0.5625) / 9)
    assert second == pytest.approx((4 * 1 + 4 * 6 / 7 + (6 / 7) ** 2) / 2 / 9)
    assert strict == 1
