"""What decides the claims of Kindel (2023), by hand and by simulation, and that it can say no."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from isotropy_lab.association.canonical import canonical_similarity
from reanalyses.kindel2023 import claims, errata, supplement_claims


def test_claims_about_sublists_follow_the_lists(monkeypatch):
    # Orthogonal words of one length are closest to themselves at every size.
    orthogonal = {name: np.eye(8)[:8] for name in ("male", "female", "pleasant", "unpleasant")}
    monkeypatch.setattr(claims, "lists", lambda space, test="gender-sentiment": orthogonal)
    assert not claims.lists_of_four().holds
    assert claims.tetrahedron().values[0] == 0
    assert claims.squared_cosine().holds


def test_rv_coefficient_is_the_metric_for_orthonormal_rows_only():
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((12, 12)))[0]
    A, B = Q[:3], np.linalg.qr(np.random.default_rng(1).standard_normal((12, 4)))[0].T
    by_definition = np.trace(A.T @ A @ B.T @ B) / np.sqrt(
        np.trace(A.T @ A @ A.T @ A) * np.trace(B.T @ B @ B.T @ B)
    )
    assert claims.rv_coefficient(A, B) == pytest.approx(by_definition, rel=1e-12)
    assert claims.rv_coefficient(A, B) == pytest.approx(canonical_similarity(A, B), rel=1e-9)
    C = A + A[[1, 2, 0]] * np.array([[0.9], [0.1], [0.5]])
    assert abs(claims.rv_coefficient(C, B) - canonical_similarity(C, B)) > 1e-3


def test_a_triple_can_be_beaten_at_positive_distances_that_mean_cosine_implies():
    # By hand: S = {−60°, 60°, up} and T = {−60°, 0°, up}.
    a, b, c, d = np.array([[0.5, -(0.75**0.5), 0], [1, 0, 0], [0.5, 0.75**0.5, 0], [0, 0, 1]])
    S, T = np.array([a, c, d]), np.array([a, b, d])
    assert (S @ S.T).mean() == pytest.approx(2 / 9)
    assert (S @ T.T).mean() == pytest.approx(2.5 / 9)
    assert np.linalg.norm(S.mean(0) - T.mean(0)) == pytest.approx(np.linalg.norm(b - c) / 3)
    values = claims.negative_distance().values
    assert values == pytest.approx((0, 1, 2**0.5, 1))


def test_scaled_metric_falls_while_it_is_consistent():
    # Three words each, two at 30° to a shared one: squared cosines 1, four of ¾ and four of 9/16. Then planes: the
    # shared word lies in four of the nine pairs of them, at 6/7 of its squared length in the rest.
    first, second, strict = claims.must_not_decrease().values
    assert first == pytest.approx((1 + 4 * 0.75 + 4 * 0.5625) / 9)
    assert second == pytest.approx((4 * 1 + 4 * 6 / 7 + (6 / 7) ** 2) / 2 / 9)
    assert strict == 1


def test_square_of_a_sum_gains_twice_the_inner_products():
    words = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    assert supplement_claims.squared_lengths_of_sums(words) == pytest.approx([1.0, 5.0, 13.0])


def test_slopes_through_the_origin_are_the_mean_cosines():
    pairs = pd.DataFrame({"X": [0, 0, 1, 1], "cosine": [0.1, 0.3, -0.2, -0.4]})
    assert supplement_claims._group_slopes(pairs) == pytest.approx((0.2, -0.3))


def test_growth_left_above_chance_depends_on_the_dimension():
    # The level is k-dependent alone: with more dimensions less of it is taken off.
    values = [errata.printed_less_chance(p) for p in (100, 200, 300, 10**6)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(errata.missing_baseline().values[0], abs=0.001)


def test_a_random_pool_decides_nothing_by_itself(monkeypatch):
    small = np.array([0.001, 0.5])
    large = np.array([0.4, 0.5])

    def by_pool(first, second):
        return lambda space: {"one": (first, first), "other": (second, second)}

    for first, second, expected in ((small, small, True), (large, large, False), (small, large, None)):
        monkeypatch.setattr(claims, "_excess_by_pool", by_pool(first, second))
        assert claims.excess_over_random().holds is expected


def test_no_cosine_is_above_its_local_part_where_the_global_one_is_negative():
    split = pd.DataFrame({"cosine": [0.1, 0.3], "sim_local": [0.2, 0.2]})
    assert supplement_claims.share_inflated(split) == 0.5
    assert supplement_claims.always_inflated().values[0] == 0


def test_exact_p_of_a_cosine_is_that_of_the_t_test():
    # r² of a random direction in p dimensions is Beta(½, (p − 1)/2).
    r, p = 0.2, 100
    t = r * np.sqrt((p - 1) / (1 - r * r))
    assert stats.beta.sf(r * r, 0.5, (p - 1) / 2) == pytest.approx(2 * stats.t.sf(t, p - 1))
