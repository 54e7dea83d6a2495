"""What stands beside Table 1: two planes, every similarity, chance, permutation tests, and what a space lacks."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors

from isotropy_lab.association import keywords
from isotropy_lab.association.weat import weat
from reanalyses.kindel2023 import experiments, published
from reanalyses.kindel2023.experiments.spaces import list_vectors

SPACE = "googlenews-weat"


@pytest.mark.parametrize("angle", [0.0, 25.0, 60.0, 90.0])
def test_two_planes_follow_the_closed_forms(angle: float) -> None:
    cosine = np.cos(np.deg2rad(angle))
    table = experiments.two_planes(angle).set_index("A_with")
    expected = {
        "itself": (0.5, 1.0, 1.0, 1.0, 1.0),
        "same plane": (np.sqrt(0.5) / 2, np.sqrt(0.5), 1.0, 1.0, 1.0),
        "tilted": ((1 + cosine) / 4, (1 + cosine) / 2, (1 + cosine**2) / 2, 1.0, cosine),
        "one word reversed": ((1 - cosine) / 4, (1 - cosine) / 2, (1 + cosine**2) / 2, 1.0, cosine),
    }
    assert table.index.tolist() == list(expected)
    np.testing.assert_allclose(table.to_numpy(), list(expected.values()), atol=1e-12)


def test_associations_of_words_make_up_the_score() -> None:
    table = experiments.word_association_table(SPACE, "weat-7")
    np.testing.assert_allclose(table["association"], table["with_c"] - table["with_d"], atol=1e-12)
    means = table.groupby("list")["association"].mean()
    score = weat(*list_vectors(SPACE, "weat-7", spelling="tested").values()).score
    assert means["math"] - means["arts"] == pytest.approx(score, abs=1e-12)
    for _, part in table.groupby("list"):
        assert part["association"].is_monotonic_decreasing


@pytest.mark.parametrize("space", [SPACE, "glove-weat"])
def test_effect_sizes_follow_from_cohens_d_by_the_length_of_the_lists(space: str) -> None:
    table = experiments.effect_sizes_and_gaps(space).set_index("test")
    np.testing.assert_array_equal(
        table["effect_size"], experiments.effect_sizes(space, n_resamples=1)["effect_size"]
    )
    for test, (d, size) in table.iterrows():
        a, b = (len(list_vectors(space, test, spelling="tested")[role]) for role in "AB")
        variance = (a + b - 2 + d**2 * a * b / (a + b)) / (a + b - 1)
        assert size == pytest.approx(d / np.sqrt(variance), abs=1e-12)


def test_an_angle_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="angle is 120"):
        experiments.two_planes(120)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return experiments.scores_by_similarity(SPACE).set_index("similarity")


def test_scores_are_those_of_weat_and_ratios_their_median(scores: pd.DataFrame) -> None:
    tests = [name for name in scores.columns if name != "median_absolute_ratio"]
    assert len(tests) == 10
    for similarity, test in itertools.product(scores.index, tests):
        lists = list_vectors(SPACE, test).values()
        assert scores.at[similarity, test] == weat(*lists, similarity=similarity).score
    table = experiments.weat_table(SPACE)
    assert scores.at["canonical", "median_absolute_ratio"] == pytest.approx(
        table["ratio"].abs().median(), rel=1e-12
    )
    assert scores.at["mean-cosine", "median_absolute_ratio"] == 1.0


def test_the_median_ratio_is_a_matter_of_the_unit(scores: pd.DataFrame) -> None:
    """The same quantity, divided by another constant, is "inflated" or the opposite."""
    assert (
        scores.at["canonical-trace", "median_absolute_ratio"]
        < 1
        < scores.at["canonical", "median_absolute_ratio"]
    )
    assert (np.sign(scores.loc["canonical-trace"]) == np.sign(scores.loc["canonical"])).all()


def test_scores_need_mean_cosine_to_compare_with() -> None:
    with pytest.raises(ValueError, match="expected mean-cosine among them"):
        experiments.scores_by_similarity(SPACE, similarities=("canonical",))
    with pytest.raises(ValueError, match="similarities"):
        experiments.scores_by_similarity(SPACE, similarities=("mean-cosine", "jaccard"))


def test_chance_is_the_mean_of_random_subspaces() -> None:
    components = experiments.weat_components(SPACE)
    table = experiments.chance_levels({"GoogleNews": components})
    printed = table.query("space == 'as printed'")
    assert len(printed) == 40
    assert len(table) == 80
    np.testing.assert_array_equal(printed["canonical"], components["printed_canonical"])
    for row in printed.itertuples():
        sizes = keywords.load(row.test).sizes()
        x, y = row.component.upper()
        assert row.chance == pytest.approx(np.sqrt(sizes[x] * sizes[y]) / 300)
        assert row.n == min(sizes.values())
    rng = np.random.default_rng(0)
    ours = table.query("space == 'GoogleNews' and test == 'weat-5'").iloc[0]
    k = components.query("test == 'weat-5'").iloc[0][["k_1", "k_2"]].astype(int)
    traces = []
    for _ in range(400):
        q = [np.linalg.qr(rng.standard_normal((300, n)))[0] for n in k]
        traces.append(np.sum((q[0].T @ q[1]) ** 2) / np.sqrt(k.prod()))
    error = np.std(traces) / np.sqrt(len(traces))
    assert abs(np.mean(traces) - ours["chance"]) < 5 * error


def test_tests_without_printed_components_have_none() -> None:
    components = experiments.weat_components(SPACE, tests=["gender-sentiment"])
    assert experiments.chance_levels({"GoogleNews": components})["space"].unique().tolist() == ["GoogleNews"]


def test_permutation_tests_are_counted_by_a_loop() -> None:
    table = experiments.permutation_by_similarity(SPACE, tests=["weat-9"]).iloc[0]
    a, b, c, d = list_vectors(SPACE, "weat-9", spelling="tested").values()
    words, observed = np.concatenate([a, b]), {}
    counts = dict.fromkeys(("mean-cosine", "canonical"), 0)
    for chosen in itertools.combinations(range(12), 6):
        rest = [i for i in range(12) if i not in chosen]
        for similarity in counts:
            score = weat(words[list(chosen)], words[rest], c, d, similarity=similarity).score
            counts[similarity] += score >= observed.setdefault(similarity, score) - 1e-12
    for similarity, count in counts.items():
        assert table[similarity] == count / 924
    assert table["smallest_p"] == 1 / 924
    assert table["method"] == "exact"


def test_a_sampled_test_has_its_own_smallest_p() -> None:
    table = experiments.permutation_by_similarity(SPACE, tests=["weat-1"], n_resamples=199)
    assert table.at[0, "smallest_p"] == pytest.approx(1 / 200)
    assert table.at[0, "canonical"] >= table.at[0, "smallest_p"]


def test_lengths_of_lists_in_three_spellings() -> None:
    table = experiments.list_lengths().set_index(["test", "list"])
    assert table.loc[("weat-3", "Black names")].tolist() == [50, 32, 42]
    assert table.loc[("weat-4", "white names")].tolist() == [18, 16, 17]
    every = experiments.list_lengths(differing=False)
    assert len(every) == 40
    assert set(every["test"]) == set(published.table_1()["test"])


def test_gaps_are_the_words_that_a_space_lacks() -> None:
    table = experiments.coverage_gaps({"GoogleNews": SPACE, "GloVe": "glove-weat"})
    for space, name in ((SPACE, "GoogleNews"), ("glove-weat", "GloVe")):
        coverage = keywords.coverage(experiments.word_vectors(space)).query("test != 'gender-sentiment'")
        lacking = coverage.query("n_missing > 0")[["test", "missing"]].to_numpy().tolist()
        here = table.loc[(table["space"] == name) & (table["left_out"] != "–"), ["test", "left_out"]]
        assert here.to_numpy().tolist() == lacking
    row = table.loc[(table["test"] == "weat-1") & (table["space"] == "GoogleNews")].iloc[0]
    assert (row["asked"], row["found"], row["respelled"]) == (25, 25, "gladiolus as gladiola")


def test_a_space_without_gaps_has_no_row() -> None:
    words = sorted(
        {w for name in keywords.names() for l in keywords.load(name).lists.values() for w in l.words()}
    )
    whole = KeyedVectors(2)
    whole.add_vectors(words, np.ones((len(words), 2), dtype=np.float32))
    assert experiments.coverage_gaps({"whole": whole}).empty
