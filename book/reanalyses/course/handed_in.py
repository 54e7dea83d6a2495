"""Execution of a notebook's cells with a record of arguments of `check`, and judgment of these records.

`grading` starts both processes. The first one runs a student's code, so its output is trusted only as an answer. The
second one reads the records, which are JSON, and runs no code of a student.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from reanalyses import course
from reanalyses.course import checking
from reanalyses.course.exercise import Exercise, Wrong
from reanalyses.course.plan import by_name, exercises

__all__ = ["judged", "main", "noted"]

Note = dict[str, Any]
#: CLONE_NEWUSER and CLONE_NEWNET of Linux, which give the process a network without connections.
ALONE = 0x10000000 | 0x40000000
#: Bytes of memory (lessons need up to two gigabytes, including memory-mapped weights) and of each written
#: file; characters of an error message that are kept.
MEMORY, LARGEST_FILE, LONGEST = 3 * 2**30, 2**26, 300


def limited(seconds: int) -> None:
    """Limit the resources of this process and its children as far as the operating system allows."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).unshare(ALONE)
    with suppress(ImportError):
        import resource

        for kind, most in (
            (resource.RLIMIT_CPU, seconds + 1),
            (resource.RLIMIT_AS, MEMORY),
            (resource.RLIMIT_FSIZE, LARGEST_FILE),
            (resource.RLIMIT_CORE, 0),
        ):
            with suppress(ValueError, OSError):
                resource.setrlimit(kind, (most, most))


def noted(cells: Sequence[str], student: str, note: Callable[[Note], None]) -> None:
    """Run cells in order; record the beginning, the errors, and the checked answers of each cell."""
    place = 0

    def hand_in(name: str, answer: Any = ..., *, student: str | None = None) -> checking.Result:
        exercise = by_name(name)
        if answer is not ...:
            note({"exercise": exercise.name, **_answer(exercise, answer, me, student)})
        return checking.Result(exercise.name, answer is not ..., "handed in")

    me = checking._name(student)
    course.check = checking.check = hand_in
    names: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown, **options: None}
    for place, code in enumerate(cells, 1):
        note({"cell": place})
        try:
            exec(_compiled(code, f"cell {place}"), names)  # noqa: S102 in a process with limits
        except BaseException as error:
            note({"error": _words(error)})
    note({"cell": place + 1})


def _compiled(code: str, name: str) -> Any:
    try:
        return compile(code, name, "exec")
    except SyntaxError:  # perhaps because of IPython syntax, such as %matplotlib inline
        return compile(re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", code), name, "exec")


def _answer(exercise: Exercise, answer: Any, me: str, student: str | None) -> Note:
    """Return an answer in a form that JSON can represent; a function becomes its values for several data sets."""
    if not callable(answer):
        return {"of": student, "value": _plain(answer)}
    found = []
    for who in dict.fromkeys((me, *checking.OTHERS)):
        try:
            found.append({"value": _plain(checking._returned(answer, exercise.name, who))})
        except Wrong as wrong:
            found.append({"wrong": str(wrong)[:LONGEST]})
            break
    return {"of": me, "values": found}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "to_dict") and getattr(value, "ndim", 0) == 2:  # a pandas DataFrame
        value = value.to_dict("list")
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        listed = value.tolist()
        return listed if value.dtype.kind in "buif" else _plain(listed)
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [_plain(one) for one in value]
    raise TypeError(f"the answer is of type {type(value).__name__}; expected numbers, text, lists, or tables")


def _words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:LONGEST]
    except BaseException:  # raised by a class that the student wrote
        return type(error).__name__[:LONGEST]


def judged(lines: Iterable[str], student: str, own: bool) -> Note:
    """Judge the recorded answers.

    Returns the last cell that began, the error of each cell that failed, and for each exercise with an answer, whose
    data it refers to, whether it is correct, and the message of `check`. If `own` is true, the lesson's data do not
    count.
    """
    me, known = checking._name(student), {exercise.name for exercise in exercises()}
    cell, errors, last, times = 0, dict[int, str](), dict[str, Note](), dict[str, int]()
    for line in lines:
        try:
            found: Note = json.loads(line)
            if "cell" in found:
                cell = int(found["cell"])
            elif "error" in found:
                errors[cell] = str(found["error"])[:LONGEST]
            elif found["exercise"] in known:
                name = str(found["exercise"])
                last[name], times[name] = found, times.get(name, 0) + 1
        except (ValueError, TypeError, KeyError, RecursionError):  # the records were not written by `noted`
            continue
    rows = {}
    for name, answer in last.items():
        try:
            _judge(by_name(name), answer, me, own)
            right, comment = True, f"right. {by_name(name).praise}".strip()
        except Wrong as wrong:
            right, comment = False, f"not right: {wrong}"
        except Exception as error:  # raised by an answer that no check expects
            right, comment = False, f"not right: the answer cannot be judged ({_words(error)})."
        if times[name] > 1:
            comment += f" (The answer was handed in {times[name]} times; the last one was graded.)"
        rows[name] = (str(answer.get("of") or "the lesson")[:LONGEST], right, comment)
    return {"cell": cell, "errors": errors, "rows": rows}


def _judge(exercise: Exercise, found: Note, me: str, own: bool) -> None:
    if "values" in found:
        students = dict.fromkeys((me, *checking.OTHERS))
        for student, one in zip(students, found["values"], strict=False):
            if "wrong" in one:
                raise Wrong(str(one["wrong"])[:LONGEST])
            checking._judge(exercise, one["value"], student)
        if len(found["values"]) < len(students):
            raise Wrong("your function was not tried with all data sets.")
        return
    who = None if found["of"] is None else checking._name(str(found["of"]))
    if who is None and (own or exercise.own is None):
        raise Wrong(f"the answer does not use the data of variant({exercise.name!r}, student={me!r}).")
    if who not in (None, me):
        raise Wrong(f"the answer uses the data of {who!r}; expected the data of {me!r}.")
    checking._judge(exercise, found["value"], who)


def main(what: str, student: str, seconds: str, own: str = "") -> None:
    """Run or judge cells: read from standard input, and write to standard output."""
    notes = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output of a student's code must not mix with the records

    def note(one: Note) -> None:
        text = json.dumps(one).encode() + b"\n"
        while text:
            text = text[os.write(notes, text) :]

    limited(int(seconds))
    if what == "run":
        noted(json.load(sys.stdin), student, note)
    else:
        note(judged(sys.stdin, student, bool(own)))
    os._exit(0)  # also if threads are still running


if __name__ == "__main__":
    main(*sys.argv[1:])
