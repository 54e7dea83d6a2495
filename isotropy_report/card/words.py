"""Numbers and words as pages show them, and errors that use the names chosen by the user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager

import numpy as np

from isotropy_report.card.meanings import MEANINGS
from isotropy_report.card.parts import Line, Value

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float) -> str:
    """Return a number as text with four significant digits."""
    sign = "−" if value < 0 else ""
    magnitude = abs(value)
    if isinstance(value, (int, np.integer)):
        return f"{sign}{magnitude:,}"
    if magnitude == 0:
        return "0"
    digits, exponent = f"{magnitude:.3e}".split("e")
    power = int(exponent)
    if not -4 <= power <= 8:
        return f"{sign}{digits} × 10{str(power).translate(_SUPERSCRIPT)}"
    return f"{sign}{magnitude:,.{max(0, 3 - power)}f}" if power < 4 else f"{sign}{magnitude:,.0f}"


def decimals(value: float, digits: int = 3) -> str:
    """Return a score or a cosine as text with a fixed number of decimals."""
    return f"{value:z.{digits}f}".replace("-", "−")


def axis_number(value: float) -> str:
    """Return a number as text in the format of axis labels."""
    if value == 0:
        return "0"
    magnitude = abs(value)
    if 1e-3 <= magnitude < 1e5:
        text = f"{magnitude:,.6g}" if magnitude >= 1000 else f"{magnitude:.6g}"
    else:
        digits, _, power = f"{magnitude:.3e}".partition("e")
        factor = f"{float(digits):g}"
        text = ("" if factor == "1" else f"{factor}×") + f"10{str(int(power)).translate(_SUPERSCRIPT)}"
    return ("−" if value < 0 else "") + text


def plain_text(value: Value) -> str:
    """Return a table cell as plain text."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4f}" if isinstance(value, float) else str(value or "–")


def percent(value: float) -> str:
    """Return a fraction as a percentage, in the format of axis labels."""
    return f"{100 * value:.3g}%"


def shorten(text: str, length: int) -> str:
    """Shorten a text to at most `length` characters, keeping its beginning and its end."""
    if len(text) <= length:
        return text
    return f"{text[: (length - 1) // 2]}…{text[len(text) - length // 2 :]}"


def name_in_errors(name: str, argument: str = "models") -> str:
    """Return the name used for a model's vectors in error messages."""
    return f"{argument}[{name!r}]"


@contextmanager
def rename_in_errors(names: Mapping[str, str]) -> Iterator[None]:
    """Rename arguments in errors; `names` maps arguments such as X to names of models or files.

    Arguments in lower case are also common words: rename them only where a message begins or before "has".
    """
    start = r"(?:^|(?<=, )(?=\w+ has ))"
    patterns = [
        rf"{start}{name}\b(?!\[)" if name.islower() and name.isidentifier() else rf"\b{re.escape(name)}(?!\w)"
        for name in names
    ]
    try:
        yield
    except (ValueError, TypeError) as error:
        text = re.sub("|".join(patterns), lambda match: names[match[0]], str(error))
        raise (ValueError if isinstance(error, ValueError) else TypeError)(text) from None


def name_model_in_errors(name: str) -> AbstractContextManager[None]:
    """Add the model's name to errors about X, questions, and documents."""
    return rename_in_errors(
        {"X": name_in_errors(name)}
        | {argument: name_in_errors(name, argument) for argument in ("questions", "documents")}
    )


def join(names: Sequence[str]) -> str:
    """Join names into a list for use in a sentence."""
    return " and ".join(([", ".join(names[:-1])] if names[:-1] else []) + list(names[-1:]))


def list_first(indices: Sequence[int]) -> str:
    """Return indices as text; if there are more than 10, return only the first ones."""
    return ", ".join(map(str, indices[:10])) + " and others" * (len(indices) > 10)


def count_text(number: int, noun: str) -> str:
    """Return a count with its noun, such as "1 row" or "1,000 rows"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def label_of(key: str) -> str:
    """Return the display name of a measure."""
    return MEANINGS[key].label if key in MEANINGS else key


def value_of(line: Line) -> str:
    """Return a score as text."""
    if line.value is None or isinstance(line.value, str):
        return line.value or "undefined"
    return number(line.value)


def range_of(line: Line) -> str:
    """Return the interval of a score as text, or an empty string if there is none."""
    return "" if line.low is None or line.high is None else f"{number(line.low)} to {number(line.high)}"


def text_of(line: Line | None) -> str:
    """Return a score and its interval as text."""
    if line is None or line.value is None:
        return "undefined"
    return f"{value_of(line)} ({interval})" if (interval := range_of(line)) else value_of(line)
