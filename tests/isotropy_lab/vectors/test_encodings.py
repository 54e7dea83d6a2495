"""Embeddings on disk equal fresh ones, are found again, and never stand for other texts, options or models."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from isotropy_lab.vectors import MiniLM, cache_folder, cached_encoding, encodings
from isotropy_lab.vectors.minilm import _weights_folder

try:
    WEIGHTS = _weights_folder(None)
except FileNotFoundError:
    pytest.skip("the weights of MiniLM are not installed", allow_module_level=True)

TEXTS = ["A cat sat on the mat.", "Stress is a scalar.", "Yes."]
LONG = "word " * 30


@pytest.fixture(scope="module")
def model():
    return MiniLM()


@pytest.fixture
def computed(monkeypatch):
    """Count how often a model is made."""
    calls = []

    def counted(folder=None):
        calls.append(folder)
        return MiniLM(folder)

    monkeypatch.setattr(encodings, "MiniLM", counted)
    return calls


def test_layers_are_the_means_of_the_hidden_states(model):
    states = model.hidden_states(TEXTS, special_tokens=True)
    found = model.encode(TEXTS, layers=True, normalize=False)
    expected = [
        [layer[states.sentence == i].mean(axis=0, dtype=np.float64) for i in range(len(TEXTS))]
        for layer in states.layers
    ]
    assert found.shape == (7, 3, 384)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_array_equal(model.encode(TEXTS, layers=True)[-1], model.encode(TEXTS))
    np.testing.assert_allclose(np.linalg.norm(model.encode(TEXTS, layers=True), axis=2), 1, atol=1e-6)


@pytest.mark.parametrize("layers", [False, True])
def test_the_disk_gives_back_what_was_computed(layers, model, computed, tmp_path):
    fresh = model.encode(TEXTS, layers=layers)
    for _ in range(3):
        np.testing.assert_array_equal(cached_encoding(TEXTS, layers=layers, cache=tmp_path), fresh)
    assert len(computed) == 1
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("minilm-")
    assert file.suffix == ".npz"


def test_other_texts_or_options_are_computed(computed, tmp_path):
    calls = [
        (TEXTS, {}),
        (TEXTS[::-1], {}),
        (TEXTS[:2], {}),
        (["ab", "c"], {}),
        (["a", "bc"], {}),
        (TEXTS, {"normalize": False}),
        (TEXTS, {"layers": True}),
        (TEXTS, {"max_tokens": 100}),
    ]
    for texts, options in calls:
        cached_encoding(texts, cache=tmp_path, **options)
    assert len(computed) == len(calls) == len(list(tmp_path.iterdir()))


def test_another_model_is_not_mistaken(computed, tmp_path, monkeypatch):
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        shutil.copy(WEIGHTS / name, folder)
    cache = tmp_path / "cache"
    first = cached_encoding(TEXTS, cache=cache)
    monkeypatch.setattr(encodings, "_weights_folder", lambda _: folder)
    same = cached_encoding(TEXTS, cache=cache)
    assert len(computed) == 1  # the same bytes elsewhere are the same model
    with (folder / "config.json").open("a") as stream:
        stream.write("\n")
    cached_encoding(TEXTS, cache=cache)
    assert len(computed) == 2
    np.testing.assert_array_equal(first, same)


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "text", "shape"])
def test_a_damaged_file_is_computed_anew_and_replaced(damage, computed, tmp_path):
    fresh = cached_encoding(TEXTS, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    content = bytearray(file.read_bytes())
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "bit":
        content[len(content) // 3] ^= 1
    elif damage == "empty":
        content = b""
    elif damage == "text":
        content = b"not an archive"
    if damage == "shape":
        np.savez(file, embeddings=fresh[:2], cut=np.array(""))
    else:
        file.write_bytes(content)
    np.testing.assert_array_equal(cached_encoding(TEXTS, cache=tmp_path), fresh)
    assert len(computed) == 2
    np.testing.assert_array_equal(cached_encoding(TEXTS, cache=tmp_path), fresh)
    assert len(computed) == 2
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_cut_texts_are_reported_from_disk_too(computed, tmp_path):
    for _ in range(2):
        with pytest.warns(
            UserWarning, match=r"1 of 2 texts have more than max_tokens = 16 .* 16 tokens were not read"
        ):
            cached_encoding(["short text", LONG], max_tokens=16, cache=tmp_path)
    assert len(computed) == 1


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("one text", TypeError, "single str"),
        ([], ValueError, "sentences is empty"),
        (["a", " "], ValueError, r"sentences\[1\] is empty \(1 such\)"),
        (["a", 3], TypeError, r"sentences\[1\]"),
    ],
)
def test_bad_texts(texts, error, message, tmp_path):
    with pytest.raises(error, match=message):
        cached_encoding(texts, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_bad_options(tmp_path):
    with pytest.raises(ValueError, match="max_tokens is 600"):
        cached_encoding(TEXTS, max_tokens=600, cache=tmp_path)


def test_a_folder_that_cannot_be_written_to_costs_a_warning(model, tmp_path):
    file = tmp_path / "file"
    file.write_text("in the way")
    with pytest.warns(UserWarning, match="not kept.*ISOTROPY_LAB_CACHE"):
        found = cached_encoding(TEXTS, cache=file / "below")
    np.testing.assert_array_equal(found, model.encode(TEXTS))


def test_the_variable_moves_and_stops_the_cache(monkeypatch, tmp_path, computed):
    monkeypatch.setenv("ISOTROPY_LAB_CACHE", str(tmp_path / "moved"))
    assert cache_folder() == tmp_path / "moved"
    cached_encoding(TEXTS)
    assert len(list((tmp_path / "moved").iterdir())) == 1
    monkeypatch.setenv("ISOTROPY_LAB_CACHE", "")
    assert cache_folder() is None
    cached_encoding(TEXTS)
    assert len(computed) == 2


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_folder_follows_the_platform(platform, monkeypatch, tmp_path):
    monkeypatch.delenv("ISOTROPY_LAB_CACHE", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    parts = {"linux": (".cache",), "darwin": ("Library", "Caches"), "win32": ("AppData", "Local")}[platform]
    assert cache_folder() == tmp_path.joinpath(*parts, "isotropy-lab")
    if platform != "darwin":
        variable = {"linux": "XDG_CACHE_HOME", "win32": "LOCALAPPDATA"}[platform]
        monkeypatch.setenv(variable, str(tmp_path / "other"))
        assert cache_folder() == tmp_path / "other" / "isotropy-lab"
        assert not os.path.exists(cache_folder())
