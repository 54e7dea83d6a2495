"""The data and isotropy sections: lengths, equal rows, dominating coordinates, and scores with intervals."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from isotropy_lab import Moments
from isotropy_lab._core.rows import Floats
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details
from isotropy_lab.isotropy.jackknife import Jackknife, interval_of_logs, is_cut_off
from isotropy_lab.isotropy.participation import dimensions_used, isoscore, isotropy_defect, traces_of_moments
from isotropy_lab.isotropy.partition import partition_score
from isotropy_lab.isotropy.variance import n_leading, score_of_spectrum
from isotropy_report.card.leaving_out import StatisticsWithout, log_ratio, statistics_without
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.parts import Line, Section, Table
from isotropy_report.card.pictures import spectrum_figure
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import QUANTILES, Survey, mean_cosine
from isotropy_report.card.words import count_text, list_first, number

N_NEIGHBORS = 20
"""Number of neighbors for the intrinsic dimension."""

HEAVY = 1.0
"""Above this excess kurtosis, intervals of IsoScore contain the true value too rarely."""

CUT_OFF = (
    "at its largest value: the rows cannot be distinguished from a ball, or their axes were fitted to them "
    "(PCA, SVD, whitening)"
)
"""Description of a corrected score that was cut off; nothing is compared with such a score."""

_MAX_QUERIES = 2_000
_NEAR_DUPLICATE_SHARE = 0.01  # fewer near-duplicates are not worth a sentence
_VARIANCE_FRACTION = 0.3
_MIN_LENGTH_RATIO = 1.1
"""Lengths differ if the middle 90% of them span more than 10%."""


@dataclasses.dataclass(frozen=True)
class Spread:
    """Estimates and interval half-widths obtained by leaving out rows or groups."""

    log_ratio: float  # logarithm of the corrected participation ratio
    log_half_width: float  # half-width of the interval of log_ratio
    cosine_half_width: float | None  # half-width of the interval of the average cosine
    centered_cosine: float | None  # average cosine of the centered rows
    n_groups: int  # number of rows or groups that were left out in turn
    few_share: float  # fraction of the variance in the 1% of rows farthest from the mean

    def score_interval(self, n: int) -> tuple[float, float]:
        """Return the interval of the corrected IsoScore for rows with n dimensions."""
        log, half_width = self.log_ratio, self.log_half_width
        return interval_of_logs(log, log - half_width, log + half_width, n)


def measure_spread(
    rows: Rows, data: Survey, *, groups: npt.NDArray[np.intp] | None, confidence_level: float
) -> Spread:
    """Read all rows a second time, leaving out each row or each group in turn."""
    accumulator = SpreadAccumulator(data)
    for block in statistics_without(rows, data, groups):
        accumulator.add(block)
    return accumulator.result(confidence_level)


class SpreadAccumulator:
    """Accumulator that computes a `Spread` block by block."""

    def __init__(self, data: Survey) -> None:
        cosine = data.average_cosine
        self.ratio = Jackknife(log_ratio(data.moments))
        self.with_cosine = cosine is not None and data.n_points - data.n_zero > 2
        self.cosine = Jackknife(cosine or 0.0)
        self.directions, self.n_directions = np.zeros(data.n_dimensions), 0
        self.farthest = np.zeros(one_percent(data.n_points))  # variance fractions of the farthest rows

    def add(self, block: StatisticsWithout) -> None:
        """Add the statistics of one block."""
        self.ratio.add(block.log_ratio)
        if self.with_cosine and np.isfinite(block.cosine).all():
            self.cosine.add(block.cosine)
        else:
            self.with_cosine = False
        self.directions += block.directions
        self.n_directions += block.n_directions
        size = self.farthest.size
        self.farthest = np.partition(np.append(self.farthest, block.shares), -size)[-size:]

    def result(self, confidence_level: float) -> Spread:
        """Return the `Spread` of all blocks added so far."""
        return Spread(
            log_ratio=self.ratio.full,
            log_half_width=self.ratio.half_width(confidence_level),
            cosine_half_width=self.cosine.half_width(confidence_level) if self.with_cosine else None,
            centered_cosine=mean_cosine(float(self.directions @ self.directions), self.n_directions),
            n_groups=self.ratio.n_groups,
            few_share=float(self.farthest.sum()),
        )


def one_percent(n_points: int) -> int:
    """Return 1% of the number of rows, rounded up to an integer."""
    return -(-n_points // 100)


def line_or_reason(key: str, compute: Callable[[], float], note: str = "") -> Line:
    """Return a line with the computed number, or with the reason why it is undefined."""
    try:
        value = compute()
    except ValueError as error:
        return Line(key, None, note=f"Undefined here: {error}.")
    if not math.isfinite(value):
        return Line(key, None, note="Undefined here: the value is infinite.")
    return Line(key, float(value), note=note)


def excess_kurtosis(m: Moments) -> float:
    """Return the excess kurtosis of the cloud, which is 0 for Gaussian tails.

    If the principal components are independent and share one excess kurtosis κ, the result estimates κ, since
    E‖y‖⁴ = (tr Σ)² + (2 + κ) tr Σ².
    """
    t = traces_of_moments(m)
    assert t.quartic is not None
    return (t.n_points * t.quartic - t.total**2) / t.square - 2.0


def dominating_coordinates(data: Survey, *, count: int = 5) -> list[tuple[int, float, float]]:
    """Return the coordinates that account for most of the variance or of the average cosine."""
    variances = np.diagonal(data.moments.scatter)
    total = float(variances.sum())
    fractions = variances / total if total > 0 else np.zeros(variances.size)
    n_rows = max(data.n_points - data.n_zero, 2)
    cosines = (np.square(data.unit_sum) - data.unit_squares) / (n_rows * (n_rows - 1.0))
    weight = np.maximum(fractions, np.abs(cosines))
    order = np.argsort(-weight, kind="stable")[:count]
    return [(int(i), float(fractions[i]), float(cosines[i])) for i in order]


def variance_fractions(m: Moments) -> Floats:
    """Return the fractions of variance along the principal components, in descending order."""
    scale = float(np.trace(m.scatter))
    if not scale > 0.0:
        raise ValueError(f"X is collapsed: all {m.count:,} rows are the same vector; expected different rows")
    values = np.maximum(np.linalg.eigvalsh(m.scatter / scale)[::-1], 0.0)
    return np.asarray(values / values.sum())


def data_section(data: Survey) -> Section:
    """Return the section that describes the rows themselves."""
    duplicates, repeated_note = data.duplicates, ""
    if duplicates.n_duplicates:
        i, j = duplicates.most_frequent
        times = f"{duplicates.most_occurrences:,} times"
        repeated_note = f"The most frequent row occurs {times}, first in rows {i:,} and {j:,}."
    lines = [
        Line("n_points", data.n_points),
        Line("n_dimensions", data.n_dimensions),
        Line("dtype", data.dtype),
        Line("n_duplicates", duplicates.n_duplicates, note=repeated_note),
        Line("n_zero", data.n_zero),
        Line("n_unit", data.n_unit),
        Line("mean_length", data.mean_length),
        Line("mean_fraction", data.mean_fraction),
    ]
    names = ("least", *(f"{q:.0%}" for q in QUANTILES[1:-1]), "largest")
    lengths = Table("lengths", "Lengths of the rows", ("quantile", *names), (("length", *data.lengths),))
    deviation = np.sqrt(np.diagonal(data.moments.scatter) / max(data.n_points - 1, 1))
    deviation = np.ldexp(deviation, data.moments.exponent)
    coordinates = Table(
        "coordinates",
        "Largest coordinates, counted from 0",
        ("coordinate", "fraction of variance", "part of average cosine", "mean", "standard deviation"),
        tuple(
            (str(i), variance, cosine, float(data.moments.mean[i]), float(deviation[i]))
            for i, variance, cosine in dominating_coordinates(data)
        ),
    )
    notes = [TEXTS["even_fraction"].format(even=number(1.0 / data.n_dimensions))]
    return Section("data", "The data", tuple(lines), (lengths, coordinates), notes=tuple(notes), folded=True)


def isotropy_section(
    rows: Rows,
    data: Survey,
    fractions: Floats,
    *,
    groups: npt.NDArray[np.intp] | None,
    confidence_level: float,
    rng: np.random.Generator,
    spread: Spread | None = None,
) -> Section:
    """Return the section of scores; `fractions` come from `variance_fractions`, and `spread` is optional."""
    m, n = data.moments, data.n_dimensions
    notes: list[str] = []
    try:
        spread = spread or measure_spread(rows, data, groups=groups, confidence_level=confidence_level)
        unit = "row" if groups is None else f"of the {spread.n_groups:,} groups"
        noun = "rows" if groups is None else TEXTS["groups"]
        notes.append(TEXTS["jackknife"].format(level=confidence_level, kind=unit, of=noun))
        if (excess := excess_kurtosis(m)) > HEAVY:
            notes.append(TEXTS["heavy_rows"].format(excess=number(excess)))
    except ValueError as error:
        notes.append(f"There are no intervals: {error}.")
    low, high = data.lengths[1], data.lengths[-2]
    if high > _MIN_LENGTH_RATIO * low:
        notes.append(TEXTS["different_lengths"].format(low=number(low), high=number(high)))
    rows.progress("comparing rows with one another", 0, len(data.sample))
    of_sample, finding = _sample_lines(data, notes, confidence_level, rng)
    of_few = f"It is that of the {count_text(one_percent(data.n_points), 'row')} farthest from the mean."
    lines = [
        line_or_reason("isoscore", lambda: isoscore(m)),
        *_corrected_lines(m, spread, n),
        line_or_reason("isotropy_defect", lambda: isotropy_defect(m)),
        Line("varex_score", score_of_spectrum(fractions, n_leading(_VARIANCE_FRACTION, n), n)),
        *([] if spread is None else [Line("variance_of_few", min(spread.few_share, 1.0), note=of_few)]),
        *_cosine_lines(data, spread),
        *of_sample,
    ]
    return Section(
        "isotropy",
        "Isotropy",
        tuple(lines),
        figures=(spectrum_figure(fractions),),
        notes=tuple(notes),
        folded=True,
        finding=finding,
    )


def _corrected_lines(m: Moments, spread: Spread | None, n: int) -> list[Line]:
    score = line_or_reason("isoscore_corrected", lambda: isoscore(m, estimator="corrected"))
    used = line_or_reason("dimensions_used_corrected", lambda: dimensions_used(m, estimator="corrected"))
    if spread is None or score.value is None:
        return [score, used]
    low, high = spread.score_interval(n)
    note = f"It is {CUT_OFF}." if is_cut_off(spread.log_ratio, n) else ""
    return [
        dataclasses.replace(score, low=low, high=high, note=note),
        dataclasses.replace(used, low=1 + low * (n - 1), high=1 + high * (n - 1)),
    ]


def _cosine_lines(data: Survey, spread: Spread | None) -> list[Line]:
    cosine = data.average_cosine
    if cosine is None:
        reason = "Undefined here: fewer than two rows are nonzero."
        return [Line("average_cosine", None, note=reason), Line("average_cosine_score", None, note=reason)]
    note = f"It excludes {data.n_zero:,} zero rows." if data.n_zero else ""
    lines = [Line("average_cosine", cosine, note=note), Line("average_cosine_score", 1.0 - abs(cosine))]
    if spread is not None and spread.cosine_half_width is not None:
        low, high = max(cosine - spread.cosine_half_width, -1.0), min(cosine + spread.cosine_half_width, 1.0)
        smallest, largest = sorted((abs(low), abs(high)))
        smallest = 0.0 if low <= 0.0 <= high else smallest
        ranges = (low, high), (1.0 - largest, 1.0 - smallest)
        lines = [dataclasses.replace(line, low=a, high=b) for line, (a, b) in zip(lines, ranges, strict=True)]
    if spread is not None and spread.centered_cosine is not None:
        lines.append(Line("average_cosine_centered", spread.centered_cosine))
    return lines


def _sample_lines(
    data: Survey, notes: list[str], confidence_level: float, rng: np.random.Generator
) -> tuple[list[Line], str]:
    """Return the scores that compare rows with one another or with many directions, and a finding."""
    sample, note = data.sample, ""
    if not data.whole:
        note = f"It is computed from {len(sample):,} random rows."
        notes.append(TEXTS["from_sample"].format(size=len(sample), rows=data.n_points))
    lines = [line_or_reason("partition_score", lambda: partition_score(sample), note)]
    intrinsic, finding = _intrinsic_line(data, min(_MAX_QUERIES, len(sample)), confidence_level, rng)
    lines.append(intrinsic)
    if isinstance(intrinsic.value, float):
        lines.append(Line("id_score", min(intrinsic.value / data.n_dimensions, 1.0)))
    return lines, finding


def _intrinsic_line(
    data: Survey, n_queries: int, confidence_level: float, rng: np.random.Generator
) -> tuple[Line, str]:
    """Return the intrinsic dimension, with an interval if only some rows are queries, and a finding."""
    try:
        details = intrinsic_dimension_details(
            data.sample,
            n_neighbors=N_NEIGHBORS,
            n_queries=n_queries,
            confidence_level=confidence_level,
            rng=rng,
        )
    except ValueError as error:
        return Line("intrinsic_dimension", None, note=f"Undefined here: {error}."), ""
    count = len(details.near_copies)
    positions = list_first(data.positions[details.near_copies].tolist())
    finding = TEXTS["near_duplicates"].format(count=count, rows=details.n_queries, which=positions)
    finding *= count > _NEAR_DUPLICATE_SHARE * details.n_queries
    note = f"It uses the {N_NEIGHBORS} nearest neighbors of {n_queries:,} rows"
    note += ", without repeated rows. " if data.duplicates.n_duplicates else ". "
    note += TEXTS["intrinsic_rows"].format(rows=details.n_points)
    if details.n_queries == details.n_points or not math.isfinite(details.high):
        return Line("intrinsic_dimension", details.estimate, note=note), finding
    note += " The interval reflects the random choice of rows."
    return Line("intrinsic_dimension", details.estimate, details.low, details.high, note), finding
