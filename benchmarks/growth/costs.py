"""What docstrings say of costs: the formulas of their Notes, such as O(N n · min(N, n)), and how fast each term grows."""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Sizes = Mapping[str, float]
Factor = Callable[[Sizes], float]
Term = tuple[Factor, ...]

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d[\d,]*)|(?P<name>[A-Za-z][A-Za-z0-9_]*'*)|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|(?P<sign>[-+·()^,]))"
)


def notes(function: Callable[..., Any]) -> str:
    """Return the section Notes of a docstring on one line."""
    found = re.search(r"\nNotes\n-+\n(.*?)(?=\n\w+\n---|\Z)", inspect.getdoc(function) or "", re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def formulas(name: str, measures: Mapping[str, Callable[..., Any]]) -> list[str]:
    """Return what stands in each O(…) of the docstring of a measure, and of those whose cost it says it has.

    "Cost: that of `affinities`, then O(N² t)" has the formulas of `affinities` and one of its own.
    """
    text = notes(measures[name])
    found = [_inside(text, place.end()) for place in re.finditer(r"\bO\(", text)]
    for sentence in re.split(r"(?<=[.;])\s", text):
        if re.search(r"\b[Cc]ost\b|O\(", sentence):
            for other in re.findall(r"(?:that|those|as) (?:of )?`([\w.]+)`", sentence):
                found += formulas(other, measures)
    return list(dict.fromkeys(found))


def _inside(text: str, start: int) -> str:
    """Return the text from a place after a parenthesis to the one that closes it."""
    depth = 1
    for i, letter in enumerate(text[start:], start):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return text[start:i]
    raise ValueError(f"{text!r} has a parenthesis that nothing closes")


def terms(formula: str) -> list[Term]:
    """Return a formula as a sum of terms, each a product of factors: functions of the sizes.

    Examples
    --------
    >>> [math.prod(factor({"N": 10, "n": 3}) for factor in term) for term in terms("N n² + N log N + (N + n) min(N, n)")]
    [90, 23.02585092994046, 30, 9]
    """
    return _Reader(formula).whole()


def symbols(formula: str) -> set[str]:
    """Return the names of the sizes in a formula.

    Examples
    --------
    >>> sorted(symbols("n_pairs (n + log n_pairs) C(k, q)"))
    ['k', 'n', 'n_pairs', 'q']
    """
    seen: set[str] = set()

    class Ask(dict[str, float]):
        def __getitem__(self, name: str) -> float:
            seen.add(name)
            return 2.0

    for term in terms(formula):
        for factor in term:
            factor(Ask())
    return seen


def exponent(texts: Sequence[str], along: Sequence[Sizes], axis: str) -> float:
    """Return the exponent that formulas allow over sizes: that of the fastest of all their terms.

    Constants are not known, so that any term may be the one that decides.

    Examples
    --------
    >>> over = [{"N": N, "n": 64} for N in (256, 512, 1024)]
    >>> exponent(["N n · min(N, n)", "n³"], over, "N")
    1.0
    """
    x = [size[axis] for size in along]
    slopes = [
        fitted(x, [math.prod(f(size) for f in term) for size in along])[0] for t in texts for term in terms(t)
    ]
    return max(slopes, default=0.0)


def fitted(sizes: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return the exponent of a power law by least squares on logarithms, and its standard error.

    Examples
    --------
    >>> fitted([1, 2, 4, 8], [3, 12, 48, 192])
    (2.0, 0.0)
    """
    x, y = np.log2(np.asarray(sizes, dtype=float)), np.log2(np.asarray(values, dtype=float))
    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    left = y - slope * x
    error = math.sqrt(max(float(left @ left), 0.0) / max(len(x) - 2, 1) / float(x @ x))
    return round(slope, 4), round(error, 4)


class _Reader:
    """Reads sums of products; juxtaposition multiplies, and log takes the next factor."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, place = text, [], 0
        text = text.rstrip()
        while place < len(text):
            found = _TOKEN.match(text, place)
            if found is None:
                raise ValueError(f"O({self.text}) cannot be read from {text[place:]!r}")
            self.tokens.append((found.lastgroup, found[found.lastgroup or 0]))
            place = found.end()
        self.tokens.append((None, ""))

    def whole(self) -> list[Term]:
        found = self.sum()
        if self.tokens[0][0] is not None:
            raise ValueError(f"O({self.text}) cannot be read from {self.tokens[0][1]!r}")
        return found

    def take(self, *signs: str) -> bool:
        """Drop the next token if it is one of these."""
        taken = self.tokens[0][1] in signs
        if taken:
            del self.tokens[0]
        return taken

    def sum(self) -> list[Term]:
        found = self.product()
        while self.take("+"):
            found += self.product()
        return found

    def product(self) -> list[Term]:
        found = self.factor()
        while self.take("·") or self.tokens[0][0] in {"number", "name"} or self.tokens[0][1] == "(":
            found = [a + b for a, b in itertools.product(found, self.factor())]
        return found

    def factor(self) -> list[Term]:
        found = self.base()
        kind, text = self.tokens[0]
        if kind == "power":
            del self.tokens[0]
            found = [sum(p, ()) for p in itertools.product(found, repeat=int(text.translate(_SUPERSCRIPTS)))]
        elif self.take("^"):
            found = _one(_power, found, self.base())
        return found

    def base(self) -> list[Term]:
        kind, text = self.tokens.pop(0)
        if kind == "number":
            number = float(text.replace(",", ""))
            return [(lambda _: number,)]
        if text == "(":
            found = self.sum()
            self.close()
            return found
        if kind != "name":
            raise ValueError(f"O({self.text}) cannot be read from {text!r}")
        if text == "log":
            return _one(math.log, self.factor())
        if text in {"min", "C"} and self.tokens[0][1] == "(" and ("," in {t for _, t in self.tokens}):
            self.take("(")
            first = self.sum()
            self.take(",")
            second = self.sum()
            self.close()
            return _one(min if text == "min" else _choose, first, second)
        return [(lambda sizes: sizes[text],)]

    def close(self) -> None:
        if not self.take(")"):
            raise ValueError(f"O({self.text}) has a parenthesis that nothing closes")


def _one(function: Callable[..., float], *sums: list[Term]) -> list[Term]:
    """Return a function of sums as one term of one factor."""

    def factor(sizes: Sizes) -> float:
        return function(*(sum(math.prod(f(sizes) for f in term) for term in s) for s in sums))

    return [(factor,)]


def _power(base: float, exponent: float) -> float:
    return float(base**exponent)


def _choose(n: float, k: float) -> float:
    return math.comb(int(n), int(k))
