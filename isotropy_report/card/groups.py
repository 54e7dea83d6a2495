"""Section on labeled rows: the scores of each label and the variance between labels."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from isotropy_lab import Moments
from isotropy_lab.isotropy.jackknife import score_of_log
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.measures import line_or_reason, spread_of
from isotropy_report.card.parts import Section, Table, Value
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import Survey, survey

_MOST_LABELS = 20
"""Maximum number of labels that are scored individually."""

_MOST_SUMS = 2**25
"""Maximum number of values in the table of sums over labels: 256 MB."""


def fraction_between(rows: Rows, found: Survey, numbers: npt.NDArray[np.intp]) -> float:
    """Return the fraction of the variance that lies between the label means."""
    counts = np.bincount(numbers)
    if counts.size * rows.n_dimensions > _MOST_SUMS:
        raise ValueError(
            f"labels contains {counts.size:,} distinct labels, whose means in {rows.n_dimensions:,} "
            "dimensions need more than 256 MB; expected fewer labels"
        )
    m = found.moments
    of_block = partial(_sums, numbers, counts.size, m)
    sums = reduce(np.add, rows.each(of_block, "means of labels", merge=np.add))
    between = float((np.square(sums).sum(axis=1) / counts).sum())
    return min(between / float(np.trace(m.scatter)), 1.0)


def _sums(
    numbers: npt.NDArray[np.intp], n_labels: int, m: Moments, start: int, block: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    """Return the sum of the rows of each label, after subtracting the overall mean."""
    own = numbers[start : start + len(block)]
    chosen = sparse.csr_array((np.ones(own.size), (own, np.arange(own.size))), shape=(n_labels, own.size))
    shifted = np.ldexp(block.astype(np.float64), -m.exponent) - np.ldexp(m.mean, -m.exponent)
    return np.asarray(chosen @ shifted)


def labels_section(
    array: Any,
    found: Survey,
    labels: Any,
    numbers: npt.NDArray[np.intp],
    *,
    groups: npt.NDArray[np.intp] | None,
    confidence_level: float,
) -> Section:
    """Return the section of scores for each label."""
    given, (_, first) = np.asarray(labels), np.unique(numbers, return_index=True)
    names, counts = [str(given[i]) for i in first], np.bincount(numbers)
    order = np.argsort(-counts, kind="stable")
    notes = []
    if order.size > _MOST_LABELS:
        notes.append(f"The table shows the {_MOST_LABELS} most frequent of {order.size:,} labels.")
    table: list[tuple[Value, ...]] = []
    undefined = []
    for label in order[:_MOST_LABELS]:
        index = np.flatnonzero(numbers == label)
        own = None if groups is None else np.unique(groups[index], return_inverse=True)[1]
        row, reason = _row(array, index, names[label], own, confidence_level)
        table.append(row)
        if reason:
            undefined.append(f"{names[label]} ({reason})")
    if undefined:
        notes.append(f"Undefined: {'; '.join(undefined[:5])}{' and others' if len(undefined) > 5 else ''}.")
    between = line_or_reason("between_fraction", lambda: fraction_between(Rows(array), found, numbers))
    notes.append(TEXTS["labels"])
    columns = ("label", "rows", "IsoScore, corrected", "low", "high", "average cosine", "mean length")
    scores = Table(
        "labels", f"Scores of each label, with {confidence_level:.0%} intervals", columns, tuple(table)
    )
    return Section("labels", "Labels", (between,), (scores,), notes=tuple(notes))


def _row(
    array: Any,
    index: npt.NDArray[np.intp],
    name: str,
    groups: npt.NDArray[np.intp] | None,
    confidence_level: float,
) -> tuple[tuple[Value, ...], str]:
    rows = Rows(array, index=index)
    scores: list[float | None] = [None] * 3
    cosine = length = None
    reason = ""
    try:
        what = f"label {name}"
        found = survey(rows, sample_size=1, rng=np.random.default_rng(0), what=what)
        cosine, length = found.average_cosine, found.mean_length
        spread = spread_of(rows, found, groups=groups, confidence_level=confidence_level, what=what)
        n = found.n_dimensions
        scores = [score_of_log(spread.log_ratio, n), *spread.score_interval(n)]
    except ValueError as error:
        reason = str(error)
    return (name, int(index.size), *scores, cosine, length), reason
