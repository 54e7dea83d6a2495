"""Words about models: their names in errors, lists of them, and what is said of the best."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from isotropy_lab.report.drawing import number
from isotropy_lab.report.meanings import MEANINGS
from isotropy_lab.report.paired import POWER, ModelDifference
from isotropy_lab.report.parts import Line
from isotropy_lab.report.rows import Progress


def called(name: str, argument: str = "models") -> str:
    """Return what errors call the vectors of a model."""
    return f"{argument}[{name!r}]"


@contextmanager
def reworded(words: Mapping[str, str]) -> Iterator[None]:
    """Replace patterns in the messages of errors."""
    try:
        yield
    except (ValueError, TypeError) as error:
        text = str(error)
        for pattern, word in words.items():
            text = re.sub(pattern, word.replace("\\", r"\\"), text)
        raise (ValueError if isinstance(error, ValueError) else TypeError)(text) from error


def about(name: str) -> Any:
    """Name the model in errors about X, questions and documents."""
    return reworded(
        {
            r"\bX\b": called(name),
            r"^questions\b": called(name, "questions"),
            r"^documents\b": called(name, "documents"),
        }
    )


def prefixed(told: Progress, name: str) -> Progress:
    """Return a progress that names the model."""
    return lambda what, done, total: told(
        what if what.startswith(f"{name}: ") else f"{name}: {what}", done, total
    )


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return " and ".join(([", ".join(names[:-1])] if names[:-1] else []) + list(names[-1:]))


def label_of(key: str) -> str:
    """Return what the page calls a measure."""
    return MEANINGS[key].label if key in MEANINGS else key


def tied_notes(tied: Mapping[str, Sequence[str]], level: float) -> list[str]:
    """Return a sentence on each measure: the first, and those not shown to be behind it."""
    return [
        f"{label_of(key)}: {names[0]} is first"
        + (
            f", and {listed(list(names[1:]))} {'was' if len(names) == 2 else 'were'} not shown to be behind it"
            if len(names) > 1
            else " and shown to be"
        )
        + f" (error {1 - level:.2g} over all pairs)."
        for key, names in tied.items()
        if names
    ]


def text_of(line: Line | None) -> str:
    """Return a score with its interval."""
    if line is None or line.value is None:
        return "undefined"
    value = line.value if isinstance(line.value, str) else number(line.value)
    return (
        value
        if line.low is None or line.high is None
        else f"{value} ({number(line.low)} to {number(line.high)})"
    )


def verdict(key: str, names: Sequence[str], differences: Sequence[ModelDifference], level: float) -> str:
    """Return who is highest, who cannot be told from it, and what could have been."""
    error = f"{1.0 - level:.2g}"
    best = f"{label_of(key)}: {names[0]} is highest"
    if len(names) == 1:
        return f"{best}, and shown to be above every other (error {error} over all pairs)."
    least = [
        one.least
        for one in differences
        if one.least is not None
        and names[0] in (one.first, one.second)
        and {one.first, one.second} <= set(names)
    ]
    text = f"{best}, and {listed(list(names[1:]))} cannot be told from it (error {error} over all pairs)."
    if least:
        ratio = differences[0].scale == "ratio"
        what = f"ratio of {max(least):.4g}" if ratio else f"difference of {max(least):.2g}"
        text += f" These data would have shown a {what} or more, with probability {POWER:g}."
    return text
