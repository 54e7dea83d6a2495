"""Execution of a notebook's cells, which records the arguments of `check`, and judgment of these records.

`grading` starts a process for each step. The first process runs a student's code, so its output is trusted only as an
answer. The second process reads the records, which are JSON, and runs no code of a student.
"""

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

Record = dict[str, Any]
#: CLONE_NEWUSER and CLONE_NEWNET of Linux, which give the process a network without connections.
ISOLATION_FLAGS = 0x10000000 | 0x40000000
#: Maximum bytes of memory (lessons need up to two gigabytes, including memory-mapped weights) and of each written
#: file, and maximum characters of a recorded error message.
MAX_MEMORY, MAX_FILE_SIZE, MAX_MESSAGE_LENGTH = 3 * 2**30, 2**26, 300


def limit_resources(seconds: int) -> None:
    """Limit the resources of this process and its children as far as the operating system allows."""
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).unshare(ISOLATION_FLAGS)
    with suppress(ImportError):
        import resource

        for resource_type, limit in (
            (resource.RLIMIT_CPU, seconds + 1),
            (resource.RLIMIT_AS, MAX_MEMORY),
            (resource.RLIMIT_FSIZE, MAX_FILE_SIZE),
            (resource.RLIMIT_CORE, 0),
        ):
            with suppress(ValueError, OSError):
                resource.setrlimit(resource_type, (limit, limit))


def run_cells(cells: Sequence[str], student: str, write_record: Callable[[Record], None]) -> None:
    """Run cells in order, and record the start, the errors, and the checked answers of each cell."""
    cell_number = 0

    def hand_in(name: str, *answers: Any, student: str | None = None) -> checking.Result:
        exercise, is_given = by_name(name), any(answer is not ... for answer in answers)
        if is_given:
            answer = answers[0] if len(answers) == 1 else answers
            write_record({"exercise": exercise.name, **_answer_record(exercise, answer, own_key, student)})
        return checking.Result(exercise.name, is_given, "handed in")

    own_key = checking._normalize_name(student)
    course.check = checking.check = hand_in
    namespace: dict[str, Any] = {"__name__": "__main__", "display": lambda *shown, **options: None}
    for cell_number, code in enumerate(cells, 1):
        write_record({"cell": cell_number})
        try:
            exec(_compile(code, f"cell {cell_number}"), namespace)  # noqa: S102 in a process with limits
        except BaseException as error:
            write_record({"error": _error_text(error)})
    write_record({"cell": cell_number + 1})


def _compile(code: str, name: str) -> Any:
    try:
        return compile(code, name, "exec")
    except SyntaxError:  # perhaps because of IPython syntax, such as %matplotlib inline
        return compile(re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", code), name, "exec")


def _answer_record(exercise: Exercise, answer: Any, own_key: str, student: str | None) -> Record:
    """Return an answer in a form that JSON can represent; replace a function by its values for several data sets."""
    if not callable(answer):
        return {"of": student, "value": _to_json_value(answer)}
    values = []
    for key in dict.fromkeys((own_key, *checking.EXTRA_STUDENTS)):
        try:
            values.append({"value": _to_json_value(checking._call_function(answer, exercise.name, key))})
        except Wrong as error:
            values.append({"wrong": str(error)[:MAX_MESSAGE_LENGTH]})
            break
    return {"of": own_key, "values": values}


def _to_json_value(value: Any) -> Any:
    """Return a value as numbers, texts, lists, and dictionaries; raise TypeError if that is not possible."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "to_dict") and getattr(value, "ndim", 0) == 2:  # a pandas DataFrame
        value = value.to_dict("list")
    if isinstance(value, Mapping):
        return {str(key): _to_json_value(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        items = value.tolist()
        return items if value.dtype.kind in "buif" else _to_json_value(items)
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [_to_json_value(item) for item in value]
    raise TypeError(f"the answer is of type {type(value).__name__}; expected numbers, text, lists, or tables")


def _error_text(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:MAX_MESSAGE_LENGTH]
    except BaseException:  # raised by a class that the student wrote
        return type(error).__name__[:MAX_MESSAGE_LENGTH]


def judge_records(lines: Iterable[str], student: str, variants_only: bool) -> Record:
    """Judge the recorded answers.

    The result has the last cell that began, the errors by cell, and for each exercise with an answer, whose
    data the answer uses, whether it is correct, and the message of `check`. If `variants_only` is true,
    answers that use the lesson's data are wrong.
    """
    own_key, exercise_names = checking._normalize_name(student), {exercise.name for exercise in exercises()}
    cell, errors = 0, dict[int, str]()
    last_records, n_times = dict[str, Record](), dict[str, int]()
    for line in lines:
        try:
            record: Record = json.loads(line)
            if "cell" in record:
                cell = int(record["cell"])
            elif "error" in record:
                errors[cell] = str(record["error"])[:MAX_MESSAGE_LENGTH]
            elif record["exercise"] in exercise_names:
                name = str(record["exercise"])
                last_records[name], n_times[name] = record, n_times.get(name, 0) + 1
        except (ValueError, TypeError, KeyError, RecursionError):  # not written by `write_record`
            continue
    rows = {}
    for name, answer in last_records.items():
        try:
            _judge(by_name(name), answer, own_key, variants_only)
            is_right, comment = True, f"right. {by_name(name).praise}".strip()
        except Wrong as wrong:
            is_right, comment = False, f"not right: {wrong}"
        except Exception as error:  # raised by an answer that no check expects
            is_right, comment = False, f"not right: the answer cannot be judged ({_error_text(error)})."
        if n_times[name] > 1:
            comment += f" (The answer was handed in {n_times[name]} times; the last one was graded.)"
        rows[name] = (str(answer.get("of") or "the lesson")[:MAX_MESSAGE_LENGTH], is_right, comment)
    return {"cell": cell, "errors": errors, "rows": rows}


def _judge(exercise: Exercise, record: Record, own_key: str, variants_only: bool) -> None:
    if "values" in record:
        students = dict.fromkeys((own_key, *checking.EXTRA_STUDENTS))
        for student, value in zip(students, record["values"], strict=False):
            if "wrong" in value:
                raise Wrong(str(value["wrong"])[:MAX_MESSAGE_LENGTH])
            checking._judge(exercise, value["value"], student)
        if len(record["values"]) < len(students):
            raise Wrong("your function was not tried with all data sets.")
        return
    key = None if record["of"] is None else checking._normalize_name(str(record["of"]))
    if key is None and (variants_only or exercise.lesson_data is None):
        raise Wrong(f"the answer does not use the data of variant({exercise.name!r}, student={own_key!r}).")
    if key not in (None, own_key):
        raise Wrong(f"the answer uses the data of {key!r}; expected the data of {own_key!r}.")
    checking._judge(exercise, record["value"], key)


def main(task: str, student: str, seconds: str, variants_only: str = "") -> None:
    """Run or judge cells: read from standard input, and write to standard output."""
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # output of a student's code must not mix with the records

    def write_record(record: Record) -> None:
        line = json.dumps(record).encode() + b"\n"
        while line:
            line = line[os.write(output, line) :]

    limit_resources(int(seconds))
    if task == "run":
        run_cells(json.load(sys.stdin), student, write_record)
    else:
        write_record(judge_records(sys.stdin, student, bool(variants_only)))
    os._exit(0)  # also if threads are still running


if __name__ == "__main__":
    main(*sys.argv[1:])
