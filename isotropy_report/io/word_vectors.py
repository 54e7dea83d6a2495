"""Words with their vectors, from a bundled extract or a file."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_report._options import short
from isotropy_report.io.archives import npz_array, npz_shapes
from isotropy_report.io.arrays import OPTIONS, check_options_apply, read_named
from isotropy_report.io.bundled import NAMES, data_file
from isotropy_report.io.formats import detect, existing_file
from isotropy_report.io.limits import Allowance, raise_limits
from isotropy_report.io.lists import ID_NAMES, similar_names
from isotropy_report.io.word_files import READERS, read_words

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

_N_COMPARED = 5_000  # words with the same first letter to compare with a missing word


class WordVectors:
    """Words and their vectors, as returned by `load_word_vectors`.

    ``len(vectors)`` is the number of words, and iteration yields the words. The attributes have the same
    names as in gensim's KeyedVectors.

    Parameters
    ----------
    words : iterable of str
        One word for each row, without repeats.
    vectors : array of shape (N, n)
        Finite real numbers; float32 and float64 are not copied.

    Attributes
    ----------
    index_to_key : list of str
        The words.
    key_to_index : dict
        Word → row.
    vectors : numpy.ndarray
        A read-only view of shape (N, n).

    Raises
    ------
    TypeError, ValueError
        If a word is not a string; if words are repeated, their number is not N, or a row is not finite.

    Examples
    --------
    >>> vectors = WordVectors(["cat", "dog"], [[1.0, 2.0], [3.0, 4.0]])
    >>> vectors["dog"]
    array([3., 4.])
    >>> vectors[["dog", "cat"]].shape, "cow" in vectors
    ((2, 2), False)
    """

    def __init__(self, words: Iterable[str], vectors: Any) -> None:
        if isinstance(words, str):
            raise TypeError(f"words is {checks.describe(words)}; expected a list of words")
        array: npt.NDArray[Any] = checks.as_points(vectors, "vectors").view()
        self.index_to_key = list(words)
        self.key_to_index: dict[str, int] = {}
        if len(self.index_to_key) != len(array):
            raise ValueError(
                f"words has {len(self.index_to_key)} words, but vectors has {len(array)} rows; expected a "
                "word for each row"
            )
        for row, word in enumerate(self.index_to_key):
            if not isinstance(word, str):
                raise TypeError(f"words[{row}] is {checks.describe(word)}; expected a str")
            if self.key_to_index.setdefault(word, row) != row:
                raise ValueError(f"words contains {short(word)!r} more than once; expected each word once")
        array.flags.writeable = False
        self.vectors = array

    def __getitem__(self, words: str | Iterable[str]) -> npt.NDArray[Any]:
        """Return the vector of a word, or the rows of several words; KeyError suggests similar words."""
        rows = self._row(words) if isinstance(words, str) else [self._row(word) for word in words]
        return np.asarray(self.vectors[rows])

    def _row(self, word: str) -> int:
        try:
            return self.key_to_index[word]
        except KeyError:
            first = str(word)[:1].lower()
            candidates = (key for key in self.key_to_index if key[:1].lower() == first)
            suggestion = similar_names(str(word), itertools.islice(candidates, _N_COMPARED))
            raise KeyError(f"{short(str(word))!r} is not among the {len(self):,} words{suggestion}") from None

    def __contains__(self, word: object) -> bool:
        return word in self.key_to_index

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.index_to_key)

    def __repr__(self) -> str:
        return f"WordVectors({len(self):,} words in {self.vectors.shape[1]} dimensions)"

    @classmethod
    def from_gensim(cls, keyed: KeyedVectors) -> WordVectors:
        """Return the words and the array of gensim's KeyedVectors, without fastText n-grams."""
        if not (hasattr(keyed, "index_to_key") and hasattr(keyed, "vectors")):
            raise TypeError(f"keyed is {checks.describe(keyed)}; expected gensim's KeyedVectors")
        return cls(keyed.index_to_key, keyed.vectors)


def load_word_vectors(
    name_or_path: str | os.PathLike[str],
    *,
    limit: int | None = None,
    column: str | None = None,
    max_bytes: int | None = None,
) -> WordVectors:
    """Load word vectors from a bundled extract, by name, or from a file; nothing is ever downloaded.

    Parameters
    ----------
    name_or_path : str or path
        glove-weat, glove-pool, or a file: word2vec text or binary, GloVe text (no header), or fastText
        ``.vec``, each optionally gzipped; an ``.npz`` with arrays ``words`` and ``vectors``; or JSON Lines or
        Parquet with lists and a key ``id``, ``_id``, ``key``, ``word``, or ``name``.
    limit : int, optional
        Read only the first `limit` words (most files are sorted by frequency).
    column, max_bytes : str, int, optional
        As in `read`.

    Returns
    -------
    WordVectors
        The vectors in float32, with words in file order.

    Raises
    ------
    ValueError
        If the name is unknown; if the file is truncated, has a ragged row, a wrong header, a repeated word,
        NaN, or infinity, or exceeds the limits (see `read`); or if it is a pickle, such as gensim's ``.kv``
        and ``.model`` (never unpickled).
    TypeError, FileNotFoundError, IsADirectoryError
        If an argument has the wrong type, the file does not exist, or it is a folder, respectively.

    Warns
    -----
    UserWarning
        If text does not end with a newline, the only sign that a file may be cut off inside its last number.

    Notes
    -----
    Text takes about 50 µs per row of 300 numbers. Each bundled file comes with a record of its source. For
    vectors that gensim downloads or reads from fastText ``.bin``, use ``WordVectors.from_gensim(…)``.

    Examples
    --------
    >>> vectors = load_word_vectors("glove-weat")
    >>> vectors
    WordVectors(387 words in 100 dimensions)
    >>> vectors["flute"].shape
    (100,)
    """
    if limit is not None:
        limit = checks.check_integer(limit, "limit", low=1)
    if isinstance(name_or_path, str) and name_or_path:
        if name_or_path in NAMES:
            return _from_npz(data_file(f"{name_or_path}.npz"), limit)
        if not os.path.exists(name_or_path) and os.sep not in name_or_path and not Path(name_or_path).suffix:
            raise ValueError(
                f"name_or_path is {name_or_path!r}, which is neither a bundled name nor a file"
                f"{similar_names(name_or_path, NAMES)}; expected {', '.join(NAMES)}, or the path of a file"
            )
    path = existing_file(name_or_path, "name_or_path")
    with raise_limits(max_bytes):
        return _load_file(path, limit, column)


def _load_file(path: Path, limit: int | None, column: str | None) -> WordVectors:
    file_format = detect(path)
    if file_format in ("jsonl", "parquet"):
        return _from_lists(path, limit, column)
    check_options_apply(path, file_format, dict.fromkeys(OPTIONS) | {"column": column})
    if file_format in READERS:
        vectors, names = read_words(path, file_format, limit=limit)
        return WordVectors(names or (), vectors)
    if file_format == "npz":
        return _from_npz(path, limit)
    raise ValueError(
        f"{path} contains numbers without words ({file_format}); expected word2vec, GloVe, or fastText, or "
        "an .npz file with words and vectors (isotropy_report.io.read reads numbers without words)"
    )


def _from_lists(path: Path, limit: int | None, column: str | None) -> WordVectors:
    vectors, names = read_named(path, column=column, with_names=True)
    if names is None:
        raise ValueError(
            f"{path} has no unique name for each vector; expected a column or key {', '.join(ID_NAMES)} "
            "(isotropy_report.io.read reads vectors without names)"
        )
    with np.errstate(over="ignore"):
        points = checks.as_points(vectors.astype(np.float32, copy=False), f"vectors in {path} as float32")
    return WordVectors(names[:limit], points[:limit])


def _from_npz(path: Path, limit: int | None) -> WordVectors:
    shapes = npz_shapes(path)
    n_words, n_vectors = (shapes.get(name, ())[:1] for name in ("words", "vectors"))
    if n_words and n_vectors and n_words != n_vectors:
        raise ValueError(
            f"{path} has {n_words[0]} words and {n_vectors[0]} vectors; expected a word for each vector"
        )
    words = _npz_words(path)
    vectors = npz_array(path, "vectors")
    if vectors.dtype.kind in "biuf":
        with np.errstate(over="ignore"):  # a number beyond float32 becomes inf and is rejected
            vectors = vectors.astype(np.float32, copy=False)
    points = checks.as_points(vectors, f"vectors in {path} as float32")
    return WordVectors(words[:limit], points[:limit])


def _npz_words(path: Path) -> list[str]:
    words = npz_array(path, "words")
    if words.dtype.kind != "U" or words.ndim != 1:
        raise ValueError(
            f"{path}: words is {checks.describe(words)}; expected an array of strings with one axis (dtype U)"
        )
    allowance = Allowance(path, compressed=True, advice="save the words as a word2vec text file")
    allowance.check(words.nbytes, n_words=len(words))
    # Python can represent code points that do not exist, and it encodes some of them.
    letters = np.ascontiguousarray(words).view(np.uint32 if words.dtype.isnative else ">u4")
    if bool(((letters > 0x10FFFF) | ((letters >= 0xD800) & (letters < 0xE000))).any()):
        raise ValueError(f"{path} is damaged (words contains invalid characters); expected text")
    names: list[str] = words.tolist()
    for word, count in Counter(names).most_common(1):
        if count > 1:
            raise ValueError(
                f"{path} contains the word {short(word)!r} more than once; expected each word once"
            )
    return names
