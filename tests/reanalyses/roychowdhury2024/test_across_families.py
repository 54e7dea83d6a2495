"""Comparison of isotropy and accuracy across families with direct computations."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import normalize

from isotropy_lab.isotropy import average_cosine, isoscore, partition_score_second_order
from isotropy_lab.transforms import Whitening
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets import family_scores as stored_scores
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.text_collections import collection
from reanalyses.roychowdhury2024.experiments.across_families import (
    family_correlations,
    family_scores,
    whitening_table,
)
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, some_variants


@pytest.fixture
def few():
    variants = some_variants()
    return {"MiniLM": variants[0], "FT": variants[6], "GloVe": variants[3]}


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
            ("Baseline", [normalize(x) for x in variant.documents]),
            ("Centered", [normalize(normalize(x) - normalize(x).mean(axis=0)) for x in variant.documents]),
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
    row = family_correlations(table).set_index("measure").loc["i_b"]
    y, one = table["accuracy"], table["family"] == "MiniLM"
    means = table.groupby("family")[["accuracy", "i_b"]].mean()
    assert row["r"] == pytest.approx(np.corrcoef(y, table["i_b"])[0, 1])
    assert row["minilm"] == pytest.approx(np.corrcoef(y[one], table["i_b"][one])[0, 1])
    r = np.corrcoef(means.T)[0, 1]
    assert row["between"] == pytest.approx(r)
    half = 1.959964 / np.sqrt(len(means) - 3)
    assert row["between_low"] == pytest.approx(np.tanh(np.arctanh(r) - half), abs=1e-6)
    assert row["between_high"] == pytest.approx(np.tanh(np.arctanh(r) + half), abs=1e-6)


def test_families_are_drawn_as_wholes():
    table = a_table()
    parts = [part[["i_a", "accuracy"]].to_numpy() for _, part in table.groupby("family")]
    found = []
    for draw in itertools.product(parts, repeat=len(parts)):
        rows = np.concatenate(draw)
        if len(np.unique(rows, axis=0)) > 1:  # else one encoder, again and again
            found.append(np.corrcoef(rows.T)[0, 1])
    row = family_correlations(table).set_index("measure").loc["i_a"]
    assert row[["low", "high"]].tolist() == pytest.approx(np.percentile(found, [2.5, 97.5]).tolist())


def skewed(shift):
    """Return documents and questions in a cone, with a separate mean of the questions."""
    rng = np.random.default_rng(0)
    documents = rng.standard_normal((600, 20)) * np.geomspace(1, 0.02, 20)
    questions = documents[:60] + 0.01 * rng.standard_normal((60, 20)) + shift * np.r_[np.zeros(19), 1.0]
    return EmbeddingVariant("skewed", "a", questions, (documents,), np.zeros(60, dtype=np.int64))


def test_whitening_magnifies_a_mean_of_the_questions_in_the_tail():
    of = {"near": skewed(0.0), "apart": skewed(0.3)}
    table = whitening_table(of, np.arange(60), sizes=(10, 30)).set_index("encoder")
    ways = ["plain", "whitened", "fitted_on_both", "raised", "questions_own_mean", "first_10"]
    assert table.columns.tolist() == [*ways, "common"]
    for name, variant in of.items():
        asked, documents = normalize(variant.questions), normalize(variant.documents[0])
        whitening = Whitening().fit(documents)
        moved, white = whitening.transform(asked), whitening.transform(documents)
        expected = {"plain": (asked, documents), "questions_own_mean": (moved - moved.mean(axis=0), white)}
        for way, fit in (
            ("whitened", whitening),
            ("fitted_on_both", Whitening().fit(np.vstack([documents, asked]))),
            ("raised", Whitening(floor=0.1).fit(documents)),
        ):
            expected[way] = (fit.transform(asked), fit.transform(documents))
        for way, (left, right) in expected.items():
            cosines = normalize(left) @ normalize(right).T
            found = (cosines > cosines.diagonal()[:, None]).sum(axis=1) < 10
            assert table[way][name] == pytest.approx(100 * found.mean()), way
        assert table["common"][name] == pytest.approx(60 * np.sum(moved.mean(axis=0) ** 2) / np.sum(moved**2))
    assert table["raised"]["apart"] > table["whitened"]["apart"]
    assert table["common"]["apart"] > 0.5 > table["common"]["near"]
    assert table["whitened"]["apart"] < table["questions_own_mean"]["apart"]
    assert table["whitened"]["apart"] < table["first_10"]["apart"]


def test_the_stored_scores_are_what_the_embeddings_give():
    stored = stored_scores.load().set_index(["encoder", "transform"])
    across = {name: encoders.load(name, "yang") for name in ("MiniLM", "SmolLM2")}
    ways = stored_scores.TRANSFORMATIONS
    found = family_scores(across, collection("yang").gold, transforms=tuple(ways))
    assert len(found) == len(across) * len(ways)
    for row, way in zip(found.itertuples(), [*ways.values()] * len(across), strict=True):
        kept = stored.loc[row.encoder, way]
        assert (row.accuracy, row.family) == (pytest.approx(kept["accuracy"]), kept["family"])
        assert (row.i_a, row.i_b) == pytest.approx((kept["i_a"], kept["i_b"]), rel=1e-6)
