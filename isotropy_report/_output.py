"""Aligned tables, JSON without NaN, and output files that are replaced only when the new file is complete."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import isotropy_lab

WIDTH = 110
"""Maximum length of a line of text."""

SCHEMA = 1
"""Version of all JSON files; it changes when a key goes or means something else."""


def deliver(text: str, output: Path | None) -> None:
    """Print a text or write it to a file."""
    if output is None:
        if sys.stdout is None:  # closed by the caller
            raise OSError("standard output is closed; expected an open standard output, or --output FILE")
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except BrokenPipeError:
            discard(sys.stdout)  # the reader, such as `head`, has read enough; a gate must still be judged
        except OSError as error:
            # Otherwise, Python would try to flush the rest of the buffer at exit and report an error.
            discard(sys.stdout)
            raise OSError(
                f"standard output cannot be written ({error.strerror}); expected free space at its "
                "destination, or --output FILE"
            ) from error
    else:
        replace_file(output, text)


def discard(stream: TextIO) -> None:
    """Discard everything that a stream still has to write."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def replace_file(path: Path, content: str | bytes, *, name: str = "--output") -> None:
    """Write a file, replacing an existing file only when the new file is complete.

    An interruption leaves any existing file unchanged and creates no new one. Pipes and devices are written
    to directly. `name` is the name of the path in errors. OSError says why writing failed and what to do.
    """
    check_writable(path, name)
    try:
        _replace(path, content.encode() if isinstance(content, str) else content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise type(error)(
            f"{name} {path} cannot be written ({error.strerror}), and any existing file is unchanged; "
            "expected a folder with free space (delete files there, or choose another folder)"
        ) from error


def _replace(path: Path, content: bytes) -> None:
    target = Path(os.path.realpath(path))  # follow links, so that the link itself is kept
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, unfinished = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(unfinished, mode)
        os.replace(unfinished, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)
        raise


def check_output(
    path: str | os.PathLike[str], inputs: Mapping[str, str | os.PathLike[str]], *, name: str = "--output"
) -> None:
    """Reject an output that cannot be written or that is one of the inputs, before any work is done.

    `inputs` maps the name of each input, such as ``--groups``, to its path. Links are followed.
    """
    check_writable(Path(path), name)
    for input_name, source in inputs.items():
        if same_file(path, source):
            raise ValueError(
                f"{name} {path} is the same file as {input_name} {source}, which would be overwritten; "
                "expected the path of another file"
            )


def same_file(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> bool:
    """Return whether two paths refer to the same regular file."""
    return os.path.isfile(a) and os.path.isfile(b) and os.path.samefile(a, b)


def check_writable(path: Path, name: str = "--output") -> None:
    """Raise OSError if no file can be written at this path; called before and after long computations."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{name} {path} is a folder; expected the path of a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"{name} is {path}, but there is no folder {target.parent}; expected a path in an existing folder"
        )
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(
            f"{name} is {path}, but the folder {target.parent} is not writable; expected a writable folder"
        )


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def as_json(value: Any) -> str:
    """Return a value as JSON; raise ValueError for NaN and infinity, which JSON cannot represent."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


class Document:
    """Methods of a result with a summary, which its command prints and writes as JSON."""

    def __repr__(self: Any) -> str:
        return f"<{type(self).__name__}: {self.summary[0]}>"

    def to_json(self: Any) -> str:
        """Return the summary and all fields as JSON, as the command does with ``--json``."""
        return as_document(self.JSON_KIND, {"summary": self.summary} | self.to_dict())

    def write(self: Any, path: str | os.PathLike[str]) -> None:
        """Write the JSON to ``*.json``, or else the text; ValueError for ``*.html``: there is no page."""
        if Path(path).suffix.lower() in (".html", ".htm"):
            raise ValueError(f"path is {os.fspath(path)!r}; expected a name such as x.txt or x.json")
        replace_file(Path(path), self.to_json() if Path(path).suffix == ".json" else f"{self}\n", name="path")


def as_document(kind: str, fields: Mapping[str, Any]) -> str:
    """Return the fields of a result as JSON, after the schema, the kind of the result, and the program."""
    return as_json({"schema": SCHEMA, "kind": kind, "program": program()} | dict(fields))


def program() -> str:
    """Return the name and version of the program."""
    return f"isotropy-lab {isotropy_lab.__version__}"


def wrap(*sentences: str, indent: str = "") -> list[str]:
    """Wrap sentences; each sentence starts a new line, and `indent` precedes continuation lines."""
    return [
        line
        for sentence in sentences
        for line in textwrap.wrap(sentence, WIDTH, subsequent_indent=indent, break_on_hyphens=False)
    ]


def align(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> list[str]:
    """Return lines of columns, of which the first `left` are left-aligned, and the others right-aligned."""
    table = [list(header), *map(list, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
