"""Word lists of association tests: ten WEATs, Kindel's gender-sentiment example, and custom lists."""

from __future__ import annotations

import functools
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from isotropy_lab._core import checks
from isotropy_lab.association._checks import as_words, check_disjoint_words

__all__ = ["ROLES", "SPELLINGS", "KeywordList", "WordTest", "custom", "load", "names", "read"]

ROLES = ("A", "B", "C", "D")
"""Roles of the four lists of a test: targets A and B, and attributes C and D."""

SPELLINGS = ("adjusted", "printed", "original", "tested")
"""Names of the available spellings of a list."""


@dataclass(frozen=True)
class KeywordList:
    """A list of words in several spellings.

    Attributes
    ----------
    label : Concept that the list represents, such as "flowers".
    adjusted : tuple of str
        Original words with the adjustments stated in Table S2 of Kindel (2023), which deletes some words and
        changes the spelling of others.
    printed
        Words as printed in Tables S1 and S2 of Kindel (2023).
    original
        Words as printed in Caliskan et al. (2017).
    tested
        Original words without those that Caliskan et al. (2017) omitted from their tests on word2vec.
    respelled
        Original and adjusted spelling of each word that has two, as a tuple of pairs of str.

    Examples
    --------
    >>> weapons = load("weat-2").B
    >>> weapons.words("original")[5], weapons.words("adjusted")[5], weapons.respelled
    ('axe', 'ax', (('axe', 'ax'),))
    """

    label: str
    adjusted: tuple[str, ...]
    printed: tuple[str, ...]
    original: tuple[str, ...]
    tested: tuple[str, ...]
    respelled: tuple[tuple[str, str], ...] = ()

    def words(self, spelling: str = "adjusted") -> tuple[str, ...]:
        """Return the words in one of the `SPELLINGS`; the attributes describe each spelling."""
        chosen: tuple[str, ...] = getattr(self, checks.check_option(spelling, "spelling", SPELLINGS))
        return chosen

    def other_spellings(self, word: str) -> tuple[str, ...]:
        """Return the other spellings of a word; most words have none."""
        return tuple(b if word == a else a for a, b in self.respelled if word in (a, b))


@dataclass(frozen=True)
class WordTest:
    """The four word lists of an association test.

    Attributes
    ----------
    name, title
        Short name, and a title that says what is compared.
    A, B
        Target lists.
    C, D
        Attribute lists.
    note
        Caveat; empty for most tests.
    """

    name: str
    title: str
    A: KeywordList
    B: KeywordList
    C: KeywordList
    D: KeywordList
    note: str = ""

    @property
    def lists(self) -> dict[str, KeywordList]:
        """The four lists, by role."""
        return {role: getattr(self, role) for role in ROLES}

    def sizes(self, spelling: str = "adjusted") -> dict[str, int]:
        """Return the number of words of each list, by role."""
        return {role: len(words.words(spelling)) for role, words in self.lists.items()}


def names() -> tuple[str, ...]:
    """Return the names of the published tests: ten WEATs and the gender-sentiment example.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> names()[0], names()[-1], len(names())
    ('weat-1', 'gender-sentiment', 11)
    """
    return tuple(_read_document()["tests"])


def load(name: str | os.PathLike[str]) -> WordTest:
    """Return the word lists of a published test, or of a file.

    Parameters
    ----------
    name : str or path
        "weat-1" to "weat-10" for the word embedding association tests of Caliskan et al. (2017), with the
        adjustments of Kindel (2023), Table S2; "gender-sentiment" for its Table S1; or a file: see `read`.

    Returns
    -------
    WordTest
        Each list in all `SPELLINGS`: printed, adjusted, original, and as tested on word2vec.

    Raises
    ------
    ValueError
        If no test has this name; the message lists the existing names.

    Notes
    -----
    WEAT 3 and 4 use the words of WEAT 1 and 2; their original lists have *bomb* and *evil* instead of *agony*
    and *prison*. WEAT 5 and 10 use the eight-word lists of the gender-sentiment example.

    Examples
    --------
    >>> test = load("weat-9")
    >>> test.title
    'Mental and physical illness, temporary and permanent'
    >>> test.sizes()
    {'A': 6, 'B': 6, 'C': 7, 'D': 7}
    """
    if isinstance(name, os.PathLike) or str(name).lower().endswith((".toml", ".json")):
        return read(name)
    return _as_test(checks.check_option(name, "name", names()))


@functools.cache
def _as_test(name: str) -> WordTest:
    document = _read_document()
    entry = document["tests"][name]
    excluded = frozenset(entry.get("left_out", "").split())
    replaced = entry.get("replaced", {})
    lists = {role: _as_list(document["lists"][entry[role]], excluded, replaced) for role in ROLES}
    return WordTest(name=name, title=entry["title"], note=entry.get("note", ""), **lists)


def _as_list(entry: Mapping[str, Any], excluded: frozenset[str], replaced: Mapping[str, str]) -> KeywordList:
    printed = tuple(entry["printed"].split())
    original = tuple(entry["original"].split()) if "original" in entry else printed
    deleted, respelled = entry.get("deleted", []), entry.get("respelled", {})
    adjusted = tuple(respelled.get(word, word) for word in original if word not in deleted)
    return KeywordList(
        label=entry["label"],
        adjusted=printed if "unexplained" in entry else adjusted,
        printed=printed,
        original=original,
        tested=tuple(replaced.get(word, word) for word in original if word not in excluded),
        respelled=tuple(respelled.items()),
    )


@functools.cache
def _read_document() -> dict[str, Any]:
    file = resources.files("isotropy_lab.association.keywords").joinpath("data", "keywords.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def custom(
    A: Iterable[str],
    B: Iterable[str],
    C: Iterable[str],
    D: Iterable[str],
    *,
    name: str = "custom",
    title: str = "",
    labels: Mapping[str, str] | None = None,
) -> WordTest:
    """Create a test from your own word lists.

    Parameters
    ----------
    A, B : iterable of str
        Target words; no word is in both lists.
    C, D : iterable of str
        Attribute words; no word is in both lists. A word may be both a target and an attribute.
    name, title : str
        Short name, and a title that says what is compared.
    labels : mapping, optional
        Label of each list, by role. By default, the role itself.

    Returns
    -------
    WordTest
        Test whose lists have only one spelling.

    Raises
    ------
    TypeError, ValueError
        If a list is a single string, is empty, or contains anything other than text or a word twice; if a
        word is in both target lists or both attribute lists; or if a label has a role that does not exist.

    Examples
    --------
    >>> test = custom(A=["tea"], B=["coffee"], C=["calm"], D=["awake", "alert"], name="drinks")
    >>> test.sizes()
    {'A': 1, 'B': 1, 'C': 1, 'D': 2}
    """
    raw_lists = {"A": A, "B": B, "C": C, "D": D}
    words = {role: as_words(listed, role) for role, listed in raw_lists.items()}
    for first, second in (("A", "B"), ("C", "D")):
        check_disjoint_words(words[first], words[second], (first, second))
    for role in labels or {}:
        checks.check_option(role, "a role in labels", ROLES)
    label = {role: role for role in ROLES} | dict(labels or {})
    lists = {
        role: KeywordList(label[role], adjusted=listed, printed=listed, original=listed, tested=listed)
        for role, listed in words.items()
    }
    return WordTest(name, title or name, lists["A"], lists["B"], lists["C"], lists["D"])


def read(path: str | os.PathLike[str]) -> WordTest:
    r"""Read a test from a TOML or JSON file.

    Parameters
    ----------
    path : str or path
        A ``.toml`` or ``.json`` file with the keys A, B, C, and D, each with a list of words, and optionally
        name, title, and labels (a table of labels by role).

    Returns
    -------
    WordTest
        Test as created by `custom`; by default, its name is the name of the file.

    Raises
    ------
    TypeError, ValueError
        If the file cannot be parsed, is missing a list, or has an unknown key or lists that `custom` rejects.
    FileNotFoundError, IsADirectoryError
        If there is no file at the path.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "drinks.toml")
    ...     _ = file.write_text('A = ["tea"]\nB = ["coffee"]\nC = ["calm"]\nD = ["alert"]\nlabels.A = "mild"')
    ...     test = read(file)
    >>> test.name, test.A.label, test.B.words()
    ('drinks', 'mild', ('coffee',))
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is {checks.describe(path)}; expected the path of a file as a str or a Path")
    file = Path(path)
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder; expected a .toml or .json file of word lists")
    if not file.is_file():
        raise FileNotFoundError(f"{file} does not exist; expected a .toml or .json file of word lists")
    parse = {".toml": tomllib.loads, ".json": json.loads}.get(file.suffix.lower())
    if parse is None:
        raise ValueError(f"{file} ends in {file.suffix or 'nothing'!r}; expected .toml or .json")
    try:
        entry = parse(file.read_text(encoding="utf-8-sig"))  # some editors write a byte order mark
    except ValueError as error:  # includes TOMLDecodeError, JSONDecodeError, and UnicodeDecodeError
        raise ValueError(f"{file} cannot be parsed ({error}); expected valid TOML or JSON") from error
    except RecursionError as error:
        raise ValueError(f"{file} has brackets nested too deeply; expected four lists of words") from error
    if not isinstance(entry, dict):
        raise ValueError(f"{file} contains {checks.describe(entry)}; expected the keys {', '.join(ROLES)}")
    valid_keys = (*ROLES, "name", "title", "labels")
    unknown = [key for key in entry if key not in valid_keys]
    if unknown:
        raise ValueError(f"{file} has the keys {', '.join(unknown)}; expected only {', '.join(valid_keys)}")
    missing = [role for role in ROLES if role not in entry]
    if missing:
        raise ValueError(f"{file} is missing {', '.join(missing)}; expected the lists {', '.join(ROLES)}")
    for key in ("name", "title"):
        if not isinstance(entry.get(key, ""), str):
            raise TypeError(f"{file}: {key} is {checks.describe(entry[key])}; expected text")
    labels = entry.get("labels", {})
    if not isinstance(labels, dict) or not all(isinstance(label, str) for label in labels.values()):
        raise TypeError(f"{file}: labels is {checks.describe(labels)}; expected a table of labels by role")
    try:
        return custom(
            **{role: entry[role] for role in ROLES},
            name=entry.get("name") or file.stem,
            title=entry.get("title", ""),
            labels=labels,
        )
    except (TypeError, ValueError) as error:
        raise type(error)(f"{file}: {error}") from error
