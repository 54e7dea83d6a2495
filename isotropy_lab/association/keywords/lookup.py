"""Lookup of a test's words in a space of word vectors, with a report on each word."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.association._checks import check_disjoint_words
from isotropy_lab.association.keywords.word_tests import ROLES, SPELLINGS, KeywordList, WordTest, load, names

__all__ = ["FoundTest", "find"]

Array = npt.NDArray[np.float64]

DROPPED = "missing, dropped"
# For each missing word, similar spellings are searched for among the words with the same first letter and
# nearly the same length. Only the first such words, usually the most frequent, are searched. Their number is
# large enough to find typographical errors, and small enough for a fast search among millions of words.
_MAX_CANDIDATES = 2000
_MAX_LENGTH_DIFFERENCE = 2
_MAX_SUGGESTIONS = 3


@dataclass(frozen=True)
class FoundTest(Result):
    """Vectors of a test's words in a space of word vectors.

    Attributes
    ----------
    name, title
        Name and title of the test.
    labels
        Label of each list, by role.
    A, B, C, D : array of shape (k, p)
        Vectors of the words found, float64, one row per word in the order of the list.
    words
        Words in the spelling of the space, one per row, by role.
    report : pandas.DataFrame
        One row per word: role, label, word, used (the word in the spelling of the space, or an empty string),
        outcome, and near (spellings in the space similar to a missing word). Outcomes are "as spelled",
        "lower-cased" (followed by ", in a space with capitals" if that may be another word), "spelled …",
        "missing, dropped", and "same row as …, dropped".
    notes
        Notes on lists of unequal length, and on words that are both targets and attributes.
    """

    name: str
    title: str
    labels: dict[str, str]
    A: Array
    B: Array
    C: Array
    D: Array
    words: dict[str, tuple[str, ...]]
    report: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def lists(self) -> tuple[Array, Array, Array, Array]:
        """Lists A, B, C, and D, as arguments for `weat` and related functions."""
        return self.A, self.B, self.C, self.D


@dataclass
class _Row:
    role: str
    label: str
    word: str
    used: str
    outcome: str
    near: str = ""


class Space:
    """Vocabulary of a space: the row of each word, and whether any word contains a capital letter."""

    def __init__(self, vectors: Any) -> None:
        self.index: Mapping[str, int] = getattr(vectors, "key_to_index", None) or {
            word: row for row, word in enumerate(vectors)
        }
        self.has_capitals = any(word != word.lower() for word in self.index)


def find(
    test: WordTest | str, vectors: Any, *, spelling: str = "adjusted", missing: str = "drop"
) -> FoundTest:
    """Look up the words of a test in a space of word vectors, and report the outcome for each word.

    A word is first looked up as it is spelled. If the space has no capital letters, the word is then tried in
    lower case, and then its other spelling in lower case. If the space has capital letters, the other
    spelling is tried, then lower case, and then an initial capital.

    Parameters
    ----------
    test : WordTest or str
        Test from `load`, `custom`, or `read`, or the name of a published test.
    vectors : mapping of str to array
        Words and their vectors: a dict, gensim's KeyedVectors, or the result of
        `isotropy_report.load_word_vectors`.
    spelling : {"adjusted", "printed", "original", "tested"}
        Spelling in which the words of the test are looked up.
    missing : {"drop", "raise"}
        Whether words that are not in the space are dropped and reported, or raise an error that lists them.

    Returns
    -------
    FoundTest
        Four arrays of shape (k, p), float64, the words of their rows, and the report.

    Raises
    ------
    TypeError, ValueError
        If the test or an option does not exist; if `vectors` is not such a mapping; if words are missing and
        `missing` is "raise"; if no word of a list is found; if both targets or both attributes share a word;
        or if a vector is zero, NaN, or inf.

    Notes
    -----
    Cost: one lookup per word, and at most one pass over the vocabulary for each missing word.
    Out-of-vocabulary vectors of fastText are not used.

    Examples
    --------
    >>> words = [word for entry in load("weat-1").lists.values() for word in entry.words("printed")]
    >>> vectors = {word: [1.0, len(word)] for word in words if word != "aster"}
    >>> result = find("weat-1", vectors)
    >>> result.report.query("outcome != 'as spelled'")[["role", "word", "outcome"]].values.tolist()
    [['A', 'aster', 'missing, dropped']]
    """
    _check_space(vectors)
    test = _as_test(test)
    checks.check_option(spelling, "spelling", SPELLINGS)
    checks.check_option(missing, "missing", ("drop", "raise"))
    space = Space(vectors)
    rows = {role: rows_of(role, words, spelling, space) for role, words in test.lists.items()}
    all_rows = [row for role in ROLES for row in rows[role]]
    absent = [row for row in all_rows if row.outcome == DROPPED]
    for row in absent:
        row.near = _similar_spellings(row.word, space.index)
    if absent and missing == "raise":
        raise ValueError(
            f"{test.name}: the vectors are missing {_listing(absent)}; expected all words, or missing='drop'"
        )
    used = {role: tuple(row.used for row in rows[role] if row.used) for role in ROLES}
    for role in ROLES:
        if not used[role]:
            raise ValueError(
                f"{test.name}: the vectors contain no word of list {role} ({test.lists[role].label}: "
                f"{_listing(rows[role])}); expected at least one of these words"
            )
    for first, second in (("A", "B"), ("C", "D")):
        check_disjoint_words(used[first], used[second], (f"{test.name}: as found, {first}", second))
    return FoundTest(
        name=test.name,
        title=test.title,
        labels={role: words.label for role, words in test.lists.items()},
        **{role: _vectors_of(vectors, used[role], role) for role in ROLES},
        words=used,
        report=pd.DataFrame([vars(row) for row in all_rows]),
        notes=_list_notes(used),
    )


def _as_test(test: Any) -> WordTest:
    if isinstance(test, WordTest):
        return test
    if isinstance(test, str):
        return load(test)
    raise TypeError(f"test is {checks.describe(test)}; expected a WordTest or one of {', '.join(names())}")


def _check_space(vectors: Any) -> None:
    if not isinstance(vectors, Mapping) and not (
        hasattr(vectors, "key_to_index") and hasattr(vectors, "__getitem__")
    ):
        raise TypeError(
            f"vectors is {checks.describe(vectors)}; expected words with vectors, such as a dict, gensim's "
            "KeyedVectors, or the result of isotropy_report.load_word_vectors"
        )


def rows_of(role: str, words: KeywordList, spelling: str, space: Space) -> list[_Row]:
    rows: list[_Row] = []
    first_use: dict[int, str] = {}
    for word in words.words(spelling):
        used, outcome = _resolve(word, words.other_spellings(word), space)
        if used and (index := space.index[used]) in first_use:
            used, outcome = "", f"same row as {first_use[index]}, dropped"
        elif used:
            first_use[index] = word
        rows.append(_Row(role, words.label, word, used, outcome))
    return rows


def _resolve(word: str, spellings: Sequence[str], space: Space) -> tuple[str, str]:
    outcome = "lower-cased, in a space with capitals" if space.has_capitals else "lower-cased"
    lower, other = [(word.lower(), outcome)], [(form, f"spelled {form}") for form in spellings]
    # If case matters, "jack" may be a different word from "Jack", so try the other spelling of a name first.
    attempts = [(word, "as spelled"), *(other + lower if space.has_capitals else lower + other)]
    for form in (*(form.lower() for form in spellings), word[:1].upper() + word[1:]):
        attempts.append((form, f"spelled {form}"))
    return next(((form, outcome) for form, outcome in attempts if form in space.index), ("", DROPPED))


def _vectors_of(vectors: Any, words: Sequence[str], role: str) -> Array:
    rows = np.array([vectors[word] for word in words], dtype=np.float64)
    bad = [word for word, row in zip(words, rows, strict=True) if not np.isfinite(row).all() or not row.any()]
    if bad:
        raise ValueError(
            f"{role} has zero or non-finite vectors for {', '.join(bad)}; expected finite, nonzero "
            "vectors (correct the file, or drop these words)"
        )
    return rows


def _similar_spellings(word: str, index: Iterable[str]) -> str:
    """Return the words in a space whose spelling is closest to that of a missing word, ignoring case."""
    candidates = (
        other
        for other in index
        if other[:1].lower() == word[0].lower() and abs(len(other) - len(word)) <= _MAX_LENGTH_DIFFERENCE
    )
    spellings: dict[str, list[str]] = {}
    for other in itertools.islice(candidates, _MAX_CANDIDATES):
        spellings.setdefault(other.lower(), []).append(other)
    matches = difflib.get_close_matches(word.lower(), spellings, n=_MAX_SUGGESTIONS, cutoff=0.75)
    return ", ".join([other for match in matches for other in spellings[match]][:_MAX_SUGGESTIONS])


def _listing(rows: Sequence[_Row]) -> str:
    return ", ".join(f"{row.word} (near it: {row.near})" if row.near else row.word for row in rows)


def _list_notes(used: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    notes = [
        f"Lists {first} and {second} have {len(used[first])} and {len(used[second])} words: unequal lengths"
        for first, second in (("A", "B"), ("C", "D"))
        if len(used[first]) != len(used[second])
    ]
    for target, attribute in itertools.product("AB", "CD"):
        if shared := [word for word in used[target] if word in set(used[attribute])]:
            notes.append(
                f"Lists {target} and {attribute} share {', '.join(shared)}: each is wholly like itself"
            )
    return tuple(notes)
