"""The word spaces of the experiments: lists of a test in a space, and the pool for null distributions."""

from __future__ import annotations

import os
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
    """Load a space, which is cached."""
    return load(os.fspath(space)) if isinstance(space, (str, os.PathLike)) else space


def list_vectors(
    space: Any, test: str = "gender-sentiment", *, spelling: str = "adjusted"
) -> dict[str, Array]:
    """Return the four lists of a test in a space, without words that are missing from the space.

    The keys are A, B, C, and D; vectors are float64.
    """
    found = find_test(space, test, spelling=spelling)
    return {role: np.asarray(getattr(found, role), dtype=np.float64) for role in "ABCD"}


def find_test(space: Any, test: str, *, spelling: str = "adjusted") -> Any:
    """Find a test in a space; the result is cached if the space is given by name."""
    if isinstance(space, str):
        return _found(space, test, spelling)
    return keywords.find(test, word_vectors(space), spelling=spelling, missing="drop")


def list_labels(test: str = "gender-sentiment") -> dict[str, str]:
    """Return the labels of the four lists of a test.

    The keys are A, B, C, and D.
    """
    loaded = keywords.load(test)
    return {role: getattr(loaded, role).label for role in "ABCD"}


@lru_cache(maxsize=64)
def _found(space: str, test: str, spelling: str) -> Any:
    return keywords.find(test, load(space), spelling=spelling, missing="drop")
