"""Experiments: Table 1 and effect sizes beside what is printed, tidy tables that agree with the metrics they call."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors

from isotropy_lab.association import experiments, keywords, published
from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.permutation import weat_permutation_test
from isotropy_lab.association.weat import weat, weat_effect_size

SPACE = "googlenews-weat"


@pytest.fixture(scope="module")
def components() -> pd.DataFrame:
    return experiments.weat_components(SPACE)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return experiments.weat_table(SPACE)


def small_space(words: list[str], p: int = 20, seed: int = 0) -> KeyedVectors:
    keyed = KeyedVectors(p)
    keyed.add_vectors(words, np.random.default_rng(seed).standard_normal((len(words), p)).astype(np.float32))
    return keyed


# --- spaces ---------------------------------------------------------------------------------------------------


def test_lists_of_a_space_are_its_rows() -> None:
    lists = experiments.list_vectors(SPACE)
    keyed = experiments.word_vectors(SPACE)
    rows = [keyed[word] for word in keywords.load("gender-sentiment").A.words()]
    np.testing.assert_array_equal(lists["A"], np.array(rows, dtype=np.float64))
    assert [words.shape for words in lists.values()] == [(8, 300)] * 4
    assert all(words.dtype == np.float64 for words in lists.values())
    again = experiments.list_vectors(keyed)
    np.testing.assert_array_equal(again["D"], lists["D"])


def test_a_pool_leaves_out_the_words_asked_for() -> None:
    words, vectors = experiments.pool_words(SPACE, size=500)
    fewer, others = experiments.pool_words(SPACE, size=500, without=[words[3].upper()])
    assert words[3] not in fewer
    assert len(fewer) == len(words) - 1 == len(others)
    np.testing.assert_array_equal(others, np.delete(vectors, 3, axis=0))
    own = small_space(["one", "two", "three"])
    assert experiments.pool_words(own)[0] == ("one", "two", "three")
    with pytest.raises(ValueError, match="size is 4; wanted a whole number from 1 to 3"):
        experiments.pool_words(own, size=4)


# --- Table 1 --------------------------------------------------------------------------------------------------


def test_components_are_the_metrics(components: pd.DataFrame) -> None:
    assert len(components) == 40
    lists = experiments.list_vectors(SPACE, "weat-3")
    rows = components.query("test == 'weat-3'").set_index("component")
    for name, (x, y, _) in experiments.COMPONENTS.items():
        a, b = lists[x], lists[y]
        assert rows.at[name, "mean_cosine"] == mean_cosine_similarity(a, b)
        assert rows.at[name, "canonical"] == canonical_similarity(a, b)
        chance = np.sqrt(len(a) * len(b)) / 300
        assert rows.at[name, "chance"] == pytest.approx(chance, rel=1e-12)
        top = min(len(a), len(b)) / np.sqrt(len(a) * len(b))
        wanted = (canonical_similarity(a, b) - chance) / (top - chance)
        assert rows.at[name, "corrected"] == pytest.approx(wanted, abs=1e-12)


def test_table_scores_are_those_of_weat_and_the_printed_columns_those_printed(table: pd.DataFrame) -> None:
    printed = published.table_1().set_index("test")
    assert list(table["test"]) == [f"weat-{i}" for i in range(1, 11)]
    for row in table.itertuples():
        lists = experiments.list_vectors(SPACE, row.test)
        for similarity, score in (
            ("mean-cosine", row.weat_mcs),
            ("canonical", row.weat_canonical),
            ("canonical-corrected", row.weat_corrected),
        ):
            assert score == pytest.approx(weat(*lists.values(), similarity=similarity).score, abs=1e-12)
        assert row.n == min(map(len, lists.values()))
        assert row.ratio == row.weat_mcs / row.weat_canonical
        four = [[getattr(row, f"{m}_{c}") for c in experiments.COMPONENTS] for m in ("mcs", "canonical")]
        ranks = [pd.Series(values).rank() for values in four]
        assert row.rho == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-12)
        assert row.printed_weat_mcs == printed.at[row.test, "weat_mcs"]
        assert row.printed_weat_canonical == printed.at[row.test, "weat_cca"]
        assert row.printed_ratio == printed.at[row.test, "ratio"]
    # GoogleNews lacks Billy (WEAT 10), short-term (WEAT 9) and thirteen of the adjusted names of WEAT 3.
    assert table["missing"].tolist() == [0, 0, 13, 0, 0, 0, 0, 0, 1, 1]


def test_summary_restates_the_papers_sentences(table: pd.DataFrame) -> None:
    summary = experiments.weat_summary({"GoogleNews": table}).set_index("space")
    printed = summary.loc["as printed"]
    assert printed["median_ratio"] == pytest.approx(4.2145)
    assert (printed["median_rho"], printed["opposite_signs"], printed["order_right"]) == (0.4, 1, 1)
    ours = summary.loc["GoogleNews"]
    assert ours["opposite_signs"] == int((table["ratio"] < 0).sum()) == 2
    assert ours["median_absolute_ratio"] == np.median(np.abs(table["ratio"]))


def test_length_of_the_lists_explains_most_of_the_canonical_components(components: pd.DataFrame) -> None:
    found = experiments.baseline_explains(components).set_index(["values", "predictor"])["correlation"]
    assert found["printed", "√(k₁k₂)/p"] == pytest.approx(0.89, abs=0.005)
    assert found["printed", "N/p"] == pytest.approx(0.83, abs=0.005)
    assert found["printed", "max(k₁, k₂)/p"] == pytest.approx(0.90, abs=0.005)
    ours = components["canonical"].corr((components["k_1"] * components["k_2"]) ** 0.5)
    assert found["ours", "√(k₁k₂)/p"] == pytest.approx(ours, abs=1e-12)
    assert abs(found["ours, corrected", "√(k₁k₂)/p"]) < 0.5 < ours
    without = experiments.baseline_explains(components.assign(printed_canonical=np.nan))
    assert not without["values"].eq("printed").any()


# --- effect sizes and permutations ----------------------------------------------------------------------------


def test_effect_sizes_are_those_published() -> None:
    tests = [f"weat-{i}" for i in (5, 6, 7, 8)]
    table = experiments.effect_sizes(SPACE, tests=tests)
    np.testing.assert_allclose(table["effect_size"], [0.72, 1.89, 0.97, 1.24], atol=0.005)
    np.testing.assert_allclose(table["difference"], table["effect_size"] - table["published"])
    lists = list(experiments.list_vectors(SPACE, "weat-6", spelling="tested").values())
    row = table.iloc[1]
    assert row["effect_size"] == weat_effect_size(*lists)
    assert row["p_value"] == weat_permutation_test(*lists).p_value
    assert (row["method"], row["count"]) == ("exact", 12_870)
    glove = experiments.effect_sizes("glove-weat", tests=["weat-6"])
    assert glove["published"].tolist() == [1.81]
    own = experiments.effect_sizes(experiments.word_vectors(SPACE), tests=["weat-6"])
    assert own["published"].isna().all()
    with pytest.raises(ValueError, match="published_space is 'here'"):
        experiments.effect_sizes(SPACE, tests=["weat-6"], published_space="here")


def test_holm_is_the_step_down_of_the_definition() -> None:
    table = experiments.effect_sizes(SPACE, tests=[f"weat-{i}" for i in (6, 7, 8, 9, 10)])
    p = table["p_value"].to_numpy()
    for i, value in enumerate(p):
        wanted = max(min(1.0, other * (p >= other).sum()) for other in p[p <= value])
        assert table["p_holm"].iloc[i] == pytest.approx(wanted)
    assert (table["p_holm"] >= p).all()


def test_permutation_distribution_is_the_permutation_test() -> None:
    table = experiments.permutation_distribution(SPACE, "weat-8")
    observed = table.loc[table["observed"], "score"].item()
    lists = experiments.list_vectors(SPACE, "weat-8")
    assert observed == pytest.approx(weat(*lists.values()).score, abs=1e-14)
    p = (table["score"] >= observed - 1e-12).mean()
    assert p == pytest.approx(weat_permutation_test(*lists.values()).p_value, abs=1e-12)
    assert table["score"].mean() == pytest.approx(
        0, abs=1e-12
    )  # equal lists: each arrangement and its mirror


def test_a_sampled_distribution_has_no_arrangement_twice() -> None:
    words = [
        "sad",
        "hopeless",
        "gloomy",
        "sick",
        "illness",
        "influenza",
        "brief",
        "stable",
        "constant",
        "always",
    ]
    space = small_space([*words, "occasional", "unstable"])
    table = experiments.permutation_distribution(space, "weat-9", similarity="canonical", n_resamples=1_000)
    assert len(table) == 20  # all C(6, 3) arrangements, although 1,000 were asked for
    a, b, c, d = experiments.list_vectors(space, "weat-9").values()
    targets = np.concatenate([a, b])
    wanted = [
        weat(targets[list(s)], np.delete(targets, list(s), axis=0), c, d, similarity="canonical").score
        for s in itertools.combinations(range(6), 3)
    ]
    np.testing.assert_allclose(np.sort(table["score"]), np.sort(wanted), atol=1e-12)
    few = experiments.permutation_distribution(space, "weat-9", similarity="canonical", n_resamples=5)
    assert len(few) == 6
    with pytest.raises(ValueError, match="similarity is 'cosine'"):
        experiments.permutation_distribution(space, "weat-9", similarity="cosine")


# --- three vectors --------------------------------------------------------------------------------------------


def test_three_vectors_are_the_smallest_counterexample() -> None:
    table = experiments.three_vectors()
    cosine = table.query("metric == 'mean-cosine'")
    np.testing.assert_allclose(cosine["similarity"], [1 / 4, 3 / 8, 3 / 8], atol=1e-15)
    assert cosine["closest"].tolist() == [False, True, True]
    normalized = table.query("metric == 'normalized'")
    np.testing.assert_allclose(normalized["similarity"], [1, np.sqrt(3) / 2, np.sqrt(3) / 2], atol=1e-15)
    assert normalized["closest"].tolist() == [True, False, False]
    assert table.query("metric == 'canonical'")["closest"].all()  # one plane


@pytest.mark.parametrize("angles", [(20, 75, 0), (60, 60, 40), (10, 150, 5), (100, 130, 60)])
def test_three_vectors_follow_the_closed_forms(angles: tuple[float, float, float]) -> None:
    a, b, c = np.deg2rad(angles)
    gram = np.array(
        [
            [1, np.cos(a) * np.cos(c), np.cos(a + b)],
            [np.cos(a) * np.cos(c), 1, np.cos(b) * np.cos(c)],
            [np.cos(a + b), np.cos(b) * np.cos(c), 1],
        ]
    )
    np.testing.assert_allclose(
        experiments.three_vectors_at(*angles) @ experiments.three_vectors_at(*angles).T, gram, atol=1e-15
    )
    table = experiments.three_vectors(*angles).set_index(["metric", "pair"])["similarity"]
    pairs = {"{1, 3}": [0, 2], "{1, 2}": [0, 1], "{2, 3}": [1, 2]}
    for name, pair in pairs.items():
        block = gram[np.ix_([0, 2], pair)]
        assert table["mean-cosine", name] == pytest.approx(block.mean(), abs=1e-14)
        scale = np.sqrt(gram[np.ix_([0, 2], [0, 2])].mean() * gram[np.ix_(pair, pair)].mean())
        assert table["normalized", name] == pytest.approx(block.mean() / scale, abs=1e-12)
        inner = np.linalg.solve(gram[np.ix_([0, 2], [0, 2])], block) @ np.linalg.solve(
            gram[np.ix_(pair, pair)], block.T
        )
        assert table["canonical", name] == pytest.approx(np.trace(inner) / 2, abs=1e-12)


def test_three_vectors_say_what_is_undefined_and_warn_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = experiments.three_vectors(90, 90)
    assert not table.query("metric == 'normalized'")["defined"].any()
    assert not table.query("metric == 'normalized'")["closest"].any()
    assert table.query("metric != 'normalized'")["defined"].all()
    with pytest.raises(ValueError, match="lift"):
        experiments.three_vectors(0, 0, np.inf)
    with pytest.raises(TypeError, match="theta_1"):
        experiments.three_vectors("wide")


def test_random_lists_that_fill_the_space_have_everything_in_common() -> None:
    table = experiments.as_k_reaches_p("glove-weat", k=(1, 10, 60, 100))
    assert table["p"].eq(100).all()
    assert table["forced"].tolist() == [0, 0, 20, 100]
    np.testing.assert_allclose(table["chance"], table["k"] / 100)
    assert table["canonical"].iloc[-1] == pytest.approx(1, abs=1e-12)
    assert np.isnan(table["corrected"].iloc[-1])
    assert (table["canonical"].iloc[1:] >= table["chance"].iloc[1:] - 1e-12).all()  # words share directions
    again = experiments.as_k_reaches_p("glove-weat", k=(1, 10, 60, 100))
    pd.testing.assert_frame_equal(table, again)
    with pytest.raises(ValueError, match="k is 101; wanted a whole number from 1 to 100"):
        experiments.as_k_reaches_p("glove-weat", k=(101,))
    with pytest.raises(ValueError, match="twice the largest k is 14"):
        experiments.as_k_reaches_p(small_space(list("abcdefghij")), k=(7,))
