"""Construction of the report card of a set of vectors."""

from __future__ import annotations

from isotropy_lab._core import checks
from isotropy_report._output import program
from isotropy_report.card.card import ReportCard, mapped_files, split_seed
from isotropy_report.card.cautions import cautions, summary
from isotropy_report.card.measures import data_section, isotropy_section, variance_fractions
from isotropy_report.card.parts import Caution, Section
from isotropy_report.card.pictures import draw, picture_data
from isotropy_report.card.rows import Rows, as_rows, check_sample_size
from isotropy_report.card.strips import strips_section
from isotropy_report.card.survey import survey
from isotropy_report.io import WordVectors
from isotropy_report.io.arrow import as_vectors
from isotropy_report.measures._checks import check_gold_given

__all__ = ["report_card"]


def report_card(
    X: checks.Points,
    *,
    labels: checks.Groups = None,
    groups: checks.Groups = None,
    questions: checks.Points | None = None,
    documents: checks.Points | None = None,
    gold: checks.Gold = None,
    name: str = "Vectors",
    sample_size: int = 10_000,
    confidence_level: float = 0.95,
    pictures: bool = True,
    rng: checks.RandomState = 0,
) -> ReportCard:
    """Measure vectors and return a report card: numbers, meanings, and warnings about misleading numbers.

    Parameters
    ----------
    X : array-like of shape (N, n), or WordVectors
        N ≥ 4 points in n ≥ 2 dimensions, not all equal: an array, a memory map (also larger than memory), a
        DataFrame, or a Dask array, whose rows stay on its workers.
    labels : array-like of shape (N,), optional
        A label for each row: colors the plot of the first components.
    groups : array-like of shape (N,), optional
        The group of each row, such as the sentence of a token: intervals then leave out whole groups.
    questions, documents, gold : array-like, optional
        Vectors of questions and of documents (default `X`), and the position of each question's relevant
        document, counted from 0, or the positions of several documents, with or without grades (see
        `isotropy_lab.retrieval.answer_ranks`): adds a retrieval section.
    name : str
        The name of `X` on the card.
    sample_size : int
        Number of rows to compare with one another (intrinsic dimension, partition scores). From more rows, a
        sample of at most 128 MB is drawn, and the card says so.
    confidence_level : float
        Nominal coverage of the intervals.
    pictures : bool
        Whether to draw the first components, cosines, lengths, neighbors, and coordinates, and each score
        next to the scores of known encoders. The plots use at most `sample_size` rows, 20,000 pairs for
        cosines, and 2,000 rows for neighbors.
    rng : int, numpy.random.Generator, or None
        Seed for all random steps, which the card reports: the same input and seed give the same card. A
        generator is used to draw a seed; None draws the seed from fresh entropy.

    Returns
    -------
    ReportCard
        ``write("report.html")`` writes it, ``write("report.json")`` the same numbers.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type; if there are too few rows, all rows are equal, a value is NaN or
        inf, arguments do not match, or a requested part is undefined. If a single score is undefined, the
        card says why.
    ImportError
        If a part needs a package that is not installed.

    Notes
    -----
    `X` is read twice, in blocks: once for moments, lengths, directions, and equal rows, and once for the
    intervals, in O(N n²) time. Besides `X`, memory holds about 400 MB, a few (n, n) matrices, and about 70 MB
    for each million rows, whose lengths and hashes are kept. Dask's workers give the same results
    except for rounding; with `groups`, whose rows may be scattered, the second pass transfers the rows to
    this process, a block at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report import report_card
    >>> X = np.random.default_rng(0).standard_normal((500, 20)) + 1.0
    >>> card = report_card(X, name="noise")
    >>> round(card.value("average_cosine"), 1), card.value("isoscore") > 0.9
    (0.5, True)
    >>> card.summary[0][:13]
    'Not collapsed'
    """
    array = as_rows(X.vectors if isinstance(X, WordVectors) else X, "X")
    questions = as_vectors(questions)
    documents = None if documents is None else as_rows(documents, "documents")
    n_compared = check_sample_size(sample_size, array.shape[1])
    level = checks.check_confidence_level(confidence_level)
    seed, generator = split_seed(rng)
    n_points = int(array.shape[0])
    if labels is not None:
        checks.as_labels(labels, "labels", length=n_points)
    group_codes = None if groups is None else checks.as_labels(groups, "groups", length=n_points)
    check_gold_given(questions, gold, documents)

    rows = Rows(array)
    checks.check_size((rows.n_rows, rows.n_dimensions), "X", min_points=4, min_dimensions=2)
    # Compute the parts that may raise an error first, so that an invalid question is reported before the two
    # long passes over a large file.
    retrieval: list[Section] = []
    warnings: tuple[Caution, ...] = ()
    if questions is not None:
        from isotropy_report.card.search import search_cautions, search_section

        searched = array if documents is None else documents
        found, doubts = search_section(questions, searched, gold, confidence_level=level, rng=generator(3))
        retrieval.append(found)
        warnings = (*(Caution(key, text) for key, text in doubts.items()), *search_cautions([questions]))
    data = survey(rows, sample_size=n_compared, rng=generator(0))
    fractions = variance_fractions(data.moments)
    isotropy = isotropy_section(
        rows, data, fractions, groups=group_codes, confidence_level=level, rng=generator(1)
    )
    sections: list[Section] = [data_section(data), isotropy]
    if pictures:
        drawn = picture_data(data, fractions, name=name, labels=labels, rng=generator(5))
        first, scores = strips_section(isotropy, data, level)
        pictures_section = Section("pictures", "Pictures", figures=(first, *draw(drawn)), gallery=True)
        sections = [pictures_section, scores, *sections]
    sections = [*retrieval, *sections]
    return ReportCard(
        name=name,
        program=program(),
        options={
            "seed": seed,
            "confidence level": level,
            "rows compared with one another": len(data.sample),
            "groups left out": None if group_codes is None else int(group_codes.max()) + 1,
            "rows drawn from": None,
        },
        summary=(
            *(found.finding for found in retrieval),
            *summary(data, isotropy, level, searched=bool(retrieval)),
            *(found.finding for found in sections if found.finding and found not in retrieval),
        ),
        cautions=(*cautions(data, isotropy), *warnings),
        sections=tuple(sections),
        sources=mapped_files(array, labels, groups, questions, documents, gold),
    )
