"""The ledger of Smelser et al. (2025): complete, without orphans, and able to say no."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from reanalyses import ledger
from reanalyses.smelser2025 import claims, errata, experiments, supplement_claims
from tests.reanalyses.ledger_rules import findings

PAPER = "Smelser et al. (2025)"
CLAIMS = ledger.load(paper=PAPER)
ERRATA = ledger.load_errata(paper=PAPER)


def entry(name):
    return next(claim for claim in CLAIMS if claim.id == f"projection-{name}")


def erratum_of(function):
    return next(erratum for erratum in ERRATA if erratum.compute.endswith(f".{function}"))


def test_every_computation_has_one_entry_and_every_entry_its_own():
    used = [claim.compute for claim in CLAIMS if claim.compute]
    assert sorted(used) == sorted(findings(claims) | findings(supplement_claims))
    assert sorted(erratum.compute for erratum in ERRATA) == sorted(findings(errata))


def test_every_table_figure_equation_and_section_has_an_entry():
    places = " ".join(claim.place for claim in CLAIMS)
    expected = ["Abstract", "Section I", "Section II-C", "Section III-A", "Section III-B", "Section IV-A"]
    expected += ["Section IV-B", "Section V-A", "Section V-B", "Section V-C", "Section V-D", "Section VI-B"]
    expected += ["Section VII", "Appendix A-A", "Appendix A-B", "Appendix A-C", "Appendix B", "Appendix C-A"]
    expected += ["Appendix C-B", "Appendix D"]
    expected += [f"Table {number}" for number in ("I", "II", "III", "IV", "V", "VI")]
    expected += [f"Figure {number}" for number in range(1, 19)]
    expected += [f"equation ({number})" for number in (3, 4, 8, 9, 10, 11)]
    missing = [w for w in expected if not re.search(re.escape(w) + r"(?![0-9A-Z])", places)]
    assert not missing


def test_little_is_left_without_a_computation():
    assert 0 < sum(not claim.compute for claim in CLAIMS) < len(CLAIMS) / 8
    # Where something is computed that does not decide, it could have decided against the paper.
    undecided = [claim for claim in CLAIMS if claim.verdict == "cannot be tested here" and claim.compute]
    assert {claim.id for claim in undecided} >= {
        "projection-table-3-eighty",
        "projection-noise-invariant",
    }


def test_a_claim_that_depends_on_what_is_scored_against_is_not_decided():
    for name in ("table-3-rare", "table-3-occasional", "kl-varies-less"):
        assert ledger.recompute(entry(name)).agrees is None


def test_one_rule_for_both_scorings(monkeypatch):
    same, published = claims.both_scores()
    assert (same["ns"] != published["ns"]).any()
    monkeypatch.setattr(claims, "as_published_scores", lambda: same)
    assert claims.rarely_better_than_mds().holds is True
    assert claims.divergence_varies_less().holds is True
    assert claims.table_4_snkl().values[:3] == (0.0, 0.0, 0.0)


def test_the_root_damps_one_residual_and_keeps_the_weights():
    assert claims.growth_of_a_sum(1.0, 10.0) == pytest.approx((50.5, 50.5**0.5))
    assert claims.root_of_a_sum().holds is None


def test_the_five_points_are_stated():
    (one,) = [e for e in ERRATA if e.compute.endswith("minimum_at_zero_is_not_global")]
    assert "(3.54, -11.82)" in ledger.recompute_erratum(one).detail


def test_shares_outside_their_bounds_would_be_seen(monkeypatch):
    table = experiments.table_3()
    table.loc[(table["method"] == "random") & (table["scale"] == 10), "ns"] = 95.0
    monkeypatch.setattr(experiments, "table_3", lambda: table)
    assert claims.nearly_eighty().holds is False
    assert claims.table_3_cells().holds is False


def test_bounds_of_shares_by_hand():
    # Two of 24 datasets with all and none of the trials: 1/24 to 23/24, and half a trial of ten left open in the one.
    low, high, slack = claims._bounded([1.0, 0.0])
    assert (low, high) == (pytest.approx(100 / 24), pytest.approx(100 * 23 / 24))
    assert slack == pytest.approx(3.14 * 100 / 24 * (2 * 0.05 * 0.95 / 10) ** 0.5)


def test_orders_at_own_sizes_by_hand():
    ranges = {"mds": (0.5, 1.0), "tsne": (0.1, 1.2), "random": (1.0, 1.1)}
    rows = [
        {"method": name, "snkl": low, "kl_0": 1.0, "kl_inf": high} for name, (low, high) in ranges.items()
    ]
    # MDS never exceeds 1, and random is never below it: random cannot come before MDS.
    assert claims.orders_at_own_sizes(pd.DataFrame(rows)) == 3


def test_numbers_stay_out_of_the_reasons():
    # Results belong into the detail, which is recomputed. Sizes, rules and theorems may stand.
    for claim in CLAIMS:
        assert not re.findall(r"\d\.\d+", claim.reason), claim.id


@pytest.mark.parametrize(
    ("name", "method", "column", "value"),
    [
        ("umap-tsne", "umap", "sns_rank", 1),
        ("figure-7-mds", "mds", "ns_rank", 2),
        ("supplement-d-tsne", "tsne", "sns_rank", 4),
        ("table-6", "tsne", "ns_rank", 1),
    ],
)
def test_a_spoilt_table_6_changes_the_outcome(monkeypatch, name, method, column, value):
    table = experiments.table_6()
    assert ledger.recompute(entry(name)).follows
    table.loc[table["method"] == method, column] = value
    monkeypatch.setattr(experiments, "table_6", lambda: table)
    assert not ledger.recompute(entry(name)).follows


def test_equal_rankings_would_be_seen(monkeypatch):
    table = experiments.table_6()
    one = table["dataset"] == "imdb"
    table.loc[one, "sns_rank"] = table.loc[one, "ns_rank"]
    monkeypatch.setattr(experiments, "table_6", lambda: table)
    assert not ledger.recompute(entry("figure-7-no-agreement")).follows
    assert not ledger.recompute(entry("supplement-d-changes")).follows


def test_percentages_of_the_survey_by_hand():
    table = experiments.table_6().pivot(index="dataset", columns="method")
    by_hand = [
        (table["ns_rank"]["isomap"] == 2).mean(),
        (table["ns_rank"]["lle"] == 2).mean(),
        (table["sns_rank"]["tsne"] == 2).mean(),
        (table["ns_rank"]["tsne"] == 5).mean(),
        (table["sns_rank"]["lle"] == 5).mean(),
    ]
    assert claims.percentages() == pytest.approx([100 * value for value in by_hand])


@pytest.mark.parametrize(
    ("name", "method", "column", "value"),
    [
        ("table-3-never", "tsne", "ns", 0.0),
        ("table-3-none", "random", "fsns", 0.0),
        ("table-3-trials", "pca", "sgs", 20.2),
    ],
)
def test_a_spoilt_table_3_changes_the_outcome(monkeypatch, name, method, column, value):
    table = experiments.table_3()
    table.loc[(table["method"] == method) & (table["scale"] == 10), column] = value
    monkeypatch.setattr(experiments, "table_3", lambda: table)
    assert not ledger.recompute(entry(name)).follows


def test_columns_of_table_4_that_do_not_sum_are_seen(monkeypatch):
    table = experiments.table_4()
    table.loc[0, "snkl"] -= 1.0
    monkeypatch.setattr(experiments, "table_4", lambda: table)
    assert not ledger.recompute(entry("table-4-sums")).follows


def made_up_scores() -> pd.DataFrame:
    """Scores in which random is best and t-SNE worst by every measure."""
    rows = []
    for dataset in experiments.WELL_KNOWN:
        for seed in range(10):
            for place, method in enumerate(("random", "umap", "isomap", "pca", "mds", "tsne"), 1):
                value = place + 0.1 * seed
                scores = dict.fromkeys(
                    (*experiments.STRESS_MEASURES, *experiments.KL_MEASURES, "ns_10"), value
                )
                rows.append({"dataset": dataset, "method": method, "seed": seed, **scores, "sgs": -value})
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    "name",
    [
        "abstract-benchmark",
        "table-3-random",
        "table-3-rare",
        "table-4-snkl",
        "table-4-scales",
        "umap-tsne-here",
        "kl-varies-less",
        "table-5-sizes",
    ],
)
def test_claims_about_projections_follow_the_scores(monkeypatch, name):
    scores = made_up_scores()
    if name == "umap-tsne-here":  # undecided on our projections, and must hold where t-SNE is always better
        scores.loc[scores["method"] == "tsne", "sns"] = 0.1
    monkeypatch.setattr(claims, "seed_scores", lambda: scores)
    monkeypatch.setattr(claims, "as_published_scores", lambda: scores)
    assert not ledger.recompute(entry(name)).follows


def test_other_projections_give_other_deciding_numbers(monkeypatch):
    X, Y = errata._iris()
    one = erratum_of("letter_of_the_kernel")
    monkeypatch.setattr(errata, "_iris", lambda method="pca", scaling="none": (Y, Y))
    assert not ledger.recompute_erratum(one).follows  # x and y are one there
    monkeypatch.setattr(errata, "_iris", lambda method="pca", scaling="none": (X, Y + 0.1 * X[:, :2]))
    assert not ledger.recompute_erratum(
        erratum_of("optimal_alpha")
    ).follows  # another projection, other numbers


def test_consistent_preprocessing_has_no_reversals(monkeypatch):
    monkeypatch.setattr(
        errata,
        "before_mds_as_published",
        lambda: pd.Series(0.0, index=["tsne", "umap", "pca", "isomap", "random"]),
    )
    assert not ledger.recompute_erratum(erratum_of("reversals_by_preprocessing")).follows


def test_the_example_of_appendix_b_by_hand():
    q = np.array([1.0, 0.5, 1.0]) / 5.0  # 1/e² of the pairs 12, 13, 23 over both orders
    p = np.array([0.2, 0.1, 0.2])
    assert np.abs(q - p).max() < 1e-15
    assert supplement_claims.appendix_b_limit().holds
