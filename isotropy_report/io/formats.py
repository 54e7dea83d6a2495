"""Formats of vector files, recognized by content first and then by name."""

from __future__ import annotations

import itertools
import os
import re
import stat
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from isotropy_lab._core import checks
from isotropy_report._options import setting
from isotropy_report.io._refusals import HOW_TO_SAVE, raise_pickle
from isotropy_report.io.archives import check_archive
from isotropy_report.io.limits import MOST_EMPTY_LINES, Stream, Unpacked, longest_line

Format: TypeAlias = str
"""A key of `FORMATS`."""

TEXT_FORMATS = ("csv", "tsv", "numbers", "jsonl", "word2vec-text", "glove")
FORMATS = ("npy", "npz", "parquet", "arrow", "safetensors", "word2vec-binary", *TEXT_FORMATS)
"""Supported formats; "numbers" are separated by spaces, and "jsonl" stands for JSON Lines."""

_HEAD_BYTES = 1 << 16
_FASTTEXT_MAGIC = b"\xba\x16\x4f\x2f"
# Text pickles (protocols 0 and 1) begin with one of these opcodes; later protocols begin with 0x80 and a
# number up to 5. The first line of a JSON Lines file is an object or a list of numbers. A bracket alone does
# not show this format, because a word in a GloVe file may begin with one.
_JSON = re.compile(
    rb'\s*(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\}\s*[\r\n])'
    rb'|\[\s*(?:-?\d[\d.eE+-]*\s*(?:,|\]\s*[\r\n])|\[\s*-?\d[\d.eE+-]*\s*,|\{\s*"))'
)
_TEXT_PICKLE = re.compile(rb"[}\])]q[\x00-\x1f]|\(dp?\d|\(lp?\d|\((?:d|l)p\d|c[\w.]+\n[\w.]+\n|\(i[\w.]+\n")


@contextmanager
def open_binary(path: Path) -> Iterator[Stream]:
    """Open a file for reading, through gzip if it is compressed; errors about damage name the file."""
    if not is_gzipped(path):
        with path.open("rb") as stream:
            yield stream
        return
    with Unpacked(path) as unpacked:
        try:
            yield unpacked
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"{path} is truncated or damaged and cannot be decompressed: {error}") from error


def is_gzipped(path: Path) -> bool:
    """Return whether a file is compressed with gzip."""
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def text_lines(path: Path, stream: Stream, *, first: int = 1, any_end: bool = False) -> Iterator[str]:
    """Decode the lines of a text file; if `any_end` is True, a carriage return also ends a line."""
    number, n_empty, max_bytes = first, 0, longest_line()
    while line := stream.readline(max_bytes + 1):
        n_empty += line in (b"\n", b"\r\n") or line.startswith(b"#")
        if n_empty > MOST_EMPTY_LINES and n_empty > number // 2:
            raise ValueError(
                f"{path}, line {number}, follows more than {MOST_EMPTY_LINES:,} blank lines and comments; "
                "expected vectors"
            )
        if len(line) > max_bytes:
            raise ValueError(
                f"{path}, line {number}, is longer than {max_bytes >> 20} MiB; expected one point per line "
                f"({setting('max_bytes')} raises the limit, and an .npy file has none)"
            )
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{path}, line {number}, is not UTF-8 ({error.reason}); expected UTF-8 text"
            ) from error
        if not text.endswith(("\n", "\r")):
            warnings.warn(
                f"{path} does not end with a line break; if it was cut off inside its last number, that "
                "number is wrong",
                stacklevel=2,
            )
        if any_end and "\r" in text:
            # Do not use splitlines, because it splits at a dozen other characters.
            pieces = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            for piece in pieces[:-1]:
                yield piece + "\n"
            number += len(pieces) - 1
            if pieces[-1]:
                yield pieces[-1]
        else:
            yield text
            number += 1


def existing_file(path: object, name: str = "path") -> Path:
    """Return `path` if it is an existing file; otherwise, raise an error that says why not."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise TypeError(f"{name} is {checks.describe(path)}; expected the path of a file as a str or a Path")
    if not os.fspath(path):
        raise ValueError(f"{name} is ''; expected the path of a file")
    shown = f"{name} {path}" if name.startswith("--") else path
    # Unlike Path, os.path does not raise for a name that no file can have.
    if os.path.isdir(path):
        raise IsADirectoryError(f"{shown} is a folder; expected a file")
    if not os.path.exists(path):
        raise FileNotFoundError(f"{shown} does not exist; expected the path of an existing file")
    if not os.path.isfile(path):
        raise OSError(f"{shown} is a pipe, a device, or a socket; expected a file that can be read twice")
    return Path(path)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a pipe, a terminal, or another device, which can be read only once."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # the file does not exist, or its name is invalid
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def detect(path: Path) -> Format:
    """Return the format of a file; raise ValueError for empty files, pickles, and unknown formats."""
    with open_binary(path) as stream:
        head = stream.read(_HEAD_BYTES)
    if not head.strip():
        raise ValueError(f"{path} is empty; expected vectors")
    if head.startswith(_FASTTEXT_MAGIC):
        raise ValueError(
            f"{path} is a fastText .bin file; expected its .vec file (or, in Python, "
            "gensim's load_facebook_vectors and isotropy_report.WordVectors.from_gensim)"
        )
    detected = _detect_binary(head)
    # A safetensors file begins with its length, whose first two bytes can equal those of a pickle.
    is_pickle = (head[0] == 0x80 and len(head) > 1 and head[1] <= 5) or _TEXT_PICKLE.match(head)
    if is_pickle and detected != "safetensors":
        raise_pickle(path)
    if detected is None:
        return _detect_text(path, head)
    if detected != "npy" and is_gzipped(path):  # readers seek in these, so they must not be compressed
        raise ValueError(f"{path} is a gzipped .{detected} file; expected it decompressed (gunzip it first)")
    if detected == "npz":
        check_archive(path)
    return detected


def _detect_binary(head: bytes) -> Format | None:
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x01\x02")):
        return "npz"
    if head.startswith(b"PAR1") and head[4:5] not in (b" ", b",", b"\t"):
        return "parquet"
    if head.startswith((b"ARROW1\0\0", b"\xff\xff\xff\xff")):
        return "arrow"
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < (1 << 27):
        return "safetensors"
    return None


def _detect_text(path: Path, head: bytes) -> Format:
    first, _, content = head.partition(b"\n")
    header = re.fullmatch(rb"\s*(\d{1,18}) +(\d{1,18})\s*", first)
    if header:
        return _detect_word2vec(int(header[1]), int(header[2]), content, whole=len(head) < _HEAD_BYTES)
    if b"\x00" in head:
        raise ValueError(
            f"{path} is not in a known format; expected .npy, .npz, .csv, .tsv, .parquet, Arrow, "
            f"safetensors, JSON Lines, word2vec text or binary, GloVe, or fastText. {HOW_TO_SAVE}"
        )
    suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if suffix in ("csv", "tsv"):
        return suffix
    if suffix in ("jsonl", "ndjson") or _JSON.match(head.removeprefix(b"\xef\xbb\xbf")):
        return "jsonl"
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    if len(head) == _HEAD_BYTES:  # the head may end within the last line or the last number
        lines = lines[:-1] or [lines[0].rpartition("\t" if "\t" in lines[0] else " ")[0] or lines[0]]
    lines = list(itertools.dropwhile(lambda line: line.startswith("#"), lines))[:5] or lines[:1]
    # Five words are rarely all numbers, and one mistyped number among numbers is not a word.
    if 2 * sum(_all_numbers(line.split()) for line in lines) > len(lines):
        return "numbers"
    if "," in lines[0] and " " not in lines[0].strip():
        return "csv"
    if "\t" in lines[0] and " " not in lines[0].strip():
        return "tsv"
    return "glove"


def _detect_word2vec(n_words: int, n: int, content: bytes, *, whole: bool) -> Format:
    """Distinguish text from binary numbers after a header, and both of them from a table with two columns."""
    lines = content.split(b"\n")
    if not whole and len(lines) > 1:
        lines = lines[:-1]  # the last line may be incomplete
    fields = [line.split() for line in lines[:5] if line.strip()]
    if fields and len(fields[0]) == 2 != n + 1 and _all_numbers([f.decode("latin-1") for f in fields[0]]):
        return "numbers"
    # Words in a text file may contain arbitrary bytes, but each row still ends in n numbers.
    is_text = all(len(row) > n and _all_numbers([f.decode("latin-1") for f in row[-n:]]) for row in fields)
    if is_text:
        return "word2vec-text"
    is_not_text = any(byte < 9 or 13 < byte < 32 for byte in content) or not _is_utf8(content)
    is_binary = is_not_text or (whole and _binary_length(n_words, n, content) == len(content))
    return "word2vec-binary" if is_binary else "word2vec-text"


def _binary_length(n_words: int, n: int, content: bytes) -> int:
    """Return the end of the last row if the content is binary numbers, or −1 if it cannot be."""
    position = 0
    for _ in range(n_words):
        space = content.find(b" ", position)
        if space < 0:
            return -1
        position = space + 1 + 4 * n
        position += content[position : position + 1] == b"\n"
    return position


def _is_utf8(content: bytes) -> bool:
    try:
        content[: max(len(content) - 3, 0)].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _all_numbers(fields: list[str]) -> bool:
    return bool(fields) and all(map(is_number, fields))


def is_number(text: str) -> bool:
    """Return whether a text is a number; 1_000 does not count, although float() accepts it."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text
