"""The report of a drift test: whether texts under one model differ, and what could have been found."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import pandas as pd

from isotropy_lab._core import checks
from isotropy_report._output import program
from isotropy_report.card.card import Page, files_of, seeded
from isotropy_report.card.parts import SCHEMA, Section, Table
from isotropy_report.card.rows import report_progress
from isotropy_report.measures import Drift, DriftPower, drift_power, drift_test

__all__ = ["DriftReport", "drift_report"]

LEVEL = 0.05
"""The p-value below which the texts are said to differ."""

_SHIFTS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
_POWER_ROWS = 1_000


@dataclasses.dataclass(frozen=True)
class DriftReport(Page):
    """A drift test and its power.

    Attributes
    ----------
    test : Drift
        The permutation test.
    power : DriftPower or None
        What it could have found; None where there are too few rows.
    """

    KIND: ClassVar[str] = "Drift of one model"
    LOOKED: ClassVar[bool] = False

    test: Drift | None = None
    power: DriftPower | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON; "kind" is "drift"."""
        return {
            **({"schema": SCHEMA, "kind": "drift"} | super().to_dict()),
            "test": None if self.test is None else self.test.to_dict(),
            # JSON has no infinity: an end that the splits leave open is null.
            "power": None if self.power is None else _finite(self.power.to_dict()),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return the power at some shifts as a table with columns shift and power."""
        table = next((t for section in self.sections for t in section.tables if t.key == "power"), None)
        return pd.DataFrame([] if table is None else table.rows, columns=["shift", "power"])


def drift_report(
    A: checks.Points,
    B: checks.Points,
    *,
    names: tuple[str, str] = ("A", "B"),
    max_rows: int = 2_000,
    n_resamples: int = 999,
    rng: checks.RandomState = None,
) -> DriftReport:
    """Test whether two samples of texts under one model differ, and say what could have been found.

    Parameters
    ----------
    A, B : array-like of shape (N, n) and (M, n)
        Vectors of other texts by the same model.
    names : pair of str
        What they are called.
    max_rows, n_resamples
        Of `comparison.drift_test`; its power is found with 1,000 rows of a side at most, and so may be
        better.
    rng : numpy.random.Generator or int, optional
        Draws rows, permutations and splits.

    Returns
    -------
    DriftReport

    Raises
    ------
    TypeError, ValueError
        As `comparison.drift_test`.

    Notes
    -----
    The test is that of the energy distance, whose level is exact. Cost: see `comparison.drift_test` and
    `drift_power`.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.comparison import drift_report
    >>> rng = np.random.default_rng(0)
    >>> found = drift_report(rng.standard_normal((60, 8)), rng.standard_normal((50, 8)) + 0.5, rng=0)
    >>> found.test.pvalue
    0.001
    """
    limit = checks.check_integer(max_rows, "max_rows", low=2)
    seed, generator = seeded(rng)
    report_progress("testing drift", 0, 2)
    test = drift_test(A, B, max_rows=limit, n_resamples=n_resamples, rng=generator(0))
    report_progress("testing drift", 1, 2)
    power: DriftPower | None = None
    notes = []
    if min(test.n_rows_a, test.n_rows_b) >= 10:
        power = drift_power(A, B, max_rows=max(10, min(limit, _POWER_ROWS)), level=LEVEL, rng=generator(1))
    else:
        notes.append("With fewer than 10 rows on a side there is no telling what could have been found.")
    report_progress("testing drift", 2, 2)
    values = (
        ("squared energy distance", test.statistic),
        ("by chance", test.chance),
        ("share of its largest value", test.coefficient),
        ("p", test.pvalue),
        ("permutations", test.n_resamples),
        *((f"{name}: rows", n) for name, n in zip(names, (test.n_rows_a, test.n_rows_b), strict=True)),
        *((f"{name}: rows tested", n) for name, n in zip(names, (test.n_a, test.n_b), strict=True)),
    )
    tables = [Table("test", "The test", ("what", "value"), values)]
    if power is not None:
        found = tuple((f"{shift:g}", float((power.shifts <= shift).mean())) for shift in _SHIFTS)
        tables.append(Table("power", "How often a shift would have been found", ("shift", "power"), found))
        if max(test.n_a, test.n_b) > max(power.n_a, power.n_b):
            notes.append(
                f"The power is that of {power.n_a:,} and {power.n_b:,} rows; the test, with more, finds "
                "smaller shifts, too."
            )
    notes.append(
        "Rows must be independent: sentences of one page, or a text that stands in both files, are not. A "
        "shift of the mean is given in units of the root mean square distance of the rows from their mean; a "
        "change of scale is found much later."
    )
    return DriftReport(
        name=f"{names[0]} and {names[1]}",
        program=program(),
        options={"seed": seed, "rows of a side at most": limit, "permutations": n_resamples},
        summary=tuple(_summary(test, power, names)),
        cautions=(),
        sections=(Section("drift", "Drift", tables=tuple(tables), notes=tuple(notes)),),
        sources=files_of(A, B),
        test=test,
        power=power,
    )


def _summary(test: Drift, power: DriftPower | None, names: tuple[str, str]) -> list[str]:
    taken = f"{test.n_a:,} rows of {names[0]} and {test.n_b:,} of {names[1]}"
    shown = f"p = {test.pvalue:.3g}, by {test.n_resamples:,} permutations of {taken}"
    said = [
        f"The texts differ under this model: {shown}."
        if test.pvalue <= LEVEL
        else f"No drift was shown: {shown}."
    ]
    if test.coefficient is not None:
        said.append(
            f"The squared energy distance is {test.statistic:.3g}, where {test.chance:.3g} is what chance "
            f"gives, and {test.coefficient:.2%} of its largest possible value."
        )
    if power is not None:
        said.append(
            f"A shift of the mean by {power.least_shift:.3g} times the spread of the rows would have been "
            f"found with probability {power.power:g}, and smaller ones less often."
        )
    return said


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    return {key: None if value == float("inf") else value for key, value in values.items()}
