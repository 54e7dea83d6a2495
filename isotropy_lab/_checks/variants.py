"""Variants of embeddings, and comparisons of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._checks.arrays import as_array, describe, how_many, raise_if_not_finite
from isotropy_lab._checks.options import check_integer


def check_same_dimensions(left: Sequence[int], right: Sequence[int], names: tuple[str, str]) -> None:
    """Raise ValueError unless two matrices have equally many columns."""
    if left[1] != right[1]:
        raise ValueError(
            f"{names[0]} has {how_many(left[1], 'dimension')} (shape {tuple(left)}), {names[1]} has {right[1]} "
            f"(shape {tuple(right)}); expected embeddings by one model"
        )


def check_some_apart(within_mean: float) -> None:
    """Raise ValueError if every domain sentence coincides with another one."""
    if not within_mean > 0:
        raise ValueError(
            "domain has a duplicate of every sentence, so that the distance within it is 0; expected distinct sentences"
        )


def check_same_sentences(before: int, after: int) -> None:
    """Raise ValueError unless two separations are about equally many sentences."""
    if before != after:
        raise ValueError(
            f"before is about {how_many(before, 'sentence')} and after about {after}; "
            "expected the same sentences in the same order"
        )


def check_same_candidates(before: int | None, after: int | None) -> None:
    """Raise ValueError unless two separations sought the nearest among equally many sentences."""
    if before != after:
        raise ValueError(
            f"before sought the nearest among n={before} sentences and after among n={after}; expected the same n, "
            "since the nearest of more sentences is nearer"
        )


def check_ratios_defined(log_ratios: npt.NDArray[np.float64]) -> None:
    """Raise ValueError if bootstrap samples have no distance within the domain, or none to the outside."""
    bad = int((~np.isfinite(log_ratios)).sum())
    if bad:
        raise ValueError(
            f"domain has so many duplicates that {bad} of {log_ratios.size} bootstrap samples have distances of 0 "
            "only; expected distinct sentences"
        )


def as_row_words(words: Any, length: int) -> list[str]:
    """Return a list of words, one for each row of X, no word twice."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"words is {describe(words)}; expected a list of text, a word for each row of X")
    known = [str(word) for word in words]
    if len(known) != length:
        raise ValueError(f"words has {len(known)} words, X has {length} rows; expected a word for each row")
    seen: set[str] = set()
    for word in known:
        if word in seen:
            raise ValueError(f"words has {word!r} more than once; expected every word once")
        seen.add(word)
    return known


def check_same_rows(n_rows: int, other: int, name: str) -> None:
    """Raise ValueError unless another array has as many rows as X."""
    if n_rows != other:
        raise ValueError(
            f"{name} has {other} rows, X has {n_rows}; expected row i of {name} to go with row i of X"
        )


def check_scores_positive(ratios: Any, which: str) -> None:
    """Raise ValueError if a corrected participation ratio is not above 1, so that IsoScore has no logarithm."""
    if not (np.asarray(ratios) > 0).all():
        raise ValueError(
            f"{which} has so few rows, or lies so near a line, that its corrected IsoScore is 0 with a row left out: the ratio "
            "has no interval"
        )


def check_goes_together(given: Mapping[str, bool], why: str) -> None:
    """Raise ValueError unless all of some arguments are given, or none."""
    missing = [name for name, there in given.items() if not there]
    if missing and len(missing) < len(given):
        present = [name for name, there in given.items() if there]
        raise ValueError(f"{' and '.join(present)} given without {' and '.join(missing)}; expected {why}")


def as_position(entry: Any, name: str, line: int) -> int:
    """Return a whole number that stands in a file."""
    try:
        return int(str(entry).strip())
    except ValueError:
        raise ValueError(
            f"{name}, entry {line}: {str(entry)[:40]!r} is no whole number; expected positions from 0"
        ) from None


def as_score_pairs(
    x: Any, y: Any, names: tuple[str, str], *, min_rows: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return two columns of scores of the same rows, both of which vary."""
    columns = []
    for values, name in zip((x, y), names, strict=True):
        array = as_array(values, name, ndim=1, expected="one score for each row")
        column = np.asarray(array, dtype=np.float64)
        raise_if_not_finite(column, name, unit="entry")
        columns.append(column)
    if columns[0].size != columns[1].size:
        raise ValueError(
            f"{names[0]} has {how_many(columns[0].size, 'score')} and {names[1]} has {columns[1].size}; "
            "expected two scores of the same rows"
        )
    for column, name in zip(columns, names, strict=True):
        if column.size < min_rows:
            raise ValueError(
                f"{name} has {how_many(column.size, 'score')}; expected at least {min_rows} for a correlation"
            )
        if not np.ptp(column) > 1e-12 * float(np.abs(column).max()):
            raise ValueError(
                f"{name} is {column[0]:g} in all {column.size} rows; expected scores that vary, or there is no "
                "correlation"
            )
    return columns[0], columns[1]


def check_score_groups(n_groups: int, sizes: Sequence[int], interval: str) -> None:
    """Raise ValueError unless groups of rows can be resampled and permuted as wholes."""
    if interval == "fisher":
        raise ValueError(
            "interval is 'fisher' with groups, but takes rows for independent; expected 'jackknife' or 'bootstrap'"
        )
    if n_groups < 4:
        raise ValueError(f"groups has {how_many(n_groups, 'distinct label')}; expected at least 4")
    if len(set(sizes)) > 1:
        raise ValueError(
            f"groups have from {min(sizes)} to {max(sizes)} rows; expected equally many, with the same meaning in the "
            "same order, so that they can be permuted"
        )


def check_jackknife_possible(left: Sequence[float]) -> None:
    """Raise ValueError if a correlation is ±1 without one of its rows, where its z is infinite."""
    if max(map(abs, left)) >= 1.0 - 1e-15:
        raise ValueError(
            "x and y have correlation ±1 when one row or group is left out, where the jackknife is undefined; "
            "expected interval='fisher' or 'bootstrap'"
        )


def check_some_groups(n_groups: int, name: str) -> None:
    """Raise ValueError unless there are two groups."""
    if n_groups < 2:
        raise ValueError(
            f"{name} has {how_many(n_groups, 'distinct label')}; expected at least 2 groups that were pooled"
        )


def check_varies_within(within: float, total: float, name: str, group: str) -> None:
    """Raise ValueError if a column is constant within every group."""
    if not within > 1e-14 * total:
        raise ValueError(
            f"{name} does not vary within any {group}; expected scores that do, or there is no correlation within"
        )


def check_last_rank(k: Any, metric: str) -> int | None:
    """Return the last rank that counts; None, for all, with the reciprocal rank only."""
    if k is None:
        if metric != "mrr":
            raise ValueError(f"k is None with metric {metric!r}; expected the number of documents retrieved")
        return None
    return check_integer(k, "k", low=1)


def check_models(models: Any, baseline: Any) -> list[str]:
    """Return the names of at least two models, the baseline being one of them."""
    if not isinstance(models, Mapping):
        raise TypeError(f"models is {describe(models)}; expected a mapping of names to ranks")
    names = list(models)
    if len(names) < 2:
        raise ValueError(f"models has {how_many(len(names), 'model')}; expected at least 2 to compare")
    if baseline is not None and baseline not in names:
        raise ValueError(
            f"baseline is {baseline!r}; expected one of {', '.join(repr(name) for name in names)}"
        )
    return names


def as_p_values(x: Any, name: str = "p_values") -> npt.NDArray[np.float64]:
    """Return at least one number, all from 0 to 1."""
    array = np.asarray(as_array(x, name, ndim=1, expected="p-values, one for each test"), dtype=np.float64)
    if array.size == 0:
        raise ValueError(f"{name} is empty; expected at least one p-value")
    raise_if_not_finite(array, name, unit="entry")
    bad = np.flatnonzero((array < 0) | (array > 1))
    if bad.size:
        raise ValueError(f"{name} has {array[bad[0]]:g} in entry {bad[0]}; expected numbers from 0 to 1")
    return array


def check_fitted_dimensions(found: int, expected: int, name: str) -> None:
    """Raise ValueError unless rows have the number of dimensions that was fitted."""
    if found != expected:
        raise ValueError(f"{name} has {how_many(found, 'dimension')}; expected {expected}, as in fit")


def check_fold_count(n_folds: Any, n_groups: int) -> int:
    """Return the number of folds, from 2 to the number of groups, which are never parted."""
    number = check_integer(n_folds, "n_folds", low=2)
    if number > n_groups:
        raise ValueError(
            f"n_folds is {number} for {how_many(n_groups, 'group')}; expected at least one group a fold"
        )
    return number


def check_cross_fitting(gold: npt.NDArray[np.int64], folds: npt.NDArray[np.intp]) -> None:
    """Raise ValueError unless there are two folds or more, with no right document in common."""
    if folds.size == 0 or folds.max() == 0:
        raise ValueError(
            "folds puts all questions into one fold; expected at least 2: nothing is left to fit on"
        )
    pairs = np.unique(np.stack([gold, folds]), axis=1)
    documents, counts = np.unique(pairs[0], return_counts=True)
    shared = documents[counts > 1]
    if shared.size:
        raise ValueError(
            f"{how_many(shared.size, 'document')} answer questions of several folds (first: document {shared[0]}), so "
            "that an adapter would have seen the answers that it is scored on; expected folds that keep questions with "
            "one answer together, as folds(gold) makes them"
        )


def check_different_names(names: Sequence[str], what: str) -> None:
    """Refuse no names at all, and one that stands twice."""
    if not names:
        raise ValueError(f"{what} is empty; expected at least one")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"{what} has two with the name {', '.join(map(repr, twice))}; expected a name for each"
        )


def check_some_agnostic(number: int) -> None:
    """Raise ValueError if no variant has sentences of no domain."""
    if number == 0:
        raise ValueError("variants have no agnostic sentences; expected at least one that has")


def as_texts(texts: Any, name: str) -> list[str]:
    """Return a list of texts: at least one, none empty."""
    if isinstance(texts, (str, bytes, Mapping, Set)) or not isinstance(texts, Iterable):
        hint = f"; for one text pass [{name}]" if isinstance(texts, str) else ""
        raise TypeError(f"{name} is {describe(texts)}; expected a list of texts{hint}")
    found = list(texts)
    if not found:
        raise ValueError(f"{name} is empty; expected at least one text")
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{place}] is {describe(text)}; expected a str")
    empty = [place for place, text in enumerate(found) if not text.strip()]
    if empty:
        raise ValueError(f"{name}[{empty[0]}] is empty ({len(empty)} such); drop empty texts first")
    return [str(text) for text in found]


def check_variants(names: Sequence[str], known: Sequence[str], *, own: bool) -> None:
    """Raise ValueError for names of variants that do not exist."""
    for name in names:
        if name not in known:
            hint = " for texts of your own" if own else ""
            raise ValueError(f"names has {name!r}; expected{hint} some of {', '.join(known)}")


def check_both_texts(questions: bool, documents: bool) -> None:
    """Raise ValueError if only one side's texts are given."""
    if questions != documents:
        given, missing = ("questions", "documents") if questions else ("documents", "questions")
        raise ValueError(
            f"{given} is given without {missing}; expected both, or neither for the bundled ones"
        )


def check_gold_given(given: bool, expected: bool) -> None:
    """Raise ValueError if right documents are needed and missing."""
    if expected and not given:
        raise ValueError(
            "gold is missing, and 'minilm-adapter' learns from it; expected one position a question"
        )


def check_some_words(counts: npt.NDArray[Any], name: str, source: str) -> None:
    """Raise ValueError for texts of which no word is known."""
    empty = np.flatnonzero(counts == 0)
    if empty.size:
        raise ValueError(
            f"{name}: {how_many(empty.size, 'text')} without a word that {source} have, first text {empty[0]}; "
            "expected at least one in each: drop such texts, or leave this variant out"
        )


def check_lsa(n: int, shape: Sequence[int], name: str) -> None:
    """Raise ValueError unless a matrix of counts has more than `n` rows and columns."""
    if min(shape) <= n:
        raise ValueError(
            f"{name} has more dimensions than {shape[0]} documents with {shape[1]} different words give; expected more "
            f"than {n} of both, or names without it"
        )
