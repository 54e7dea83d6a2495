"""Find the words of a test in a space of word vectors, with a report of each word."""

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
# Near spellings are searched for among this many words of the space for each missing word, the first (as a
# rule the most frequent) of about its length with its first letter: enough to find slips, and quick among
# millions of words.
_CANDIDATES = 2000
_LENGTHS = 2
_OFFERED = 3


@dataclass(frozen=True)
class FoundTest(Result):
    """The vectors of a test's words in one space.

    Attributes
    ----------
    name, title
        Of the test.
    labels
        Role → what the list stands for.
    A, B, C, D : array of shape (k, p)
        Float64; vectors of the words found, one row each, in the order of the
        list.
    words
        Role → the words as they stand in the space, one for each row.
    report : pandas.DataFrame
        One row for each word: role, label, word, used (the word as it stands in the space, empty if none),
        outcome, near (spellings in the space near a missing word). Outcomes are "as spelled", "lower-cased"
        (with ", in a space with capitals" where that may be another word), "spelled …", "missing, dropped"
        and "same row as …, dropped".
    notes
        Lists of unequal length, and words that stand among the targets and the attributes.
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
        """A, B, C and D, ready for `weat` and related functions."""
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
    """A space's vocabulary: word → row, and whether any of its words has a capital."""

    def __init__(self, vectors: Any) -> None:
        self.index: Mapping[str, int] = getattr(vectors, "key_to_index", None) or {
            word: row for row, word in enumerate(vectors)
        }
        self.has_capitals = any(word != word.lower() for word in self.index)


def find(
    test: WordTest | str, vectors: Any, *, spelling: str = "adjusted", missing: str = "drop"
) -> FoundTest:
    """Look up the words of a test in word vectors, and report the outcome of each word.

    A word is taken as it is spelled, if the space has it; else in a space without capitals lower-cased, then
    in its other spelling lower-cased; in a space with capitals in its other spelling, lower-cased, then with
    a first capital.

    Parameters
    ----------
    test : WordTest or str
        A test of `load`, `custom` or `read`, or the name of a published one.
    vectors : mapping of str to array
        Words and their vectors: a dict, gensim's KeyedVectors, or what `isotropy_report.load_word_vectors`
        returns.
    spelling : {"adjusted", "printed", "original", "tested"}
        Which words of the test to ask for.
    missing : {"drop", "raise"}
        Whether a word that the space lacks is left out and reported, or is an error that names all of them.

    Returns
    -------
    FoundTest
        Four arrays (k, p) of float64, the words of their rows, and the report.

    Raises
    ------
    TypeError, ValueError
        If the test, the vectors or an option do not exist, words are missing under "raise", no word of a list
        is found, a word stands for both targets or both attributes, or its vector is zero, NaN or infinite.

    Notes
    -----
    Cost: a look-up per word, and at most one pass over the vocabulary for each missing word.
    Out-of-vocabulary vectors of fastText are not used.

    Examples
    --------
    >>> words = [word for one in load("weat-1").lists.values() for word in one.words("printed")]
    >>> vectors = {word: [1.0, len(word)] for word in words if word != "aster"}
    >>> found = find("weat-1", vectors)
    >>> found.report.query("outcome != 'as spelled'")[["role", "word", "outcome"]].values.tolist()
    [['A', 'aster', 'missing, dropped']]
    """
    _check_space(vectors)
    test = _as_test(test)
    checks.check_option(spelling, "spelling", SPELLINGS)
    checks.check_option(missing, "missing", ("drop", "raise"))
    space = Space(vectors)
    rows = {role: rows_of(role, words, spelling, space) for role, words in test.lists.items()}
    everything = [row for role in ROLES for row in rows[role]]
    lacking = [row for row in everything if row.outcome == DROPPED]
    for row in lacking:
        row.near = _near(row.word, space.index)
    if lacking and missing == "raise":
        raise ValueError(
            f"{test.name}: the vectors lack {_listed(lacking)}; expected all words, or missing='drop'"
        )
    used = {role: tuple(row.used for row in rows[role] if row.used) for role in ROLES}
    for role in ROLES:
        if not used[role]:
            raise ValueError(
                f"{test.name}: the vectors have no word of list {role} ({test.lists[role].label}): "
                f"{_listed(rows[role])}; expected at least one"
            )
    for first, second in (("A", "B"), ("C", "D")):
        check_disjoint_words(used[first], used[second], (f"{test.name}: as found, {first}", second))
    return FoundTest(
        name=test.name,
        title=test.title,
        labels={role: words.label for role, words in test.lists.items()},
        **{role: _vectors(vectors, used[role], role) for role in ROLES},
        words=used,
        report=pd.DataFrame([vars(row) for row in everything]),
        notes=_notes(used),
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
            f"vectors is {checks.describe(vectors)}; expected words and their vectors: a dict, gensim's "
            "KeyedVectors, or the result of isotropy_report.load_word_vectors"
        )


def rows_of(role: str, words: KeywordList, spelling: str, space: Space) -> list[_Row]:
    rows: list[_Row] = []
    first_use: dict[int, str] = {}
    for word in words.words(spelling):
        used, outcome = _resolve(word, words.other_spellings(word), space)
        if used and (place := space.index[used]) in first_use:
            used, outcome = "", f"same row as {first_use[place]}, dropped"
        elif used:
            first_use[place] = word
        rows.append(_Row(role, words.label, word, used, outcome))
    return rows


def _resolve(word: str, others: Sequence[str], space: Space) -> tuple[str, str]:
    lowered = "lower-cased, in a space with capitals" if space.has_capitals else "lower-cased"
    lower, other = [(word.lower(), lowered)], [(form, f"spelled {form}") for form in others]
    # Where capitals matter, "jack" may be another word than "Jack": first comes the name's other spelling.
    tries = [(word, "as spelled"), *(other + lower if space.has_capitals else lower + other)]
    for form in (*(form.lower() for form in others), word[:1].upper() + word[1:]):
        tries.append((form, f"spelled {form}"))
    return next(((form, outcome) for form, outcome in tries if form in space.index), ("", DROPPED))


def _vectors(keyed: Any, words: Sequence[str], role: str) -> Array:
    rows = np.array([keyed[word] for word in words], dtype=np.float64)
    bad = [word for word, row in zip(words, rows, strict=True) if not np.isfinite(row).all() or not row.any()]
    if bad:
        raise ValueError(
            f"{role} has zero or non-finite vectors for {', '.join(bad)}; expected vectors with a direction: "
            "fix the file or drop these words"
        )
    return rows


def _near(word: str, index: Iterable[str]) -> str:
    """Return the words of a space that look most like a missing one, whatever their case."""
    alike = (
        other
        for other in index
        if other[:1].lower() == word[0].lower() and abs(len(other) - len(word)) <= _LENGTHS
    )
    candidates: dict[str, list[str]] = {}
    for other in itertools.islice(alike, _CANDIDATES):
        candidates.setdefault(other.lower(), []).append(other)
    close = difflib.get_close_matches(word.lower(), candidates, n=_OFFERED, cutoff=0.75)
    return ", ".join([other for lowered in close for other in candidates[lowered]][:_OFFERED])


def _listed(rows: Sequence[_Row]) -> str:
    return ", ".join(f"{row.word} (near it: {row.near})" if row.near else row.word for row in rows)


def _notes(used: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
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
