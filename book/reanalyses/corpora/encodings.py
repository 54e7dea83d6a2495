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
from reanalyses.corpora.minilm import MODEL_FILES, MiniLM, _check_texts, _weights_folder

FloatArray = npt.NDArray[np.float32]

CACHE_VARIABLE = "ISOTROPY_LAB_CACHE"
_FORMAT_VERSION = 2


def cache_folder() -> Path | None:
    """Return the folder in which `cached_encoding` stores embeddings, or None if caching is disabled."""
    value = os.environ.get(CACHE_VARIABLE)
    if value is not None:
        return Path(value).expanduser() if value.strip() else None
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
    max_tokens: int = 256,
    cache: str | Path | None = None,
) -> FloatArray:
    """Return sentence embeddings from `MiniLM.encode`, or from the cache if they were computed before.

    A file is found by the SHA-256 of everything that determines the embeddings: the model's files, the encoder's
    code, the version of tokenizers, the options, and the texts in order. Only complete files are written, and none is
    ever removed. Cost: about 10 ms per sentence on one core to encode, and 10 µs to read.
    """
    texts = _check_texts(sentences)
    max_tokens = checks.check_integer(max_tokens, "max_tokens", low=3)
    weights = _weights_folder(None)
    folder = Path(cache) if cache is not None else cache_folder()
    key = _cache_key(texts, weights, [bool(layers), max_tokens])
    path = None if folder is None else folder / f"minilm-{key}.npz"

    cached = None if path is None else _read_cached(path)
    if cached is None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            embeddings = MiniLM(weights).encode(texts, layers=layers, max_tokens=max_tokens)
        message = "; ".join(str(warning.message) for warning in caught if warning.category is UserWarning)
        if path is not None:
            _write_cached(path, embeddings, message)
    else:
        embeddings, message = cached
    if message:
        warnings.warn(message, UserWarning, stacklevel=2)
    return embeddings


@lru_cache(maxsize=8)
def _file_hash(path: Path, size: int, modified: int) -> str:
    """Return the SHA-256 of a file; size and time are arguments, so that a changed file is hashed again."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _cache_key(texts: list[str], weights: Path, options: list[bool | int]) -> str:
    files = [weights / name for name in MODEL_FILES] + [Path(minilm.__file__)]
    stats = [file.stat() for file in files]
    settings = {
        "format": _FORMAT_VERSION,
        "files": [_file_hash(f, s.st_size, s.st_mtime_ns) for f, s in zip(files, stats, strict=True)],
        "tokenizers": metadata.version("tokenizers"),
        "options": options,
    }
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little"))  # so that ("ab", "c") and ("a", "bc") differ
        digest.update(content)
    return digest.hexdigest()


def _read_cached(path: Path) -> tuple[FloatArray, str] | None:
    """Return the embeddings and the warning in a file, or None if the file is missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as content:
            embeddings, message = content["embeddings"], str(content["cut"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    return embeddings, message


def _write_cached(path: Path, embeddings: FloatArray, message: str) -> None:
    """Write a complete file or none; warn if the folder is not writable."""
    partial_file: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A unique name prevents two processes that compute the same embeddings from writing to the same file.
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as stream:
            partial_file = Path(stream.name)
            np.savez(stream, embeddings=embeddings, cut=np.array(message))
        partial_file.replace(path)
    except BaseException as error:
        if partial_file is not None:
            partial_file.unlink(missing_ok=True)
        if not isinstance(error, OSError):  # an interruption, for example
            raise
        warnings.warn(
            f"embeddings are not cached, because {path.parent} is not writable ({error}); set {CACHE_VARIABLE} to a "
            "writable folder, or leave it empty to cache nothing",
            UserWarning,
            stacklevel=3,
        )
