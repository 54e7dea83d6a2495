"""What subcommands print and write: aligned tables, JSON without NaN, files that are replaced whole or not at all."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` and ``--output``."""
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="write to this file instead of standard output; an old one is replaced only by a whole one",
    )


def deliver(text: str, output: Path | None) -> None:
    """Print a text, or write it to a file."""
    if output is None:
        if sys.stdout is None:  # closed by the caller
            raise OSError("standard output is closed; expected an open one, or --output")
        sys.stdout.write(text)
    else:
        replace_file(output, text)


def replace_file(path: Path, text: str) -> None:
    """Write a file beside the old one and put it in its place when it is whole.

    An interruption leaves the old file, and none where there was none. What is no file, a pipe for example, is written
    to as it is.
    """
    check_place(path)
    target = Path(os.path.realpath(path))  # through a link: the link stays
    if target.exists() and not target.is_file():
        target.write_text(text, encoding="utf-8")
        return
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)
        raise


def check_place(path: Path) -> None:
    """Raise OSError where no file can be written: before long work as well as after it."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"--output {path} is a folder; expected a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"--output {path}: there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"--output {path}: the folder {target.parent} may not be written to")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def as_json(value: Any) -> str:
    """Write a value as JSON; NaN and infinity are refused, since JSON has neither."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> list[str]:
    r"""Align columns: the first `left` to the left, the others to the right.

    Examples
    --------
    >>> print("\n".join(aligned(["name", "n"], [["a", "10"], ["bcdef", "2"]])))
    name    n
    a      10
    bcdef   2
    """
    table = [list(header), *map(list, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
