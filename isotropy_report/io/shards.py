"""Vectors in several files: a folder, a pattern such as ``data/*.parquet``, or an fsspec address."""

from __future__ import annotations

import glob
import os
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from isotropy_report._extras import require
from isotropy_report._options import short
from isotropy_report.io.growing import Growing, NamedVectors

_EXTENSIONS = ("parquet", "feather", "arrow", "npy", "npz", "safetensors", "jsonl", "csv", "tsv")
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://")


def shards(path: object) -> list[str] | None:
    """Return the files of a folder or pattern in natural order, or None if the path is neither.

    A folder is searched for files with one extension, including subfolders; names that begin with a dot or an
    underscore are left out.
    """
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        return None  # the reader reports the error
    text = os.fspath(path)
    if os.path.isdir(text):
        relative = (file.relative_to(text) for file in Path(text).rglob("*"))
        names = [file for file in relative if not any(part.startswith((".", "_")) for part in file.parts)]
        extensions = {_extension(file.name) for file in names} & set(_EXTENSIONS)
        if not extensions:
            raise IsADirectoryError(
                f"{text} is a folder without files of vectors; expected files of {', '.join(_EXTENSIONS)}"
            )
        if len(extensions) > 1:
            raise ValueError(
                f"{text} contains files of {' and '.join(sorted(extensions))}; expected files of one format"
            )
        paths = [os.path.join(text, file) for file in names if _extension(file.name) in extensions]
    elif os.path.exists(text) or is_address(text) or not glob.has_magic(text):
        return None
    else:
        paths = glob.glob(text, recursive=True)
    files = sorted(filter(os.path.isfile, paths), key=_natural_order)
    if not files:
        raise FileNotFoundError(f"{text} matches no files; expected a pattern that matches files")
    return files


def is_address(path: object) -> bool:
    """Return whether a path is an address, such as ``s3://bucket/data``."""
    return isinstance(path, str) and _ADDRESS.match(path) is not None


def without_credentials(address: str) -> str:
    """Return an address without the user name, the password, and everything after a question mark."""
    return re.sub(r"(?<=://).*@", "", address).partition("?")[0]


def _extension(name: str) -> str:
    return name.lower().removesuffix(".gz").rpartition(".")[2]


def _natural_order(name: str) -> list[Any]:
    """Return a sort key that puts part-2 before part-10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def read_address(address: str, read_one: Callable[[Path], NamedVectors]) -> NamedVectors:
    """Copy the files at an address one at a time, and read them into one array."""
    display_name = without_credentials(address)
    fsspec = require("fsspec", f"reading {display_name}", install="fsspec")
    with tempfile.TemporaryDirectory(prefix="isotropy-lab-") as folder:
        try:
            files, pattern = fsspec.core.url_to_fs(address)
            if glob.has_magic(pattern):
                paths = files.glob(pattern)
            else:
                paths = files.find(pattern) if files.isdir(pattern) else [pattern]
        except Exception as error:  # the packages behind fsspec raise errors of many types
            raise ValueError(_error_text(display_name, address, error)) from None

        def copy_files() -> Iterator[tuple[Path, str]]:
            for name in sorted(paths, key=_natural_order):
                copy = Path(folder, os.path.basename(name))
                try:
                    files.get_file(name, str(copy))
                except Exception as error:
                    raise ValueError(_error_text(display_name, address, error)) from None
                yield copy, f"{display_name.partition('://')[0]}://{name}"
                copy.unlink()

        if not paths:
            raise FileNotFoundError(f"{display_name} does not exist; expected an existing address")
        return read_shards(display_name, copy_files(), read_one)


def _error_text(display_name: str, address: str, error: Exception) -> str:
    text = " ".join(str(error).replace(address, display_name).split())
    return f"{display_name} cannot be read: {short(text) or type(error).__name__}"


def read_shards(
    name: str, files: Iterable[tuple[Path, str]], read_one: Callable[[Path], NamedVectors]
) -> NamedVectors:
    """Read files (path, name in messages) into one array, with the row names if all names differ."""
    patterns: set[str] = set()
    rows = Growing(name)
    for file, display_name in files:
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always", UserWarning)
            try:
                named = read_one(file)
                rows.name = display_name
                rows.add(named.vectors, named.names or ())
            except (ValueError, TypeError) as error:
                raise type(error)(str(error).replace(str(file), display_name)) from error
        for text in [str(warning.message) for warning in issued]:
            if (pattern := text.replace(str(file), "")) not in patterns:  # one warning for similar files
                warnings.warn(text.replace(str(file), display_name), UserWarning, stacklevel=2)
            patterns.add(pattern)
    return rows.result()
