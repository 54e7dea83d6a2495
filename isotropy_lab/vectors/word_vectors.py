"""Word vectors by name or from a file, as gensim's KeyedVectors."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.vectors._extras import require
from isotropy_lab.vectors._refusals import short
from isotropy_lab.vectors.archives import npz_array, npz_shapes
from isotropy_lab.vectors.bundled import _WORD_VECTORS, bundled_words
from isotropy_lab.vectors.formats import detect, existing_file
from isotropy_lab.vectors.limits import WORD_BYTES, Allowance
from isotropy_lab.vectors.word_files import (
    check_fasttext,
    read_glove,
    read_word2vec_binary,
    read_word2vec_text,
)

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_DOWNLOADER = "gensim-data:"
_WORDS_AT_ONCE = 1 << 12


def load_word_vectors(name_or_path: str | os.PathLike[str], *, limit: int | None = None) -> KeyedVectors:
    """Load word vectors: a bundled extract by name, a file, or a model of gensim's downloader.

    Parameters
    ----------
    name_or_path : str or path
        - A name of `available`: ``"googlenews-weat"``, ``"googlenews-pool"``, ``"glove-weat"``,
          ``"glove-pool"``. These need no network.
        - A file, whose format is told from its content: word2vec text or binary, GloVe text (no header), fastText
          ``.vec`` or ``.bin``, each also gzipped if it is text, or an ``.npz`` with arrays ``words`` and
          ``vectors``.
        - ``"gensim-data:"`` and a name of gensim's downloader, such as ``"gensim-data:glove-wiki-gigaword-50"``.
          The prefix is there so that nothing is downloaded unasked. gensim runs a loader that it downloads with
          the data.
    limit : int, optional
        Read the first `limit` words only (files are mostly in order of frequency). Not for fastText ``.bin``.

    Returns
    -------
    gensim.models.KeyedVectors
        float32; words in the order of the file. ``vectors["word"]`` is a row, ``vectors.vectors`` the (N, n) array.

    Raises
    ------
    ValueError
        For an unknown name (with near spellings and what exists); a truncated file, a ragged row, a header that
        does not fit, a repeated word, NaN or infinity (with file and line or word); a pickle, which includes
        gensim's own ``.kv`` and ``.model`` files (never unpickled; the message says what to save instead); what is
        out of proportion, as for `read`.
    TypeError
        For a `name_or_path` that is neither a name nor a path, a `limit` that is no integer.
    FileNotFoundError, IsADirectoryError
        For a path without a file.
    ImportError
        Without gensim (extra ``text``).

    Warns
    -----
    UserWarning
        If text does not end with a line break: nothing else tells that a file was cut inside its last number.

    Notes
    -----
    Text takes about 50 µs a row of 300 numbers. `available` says which bundled vectors keep their lengths,
    `provenance` where they come from.

    Examples
    --------
    >>> vectors = load_word_vectors("googlenews-weat")
    >>> vectors.vectors.shape
    (365, 300)
    >>> round(float(vectors.similarity("flute", "clarinet")), 2)
    0.78
    """
    if limit is not None:
        limit = _checks.check_integer(limit, "limit", low=1)
    if isinstance(name_or_path, str) and name_or_path:
        if name_or_path in _WORD_VECTORS:
            words, vectors = bundled_words(name_or_path)
            return _keyed(words[:limit], vectors[:limit])
        if name_or_path.startswith(_DOWNLOADER):
            return _download(name_or_path.removeprefix(_DOWNLOADER), limit)
        if not os.path.exists(name_or_path) and os.sep not in name_or_path and not Path(name_or_path).suffix:
            raise ValueError(_unknown(name_or_path))
    return _from_file(existing_file(name_or_path, "name_or_path"), limit)


def _from_file(path: Path, limit: int | None) -> KeyedVectors:
    kind = detect(path)
    if kind == "word2vec-text":
        return _keyed(*read_word2vec_text(path, limit=limit))
    if kind == "word2vec-binary":
        return _keyed(*read_word2vec_binary(path, limit=limit))
    if kind == "glove":
        return _keyed(*read_glove(path, limit=limit))
    if kind == "fasttext-binary":
        return _fasttext(path, limit)
    if kind == "npz":
        return _from_npz(path, limit)
    raise ValueError(
        f"{path} holds numbers without words ({kind}); expected word2vec, GloVe, fastText or an .npz with words and "
        "vectors. For plain numbers use isotropy_lab.vectors.read"
    )


def _keyed(words: list[str], vectors: npt.NDArray[np.float32]) -> KeyedVectors:
    """Return the vectors themselves with their words; gensim's own way of adding them copies both."""
    keyed = require("gensim.models", "load_word_vectors").KeyedVectors(vectors.shape[1])
    keyed.vectors = vectors
    keyed.index_to_key = words
    keyed.key_to_index = {word: i for i, word in enumerate(words)}
    keyed.next_index = len(words)
    return keyed


def _fasttext(path: Path, limit: int | None) -> KeyedVectors:
    if limit is not None:
        raise ValueError(f"limit is {limit}, and {path} is a fastText .bin, which can only be read whole")
    check_fasttext(path)
    try:
        vectors = require("gensim.models.fasttext", "load_word_vectors").load_facebook_vectors(str(path))
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # gensim meets a damaged file with whatever error comes first
        raise ValueError(
            f"{path} is a fastText .bin that gensim cannot read ({type(error).__name__}: {short(str(error))}); is it truncated?"
        ) from error
    if not np.isfinite(vectors.vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors.vectors).all(axis=1))[0])
        raise ValueError(f"{path}: the vector of {vectors.index_to_key[row]!r} is not finite")
    return vectors


def _from_npz(path: Path, limit: int | None) -> KeyedVectors:
    shapes = npz_shapes(path)
    for name in ("words", "vectors"):
        if name not in shapes:
            raise ValueError(f"{path} holds no array {name!r}; it holds {short(', '.join(shapes))}")
    if len(shapes["words"]) == 1 and shapes["vectors"][:1] != shapes["words"]:
        count = shapes["vectors"][0] if shapes["vectors"] else 1
        raise ValueError(f"{path}: {shapes['words'][0]} words and {count} vectors; expected as many")
    names = _npz_words(path)
    vectors = npz_array(path, "vectors", dtype="<f4", taken=WORD_BYTES * len(names))
    points = _checks.as_points(vectors, f"vectors in {path} as float32").astype(np.float32, copy=False)
    return _keyed(names[:limit], points[:limit])


def _npz_words(path: Path) -> list[str]:
    words = npz_array(path, "words")
    if words.dtype.kind != "U" or words.ndim != 1:
        raise ValueError(f"{path}: words is {_checks.describe(words)}; expected a vector of text (dtype U)")
    letters = np.ascontiguousarray(words).view(np.uint32 if words.dtype.isnative else ">u4")
    allowance = Allowance(path, compressed=True, advice="save the words as a word2vec text file")
    names: dict[str, None] = {}
    for start in range(0, len(words), _WORDS_AT_ONCE):
        wide = words.dtype.itemsize // 4
        some = letters[start * wide : (start + _WORDS_AT_ONCE) * wide]
        if len(some) and (int(some.max()) > 0x10FFFF or bool(((some >= 0xD800) & (some < 0xE000)).any())):
            raise ValueError(f"{path} is damaged: words holds what is no text")
        for word in words[start : start + _WORDS_AT_ONCE].tolist():
            if word in names:
                raise ValueError(
                    f"{path}: the word {short(word)!r} stands there more than once; expected every word once"
                )
            names[word] = None
        allowance.check(words.nbytes, n_words=len(names))
    return list(names)


def _download(name: str, limit: int | None) -> KeyedVectors:
    if limit is not None:
        raise ValueError(f"limit is {limit}; gensim's downloader reads a model whole: leave limit out")
    downloader = require("gensim.downloader", "load_word_vectors")
    try:
        known = list(downloader.info()["models"])
    except OSError as error:
        raise ConnectionError(
            f"gensim's list of models cannot be had ({error}). Without a network use a bundled name "
            f"({', '.join(_WORD_VECTORS)}) or a file"
        ) from error
    if name not in known:
        raise ValueError(f"name_or_path: gensim's downloader has no model {name!r}{_near(name, known)}")
    loaded: Any = downloader.load(name)
    keyed_vectors = require("gensim.models", "load_word_vectors").KeyedVectors
    if not isinstance(loaded, keyed_vectors):
        raise ValueError(f"gensim's {name!r} is a {type(loaded).__name__}; expected word vectors")
    return loaded


def _unknown(name: str) -> str:
    return (
        f"name_or_path is {name!r}, which is neither a bundled name nor a file{_near(name, list(_WORD_VECTORS))}. "
        f"Bundled: {', '.join(_WORD_VECTORS)}. Else expected a path, or {_DOWNLOADER!r} and a name of gensim's downloader"
    )


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    return f"; near it: {', '.join(near)}" if near else ""
