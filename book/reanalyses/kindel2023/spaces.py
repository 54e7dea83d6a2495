"""The word spaces of the paper: extracts of GoogleNews, which stay with the book, and those that the package bundles."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotropy_report.io import WordVectors, load_word_vectors, pools
from reanalyses.records import data_file

__all__ = ["POOLS", "load", "pool_words"]

#: The pool of frequent words that goes with each space.
POOLS = {"googlenews-weat": "googlenews-pool", **pools.POOLS}


@lru_cache(maxsize=8)
def load(name: str) -> WordVectors:
    """Load a space once: "googlenews-weat", "googlenews-pool", or what `isotropy_report.io.load_word_vectors` takes.

    The rows of googlenews-pool have length 1: use it for angles, not for lengths. ``records.record("kindel2023",
    "googlenews-pool")`` says where the numbers come from, and that nobody states a license for them.
    """
    ours = name in ("googlenews-weat", "googlenews-pool")
    return load_word_vectors(data_file("kindel2023", f"{name}.npz") if ours else name)


def pool_words(
    space: Any, *, size: int | None = None, without: Iterable[str] = ()
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Return the words that null distributions are drawn from, as `isotropy_report.io.pools.pool_words`."""
    found = load(POOLS.get(space, space)) if isinstance(space, str) else space
    return pools.pool_words(found, size=size, without=without)
