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


def test_every_part_of_the_paper_has_an_entry():
    places = " ".join(claim.place for claim in CLAIMS)
    expected = ["Abstract", "Table I,", "Table II,", "Table III", "Figure 1", "Figure 2"]
    expected += [
        f"Section {name}"
        for name in ("I;", "I-A", "II-A", "II-B", "II-C", "II-D", "II-E", "II-F", "III-A", "III-B")
    ]
    expected += [f"Section {name}" for name in ("IV-A", "IV-B", "V-A", "V-B")]
    assert not [name for name in expected if name not in places]
    columns = ("Acc-CI", "Acc, NDCG, COE, ROE", "NDCG-CI", "Table II, τ", "Acc @ τ", "Baseline")
    assert not [name for name in columns if name not in places]
    assert {claim.id for claim in CLAIMS if claim.place.startswith("Table I,")} == {
        f"retrieval-table-1-{name}" for name in ("coe", "roe", "threshold", "i-a", "i-b")
    }


def test_what_cannot_be_tested_says_why_and_is_the_lesser_part():
    untested = [claim for claim in CLAIMS if claim.verdict == "cannot be tested here"]
    assert 0 < len(untested) < len(CLAIMS) / 4
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
    assert claims.recommended_order().holds  # PT-FT is better than FT there


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
    before, after = (
        claims.fine_tuning_raises_isotropy().values[:2],
        claims.fine_tuning_raises_isotropy().values[2:],
    )
    assert before == experiments.isotropy_of(models["MiniLM"])
    assert after == experiments.isotropy_of(models["FT"])


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


def test_correlation_within_a_kind_is_seen_through_a_mixture(monkeypatch):
    rise = np.arange(6.0)
    rows = [("a", x, x) for x in rise] + [("b", x, 50 - x) for x in rise]
    table = pd.DataFrame(rows, columns=["family", "accuracy", "i_a"])
    monkeypatch.setattr(claims, "scores", lambda: table)
    assert not claims.poorly_correlated_here().holds
    rng = np.random.default_rng(0)
    noise = table.assign(i_a=rng.permutation(table["i_a"]))
    monkeypatch.setattr(claims, "scores", lambda: noise)
    assert claims.poorly_correlated_here().holds


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
    spoil(monkeypatch, claims, "bge_large", "ndcg_width", 1.6)
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
