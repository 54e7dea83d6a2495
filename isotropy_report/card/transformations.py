"""Scores after standard transformations."""

from __future__ import annotations

from typing import Any

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.isotropy.cosine import average_cosine
from isotropy_lab.isotropy.participation import dimensions_used, isoscore
from isotropy_report.card.parts import Section, Table, Value
from isotropy_report.card.survey import Survey, lengths_of


def transformations_section(found: Survey) -> Section:
    """Return the section of scores of every second row after transformations fitted on the other rows."""
    sample = found.sample
    notes = [
        f"Each is fitted on one half of {len(sample):,} rows and applied to the other half, on which it is "
        "scored, as new vectors would be; the rows that were fitted would come out white by construction. A "
        "higher score does not mean better search: measure what you use the vectors for."
    ]
    rows = _directed(sample)
    fitted, others = rows[::2], rows[1::2]
    table: list[tuple[Value, ...]] = []
    for name, step in _fitted(fitted).items():
        try:
            if isinstance(step, ValueError):
                raise step
            Z = others if step is None else _directed(step.transform(others))
            used = dimensions_used(Z, estimator="corrected")
            table.append((name, isoscore(Z, estimator="corrected"), used, average_cosine(Z)))
        except ValueError as error:
            table.append((name, None, None, None))
            notes.append(f"Undefined for rows {name}: {error}.")
    columns = ("rows", "IsoScore, corrected", "dimensions used, corrected", "average cosine")
    changes = Table("changes", "Scores of rows that were not fitted", columns, tuple(table))
    return Section(
        "transformations",
        "What a transformation would change",
        tables=(changes,),
        notes=tuple(notes),
        folded=True,
    )


def _directed(rows: checks.FloatArray) -> checks.FloatArray:
    """Return the rows that are not zero."""
    return rows[lengths_of(rows.astype(np.float64)) > 0]


def _fitted(rows: checks.FloatArray) -> dict[str, Any]:
    """Return fitted transformations by name: None for none, a ValueError where the rows cannot be fitted."""
    from isotropy_lab.transforms import AllButTheTop, Whitening, fit_each

    steps: list[AllButTheTop | Whitening] = [AllButTheTop(n_components=0), AllButTheTop(), Whitening()]
    names = ["centered", f"all but the top ({max(1, rows.shape[1] // 100)})", "whitened"]
    return {"as they are": None} | dict(zip(names, fit_each(steps, rows), strict=True))
