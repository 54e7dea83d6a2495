"""Tables of word pairs: what regressions on cosines are fitted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
from isotropy_lab import _checks

__all__ = ["overlapping_pairs", "stack_pairs", "two_groups", "word_pairs"]

Floats: TypeAlias = npt.NDArray[np.float64]

PAIRINGS = ("all", "paired")


def pair_table(
    a: Sequence[object], b: Sequence[object], inner: Floats, norm_a: Floats, norm_b: Floats
) -> pd.DataFrame:
    """Make the table of pairs from labels, inner products and lengths."""
    with np.errstate(over="ignore", under="ignore"):
        lnw = norm_a * norm_b
    _checks.check_weights_representable(lnw)
    cosine = np.clip(inner / lnw, -1.0, 1.0)
    columns = {"inner_product": inner, "norm_a": norm_a, "norm_b": norm_b, "lnw": lnw, "cosine": cosine}
    return pd.DataFrame({"a": list(a), "b": list(b), **columns})


def lengths_of(rows: Floats) -> Floats:
    """Return the lengths of rows, scaled by powers of two so that no square over- or underflows."""
    exponents = np.frexp(np.abs(rows).max(axis=1))[1]
    return np.asarray(np.ldexp(np.linalg.norm(np.ldexp(rows, -exponents[:, None]), axis=1), exponents))


def labels_of(words: Sequence[str] | None, length: int, name: str, per: str) -> list[object]:
    """Return the words, or the numbers of the rows."""
    return list(range(length)) if words is None else _checks.check_labels(words, name, length=length, per=per)


def word_pairs(
    A: _checks.Points,
    B: _checks.Points,
    *,
    pairing: str = "all",
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
    group: str | None = None,
) -> pd.DataFrame:
    """Return a table with one row for each pair of a word of A and a word of B.

    Parameters
    ----------
    A, B : array-like of shape (k, p)
        Word lists, rows are words; none zero.
    pairing : {"all", "paired"}
        All k_a k_b pairs, or row i of A with row i of B (equal lengths).
    words_a, words_b : sequences of str, optional
        The words; else the numbers of the rows. Errors clustered by word need the words.
    group : str, optional
        Name of this set of pairs, put into a column ``group``.

    Returns
    -------
    pandas.DataFrame
        Columns a, b, [group,] inner_product, norm_a, norm_b, lnw (‖a‖‖b‖, the normalization weight), cosine (in
        [−1, 1], the inner product over lnw). Order: all pairs of the first word of A, then of the second.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        If a list is empty, has a zero vector, NaN or inf, dimensions or (when paired) lengths differ, the words do
        not fit, or vectors are so long or short that lnw is outside 1e−70 … 1e70.

    Notes
    -----
    The cosine is invariant under the rotation of both lists and the rescaling of a word; the inner product and the
    weights scale with the words. Cost O(k_a k_b p), paired O(k p).

    References
    ----------
    Kindel (2023), supplement, "Frequency bias in cosine similarity regression".

    Examples
    --------
    >>> pairs = word_pairs([[3.0, 0.0], [0.0, 1.0]], [[1.0, 1.0]], words_a=["x", "y"], words_b=["z"])
    >>> pairs[["a", "b", "inner_product", "lnw", "cosine"]].round(3)
       a  b  inner_product    lnw  cosine
    0  x  z            3.0  4.243   0.707
    1  y  z            1.0  1.414   0.707
    """
    rows_a, rows_b = (np.asarray(x, dtype=np.float64) for x in _checks.as_word_lists({"A": A, "B": B}))
    _checks.check_option(pairing, "pairing", PAIRINGS)
    k_a, k_b = len(rows_a), len(rows_b)
    a, b = (labels_of(words_a, k_a, "words_a", "A"), labels_of(words_b, k_b, "words_b", "B"))
    norm_a, norm_b = lengths_of(rows_a), lengths_of(rows_b)
    if pairing == "paired":
        _checks.check_equal_lengths(k_a, k_b, ("A", "B"))
        with np.errstate(all="ignore"):  # what over- or underflows has a weight that is refused
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
    """Return several tables of pairs under each other, with the name of each in the column ``group``.

    Parameters
    ----------
    groups : mapping from str to DataFrame
        Tables as `word_pairs` makes them.

    Returns
    -------
    pandas.DataFrame
        With rows numbered afresh.

    Raises
    ------
    TypeError
        If a value is no DataFrame.
    ValueError
        If there is no table, or one is empty.

    Examples
    --------
    >>> near, far = word_pairs([[1.0, 0.0]], [[1.0, 0.1]]), word_pairs([[1.0, 0.0]], [[0.1, 1.0]])
    >>> list(stack_pairs({"near": near, "far": far})["group"])
    ['near', 'far']
    """
    if not isinstance(groups, Mapping):
        raise TypeError(
            f"groups is {_checks.describe(groups)}; expected a mapping from name to table of pairs"
        )
    if not groups:
        raise ValueError("groups is empty; expected at least one table of pairs")
    for name, table in groups.items():
        _checks.check_pairs(table, f"groups[{name!r}]", ("lnw",))
    parts = [
        table.drop(columns=["group"], errors="ignore").assign(group=name) for name, table in groups.items()
    ]
    stacked = pd.concat(parts, ignore_index=True)
    stacked.insert(2, "group", stacked.pop("group"))
    return stacked


def two_groups(
    pairs_0: pd.DataFrame, pairs_1: pd.DataFrame, *, labels: tuple[str, str] | None = None
) -> pd.DataFrame:
    """Return two tables of pairs as one, with the binary variable X: 0 in the first, 1 in the second.

    Parameters
    ----------
    pairs_0, pairs_1 : DataFrame
        As `word_pairs` makes them.
    labels : pair of str, optional
        Names of the groups. By default those that the tables carry, else "0" and "1".

    Returns
    -------
    pandas.DataFrame
        With the columns ``group`` and ``X``.

    Raises
    ------
    TypeError
        If one is no DataFrame.
    ValueError
        If one is empty or has two groups already, or the labels are equal.

    Examples
    --------
    >>> near, far = word_pairs([[1.0, 0.0]], [[1.0, 0.1]]), word_pairs([[1.0, 0.0]], [[0.1, 1.0]])
    >>> list(two_groups(far, near)["X"])
    [0, 1]
    """
    tables = (pairs_0, pairs_1)
    for number, table in enumerate(tables):
        _checks.check_pairs(table, f"pairs_{number}", ("lnw",))
        if "X" in table.columns:
            raise ValueError(
                f"pairs_{number} has the column X already, as a table of two groups; expected pairs of one group"
            )
    if labels is None:
        carried = [set(table["group"]) if "group" in table else set() for table in tables]
        found = [str(names.pop()) if len(names) == 1 else str(i) for i, names in enumerate(carried)]
        labels = (found[0], found[1]) if found[0] != found[1] else ("0", "1")
    if len(labels) != 2 or labels[0] == labels[1]:
        raise ValueError(f"labels is {labels!r}; expected two different names")
    stacked = stack_pairs({labels[0]: pairs_0, labels[1]: pairs_1})
    stacked.insert(3, "X", np.repeat([0, 1], [len(pairs_0), len(pairs_1)]))
    return stacked


def overlapping_pairs(
    A: _checks.Points,
    B: _checks.Points,
    X: _checks.Points,
    *,
    words_a: Sequence[str] | None = None,
    words_b: Sequence[str] | None = None,
    words_x: Sequence[str] | None = None,
    labels: tuple[str, str] = ("B", "A"),
) -> pd.DataFrame:
    """Return all pairs of the words of A, and of B, with the same words X: the overlapping comparison.

    Parameters
    ----------
    A, B : array-like of shape (k, p)
        The two concepts; the pairs of A have D = 1, those of B have D = 0.
    X : array-like of shape (n, p)
        The words that both are compared with.
    words_a, words_b, words_x : sequences of str, optional
        The words.
    labels : pair of str
        Names of the groups D = 0 and D = 1.

    Returns
    -------
    pandas.DataFrame
        As `two_groups` makes it: the column ``a`` has the word of the concept, ``b`` the word of X, and the binary
        variable D stands in the column ``X``, under the name that all regressions here use.

    Raises
    ------
    TypeError, ValueError
        As `word_pairs` and `two_groups`.

    Examples
    --------
    >>> pairs = overlapping_pairs([[1.0, 0.0]], [[0.0, 2.0]], [[1.0, 1.0], [1.0, 3.0]])
    >>> pairs[["X", "b", "inner_product"]].to_numpy().tolist()
    [[0.0, 0.0, 2.0], [0.0, 1.0, 6.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    _checks.as_word_lists({"A": A, "B": B, "X": X})
    return two_groups(
        word_pairs(B, X, words_a=words_b, words_b=words_x),
        word_pairs(A, X, words_a=words_a, words_b=words_x),
        labels=labels,
    )
