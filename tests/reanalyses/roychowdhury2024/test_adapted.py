"""Tests that the bundled embeddings are complete, match the texts, and separate training from scoring."""

import importlib
import json
from importlib import resources

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reanalyses.corpora import wikipedia_sentences, yang_definitions
from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings
from reanalyses.roychowdhury2024.datasets.questions import questions

adapted = importlib.import_module("reanalyses.roychowdhury2024.datasets.adapted")

DATA = resources.files("reanalyses.roychowdhury2024").joinpath("data")
RECORD = json.loads(DATA.joinpath("adapted.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def gold():
    return questions()["gold"].to_numpy()


@pytest.fixture(scope="module")
def loaded(gold):
    return {variant: adapted_embeddings(variant) for variant in ADAPTED_VARIANTS}


def test_the_texts_are_todays(gold):
    hashes = RECORD["texts"]
    of_runs = json.loads(DATA.joinpath("adapted-runs.json").read_text(encoding="utf-8"))["texts"]
    found = yang_definitions()["sentence"], questions()["question"]
    for name, texts in zip(("documents", "questions"), found, strict=True):
        assert hashes[name] == of_runs[name] == adapted.text_hash(texts.to_list())
    pytest.importorskip("gensim")
    assert hashes["agnostic"] == adapted.text_hash(wikipedia_sentences(**RECORD["settings"]["agnostic"]))


def test_shapes_and_lengths(loaded):
    for name, variant in loaded.items():
        assert variant.name == name
        assert variant.family == "adapted"
        assert len(variant.documents) == RECORD["variants"][name]["models"] == (1 if name == "PT" else 5)
        assert variant.questions.shape == (736, 384)
        assert variant.agnostic.shape == (600, 384)
        for rows in (variant.questions, variant.agnostic, *variant.documents):
            assert rows.dtype == np.float32
            assert rows.shape[1] == 384
            np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
        assert {len(rows) for rows in variant.documents} == {2288}


def test_ranks_are_those_of_the_record(loaded, gold):
    for name, variant in loaded.items():
        stated = RECORD["variants"][name]["rounding"]
        assert np.mean(variant.ranks(gold) <= 10) == pytest.approx(stated["accuracy_at_10_stored"], abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5), st.integers(0, 2**32))
def test_differences_are_undone_exactly(n, seed):
    rng = np.random.default_rng(seed)
    whole = [rng.integers(-127, 128, (4, 3)) for _ in range(n)]
    back = adapted.decode_differences(adapted.encode_differences(whole))
    for before, after in zip(whole, back, strict=True):
        np.testing.assert_array_equal(before, after)
