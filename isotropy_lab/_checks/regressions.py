"""Regressions on cosines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._checks.arrays import as_array, describe, how_many, is_frame, raise_if_not_finite


def check_labels(labels: Any, name: str, *, length: int, per: str) -> list[Any]:
    """Return a list of words, one for each row of `per`; a word may occur twice."""
    if isinstance(labels, (str, bytes, Mapping, Set)) or not isinstance(labels, Iterable):
        raise TypeError(f"{name} is {describe(labels)}; expected one word for each row of {per}")
    found = list(labels)
    if len(found) != length:
        raise ValueError(
            f"{name} has {how_many(len(found), 'word')}, {per} has {how_many(length, 'row')}; expected one word for each row"
        )
    return found


def check_pairs(pairs: Any, name: str, columns: Sequence[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Return columns of a table of word pairs as float64: there, numeric, finite, and norms above zero."""
    if not is_frame(pairs):
        raise TypeError(f"{name} is {describe(pairs)}; expected a DataFrame as word_pairs makes it")
    missing = [column for column in columns if column not in pairs.columns]
    if missing:
        hint = ": join the pairs of two groups with two_groups" if "X" in missing else ""
        raise ValueError(
            f"{name} lacks the columns {', '.join(missing)} (it has {', '.join(map(str, pairs.columns))}); "
            f"expected pairs as word_pairs makes them{hint}"
        )
    if len(pairs) == 0:
        raise ValueError(f"{name} has no pairs; expected at least one")
    found = {}
    for column in columns:
        values = as_array(pairs[column].to_numpy(), f"{name}[{column!r}]", ndim=1)
        found[column] = np.asarray(values, dtype=np.float64)
        raise_if_not_finite(found[column], f"{name}[{column!r}]", unit="entry")
        if column in ("lnw", "norm_a", "norm_b") and not (found[column] > 0).all():
            where = int(np.argmin(found[column]))
            raise ValueError(
                f"{name}[{column!r}] is {found[column][where]:g} in entry {where}; expected lengths above 0: drop the "
                "zero vectors"
            )
    if "X" in columns:
        values = found["X"]
        if not np.isin(values, (0, 1)).all():
            where = int(np.flatnonzero(~np.isin(values, (0, 1)))[0])
            raise ValueError(f"{name}['X'] is {values[where]:g} in entry {where}; expected 0 or 1")
        if values.min() == values.max():
            raise ValueError(
                f"{name}['X'] is {values[0]:g} in all {values.size} entries; expected pairs of two groups, 0 and 1"
            )
    return found


def check_weights_representable(lnw: npt.NDArray[np.float64]) -> None:
    """Raise ValueError for words so long or short that squares of inner products over- or underflow."""
    bad = np.flatnonzero(~((lnw > 1e-70) & (lnw < 1e70)))
    if bad.size:
        raise ValueError(
            f"the words of {bad.size} of {lnw.size} pairs have lengths whose product is outside 1e-70 … 1e70, first "
            f"pair {bad[0]} ({lnw[bad[0]]:.3g}), where sums of squares over- or underflow; expected rescaled words"
        )


def check_varies(values: npt.NDArray[np.float64], name: str) -> None:
    """Raise ValueError if an outcome is the same everywhere, up to rounding."""
    spread = float(np.ptp(values))
    if not spread > 1e-12 * float(np.abs(values).max()):
        raise ValueError(
            f"{name} is {values[0]:g} in all {values.size} pairs, so that there is nothing to explain; expected an "
            "outcome that varies"
        )


def check_enough_pairs(n: int, k: int) -> None:
    """Raise ValueError unless there are more pairs than terms."""
    if n <= k:
        raise ValueError(
            f"pairs has {how_many(n, 'pair')} for {how_many(k, 'term')}; expected more pairs than terms, so that residuals "
            "are left"
        )


def check_leverage(leverage: npt.NDArray[np.float64], covariance: str) -> None:
    """Raise ValueError if an observation is fitted perfectly by construction, where HC2 and HC3 are 0/0."""
    where = int(np.argmax(leverage))
    if leverage[where] > 1 - 1e-9:
        raise ValueError(
            f"pairs has entry {where} with leverage 1: a term exists for it alone, and {covariance} errors are 0/0; "
            "expected covariance='HC1' or 'nonrobust', or more pairs in its group"
        )


def check_identified(aliased: Sequence[str], why: str) -> None:
    """Raise ValueError if a quantity needs a coefficient that the data do not identify."""
    if aliased:
        raise ValueError(
            f"pairs does not identify {'; '.join(aliased)}; expected pairs whose lengths vary within each group: {why}"
        )


def check_frequencies(
    words: Sequence[Any], frequencies: Any, name: str = "frequencies"
) -> npt.NDArray[np.float64]:
    """Return the frequency of every word from a mapping or a Series, all finite."""
    if not hasattr(frequencies, "keys"):
        raise TypeError(
            f"{name} is {describe(frequencies)}; expected a mapping or a Series from word to frequency"
        )
    missing = sorted({str(word) for word in words if word not in frequencies})
    if missing:
        listed = ", ".join(missing[:8]) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        raise ValueError(
            f"{name} lacks {how_many(len(missing), 'word')} of the pairs ({listed}); expected a frequency for every word: "
            "drop their pairs or add them"
        )
    try:
        values = np.array([float(frequencies[word]) for word in words])
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{name} does not give one number for a word ({error}); expected a number for every word, once"
        ) from error
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ValueError(f"{name} gives {values[bad[0]]} for {words[bad[0]]}; expected finite numbers")
    return values


def check_list_length(k: int, most: int) -> None:
    """Raise ValueError if a list has too many sublists to visit them all."""
    if k > most:
        raise ValueError(
            f"W has {k} words and so 2^{k} sublists; expected at most {most} words, or "
            "consistency_index(..., n_samples=10_000), which looks at random sublists of one length"
        )


def check_sublists_of_list(k: int, most: int) -> None:
    """Raise ValueError if a list has too many sublists to take the centroids of them all."""
    if k > most:
        raise ValueError(
            f"B has {k} words and so 2^{k} sublists; expected at most {most} words, or n_samples=1_000, which looks at "
            "random sublists of each length"
        )


def check_dependent_words(dependent: npt.NDArray[np.intp], most: int) -> None:
    """Raise ValueError if too many words of a list are in the span of the others to visit all their sublists."""
    if dependent.size > most:
        raise ValueError(
            f"W has {dependent.size} words in the span of the others (rows {dependent[:5].tolist()} …); expected at most "
            f"{most}, or consistency_index(..., n_samples=10_000), which looks at random sublists of one length"
        )


def check_can_sample(similarity: str) -> None:
    """Raise ValueError for a similarity that does not decide from a sublist alone."""
    if similarity == "normalized":
        raise ValueError(
            "n_samples cannot be used with similarity='normalized', where each sublist is compared with all others; "
            "expected n_samples=None: lists of linearly independent words need no sampling"
        )


def check_pairs_decided(decided: bool, dependent: npt.NDArray[np.intp], n_subsets: int, most: int) -> None:
    """Raise ValueError if mean directions may coincide and there are too many to compare all pairs."""
    if not decided:
        where = f"rows {dependent[:5].tolist()} are" if dependent.size else "they are nearly"
        raise ValueError(
            f"W has linearly dependent words ({where} in the span of the others) and {n_subsets:,} sublists; "
            f"expected independent words or at most {most:,} sublists to compare in pairs"
        )
