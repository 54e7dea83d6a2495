"""Readers of word-vector files, with errors that name the line or word.

gensim reads the same formats, but accepts a repeated word, a NaN, or a wrong count, or gives vague errors.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isotropy_report._options import short
from isotropy_report.io.formats import is_gzipped, is_number, open_binary, text_lines
from isotropy_report.io.growing import Growing, NamedVectors
from isotropy_report.io.limits import Allowance, Stream

_MAX_WORD_BYTES = 1 << 12
_MAX_DIMENSIONS = 1_000_000

Row = tuple[int, str, npt.NDArray[np.float32]]
"""Number of a line or word in its file, the word, and its vector."""


def read_words(path: Path, file_format: str, *, limit: int | None = None) -> NamedVectors:
    """Read all words of a file, or the first `limit`; `file_format` is a key of `READERS`."""
    unit = "word" if file_format == "word2vec-binary" else "line"
    number_of: dict[str, int] = {}
    rows = Growing(path, Allowance(path, compressed=is_gzipped(path)))
    with open_binary(path) as stream:
        for number, word, row in itertools.islice(READERS[file_format](path, stream), limit):
            if word in number_of:
                raise ValueError(
                    f"{path}, {unit} {number}, repeats the word {short(word)!r} of {unit} {number_of[word]}; "
                    "expected each word only once"
                )
            if not np.isfinite(row).all():
                i = int(np.flatnonzero(~np.isfinite(row))[0])
                raise ValueError(
                    f"{path}, {unit} {number}, has {row[i]} in dimension {i + 1} of {short(word)!r}; "
                    "expected finite numbers"
                )
            number_of[word] = number
            rows.add(row[None], (word,))
    if not number_of:
        raise ValueError(f"{path} has no line with a word; expected at least one word with its vector")
    return rows.result()


def _word2vec_text(path: Path, stream: Stream) -> Iterator[Row]:
    """Yield the rows of a word2vec or fastText file in text format: a header, then one line per word."""
    n_words, n = _parse_header(path, stream.readline(_MAX_WORD_BYTES))
    n_read = 0
    for number, line in _nonblank_lines(path, stream, first=2):
        if n_read == n_words:
            raise ValueError(
                f"{path}, line {number}, is {line[:40]!r}, after the {n_words} words that the header "
                "declares; expected the end of the file"
            )
        yield number, *_parse_row(path, number, line, n)
        n_read += 1
    if n_read < n_words:
        raise ValueError(
            f"{path} is truncated or has a wrong header, with {n_read} of the {n_words} words that "
            "the header declares; expected a complete file"
        )


def _glove(path: Path, stream: Stream) -> Iterator[Row]:
    """Yield the rows of a GloVe file in text format: one line per word, without a header."""
    n = 0
    for number, line in _nonblank_lines(path, stream, first=1):
        n = n or line.count(" ")
        if n < 1:
            raise ValueError(
                f"{path}, line 1, is {line[:40]!r}, which looks like text; expected vectors, such as a word "
                "followed by numbers"
            )
        yield number, *_parse_row(path, number, line, n)


def _word2vec_binary(path: Path, stream: Stream) -> Iterator[Row]:
    """Yield the rows of binary word2vec: a header, then each word's letters, a space, and float32 numbers."""
    n_words, n = _parse_header(path, stream.readline(_MAX_WORD_BYTES))
    for number in range(1, n_words + 1):
        word = _read_binary_word(path, stream, number)
        content = b"" if word is None else stream.read(4 * n)
        if word is None or len(content) < 4 * n:
            raise ValueError(
                f"{path} is truncated inside word {number} of the {n_words} words that its header declares"
                f"{'' if word is None else f', {short(word)!r}'}; expected a complete file"
            )
        yield number, word, np.frombuffer(content, dtype="<f4")
    if stream.read(64).strip():
        raise ValueError(
            f"{path} does not end after the {n_words} words that its header declares; expected the end of "
            "the file"
        )


READERS = {"word2vec-text": _word2vec_text, "word2vec-binary": _word2vec_binary, "glove": _glove}


def _parse_header(path: Path, line: bytes) -> tuple[int, int]:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        raise ValueError(
            f"{path}, line 1, is {line[:40]!r}; expected a header with the numbers of words and dimensions"
        )
    n_words, n = map(int, fields)
    if n_words < 1 or not 1 <= n <= _MAX_DIMENSIONS:
        raise ValueError(
            f"{path}, line 1, declares {n_words} words of {n} dimensions; expected at least one word and "
            f"from 1 to {_MAX_DIMENSIONS} dimensions"
        )
    return n_words, n


def _nonblank_lines(path: Path, stream: Stream, *, first: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text_lines(path, stream, first=first), start=first):
        text = line.rstrip(" \t\r\n")
        if text:
            yield number, text


def _parse_row(path: Path, number: int, line: str, n: int) -> tuple[str, npt.NDArray[np.float32]]:
    """Split a line from the right, because words in GloVe may contain spaces."""
    line = line.replace("\t", " ")
    word, *fields = line.rsplit(" ", n)
    n_numbers = len(fields)
    if n_numbers == n and " " in word and is_number(word.rpartition(" ")[2]):
        n_numbers = sum(map(is_number, line.split(" ")[1:]))
    if n_numbers != n:
        hint = ": the file may be truncated" if n_numbers < n else ""
        raise ValueError(
            f"{path}, line {number}, has {n_numbers} numbers for the word {short(line.partition(' ')[0])!r}; "
            f"expected {n} numbers{hint}"
        )
    try:
        if "_" in "".join(fields):
            raise ValueError
        with np.errstate(over="ignore"):  # a number beyond float32 becomes inf and is rejected later
            return word, np.array(fields, dtype=np.float64).astype(np.float32)
    except ValueError:
        invalid = [field for field in fields if not is_number(field)]
        hint = " (this looks like a text: encode texts as vectors first)" * (2 * len(invalid) > n)
        raise ValueError(
            f"{path}, line {number}, has {short(invalid[0])!r} in the vector of {short(word)!r}; expected "
            f"numbers{hint}"
        ) from None


def _read_binary_word(path: Path, stream: Stream, number: int) -> str | None:
    letters = bytearray()
    while len(letters) <= _MAX_WORD_BYTES:
        letter = stream.read(1)
        if not letter:
            return None
        if letter == b" ":
            try:
                return letters.decode("utf-8")
            except UnicodeDecodeError:
                break
        if letter != b"\n" or letters:  # some writers end a row with a newline
            letters += letter
    raise ValueError(
        f"{path}, word {number}, begins with {bytes(letters[:20])!r}; expected a word in UTF-8 (the "
        "header may declare a wrong number of dimensions)"
    )
