"""What decides the claims of Roychowdhury et al. (2025), by hand and on made-up models, and that it can say no."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from reanalyses.roychowdhury2024 import claims, experiments
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, variant

CACHED = [function for function in vars(claims).values() if hasattr(function, "cache_clear")]


#: How far the questions of made-up models are from their answers.
NOISE = {"MiniLM": 2.0, "PT": 4.0, "FT": 0.3, "PT-FT": 0.3, "FT-merged": 1.0, "PT-FT-merged": 1.0}


@pytest.fixture
def models(monkeypatch):
    """Made-up models in place of those that are bundled, without anything left of these."""

    def clear():
        for function in CACHED:
            function.cache_clear()

    clear()
    found = {
        name: variant(name, 3, noise=far, n_models=1 if name in ("MiniLM", "PT") else 2)
        for name, far in NOISE.items()
    }
    monkeypatch.setattr(claims, "gold", lambda: GOLD)
    monkeypatch.setattr(claims, "models", lambda: found)
    monkeypatch.setattr(claims, "base", lambda: found["MiniLM"])
    monkeypatch.setattr(claims, "variants", lambda: tuple(found.values()))
    yield found
    monkeypatch.undo()
    clear()


def test_one_thing_at_a_time_is_told_from_two(models, monkeypatch):
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


@pytest.mark.usefixtures("models")
def test_harm_elsewhere_spoils_the_claims_on_adaptation(monkeypatch):
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


def test_two_families_that_disagree_do_not_decide(monkeypatch):
    assert claims.recommended_order().holds is None
    table = claims.printed()
    monkeypatch.setattr(claims, "printed", lambda: table)
    table.loc["llm_embedder_finetuned", ["accuracy", "ndcg"]] = [70.0, 30.0]
    assert claims.recommended_order().holds is True
    for name in ("bge_large_finetuned", "llm_embedder_finetuned"):
        table.loc[name, ["accuracy", "ndcg"]] = [90.0, 40.0]
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
