"""The ledger of Kindel (2023): complete, without orphans, and able to say no."""

from __future__ import annotations

import inspect
import re
import types

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reanalyses import ledger
from reanalyses.kindel2023 import claims, errata, supplement_claims

PAPER = "Kindel (2023)"
CLAIMS = ledger.load(paper=PAPER)
ERRATA = ledger.load_errata(paper=PAPER)


def findings(module: types.ModuleType) -> set[str]:
    """Dotted paths of the functions of a module that return a Finding."""
    return {
        f"{module.__name__}.{name}"
        for name, thing in vars(module).items()
        if inspect.isfunction(thing)
        and thing.__module__ == module.__name__
        and thing.__annotations__["return"] == "Finding"
    }


def test_every_computation_has_one_entry_and_every_entry_its_own():
    used = [claim.compute for claim in CLAIMS if claim.compute]
    assert sorted(used) == sorted(findings(claims) | findings(supplement_claims))
    assert sorted(erratum.compute for erratum in ERRATA) == sorted(findings(errata))


def test_every_table_figure_and_section_has_an_entry():
    places = " ".join(claim.place for claim in CLAIMS)
    expected = ["Abstract", "Introduction", "Minimality", "A canonical metric", "Why does WEAT fail"]
    expected += ["Implications", "Table 1", "Figure 1", "Figure 2", "Figure 3", "Footnote 2"]
    expected += ["S1", "S2", "S3", "S4 to S6", "Computing the canonical", "On cosine similarity", "Varieties"]
    expected += ["On IAT keyword lists", "Binary difference", "Some useful decompositions", "Weight function"]
    expected += ["Centroid cosine similarity regression", "Centroid cosines", "Bivariate cosine"]
    expected += ["Overlapping cosine", "Overlapping bivariate centroid"]
    missing = [w for w in expected if not re.search(re.escape(w) + r"(?![0-9])", places)]
    assert not missing


def test_little_is_left_without_a_computation():
    untested = [claim for claim in CLAIMS if not claim.compute]
    assert 0 < len(untested) < len(CLAIMS) / 8


def test_numbers_stay_out_of_the_reasons():
    # Results belong into the detail, which is recomputed. Sizes, rules and theorems may stand.
    for claim in CLAIMS:
        decimals = set(re.findall(r"\d\.\d+", claim.reason))
        assert decimals <= {"0.05", "0.2", "0.9"}, claim.id


@pytest.mark.parametrize(
    ("function", "column", "row"),
    [("only_weat_10", "mcs_ad", "weat-10"), ("weat_8", "cca_bd", "weat-8"), ("inflated", None, None)],
)
def test_a_spoilt_table_1_contradicts_what_it_showed(monkeypatch, function, column, row):
    original = claims._published()
    assert getattr(claims, function)().holds
    table = original.copy()
    if column is None:
        table[claims.component_columns("cca")] *= 100.0
    else:
        table.loc[row, column] += 0.5
    monkeypatch.setattr(claims, "_published", lambda: table)
    assert not getattr(claims, function)().holds


def test_spoilt_components_are_not_the_printed_scores(monkeypatch):
    claim = next(c for c in CLAIMS if c.id == "association-table-1-scores")
    table = claims._published().assign(mcs_ac=lambda t: t["mcs_ac"] + 0.002)
    monkeypatch.setattr(claims, "_published", lambda: table)
    assert not ledger.recompute(claim).follows


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
    from isotropy_lab.association.canonical import canonical_similarity

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


def test_distance_about_an_edge_is_a_chord():
    assert claims.distance_about_an_edge(60.0) == pytest.approx(1.0)
    assert claims.distance_about_an_edge(180.0) == pytest.approx(2.0)


def test_scaled_metric_falls_while_it_is_consistent():
    # Three words each, two at 30° to a shared one: squared cosines 1, four of ¾ and four of 9/16. Then planes: the
    # shared word lies in four of the nine pairs of them, at 6/7 of its squared length in the rest.
    first, second, strict = claims.must_not_decrease().values
    assert first == pytest.approx((1 + 4 * 0.75 + 4 * 0.5625) / 9)
    assert second == pytest.approx((4 * 1 + 4 * 6 / 7 + (6 / 7) ** 2) / 2 / 9)
    assert strict == 1


def test_three_quarters_decide_what_tends_to_be_so():
    assert [claims.most(n, 4) for n in range(5)] == [False, False, None, True, True]
    assert [claims.most(n, 8) for n in range(9)] == [False] * 3 + [None] * 3 + [True] * 3


def test_columns_of_zeros_move_the_mean_over_coordinates_and_not_that_over_words():
    found = claims.center_of_all_words()
    assert found.holds is None
    # p/n of the mean coordinate remains: 300 and 100 dimensions, 10,000 words.
    assert found.values[2::3] == pytest.approx((0.03, 0.01))


def test_words_of_one_direction_are_alike_in_one_dimension(monkeypatch):
    one = np.tile(np.eye(1, 9), (8, 1))
    four = {"male": np.eye(8, 9), "pleasant": one}
    monkeypatch.setattr(claims, "lists", lambda space, test="gender-sentiment": four)
    assert claims.capped_by_the_shorter_list().values == (1.0,) * 8


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


def test_printed_subspace_count_is_a_binomial_coefficient_of_one_less():
    assert supplement_claims.printed_subspace_count(2, 2) == 0
    assert supplement_claims.printed_subspace_count(3, 2) == 1
    assert supplement_claims.printed_subspace_count(7, 3) == 20  # C(6, 3)


def test_no_cosine_is_above_its_local_part_where_the_global_one_is_negative():
    split = pd.DataFrame({"cosine": [0.1, 0.3], "sim_local": [0.2, 0.2]})
    assert supplement_claims.share_inflated(split) == 0.5
    assert supplement_claims.always_inflated().values[0] == 0


def test_exact_p_of_a_cosine_is_that_of_the_t_test():
    # r² of a random direction in p dimensions is Beta(½, (p − 1)/2).
    r, p = 0.2, 100
    t = r * np.sqrt((p - 1) / (1 - r * r))
    assert stats.beta.sf(r * r, 0.5, (p - 1) / 2) == pytest.approx(2 * stats.t.sf(t, p - 1))


def test_rank_of_a_list_with_a_word_given_twice():
    assert claims.rank_of(np.eye(3)) == 3
    assert claims.rank_of(np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0]])) == 2


def test_multiplications_are_counted():
    a, b = np.arange(6.0).reshape(2, 3), np.ones((3, 4))
    assert supplement_claims.multiplications(np.matmul, a, b) == 2 * 3 * 4
    assert supplement_claims.multiplications(lambda x, y: x * y, a, a) == 6
    assert supplement_claims.multiplications(lambda x, y: x + y, a, a) == 0
