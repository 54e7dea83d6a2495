"""Isotropy and accuracy across families: scores against direct ones, correlations against NumPy's."""

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.isotropy import average_cosine, isoscore, partition_score_second_order
from reanalyses.roychowdhury2024.experiments import across_families
from reanalyses.roychowdhury2024.experiments.across_families import family_correlations, family_scores
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, some_variants


@pytest.fixture
def few():
    variants = some_variants()
    return {"MiniLM": variants[0], "FT": variants[6], "GloVe": variants[3]}


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def test_scores_of_every_encoder_under_every_transformation(few):
    table = family_scores(few, GOLD, transforms=("baseline", "centered"))
    assert table["family"].tolist() == ["MiniLM"] * 4 + ["word vectors"] * 2
    assert table["transform"].tolist() == ["Baseline", "Centered"] * 3
    of = table.set_index(["encoder", "transform"])
    plain = table[table["transform"] == "Baseline"]["accuracy"].to_numpy().repeat(2)
    np.testing.assert_allclose(table["difference"], table["accuracy"] - plain)
    for name, variant in few.items():
        assert of["accuracy"][name, "Baseline"] == pytest.approx(100 * (variant.ranks(GOLD) <= 10).mean())
        for label, rows in (
            ("Baseline", [unit(x) for x in variant.documents]),
            ("Centered", [unit(unit(x) - unit(x).mean(axis=0)) for x in variant.documents]),
        ):
            for column, score in (
                ("i_a", partition_score_second_order),
                ("i_b", isoscore),
                ("average_cosine", average_cosine),
            ):
                expected = np.mean([score(x) for x in rows])
                assert of[column][name, label] == pytest.approx(expected, abs=1e-9), (name, label, column)


def a_table(transforms=("Baseline",)):
    rng = np.random.default_rng(0)
    rows = []
    for transform in transforms:
        for i, family in enumerate(["MiniLM"] * 6 + ["b"] * 2 + ["c", "d"]):
            rows.append((f"e{i}", family, transform, *rng.random(4)))
    return pd.DataFrame(
        rows, columns=["encoder", "family", "transform", "accuracy", "i_a", "i_b", "average_cosine"]
    )


def test_correlations_are_those_of_numpy():
    table = a_table()
    found = family_correlations(table).set_index(["measure", "rows"])
    y = table["accuracy"]
    one = table["family"] == "MiniLM"
    means = table.groupby("family")[["accuracy", "i_b"]].mean()
    rest = table[["accuracy", "i_b"]] - table.groupby("family")[["accuracy", "i_b"]].transform("mean")
    for rows, r, n in (
        ("all encoders", np.corrcoef(y, table["i_b"])[0, 1], 10),
        ("MiniLM and its adaptations", np.corrcoef(y[one], table["i_b"][one])[0, 1], 6),
        ("between families", np.corrcoef(means.T)[0, 1], 4),
        ("within families", np.corrcoef(rest.T)[0, 1], 7),
    ):
        row = found.loc[("i_b", rows)]
        assert row["r"] == pytest.approx(r), rows
        assert row["n"] == n
        half = 1.959964 / np.sqrt(n - 3)
        assert row["low"] == pytest.approx(np.tanh(np.arctanh(r) - half), abs=1e-6), rows
        assert row["high"] == pytest.approx(np.tanh(np.arctanh(r) + half), abs=1e-6), rows


def test_families_may_run_against_the_whole():
    # In each family the better encoder is the more isotropic one; over all of them it is the other way round.
    steps = np.arange(4) / 10
    table = pd.concat(
        pd.DataFrame({"family": family, "i_a": start + steps, "accuracy": 3 - start + steps**1.01})
        for family, start in (("MiniLM", 0), ("b", 1), ("c", 2), ("d", 3))
    )
    table = table.assign(transform="Baseline", encoder="e", i_b=table["i_a"], average_cosine=0.0)
    found = family_correlations(table).set_index(["measure", "rows"])["r"]
    assert found["i_a", "within families"] > 0.99
    assert found["i_a", "all encoders"] < -0.9
    assert found["i_a", "between families"] < -0.99
    assert "average_cosine" not in found.index.get_level_values(0)  # it does not vary


def test_over_transformations_encoders_are_drawn_as_wholes():
    table = a_table(("Baseline", "Whitened"))
    found = family_correlations(table).set_index(["transform", "measure", "rows"])
    row = found.loc[("all", "i_a", "all encoders")]
    assert row["r"] == pytest.approx(np.corrcoef(table["accuracy"], table["i_a"])[0, 1])
    assert row["n"] == 20
    rest = table[["accuracy", "i_a"]] - table.groupby("transform")[["accuracy", "i_a"]].transform("mean")
    within = found.loc[("all", "i_a", "within transformations")]
    assert within["r"] == pytest.approx(np.corrcoef(rest.T)[0, 1])
    assert within["n"] == 10


def test_adapted_encoders_are_of_the_family_that_they_come_from():
    assert across_families.family_of("PT-FT") == across_families.family_of("MiniLM") == "MiniLM"
    assert across_families.family_of("word2vec") == "word vectors"
