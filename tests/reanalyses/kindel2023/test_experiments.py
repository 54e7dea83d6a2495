"""Experiments: Table 1 and effect sizes beside what is printed, tidy tables that agree with the metrics they call."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st

from isotropy_lab.association import keywords
from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.permutation import weat_permutation_test
from isotropy_lab.association.weat import weat, weat_effect_size
from reanalyses.kindel2023 import experiments, published

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
    with pytest.raises(ValueError, match="size is 4; expected a whole number from 1 to 3"):
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
        expected = (canonical_similarity(a, b) - chance) / (top - chance)
        assert rows.at[name, "corrected"] == pytest.approx(expected, abs=1e-12)


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
    assert row["p_value"] == weat_permutation_test(*lists).pvalue
    assert (row["method"], row["count"], row["n_at_least"]) == ("exact", 12_870, 1)
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
        expected = max(min(1.0, other * (p >= other).sum()) for other in p[p <= value])
        assert table["p_holm"].iloc[i] == pytest.approx(expected)
    assert (table["p_holm"] >= p).all()


def test_permutation_distribution_is_the_permutation_test() -> None:
    table = experiments.permutation_distribution(SPACE, "weat-8")
    observed = table.loc[table["observed"], "score"].item()
    lists = experiments.list_vectors(SPACE, "weat-8")
    assert observed == pytest.approx(weat(*lists.values()).score, abs=1e-14)
    p = (table["score"] >= observed - 1e-12).mean()
    assert p == pytest.approx(weat_permutation_test(*lists.values()).pvalue, abs=1e-12)
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
    expected = [
        weat(targets[list(s)], np.delete(targets, list(s), axis=0), c, d, similarity="canonical").score
        for s in itertools.combinations(range(6), 3)
    ]
    np.testing.assert_allclose(np.sort(table["score"]), np.sort(expected), atol=1e-12)
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


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 180), st.floats(0, 180), st.floats(0, 90))
def test_a_pair_is_beaten_when_the_third_vector_is_near_both(a: float, b: float, lift: float) -> None:
    gram = experiments.three_vectors_at(a, b, lift) @ experiments.three_vectors_at(a, b, lift).T
    table = experiments.three_vectors(a, b, lift).set_index(["metric", "pair"])
    excess = max(
        gram[0, 1] + gram[1, 2], gram[0, 2] + 1
    )  # what {1, 2}, {2, 3} and S itself have in common with S
    if abs(gram[0, 1] + gram[1, 2] - 1 - gram[0, 2]) > 1e-7:
        beaten = gram[0, 1] + gram[1, 2] > 1 + gram[0, 2]
        assert table.at[("mean-cosine", "{1, 3}"), "closest"] == (not beaten)
    assert table.loc["mean-cosine", "similarity"].max() == pytest.approx(
        (1 + gram[0, 2] + excess) / 4, abs=1e-12
    )
    for metric in ("normalized", "canonical"):  # neither can be beaten
        if table.at[(metric, "{1, 3}"), "defined"]:
            assert table.at[(metric, "{1, 3}"), "closest"]
            assert table.at[(metric, "{1, 3}"), "similarity"] == pytest.approx(1, abs=1e-9)


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
    with pytest.raises(ValueError, match="k is 101; expected a whole number from 1 to 100"):
        experiments.as_k_reaches_p("glove-weat", k=(101,))
    with pytest.raises(ValueError, match="twice the largest k is 14"):
        experiments.as_k_reaches_p(small_space(list("abcdefghij")), k=(7,))


# --- Figures 1 and 2 ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def consistency() -> pd.DataFrame:
    return experiments.consistency_table(SPACE)


def naive_beaten(words: np.ndarray, q: int) -> int:
    """Sublists of q words to which another one is more similar than they are to themselves, one by one."""
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    means = {s: units[list(s)].mean(axis=0) for s in itertools.combinations(range(len(words)), q)}
    return sum(any(m @ n > m @ m + 1e-9 for n in means.values()) for m in means.values())


def test_counts_of_figure_s1_are_those_of_a_loop(consistency: pd.DataFrame) -> None:
    counts = experiments.consistency_counts(consistency)
    assert counts.loc["sublists"].tolist() == [8, 28, 56, 70, 56, 28, 8]
    labels = experiments.list_labels()
    for role, words in experiments.list_vectors(SPACE).items():
        assert counts.loc[labels[role]].tolist() == [naive_beaten(words, q) for q in range(1, 8)]
    # The exact integer table of the lists of Table S1 on the vectors of Figure S1.
    assert counts.iloc[1:].to_numpy().tolist() == [
        [0, 0, 26, 43, 38, 23, 7],
        [0, 0, 28, 44, 41, 24, 7],
        [0, 0, 5, 36, 46, 24, 5],
        [0, 0, 40, 65, 50, 23, 6],
    ]


def test_normalized_and_canonical_similarity_are_consistent(consistency: pd.DataFrame) -> None:
    for similarity in ("normalized", "canonical"):
        assert (
            experiments.consistency_counts(consistency, similarity=similarity).iloc[1:].to_numpy().sum() == 0
        )
    with pytest.raises(ValueError, match="similarity is 'cosine'"):
        experiments.consistency_counts(consistency, similarity="cosine")


def test_beaten_sublists_are_those_counted_and_named_by_a_loop(consistency: pd.DataFrame) -> None:
    lists = experiments.list_vectors(SPACE)
    words = keywords.load("gender-sentiment").D.words()
    counted = consistency.query("list == 'unpleasant' and similarity == 'mean-cosine'").set_index("q")
    table = experiments.beaten_sublists(SPACE, role="D", q=3)
    assert len(table) == counted.loc[3, "n_beaten"]
    assert (table["with_closest"] - table["with_itself"]).is_monotonic_decreasing
    row, chosen = table.iloc[0], list(itertools.combinations(range(8), 3))
    subset = tuple(words.index(word) for word in row["sublist"].split(", "))
    values = [mean_cosine_similarity(lists["D"][list(subset)], lists["D"][list(other)]) for other in chosen]
    assert row["with_itself"] == pytest.approx(values[chosen.index(subset)], abs=1e-12)
    assert row["with_closest"] == pytest.approx(max(values), abs=1e-12)
    assert row["closest"] == ", ".join(words[i] for i in chosen[int(np.argmax(values))])


def test_lattices_hold_every_pair_of_sublists() -> None:
    lattices = experiments.within_lattices(SPACE, similarity="canonical")
    assert list(lattices) == ["male", "female", "pleasant", "unpleasant"]
    level, words = lattices["female"][2], experiments.list_vectors(SPACE)["B"]
    for i, j in ((0, 5), (10, 41), (30, 30)):
        a, b = (words[level.subsets[index]] for index in (i, j))
        assert level.values[i, j] == pytest.approx(canonical_similarity(a, b), abs=1e-12)


def test_conditions_name_their_words_and_beaten_ones_are_counted(consistency: pd.DataFrame) -> None:
    table = experiments.condition_table(SPACE)
    found = table.groupby(["list", "q"], sort=False)["beaten"].sum()
    cosine = consistency.query("similarity == 'mean-cosine'").set_index(["list", "q"])["n_beaten"]
    assert (found == cosine.reindex(found.index)).all()
    row = table.query("list == 'pleasant' and q == 3").iloc[7]
    vectors = np.array([experiments.word_vectors(SPACE)[w] for w in row["words"].split(", ")], dtype=float)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert row["cosine_matrix"] == pytest.approx(np.linalg.cond(units @ units.T), rel=1e-9)
    assert row["vectors"] == pytest.approx(np.linalg.cond(vectors), rel=1e-9)
    correlations = experiments.condition_correlations(table)
    assert set(correlations["q"]) == {2, 3, 4, 5, 6, 7, "all"}
    part = table.query("list == 'male' and q == 4")
    expected = np.corrcoef(part["cosine_matrix"].rank(), part["margin"].rank())[0, 1]
    got = correlations.query("list == 'male' and q == 4")["correlation"].item()
    assert got == pytest.approx(expected, abs=1e-12)


def test_means_between_lists_are_constant_or_fall_as_proved() -> None:
    table = experiments.between_lattices(SPACE)
    assert len(table) == 4 * 5 * 8
    for _, part in table.groupby(["lists", "metric"]):
        assert (part["minimum"] <= part["mean"] + 1e-15).all()
        assert (part["mean"] <= part["maximum"] + 1e-15).all()
    by = table.set_index(["metric", "lists", "q"])["mean"].unstack("q")
    for metric in ("mean cosine", "mean squared cosine"):
        assert np.ptp(by.loc[metric], axis=1).max() < 1e-12
    assert (by.loc["squared mean cosine"].diff(axis=1).iloc[:, 1:] < 0).all().all()
    assert (by.loc["canonical, trace"].diff(axis=1).iloc[:, 1:] > 0).all().all()
    # One-to-one, squared cosine and canonical similarity are the same thing.
    np.testing.assert_allclose(by.loc["canonical, scaled"][1], by.loc["mean squared cosine"][1], atol=1e-14)
    a, b = (experiments.list_vectors(SPACE)[role] for role in "AC")
    last = by.loc["canonical, scaled"].loc["male / pleasant", 8]
    assert last == pytest.approx(canonical_similarity(a, b), abs=1e-12)
    # On GloVe the scaled similarity falls before it rises, against the supplement's monotone growth.
    glove = experiments.between_lattices("glove-weat").query(
        "metric == 'canonical, scaled' and lists == 'male / pleasant'"
    )
    assert glove["mean"].iloc[4] < glove["mean"].iloc[0]


def test_matrices_between_lists() -> None:
    matrices = experiments.between_matrices(SPACE, component="bd", similarity="mean-cosine")
    assert [matrices[q].values.shape for q in (1, 4, 8)] == [(8, 8), (70, 70), (1, 1)]
    b, d = (experiments.list_vectors(SPACE)[role] for role in "BD")
    assert matrices[8].values.item() == pytest.approx(mean_cosine_similarity(b, d), abs=1e-14)
    with pytest.raises(ValueError, match="component is 'ab'"):
        experiments.between_matrices(SPACE, component="ab")


def test_consistency_falls_as_lists_grow() -> None:
    table = experiments.consistency_as_lists_grow(SPACE, "gender-sentiment", roles=("A", "D"), q=(3, 4))
    assert set(table["list"]) == {"male", "unpleasant"}
    for (label, q), part in table.groupby(["list", "q"]):
        assert (part["expected_weak"].diff().dropna() <= 1e-12).all()
        words = experiments.list_vectors(SPACE)["A" if label == "male" else "D"]
        n = len(list(itertools.combinations(range(8), q)))
        whole = part.set_index("k")["expected_weak"][8]
        assert whole == pytest.approx(1 - naive_beaten(words, q) / n, abs=1e-12)
        shorter = [naive_beaten(np.delete(words, i, axis=0), q) for i in range(8)]
        n = len(list(itertools.combinations(range(7), q)))
        assert part.set_index("k")["expected_weak"][7] == pytest.approx(1 - np.mean(shorter) / n, abs=1e-12)
    with pytest.raises(ValueError, match="roles is 'E'"):
        experiments.consistency_as_lists_grow(SPACE, roles=("E",))


# --- Figure 3 -------------------------------------------------------------------------------------------------


def test_nulls_of_all_pairs_and_their_pool() -> None:
    outcome = experiments.congruence_nulls(SPACE, n_resamples=60, pool_size=500)
    tested = {w.lower() for k in (keywords.load("gender-sentiment").lists.values()) for w in k.words()}
    inside = len(tested & set(experiments.word_vectors("googlenews-pool").index_to_key[:500]))
    expected = f"the 500 most frequent words of googlenews-pool, less {inside} that are in the test"
    assert outcome.pool == expected
    assert (outcome.n_resamples, outcome.confidence_level) == (60, 0.95)
    assert len(outcome.congruences) == 4 * 3 * 8
    assert len(outcome.totals) == 4 * 3 * 3
    for pair, (x, y) in {"male / pleasant": "AC", "female / unpleasant": "BD"}.items():
        a, b = (experiments.list_vectors(SPACE)[role] for role in (x, y))
        rows = (
            outcome.totals.loc[outcome.totals["lists"] == pair]
            .drop_duplicates("quantity")
            .set_index("quantity")
        )
        assert rows.at["canonical", "observed"] == pytest.approx(canonical_similarity(a, b), abs=1e-12)
        assert rows.at["mean-cosine", "observed"] == pytest.approx(mean_cosine_similarity(a, b), abs=1e-12)
    again = experiments.congruence_nulls(SPACE, n_resamples=60, pool_size=500)
    pd.testing.assert_frame_equal(outcome.totals, again.totals)


def test_the_pool_decides_the_null() -> None:
    table = experiments.pool_sensitivity("glove-weat", sizes=(2_000, 10_000), n_resamples=200)
    means = (
        table.query("null == 'both random' and quantity == 'canonical'")
        .groupby("pool", sort=False)["mean"]
        .mean()
    )
    assert list(means.index) == [
        "top 2,000 words",
        "top 10,000 words",
        "similar frequency",
        "random subspaces",
    ]
    assert means["top 2,000 words"] > means["top 10,000 words"] + 0.02 > means["random subspaces"] + 0.08
    assert means["random subspaces"] == pytest.approx(8 / 100, abs=0.003)
    subspaces = table.query("pool == 'random subspaces'")
    assert set(subspaces["quantity"]) == {"canonical", "canonical-trace"}
    assert subspaces["p_value"].isna().all()
    assert table["observed"].notna().all()
    short = experiments.pool_sensitivity(
        SPACE, sizes=(800,), frequency_width=None, gaussian=False, n_resamples=20
    )
    assert short["pool"].unique().tolist() == ["top 800 words"]


def test_partial_randomization_starts_at_the_lists_and_ends_at_the_null() -> None:
    table = experiments.partial_randomization(SPACE, randomize=("A", "both"), n_resamples=300)
    cosine = table.query("quantity == 'mean-cosine' and lists == 'male / pleasant'")
    start = cosine.query("n_random == 0")
    assert (start[["low", "mean", "high"]].sub(start["observed"], axis=0).abs() < 1e-12).all().all()
    ends = cosine.query("n_random == 8").set_index("randomize")["mean"]
    null = experiments.congruence_nulls(SPACE, n_resamples=300).totals.query(
        "quantity == 'mean-cosine' and lists == 'male / pleasant'"
    )
    null = null.set_index("null")["mean"]
    assert ends["A"] == pytest.approx(null["A random"], abs=0.01)
    assert ends["both"] == pytest.approx(null["both random"], abs=0.01)
