"""Description of an exercise: its data, its solution, and common mistakes with their own messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: A function from the data of an exercise to an answer; the data are a dictionary of arguments.
Solution = Callable[..., Any]
Data = Mapping[str, Any]


class Wrong(Exception):
    """Error for a wrong answer; its message says what is wrong without revealing the solution."""


@dataclass(frozen=True)
class Slip:
    """A common mistake: the function that gives its answer from the data, and the message for students who made it."""

    mistake: Solution
    message: str


def reverse(solution: Solution) -> Solution:
    """Return a function that gives the parts of a solution in reverse order, a common mistake."""
    return lambda **data: solution(**data)[::-1]


def normalize(rows: Any) -> Any:
    """Return the unit-norm rows of an array."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson, with the data and rules that judge answers; the lesson states its level and minutes."""

    name: str  #: A short name, unique in the book.
    number: int  #: Position in the lesson, from 1.
    #: Learning objectives that the exercise practices, counted from 1.
    objectives: tuple[int, ...]
    asks: str  #: Expected answer, such as "the variance, a number".
    #: Function from a random generator to the data of one student, by name. Functions that students hand in
    #: are called with these data.
    draw: Callable[[np.random.Generator], Data]
    #: Function from the data to the solution; None if several answers are correct and `judge` decides.
    solution: Solution | None = None
    #: Function that returns the data of the lesson itself; None if an answer must be a function or name its student.
    lesson_data: Callable[[], Data] | None = None
    slips: tuple[Slip, ...] = ()  #: Common mistakes that have their own messages.
    parts: tuple[str, ...] = ("answer",)  #: Names of the numbers or arrays that make up the answer.
    #: Function that takes an answer and the data and raises `Wrong`; None if the answer must equal the solution.
    judge: Callable[..., None] | None = None
    #: rtol, atol: tolerances of the comparison with the solution.
    rtol: float = 1e-3
    atol: float = 1e-9
    #: Decimals to which the lesson shows each part (9: not shown). An answer rounded to as many or more is accepted
    #: unless a common mistake gives the same numbers after rounding.
    decimals: tuple[int, ...] = ()
    praise: str = ""  #: A sentence for a correct answer.
    #: How to grade what a program cannot judge: for each criterion, what earns 0, 1, and 2 points. The plan of the
    #: course reads it from `rubrics.toml`, and also fills in the lesson's name in the contents.
    rubric: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lesson: str = ""
