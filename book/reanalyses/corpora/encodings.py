"""Sentence embeddings that are computed once and cached on disk."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from reanalyses.corpora import minilm
from reanalyses.corpora.minilm import MODEL_FILES, MiniLM, _texts, _weights_folder

FloatArray = npt.NDArray[np.float32]

CACHE_VARIABLE = "ISOTROPY_LAB_CACHE"
_FORMAT = 1


def cache_folder() -> Path | None:
    """Return the folder in which `cached_encoding` stores embeddings, or None if caching is disabled."""
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return Path(named).expanduser() if named.strip() else None
    if sys.platform == "win32":
        parent = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        parent = Path.home() / "Library" / "Caches"
    else:
        parent = Path(os.environ.get("XDG_CACHE_HOME", ""))
        parent = parent if parent.is_absolute() else Path.home() / ".cache"
    return parent / "isotropy-lab"


def cached_encoding(
    sentences: Iterable[str],
    *,
    layers: bool = False,
    normalize: bool = True,
    max_tokens: int = 256,
    cache: str | Path | None = None,
) -> FloatArray:
    """Return sentence embeddings computed by `MiniLM.encode`, or read from disk if they were computed before.

    A file is found by the SHA-256 of everything that determines the embeddings: the model's files, the encoder's
    code, the version of tokenizers, the options, and the texts in order. Only complete files are written, and none is
    ever removed. Cost: about 10 ms per sentence on one core to encode, and 10 µs to read.
    """
    texts = _texts(sentences)
    max_tokens = checks.check_integer(max_tokens, "max_tokens", low=3)
    weights = _weights_folder(None)
    folder = Path(cache) if cache is not None else cache_folder()
    key = _key(texts, weights, [bool(layers), bool(normalize), max_tokens])
    path = None if folder is None else folder / f"minilm-{key}.npz"

    found = None if path is None else _stored(path, len(texts), layers=layers)
    if found is None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            embeddings = MiniLM(weights).encode(
                texts, layers=layers, normalize=normalize, max_tokens=max_tokens
            )
        cut = "; ".join(str(warning.message) for warning in caught if warning.category is UserWarning)
        if path is not None:
            _store(path, embeddings, cut)
    else:
        embeddings, cut = found
    if cut:
        warnings.warn(cut, UserWarning, stacklevel=2)
    return embeddings


@lru_cache(maxsize=8)
def _file_hash(path: Path, size: int, modified: int) -> str:
    """Return the SHA-256 of a file; size and time are arguments so that the cache notices changed files."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _key(texts: list[str], weights: Path, options: list[bool | int]) -> str:
    files = [weights / name for name in MODEL_FILES] + [Path(minilm.__file__)]
    stats = [file.stat() for file in files]
    made_by = {
        "format": _FORMAT,
        "files": [_file_hash(f, s.st_size, s.st_mtime_ns) for f, s in zip(files, stats, strict=True)],
        "tokenizers": metadata.version("tokenizers"),
        "options": options,
    }
    digest = hashlib.sha256(json.dumps(made_by, sort_keys=True).encode())
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little"))  # so that ("ab", "c") and ("a", "bc") differ
        digest.update(content)
    return digest.hexdigest()


def _stored(path: Path, n_texts: int, *, layers: bool) -> tuple[FloatArray, str] | None:
    """Return the content of a file, or None if it is missing or damaged (zip stores a checksum of every member)."""
    try:
        with np.load(path, allow_pickle=False) as content:
            embeddings, cut = content["embeddings"], str(content["cut"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    whole = embeddings.ndim == (3 if layers else 2) and embeddings.shape[-2] == n_texts
    return (embeddings, cut) if whole and embeddings.dtype == np.float32 else None


def _store(path: Path, embeddings: FloatArray, cut: str) -> None:
    """Write a file completely or not at all; warn if the folder is not writable."""
    part: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A unique name prevents two processes that compute the same embeddings from writing to the same file.
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as stream:
            part = Path(stream.name)
            np.savez(stream, embeddings=embeddings, cut=np.array(cut))
        part.replace(path)
    except BaseException as error:
        if part is not None:
            part.unlink(missing_ok=True)
        if not isinstance(error, OSError):  # an interruption, for example
            raise
        warnings.warn(
            f"embeddings are not cached, because {path.parent} is not writable ({error}); set {CACHE_VARIABLE} to a "
            "writable folder, or leave it empty to cache nothing",
            UserWarning,
            stacklevel=3,
        )
