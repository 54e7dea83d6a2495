"""Copies of standard input and pipes in temporary files, because readers look at files twice."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import FileIO
from pathlib import Path
from typing import BinaryIO

from isotropy_report.io.formats import is_stream

STANDARD_INPUT = "standard input"
_COPIES: ContextVar[dict[str, str] | None] = ContextVar("copies", default=None)
_PIECE = 1 << 20


@contextmanager
def streams_copied(options: argparse.Namespace) -> Iterator[None]:
    """Replace inputs that are ``-``, a pipe, a device, or a database query with copies in files."""
    queried = _is_query(options)
    streams: dict[tuple[str, int], str] = {}
    for dest in options.inputs:
        value = getattr(options, dest)
        for i, path in enumerate(value if isinstance(value, list) else [value]):
            if is_input_stream(path):
                streams[dest, i] = path
    if not streams and not queried:
        yield
        return
    standard = [options.inputs[dest] for (dest, _), path in streams.items() if _is_standard(path)]
    if len(standard) > 1:
        raise ValueError(f"{' and '.join(standard)} are all standard input; expected it once")
    with tempfile.TemporaryDirectory(prefix="isotropy-lab-", ignore_cleanup_errors=True) as folder:
        copies = {}
        for (dest, i), path in streams.items():
            own = Path(folder, f"{dest}-{i}")
            own.mkdir()
            name = STANDARD_INPUT if _is_standard(path) else path
            copy = str(_copy(path, own / Path(name).name))
            copies[copy] = name
            value = getattr(options, dest)
            if isinstance(value, list):
                setattr(options, dest, [*value[:i], copy, *value[i + 1 :]])
            else:
                setattr(options, dest, copy)
        if queried:
            copies |= _copy_query(options, Path(folder))
        _COPIES.set(copies)  # and kept for the message of an error that ends the command
        yield


def _is_query(options: argparse.Namespace) -> bool:
    """Return whether a database is read instead of FILE, raising ValueError unless exactly one is given."""
    given = {name: getattr(options, name, None) for name in ("database", "query", "file")}
    if given["query"] is None and given["database"] is None:
        if hasattr(options, "database") and not given["file"]:
            raise ValueError("FILE is missing; expected FILE, or --database and --query")
        return False
    for name, other in (("query", "database"), ("database", "query")):
        if given[name] is None:
            raise ValueError(f"--{other} is given without --{name}; expected both, or FILE")
    if given["file"]:
        raise ValueError("FILE and --database are given; expected one of the two")
    return True


def _copy_query(options: argparse.Namespace, folder: Path) -> dict[str, str]:
    """Write the query result to a file that replaces FILE and return the file's name in messages."""
    import numpy as np

    from isotropy_report._options import named_for_command
    from isotropy_report.cli.inputs import shown_warnings
    from isotropy_report.io.database import read_query
    from isotropy_report.io.shards import without_credentials

    choice = {name: getattr(options, name) for name in ("column", "columns", "drop")}
    with shown_warnings(options.command, quiet=options.quiet), named_for_command():
        found = read_query(options.database, options.query, **choice)
    name = without_credentials(options.database)
    copy = folder / f"query of {name.rpartition('/')[2] or name.partition(':')[0]}"
    with copy.open("wb") as stream:
        np.save(stream, found.vectors)
    options.file = [str(copy)] if isinstance(options.file, list) else str(copy)
    for one in choice:  # already applied to the query
        setattr(options, one, None)
    return {str(copy): name}


def with_original_names(text: str) -> str:
    """Return a message with the names of copies replaced by the user's original inputs."""
    for copy, name in (_COPIES.get() or {}).items():
        text = text.replace(copy, name)
    return text


def is_input_stream(path: str | None) -> bool:
    """Return whether an input is standard input, a pipe, or a device."""
    return path is not None and (_is_standard(path) or is_stream(path))


def _is_standard(path: str) -> bool:
    return path in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def _copy(path: str, place: Path) -> Path:
    with place.open("wb", buffering=0) as target:
        if not _is_standard(path):
            with open(path, "rb") as source:
                _fill(target, source, path)
            return place
        if sys.stdin is None:  # closed by the caller
            raise OSError("standard input is closed; expected vectors there, or a file")
        stream: BinaryIO = sys.stdin.buffer
        if stream.isatty():
            raise ValueError(
                "standard input is a terminal; expected a file or a pipe, as in: cat vectors.csv | "
                "isotropy-lab scores -"
            )
        _fill(target, stream, STANDARD_INPUT)
    return place


def _fill(target: FileIO, source: BinaryIO, name: str) -> None:
    while piece := source.read(_PIECE):
        left = memoryview(piece)
        try:
            while left:
                left = left[target.write(left) :]
        except OSError as error:
            raise type(error)(
                f"{name} cannot be copied to {tempfile.gettempdir()} ({error.strerror}); free some space "
                "there, set TMPDIR to another folder, or give a file",
            ) from error
