"""The words that null distributions are drawn from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_report.io.word_vectors import load_word_vectors

__all__ = ["POOLS", "pool_words"]

#: The bundled pool that goes with each bundled space.
POOLS = {"glove-weat": "glove-pool"}


def pool_words(
    space: Any, *, size: int | None = None, without: Iterable[str] = ()
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return words and vectors, (N, p), that null distributions are drawn from: those of a space, less some.

    A bundled space stands for its pool in `POOLS`; any other is its own. Of `size` words, counted before any
    is left out, those of `without` are left out, whatever their case.

    >>> words, vectors = pool_words("glove-weat", size=100, without=["The"])
    >>> len(words), vectors.shape, words[0]
    (99, (99, 100), ',')
    """
    if isinstance(space, (str, os.PathLike)):
        space = load_word_vectors(POOLS.get(space, space) if isinstance(space, str) else space)
    words = space.index_to_key
    if size is not None:
        size = checks.check_integer(size, "size", low=1, high=len(words), why="the words of the pool")
    left_out = {word.lower() for word in without}
    kept = [i for i, word in enumerate(words[:size]) if word.lower() not in left_out]
    return tuple(words[i] for i in kept), space.vectors[kept].astype(np.float64)
