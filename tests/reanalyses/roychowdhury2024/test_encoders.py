"""Tests that stored embeddings are complete, match the texts, and are accurate within rounding."""

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
    n_answers = max(map(len, gold))
    padded = np.array([[*answers, *[answers[0]] * (n_answers - len(answers))] for answers in gold])
    documents = variant.documents[0]
    ranks = [answer_ranks(variant.questions, documents, column) for column in padded.T]
    return np.mean(np.min(ranks, axis=0) <= 10)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("name", COLLECTIONS)
def test_embeddings_have_expected_shapes_norms_and_accuracy(encoder, name):
    texts = collection(name)
    for placed in [False, True] if encoder in PLACED else [False]:
        variant = load(encoder, name, placed=placed)
        assert (variant.name, variant.family) == (encoder, ENCODERS[encoder])
        n = DIMENSIONS.get(encoder, 384)
        assert variant.questions.shape == (len(texts.questions), n)
        for rows in (variant.questions, *variant.documents):
            assert rows.dtype == np.float32
            np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
        assert {rows.shape for rows in variant.documents} == {(len(texts.documents), n)}
        if len(variant.documents) == 1 and not (encoder == "PT" and name == "yang"):
            record = encoder_provenance(encoder)["rounding"][f"{name}/{'placed' if placed else 'documents'}"]
            assert accuracy_at_10(variant, texts.gold) == pytest.approx(
                record["accuracy_at_10_stored"], abs=1e-6
            )


@pytest.mark.parametrize("encoder", ENCODERS)
def test_record_states_provenance_of_embeddings(encoder):
    record = encoder_provenance(encoder)
    assert record["package"]["version"] in record["version"]
    assert record["license"].startswith("embeddings: MIT")
    assert record["model"] in record["source"]
    for key, expected in record["texts"].items():
        name, kind = key.split("/")
        assert text_hash(list(getattr(collection(name), kind))) == expected


def test_stored_minilm_rows_equal_new_encodings():
    pytest.importorskip("tokenizers")
    from reanalyses.corpora import MiniLM

    try:
        model = MiniLM()
    except FileNotFoundError:
        pytest.skip("the weights of MiniLM are not installed")
    for name in COLLECTIONS:
        texts, stored, placed = collection(name), load("MiniLM", name), load("MiniLM", name, placed=True)
        for text, rows in (
            (texts.questions, stored.questions),
            (texts.documents, stored.documents[0]),
            (texts.placed, placed.documents[0]),
        ):
            cosines = np.sum(model.encode(text[:3]) * rows[:3], axis=1)
            assert cosines.min() > 0.999


def test_glove_rows_equal_means_of_word_vectors():
    """Only texts whose words are all among the 10,000 stored vectors are compared."""
    import re

    from isotropy_report.io import load_word_vectors

    vectors = load_word_vectors("glove-pool")
    texts, rows = collection("yang").documents, load("GloVe", "yang").documents[0]
    n_checked = 0
    for text, row in zip(texts, rows, strict=True):
        words = [word.lower() for word in re.findall("[A-Za-z0-9]+", text)]
        if words and all(word in vectors.key_to_index for word in words):
            mean = np.mean([vectors[word] for word in words], axis=0, dtype=np.float64)
            assert row @ mean / np.linalg.norm(mean) > 0.998
            n_checked += 1
    assert n_checked > 50


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.float64, (7, 4), elements=st.floats(-3, 3)).filter(
        lambda x: (np.linalg.norm(x, axis=1) > 0.1).all()
    )
)
def test_coding_error_is_at_most_half_a_step(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    encoded = quantize(rows)
    assert encoded["codes"].dtype == np.int8
    restored = encoded["codes"] * encoded["step"].astype(np.float64) + encoded["offset"]
    assert (np.abs(restored - unit) <= 0.5 * encoded["step"] + 1e-6).all()
    assert (np.sum(dequantize(encoded) * unit, axis=1) > 0.99).all()
