"""The report card of anybody's vectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import isotropy_lab
from isotropy_lab import _checks
from isotropy_lab.report import judgment
from isotropy_lab.report.card import ReportCard, Section
from isotropy_lab.report.comparison import comparison_section
from isotropy_lab.report.groups import labels_section
from isotropy_lab.report.measures import data_section, isotropy_section
from isotropy_lab.report.rows import Progress, Rows, silent
from isotropy_lab.report.survey import Survey, survey
from isotropy_lab.report.transformations import transformations_section

if TYPE_CHECKING:
    from isotropy_lab.association.keywords.word_tests import WordTest

__all__ = ["report_card"]

_SAMPLE = 10_000
"""Rows that are compared with one another, unless told otherwise."""

_SAMPLE_NUMBERS = 2**24
"""Numbers of the sample: 128 MB in float64."""


def report_card(
    X: _checks.Points,
    *,
    projection: _checks.Points | None = None,
    labels: Any = None,
    groups: Any = None,
    questions: _checks.Points | None = None,
    documents: _checks.Points | None = None,
    gold: Any = None,
    words: Any = None,
    weat: WordTest | str | None = None,
    compare: _checks.Points | None = None,
    name: str = "Vectors",
    compare_name: str = "the other file",
    sample_size: int = _SAMPLE,
    confidence: float = 0.95,
    expect_unit: bool = False,
    transformations: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> ReportCard:
    """Measure vectors and return a report card: what the numbers are, what they mean, and where they would mislead.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N ≥ 4 points in n ≥ 2 dimensions, not all equal: an array, a memory map (which may be larger than memory), a
        DataFrame.
    projection : array-like of shape (N, t), optional
        A picture of the same points, row by row: adds its quality and Shepard diagram.
    labels : array-like of shape (N,), optional
        A label for each row: adds the scores of each label.
    groups : array-like of shape (N,), optional
        What each row depends on, such as the sentence of a token: intervals then leave out whole groups.
    questions, documents, gold : array-like, optional
        Vectors of questions, of documents (default `X`) and the position of the right document of each question, from 0:
        adds a card of retrieval.
    words : sequence of str, optional
        A word for each row of `X`; needed for `weat`.
    weat : WordTest or str, optional
        A word association test, as in `isotropy_lab.association.keywords`: adds a card of association.
    compare : array-like, optional
        Other vectors. If there are N of them, row i is taken for another vector of the same thing as row i of `X`, and the
        interval is paired.
    name, compare_name : str
        What `X` and `compare` are called on the card.
    sample_size : int
        Rows that are compared with one another (intrinsic dimension, partition scores, transformations). Of more rows a
        sample is drawn, and the card says so. It is cut so that the sample takes at most 128 MB.
    confidence : float
        Nominal coverage of the intervals.
    expect_unit : bool
        Whether rows are meant to have length 1; the card then warns of those that have not.
    transformations : bool
        Whether to show what standard transformations would change.
    seed : int
        Of everything random; the same input gives the same card.
    progress : callable, optional
        Called as ``progress(what, done, total)``.

    Returns
    -------
    ReportCard
        ``write("report.html")`` writes it, ``write("report.json")`` the same numbers.

    Raises
    ------
    TypeError
        If an argument is of a wrong kind.
    ValueError
        If there are too few rows, all rows are equal, a value is NaN or inf, arguments do not go together, or one of the parts
        asked for is undefined; the message says which argument and why. A single score that is undefined is no error: the card
        says why.
    ImportError
        If a part needs a package that is not installed: numba for `projection`, gensim for `weat`.

    Notes
    -----
    `X` is read twice, in blocks: once for moments, lengths, directions and equal rows, once for the intervals, O(N n²) time.
    Memory beside `X`: about 400 MB and a few (n, n) matrices, whatever N; of a memory map no more than a block is resident.
    `compare` is read twice more, `labels` once more for each of the 20 largest labels.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab import report_card
    >>> X = np.random.default_rng(0).standard_normal((500, 20)) + 1.0
    >>> card = report_card(X, name="noise")
    >>> round(card.value("average_cosine"), 1), card.value("isoscore") > 0.9
    (0.5, True)
    >>> [caution.key for caution in card.cautions]
    ['mean_drives_cosine']
    """
    told = progress or silent
    array = _checks.as_array(X, "X", ndim=2)
    size = _checks.check_integer(sample_size, "sample_size", low=10)
    size = max(10, min(size, _SAMPLE_NUMBERS // max(1, array.shape[1])))
    level = _checks.check_real(confidence, "confidence", low=0.0, high=1.0, open_low=True, open_high=True)
    number = _checks.check_integer(seed, "seed", low=0)
    n_points = int(array.shape[0])
    picture = _other(projection, "projection")
    if picture is not None:
        _check_same_rows(n_points, picture.shape[0], "projection")
    kinds = None if labels is None else _checks.as_labels(labels, "labels", length=n_points)
    dependent = None if groups is None else _checks.as_labels(groups, "groups", length=n_points)
    _check_parts(questions, documents, gold, words, weat)
    other = _other(compare, "compare")

    def generator(part: int) -> np.random.Generator:
        return np.random.default_rng([number, part])  # a part more or less does not change the others

    rows = Rows(array, progress=told)
    _checks.check_size((rows.n_rows, rows.n_dimensions), "X", min_points=4, min_dimensions=2)
    # What may be undefined comes first: nobody waits for two passes over a large file to hear of a wrong question.
    asked: list[Section] = []
    if questions is not None:
        from isotropy_lab.report.search import search_section

        asked.append(
            search_section(
                questions,
                array if documents is None else documents,
                gold,
                confidence=level,
                rng=generator(3),
                progress=told,
            )
        )
    if weat is not None:
        from isotropy_lab.report.words import association_section, keyed

        asked.append(association_section(weat, keyed(array, words), rng=generator(4)))
    found = survey(rows, sample_size=size, rng=generator(0))
    isotropy, _ = isotropy_section(rows, found, groups=dependent, confidence=level, rng=generator(1))
    sections: list[Section] = [data_section(found), isotropy]
    if transformations:
        sections.append(transformations_section(found))
    if kinds is not None:
        sections.append(
            labels_section(array, found, labels, kinds, groups=dependent, confidence=level, progress=told)
        )
    if picture is not None:
        from isotropy_lab.report.picture import picture_section

        sections.append(
            picture_section(rows, Rows(picture, progress=told), confidence=level, rng=generator(2))
        )
    sections += asked
    if other is not None:
        sections.append(
            _compared(rows, found, Rows(other, progress=told), (name, compare_name), dependent, level)
        )
    return ReportCard(
        name=name,
        program=f"isotropy-lab {isotropy_lab.__version__}",
        options={
            "seed": number,
            "confidence": level,
            "rows compared with one another": len(found.sample),
            "unit rows expected": bool(expect_unit),
            "groups left out": None if dependent is None else int(dependent.max()) + 1,
        },
        summary=judgment.summary(found, isotropy, level),
        cautions=judgment.cautions(found, isotropy, expect_unit=expect_unit),
        sections=tuple(sections),
    )


def _other(x: Any, name: str) -> Any:
    return None if x is None else _checks.as_array(x, name, ndim=2)


def _check_parts(questions: Any, documents: Any, gold: Any, words: Any, weat: Any) -> None:
    _check_goes_together(
        {"questions": questions is not None, "gold": gold is not None},
        "both for a card of retrieval",
    )
    if documents is not None:
        _check_goes_together(
            {"documents": True, "questions": questions is not None}, "questions, documents and gold"
        )
    if weat is not None:
        _check_goes_together(
            {"weat": True, "words": words is not None}, "a word for each row of X beside the test"
        )


def _compared(
    rows: Rows,
    found: Survey,
    second: Rows,
    names: tuple[str, str],
    groups: Any,
    confidence: float,
) -> Section:
    other = survey(second, sample_size=1, rng=np.random.default_rng(0), what="reading the other file")
    same = found.n_points == other.n_points
    return comparison_section(
        rows, found, second, other, names=names, groups=groups if same else None, confidence=confidence
    )


def _check_same_rows(n_rows: int, other: int, name: str) -> None:
    """Raise ValueError unless another array has as many rows as X."""
    if n_rows != other:
        raise ValueError(
            f"{name} has {other} rows, X has {n_rows}; expected row i of {name} to go with row i of X"
        )


def _check_goes_together(given: Mapping[str, bool], why: str) -> None:
    """Raise ValueError unless all of some arguments are given, or none."""
    missing = [name for name, there in given.items() if not there]
    if missing and len(missing) < len(given):
        present = [name for name, there in given.items() if there]
        raise ValueError(f"{' and '.join(present)} given without {' and '.join(missing)}; expected {why}")
