"""Readers of word-vector files, with errors that name the line or word.

gensim reads the same formats, but accepts a repeated word, a NaN, or a wrong count, or gives vague errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isotropy_report.io._refusals import short
from isotropy_report.io.formats import is_gzipped, is_number, open_binary, text_lines
from isotropy_report.io.limits import Allowance, Stream, most_cells

Words = tuple[list[str], npt.NDArray[np.float32]]

_LONGEST_WORD = 1 << 12
_MOST_DIMENSIONS = 1_000_000


class _Collector:
    """Words and rows as they come, each checked when it is added."""

    def __init__(self, path: Path, n: int, unit: str) -> None:
        self.path, self.n, self.unit = path, n, unit
        self.seen: dict[str, int] = {}
        self.letters = 0
        self.content = bytearray()
        self.allowance = Allowance(path, compressed=is_gzipped(path))

    def add(self, word: str, row: npt.NDArray[np.float32], number: int) -> None:
        if word in self.seen:
            raise ValueError(
                f"{self.path}, {self.unit} {number}: the word {short(word)!r} is already at {self.unit} "
                f"{self.seen[word]}; expected every word once"
            )
        if not np.isfinite(row).all():
            column = int(np.flatnonzero(~np.isfinite(row))[0])
            raise ValueError(
                f"{self.path}, {self.unit} {number}: number {column + 1} of the word {short(word)!r} is "
                f"{row[column]}; expected finite numbers"
            )
        self.seen[word] = number
        self.content += row.tobytes()
        self.letters += len(word)
        self.allowance.check(len(self.content) + self.letters, n_words=len(self.seen))

    def result(self) -> Words:
        return list(self.seen), np.frombuffer(self.content, dtype=np.float32).reshape(-1, self.n)


def read_word2vec_text(path: Path, *, limit: int | None = None) -> Words:
    """Read a word2vec or fastText text file: a header with two numbers, then a word and its row per line."""
    with open_binary(path) as stream:
        n_words, n = _header(path, stream.readline(_LONGEST_WORD))
        collector = _Collector(path, n, "line")
        expected = n_words if limit is None else min(n_words, limit)
        lines = _lines(path, stream, first=2)
        for number, line in lines:
            if len(collector.seen) == expected:
                if limit is None:
                    raise ValueError(
                        f"{path}, line {number}: the header promises {n_words} words, and here is one more: "
                        f"{line[:40]!r}"
                    )
                break
            collector.add(*_row(path, number, line, n), number)
    if len(collector.seen) < expected:
        raise ValueError(
            f"{path} is truncated or its header is wrong: it ends after {len(collector.seen)} of the "
            f"{n_words} words that the header promises"
        )
    return collector.result()


def read_glove(path: Path, *, limit: int | None = None) -> Words:
    """Read a GloVe text file, which has one word and its row per line and no header."""
    with open_binary(path) as stream:
        collector: _Collector | None = None
        for number, line in _lines(path, stream, first=1):
            if collector is None:
                n = line.count(" ")
                if n < 1:
                    raise ValueError(f"{path}, line 1: {line[:40]!r} is not a word followed by numbers")
                collector = _Collector(path, n, "line")
            if limit is not None and len(collector.seen) == limit:
                break
            collector.add(*_row(path, number, line, n), number)
    if collector is None:
        raise ValueError(f"{path} is empty; expected vectors")
    return collector.result()


def read_word2vec_binary(path: Path, *, limit: int | None = None) -> Words:
    """Read a binary word2vec file: a header, then each word's letters, a space, and float32 numbers."""
    with open_binary(path) as stream:
        n_words, n = _header(path, stream.readline(_LONGEST_WORD))
        collector = _Collector(path, n, "word")
        expected = n_words if limit is None else min(n_words, limit)
        for number in range(1, expected + 1):
            word = _binary_word(path, stream, number)
            content = b"" if word is None else stream.read(4 * n)
            if word is None or len(content) < 4 * n:
                where = "before its name ended" if word is None else f"inside the numbers of {word!r}"
                raise ValueError(
                    f"{path} is truncated: it ends at word {number} of the {n_words} that its header "
                    f"promises, {where}"
                )
            collector.add(word, np.frombuffer(content, dtype="<f4"), number)
        if limit is None and stream.read(64).strip():
            raise ValueError(f"{path}: the header promises {n_words} words, and there is more after them")
    return collector.result()


READERS = {
    "word2vec-text": read_word2vec_text,
    "word2vec-binary": read_word2vec_binary,
    "glove": read_glove,
}


def _header(path: Path, line: bytes) -> tuple[int, int]:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        raise ValueError(
            f"{path}, line 1: {line[:40]!r}; expected a header of two numbers: words and dimensions"
        )
    n_words, n = map(int, fields)
    if n_words < 1 or not 1 <= n <= _MOST_DIMENSIONS:
        raise ValueError(
            f"{path}, line 1: the header says {n_words} words of {n} dimensions; expected at least 1 each, "
            f"and at most {_MOST_DIMENSIONS} dimensions"
        )
    return n_words, n


def _lines(path: Path, stream: Stream, *, first: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text_lines(path, stream, first=first), start=first):
        text = line.rstrip(" \t\r\n")
        if text:
            yield number, text


def _row(path: Path, number: int, line: str, n: int) -> tuple[str, npt.NDArray[np.float32]]:
    """Split a line from the right, because some GloVe words contain spaces."""
    if "\t" in line:
        line = line.replace("\t", " ")
    if n > most_cells():
        raise ValueError(
            f"{path}, line {number}: {n} numbers are expected; at most {most_cells():,} are read from a line "
            "of text"
        )
    word, *fields = line.rsplit(" ", n)
    found = len(fields)
    if found == n and " " in word and is_number(word.rpartition(" ")[2]):
        found = sum(map(is_number, line.split(" ", most_cells())[1:]))
    if found != n:
        hint = "; is the file truncated?" if found < n else ""
        raise ValueError(
            f"{path}, line {number}: the word {short(line.partition(' ')[0])!r} has {found} numbers, "
            f"expected {n}{hint}"
        )
    try:
        if "_" in "".join(fields):
            raise ValueError
        with np.errstate(over="ignore"):  # a number beyond float32 becomes inf, which is rejected later
            return word, np.array(fields, dtype=np.float64).astype(np.float32)
    except ValueError:
        wrong = next(field for field in fields if not is_number(field))
        raise ValueError(
            f"{path}, line {number}: {short(wrong)!r} in the row of {short(word)!r} is not a number"
        ) from None


def _binary_word(path: Path, stream: Stream, number: int) -> str | None:
    letters = bytearray()
    while len(letters) <= _LONGEST_WORD:
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
        f"{path}, word {number}: what should be its name is {bytes(letters[:20])!r}; do the dimensions in "
        "the header fit?"
    )
