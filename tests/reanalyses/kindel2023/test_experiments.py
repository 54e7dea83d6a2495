"""Tests of Table 1 and effect sizes against printed values, and of tidy tables against the metrics."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.association._weat import weat_effect_size
from isotropy_lab.association.canonical import canonical_similarity
from isotropy_lab.association.cosine import mean_cosine_similarity
from isotropy_lab.association.permutation import weat_permutation_test
from reanalyses.kindel2023 import experiments

SPACE = "googlenews-weat"


@pytest.fixture(scope="module")
def components() -> pd.DataFrame:
    return experiments.weat_components(SPACE)


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


def test_effect_sizes_are_those_published() -> None:
    tests = [f"weat-{i}" for i in (5, 6, 7, 8)]
    table = experiments.effect_sizes(SPACE, tests=tests)
    np.testing.assert_allclose(table["effect_size"], [0.72, 1.89, 0.97, 1.24], atol=0.005)
    np.testing.assert_allclose(table["difference"], table["effect_size"] - table["published"])
    lists = list(experiments.list_vectors(SPACE, "weat-6", spelling="tested").values())
    row = table.iloc[1]
    assert row["effect_size"] == weat_effect_size(*lists)
    assert row["p_value"] == weat_permutation_test(*lists).pvalue
    assert (row["count"], row["n_at_least"]) == (12_870, 1)
    glove = experiments.effect_sizes("glove-weat", tests=["weat-6"])
    assert glove["published"].tolist() == [1.81]


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


@pytest.fixture(scope="module")
def consistency() -> pd.DataFrame:
    return experiments.consistency_table(SPACE)


def naive_beaten(words: np.ndarray, q: int) -> int:
    """Return the q-word sublists that another sublist beats, one by one."""
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    means = {s: units[list(s)].mean(axis=0) for s in itertools.combinations(range(len(words)), q)}
    return sum(any(m @ n > m @ m + 1e-9 for n in means.values()) for m in means.values())


def test_counts_of_figure_s1_are_those_of_a_loop(consistency: pd.DataFrame) -> None:
    counts = experiments.consistency_counts(consistency)
    assert counts.loc["sublists"].tolist() == [8, 28, 56, 70, 56, 28, 8]
    labels = experiments.list_labels()
    for role, words in experiments.list_vectors(SPACE).items():
        assert counts.loc[labels[role]].tolist() == [naive_beaten(words, q) for q in range(1, 8)]


def test_means_between_lists_are_constant_or_fall_as_proved() -> None:
    table = experiments.between_list_summary(SPACE)
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
    glove = experiments.between_list_summary("glove-weat").query(
        "metric == 'canonical, scaled' and lists == 'male / pleasant'"
    )
    assert glove["mean"].iloc[4] < glove["mean"].iloc[0]


def test_consistency_falls_as_lists_grow() -> None:
    words = experiments.list_vectors(SPACE)["D"]
    table = experiments.expected_consistency_by_k(SPACE, "gender-sentiment", role="D", q=(3, 4))
    for q, part in table.groupby("q"):
        assert (part["expected_weak"].diff().dropna() <= 1e-12).all()
        expected = part.set_index("k")["expected_weak"]
        assert expected[8] == pytest.approx(1 - naive_beaten(words, q) / math.comb(8, q), abs=1e-12)
        shorter = [naive_beaten(np.delete(words, i, axis=0), q) for i in range(8)]
        assert expected[7] == pytest.approx(1 - np.mean(shorter) / math.comb(7, q), abs=1e-12)
