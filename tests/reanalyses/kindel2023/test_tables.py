"""The small tables of the pages: the supplement's remarks, and its regressions on the gender-sentiment example."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors

from isotropy_lab.association import keywords
from isotropy_lab.association.cosine import cosine_similarities
from isotropy_lab.association.weat import weat
from reanalyses.kindel2023 import experiments
from reanalyses.kindel2023.frequencies import word_frequencies

SPACE = "googlenews-weat"


# --- the supplement's remarks ---------------------------------------------------------------------------------


def test_estimators_are_what_their_names_say() -> None:
    table = experiments.estimators_table(SPACE)
    assert table["lists"].tolist() == [
        "male / pleasant",
        "male / unpleasant",
        "female / unpleasant",
        "female / pleasant",
    ]
    a, c = (experiments.list_vectors(SPACE)[role] for role in "AC")
    cosines, row = cosine_similarities(a, c), table.iloc[0]
    assert row["grand_mean"] == pytest.approx(cosines.mean(), abs=1e-14)
    assert row["paired"] == pytest.approx(np.diagonal(cosines).mean(), abs=1e-14)
    pairings = [cosines[range(8), list(order)].mean() for order in itertools.permutations(range(8))]
    assert row["paired_minimum"] == pytest.approx(min(pairings), abs=1e-12)
    assert row["paired_maximum"] == pytest.approx(max(pairings), abs=1e-12)
    assert row["paired_deviation"] == pytest.approx(np.std(pairings), abs=1e-12)
    centroid = c.mean(axis=0)
    expected = (a @ centroid / np.linalg.norm(a, axis=1) / np.linalg.norm(centroid)).mean()
    assert row["centroid"] == pytest.approx(expected, abs=1e-12)
    within = [cosine_similarities(x, x).mean() for x in (a, c)]
    assert row["normalized"] == pytest.approx(cosines.mean() / np.sqrt(np.prod(within)), abs=1e-12)


def test_lists_of_unequal_length_have_no_pairing() -> None:
    table = experiments.estimators_table(SPACE, tests=["weat-9"]).set_index("lists")
    row = table.loc["mental illness / permanent"]
    assert row[["paired", "paired_minimum", "paired_maximum", "paired_deviation"]].isna().all()
    assert np.isfinite(row[["grand_mean", "centroid", "normalized"]].astype(float)).all()


def test_separability_counts_the_words_nearer_to_a_centroid() -> None:
    table = experiments.separability_table(SPACE).set_index("lists")
    assert len(table) == 8
    lists = experiments.list_vectors(SPACE)
    a, c = lists["A"], lists["C"]
    tested = [w for k in keywords.load("gender-sentiment").lists.values() for w in k.words()]
    _, pool = experiments.pool_words(SPACE, without=tested)
    everything = np.concatenate([pool, *lists.values()])
    for label, own, other in (("pleasant / male", a, c), ("male / pleasant", c, a)):
        center = own.mean(axis=0)
        cosine = [
            x @ center / np.linalg.norm(x, axis=1) / np.linalg.norm(center) for x in (own, other, everything)
        ]
        row = table.loc[label]
        assert row["rank"] == 1 + (cosine[0] > cosine[1].max()).sum()
        assert row["separable"] == (cosine[0].min() > cosine[1].max())
        assert row["n_closer"] == (cosine[2] > cosine[0].min() + 1e-12).sum()
        assert row["log10_subspaces"] == pytest.approx(math.log10(math.comb(row["n_closer"], 8)))


def test_weights_of_a_centroid_do_not_average_to_one() -> None:
    table = experiments.centroid_weights_table(SPACE).set_index("list")
    b = experiments.list_vectors(SPACE)["B"]
    psi = np.linalg.norm(b.mean(axis=0)) / np.linalg.norm(b, axis=1)
    assert table.loc["female", ["smallest", "mean", "largest"]].tolist() == pytest.approx(
        [psi.min(), psi.mean(), psi.max()]
    )
    assert (table["mean"] < 0.8).all()


def test_recentering_takes_most_of_what_the_lists_have_in_common() -> None:
    table = experiments.recentering_table(SPACE)
    assert len(table) == 12
    own = table.query("centering == 'own'")
    assert own["mean_cosine"].abs().max() < 0.01
    none = table.query("centering == 'none'").reset_index()
    assert (own.reset_index()["canonical"] < none["canonical"]).all()
    union = table.query("centering == 'union'")
    assert (union["mean_cosine"] < -0.1).all()


def test_parametric_tests_stand_beside_randomization() -> None:
    nulls = experiments.congruence_nulls(SPACE, n_resamples=100)
    table = experiments.congruence_tests_table(nulls, space=SPACE)
    assert len(table) == 32
    first = table.query("index == 1")
    assert (first["p_direct"] < 1e-5).all()
    assert (first["p_randomization"] > 0.005).all()
    assert (table["p_holm"] >= table["p_randomization"]).all()
    r = table["congruence"].iloc[0]
    t = r * np.sqrt(299 / (1 - r * r))
    from scipy import stats

    assert table["p_direct"].iloc[0] == pytest.approx(2 * stats.t.sf(t, 299), rel=1e-9)


# --- the frequency story --------------------------------------------------------------------------------------


def test_pairs_of_a_design_are_all_pairs_with_the_first_list_marked() -> None:
    pairs = experiments.design_pairs(SPACE, attribute="D")
    keyed = experiments.word_vectors(SPACE)
    row = pairs.iloc[100]
    a, b = (keyed[row[name]].astype(float) for name in "ab")
    assert row["inner_product"] == pytest.approx(a @ b)
    assert row["lnw"] == pytest.approx(np.linalg.norm(a) * np.linalg.norm(b))
    male = keywords.load("gender-sentiment").A.words()
    assert set(pairs.loc[pairs["X"] == 1, "a"]) == set(male)
    assert len(experiments.design_pairs(SPACE, pairing="paired")) == 16
    with pytest.raises(ValueError, match="attribute is 'A'"):
        experiments.design_pairs(SPACE, attribute="A")


@pytest.fixture(scope="module")
def story() -> pd.DataFrame:
    return experiments.frequency_story(SPACE)


def coefficient(story: pd.DataFrame, model: str, symbol: str, design: str = "pleasant") -> float:
    chosen = story.query("design == @design and model == @model and symbol == @symbol")["estimate"]
    assert len(chosen) == 1
    return float(chosen.iloc[0])


def test_models_of_the_story_are_least_squares(story: pd.DataFrame) -> None:
    pairs = experiments.design_pairs(SPACE)
    X, lnw, cosine = (pairs[name].to_numpy(dtype=float) for name in ("X", "lnw", "cosine"))
    ones = np.ones(len(pairs))
    by_hand = {
        "difference in cosines": (cosine, np.stack([ones, X]), ("α0*", "α1*")),
        "corrected ratio": (cosine, np.stack([ones, X, 1 / lnw, X / lnw]), ("β2", "β3", "β0", "β1")),
        "inner product": (cosine * lnw, np.stack([ones, X, lnw, X * lnw]), ("β0", "β1", "β2", "β3")),
    }
    for model, (y, design, symbols) in by_hand.items():
        expected = np.linalg.lstsq(design.T, y, rcond=None)[0]
        found = [coefficient(story, model, symbol) for symbol in symbols]
        np.testing.assert_allclose(found, expected, rtol=1e-7)
    for symbol in ("β0", "β1", "β2", "β3"):
        weighted = coefficient(story, "inner product, weighted", symbol)
        assert weighted == pytest.approx(coefficient(story, "corrected ratio", symbol), rel=1e-8)
    lists = experiments.list_vectors(SPACE)
    centers = [lists[role].sum(axis=0) for role in "AB"]
    cosines = [cosine_similarities(center[None], lists["C"])[0] for center in centers]
    assert coefficient(story, "centroids, cosine", "γ1*") == pytest.approx(
        cosines[0].mean() - cosines[1].mean()
    )
    slope = np.polyfit(cosines[1], cosines[0], 1)[0]
    assert coefficient(story, "centroids, one on the other", "γ1*") == pytest.approx(slope)


def test_group_differences_hold_one_coefficient_of_each_model(story: pd.DataFrame) -> None:
    table = experiments.group_differences(story)
    assert table.groupby("design", sort=False)["model"].nunique().tolist() == [7, 7]
    row = table.query("design == 'unpleasant' and model == 'difference in cosines'").iloc[0]
    lists = experiments.list_vectors(SPACE)
    expected = (
        cosine_similarities(lists["A"], lists["D"]).mean()
        - cosine_similarities(lists["B"], lists["D"]).mean()
    )
    assert row["estimate"] == pytest.approx(expected, abs=1e-12)
    assert row["low"] < row["estimate"] < row["high"]


def test_standard_errors_under_three_assumptions() -> None:
    table = experiments.covariance_table(SPACE)
    pairs = experiments.design_pairs(SPACE)
    groups = [pairs.loc[pairs["X"] == x, "cosine"] for x in (0, 1)]
    row = table.iloc[0]
    pooled = sum(((g - g.mean()) ** 2).sum() for g in groups) / (len(pairs) - 2)
    assert row["nonrobust"] == pytest.approx(np.sqrt(pooled * 2 / 64))
    hc3 = sum(((g - g.mean()) ** 2).sum() / 64**2 / (1 - 1 / 64) ** 2 for g in groups)
    assert row["hc3"] == pytest.approx(np.sqrt(hc3))
    assert table["cluster"].gt(0).all()
    assert table["p_value"].between(0, 1).all()


@pytest.mark.parametrize("space", ["googlenews-weat", "glove-weat"])
def test_the_identity_holds_and_the_printed_equation_does_not(space: str) -> None:
    table = experiments.decomposition_table(space)
    for (_, reading), part in table.groupby(["design", "reading"]):
        assert part["value"].iloc[:-1].sum() == pytest.approx(part["value"].iloc[-1], abs=1e-12)
        gap = abs(part["value"].iloc[-1] - part["alpha_1"].iloc[-1])
        assert gap < 1e-12 if reading == "derived" else gap > 0.3


def test_local_similarity_has_the_means_of_the_ratio_model(story: pd.DataFrame) -> None:
    means = experiments.local_similarity_means(experiments.local_similarity_table(SPACE))
    means = means.set_index(["design", "group"])
    for design in ("pleasant", "unpleasant"):
        slope = coefficient(story, "corrected ratio", "β2", design)
        assert means.at[(design, "female"), "sim_local"] == pytest.approx(slope, abs=1e-10)
        slope += coefficient(story, "corrected ratio", "β3", design)
        assert means.at[(design, "male"), "sim_local"] == pytest.approx(slope, abs=1e-10)
    assert (means["inflated"] == 1).all()
    glove = experiments.local_similarity_means(experiments.local_similarity_table("glove-weat"))
    assert (glove["inflated"] == 0).all()  # "always inflated" is false


def test_lines_end_where_the_pairs_do(story: pd.DataFrame) -> None:
    pairs = experiments.design_pairs(SPACE)
    lines = experiments.inner_product_lines(pairs)
    for (model, group), part in lines.groupby(["model", "group"]):
        rows = pairs.loc[pairs["group"] == group]
        assert part["lnw"].tolist() == [rows["lnw"].min(), rows["lnw"].max()]
        slope = np.diff(part["inner_product"]).item() / np.diff(part["lnw"]).item()
        if model == "inner product":
            expected = coefficient(story, model, "β2") + (group == "male") * coefficient(story, model, "β3")
        else:
            expected = rows["cosine"].mean()
            assert part["inner_product"].iloc[0] == pytest.approx(expected * part["lnw"].iloc[0])
        assert slope == pytest.approx(expected, rel=1e-8)


def test_frequencies_come_from_outside() -> None:
    table = experiments.frequency_table(SPACE)
    pairs, zipf = experiments.design_pairs(SPACE), word_frequencies()
    total = pairs["a"].str.casefold().map(zipf) + pairs["b"].str.casefold().map(zipf)
    expected = np.corrcoef(total, pairs["lnw"])[0, 1]
    assert table["correlation"].iloc[0] == pytest.approx(expected)
    r = table.query("design == 'pleasant'").set_index("model")["r_squared"]
    assert r["cosine"] <= r["cosine, frequency"] <= r["cosine, both"]
    own = KeyedVectors(30)
    words = [w for k in keywords.load("gender-sentiment").lists.values() for w in k.words()]
    own.add_vectors(words, np.random.default_rng(0).standard_normal((32, 30)).astype(np.float32))
    assert len(experiments.frequency_table(own)) == 16


def test_nested_regressions_add_up_to_the_score() -> None:
    table = experiments.nested_weat_table(SPACE, "weat-7")
    assert table["list"].value_counts().to_dict() == {"math": 8, "arts": 8}
    means = table.groupby("list")["alpha_1"].mean()
    lists = experiments.list_vectors(SPACE, "weat-7")
    assert means["math"] - means["arts"] == pytest.approx(weat(*lists.values()).score, abs=1e-12)
    assert table["beta_3"].notna().all()
