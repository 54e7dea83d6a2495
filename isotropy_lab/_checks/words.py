"""Word lists, and the vectors of words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._checks.arrays import (
    FloatArray,
    as_array,
    check_no_zero_rows,
    describe,
    how_many,
    is_finite_sum,
    raise_if_not_finite,
    working_dtype,
)
from isotropy_lab._checks.options import check_integer


def as_word_vectors(x: Any, name: str, *, min_words: int = 1) -> FloatArray:
    """Return a word list as a (k, p) array of float32 or float64: finite, with enough words, none of them zero."""
    if (isinstance(x, (list, tuple)) and not x) or getattr(x, "shape", None) == (0,):
        raise ValueError(f"{name} is empty; expected at least {how_many(min_words, 'word')}, one in each row")
    array = as_array(x, name, ndim=2, expected="a matrix of shape (k, p): k words in p dimensions")
    k, p = array.shape
    if k < min_words:
        raise ValueError(f"{name} has {how_many(k, 'word')} (shape {(k, p)}); expected at least {min_words}")
    if p < 1:
        raise ValueError(f"{name} has 0 dimensions (shape {(k, p)}); expected word vectors of at least 1")
    words: FloatArray = np.asarray(array, dtype=working_dtype(array.dtype))
    if not is_finite_sum(words):
        raise_if_not_finite(words, name)
    check_no_zero_rows(np.abs(words).max(axis=1), name)
    return words


def as_word_lists(lists: Mapping[str, Any]) -> list[FloatArray]:
    """Return word lists by name as arrays, all in the same number of dimensions."""
    arrays = [as_word_vectors(x, name) for name, x in lists.items()]
    names = list(lists)
    for name, array in zip(names, arrays, strict=True):
        if array.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"{names[0]} and {name} have {arrays[0].shape[1]} and {array.shape[1]} dimensions "
                f"(shapes {arrays[0].shape} and {array.shape}); expected words of one vector space"
            )
    return arrays


def check_equal_lengths(k_a: int, k_b: int, names: tuple[str, str]) -> None:
    """Raise ValueError unless two word lists are equally long."""
    if k_a != k_b:
        raise ValueError(
            f"{names[0]} has {how_many(k_a, 'word')}, {names[1]} has {k_b}; expected lists of equal length, "
            "because the words are compared in pairs"
        )


def check_no_shared_words(a: npt.NDArray[Any], b: npt.NDArray[Any], names: tuple[str, str]) -> None:
    """Raise ValueError if a row of one list is a row of the other, naming the rows."""
    # A word is the same in single and in double precision. Adding 0 makes −0 and 0 the same bytes.
    dtype = min(a.dtype, b.dtype, key=lambda kind: kind.itemsize)
    with np.errstate(over="ignore", under="ignore"):
        a, b = a.astype(dtype) + dtype.type(0), b.astype(dtype) + dtype.type(0)
    places = {row.tobytes(): j for j, row in reversed(list(enumerate(b)))}
    shared = [(i, places.get(row.tobytes())) for i, row in enumerate(a)]
    shared = [(i, j) for i, j in shared if j is not None]
    if shared:
        listed = ", ".join(f"row {i} of {names[0]} is row {j} of {names[1]}" for i, j in shared[:5])
        more = f" and {len(shared) - 5} more" if len(shared) > 5 else ""
        raise ValueError(
            f"{names[0]} and {names[1]} share {how_many(len(shared), 'word')} ({listed}{more}); "
            "expected lists without a common word: drop it from both"
        )


def check_mean_direction(length: float, tolerance: float, name: str, what: str) -> None:
    """Raise ValueError if the mean of a word list is too short to have a direction."""
    if not length > tolerance:
        raise ValueError(
            f"{name} has a {what} of length {length:.3g} (at most {tolerance:.3g} is rounding), so that its cosine "
            "is undefined; expected words that do not cancel each other"
        )


def check_not_whole_space(r_a: int, r_b: int, p: int, names: tuple[str, str]) -> None:
    """Raise ValueError if the words of a list span the whole space, where chance and maximum coincide."""
    for name, rank in zip(names, (r_a, r_b), strict=True):
        if rank >= p:
            raise ValueError(
                f"{name} spans all {how_many(p, 'dimension')}, so that every list lies in its span and the corrected "
                "similarity is 0/0; expected fewer words than dimensions"
            )


def raise_infeasible(n_divisions: int, limit: str) -> None:
    """Raise ValueError for an exact permutation test that would take too long."""
    raise ValueError(
        f"n_resamples is 'exact', but A and B can be divided in {n_divisions:,} ways, which is too many ({limit}); "
        "expected 'exact-if-feasible' or a number of random divisions"
    )


def check_spread(spread: float, tolerance: float) -> None:
    """Raise ValueError if the words of both target lists have the same association."""
    if not spread > tolerance:
        raise ValueError(
            f"A and B hold words that all have the same association (standard deviation {spread:.3g}, at most "
            f"{tolerance:.3g} is rounding), where the effect size is undefined; expected words that differ"
        )


def as_words(words: Any, name: str) -> tuple[str, ...]:
    """Return a list of words as a tuple: text only, none empty, none twice, at least one."""
    if isinstance(words, (str, bytes, Mapping, Set)) or not isinstance(words, Iterable):
        hint = f"; for one word pass [{words!r}]" if isinstance(words, str) else ""
        raise TypeError(f"{name} is {describe(words)}; expected a list of words{hint}")
    found = tuple(words)
    if not found:
        raise ValueError(f"{name} is empty; expected at least one word")
    for place, word in enumerate(found):
        if not isinstance(word, str):
            raise TypeError(f"{name} has {describe(word)} at place {place}; expected words as text")
        if not word.strip() or word != word.strip():
            raise ValueError(
                f"{name} has {word!r} at place {place}; expected words without blanks around them"
            )
    seen: set[str] = set()
    twice = [word for word in found if word in seen or seen.add(word)]  # type: ignore[func-returns-value]
    if twice:
        listed = ", ".join(dict.fromkeys(twice))
        raise ValueError(f"{name} has {listed} more than once; expected every word once")
    return tuple(str(word) for word in found)


def check_disjoint_words(first: Sequence[str], second: Sequence[str], names: tuple[str, str]) -> None:
    """Raise ValueError naming the words that two lists share."""
    shared = [word for word in first if word in set(second)]
    if shared:
        raise ValueError(
            f"{names[0]} and {names[1]} share {', '.join(shared)}; expected lists without a word in common"
        )


def check_sublist_length(q: Any, high: int, name: str, k: int) -> int:
    """Return the number of words of a sublist within 1 … high."""
    return check_integer(q, "q", low=1, high=high, why=f"{name} has {how_many(k, 'word')}")


def check_table_size(n_subsets: int, most: int, what: str) -> None:
    """Raise ValueError if a table of the similarities of all sublists would be too large."""
    if n_subsets > most:
        raise ValueError(
            f"{what}, which makes {n_subsets:,} sublists; expected at most {most:,}, because a table with a cell for "
            "every pair is formed: use fewer words, or consistency_profile, which forms no table"
        )


def check_pool_size(n_words: int, k_a: int, k_b: int) -> None:
    """Raise ValueError if a pool has too few words for one draw of both lists."""
    if n_words < k_a + k_b:
        raise ValueError(
            f"pool has {how_many(n_words, 'word')} to draw from; expected at least {k_a + k_b}, because a draw takes {k_a} "
            f"for A and {k_b} others for B"
        )


def as_strata(strata: Any, name: str, k: int, n_pool: int) -> list[npt.NDArray[np.intp]]:
    """Return for each of k words the distinct rows of a pool that may take its place."""
    if isinstance(strata, (str, bytes, Mapping, Set)) or not hasattr(strata, "__len__"):
        raise TypeError(f"{name} is {describe(strata)}; expected a sequence of {k} arrays of rows of pool")
    if len(strata) != k:
        raise ValueError(
            f"{name} has {len(strata)} strata; expected {k}, one for each word of {name[-1].upper()}"
        )
    rows = []
    for place, stratum in enumerate(strata):
        array = np.asarray(stratum)
        if array.size and array.dtype.kind not in "iu":
            raise TypeError(
                f"{name}[{place}] is {describe(stratum)}; expected row numbers of pool (dtype int)"
            )
        if array.ndim != 1:
            raise ValueError(f"{name}[{place}] has shape {array.shape}; expected a vector of row numbers")
        if array.size and (int(array.min()) < 0 or int(array.max()) >= n_pool):
            raise ValueError(
                f"{name}[{place}] has rows from {array.min()} to {array.max()}; expected rows of pool, 0 to {n_pool - 1}"
            )
        rows.append(np.unique(array).astype(np.intp))
    return rows


def check_strata_sizes(sizes: Sequence[int], name: str) -> None:
    """Raise ValueError naming the first word without a word to take its place."""
    empty = [place for place, size in enumerate(sizes) if size == 0]
    if empty:
        raise ValueError(
            f"{name} has {len(empty)} of {len(sizes)} strata without a word to draw, first at place {empty[0]}; "
            "expected at least one pool word for each word: widen the strata"
        )


def check_strata_feasible(matched: int, k: int) -> None:
    """Raise ValueError if the strata cannot give every word a pool word of its own."""
    if matched < k:
        raise ValueError(
            f"strata_a and strata_b have different words for {matched} of the {k} words at most; "
            "expected one of its own for each: widen the strata"
        )


def check_strata_drawn(missing: int, n_draws: int) -> None:
    """Raise ValueError if strata are so small that a draw without repetition hardly ever happens."""
    if missing:
        raise ValueError(
            f"strata_a and strata_b overlap in so few words that {missing} of {n_draws} draws without a repeated word "
            "were not found; expected wider strata"
        )


def as_frequencies(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a vector of frequencies on a logarithmic scale, where NaN means unknown."""
    values = np.asarray(as_array(x, name, ndim=1), dtype=np.float64)
    if values.size < 1:
        raise ValueError(f"{name} is empty; expected one frequency per word")
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise ValueError(
            f"{name} has {values[infinite[0]]} at place {infinite[0]}; expected finite numbers on a logarithmic scale, "
            "NaN where unknown"
        )
    return values


def check_some_known(n_known: int, all_unknown: bool) -> None:
    """Raise ValueError if no pool frequency is known and one is expected."""
    if n_known == 0 and not all_unknown:
        raise ValueError(
            "pool_frequencies are all unknown (NaN); expected frequencies of the words of the pool"
        )


def check_cosines_possible(r_ab: float, r_ac: float, r_bc: float) -> None:
    """Raise ValueError if no three vectors have these cosines."""
    determinant = 1 + 2 * r_ab * r_ac * r_bc - r_ab * r_ab - r_ac * r_ac - r_bc * r_bc
    if determinant < -1e-12:
        raise ValueError(
            f"r_ab, r_ac and r_bc are {r_ab:g}, {r_ac:g} and {r_bc:g}, which no three vectors have (their matrix has "
            f"determinant {determinant:.3g}); expected cosines whose matrix is positive semidefinite"
        )


def as_probabilities(x: Any, name: str) -> npt.NDArray[np.float64]:
    """Return a vector of at least one number, each in [0, 1]."""
    values = np.asarray(as_array(x, name, ndim=1), dtype=np.float64)
    if values.size < 1:
        raise ValueError(f"{name} is empty; expected at least one number in [0, 1]")
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if bad.size:
        raise ValueError(
            f"{name} has {bad.size} of {values.size} values outside [0, 1], first {values[bad[0]]:g} at place {bad[0]}; "
            "expected probabilities"
        )
    return values


def as_vectors(vectors: Mapping[str, Any]) -> dict[str, npt.NDArray[np.float64]]:
    """Return vectors by name: finite, not zero, of equal length."""
    found = {name: np.asarray(as_array(x, name, ndim=1), dtype=np.float64) for name, x in vectors.items()}
    first = next(iter(found))
    for name, vector in found.items():
        if vector.size != found[first].size or vector.size < 1:
            raise ValueError(
                f"{first} has {found[first].size} dimensions, {name} has {vector.size}; expected vectors of one space"
            )
        raise_if_not_finite(vector, name, unit="entry")
        if not vector.any():
            raise ValueError(f"{name} is the zero vector; the cosine with a zero vector is undefined")
    return found


def check_sum_not_zero(length: float, longest: float) -> None:
    """Raise ValueError if two vectors cancel."""
    if not length > 1e-15 * longest:
        raise ValueError(
            "a and b cancel (a + b is zero); expected a sum with a direction, or its cosine is undefined"
        )


def check_center(by: str, given: bool) -> None:
    """Raise ValueError unless a center is given exactly where it is used."""
    if given != (by == "given"):
        found = "given" if given else "missing"
        raise ValueError(
            f"center is {found} and by is {by!r}; expected a center with by='given' and only there"
        )


def as_center(x: Any, name: str, p: int) -> npt.NDArray[np.float64]:
    """Return a finite vector of p numbers."""
    center = np.asarray(as_array(x, name, ndim=1), dtype=np.float64)
    if center.size != p:
        raise ValueError(f"{name} has {how_many(center.size, 'dimension')}; expected {p}, as the words have")
    raise_if_not_finite(center, name, unit="entry")
    return center
