"""The word spaces of the experiments: lists of a test in a space, and the pool for null distributions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab.association import keywords
from reanalyses.kindel2023.spaces import POOLS, load, pool_words

__all__ = ["COMPONENTS", "POOLS", "list_labels", "list_vectors", "pool_words", "word_vectors"]

Array = NDArray[np.float64]

#: The four comparisons of a WEAT in the order of Table 1, with their signs in the score.
COMPONENTS = {"ac": ("A", "C", 1), "ad": ("A", "D", -1), "bd": ("B", "D", 1), "bc": ("B", "C", -1)}


def word_vectors(space: Any) -> Any:
    """Return a space given by name, which is loaded once, or the given word vectors themselves."""
    return load(space) if isinstance(space, str) else space


def list_vectors(
    space: Any, test: str = "gender-sentiment", *, spelling: str = "adjusted"
) -> dict[str, Array]:
    """Return the lists A, B, C, and D of a test in a space (float64), without words missing from the space."""
    lists = find_test(space, test, spelling=spelling)
    return {role: np.asarray(getattr(lists, role), dtype=np.float64) for role in "ABCD"}


def find_test(space: Any, test: str, *, spelling: str = "adjusted") -> Any:
    """Find a test in a space; the result is cached if the space is given by name."""
    if isinstance(space, str):
        return _find_in_named_space(space, test, spelling)
    return keywords.find(test, word_vectors(space), spelling=spelling, missing="drop")


def list_labels(test: str = "gender-sentiment") -> dict[str, str]:
    """Return the labels of the lists A, B, C, and D of a test."""
    return {role: words.label for role, words in keywords.load(test).lists.items()}


def pairs_of_lists(space: Any) -> list[tuple[str, Array, Array]]:
    """Return the four comparisons of the gender-sentiment lists, with labels such as "male / pleasant"."""
    lists, labels = list_vectors(space), list_labels()
    return [(f"{labels[x]} / {labels[y]}", lists[x], lists[y]) for x, y, _ in COMPONENTS.values()]


def other_words(space: Any, size: int | None = None) -> tuple[tuple[str, ...], Array]:
    """Return the words and vectors of a space's pool, without the gender-sentiment lists."""
    words = find_test(space, "gender-sentiment").words
    return pool_words(space, size=size, without=[word for role in "ABCD" for word in words[role]])


@lru_cache(maxsize=64)
def _find_in_named_space(space: str, test: str, spelling: str) -> Any:
    return keywords.find(test, load(space), spelling=spelling, missing="drop")
