"""The verdict in three sentences and warnings about misleading numbers.

Warnings are for unusual data: of 30 sets of ordinary vectors (`tests/reanalyses/test_ordinary_vectors.py`),
at most 20% trigger any given warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from isotropy_lab.isotropy.jackknife import is_cut_off
from isotropy_report.card.known import known_encoders
from isotropy_report.card.leaving_out import log_ratio
from isotropy_report.card.measures import (
    HEAVY,
    N_NEIGHBORS,
    dominating_coordinates,
    excess_kurtosis,
    one_percent,
)
from isotropy_report.card.parts import Caution, Line, Section, Value
from isotropy_report.card.survey import Survey
from isotropy_report.card.words import counted, decimals, number

_MEAN_FRACTION = 0.1
"""Above this fraction of the mean squared length, the mean vector affects every cosine."""

_MOST_NAMED = 10
_DOMINATES, _DOMINATES_COSINE = 0.25, 1 / 3
_TIMES_EVEN = 5
"""A coordinate dominates if it accounts for a quarter of the variance or a third of the average cosine, and
for five times an even fraction."""

_ROWS_TIMES_EVEN = 33
"""The farthest 1% of rows are huge if they hold 33 times their even fraction: a third of the variance. If
they lie along one line, the dimensions used are then at most 9, however round the rest of the cloud is. On
average, the farthest 1% hold at most 8% in Gaussian clouds, and at most 22% in exponential clouds and in
clouds from Student's t with 5 degrees of freedom."""

_HALF_LARGEST = 65504.0
"""The largest float16 number."""

_NEARLY_UNIT = 0.05
_VAGUE, _VAGUE_SHARE = 2.0, 0.1
"""The dimensions used are not reported if the upper end of their interval is more than twice the lower end
and the interval is wider than 10% of all dimensions."""

_ENOUGH = 0.15
"""With few columns, this fraction is enough; all known encoders but the language model use as much."""

_FEW_LENGTHS = 40
"""With fewer rows than this, the range of all lengths is reported instead of the middle 90%."""

_FIVE, _MANY = "isotropy/five-scores-six-tests", "isotropy/how-many-points"


def cautions(found: Survey, isotropy: Section, *, expect_unit: bool) -> tuple[Caution, ...]:
    """Return the warnings about misleading numbers."""
    lines = {line.key: line for line in isotropy.lines}
    return (*_about_variance(found, lines), *_about_cosines(found, lines), *_about_rows(found, expect_unit))


def _real(value: Value) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _about_variance(found: Survey, lines: Mapping[str, Line]) -> Iterator[Caution]:
    """Yield warnings about rows, shapes, and columns that mislead the scores of variance."""
    n_points, n = found.n_points, found.n_dimensions
    share = lines["variance_of_few"].value if "variance_of_few" in lines else None
    count = one_percent(n_points)
    if _real(share) and share * n_points > _ROWS_TIMES_EVEN * count:
        rows = "The row" if count == 1 else f"The {count:,} rows"
        yield Caution(
            "huge_rows",
            f"{rows} farthest from the mean ({count / n_points:.1%} of all) "
            f"{'contains' if count == 1 else 'contain'} {share:.0%} of the variance. IsoScore, the "
            "dimensions used, and the dominating coordinates mostly describe them; if the published and the "
            "corrected score differ widely, this is the reason, and neither can be trusted. Check the "
            "lengths of the rows, and compute the scores again without the longest rows "
            f"({_listed(found.longest)}) or with normalized rows.",
            "isotropy/layer-by-layer",
            where=f"the longest are {_listed(found.longest)}",
        )
    if n_points <= n:
        yield Caution(
            "few_rows",
            f"There are {n_points:,} rows for {n:,} dimensions, so at most {n_points - 1:,} dimensions can "
            "have variance, and IsoScore and the isotropy defect make the vectors look less isotropic than "
            "they are. Use the corrected scores and their intervals; with heavy tails, these can be too "
            "high. If the rows of this file are its columns, transpose the file.",
            _MANY,
        )
    used = lines["dimensions_used_corrected"]
    # The corrected ratio and its interval exceed the number of dimensions.
    if (
        used.low is not None
        and is_cut_off(log := log_ratio(found.moments), n)
        and log > math.log(n * n / used.low)
    ):
        yield Caution(
            "beyond_a_ball",
            "The variance is more even than chance allows for independent rows of an isotropic cloud: the "
            f"corrected number of dimensions was {number(math.exp(log))} before it was limited to {n:,}. If "
            "the axes were fitted to these rows (PCA, SVD, whitening), the corrected scores are too high; "
            "fit the axes to other rows.",
            _MANY,
        )
    least = max(_DOMINATES, _TIMES_EVEN / n)
    big = [f"{part:.0%} in coordinate {i}" for i, part, _ in dominating_coordinates(found) if part > least]
    if big:
        yield Caution(
            "outlier_dimensions",
            f"Most of the variance is in a few coordinates: {'; '.join(big)}. Scores and distances depend on "
            "them to that extent; compute both again with each coordinate scaled to unit variance, unless "
            "the coordinates are components of PCA or SVD, whose variances are meant to differ.",
            "isotropy/layer-by-layer",
            where="; ".join(big),
        )
    places, constant = _listed(found.constant), len(found.constant)
    parts = dominating_coordinates(found, count=n)
    cosine = sum(part for i, _, part in parts if i in found.constant) / (found.average_cosine or math.inf)
    large = abs(cosine) > 0.005
    if constant > n / 100 or large:  # one constant coordinate in hundreds changes nothing
        makes = f", and {'makes' if constant == 1 else 'make'} up {cosine:.0%} of the average cosine" * large
        yield Caution(
            "constant_columns",
            f"Coordinate {places} has the same value in every row{makes}. It counts as a dimension that the "
            "rows do not use; remove this column unless it is intended."
            if constant == 1
            else f"{constant:,} coordinates have the same value in every row ({places}){makes}. They count "
            "as dimensions that the rows do not use; remove these columns unless they are intended.",
            "report/your-own-vectors",
        )


def _about_cosines(found: Survey, lines: Mapping[str, Line]) -> Iterator[Caution]:
    """Yield a warning if the mean vector, or the mean of a few coordinates, explains the average cosine."""
    cosine = found.average_cosine
    if cosine is None or cosine <= 0.05:
        return
    least = max(_DOMINATES_COSINE, _TIMES_EVEN / found.n_dimensions)
    parts = [(i, part / cosine) for i, _, part in dominating_coordinates(found) if i not in found.constant]
    big = "; ".join(f"coordinate {i} with {part:.0%}" for i, part in parts if part > least)
    if cosine > _most_cosine(found):
        centered = lines["average_cosine_centered"].value if "average_cosine_centered" in lines else None
        without = f" Without the mean vector, it is {decimals(centered)}." if _real(centered) else ""
        yield Caution(
            "mean_drives_cosine",
            f"The mean vector determines the cosines: it contains {found.mean_fraction:.0%} of the mean "
            f"squared length, so two random rows have a cosine of {decimals(cosine)} on average.{without} "
            "Here, the average cosine does not show how many directions are used.",
            _FIVE,
            where=big,
        )
    elif big:
        yield Caution(
            "outlier_means",
            f"The average cosine comes mostly from the mean of a few coordinates: {big}. Subtract the mean "
            "vector before you compare cosines.",
            "isotropy/layer-by-layer",
            where=big,
        )


def _about_rows(found: Survey, expect_unit: bool) -> Iterator[Caution]:
    """Yield warnings about repeated rows, zero rows, and lengths."""
    equal, count = found.duplicates, found.duplicates.n_duplicates
    if count:
        text = (
            f"{counted(count, 'row')} ({count / found.n_points:.2%}) "
            f"{'repeats' if count == 1 else 'repeat'} an earlier row: {_listed(equal.rows)}. The intrinsic "
            "dimension leaves repeated rows out, since it is undefined for distances of 0; the intervals "
            "count each of them as new evidence."
        )
        if equal.largest > N_NEIGHBORS:
            text += f" One row occurs {equal.largest:,} times: check whether it represents missing vectors."
        yield Caution("duplicates", text, _FIVE)
    largest = found.lengths[-1]
    if found.dtype == "float16" and largest**2 > _HALF_LARGEST:
        yield Caution(
            "float16_overflow",
            f"The rows are float16, and the longest has a squared length of {number(largest**2)}, which "
            f"exceeds {number(65504)}, the largest float16 number: cosines and distances computed in float16 "
            "are infinite or undefined. Here, they were computed in float64.",
            "report/your-own-vectors",
        )
    off = found.n_points - found.n_unit
    if off and (expect_unit or abs(found.lengths[3] - 1.0) < _NEARLY_UNIT):
        yield Caution(
            "not_unit",
            f"{off:,} of {found.n_points:,} rows are not unit-norm (tolerance: 0.001): lengths range from "
            f"{number(found.lengths[0])} to {number(largest)}. A search index that uses inner products as "
            "cosines ranks these rows incorrectly.",
            "report/your-own-vectors",
        )
    if found.n_zero:
        yield Caution(
            "zero_rows",
            f"{counted(found.n_zero, 'row')} {'is' if found.n_zero == 1 else 'are'} zero and "
            f"{'has' if found.n_zero == 1 else 'have'} no direction: cosines leave zero rows out, and the "
            f"other scores include them. Row numbers, counted from 0: {_listed(found.zero)}.",
            "report/your-own-vectors",
            where=_listed(found.zero),
        )


def _listed(places: Sequence[int]) -> str:
    """Return the indices as text; if there are many, return only the first ones."""
    return ", ".join(map(str, places[:_MOST_NAMED])) + " and others" * (len(places) > _MOST_NAMED)


def summary(found: Survey, isotropy: Section, confidence_level: float) -> tuple[str, ...]:
    """Return the verdict on the dimensions used, a description of the vectors, and their location."""
    lines = {line.key: line for line in isotropy.lines}
    use = _use(found, lines, confidence_level)
    too = ", so that subtracting it is not enough" * use.startswith("Collapsed")
    if beyond_chance(found) > (1.0 + (most := _most_cosine(found))) / 2.0:  # halfway to 1
        use = (
            "Collapsed toward one direction: the average cosine is "
            f"{decimals(found.average_cosine or 0.0)}, and at most {most:.2f} for known encoders."
        )
        if _real(used := lines["dimensions_used_corrected"].value):
            use += f" Without the mean, they use about {used:,.0f} of {found.n_dimensions:,} dimensions{too}."
    if found.n_points <= found.n_dimensions:
        use += " If the rows of this file are its columns, transpose the file."
    return (use, _what(found), _where(found, lines))


def _most_cosine(found: Survey) -> float:
    """Return the largest average cosine of a known encoder."""
    return max(one.scores["average_cosine"] for one in known_encoders(found.n_points))


def _what(found: Survey) -> str:
    low, middle, high = found.lengths[1], found.lengths[3], found.lengths[-2]
    if found.n_unit == found.n_points:
        long = "all of length 1"
    elif high - low <= 0.02 * middle:
        long = f"nearly all of length {_few_digits(middle)}"
    elif found.n_points < _FEW_LENGTHS:
        long = f"with lengths from {_few_digits(found.lengths[0])} to {_few_digits(found.lengths[-1])}"
    else:
        long = f"90% of them with lengths from {_few_digits(low)} to {_few_digits(high)}"
    repeated = found.duplicates.n_duplicates
    repeats = "repeats an earlier row" if repeated == 1 else "repeat earlier rows"
    which = f"{_listed(found.duplicates.rows)} (counted from 0)"
    again = f"; {counted(repeated, 'row')} {repeats}: {which}" if repeated else ""
    return f"These are {found.n_points:,} vectors of {found.n_dimensions:,} dimensions, {long}{again}."


def _use(found: Survey, lines: Mapping[str, Line], confidence_level: float) -> str:
    n = found.n_dimensions
    used, score = lines["dimensions_used_corrected"], lines["isoscore_corrected"]
    unknown = f"No verdict: the number of dimensions used, of {n:,}, cannot be estimated"
    if not _real(used.value) or not _real(score.value):
        return f"{unknown}. {used.note}".rstrip()
    repeated = found.duplicates.n_duplicates
    if repeated > found.n_points / 2:
        return f"No verdict: {repeated:,} of {found.n_points:,} rows repeat earlier rows; remove them first."
    if used.low is None or used.high is None or score.low is None or score.high is None:
        return f"{unknown} from so few rows."
    whole = "{:,.0f}".format
    write = whole if whole(used.low) != whole(used.high) else _few_digits
    ends = f"{confidence_level:.0%} interval {write(used.low)} to {write(used.high)}"
    flaws = ["is too narrow for heavy tails"] * (excess_kurtosis(found.moments) > HEAVY)
    flaws += ["counts repeated rows as new"] * (repeated > 0)
    doubt = f" The interval {' and '.join(flaws)}." if flaws else ""
    if used.high > _VAGUE * used.low and used.high - used.low > _VAGUE_SHARE * n:
        return f"{unknown} from these rows ({ends}).{doubt}"
    if is_cut_off(math.log(used.value), n):
        return (
            f"Not collapsed: they cannot be distinguished from a ball, which uses all {n:,} dimensions "
            f"({ends}), or their axes were fitted to them.{doubt}"
        )
    known = sorted(one.dimensions_used for one in known_encoders(found.n_points))
    least = min(known[0], _ENOUGH * n)  # known encoders work, but few columns have fewer dimensions
    verdict = "Not collapsed" if used.low >= least else "Perhaps collapsed"
    verdict = "Collapsed" if used.high < least / 2 else verdict
    beside = f"known encoders use {known[0]:.0f} to {known[-1]:.0f} of theirs, at any number of columns"
    beside += ", and more is no sign of collapse" * (used.value > known[-1])
    if least < known[0]:
        beside = f"with so few columns, {_ENOUGH:.0%} is enough"
    text = f"{verdict}: they use about {write(used.value)} of {n:,} dimensions ({ends}); {beside}.{doubt}"
    if verdict == "Not collapsed" or found.n_points <= n:
        return text
    return f"{text} Test whether your search is worse than with an older model: isotropy-lab compare."


def _where(found: Survey, lines: Mapping[str, Line]) -> str:
    cosine = lines["average_cosine"].value
    if not _real(cosine):
        return "Their location is undefined, since fewer than two of them have a direction."
    pair = f"two random rows have a cosine of {decimals(cosine)} on average"
    if beyond_chance(found) >= _MEAN_FRACTION:
        centered = lines.get("average_cosine_centered")
        without = (
            f", and {decimals(centered.value)} after subtracting the mean"
            if centered is not None and _real(centered.value)
            else ""
        )
        return f"They lie to one side of the origin: {pair}{without}."
    if cosine < _MEAN_FRACTION:
        return f"They lie around the origin: {pair}."
    return f"Their mean vector is short, but many of them point to one side: {pair}."


def beyond_chance(found: Survey) -> float:
    """Return the fraction of the mean squared length in the mean vector beyond the 1/N of a round cloud."""
    n_points = found.n_points
    return max(0.0, (n_points * found.mean_fraction - 1.0) / (n_points - 1.0))


def _few_digits(value: float) -> str:
    return f"{value:#.3g}".rstrip(".") if round(value) < 1000 else f"{value:,.0f}"
