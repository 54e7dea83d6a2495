"""Grading of a notebook that a student handed in.

The notebook's code runs in a process with limits, and another process judges the recorded answers (`handed_in`). This
module starts both processes and reads the judgments.
"""

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

#: Maximum size of a notebook in bytes.
MAX_NOTEBOOK_BYTES = 100_000_000
_CHECK = re.compile(r"\bcheck\(\s*([\"'])(.+?)\1")


class Row(NamedTuple):
    """Result of a student in one exercise, or an error in the whole notebook if `exercise` is empty."""

    student: str  #: Name of the file without its suffix.
    lesson: str
    exercise: str
    variant: str  #: Name of the student whose data the answer uses, or "the lesson".
    points: int
    most: int  #: Maximum points.
    comment: str  #: The message of `check`, or the reason why there is no answer.


def notebooks(folder: Path) -> list[Path]:
    """Return the notebooks in a folder, sorted by name."""
    files = sorted(file for file in folder.iterdir() if file.suffix == ".ipynb" and file.is_file())
    if not files:
        raise ValueError(f"{folder} contains no notebook; expected a file STUDENT.ipynb for each student")
    return files


def grade(
    file: Path, lesson: str | None = None, *, variants_only: bool = False, seconds: int = 300
) -> Iterator[Row]:
    """Run a notebook, and yield one row per exercise of the given lesson, or of all lessons in the notebook.

    If `variants_only` is true, only functions and answers about the student's own data earn points.
    """
    if lesson is not None and lesson not in LESSONS:
        raise ValueError(f"--lesson is {lesson!r}; expected one of {', '.join(LESSONS)}")
    cells, reason = [], "No cell checks an exercise."
    try:
        cells = _read_code_cells(file)
    except (ValueError, OSError, RecursionError) as error:
        reason = f"This is not a notebook: {error}."
    cell_of = {match[2]: number for number, code in enumerate(cells, 1) for match in _CHECK.finditer(code)}
    lessons = {lesson} if lesson else {item.lesson for item in exercises() if item.name in cell_of}
    if not lessons:
        yield Row(file.stem, "", "", "", 0, 0, reason)
    judgment: dict[str, Any] = {"rows": {}}
    if cell_of and lessons:
        judgment = _run_and_judge(cells, (file.stem, str(seconds), *["own"] * variants_only), seconds)
    for exercise in (exercise for exercise in exercises() if exercise.lesson in lessons):
        variant, is_right, comment = judgment["rows"].get(exercise.name, ("", False, ""))
        if not comment:
            cell = cell_of.get(exercise.name)
            comment = _reason_without_answer(exercise.name, cell, judgment) if cell_of else reason
        yield Row(file.stem, exercise.lesson, exercise.name, variant, int(is_right), 1, comment)


def _read_code_cells(file: Path) -> list[str]:
    """Return the code cells of a notebook."""
    if file.stat().st_size > MAX_NOTEBOOK_BYTES:
        raise ValueError(f"the file has more than {MAX_NOTEBOOK_BYTES:,} bytes")
    notebook = json.loads(file.read_text(encoding="utf-8"))
    try:
        return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (TypeError, KeyError):
        raise ValueError("the file has no cells of nbformat 4") from None


def _reason_without_answer(name: str, cell_number: int | None, judgment: dict[str, Any]) -> str:
    """Return the reason why an exercise has no answer."""
    if cell_number is None:
        return f'Not handed in: no cell contains check("{name}", …).'
    if error := judgment["errors"].get(str(cell_number)):
        return f"Not handed in: code cell {cell_number} stopped with {error}"
    if judgment["ended"] and judgment["cell"] <= cell_number:
        return f"Not handed in: {judgment['ended']} in code cell {judgment['cell']}."
    return "Not handed in: the dots were not replaced, or the check did not run."


def _run_and_judge(cells: list[str], arguments: tuple[str, ...], seconds: int) -> dict[str, Any]:
    """Run cells and judge their answers; add the reason if the run did not reach the end."""
    with (
        tempfile.TemporaryFile() as code,
        tempfile.TemporaryFile() as records,
        tempfile.TemporaryFile() as output,
    ):
        code.write(json.dumps(cells).encode())
        timed_out = _run_process(("run", *arguments), code, records, seconds) is None
        if _run_process(("judge", *arguments), records, output, seconds) != 0:
            return {"cell": 0, "errors": {}, "rows": {}, "ended": "the answers are too large to judge"}
        output.seek(0)
        judgment: dict[str, Any] = json.load(output)
    ended = f"it took more than {seconds} seconds" if timed_out else "Python ended"
    return {**judgment, "ended": ended if timed_out or judgment["cell"] <= len(cells) else ""}


def _run_process(args: tuple[str, ...], source: IO[bytes], target: IO[bytes], seconds: int) -> int | None:
    """Run `handed_in` in an empty folder with a minimal environment; return None after a timeout."""
    source.seek(0)
    with tempfile.TemporaryDirectory(prefix="grade-", ignore_cleanup_errors=True) as folder:
        environment = {
            name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ
        }
        environment |= dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP"), folder)
        environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        environment |= {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
        process = subprocess.Popen(
            [sys.executable, "-m", "reanalyses.course.handed_in", *args],
            stdin=source,
            stdout=target,
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
