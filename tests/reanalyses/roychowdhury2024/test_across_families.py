"""Tests of isotropy and accuracy across families against direct computations."""

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
def encoders_by_name():
    variants = some_variants()
    return {"MiniLM": variants[0], "FT": variants[6], "GloVe": variants[3]}


def test_family_scores_equal_direct_computations(encoders_by_name):
    table = family_scores(encoders_by_name, GOLD, transforms=("baseline", "centered"))
    assert table["family"].tolist() == ["MiniLM"] * 4 + ["word vectors"] * 2
    assert table["transform"].tolist() == ["Baseline", "Centered"] * 3
    scores = table.set_index(["encoder", "transform"])
    baseline = table[table["transform"] == "Baseline"]["accuracy"].to_numpy().repeat(2)
    np.testing.assert_allclose(table["difference"], table["accuracy"] - baseline)
    for name, variant in encoders_by_name.items():
        assert scores["accuracy"][name, "Baseline"] == pytest.approx(100 * (variant.ranks(GOLD) <= 10).mean())
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
                assert scores[column][name, label] == pytest.approx(expected, abs=1e-9), (name, label, column)


def random_table(transforms=("Baseline",)):
    rng = np.random.default_rng(0)
    rows = []
    for transform in transforms:
        for i, family in enumerate(["MiniLM"] * 6 + ["b"] * 2 + ["c", "d"]):
            rows.append((f"e{i}", family, transform, *rng.random(4)))
    return pd.DataFrame(
        rows, columns=["encoder", "family", "transform", "accuracy", "i_a", "i_b", "average_cosine"]
    )


def test_family_correlations_equal_numpy():
    table = random_table()
    row = family_correlations(table).set_index("measure").loc["i_b"]
    y, is_minilm = table["accuracy"], table["family"] == "MiniLM"
    means = table.groupby("family")[["accuracy", "i_b"]].mean()
    assert row["r"] == pytest.approx(np.corrcoef(y, table["i_b"])[0, 1])
    assert row["minilm"] == pytest.approx(np.corrcoef(y[is_minilm], table["i_b"][is_minilm])[0, 1])
    r = np.corrcoef(means.T)[0, 1]
    assert row["between"] == pytest.approx(r)
    half = 1.959964 / np.sqrt(len(means) - 3)
    assert row["between_low"] == pytest.approx(np.tanh(np.arctanh(r) - half), abs=1e-6)
    assert row["between_high"] == pytest.approx(np.tanh(np.arctanh(r) + half), abs=1e-6)


def test_family_bootstrap_resamples_whole_families():
    table = random_table()
    families = [family[["i_a", "accuracy"]].to_numpy() for _, family in table.groupby("family")]
    correlations = []
    for draw in itertools.product(families, repeat=len(families)):
        rows = np.concatenate(draw)
        if len(np.unique(rows, axis=0)) > 1:  # otherwise one encoder, repeated
            correlations.append(np.corrcoef(rows.T)[0, 1])
    row = family_correlations(table).set_index("measure").loc["i_a"]
    assert row[["low", "high"]].tolist() == pytest.approx(np.percentile(correlations, [2.5, 97.5]).tolist())


def conical_variant(shift):
    """Return documents and questions in a cone, with a separate mean of the questions."""
    rng = np.random.default_rng(0)
    documents = rng.standard_normal((600, 20)) * np.geomspace(1, 0.02, 20)
    questions = documents[:60] + 0.01 * rng.standard_normal((60, 20)) + shift * np.r_[np.zeros(19), 1.0]
    return EmbeddingVariant("skewed", "a", questions, (documents,), np.zeros(60, dtype=np.int64))


def test_whitening_magnifies_a_question_mean_in_minor_axes():
    variants = {"near": conical_variant(0.0), "apart": conical_variant(0.3)}
    table = whitening_table(variants, np.arange(60), sizes=(10, 30)).set_index("encoder")
    columns = ["plain", "whitened", "fitted_on_both", "raised", "questions_own_mean", "first_10"]
    assert table.columns.tolist() == [*columns, "common"]
    for name, variant in variants.items():
        Q, D = normalize(variant.questions), normalize(variant.documents[0])
        whitening = Whitening().fit(D)
        WQ, WD = whitening.transform(Q), whitening.transform(D)
        expected = {"plain": (Q, D), "questions_own_mean": (WQ - WQ.mean(axis=0), WD)}
        for column, fit in (
            ("whitened", whitening),
            ("fitted_on_both", Whitening().fit(np.vstack([D, Q]))),
            ("raised", Whitening(floor=0.1).fit(D)),
        ):
            expected[column] = (fit.transform(Q), fit.transform(D))
        for column, (X, Y) in expected.items():
            cosines = normalize(X) @ normalize(Y).T
            hits = (cosines > cosines.diagonal()[:, None]).sum(axis=1) < 10
            assert table[column][name] == pytest.approx(100 * hits.mean()), column
        assert table["common"][name] == pytest.approx(60 * np.sum(WQ.mean(axis=0) ** 2) / np.sum(WQ**2))
    assert table["raised"]["apart"] > table["whitened"]["apart"]
    assert table["common"]["apart"] > 0.5 > table["common"]["near"]
    assert table["whitened"]["apart"] < table["questions_own_mean"]["apart"]
    assert table["whitened"]["apart"] < table["first_10"]["apart"]


def test_stored_scores_are_reproduced_from_embeddings():
    stored = stored_scores.load().set_index(["encoder", "transform"])
    variants = {name: encoders.load(name, "yang") for name in ("MiniLM", "SmolLM2")}
    transforms = stored_scores.TRANSFORMATIONS
    computed = family_scores(variants, collection("yang").gold, transforms=tuple(transforms))
    assert len(computed) == len(variants) * len(transforms)
    for row, transform in zip(computed.itertuples(), [*transforms.values()] * len(variants), strict=True):
        expected = stored.loc[row.encoder, transform]
        assert (row.accuracy, row.family) == (pytest.approx(expected["accuracy"]), expected["family"])
        assert (row.i_a, row.i_b) == pytest.approx((expected["i_a"], expected["i_b"]), rel=1e-6)
