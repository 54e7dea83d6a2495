"""Copies of standard input and pipes in temporary files, which readers need to open twice."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from isotropy_report.cli.arguments import check_requires
from isotropy_report.io.formats import is_stream

STANDARD_INPUT = "standard input"
_COPIES: ContextVar[dict[str, str] | None] = ContextVar("copies", default=None)
_CHUNK_BYTES = 1 << 20


@contextmanager
def copy_streams(options: argparse.Namespace) -> Iterator[None]:
    """Replace inputs that are ``-``, a pipe, a device, or a database query with copies in files."""
    queried = _is_queried(options)
    streams: dict[tuple[str, int], str] = {}
    for dest in options.inputs:
        value = getattr(options, dest)
        for i, path in enumerate(value if isinstance(value, list) else [value]):
            if path is not None and (_is_stdin(path) or is_stream(path)):
                streams[dest, i] = path
    if not streams and not queried:
        yield
        return
    on_stdin = [options.inputs[dest] for (dest, _), path in streams.items() if _is_stdin(path)]
    if len(on_stdin) > 1:
        raise ValueError(f"{' and '.join(on_stdin)} are all standard input; expected at most one of them")
    with tempfile.TemporaryDirectory(prefix="isotropy-lab-", ignore_cleanup_errors=True) as folder:
        copies = {}
        for (dest, i), path in streams.items():
            subfolder = Path(folder, f"{dest}-{i}")
            subfolder.mkdir()
            name = STANDARD_INPUT if _is_stdin(path) else path
            copy = str(subfolder / Path(name).name)
            _copy_stream(path, Path(copy))
            copies[copy] = name
            value = getattr(options, dest)
            setattr(options, dest, [*value[:i], copy, *value[i + 1 :]] if isinstance(value, list) else copy)
        if queried:
            copies |= _copy_queries(options, Path(folder))
        _COPIES.set(copies)  # kept for the error message if an error ends the command
        yield


def _is_queried(options: argparse.Namespace) -> bool:
    """Return whether a database is read; raise ValueError if the queries do not replace all FILEs."""
    if not options.queried:
        return False
    names = [options.inputs[dest] for dest in options.queried]
    files = [name for name, dest in zip(names, options.queried, strict=True) if getattr(options, dest)]
    if options.query is None and options.database is None:
        if len(names) == 1 and not files:
            raise ValueError("FILE is missing; expected FILE, or --database and --query")
        return False
    check_requires(options, "query", "database", "the address of a database")
    check_requires(options, "database", "query", "an SQL query")
    if files:
        raise ValueError(f"{files[0]} and --database are both given; expected either files or a database")
    if not isinstance(getattr(options, options.queried[0]), list) and len(options.query) != len(names):
        inputs = " and one for ".join(names)
        raise ValueError(f"--query is given {len(options.query)} times; expected one query for {inputs}")
    return True


def _copy_queries(options: argparse.Namespace, folder: Path) -> dict[str, str]:
    """Write the query results to files that replace the inputs, and return the names to use in messages."""
    import numpy as np

    from isotropy_report._options import use_command_names
    from isotropy_report.cli.inputs import show_warnings
    from isotropy_report.io.database import read_query
    from isotropy_report.io.shards import without_credentials

    reading = {name: getattr(options, name) for name in ("column", "columns", "drop")}
    name = without_credentials(options.database)
    copies = {}
    for i, query in enumerate(options.query, 1):
        with show_warnings(options.command, quiet=options.quiet), use_command_names():
            named = read_query(options.database, query, **reading)
        label = "query" if len(options.query) == 1 else f"query {i}"
        copy = folder / f"{label} of {name.rpartition('/')[2] or name.partition(':')[0]}"
        with copy.open("wb") as stream:
            np.save(stream, named.vectors)
        copies[str(copy)] = name if len(options.query) == 1 else f"{label} of {name}"
    if isinstance(getattr(options, options.queried[0]), list):
        setattr(options, options.queried[0], list(copies))
    else:
        vars(options).update(zip(options.queried, copies, strict=True))
    vars(options).update(dict.fromkeys(reading))  # these options have already been applied to the queries
    return copies


def with_original_names(text: str) -> str:
    """Return a message in which the names of copies are replaced by the user's original inputs."""
    for copy, name in (_COPIES.get() or {}).items():
        text = text.replace(copy, name)
    return text


def _is_stdin(path: str) -> bool:
    return path in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


def _copy_stream(path: str, target: Path) -> None:
    if not _is_stdin(path):
        with open(path, "rb") as source:
            _write_copy(target, source, path)
    elif sys.stdin is None:  # closed by the caller
        raise OSError("standard input is closed; expected open standard input, or the path of a file")
    elif sys.stdin.buffer.isatty():
        raise ValueError(
            "standard input is a terminal; expected a file or a pipe (cat vectors.csv | "
            "isotropy-lab scores -)"
        )
    else:
        _write_copy(target, sys.stdin.buffer, STANDARD_INPUT)


def _write_copy(path: Path, source: BinaryIO, name: str) -> None:
    try:
        with path.open("wb") as target:
            shutil.copyfileobj(source, target, _CHUNK_BYTES)
    except OSError as error:
        raise type(error)(
            f"{name} cannot be copied to {tempfile.gettempdir()} ({error.strerror}); expected enough free "
            "space there (delete files, set TMPDIR to another folder, or give a file)"
        ) from error
