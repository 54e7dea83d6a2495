"""The word spaces of the paper: extracts of GoogleNews bundled with the book, and spaces of the package."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_report.io import WordVectors, load_word_vectors
from reanalyses.records import data_file

#: Pool of frequent words for each space.
POOLS = {"googlenews-weat": "googlenews-pool", "glove-weat": "glove-pool"}


@lru_cache(maxsize=8)
def load(name: str) -> WordVectors:
    """Load a space, which is cached: "googlenews-weat", "googlenews-pool", "glove-uniform", or one of the package.

    The package's spaces are those of `isotropy_report.io.load_word_vectors`. Rows of googlenews-pool are
    normalized, so use it for angles, not for lengths. The words of glove-uniform are drawn uniformly from the
    vocabulary of the GloVe space.
    """
    is_bundled_here = name in ("googlenews-weat", "googlenews-pool", "glove-uniform")
    return load_word_vectors(data_file("kindel2023", f"{name}.npz") if is_bundled_here else name)


def pool_words(
    space: Any, *, size: int | None = None, without: Iterable[str] = ()
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the words and vectors (N, p) of a space's pool for null distributions, excluding the given words.

    The name of a space refers to its pool in `POOLS`, whereas word vectors are their own pool. Of the first
    `size` words, those in `without` are excluded, regardless of case.
    """
    pool = load(POOLS.get(space, space)) if isinstance(space, str) else space
    words = pool.index_to_key
    excluded = {word.lower() for word in without}
    rows = [i for i, word in enumerate(words[:size]) if word.lower() not in excluded]
    return tuple(words[i] for i in rows), pool.vectors[rows].astype(np.float64)
