"""Tables of word pairs, the data of regressions on cosines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab.association._checks import as_word_lists, check_equal_lengths

__all__ = ["overlapping_pairs", "stack_pairs", "two_groups", "word_pairs"]

Floats: TypeAlias = npt.NDArray[np.float64]


def pair_table(
    a: Sequence[object], b: Sequence[object], inner: Floats, norm_a: Floats, norm_b: Floats
) -> pd.DataFrame:
    """Return the table of pairs for given labels, inner products, and lengths."""
    with np.errstate(over="ignore", under="ignore"):
        lnw = norm_a * norm_b
    cosine = np.clip(inner / lnw, -1.0, 1.0)
    columns = {"inner_product": inner, "norm_a": norm_a, "norm_b": norm_b, "lnw": lnw, "cosine": cosine}
    return pd.DataFrame({"a": list(a), "b": list(b), **columns})


def lengths_of(rows: Floats) -> Floats:
    """Return the lengths of rows, scaled by powers of two so that squares do not overflow or underflow."""
    exponents = np.frexp(np.abs(rows).max(axis=1))[1]
    return np.asarray(np.ldexp(np.linalg.norm(np.ldexp(rows, -exponents[:, None]), axis=1), exponents))


def labels_of(words: Sequence[str] | None, length: int) -> list[object]:
    """Return the words, or the row numbers if there are none."""
    return list(range(length)) if words is None else list(words)


def word_pairs(
    A: checks.Points,
    B: checks.Points,
    *,
    pairing: str = "all",
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
    group: str | None = None,
) -> pd.DataFrame:
    """Return a table with one row for each pair of a word of A and a word of B.

    ``lnw`` is ‖a‖‖b‖, the normalization weight. All pairs of the first word of A come first, then those of
    the second. Kindel (2023), supplement, "Frequency bias in cosine similarity regression".
    """
    rows_a, rows_b = (np.asarray(x, dtype=np.float64) for x in as_word_lists({"A": A, "B": B}))
    k_a, k_b = len(rows_a), len(rows_b)
    a, b = (labels_of(words_a, k_a), labels_of(words_b, k_b))
    norm_a, norm_b = lengths_of(rows_a), lengths_of(rows_b)
    if pairing == "paired":
        check_equal_lengths(k_a, k_b, ("A", "B"))
        with np.errstate(all="ignore"):  # the weight of pairs that overflow or underflow is rejected later
            inner = np.einsum("ij,ij->i", rows_a, rows_b)
    else:
        with np.errstate(all="ignore"):
            inner = (rows_a @ rows_b.T).ravel()
        a, b = [word for word in a for _ in range(k_b)], b * k_a
        norm_a, norm_b = np.repeat(norm_a, k_b), np.tile(norm_b, k_a)
    table = pair_table(a, b, inner, norm_a, norm_b)
    if group is not None:
        table.insert(2, "group", group)
    return table


def stack_pairs(groups: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Concatenate tables of pairs, with the name of each table in the column ``group``."""
    parts = [
        table.drop(columns=["group"], errors="ignore").assign(group=name) for name, table in groups.items()
    ]
    stacked = pd.concat(parts, ignore_index=True)
    stacked.insert(2, "group", stacked.pop("group"))
    return stacked


def two_groups(
    pairs_0: pd.DataFrame, pairs_1: pd.DataFrame, *, labels: tuple[str, str] | None = None
) -> pd.DataFrame:
    """Concatenate two tables of pairs, with the binary variable X: 0 in the first and 1 in the second.

    Returns a table: with the columns ``group`` and ``X``.
    """
    tables = (pairs_0, pairs_1)
    if labels is None:
        carried = [set(table["group"]) if "group" in table else set() for table in tables]
        found = [str(names.pop()) if len(names) == 1 else str(i) for i, names in enumerate(carried)]
        labels = (found[0], found[1]) if found[0] != found[1] else ("0", "1")
    stacked = stack_pairs({labels[0]: pairs_0, labels[1]: pairs_1})
    stacked.insert(3, "X", np.repeat([0, 1], [len(pairs_0), len(pairs_1)]))
    return stacked


def overlapping_pairs(
    A: checks.Points,
    B: checks.Points,
    X: checks.Points,
    *,
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
    words_x: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return all pairs of the words of A and of B with the same words X, for an overlapping comparison.

    The column ``a`` has the word of the concept, ``b`` the word of X, and ``X`` the binary variable D.
    """
    as_word_lists({"A": A, "B": B, "X": X})
    return two_groups(
        word_pairs(B, X, words_a=words_b, words_b=words_x),
        word_pairs(A, X, words_a=words_a, words_b=words_x),
        labels=("B", "A"),
    )
