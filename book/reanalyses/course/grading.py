"""Grading of a notebook that a student handed in.

The notebook's code runs in a process with limits, and another process judges the recorded answers (`handed_in`). This
module starts both processes and reads the judgments.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from reanalyses.course.plan import LESSONS, exercises

__all__ = ["Row", "grade", "notebooks"]

#: Maximum size of a notebook in bytes.
LARGEST = 100_000_000
_CHECK = re.compile(r"\bcheck\(\s*([\"'])(.+?)\1")


class Row(NamedTuple):
    """Result of a student in one exercise or, without an exercise, an error in the whole notebook."""

    student: str  #: Name of the file.
    lesson: str
    exercise: str
    variant: str  #: Name whose data the answer refers to.
    points: int
    most: int
    comment: str  #: The message of `check`, or the reason why there is no answer.


def notebooks(folder: Path) -> list[Path]:
    """Return the notebooks in a folder, sorted by name."""
    found = sorted(file for file in folder.iterdir() if file.suffix == ".ipynb" and file.is_file())
    if not found:
        raise ValueError(f"{folder} contains no notebook; expected a file STUDENT.ipynb for each student")
    return found


def grade(file: Path, lesson: str | None = None, *, own: bool = False, seconds: int = 300) -> Iterator[Row]:
    """Run a notebook, and yield one row per exercise of the given lesson, or of all lessons in the notebook.

    If `own` is true, only functions and answers about the student's own data earn points.
    """
    if lesson is not None and lesson not in LESSONS:
        raise ValueError(f"--lesson is {lesson!r}; expected one of {', '.join(LESSONS)}")
    cells, problem = [], "No cell checks an exercise."
    try:
        cells = _code(file)
    except (ValueError, OSError, RecursionError) as error:
        problem = f"This is not a notebook: {error}."
    where = {found[2]: place for place, code in enumerate(cells, 1) for found in _CHECK.finditer(code)}
    lessons = {lesson} if lesson else {one.lesson for one in exercises() if one.name in where}
    if not lessons:
        yield Row(file.stem, "", "", "", 0, 0, problem)
    found: dict[str, Any] = {"rows": {}}
    if where and lessons:
        found = _graded(cells, (file.stem, str(seconds), *["own"] * own), seconds)
    for one in (one for one in exercises() if one.lesson in lessons):
        variant, right, comment = found["rows"].get(one.name, ("", False, ""))
        if not comment:
            comment = _missing(one.name, where.get(one.name), found) if where else problem
        yield Row(file.stem, one.lesson, one.name, variant, int(right), 1, comment)


def _code(file: Path) -> list[str]:
    """Return the code cells of a notebook."""
    if file.stat().st_size > LARGEST:
        raise ValueError(f"the file has more than {LARGEST:,} bytes")
    notebook = json.loads(file.read_text(encoding="utf-8"))
    try:
        return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (TypeError, KeyError):
        raise ValueError("the file has no cells of nbformat 4") from None


def _missing(name: str, place: int | None, found: dict[str, Any]) -> str:
    """Return the reason why an exercise has no answer."""
    if place is None:
        return f'Not handed in: no cell contains check("{name}", …).'
    if error := found["errors"].get(str(place)):
        return f"Not handed in: code cell {place} stopped with {error}"
    if found["ended"] and found["cell"] <= place:
        return f"Not handed in: {found['ended']} in code cell {found['cell']}."
    return "Not handed in: the dots were not replaced, or the check did not run."


def _graded(cells: list[str], words: tuple[str, ...], seconds: int) -> dict[str, Any]:
    """Run cells and judge their answers; if the run did not reach the end, add the reason."""
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as notes,
        tempfile.TemporaryFile() as told,
    ):
        given.write(json.dumps(cells).encode())
        late = _process(("run", *words), given, notes, seconds) is None
        if _process(("judge", *words), notes, told, seconds) != 0:
            return {"cell": 0, "errors": {}, "rows": {}, "ended": "the answers are too large to judge"}
        told.seek(0)
        found: dict[str, Any] = json.load(told)
    ended = f"it took more than {seconds} seconds" if late else "Python ended"
    return {**found, "ended": ended if late or found["cell"] <= len(cells) else ""}


def _process(words: tuple[str, ...], read: IO[bytes], written: IO[bytes], seconds: int) -> int | None:
    """Run `handed_in` in an empty folder with a minimal environment; return None after a timeout."""
    read.seek(0)
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as folder:
        environment = {
            name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ
        }
        environment |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP"), folder)
        environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment |= {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        process = subprocess.Popen(
            [sys.executable, "-m", "reanalyses.course.handed_in", *words],
            stdin=read,
            stdout=written,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            start_new_session=True,
            env=environment,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError, PermissionError, AttributeError):
                os.killpg(process.pid, signal.SIGKILL)  # including the processes that it started
            process.kill()
            process.wait()
