"""Checks of word lists, shared by several modules of this subpackage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from isotropy_lab._core import checks


def as_word_vectors(x: Any, name: str, *, min_words: int = 1) -> checks.FloatArray:
    """Return a word list as a (k, p) array of floats after checking its size and vectors."""
    if (isinstance(x, (list, tuple)) and not x) or getattr(x, "shape", None) == (0,):
        raise ValueError(
            f"{name} is empty; expected at least {checks.how_many(min_words, 'word')}, one per row"
        )
    words = checks.as_points(x, name, min_points=0)
    if len(words) < min_words:
        count = f"{checks.how_many(len(words), 'word')} (shape {words.shape})"
        raise ValueError(f"{name} has {count}; expected at least {min_words}")
    checks.check_no_zero_rows(np.abs(words).max(axis=1), name)
    return words


def as_word_lists(lists: Mapping[str, Any]) -> list[checks.FloatArray]:
    """Return named word lists as arrays, all with the same number of dimensions."""
    arrays = [as_word_vectors(x, name) for name, x in lists.items()]
    first, p = next(iter(lists)), arrays[0].shape[1]
    for name, array in zip(lists, arrays, strict=True):
        if array.shape[1] != p:
            raise ValueError(
                f"{first} and {name} have {p} and {array.shape[1]} dimensions "
                f"(shapes {arrays[0].shape} and {array.shape}); expected vectors from the same space"
            )
    return arrays


def as_pair(A: Any, B: Any) -> tuple[checks.FloatArray, checks.FloatArray]:
    """Return lists A and B as arrays with the same number of dimensions."""
    a, b = as_word_lists({"A": A, "B": B})
    return a, b


def rank_tolerance(words: checks.FloatArray) -> float:
    """Return max(k, p)·ε for the input's dtype, which bounds rounding errors in sums of unit-norm rows."""
    return float(max(words.shape) * np.finfo(words.dtype).eps)


def check_equal_lengths(k_a: int, k_b: int, names: tuple[str, str]) -> None:
    """Raise ValueError unless two word lists have the same length."""
    if k_a != k_b:
        raise ValueError(
            f"{names[0]} has {checks.how_many(k_a, 'word')}, but {names[1]} has {k_b}; "
            "expected lists of equal length, because words are compared in pairs"
        )


def check_mean_direction(length: float, tolerance: float, name: str, noun: str) -> None:
    """Raise ValueError if the mean of a list, called `noun` in the error, is too short for a direction."""
    if not length > tolerance:
        raise ValueError(
            f"{name} has a {noun} of length {length:.3g}, which is 0 up to rounding ({tolerance:.3g}), so "
            "cosines are undefined; expected words that do not cancel each other"
        )


def check_not_whole_space(r_a: int, r_b: int, p: int, names: tuple[str, str]) -> None:
    """Raise ValueError if a list spans the whole space, where the chance level equals the maximum."""
    for name, rank in zip(names, (r_a, r_b), strict=True):
        if rank >= p:
            raise ValueError(
                f"{name} spans all {checks.how_many(p, 'dimension')}, so the corrected similarity is "
                "undefined (0/0); expected fewer words than dimensions"
            )


def as_words(words: Any, name: str) -> tuple[str, ...]:
    """Return a nonempty list of distinct, nonempty words as a tuple."""
    if isinstance(words, (str, bytes, Mapping, Set)) or not isinstance(words, Iterable):
        hint = f"; for a single word, pass [{words!r}]" if isinstance(words, str) else ""
        raise TypeError(f"{name} is {checks.describe(words)}; expected a list of words{hint}")
    entries = tuple(words)
    if not entries:
        raise ValueError(f"{name} is empty; expected at least one word")
    for i, word in enumerate(entries):
        if not isinstance(word, str):
            raise TypeError(f"{name} has {checks.describe(word)} in entry {i}; expected words as text")
        if not word.strip() or word != word.strip():
            raise ValueError(
                f"{name} has {word!r} in entry {i}; expected words without surrounding whitespace"
            )
    repeated = [word for word in dict.fromkeys(entries) if entries.count(word) > 1]
    if repeated:
        raise ValueError(f"{name} has {', '.join(repeated)} more than once; expected distinct words")
    return tuple(str(word) for word in entries)


def check_disjoint_words(first: Sequence[str], second: Sequence[str], names: tuple[str, str]) -> None:
    """Raise ValueError, listing the shared words, if two lists share words."""
    shared = [word for word in first if word in set(second)]
    if shared:
        raise ValueError(
            f"{names[0]} and {names[1]} share {', '.join(shared)}; expected lists without common words"
        )


def check_subspaces(k_a: int, k_b: int, p: int) -> tuple[int, int, int]:
    """Return the checked dimensions of two subspaces and of the space that contains them."""
    p = checks.check_integer(p, "p", low=1)
    why = "a subspace has at most as many dimensions as the space"
    k_a = checks.check_integer(k_a, "k_a", low=1, high=p, why=why)
    return k_a, checks.check_integer(k_b, "k_b", low=1, high=p, why=why), p
