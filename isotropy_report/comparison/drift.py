"""Report of a drift test: whether texts differ under one model, and which shift the test can detect."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.multiplicity import holm
from isotropy_lab._core.rows import Floats, unit_rows
from isotropy_report._output import program
from isotropy_report.card.card import Page, mapped_files, split_seed
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import Caution, Section, Table
from isotropy_report.card.rows import report_progress
from isotropy_report.card.words import count_text, list_first
from isotropy_report.measures import Drift, DriftPower, drift_power, drift_test
from isotropy_report.measures.drift import LEVEL
from isotropy_report.measures.equal_rows import count_duplicates, row_hashes

__all__ = ["DriftReport", "drift_report"]

_SHIFTS = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
_POWER_ROWS = 1_000
_N_READ, _N_COORDINATES, _MAX_SHARED = 20_000, 10, 0.01
_NORMALIZED, _SCALED = 1.0 / 3.0, 0.98
"""Ratios of typical lengths below which only directions are compared: at once, or if texts seem different."""


@dataclasses.dataclass(frozen=True, repr=False)
class DriftReport(Page):
    """A drift test and the power of the test.

    Attributes
    ----------
    verdict : str
        "drift", "no significant drift", or "no verdict", if over 1% of one sample's rows are in the other.
    test : Drift
        The permutation test.
    power : DriftPower or None
        The shift that the test can detect; None if there are too few rows.
    """

    KIND: ClassVar[str] = "Drift of one model"
    JSON_KIND: ClassVar[str] = "drift"
    CHECKS_WARNINGS: ClassVar[bool] = False

    verdict: str = ""
    test: Drift | None = None
    power: DriftPower | None = None


def drift_report(
    A: checks.Points,
    B: checks.Points,
    *,
    names: tuple[str, str] = ("A", "B"),
    max_rows: int = 2_000,
    n_resamples: int = 999,
    rng: checks.RandomState = 0,
) -> DriftReport:
    """Test whether two samples of texts differ under one model, and report the detectable shift.

    Parameters
    ----------
    A, B : array-like of shape (N, n) and (M, n)
        Vectors of different texts from the same model.
    names : pair of str
        The names of the two samples.
    max_rows, n_resamples
        As in `measures.drift_test`; power is computed with at most 1,000 rows per side, so the actual power
        may be higher.
    rng : int, numpy.random.Generator, or None, default 0
        Generator or seed for drawing the rows, permutations, and splits.

    Returns
    -------
    DriftReport

    Raises
    ------
    TypeError, ValueError
        For the same reasons as in `measures.drift_test`.

    Notes
    -----
    The test uses the energy distance. Rows are normalized first if only one sample has rows of equal length,
    if both samples do but the two lengths differ, or if typical lengths differ by a factor of three, as for
    normalized or scaled vectors; the level is exact, as in `measures.drift_test`, unless lengths are near
    these limits. If typical lengths differ by over 2%, drift must also show in the directions. Cost: see
    there, and `measures.drift_power`.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report.comparison import drift_report
    >>> rng = np.random.default_rng(0)
    >>> report = drift_report(rng.standard_normal((60, 8)), rng.standard_normal((50, 8)) + 0.5, rng=0)
    >>> report.test.pvalue
    0.001
    """
    limit = checks.check_integer(max_rows, "max_rows", low=2)
    seed, generator = split_seed(rng)
    steps = [max(1, len(checks.as_points(X, name)) // _N_READ) for X, name in zip((A, B), "AB", strict=True)]
    a, b = (np.array(checks.as_points(X, "X")[::step], float) for X, step in zip((A, B), steps, strict=True))
    largest = float(max(np.abs(a).max(), np.abs(b).max())) or 1.0
    a, b = a / largest, b / largest
    options: dict[str, Any] = {"max_rows": limit, "n_resamples": n_resamples, "rng": generator(0)}
    report_progress("testing drift", 0, 2)
    if length_note := _length_sentence(a, b, names, largest, _NORMALIZED):
        a, b = unit_rows(a, "A"), unit_rows(b, "B")
    first, second = (a, b) if length_note else (A, B)
    test = drift_test(first, second, **options)
    if test.pvalue <= LEVEL and (note := _length_sentence(a, b, names, largest, _SCALED)):
        units = unit_rows(a, "A"), unit_rows(b, "B")
        if (of_directions := drift_test(*units, **options)).pvalue > LEVEL:
            a, b = first, second = units
            test, length_note = of_directions, note
    test = dataclasses.replace(test, n_rows_a=len(A), n_rows_b=len(B))
    report_progress("testing drift", 1, 2)
    power: DriftPower | None = None
    notes = []
    if min(test.n_rows_a, test.n_rows_b) >= 10:
        power = drift_power(first, second, max_rows=max(10, min(limit, _POWER_ROWS)), rng=generator(1))
    else:
        notes.append("The detectable shift cannot be estimated with fewer than 10 rows in a file.")
    report_progress("testing drift", 2, 2)
    values = (
        ("squared energy distance", test.statistic),
        ("by chance", test.chance),
        ("fraction of its largest value", test.coefficient),
        ("p", test.pvalue),
        ("permutations", test.n_resamples),
        *((f"{name}: rows", n) for name, n in zip(names, (test.n_rows_a, test.n_rows_b), strict=True)),
        *((f"{name}: rows tested", n) for name, n in zip(names, (test.n_a, test.n_b), strict=True)),
    )
    tables = [Table("test", "The test", ("what", "value"), values)]
    if power is not None:
        power_rows = tuple((f"{shift:g}", float((power.shifts <= shift).mean())) for shift in _SHIFTS)
        tables.append(Table("power", TEXTS["drift_power_title"], ("shift", "power"), power_rows))
        if test.pvalue > LEVEL and max(test.n_a, test.n_b) > max(power.n_a, power.n_b):
            notes.append(TEXTS["drift_power_rows"].format(first=power.n_a, second=power.n_b))
    cautions, contained = _cautions(A, B, names)
    sentences: list[str] = []
    if test.pvalue <= LEVEL:
        sentences, table = _describe_differences(a, b, names, steps[1])
        tables.append(table)
    notes.append("Rows must be independent, and the model fitted to neither file.")
    if test.pvalue > LEVEL:
        notes.append("A change of scale must be much larger than a shift to be detected.")
    return DriftReport(
        name=f"{names[0]} and {names[1]}",
        program=program(),
        options={"seed": seed, "rows of a side at most": limit, "permutations": n_resamples},
        summary=(*_summary(test, power, names, contained), *filter(None, [length_note]), *sentences),
        cautions=cautions,
        sections=(Section("drift", "Drift", tables=tuple(tables), notes=tuple(notes)),),
        sources=mapped_files(A, B),
        verdict="drift" if test.pvalue <= LEVEL else "no verdict" if contained else "no significant drift",
        test=test,
        power=power,
    )


def _length_sentence(a: Floats, b: Floats, names: tuple[str, str], unit: float, ratio: float) -> str:
    """Return a sentence on lengths, in units of `unit`, if they suggest normalized or scaled vectors."""
    quantiles = (np.quantile(np.linalg.norm(rows, axis=1), (0, 0.05, 0.5, 0.95)) for rows in (a, b))
    shortest, low, typical, high = np.array(list(quantiles)).T
    has_one_length = low > 0.99 * high
    min_ratio = 0.99 if has_one_length.all() else ratio
    is_similar = has_one_length[0] == has_one_length[1] and typical.min() > min_ratio * typical.max()
    if is_similar or a.shape[1] == 1 or shortest.min() == 0:  # some rows have no direction to compare
        return ""
    first, second = (unit * typical).tolist()
    text = TEXTS["drift_lengths"].format(name=names[0], first=first, other=names[1], second=second)
    if has_one_length[0] != has_one_length[1]:
        i = int(has_one_length[0])  # the file whose lengths vary
        text += f": 90% of {names[i]} have lengths from {unit * low[i]:.3g} to {unit * high[i]:.3g}"
    return f"{text}. Only directions are compared."


def _summary(test: Drift, power: DriftPower | None, names: tuple[str, str], contained: str) -> list[str]:
    has_drift = test.pvalue <= LEVEL
    verdict = f"No verdict, because {contained}" if contained else "No significant drift"
    sentences = [
        f"{'The texts differ under this model' if has_drift else verdict}: p = "
        f"{test.pvalue:.3g}, from {test.n_resamples:,} permutations of {test.n_a:,} rows of {names[0]} and "
        f"{test.n_b:,} rows of {names[1]}.",
        *[TEXTS["drift_fitted"]] * has_drift,
    ]
    if power is not None and not has_drift and not contained:
        sentences.append(TEXTS["drift_power"].format(shift=power.least_shift, power=power.power))
    return sentences


def _cautions(A: checks.Points, B: checks.Points, names: tuple[str, str]) -> tuple[tuple[Caution, ...], str]:
    """Return warnings about rows in both samples or repeated in one, and which sample the other contains."""
    hashes = [row_hashes(checks.as_points(X, name)) for X, name in zip((A, B), "AB", strict=True)]
    cautions, contained = [], ""
    for (a, b), (name, other) in zip((hashes, hashes[::-1]), (names, names[::-1]), strict=True):
        if (shared := np.isin(b, a)).mean() > _MAX_SHARED and not contained:
            contained = f"{shared.sum():,} of {len(b):,} rows of {other} are also in {name}"
    distinct = [count_duplicates(row_codes) for row_codes in hashes]
    total, n_rows = sum(d.n_duplicates for d in distinct) + int(shared.sum()), min(map(len, hashes))
    if 0 < total <= _MAX_SHARED * n_rows:
        rows = f"{count_text(total, 'shared or repeated row')} ({total / n_rows:.1%})"
        return (Caution("shared_rows", f"{rows} hardly change p."),), contained
    if count := int(shared.sum()):
        text = TEXTS["drift_shared"].format(rows=count_text(count, "row"), other=other, name=name)
        cautions.append(Caution("shared_rows", text))
    for name, row_codes, d in zip(names, hashes, distinct, strict=True):
        if d.n_duplicates:
            values = {"name": name, "part": d.n_duplicates / len(row_codes), "which": list_first(d.repeats)}
            text = TEXTS["drift_repeats"].format(rows=count_text(d.n_duplicates, "row"), **values)
            cautions.append(Caution("duplicates", text))
    return tuple(cautions), contained


def _describe_differences(a: Floats, b: Floats, names: tuple[str, str], step: int) -> tuple[list[str], Table]:
    """Return sentences on how two samples differ, and a table of coordinates; b has every `step`-th row."""
    accuracies = []
    for half in (0, 1):  # the direction is estimated from alternate rows and tested on the others
        low, high = a[half::2].mean(axis=0), b[half::2].mean(axis=0)
        for rows, sign in ((a, -1.0), (b, 1.0)):
            sides = np.sign((rows[1 - half :: 2] - (low + high) / 2.0) @ (high - low))
            accuracies.append(float((1.0 + sign * sides.mean()) / 2.0))
    shift = b.mean(axis=0) - a.mean(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # some coordinates may be constant in a file
        units = np.clip(np.nan_to_num(shift / np.sqrt((a.var(axis=0) + b.var(axis=0)) / 2.0)), -99.0, 99.0)
        corrected = holm(np.nan_to_num(stats.ttest_ind(a, b, equal_var=False).pvalue, nan=1.0))
    largest = np.argsort(-np.abs(units), kind="stable")[:_N_COORDINATES]
    farthest = (np.argsort(-(b @ shift), kind="stable")[:5] * step).tolist()
    spread = float(np.sqrt(b.var(axis=0).sum() / max(a.var(axis=0).sum(), 1e-300)))
    sentences = [
        TEXTS["drift_spread"].format(other=names[1], times=spread, name=names[0]),
        TEXTS["drift_means"].format(part=np.mean(accuracies)),
    ]
    count = int((corrected <= LEVEL).sum())
    values = {"count": count, "size": shift.size, "first": largest[0], "shift": units[largest[0]]}
    sentences.append(TEXTS["drift_where" if count else "drift_nowhere"].format(**values).replace("-", "−"))
    sentences += [TEXTS["drift_model"]] * (count > shift.size / 2)
    sentences.append(TEXTS["drift_rows"].format(rows=len(b), name=names[1], farthest=list_first(farthest)))
    columns = ("coordinate", "shift in standard deviations", "p, corrected")
    table_rows = tuple((str(i), float(units[i]), float(corrected[i])) for i in largest)
    return sentences, Table("coordinates", "Coordinates that differ most", columns, table_rows)
