"""What an exercise is: its data, its right answers, and the mistakes that deserve a word of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Data", "Exercise", "Slip", "Wrong"]

#: From the data of an exercise to an answer; and the data, by name.
Solution = Callable[..., Any]
Data = Mapping[str, Any]


class Wrong(Exception):
    """An answer that is not accepted; the text says what is wrong with it, and never what is right."""


@dataclass(frozen=True)
class Slip:
    """A common mistake: a function of the data that makes it, and what to say to whoever did."""

    mistake: Solution
    message: str


@dataclass(frozen=True)
class Exercise:
    """An exercise of a lesson, and all that is needed to judge an answer to it; the lesson states its level and minutes."""

    name: str  #: A short word, the only one of its kind in the book.
    number: int  #: Its place in the lesson.
    #: Which of the things that one will be able to do it exercises, counted from 1.
    objectives: tuple[int, ...]
    asks: str  #: What is handed in, as "the variance, a number".
    #: From a random generator to the data of one student, by name. Functions that are handed in are called
    #: with them.
    draw: Callable[[np.random.Generator], Data]
    #: From the data to the right answer; None where many are right, and `judge` says which.
    solution: Solution | None = None
    #: The data of the lesson itself; None where only a student's data, or a function, can be judged.
    own: Callable[[], Data] | None = None
    slips: tuple[Slip, ...] = ()  #: Mistakes that get a word of their own.
    parts: tuple[str, ...] = ("answer",)  #: The names of the numbers or arrays that make up the answer.
    #: Takes an answer and the data, and raises `Wrong`; None where an answer is right that equals that of the
    #: solution.
    judge: Callable[..., None] | None = None
    #: rtol, atol: how near an answer must come.
    rtol: float = 1e-3
    atol: float = 1e-9
    praise: str = ""  #: A sentence for a right answer.
    #: How to grade what no program can judge: for each criterion, what earns 0, 1, and 2 points. The plan of the
    #: course reads it from `rubrics.toml`, and also fills in the lesson's name in the contents.
    rubric: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lesson: str = ""
