"""Tables of word pairs, the data of regressions on cosines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from isotropy_lab._core import checks
from reanalyses.kindel2023.regression.least_squares import Floats

__all__ = ["overlapping_pairs", "two_groups", "word_pairs"]


def pair_table(
    a: Sequence[object], b: Sequence[object], inner: Floats, norm_a: Floats, norm_b: Floats
) -> pd.DataFrame:
    """Return the table of pairs for given labels, inner products, and lengths.

    ``lnw`` is ‖a‖‖b‖, the normalization weight.
    """
    lnw = norm_a * norm_b
    cosine = np.clip(inner / lnw, -1.0, 1.0)
    columns = {"inner_product": inner, "norm_a": norm_a, "norm_b": norm_b, "lnw": lnw, "cosine": cosine}
    return pd.DataFrame({"a": list(a), "b": list(b), **columns})


def _labels(words: Sequence[str] | None, length: int) -> list[object]:
    """Return the words as a list, or the row numbers if the words are None."""
    return list(range(length)) if words is None else list(words)


def word_pairs(
    A: checks.Points,
    B: checks.Points,
    *,
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return a table with one row for each pair of a word of A and a word of B.

    All pairs of the first word of A come first, then those of the second. Kindel (2023), supplement,
    "Frequency bias in cosine similarity regression".
    """
    rows_a, rows_b = (np.asarray(x, dtype=np.float64) for x in (A, B))
    k_a, k_b = len(rows_a), len(rows_b)
    return pair_table(
        [word for word in _labels(words_a, k_a) for _ in range(k_b)],
        _labels(words_b, k_b) * k_a,
        (rows_a @ rows_b.T).ravel(),
        np.repeat(np.linalg.norm(rows_a, axis=1), k_b),
        np.tile(np.linalg.norm(rows_b, axis=1), k_a),
    )


def two_groups(
    pairs_0: pd.DataFrame, pairs_1: pd.DataFrame, *, labels: tuple[str, str] = ("0", "1")
) -> pd.DataFrame:
    """Concatenate two tables of pairs, with the columns ``group`` (a label) and ``X`` (0 or 1)."""
    lengths = [len(pairs_0), len(pairs_1)]
    pairs = pd.concat([pairs_0, pairs_1], ignore_index=True)
    pairs.insert(2, "group", np.repeat(labels, lengths))
    pairs.insert(3, "X", np.repeat([0, 1], lengths))
    return pairs


def overlapping_pairs(
    A: checks.Points,
    B: checks.Points,
    X: checks.Points,
    *,
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return all pairs of the words of A and of B with the same words X, for an overlapping comparison.

    The column ``a`` has the word of the concept, ``b`` the number of the word of X, and ``X`` the variable D.
    """
    return two_groups(word_pairs(B, X, words_a=words_b), word_pairs(A, X, words_a=words_a), labels=("B", "A"))
