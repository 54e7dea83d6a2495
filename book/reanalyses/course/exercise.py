"""Description of an exercise: its data, its solution, and common mistakes with their own messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Data", "Exercise", "Slip", "Wrong"]

#: A function from the data of an exercise to an answer, and the data by name.
Solution = Callable[..., Any]
Data = Mapping[str, Any]


class Wrong(Exception):
    """Error for a wrong answer; the message says what is wrong but does not reveal the solution."""


@dataclass(frozen=True)
class Slip:
    """A common mistake: a function of the data that makes it, and the message for students who made it."""

    mistake: Solution
    message: str


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson, with what is needed to judge an answer; the lesson has its level and minutes."""

    name: str  #: A short name, unique in the book.
    number: int  #: Position in the lesson.
    #: Learning objectives that the exercise practices, counted from 1.
    objectives: tuple[int, ...]
    asks: str  #: Expected answer, such as "the variance, a number".
    #: Function from a random generator to the data of one student, by name. Functions that students hand in
    #: are called with these data.
    draw: Callable[[np.random.Generator], Data]
    #: Function from the data to the solution; None if several answers are correct and `judge` decides.
    solution: Solution | None = None
    #: The data of the lesson itself; None if only a student's data, or a function, can be judged.
    own: Callable[[], Data] | None = None
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
