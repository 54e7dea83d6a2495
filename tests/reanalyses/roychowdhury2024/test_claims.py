"""The ledger of Roychowdhury et al. (2025): complete, without orphans, and able to say no."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from reanalyses import ledger
from reanalyses.roychowdhury2024 import claims, errata, experiments
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from tests.reanalyses.ledger_rules import findings
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, variant

PAPER = "Roychowdhury et al. (2025)"
CLAIMS = ledger.load(paper=PAPER)
ERRATA = ledger.load_errata(paper=PAPER)
CACHED = [function for function in vars(claims).values() if hasattr(function, "cache_clear")]


def entry(name):
    return next(claim for claim in CLAIMS if claim.id == f"retrieval-{name}")


def erratum_of(function):
    return next(erratum for erratum in ERRATA if erratum.compute.endswith(f".{function}"))


# --- the files
# ------------------------------------------------------------------------------------------


def test_every_computation_has_one_entry_and_every_entry_its_own():
    assert sorted(claim.compute for claim in CLAIMS if claim.compute) == sorted(findings(claims))
    assert sorted(erratum.compute for erratum in ERRATA) == sorted(findings(errata))


def test_every_part_of_the_paper_is_in_the_list():
    sections = [passage.section for passage in ledger.coverage()[PAPER]]
    expected = [
        "Abstract",
        "I",
        "I-A",
        "II",
        "II-A",
        "II-B",
        "II-C",
        "II-D",
        "II-E",
        "II-F",
        "III-A",
        "III-B",
    ]
    expected += ["IV-A", "IV-B", "V-A", "V-B", "IV-B, Table I", "IV-A, Table II", "IV-B, Table III"]
    expected += ["II-B, Figure 1", "IV-A, Figure 2", "II-C, equations (1) and (2)", "V-A, footnote 2"]
    assert [name for name in expected if name not in sections] == []
    order = [name.split(",")[0] for name in sections]
    assert list(dict.fromkeys(order)) == list(dict.fromkeys(name.split(",")[0] for name in expected))
    places = " ".join(claim.place for claim in CLAIMS)
    columns = ("Acc-CI", "Acc, NDCG, COE, ROE", "NDCG-CI", "(τ, ψ)", "Acc @ τ", "Baseline")
    assert [name for name in columns if name not in places] == []
    assert {claim.id for claim in CLAIMS if claim.place.startswith("Table I,")} == {
        f"retrieval-table-1-{name}" for name in ("coe", "roe", "threshold", "i-a", "i-b")
    }


def test_our_questions_never_contradict():
    for claim in CLAIMS:
        assert (claim.verdict == "contradicted") <= (claim.basis in ("proof", "paper's numbers")), claim.id
        assert ("YANG" in claim.data) <= (claim.basis in ("other data", "proof")), claim.id
        assert (claim.basis == "paper's numbers") <= ("printed" in claim.data or "Table" in claim.data)


def test_what_cannot_be_tested_says_why_and_is_the_lesser_part():
    untested = [claim for claim in CLAIMS if claim.verdict == "cannot be tested here"]
    assert 0 < sum(not claim.compute for claim in CLAIMS) < len(CLAIMS) / 4
    private = [claim for claim in untested if "private" in claim.reason]
    assert {"retrieval-accuracies", "retrieval-tau", "retrieval-table-3"} <= {claim.id for claim in private}


def test_numbers_stay_out_of_the_reasons():
    # Results belong into the detail, which is recomputed. Sizes, rules and theorems may stand.
    for claim in CLAIMS:
        assert not re.findall(r"\d\.\d+", claim.reason), claim.id


# --- made-up models
# ------------------------------------------------------------------------------------------


def rigged(noise: dict[str, float], *, shift: dict[str, float] | None = None) -> dict[str, EmbeddingVariant]:
    """Models whose questions are so far from their answers, and whose other sentences are so far away."""
    found = {}
    for i, (name, far) in enumerate(noise.items()):
        one = variant(name, 3, noise=far, n_models=1 if name in ("MiniLM", "PT") else 2)
        rng = np.random.default_rng(i)
        others = rng.standard_normal((50, one.n_dimensions)) - (shift or {}).get(name, 0.0)
        found[name] = EmbeddingVariant(name, "made up", one.questions, one.documents, one.folds, others)
    return found


GOOD = {"MiniLM": 2.0, "PT": 4.0, "FT": 0.3, "PT-FT": 0.3, "FT-merged": 1.0, "PT-FT-merged": 1.0}
BAD = {"MiniLM": 1.2, "PT": 0.2, "FT": 4.0, "PT-FT": 0.9, "FT-merged": 1.0, "PT-FT-merged": 1.0}


@pytest.fixture
def use(monkeypatch):
    """Replace the models by made-up ones, without anything left of others."""

    def clear():
        for function in CACHED:
            function.cache_clear()

    def replace(models):
        clear()
        monkeypatch.setattr(claims, "gold", lambda: GOLD)
        monkeypatch.setattr(claims, "models", lambda: models)
        monkeypatch.setattr(claims, "base", lambda: models["MiniLM"])
        monkeypatch.setattr(claims, "variants", lambda: tuple(models.values()))

    yield replace
    monkeypatch.undo()
    clear()


@pytest.mark.parametrize(
    "name", ["fine_tuning_raises_accuracy", "pre_training_lowers_accuracy", "fine_tuning_narrows"]
)
def test_claims_about_models_follow_the_models(use, name):
    function = getattr(claims, name)
    use(rigged(GOOD))
    assert function().holds
    use(rigged(BAD))
    assert not function().holds


def test_equal_starts_are_told_from_different_ones(use):
    use(rigged(BAD))
    assert not claims.start_matters_little().holds
    found = claims.gain("FT", "PT-FT")
    assert found.estimate < 0


def test_separation_follows_the_sentences_outside(use):
    near, far = dict.fromkeys(GOOD, 0.0), dict.fromkeys(GOOD, 0.0) | {"FT": 3.0, "PT-FT": 3.0}
    use(rigged(GOOD, shift=far))
    assert claims.fine_tuning_moves_apart().holds
    assert claims.adaptation_moves_apart().holds
    use(rigged(GOOD, shift=near | {"MiniLM": 3.0}))
    assert not claims.fine_tuning_moves_apart().holds
    assert claims.little_overlap().values[0] < 0.5


def test_isotropy_before_and_after(use):
    models = rigged(GOOD)
    use(models)
    values = claims.fine_tuning_raises_isotropy().values
    i_a, i_b = zip(
        *(experiments.isotropy_of(models[n]) for n in ("MiniLM", "FT", "PT", "PT-FT")), strict=True
    )
    assert values == (*i_a[:2], *i_b[:2], *i_a[2:], *i_b[2:])


def test_one_thing_at_a_time_is_told_from_two(use, monkeypatch):
    models = rigged(GOOD)
    use(models)
    base = models["MiniLM"]

    def adapter(questions, documents):
        one = EmbeddingVariant("minilm-adapter", "adapter", questions, (documents,), base.folds)
        monkeypatch.setattr(claims, "variants", lambda: (one,))

    near = base.documents_of(0)[GOLD]
    adapter(near, base.documents_of(0))
    moved, _, still, gained = claims.isotropy_is_no_guide().values
    assert moved > 0
    assert still == 0
    assert gained == pytest.approx(100 * (base.ranks(GOLD) > 10).mean())
    adapter(base.questions, base.documents_of(0))  # nothing gained
    assert not claims.isotropy_is_no_guide().holds
    adapter(near, base.documents_of(0) - base.documents_of(0).mean(axis=0))  # the documents moved as well
    assert not claims.isotropy_is_no_guide().holds


def test_a_correlation_is_shown_excluded_or_open(monkeypatch):
    def outcome(low, high, other=(-0.1, 0.1)):
        rows = [
            {"transform": transform, "measure": measure, "r": sum(ends) / 2, "low": ends[0], "high": ends[1]}
            for transform in ("all", "Baseline", "Standardized", "Whitened", "PCA")
            for measure, ends in (("i_a", (low, high)), ("i_b", other))
        ]
        table = pd.DataFrame(rows).assign(between=0.0, between_low=-1.0, between_high=1.0)
        monkeypatch.setattr(claims, "family_correlations", lambda: table.set_index(["transform", "measure"]))
        return claims.poorly_correlated_here().holds

    assert outcome(0.4, 0.9) is False
    assert outcome(-0.9, -0.4) is False
    assert outcome(-0.3, 0.4) is True
    assert outcome(-0.3, 0.6) is None
    assert outcome(-0.3, 0.4, other=(0.4, 0.9)) is False


def test_harm_elsewhere_spoils_the_claims_on_adaptation(use, monkeypatch):
    use(rigged(GOOD))
    moved = claims.elsewhere()
    assert claims.fine_tuning_raises_accuracy().holds
    assert claims.pre_training_lowers_accuracy().holds
    worse, better = moved.assign(low=-9.0, high=-1.0), moved.assign(low=1.0, high=9.0)
    monkeypatch.setattr(claims, "elsewhere", lambda: worse)
    assert not claims.fine_tuning_raises_accuracy().holds
    assert claims.pre_training_lowers_accuracy().holds
    monkeypatch.setattr(claims, "elsewhere", lambda: better)
    assert claims.fine_tuning_raises_accuracy().holds
    assert not claims.pre_training_lowers_accuracy().holds


def test_coe_across_made_up_variants(use):
    spread = {f"{i}": 0.3 + 0.5 * i for i in range(8)} | GOOD
    use(rigged(spread))
    assert claims.coe_follows_accuracy().holds
    assert claims.coe_generalizes().values[1] > 0.8


def test_hidden_documents_are_few_whatever_the_model(use):
    use(rigged(GOOD))
    assert not claims.documents_suppressed().holds
    assert claims.thresholds_only_lose().holds
    assert claims.below_gamma_nothing_changes().holds
    assert claims.sizes_of_samples().holds
    assert not claims.psi_is_irrelevant_documents().holds


# --- spoilt tables
# ------------------------------------------------------------------------------------------


def spoil(monkeypatch, module, row, column, value):
    table = claims.printed()
    table.loc[row, column] = value
    monkeypatch.setattr(module, "printed", lambda: table)


def test_a_spoilt_table_2_changes_the_outcome(monkeypatch):
    assert ledger.recompute(entry("ndcg-narrower")).follows
    spoil(monkeypatch, claims, "bge_large", "ndcg_width", 0.1)
    assert not ledger.recompute(entry("ndcg-narrower")).follows
    spoil(monkeypatch, errata, "bge_large_finetuned", "ndcg_width", 0.5)
    assert not ledger.recompute_erratum(erratum_of("ndcg_width_doubles")).follows


def test_a_spoilt_table_3_changes_the_outcome(monkeypatch):
    table = claims.printed_transforms()
    table.loc[table["transform"] == "Whitened", "i_b"] = 99.9
    monkeypatch.setattr(claims, "printed_transforms", lambda: table)
    monkeypatch.setattr(errata, "printed_transforms", lambda: table)
    assert not ledger.recompute(entry("whitening-printed")).follows
    assert not ledger.recompute_erratum(erratum_of("whitened_is_not_whitened")).follows


def test_uncorrelated_scores_would_be_seen(monkeypatch):
    table = claims.printed_transforms()
    base = table["transform"] == "Baseline"
    signs = [1, -1, -1, 1, 1, 1, -1, -1]
    order = table.loc[base, "accuracy"].rank().astype(int)
    table.loc[base, ["i_a", "i_b"]] = np.array([[signs[i - 1]] * 2 for i in order], dtype=float)
    monkeypatch.setattr(claims, "printed_transforms", lambda: table)
    assert not ledger.recompute(entry("poorly-correlated")).follows


def test_the_largest_eigenvalue_of_given_isotropy_by_hand():
    # One large eigenvalue, the others equal: the case in which the bound is attained.
    n, largest = 50, 6.0
    values = np.r_[largest, np.full(n - 1, (n - largest) / (n - 1))]
    ratio = n**2 / np.sum(values**2)
    assert 1 + np.sqrt((n - 1) / n * (n**2 / ratio - n)) == pytest.approx(largest)


def test_two_families_that_disagree_do_not_decide(monkeypatch):
    assert claims.recommended_order().holds is None
    spoil(monkeypatch, claims, "llm_embedder_finetuned", ["accuracy", "ndcg"], [70.0, 30.0])
    assert claims.recommended_order().holds is True
    spoil(monkeypatch, claims, "bge_large_finetuned", ["accuracy", "ndcg"], [90.0, 40.0])
    table = claims.printed()
    table.loc["llm_embedder_finetuned", ["accuracy", "ndcg"]] = [90.0, 40.0]
    monkeypatch.setattr(claims, "printed", lambda: table)
    assert claims.recommended_order().holds is False


def test_further_models_leave_the_printed_rows_between_their_bounds():
    alone = experiments.table_1_with_further_models(n_further=0)
    assert alone["least"].to_numpy() == pytest.approx(alone["from_rows"].to_numpy())
    assert alone["greatest"].to_numpy() == pytest.approx(alone["from_rows"].to_numpy())
    six = experiments.table_1_with_further_models()
    assert (six["least"] < alone["least"]).all()
    assert (six["greatest"] > alone["greatest"]).all()
    table = claims.printed()
    corners = pd.DataFrame({"accuracy": [57.12] * 3 + [81.67] * 3, "coe": [91.98] * 3 + [84.88] * 3})
    x, y = (np.r_[table[name], corners[name]] for name in ("accuracy", "coe"))
    assert six["least"][0] - 1e-9 <= np.corrcoef(x, y)[0, 1] <= six["greatest"][0]


def test_the_least_width_of_ndcg_does_not_depend_on_the_size_of_samples():
    values = np.array(claims.printed_ndcg_widths().values)
    at_100 = experiments.printed_ndcg_widths()["at_100_low"].to_numpy()
    normal = (
        20 * 1.959964 * np.sqrt(claims.printed()["accuracy"] / 100 * (1 - claims.printed()["accuracy"] / 100))
    )
    assert values == pytest.approx(at_100 * claims.printed()["accuracy_width"].to_numpy() / normal.to_numpy())


def test_the_rule_of_the_paper_chooses_the_highest_harmless_percentile():
    one = variant("rule", 3, noise=1.0, n_models=1)
    found = experiments.paper_thresholds([one], GOLD, psi=(5, 50, 95)).iloc[0]
    assert found["psi"] in (5, 50, 95)
    assert found["accuracy_at_tau"] <= found["accuracy"]
    strict = experiments.paper_thresholds([one], GOLD, psi=(5, 50, 95), alpha=0.999).iloc[0]
    assert not strict["psi"] > found["psi"]


# --- two readings
# ------------------------------------------------------------------------------------------


def test_shared_samples_make_widths_alike_and_equal_hits_make_them_equal():
    chance = {
        rho: experiments.spread_of_widths(n_pairs=500, hits_correlation=rho).set_index("narrower_by")[
            "chance"
        ][1.0]
        for rho in (0.0, 0.9, 1.0)
    }
    assert chance[0.0] > chance[0.9] > chance[1.0] == 0


def test_the_least_width_of_a_whole_ranking_by_hand():
    # Accuracy at 1: hits have a gain of 1, so that the mean is more than is printed, whatever the misses have.
    assert experiments.whole_ranking_ndcg_widths(1)["least"].isna().all()
    # Misses that gain something leave less between them and the hits.
    found = experiments.whole_ranking_ndcg_widths(7)["least"].to_numpy()
    with_one_k = claims.least_ndcg_widths().to_numpy()
    assert (found < with_one_k).all()


def test_one_least_similarity_for_each_question_gives_higher_thresholds():
    one = variant("rule", 3, noise=1.0, n_models=1)
    by = {
        m: experiments.paper_thresholds([one], GOLD, psi=(50,), alpha=0.0, minima=m)
        for m in ("samples", "questions")
    }
    assert by["questions"]["tau"][0] > by["samples"]["tau"][0]
    with pytest.raises(ValueError, match="minima is 'rows'; expected 'samples' or 'questions'"):
        experiments.paper_thresholds([one], GOLD, minima="rows")


def test_two_readings_that_disagree_do_not_decide(monkeypatch):
    assert claims.poorly_correlated().holds is None
    assert claims.printed_losses_are_possible().holds is None
    table = claims.printed()
    table["accuracy_at_tau"] = table["accuracy"]
    monkeypatch.setattr(experiments.printed_precision, "printed_performance", table.reset_index)
    assert claims.printed_losses_are_possible().holds is True
    plain = claims.printed_transforms()
    plain["accuracy"] = plain["i_a"]
    monkeypatch.setattr(claims, "printed_transforms", lambda: plain)
    assert claims.poorly_correlated().holds is False
