"""Tests that bundled embeddings of several families are complete, match the texts, and state rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isotropy_lab.retrieval import answer_ranks
from reanalyses.roychowdhury2024.datasets.adapted import text_hash
from reanalyses.roychowdhury2024.datasets.encoders import (
    ENCODERS,
    PLACED,
    dequantize,
    encoder_provenance,
    load,
    quantize,
)
from reanalyses.roychowdhury2024.datasets.text_collections import COLLECTIONS, collection

DIMENSIONS = {"USE": 512, "GloVe": 100, "word2vec": 300, "SmolLM2": 576}


def accuracy_at_10(variant, gold):
    """Return accuracy@10 by the highest-ranked answer of each question."""
    most = max(map(len, gold))
    filled = np.array([[*places, *[places[0]] * (most - len(places))] for places in gold])
    documents = variant.documents[0]
    ranks = [answer_ranks(variant.questions, documents, column) for column in filled.T]
    return np.mean(np.min(ranks, axis=0) <= 10)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("name", COLLECTIONS)
def test_shapes_lengths_and_ranks(encoder, name):
    texts = collection(name)
    for placed in [False, True] if encoder in PLACED else [False]:
        found = load(encoder, name, placed=placed)
        assert (found.name, found.family) == (encoder, ENCODERS[encoder])
        n = DIMENSIONS.get(encoder, 384)
        assert found.questions.shape == (len(texts.questions), n)
        for rows in (found.questions, *found.documents):
            assert rows.dtype == np.float32
            np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
        assert {rows.shape for rows in found.documents} == {(len(texts.documents), n)}
        if len(found.documents) == 1 and not (encoder == "PT" and name == "yang"):
            stated = encoder_provenance(encoder)["rounding"][f"{name}/{'placed' if placed else 'documents'}"]
            assert accuracy_at_10(found, texts.gold) == pytest.approx(
                stated["accuracy_at_10_stored"], abs=1e-6
            )


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_record_says_where_the_embeddings_come_from(encoder):
    record = encoder_provenance(encoder)
    assert record["package"]["version"] in record["version"]
    assert record["license"].startswith("embeddings: MIT")
    assert record["model"] in record["source"]
    for key, expected in record["texts"].items():
        name, kind = key.split("/")
        assert text_hash(list(getattr(collection(name), kind))) == expected


def test_minilm_is_the_encoder_that_the_package_has():
    """The first questions, encoded anew."""
    pytest.importorskip("tokenizers")
    from reanalyses.corpora import MiniLM

    try:
        model = MiniLM()
    except FileNotFoundError:
        pytest.skip("the weights of MiniLM are not installed")
    for name in COLLECTIONS:
        texts, found, placed = collection(name), load("MiniLM", name), load("MiniLM", name, placed=True)
        for text, rows in (
            (texts.questions, found.questions),
            (texts.documents, found.documents[0]),
            (texts.placed, placed.documents[0]),
        ):
            cosines = np.sum(model.encode(text[:3]) * rows[:3], axis=1)
            assert cosines.min() > 0.999


def test_word_means_are_those_of_the_bundled_glove_vectors_where_these_know_all_words():
    """10,000 of the vocabulary's words are bundled with the package."""
    import re

    from isotropy_report.io import load_word_vectors

    vectors = load_word_vectors("glove-pool")
    texts, rows = collection("yang").documents, load("GloVe", "yang").documents[0]
    checked = 0
    for text, row in zip(texts, rows, strict=True):
        words = [word.lower() for word in re.findall("[A-Za-z0-9]+", text)]
        if words and all(word in vectors.key_to_index for word in words):
            mean = np.mean([vectors[word] for word in words], axis=0, dtype=np.float64)
            assert row @ mean / np.linalg.norm(mean) > 0.998
            checked += 1
    assert checked > 50


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.float64, (7, 4), elements=st.floats(-3, 3)).filter(
        lambda x: (np.linalg.norm(x, axis=1) > 0.1).all()
    )
)
def test_coding_keeps_columns_to_half_a_step(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    stored = quantize(rows)
    assert stored["codes"].dtype == np.int8
    back = stored["codes"] * stored["step"].astype(np.float64) + stored["offset"]
    assert (np.abs(back - unit) <= 0.5 * stored["step"] + 1e-6).all()
    assert (np.sum(dequantize(stored) * unit, axis=1) > 0.99).all()
