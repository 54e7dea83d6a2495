"""Write the folder of a course: ``python scripts/make_course.py``, or ``make course``.

Lessons that the build of the book has not executed yet are executed first, and kept where the build finds them. What the
folder holds, and how it is written, is in ``reanalyses.course.kit``.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from jupyter_cache import get_cache

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "scripts")]

import build_book  # noqa: E402
import inline_expressions  # noqa: E402

from reanalyses import lessons  # noqa: E402
from reanalyses.course.kit import Lesson, made_before, write  # noqa: E402


def lesson_files(root: Path) -> list[Path]:
    """Return the notebooks of the lessons, in the order of the contents."""
    return [file for file in build_book.notebooks(root) if lessons.read(file).kind == "lesson"]


def executed(root: Path, file: Path) -> Lesson:
    """Return a lesson with the outputs and the texts that the build keeps."""
    book = root / "book"
    name = file.relative_to(book).with_suffix("").as_posix()
    plain = nbformat.read(file, as_version=4)
    texts = inline_expressions.kept(book, name, plain)
    if texts is None:
        raise RuntimeError(f"nothing is kept of {name}; expected that it has been executed")
    _, merged = get_cache(book / "_build" / ".jupyter_cache").merge_match_into_notebook(plain)
    cells: list[dict[str, Any]] = [dict(cell) for cell in merged.cells]
    return Lesson(name, tuple(cells), texts)


def main() -> int:
    """Parse the command line, execute what is missing, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", type=Path, default=ROOT / "book" / "_build" / "course", help="where to")
    options = parser.parse_args()
    start = time.monotonic()
    for name, value in (("OMP_NUM_THREADS", "1"), ("PYDEVD_DISABLE_FILE_VALIDATION", "1")):
        os.environ.setdefault(name, value)
    try:
        made_before(options.to)  # before the minutes of an execution
    except FileExistsError as error:
        print(f"No course was written: {error}", file=sys.stderr)
        return 1
    build_book.prepare(ROOT)
    files = lesson_files(ROOT)
    if errors := build_book.execute_notebooks(ROOT, files):
        for name, error in errors.items():
            print(f"\n--- {name}\n{build_book.plain(error)}", file=sys.stderr)
        print("\nNo course was written.", file=sys.stderr)
        return 1
    try:
        lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
        folder = write(
            options.to,
            [executed(ROOT, file) for file in files],
            lock,
            say=lambda words: print(words, flush=True),
        )
    except FileExistsError as error:
        print(f"No course was written: {error}", file=sys.stderr)
        return 1
    print(
        f"Done in {build_book.duration(time.monotonic() - start)}. Begin with {folder / 'README.md'}",
        flush=True,
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
