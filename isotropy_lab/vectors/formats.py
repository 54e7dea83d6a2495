"""Tell what kind of vector file a path holds, by its content first and its name second."""

from __future__ import annotations

import gzip
import io
import os
import re
import zipfile
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias, cast

Format: TypeAlias = Literal[
    "npy",
    "npz",
    "csv",
    "tsv",
    "numbers",
    "parquet",
    "safetensors",
    "word2vec-text",
    "word2vec-binary",
    "glove",
    "fasttext-binary",
]

_HEAD = 1 << 16
_FASTTEXT_MAGIC = b"\xba\x16\x4f\x2f"
# Opcodes that text pickles (protocols 0 and 1) begin with; later protocols begin with 0x80 and a number up to 5.
_TEXT_PICKLE = re.compile(rb"[}\])]q[\x00-\x1f]|\(dp?\d|\(lp?\d|\((?:d|l)p\d|c[\w.]+\n[\w.]+\n|\(i[\w.]+\n")

_HOW_TO_SAVE = (
    "Save arrays with numpy.save, tables with to_csv or to_parquet, word vectors with gensim's "
    "save_word2vec_format, tensors with safetensors, and read that instead"
)


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading, through gzip if it is compressed."""
    with path.open("rb") as stream:
        compressed = stream.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if compressed else path.open("rb")


def existing_file(path: str | os.PathLike[str]) -> Path:
    """Return `path` if there is a file, else say what is there."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; wanted a file with vectors")
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    return path


def detect(path: Path) -> Format:
    """Name the format of a file.

    Raises
    ------
    ValueError
        For an empty file, a pickle (or an archive that holds one), and anything not recognised.
    """
    with open_binary(path) as stream:
        try:
            head = stream.read(_HEAD)
        except (EOFError, OSError) as error:
            raise ValueError(f"{path} cannot be decompressed: {error}") from error
    if not head.strip():
        raise ValueError(f"{path} is empty; wanted vectors")
    if (head[0] == 0x80 and len(head) > 1 and head[1] <= 5) or _TEXT_PICKLE.match(head):
        raise_pickle(path)
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PK"):
        return _detect_archive(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(_FASTTEXT_MAGIC):
        return "fasttext-binary"
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < (1 << 27):
        return "safetensors"
    return _detect_text(path, head)


def raise_pickle(path: Path) -> None:
    """Refuse a pickle."""
    raise ValueError(
        f"{path} is a pickle. Loading one can run any code, so it is never unpickled. {_HOW_TO_SAVE}"
    )


def _detect_archive(path: Path) -> Format:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        raise ValueError(
            f"{path} is a damaged or truncated archive ({error}); wanted a whole .npz"
        ) from error
    if any(name.endswith((".pkl", ".pickle")) for name in names):
        raise_pickle(path)  # what torch.save writes
    if not names or not all(name.endswith(".npy") for name in names):
        shown = ", ".join(names[:3]) or "nothing"
        raise ValueError(f"{path} is an archive with {shown}; wanted an .npz with arrays only")
    return "npz"


def _detect_text(path: Path, head: bytes) -> Format:
    first, _, rest = head.partition(b"\n")
    header = re.fullmatch(rb"\s*(\d+) +(\d+)\s*", first)
    if header:
        return _detect_word2vec(int(header[1]), int(header[2]), rest, whole=len(head) < _HEAD)
    if b"\x00" in head:
        raise ValueError(
            f"{path} is not a format that is known here. Known: .npy, .npz, .csv, .tsv, .parquet, .safetensors, "
            f"word2vec text and binary, GloVe, fastText. {_HOW_TO_SAVE}"
        )
    suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if suffix in ("csv", "tsv"):
        return cast(Format, suffix)
    lines = io.BytesIO(head).read().decode("utf-8", errors="replace").splitlines()
    lines = lines[: max(1, min(5, len(lines) - 1))]  # the last one may be cut by the end of the head
    if all(_all_numbers(line.split()) for line in lines):
        return "numbers"
    if "," in lines[0] and " " not in lines[0].strip():
        return "csv"
    if "\t" in lines[0] and " " not in lines[0].strip():
        return "tsv"
    return "glove"


def _detect_word2vec(n_words: int, n: int, rest: bytes, *, whole: bool) -> Format:
    """Tell text from binary numbers after a header, and both from a table whose first row is two whole numbers."""
    lines = rest.split(b"\n")
    if not whole and len(lines) > 1:
        lines = lines[:-1]  # cut by the end of the head
    fields = [line.split() for line in lines[:5] if line.strip()]
    if fields and len(fields[0]) == 2 != n + 1 and _all_numbers([f.decode("latin-1") for f in fields[0]]):
        return "numbers"
    # Words of a text may hold odd bytes, but its rows then still end in n numbers.
    text = all(len(row) > n and _all_numbers([f.decode("latin-1") for f in row[-n:]]) for row in fields)
    if text:
        return "word2vec-text"
    odd = any(byte < 9 or 13 < byte < 32 for byte in rest) or not _is_utf8(rest)
    binary = odd or (whole and _binary_length(n_words, n, rest) == len(rest))
    return "word2vec-binary" if binary else "word2vec-text"


def _binary_length(n_words: int, n: int, rest: bytes) -> int:
    """Where the last row would end if these were binary numbers; -1 if they cannot be."""
    position = 0
    for _ in range(n_words):
        space = rest.find(b" ", position)
        if space < 0:
            return -1
        position = space + 1 + 4 * n
        position += rest[position : position + 1] == b"\n"
    return position


def _is_utf8(content: bytes) -> bool:
    try:
        content[: max(len(content) - 3, 0)].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def _all_numbers(fields: list[str]) -> bool:
    try:
        return len([float(field) for field in fields]) > 0
    except ValueError:
        return False
