"""The verdict in three sentences, and warnings about misleading numbers.

Warnings are for unusual data: of 30 sets of ordinary vectors (`tests/reanalyses/test_ordinary_vectors.py`),
at most 20% trigger any given warning.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator, Mapping
from typing import TypeGuard

import numpy as np

from isotropy_lab.isotropy import dimensions_used
from isotropy_lab.isotropy.jackknife import is_cut_off
from isotropy_report.card.known import known_encoders
from isotropy_report.card.leaving_out import log_ratio
from isotropy_report.card.meanings import TEXTS
from isotropy_report.card.measures import (
    HEAVY,
    N_NEIGHBORS,
    dominating_coordinates,
    excess_kurtosis,
    one_percent,
)
from isotropy_report.card.parts import Caution, Line, Section, Value
from isotropy_report.card.survey import Survey, huge_length, row_lengths
from isotropy_report.card.words import count_text, decimals, list_first, number

_MEAN_FRACTION = 0.1
"""Above this fraction of the mean squared length, the mean vector affects every cosine."""

_NEARLY_ALL_MEAN, _ALL_MEAN = 0.99, 0.9999
"""Above these fractions of the mean squared length, what distinguishes rows is less than 10%, or 1%, of their
length, of which rounding to float16 takes a part."""

_DOMINATES, _DOMINATES_COSINE = 0.25, 1 / 3
_MIN_TIMES_EVEN = 5
"""A coordinate dominates if it accounts for a quarter of the variance or a third of the average cosine, and
for five times an even fraction."""

_ROWS_TIMES_EVEN = 33
"""The farthest 1% of rows are huge if they have 33 times their even fraction: a third of the variance. If
they lie along one line, the dimensions used are then at most 9, however round the rest of the cloud is. On
average, the farthest 1% have at most 8% in Gaussian clouds, and at most 22% in exponential clouds and in
clouds from Student's t with 5 degrees of freedom."""

_MAX_FLOAT16 = 65504.0
"""Largest float16 number."""

_NEARLY_UNIT = 0.05
_VAGUE_RATIO, _VAGUE_SHARE = 2.0, 0.1
"""The dimensions used are not reported if the upper end of their interval is more than twice the lower end
and the interval is wider than 10% of all dimensions."""

_MIN_REPEATS = 0.02
"""Rows that occur at most c times, of which r repeat earlier ones, make the variance of a mean of N rows at
most 1 + rc/N times as large as that of distinct rows, since Σ mᵢ(mᵢ − 1) ≤ c Σ (mᵢ − 1) for counts mᵢ."""

_MANY_REPEATS = 0.1
"""From this fraction of all rows, warnings give the fraction of repeated rows, not their positions."""

_SUFFICIENT = 0.15
"""With few columns, this fraction is enough; all known encoders but the language model use as much."""

_FEW_LENGTHS = 40
"""With fewer rows than this, the range of all lengths is reported instead of the middle 90%."""

_TRANSPOSE = " If the file has one column per text, transpose it"
_NO_SEARCH = " This does not show how well a search with them works."
_FEW_SUBJECTS = " Texts on a few subjects can use few dimensions, too."
_COMPARE = " Test whether your search is worse than with an older model: isotropy-lab compare."

IN_SUMMARY = {"few_rows": _TRANSPOSE, "mean_drives_cosine": TEXTS["common_mean"]}
"""What the summary says if it already contains a warning, by the warning's key."""

_SCORES_CHAPTER, _POINTS_CHAPTER = "isotropy/five-scores-six-tests", "isotropy/how-many-points"


def cautions(data: Survey, isotropy: Section) -> tuple[Caution, ...]:
    """Return the warnings about misleading numbers."""
    lines = {line.key: line for line in isotropy.lines}
    return (*_variance_cautions(data, lines), *_cosine_cautions(data, lines), *_row_cautions(data))


def _is_real(value: Value) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _variance_cautions(data: Survey, lines: Mapping[str, Line]) -> Iterator[Caution]:
    """Yield warnings about rows, shapes, and columns that make the scores of variance misleading."""
    n_points, n = data.n_points, data.n_dimensions
    share = lines["variance_of_few"].value if "variance_of_few" in lines else None
    count = one_percent(n_points)
    if _is_real(share) and share * n_points > _ROWS_TIMES_EVEN * count:
        yield Caution(
            "huge_rows",
            TEXTS["huge_rows"].format(
                which="The row" if count == 1 else f"The {count:,} rows", part=count / n_points, share=share,
                contain="contains" if count == 1 else "contain", longest=list_first(data.longest),
            ),
            "isotropy/layer-by-layer",
            where=_describe_huge_rows(data),
        )  # fmt: skip
    if n_points <= n:
        text = TEXTS["few_rows"].format(rows=n_points, columns=n, most=n_points - 1)
        yield Caution("few_rows", text, _POINTS_CHAPTER)
    used = lines["dimensions_used_corrected"]
    # The corrected ratio and its interval may exceed the number of dimensions.
    if (
        used.low is not None
        and is_cut_off(log := log_ratio(data.moments), n)
        and log > math.log(n * n / used.low)
    ):
        text = TEXTS["beyond_a_ball"].format(used=number(math.exp(log)), columns=n)
        yield Caution("beyond_a_ball", text, _POINTS_CHAPTER)
    if dominating := _describe_dominating_columns(data)[0]:
        text = TEXTS["outlier_dimensions"].format(which=dominating)
        yield Caution("outlier_dimensions", text, "isotropy/layer-by-layer", where=dominating)
    positions, constant = list_first(data.constant), len(data.constant)
    coordinates = dominating_coordinates(data, count=n)
    cosine = sum(part for i, _, part in coordinates if i in data.constant) / (data.average_cosine or math.inf)
    large = abs(cosine) > 0.005
    if constant > n / 100 or large:  # one constant coordinate among hundreds has no effect
        clause = f", and {'makes' if constant == 1 else 'make'} up {cosine:.0%} of the average cosine" * large
        text = TEXTS["constant_column" if constant == 1 else "constant_columns"]
        text = text.format(count=constant, which=positions, makes=clause)
        location = f"coordinate{'s' * (constant > 1)} {positions}, counted from 0"
        location += f"; {cosine:.0%} of the average cosine" * large
        yield Caution("constant_columns", text, "report/your-own-vectors", where=location)


def _describe_dominating_columns(data: Survey) -> tuple[str, float]:
    """Return a text on the columns with much of the variance, and the dimensions that the others use."""
    limit = max(_DOMINATES, _MIN_TIMES_EVEN / data.n_dimensions)
    largest = {i: part for i, part, _ in dominating_coordinates(data) if part > limit}
    text, ratio = "; ".join(f"{part:.0%} in coordinate {i}" for i, part in largest.items()), 0.0
    others = np.delete(np.delete(data.moments.scatter, list(largest), 0), list(largest), 1)
    if text and (square := float((others**2).sum())) > 0.0:
        ratio = float(np.trace(others)) ** 2 / square
        text += f"; without, they use about {ratio:,.0f} of {len(others):,} dimensions"
    return text, ratio


def _describe_huge_rows(data: Survey) -> str:
    """Return which rows are huge, and the dimensions that the others use, or else the longest rows."""
    rows = list_first(data.longest)
    if not data.n_huge:
        return f"the longest are {rows}"
    text = f"row{'s' * (data.n_huge > 1)} {rows}, up to {data.lengths[-1] / data.lengths[3]:,.0f} times the "
    text += "median length"
    with contextlib.suppress(ValueError):  # of too few or equal rows
        others = data.sample[row_lengths(data.sample.astype(np.float64)) <= huge_length(data.lengths)]
        used = dimensions_used(others, estimator="corrected")
        text += f"; without, they use about {used:,.0f} of {data.n_dimensions:,} dimensions"
    return text


def _cosine_cautions(data: Survey, lines: Mapping[str, Line]) -> Iterator[Caution]:
    """Yield a warning if the mean vector, or a few of its coordinates, explains the average cosine."""
    cosine = data.average_cosine
    if cosine is None or cosine < 0.2:  # the source of a small average cosine does not matter
        return
    threshold = max(_DOMINATES_COSINE, _MIN_TIMES_EVEN / data.n_dimensions)
    parts = [(i, part / cosine) for i, _, part in dominating_coordinates(data) if i not in data.constant]
    dominating = "; ".join(f"coordinate {i} with {part:.0%}" for i, part in parts if part > threshold)
    if cosine > _max_known_cosine(data):
        centered = lines["average_cosine_centered"].value if "average_cosine_centered" in lines else None
        without = f" Without the mean vector, it is {decimals(centered)}." if _is_real(centered) else ""
        values = {"part": data.mean_fraction, "cosine": decimals(cosine), "without": without}
        text = TEXTS["mean_drives_cosine"].format(**values)
        yield Caution("mean_drives_cosine", text, _SCORES_CHAPTER, where=dominating)
    elif dominating:
        text = TEXTS["outlier_means"].format(which=dominating)
        yield Caution("outlier_means", text, "isotropy/layer-by-layer", where=dominating)


def _row_cautions(data: Survey) -> Iterator[Caution]:
    """Yield warnings about repeated rows, zero rows, and lengths."""
    equal, count = data.duplicates, data.duplicates.n_duplicates
    if repeats_matter(data):
        text = TEXTS["duplicates"].format(
            count=count_text(count, "row"), part=count / data.n_points, which=list_first(equal.repeats),
            repeat="repeats" if count == 1 else "repeat",
        )  # fmt: skip
        if equal.most_occurrences > N_NEIGHBORS:
            text += f" One row occurs {equal.most_occurrences:,} times: check whether it represents missing "
            text += "vectors."
        share = count / data.n_points
        where = list_first(equal.repeats) if share < _MANY_REPEATS else f"{share:.0%} of all"
        where += f"; one occurs {equal.most_occurrences:,} times" * (equal.most_occurrences > N_NEIGHBORS)
        yield Caution("duplicates", text, _SCORES_CHAPTER, where=where)
    largest = data.lengths[-1]
    if data.dtype == "float16" and largest**2 > _MAX_FLOAT16:
        text = TEXTS["float16_overflow"].format(square=number(largest**2), largest=number(65504))
        yield Caution("float16_overflow", text, "report/your-own-vectors")
    n_not_unit = data.n_points - data.n_unit - data.n_zero
    if n_not_unit and abs(data.lengths[3] - 1.0) < _NEARLY_UNIT:
        extremes = {"least": number(data.lengths[0]), "largest": number(largest)}
        text = TEXTS["not_unit"].format(count=n_not_unit, rows=data.n_points, **extremes)
        yield Caution("not_unit", text, "report/your-own-vectors")
    if data.n_zero:
        are, have = ("is", "has") if data.n_zero == 1 else ("are", "have")
        rows = list_first(data.zero)
        text = TEXTS["zero_rows"].format(count=count_text(data.n_zero, "row"), are=are, have=have, which=rows)
        where = f"row{'s' * (data.n_zero > 1)} {rows}, counted from 0"
        yield Caution("zero_rows", text, "report/your-own-vectors", where=where)


def summary(data: Survey, isotropy: Section, confidence_level: float, *, searched: bool) -> tuple[str, ...]:
    """Return the verdict on the dimensions used, a description of the vectors, and their location."""
    lines = {line.key: line for line in isotropy.lines}
    text = _describe_dimensions(data, lines, confidence_level)
    most, cosine = _max_known_cosine(data), data.average_cosine or 0.0
    mean_part = excess_mean_fraction(data)
    columns, n_others = _describe_dominating_columns(data)
    if text.startswith("Collapsed: ") and n_others >= 1.0 + _SUFFICIENT * (data.n_dimensions - 2):
        text = TEXTS["onto_columns"].format(columns=columns)
    if data.dtype == "uint8" and data.lengths[-1] > math.sqrt(data.n_dimensions):  # not only 0 and 1
        text = TEXTS["unsigned_bytes"]
    elif row_numbers := _row_number_verdict(data):
        text = row_numbers
    elif cosine > most and text.startswith(("Collapsed", "Perhaps")):
        found = TEXTS["one_direction"].format(verdict="off-center", cosine=decimals(cosine), most=most)
        text += f" They are also {found}"
    elif mean_part > _ALL_MEAN or (cosine > most and not text.startswith("No verdict")):
        verdict = "Collapsed" if mean_part > _ALL_MEAN else "Perhaps collapsed"
        is_fine = mean_part < _NEARLY_ALL_MEAN
        verdict = "Not collapsed, but off-center" if is_fine else f"{verdict} toward one direction"
        text = TEXTS["one_direction"].format(verdict=verdict, cosine=decimals(cosine), most=most)
        text += TEXTS["mean_part"].format(part=math.floor(1e6 * mean_part) / 1e4) * (not is_fine)
        if _is_real(used := lines["dimensions_used_corrected"].value):
            text += f" Without the mean, they use about {used:,.0f} of {data.n_dimensions:,} dimensions."
        text += " " + TEXTS["common_mean"] + _COMPARE * (not is_fine)
    text += _NO_SEARCH * (text.startswith("Not collapsed: they use") and not searched)
    return (text, _describe_lengths(data), _describe_location(data, lines))


def verdict_in(sentence: str) -> str:
    """Return the words before the numbers of a verdict, such as "Not collapsed"."""
    return re.split(r"[:.(]", sentence)[0].strip()


def _row_number_verdict(data: Survey) -> str:
    """Return a verdict if the column with most of the variance has a different whole number in each row."""
    (column, part, _), *_ = sorted(dominating_coordinates(data), key=lambda entry: -entry[1])
    values = data.sample[:, column].astype(np.float64)
    distinct = np.unique(values).size == len(values) and bool((values == np.floor(values)).all())
    is_small = part <= max(_DOMINATES, _MIN_TIMES_EVEN / data.n_dimensions) or data.dtype in ("int8", "uint8")
    if is_small or not distinct:
        return ""
    return TEXTS["row_numbers"].format(column=column, part=part, rows=len(values))


def repeats_matter(data: Survey) -> bool:
    """Return whether repeated rows may widen an interval noticeably."""
    equal = data.duplicates
    return equal.n_duplicates * equal.most_occurrences >= _MIN_REPEATS * data.n_points


def _max_known_cosine(data: Survey) -> float:
    """Return the largest average cosine of the known encoders."""
    return max(encoder.scores["average_cosine"] for encoder in known_encoders(data.n_points))


def _describe_lengths(data: Survey) -> str:
    low, median, high = data.lengths[1], data.lengths[3], data.lengths[-2]
    if data.n_unit == data.n_points:
        lengths = "all of length 1"
    elif high - low <= 0.02 * median:
        lengths = f"nearly all of length {_three_digits(median)}"
    elif data.n_points < _FEW_LENGTHS:
        lengths = f"with lengths from {_three_digits(data.lengths[0])} to {_three_digits(data.lengths[-1])}"
    else:
        lengths = f"90% of them with lengths from {_three_digits(low)} to {_three_digits(high)}"
    n_repeated, clause = data.duplicates.n_duplicates, ""
    if n_repeated:
        verb = "repeats an earlier row" if n_repeated == 1 else "repeat earlier rows"
        where = f": {list_first(data.duplicates.repeats)} (counted from 0)" * repeats_matter(data)
        where += f" ({n_repeated / data.n_points:.1%} of all)"
        where += ", which hardly changes the result" * (not repeats_matter(data))
        clause = f"; {count_text(n_repeated, 'row')} {verb}{where}"
    return f"These are {data.n_points:,} vectors of {data.n_dimensions:,} dimensions, {lengths}{clause}."


def _describe_dimensions(data: Survey, lines: Mapping[str, Line], confidence_level: float) -> str:
    n = data.n_dimensions
    used, score = lines["dimensions_used_corrected"], lines["isoscore_corrected"]
    unknown = f"No verdict: the number of dimensions used, of {n:,}, cannot be estimated"
    values = {"rows": data.n_points, "columns": n, "transpose": _TRANSPOSE, "twice": 2 * n}
    few = TEXTS["rows_for_columns"].format(**values) * (data.n_points <= n)
    if not _is_real(used.value) or not _is_real(score.value):
        return few or f"{unknown}. {used.note}".rstrip()
    n_repeated = data.duplicates.n_duplicates
    if n_repeated > data.n_points / 2:
        return f"No verdict: {n_repeated:,} of {data.n_points:,} rows repeat earlier rows; remove them first."
    if used.low is None or used.high is None or score.low is None or score.high is None:
        return few or f"{unknown} from so few rows."
    rounded = "{:,.0f}".format
    write = rounded if rounded(used.low) != rounded(used.high) else _three_digits
    interval = f"{confidence_level:.0%} interval {write(used.low)} to {write(used.high)}"
    known = sorted(encoder.scores["dimensions_used_corrected"] for encoder in known_encoders(data.n_points))
    limit = min(known[0], 1.0 + _SUFFICIENT * (n - 1))  # of few columns, at least one dimension is used
    half = limit / 2 if limit == known[0] else (limit + 1) / 2
    # With heavy tails, the interval may be too high, which matters near a limit, as is a ball's number.
    is_like_a_ball = is_cut_off(math.log(used.value), n)
    is_clear = not is_like_a_ball and (used.low >= 2.0 * limit or used.high < half)
    note = TEXTS["heavy_note"] * (excess_kurtosis(data.moments) > HEAVY and not is_clear)
    if repeats_matter(data):
        note += f" The interval counts {count_text(n_repeated, 'repeated row')} as new."
    is_vague = used.high > _VAGUE_RATIO * used.low and used.high - used.low > _VAGUE_SHARE * n
    if is_vague or (few and used.high >= half):
        return few or f"{unknown} from these rows ({interval}).{note}"
    if is_like_a_ball:
        return TEXTS["like_a_ball"].format(columns=n, ends=interval, doubt=note)
    verdict = "Not collapsed" if used.low >= limit else "Perhaps collapsed"
    verdict = "Collapsed" if used.high < half else verdict
    context = f"known encoders use {known[0]:.0f} to {known[-1]:.0f}, whatever their number of columns"
    context += ", and more is not a sign of collapse" * (used.value > known[-1])
    if limit < known[0]:
        context = f"with so few columns, {limit:.2f} is the limit, and below {half:.2f} is collapsed"
    text = f"{verdict}: they use about {write(used.value)} of {n:,} dimensions ({interval}); {context}.{note}"
    advice = f"{_TRANSPOSE} first." if few else _FEW_SUBJECTS + _COMPARE
    return text + advice * (verdict != "Not collapsed")


def _describe_location(data: Survey, lines: Mapping[str, Line]) -> str:
    cosine = lines["average_cosine"].value
    if not _is_real(cosine):
        return "Their location is undefined, since fewer than two of them have a direction."
    pair = f"two random rows have a cosine of {decimals(cosine)} on average"
    if excess_mean_fraction(data) >= _MEAN_FRACTION:
        centered = lines["average_cosine_centered"].value if "average_cosine_centered" in lines else None
        pair += f" (known encoders: up to {_max_known_cosine(data):.2f})"
        without = f", and {decimals(centered)} after subtracting the mean" if _is_real(centered) else ""
        return f"They lie to one side of the origin: {pair}{without}."
    if cosine < _MEAN_FRACTION:
        return f"They lie around the origin: {pair}."
    return f"Their mean vector is short, but many of them point to one side: {pair}."


def excess_mean_fraction(data: Survey) -> float:
    """Return the fraction of the mean squared length due to the mean vector, beyond the 1/N due to chance."""
    n_points = data.n_points
    return max(0.0, (n_points * data.mean_fraction - 1.0) / (n_points - 1.0))


def _three_digits(value: float) -> str:
    return f"{value:#.3g}".rstrip(".") if round(value) < 1000 else f"{value:,.0f}"
