"""Scores after standard transformations."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from isotropy_lab import _checks
from isotropy_lab.isotropy.cosine import average_cosine
from isotropy_lab.isotropy.participation import dimensions_used, isoscore
from isotropy_lab.report.parts import Section, Table, Value
from isotropy_lab.report.survey import Survey, lengths_of


@dataclasses.dataclass(frozen=True)
class Change:
    """Scores of rows after a transformation that was fitted on other rows."""

    name: str
    isoscore: float | None
    dimensions_used: float | None
    average_cosine: float | None
    reason: str = ""


def changes(sample: _checks.FloatArray) -> list[Change]:
    """Return the scores of every second row after transformations fitted on the others.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((400, 5)) * [4, 1, 1, 1, 1] + 3
    >>> [change.name for change in changes(X)]
    ['as they are', 'centered', 'all but the top (1)', 'whitened']
    """
    from isotropy_lab.transforms import AllButTheTop, Whitening, fit_each

    rows = sample[lengths_of(sample.astype(np.float64)) > 0]
    fitted, others = rows[::2], rows[1::2]
    n_removed = max(1, sample.shape[1] // 100)
    steps: dict[str, AllButTheTop | Whitening] = {
        "centered": AllButTheTop(n_components=0),
        f"all but the top ({n_removed})": AllButTheTop(),
        "whitened": Whitening(),
    }
    learned = zip(steps, fit_each(list(steps.values()), fitted), strict=True)
    return [_change("as they are", None, others), *(_change(name, step, others) for name, step in learned)]


def _change(name: str, step: Any, others: _checks.FloatArray) -> Change:
    if isinstance(step, ValueError):
        return Change(name, None, None, None, str(step))
    try:
        rows = others if step is None else step.transform(others)
        rows = rows[lengths_of(rows.astype(np.float64)) > 0]
        return Change(
            name,
            isoscore(rows, estimator="corrected"),
            dimensions_used(rows, estimator="corrected"),
            average_cosine(rows),
        )
    except ValueError as error:
        return Change(name, None, None, None, str(error))


def transformations_section(found: Survey) -> Section:
    """Return the section of transformations."""
    rows: list[tuple[Value, ...]] = []
    notes = [
        f"Each is fitted on one half of {len(found.sample):,} rows and applied to the other half, on which it is scored: "
        "new vectors would fare like that, while the rows that were fitted would come out white by construction. A higher "
        "score is no better search by itself: measure what you use the vectors for."
    ]
    for change in changes(found.sample):
        rows.append((change.name, change.isoscore, change.dimensions_used, change.average_cosine))
        if change.reason:
            notes.append(f"Undefined for rows {change.name}: {change.reason}.")
    table = Table(
        "changes",
        "Scores of rows that were not fitted",
        ("rows", "IsoScore, corrected", "dimensions used, corrected", "average cosine"),
        tuple(rows),
    )
    return Section(
        "transformations", "What a transformation would change", tables=(table,), notes=tuple(notes)
    )
