"""The functions `check`, which judges an answer, and `variant`, which returns individual data."""

from __future__ import annotations

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

__all__ = ["Result", "Variant", "check", "variant"]

#: Names of additional data sets on which a function is tested, since one result may be correct by chance.
OTHERS = ("a first", "another", "a third")


@dataclass(frozen=True)
class Result:
    """Result of `check`: whether the answer is correct, and the message."""

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

    >>> mine = variant("half", student="Ada")
    >>> 1 < mine.dimensions < 2
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
        return "\n".join([*lines, *(f"  {key} = {_short(value)}" for key, value in self._data.items())])


def check(name: str, *answers: Any, student: str | None = None) -> Result:
    """Check the answer to an exercise, print a message, and return the result.

    An answer is what the exercise asks for (several numbers as a tuple or as arguments), or a function that computes it.
    A function is called with the data of the exercise, in the order of ``variant(name)``, and must be correct for
    several data sets. Every correct answer is accepted, regardless of the method; for a wrong one, the message says
    what is wrong but not what is right.
    """
    exercise = by_name(name)
    if all(answer is ... for answer in answers):
        return _say(exercise, "○", f"not yet. Put in place of the dots: {exercise.asks}.")
    answer = answers[0] if len(answers) == 1 else answers
    who = None if student is None else _name(student)
    try:
        if callable(answer):
            for other in dict.fromkeys((who or OTHERS[0], *OTHERS)):
                try:
                    _judge(exercise, _returned(answer, exercise.name, other), other)
                except Wrong as found:
                    on = f"variant({exercise.name!r}, student={other!r})"
                    raise Wrong(f"{found} (Your function was tried with the data of {on}.)") from None
        elif who is None and exercise.own is None:
            raise Wrong(f"hand in a function, or name the student: check({exercise.name!r}, …, student=…).")
        else:
            _judge(exercise, answer, who)
    except Wrong as found:
        return _say(exercise, "✗", f"not right: {found}")
    return _say(exercise, "✓", f"right. {exercise.praise}".strip())


def variant(name: str, *, student: str | None = None) -> Variant:
    """Return a student's data for an exercise, which depend only on the name and are the same on every call."""
    exercise = by_name(name)
    if student is None and exercise.own is None:
        raise ValueError(f"{name!r} has no data without a student; expected variant({name!r}, student=…)")
    try:
        return Variant(name, student, _data(name, None if student is None else _name(student)))
    except Wrong as error:
        raise ValueError(str(error)) from None


def _name(student: str) -> str:
    """Return a name in the form in which it is hashed, so that different spellings give the same data."""
    return " ".join(unicodedata.normalize("NFKC", student).casefold().split())


@lru_cache(128)
def _kept(name: str, student: str | None) -> Mapping[str, Any]:
    """Return the cached data of a student, or the lesson's data, which may take seconds to create."""
    exercise = by_name(name)
    if student is None:
        assert exercise.own is not None
        try:
            return exercise.own()
        except (ImportError, OSError) as error:  # for example, model weights are not available in the browser
            raise Wrong(f"the lesson's data are not available ({error}). Hand in a function.") from error
    return exercise.draw(generator(name, student))


def generator(name: str, student: str) -> np.random.Generator:
    """Return the random generator of a student's data, which is the same on every machine."""
    digest = hashlib.sha256(f"{name}\n{student}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


def _data(name: str, student: str | None) -> dict[str, Any]:
    """Return a copy of the data, so that changes to the copy do not affect the judgment of answers."""
    return copy.deepcopy(dict(_kept(name, student)))


@lru_cache(128)
def _right(name: str, student: str | None) -> Any:
    solution = by_name(name).solution
    assert solution is not None
    return solution(**_data(name, student))


@lru_cache(128)
def _mistakes(name: str, student: str | None) -> tuple[Any, ...]:
    return tuple(slip.mistake(**_data(name, student)) for slip in by_name(name).slips)


def _returned(function: Callable[..., Any], name: str, student: str) -> Any:
    """Return the result of a student's function on the given data."""
    given = _data(name, student)
    call = f"{getattr(function, '__name__', 'your function')}({', '.join(given)})"
    try:
        inspect.signature(function).bind(*given.values())
    except TypeError:
        raise Wrong(f"your function cannot be called as {call}. Give it these arguments.") from None
    except ValueError:  # a function without a signature, such as a ufunc
        pass
    try:
        with np.errstate(all="ignore"):
            return function(*given.values())
    except Exception as error:
        raise Wrong(
            f"your function raised {type(error).__name__} ({error}) when it was called as {call}."
        ) from error


def _judge(exercise: Exercise, answer: Any, student: str | None) -> None:
    """Raise `Wrong` if an answer is wrong, with a specific message for a common mistake."""
    try:
        if exercise.judge is None:
            answers.compare(exercise, answer, _right(exercise.name, student))
        else:
            try:
                with np.errstate(all="ignore"):
                    exercise.judge(answer, **_data(exercise.name, student))
            except ValueError as error:  # a measure rejects the answer
                raise Wrong(f"your answer cannot be measured ({error}).") from None
    except Wrong:
        for slip, mistaken in zip(exercise.slips, _mistakes(exercise.name, student), strict=True):
            if answers.same(exercise, answer, mistaken):
                raise Wrong(slip.message) from None
        raise
    if exercise.judge is None:
        exact, right = replace(exercise, decimals=()), _right(exercise.name, student)
        mistakes = [] if answers.same(exact, answer, right) else _mistakes(exercise.name, student)
        if any(answers.same(exercise, answer, m) and not answers.same(exact, m, right) for m in mistakes):
            raise Wrong("after rounding, a common mistake gives the same numbers. Hand in more decimals.")


def _say(exercise: Exercise, mark: str, text: str) -> Result:
    message = f"{mark} {exercise.name}: {text}"
    try:
        print(message)
    except UnicodeEncodeError:  # the terminal cannot show the check mark, but the words suffice
        print(message.encode("ascii", "replace").decode())
    return Result(exercise.name, mark == "✓", message)


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray) and value.size > 12:
        return f"an array of the shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 70 else f"{text[:67]}…"
