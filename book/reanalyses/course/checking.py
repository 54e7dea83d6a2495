"""The functions `check`, which judges an answer, and `variant`, which returns individual data."""

import copy
import hashlib
import inspect
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from reanalyses.course import answers
from reanalyses.course.exercise import Exercise, Wrong
from reanalyses.course.plan import by_name

#: Names of additional students with whose data a function is tested, since one result may be correct by chance.
EXTRA_STUDENTS = ("a first", "another", "a third")


@dataclass(frozen=True)
class Result:
    """The result of `check`: whether the answer is correct, and the message."""

    name: str  #: Name of the exercise.
    passed: bool
    message: str  #: The printed message.

    def __bool__(self) -> bool:
        """Return whether the answer is correct."""
        return self.passed

    def __repr__(self) -> str:
        return f"<{self.name}: {'passed' if self.passed else 'not passed'}>"

    def _ipython_display_(self) -> None:
        """Display nothing, since the message has already been printed."""


class Variant(Mapping[str, Any]):
    """The data of one student: ``data.X`` or ``data["X"]``, or ``f(**data)`` to pass all data to a function f.

    >>> data = variant("half", student="Ada")
    >>> 1 < data.dimensions < 2
    True
    """

    def __init__(self, name: str, student: str | None, data: Mapping[str, Any]) -> None:
        self._name, self._student, self._data = name, student, dict(data)

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_") or key not in self._data:
            raise AttributeError(
                f"{key!r} is not among this exercise's data: {', '.join(self.__dict__.get('_data', ()))}"
            )
        return self._data[key]

    def __repr__(self) -> str:
        lines = [f"{self._name}, {'the lesson' if self._student is None else self._student}:"]
        return "\n".join([*lines, *(f"  {key} = {_abbreviate(value)}" for key, value in self._data.items())])


def check(name: str, *answers: Any, student: str | None = None) -> Result:
    """Check the answer to an exercise, print a message, and return the result.

    An answer is what the exercise asks for (several numbers as a tuple or as arguments), or a function that computes it.
    A function is called with the data of the exercise, in the order of ``variant(name)``, and must be correct for
    several data sets. Every correct answer is accepted, regardless of the method. For a wrong answer, the message says
    what is wrong without giving the solution.
    """
    exercise = by_name(name)
    if all(answer is ... for answer in answers):
        return _print_result(exercise, "○", f"not yet. Put in place of the dots: {exercise.asks}.")
    answer = answers[0] if len(answers) == 1 else answers
    own_key = None if student is None else _normalize_name(student)
    try:
        if callable(answer):
            for key in dict.fromkeys((own_key or EXTRA_STUDENTS[0], *EXTRA_STUDENTS)):
                try:
                    _judge(exercise, _call_function(answer, exercise.name, key), key)
                except Wrong as wrong:
                    call = f"variant({exercise.name!r}, student={key!r})"
                    raise Wrong(f"{wrong} (Your function was tried with the data of {call}.)") from None
        elif own_key is None and exercise.lesson_data is None:
            raise Wrong(f"hand in a function, or name the student: check({exercise.name!r}, …, student=…).")
        else:
            _judge(exercise, answer, own_key)
    except Wrong as wrong:
        return _print_result(exercise, "✗", f"not right: {wrong}")
    return _print_result(exercise, "✓", f"right. {exercise.praise}".strip())


def variant(name: str, *, student: str | None = None) -> Variant:
    """Return a student's data for an exercise, which depend only on the name and are the same on every call."""
    exercise = by_name(name)
    if student is None and exercise.lesson_data is None:
        raise ValueError(f"{name!r} has no data without a student; expected variant({name!r}, student=…)")
    try:
        return Variant(name, student, _data(name, None if student is None else _normalize_name(student)))
    except Wrong as error:
        raise ValueError(str(error)) from None


def _normalize_name(student: str) -> str:
    """Return a name in the form that is hashed, so that different spellings give the same data."""
    return " ".join(unicodedata.normalize("NFKC", student).casefold().split())


@lru_cache(128)
def _cached_data(name: str, student: str | None) -> Mapping[str, Any]:
    """Return the cached data of a student, or the lesson's data, which may take seconds to create."""
    exercise = by_name(name)
    if student is None:
        assert exercise.lesson_data is not None
        try:
            return exercise.lesson_data()
        except (ImportError, OSError) as error:  # for example, model weights are not available in the browser
            raise Wrong(f"the lesson's data are not available ({error}). Hand in a function.") from error
    return exercise.draw(generator(name, student))


def generator(name: str, student: str) -> np.random.Generator:
    """Return the random generator of a student's data, which is the same on every machine."""
    digest = hashlib.sha256(f"{name}\n{student}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def _data(name: str, student: str | None) -> dict[str, Any]:
    """Return a copy of the data, so that a student's changes to the copy do not affect the judgment."""
    return copy.deepcopy(dict(_cached_data(name, student)))


@lru_cache(128)
def _cached_solution(name: str, student: str | None) -> Any:
    solution = by_name(name).solution
    assert solution is not None
    return solution(**_data(name, student))


@lru_cache(128)
def _cached_mistakes(name: str, student: str | None) -> tuple[Any, ...]:
    return tuple(slip.mistake(**_data(name, student)) for slip in by_name(name).slips)


def _call_function(function: Callable[..., Any], name: str, student: str) -> Any:
    """Return the result of a student's function on the given data."""
    data = _data(name, student)
    call = f"{getattr(function, '__name__', 'your function')}({', '.join(data)})"
    try:
        inspect.signature(function).bind(*data.values())
    except TypeError:
        raise Wrong(f"your function cannot be called as {call}. Give it these arguments.") from None
    except ValueError:  # a function without a signature, such as a ufunc
        pass
    try:
        with np.errstate(all="ignore"):
            return function(*data.values())
    except Exception as error:
        raise Wrong(
            f"your function raised {type(error).__name__} ({error}) when it was called as {call}."
        ) from error


def _judge(exercise: Exercise, answer: Any, student: str | None) -> None:
    """Raise `Wrong` if an answer is wrong, with a specific message for a common mistake."""
    try:
        if exercise.judge is None:
            answers.compare(exercise, answer, _cached_solution(exercise.name, student))
        else:
            try:
                with np.errstate(all="ignore"):
                    exercise.judge(answer, **_data(exercise.name, student))
            except ValueError as error:  # a measure rejects the answer
                raise Wrong(f"your answer cannot be measured ({error}).") from None
    except Wrong:
        for slip, mistake in zip(exercise.slips, _cached_mistakes(exercise.name, student), strict=True):
            if answers.is_equal(exercise, answer, mistake):
                raise Wrong(slip.message) from None
        raise
    if exercise.judge is None:
        unrounded, solution = replace(exercise, decimals=()), _cached_solution(exercise.name, student)
        if answers.is_equal(unrounded, answer, solution):
            return
        equal = (m for m in _cached_mistakes(exercise.name, student) if answers.is_equal(exercise, answer, m))
        if not all(answers.is_equal(unrounded, mistake, solution) for mistake in equal):
            raise Wrong("after rounding, a common mistake gives the same numbers. Hand in more decimals.")


def _print_result(exercise: Exercise, symbol: str, text: str) -> Result:
    message = f"{symbol} {exercise.name}: {text}"
    try:
        print(message)
    except UnicodeEncodeError:  # the terminal cannot show the check mark, but the words suffice
        print(message.encode("ascii", "replace").decode())
    return Result(exercise.name, symbol == "✓", message)


def _abbreviate(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.size > 12:
        return f"an array of the shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 70 else f"{text[:67]}…"
