"""The section about word associations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.report.card import Line, Section, Table, Value
from isotropy_lab.report.weat import CAUTION, PAIRS, weat_report
from isotropy_lab.vectors._extras import require

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

    from isotropy_lab.association.keywords.word_tests import WordTest

__all__ = ["association_section", "keyed"]


def keyed(array: npt.NDArray[Any], words: Any) -> KeyedVectors:
    """Return rows with their words as gensim's word vectors.

    Parameters
    ----------
    array : ndarray of shape (N, n)
        Vectors.
    words : sequence of str
        A word for each row, no word twice.

    Returns
    -------
    gensim.models.KeyedVectors

    Raises
    ------
    TypeError, ValueError
        If `words` is no list of N different words.
    ImportError
        If gensim is not installed.

    Examples
    --------
    >>> keyed(np.eye(2), ["a", "b"]).index_to_key
    ['a', 'b']
    """
    known = _as_row_words(words, array.shape[0])
    vectors = require("gensim.models", "an association card").KeyedVectors(array.shape[1])
    vectors.add_vectors(known, np.asarray(array, dtype=np.float32))
    return vectors


def association_section(test: WordTest | str, vectors: KeyedVectors, *, rng: np.random.Generator) -> Section:
    """Return the section of a word association test.

    Parameters
    ----------
    test : WordTest or str
        As in `isotropy_lab.report.weat.weat_report`.
    vectors : gensim.models.KeyedVectors
        The space.
    rng : numpy.random.Generator
        Draws random divisions.

    Returns
    -------
    Section

    Raises
    ------
    TypeError, ValueError, ImportError
        As `weat_report`.
    """
    result = weat_report(test, vectors, rng=rng)
    lists = result["lists"]
    rows: list[tuple[Value, ...]] = []
    for row in result["similarities"]:
        rows.append((row["similarity"], *(row[pair] for pair in PAIRS), row["score"]))
        if row["chance"]:
            rows.append((f"{row['similarity']}, by chance", *(row["chance"][pair] for pair in PAIRS), None))
    similarities = Table(
        "similarities",
        f"{result['test']}: similarities of the lists, and their score",
        ("similarity", *(f"{x} with {y}" for x, y in PAIRS.values()), "score"),
        tuple(rows),
    )
    found = Table(
        "lists",
        "The lists",
        ("list", "stands for", "words found", "words asked"),
        tuple((role, part["label"], part["found"], part["asked"]) for role, part in lists.items()),
    )
    outcome = result["permutation"]
    lines = [Line("effect_size", result["effect_size"])]
    if outcome is not None:
        exact = outcome["method"] == "exact"
        lines.append(
            Line(
                "p_value",
                outcome["p_value"],
                None if exact else outcome["p_low"],
                None if exact else outcome["p_high"],
                f"One-sided; {outcome['n_at_least']:,} of {outcome['count']:,} divisions, "
                f"{'all there are' if exact else 'drawn at random'}.",
            )
        )
    missing = [row["word"] for row in result["words"] if row["outcome"].startswith("missing")]
    notes = [f"{note}." if not note.endswith(".") else note for note in result["notes"]]
    if missing:
        notes.append(f"Words that the vectors lack, left out: {', '.join(missing)}.")
    title = f"Word association: {result['title']}"
    return Section("association", title, tuple(lines), (found, similarities), notes=(*notes, CAUTION))


def _as_row_words(words: Any, length: int) -> list[str]:
    """Return a list of words, one for each row of X, no word twice."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise TypeError(
            f"words is {_checks.describe(words)}; expected a list of text, a word for each row of X"
        )
    known = [str(word) for word in words]
    if len(known) != length:
        raise ValueError(f"words has {len(known)} words, X has {length} rows; expected a word for each row")
    seen: set[str] = set()
    for word in known:
        if word in seen:
            raise ValueError(f"words has {word!r} more than once; expected every word once")
        seen.add(word)
    return known
