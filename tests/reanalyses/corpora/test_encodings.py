"""Tests that cached embeddings equal new ones and are used only for the same texts, options, and model."""

import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from reanalyses.corpora import MiniLM, cache_folder, cached_encoding, encodings
from reanalyses.corpora.minilm import _weights_folder

try:
    WEIGHTS = _weights_folder(None)
except FileNotFoundError:
    pytest.skip("the weights of MiniLM are not installed", allow_module_level=True)

TEXTS = ["A cat sat on the mat.", "Stress is a scalar.", "Yes."]


@pytest.fixture(scope="module")
def model():
    return MiniLM()


@pytest.fixture
def loaded_folders(monkeypatch, model):
    """Return a list that gets the folder of the weights whenever a model is loaded."""
    folders = []
    monkeypatch.setattr(encodings, "MiniLM", lambda folder=None: folders.append(folder) or model)
    return folders


@pytest.mark.parametrize("layers", [False, True])
def test_cached_embeddings_equal_fresh_ones(layers, model, loaded_folders, tmp_path):
    fresh = model.encode(TEXTS, layers=layers)
    for _ in range(3):
        np.testing.assert_array_equal(cached_encoding(TEXTS, layers=layers, cache=tmp_path), fresh)
    assert len(loaded_folders) == len(list(tmp_path.iterdir())) == 1


def test_each_texts_and_options_are_cached_separately(loaded_folders, tmp_path):
    calls = [
        (TEXTS, {}),
        (TEXTS[::-1], {}),
        (TEXTS[:2], {}),
        (["ab", "c"], {}),
        (["a", "bc"], {}),
        (["a", "bd"], {}),
        (TEXTS, {"layers": True}),
        (TEXTS, {"max_tokens": 100}),
    ]
    for texts, options in calls:
        cached_encoding(texts, cache=tmp_path, **options)
    assert len(loaded_folders) == len(calls) == len(list(tmp_path.iterdir()))


def test_cache_distinguishes_models_by_content(loaded_folders, tmp_path, monkeypatch):
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        shutil.copy(WEIGHTS / name, folder)
    cache = tmp_path / "cache"
    cached_encoding(TEXTS, cache=cache)
    monkeypatch.setattr(encodings, "_weights_folder", lambda _: folder)
    cached_encoding(TEXTS, cache=cache)
    assert len(loaded_folders) == 1  # the same bytes elsewhere are the same model
    with (folder / "config.json").open("a") as stream:
        stream.write("\n")
    cached_encoding(TEXTS, cache=cache)
    assert len(loaded_folders) == 2


@pytest.mark.parametrize("damage", ["truncated", "flipped", "empty"])
def test_damaged_cache_file_is_replaced(damage, loaded_folders, tmp_path):
    fresh = cached_encoding(TEXTS, cache=tmp_path)
    (file,) = tmp_path.iterdir()
    content = file.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 3] ^= 1
    file.write_bytes({"truncated": content[: len(content) // 2], "flipped": flipped, "empty": b""}[damage])
    for _ in range(2):
        np.testing.assert_array_equal(cached_encoding(TEXTS, cache=tmp_path), fresh)
        assert len(loaded_folders) == 2
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_cached_embeddings_repeat_truncation_warning(loaded_folders, tmp_path):
    for _ in range(2):
        with pytest.warns(UserWarning, match=r"1 of 2 texts have more than max_tokens = 16"):
            cached_encoding(["short text", "word " * 30], max_tokens=16, cache=tmp_path)
    assert len(loaded_folders) == 1


def test_unwritable_cache_folder_causes_a_warning(model, tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    with pytest.warns(UserWarning, match="not cached.*ISOTROPY_LAB_CACHE"):
        embeddings = cached_encoding(TEXTS, cache=file / "below")
    np.testing.assert_array_equal(embeddings, model.encode(TEXTS))


def test_environment_variable_moves_or_disables_cache(monkeypatch, tmp_path, loaded_folders):
    monkeypatch.setenv("ISOTROPY_LAB_CACHE", str(tmp_path / "moved"))
    cached_encoding(TEXTS)
    assert len(list((tmp_path / "moved").iterdir())) == 1
    monkeypatch.setenv("ISOTROPY_LAB_CACHE", "")
    assert cache_folder() is None
    cached_encoding(TEXTS)
    assert len(loaded_folders) == 2


@pytest.mark.parametrize(
    ("platform", "parts", "variable"),
    [
        ("linux", (".cache",), "XDG_CACHE_HOME"),
        ("darwin", ("Library", "Caches"), None),
        ("win32", ("AppData", "Local"), "LOCALAPPDATA"),
    ],
)
def test_default_cache_folder_depends_on_platform(platform, parts, variable, monkeypatch, tmp_path):
    for name in ("ISOTROPY_LAB_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path.joinpath(*parts, "isotropy-lab")
    if variable is not None:
        monkeypatch.setenv(variable, str(tmp_path / "other"))
        assert cache_folder() == tmp_path / "other" / "isotropy-lab"
    assert os.listdir(tmp_path) == []  # the query creates no folder
