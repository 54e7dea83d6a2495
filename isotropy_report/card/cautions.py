"""The verdict in three sentences, and warnings about misleading numbers.

Warnings are for unusual data: of 30 sets of ordinary vectors (`tests/reanalyses/test_ordinary_vectors.py`),
at most 20% trigger any given warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TypeGuard

import numpy as np

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
from isotropy_report.card.survey import Survey
from isotropy_report.card.words import counted, decimals, first_listed, number

_MEAN_FRACTION = 0.1
"""Above this fraction of the mean squared length, the mean vector affects every cosine."""

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
"""Largest float16 number."""

_NEARLY_UNIT = 0.05
_VAGUE, _VAGUE_SHARE = 2.0, 0.1
"""The dimensions used are not reported if the upper end of their interval is more than twice the lower end
and the interval is wider than 10% of all dimensions."""

_REPEATS = 0.02
"""Rows that occur at most c times, of which r repeat earlier ones, make the variance of a mean of N rows at
most 1 + rc/N times as large as that of distinct rows, since Σ mᵢ(mᵢ − 1) ≤ c Σ (mᵢ − 1) for counts mᵢ."""

_MANY_REPEATS = 0.1
"""From this fraction of all rows, warnings give the fraction of repeated rows, not their positions."""

_ENOUGH = 0.15
"""With few columns, this fraction is enough; all known encoders but the language model use as much."""

_FEW_LENGTHS = 40
"""With fewer rows than this, the range of all lengths is reported instead of the middle 90%."""

_HARDLY = ", which hardly changes the result"
_TRANSPOSE = " If the file has one column per text, transpose it"
_NO_SEARCH = " This does not show how well a search with them works."
_COMPARE = " Test whether your search is worse than with an older model: isotropy-lab compare."

IN_SUMMARY = {"few_rows": _TRANSPOSE, "mean_drives_cosine": TEXTS["common_mean"]}
"""What the summary says if it already contains a warning, by the warning's key."""

_FIVE, _MANY = "isotropy/five-scores-six-tests", "isotropy/how-many-points"


def cautions(found: Survey, isotropy: Section) -> tuple[Caution, ...]:
    """Return the warnings about misleading numbers."""
    lines = {line.key: line for line in isotropy.lines}
    return (*_about_variance(found, lines), *_about_cosines(found, lines), *_about_rows(found))


def _real(value: Value) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _about_variance(found: Survey, lines: Mapping[str, Line]) -> Iterator[Caution]:
    """Yield warnings about rows, shapes, and columns that make the scores of variance misleading."""
    n_points, n = found.n_points, found.n_dimensions
    share = lines["variance_of_few"].value if "variance_of_few" in lines else None
    count = one_percent(n_points)
    if _real(share) and share * n_points > _ROWS_TIMES_EVEN * count:
        yield Caution(
            "huge_rows",
            TEXTS["huge_rows"].format(
                which="The row" if count == 1 else f"The {count:,} rows", part=count / n_points, share=share,
                contain="contains" if count == 1 else "contain", longest=first_listed(found.longest),
            ),
            "isotropy/layer-by-layer",
            where=f"the longest are {first_listed(found.longest)}",
        )  # fmt: skip
    if n_points <= n:
        text = TEXTS["few_rows"].format(rows=n_points, columns=n, most=n_points - 1)
        yield Caution("few_rows", text, _MANY)
    used = lines["dimensions_used_corrected"]
    # The corrected ratio and its interval may exceed the number of dimensions.
    if (
        used.low is not None
        and is_cut_off(log := log_ratio(found.moments), n)
        and log > math.log(n * n / used.low)
    ):
        text = TEXTS["beyond_a_ball"].format(used=number(math.exp(log)), columns=n)
        yield Caution("beyond_a_ball", text, _MANY)
    least = max(_DOMINATES, _TIMES_EVEN / n)
    big = [f"{part:.0%} in coordinate {i}" for i, part, _ in dominating_coordinates(found) if part > least]
    if big:
        text = TEXTS["outlier_dimensions"].format(which="; ".join(big))
        yield Caution("outlier_dimensions", text, "isotropy/layer-by-layer", where="; ".join(big))
    places, constant = first_listed(found.constant), len(found.constant)
    parts = dominating_coordinates(found, count=n)
    cosine = sum(part for i, _, part in parts if i in found.constant) / (found.average_cosine or math.inf)
    large = abs(cosine) > 0.005
    if constant > n / 100 or large:  # one constant coordinate among hundreds has no effect
        makes = f", and {'makes' if constant == 1 else 'make'} up {cosine:.0%} of the average cosine" * large
        text = TEXTS["constant_column" if constant == 1 else "constant_columns"]
        text = text.format(count=constant, which=places, makes=makes)
        which = f"coordinate{'s' * (constant > 1)} {places}, counted from 0"
        which += f"; {cosine:.0%} of the average cosine" * large
        yield Caution("constant_columns", text, "report/your-own-vectors", where=which)


def _about_cosines(found: Survey, lines: Mapping[str, Line]) -> Iterator[Caution]:
    """Yield a warning if the mean vector, or a few of its coordinates, explains the average cosine."""
    cosine = found.average_cosine
    if cosine is None or cosine < 0.2:  # the source of a small average cosine does not matter
        return
    least = max(_DOMINATES_COSINE, _TIMES_EVEN / found.n_dimensions)
    parts = [(i, part / cosine) for i, _, part in dominating_coordinates(found) if i not in found.constant]
    big = "; ".join(f"coordinate {i} with {part:.0%}" for i, part in parts if part > least)
    if cosine > _most_cosine(found):
        centered = lines["average_cosine_centered"].value if "average_cosine_centered" in lines else None
        without = f" Without the mean vector, it is {decimals(centered)}." if _real(centered) else ""
        values = {"part": found.mean_fraction, "cosine": decimals(cosine), "without": without}
        text = TEXTS["mean_drives_cosine"].format(**values)
        yield Caution("mean_drives_cosine", text, _FIVE, where=big)
    elif big:
        text = TEXTS["outlier_means"].format(which=big)
        yield Caution("outlier_means", text, "isotropy/layer-by-layer", where=big)


def _about_rows(found: Survey) -> Iterator[Caution]:
    """Yield warnings about repeated rows, zero rows, and lengths."""
    equal, count = found.duplicates, found.duplicates.n_duplicates
    if repeats_matter(found):
        text = TEXTS["duplicates"].format(
            count=counted(count, "row"), part=count / found.n_points, which=first_listed(equal.repeats),
            repeat="repeats" if count == 1 else "repeat",
        )  # fmt: skip
        if equal.most_occurrences > N_NEIGHBORS:
            text += f" One row occurs {equal.most_occurrences:,} times: check whether it represents missing "
            text += "vectors."
        part = count / found.n_points
        where = first_listed(equal.repeats) if part < _MANY_REPEATS else f"{part:.0%} of all"
        yield Caution("duplicates", text, _FIVE, where=where)
    largest = found.lengths[-1]
    if found.dtype == "float16" and largest**2 > _HALF_LARGEST:
        text = TEXTS["float16_overflow"].format(square=number(largest**2), largest=number(65504))
        yield Caution("float16_overflow", text, "report/your-own-vectors")
    off = found.n_points - found.n_unit
    if off and abs(found.lengths[3] - 1.0) < _NEARLY_UNIT:
        ends = {"least": number(found.lengths[0]), "largest": number(largest)}
        text = TEXTS["not_unit"].format(count=off, rows=found.n_points, **ends)
        yield Caution("not_unit", text, "report/your-own-vectors")
    if found.n_zero:
        are, have = ("is", "has") if found.n_zero == 1 else ("are", "have")
        places = first_listed(found.zero)
        text = TEXTS["zero_rows"].format(count=counted(found.n_zero, "row"), are=are, have=have, which=places)
        yield Caution("zero_rows", text, "report/your-own-vectors", where=places)


def summary(found: Survey, isotropy: Section, confidence_level: float, *, searched: bool) -> tuple[str, ...]:
    """Return the verdict on the dimensions used, a description of the vectors, and their location."""
    lines = {line.key: line for line in isotropy.lines}
    use, most, cosine = _use(found, lines, confidence_level), _most_cosine(found), found.average_cosine or 0.0
    toward = beyond_chance(found) > (1.0 + most) / 2.0  # halfway to 1
    if found.dtype == "uint8" and found.lengths[-1] > math.sqrt(found.n_dimensions):  # not only 0 and 1
        use = TEXTS["unsigned_bytes"]
    elif numbered := _row_numbers(found):
        use = numbered
    elif toward or (cosine > most and not use.startswith("No verdict")):
        worst = toward or use.startswith("Collapsed")
        few = ", so that subtracting it is not enough" * use.startswith("Collapsed")
        few = few or ", perhaps too few" * use.startswith("Perhaps")
        verdict = "Collapsed" if worst else "Perhaps collapsed"
        use = TEXTS["one_direction"].format(verdict=verdict, cosine=decimals(cosine), most=most)
        if _real(used := lines["dimensions_used_corrected"].value):
            use += f" Without the mean, they use about {used:,.0f} of {found.n_dimensions:,} dimensions{few}."
        use += " " + TEXTS["common_mean"] + _COMPARE * worst
    use += _NO_SEARCH * (use.startswith("Not collapsed: they use") and not searched)
    return (use, _what(found), _where(found, lines))


def _row_numbers(found: Survey) -> str:
    """Return a verdict if the column with most of the variance has a different whole number in each row."""
    (column, part, _), *_ = sorted(dominating_coordinates(found), key=lambda one: -one[1])
    values = found.sample[:, column].astype(np.float64)
    distinct = np.unique(values).size == len(values) and bool((values == np.floor(values)).all())
    few = part <= max(_DOMINATES, _TIMES_EVEN / found.n_dimensions) or found.dtype in ("int8", "uint8")
    return "" if few or not distinct else TEXTS["row_numbers"].format(column=column, part=part)


def repeats_matter(found: Survey) -> bool:
    """Return whether repeated rows may widen an interval noticeably."""
    equal = found.duplicates
    return equal.n_duplicates * equal.most_occurrences >= _REPEATS * found.n_points


def _most_cosine(found: Survey) -> float:
    """Return the largest average cosine of the known encoders."""
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
    which = f"{first_listed(found.duplicates.repeats)} (counted from 0; "
    which += f"{repeated / found.n_points:.1%} of all)"
    again = f"; {counted(repeated, 'row')} {repeats}: {which}"
    again = again * (repeated > 0) + _HARDLY * (repeated > 0 and not repeats_matter(found))
    return f"These are {found.n_points:,} vectors of {found.n_dimensions:,} dimensions, {long}{again}."


def _use(found: Survey, lines: Mapping[str, Line], confidence_level: float) -> str:
    n = found.n_dimensions
    used, score = lines["dimensions_used_corrected"], lines["isoscore_corrected"]
    unknown = f"No verdict: the number of dimensions used, of {n:,}, cannot be estimated"
    sizes = {"rows": found.n_points, "columns": n, "transpose": _TRANSPOSE, "twice": 2 * n}
    few = TEXTS["rows_for_columns"].format(**sizes) * (found.n_points <= n)
    if not _real(used.value) or not _real(score.value):
        return few or f"{unknown}. {used.note}".rstrip()
    repeated = found.duplicates.n_duplicates
    if repeated > found.n_points / 2:
        return f"No verdict: {repeated:,} of {found.n_points:,} rows repeat earlier rows; remove them first."
    if used.low is None or used.high is None or score.low is None or score.high is None:
        return few or f"{unknown} from so few rows."
    whole = "{:,.0f}".format
    write = whole if whole(used.low) != whole(used.high) else _few_digits
    ends = f"{confidence_level:.0%} interval {write(used.low)} to {write(used.high)}"
    heavy = " These rows have heavy tails, for which the interval is too narrow."
    doubt = heavy * (excess_kurtosis(found.moments) > HEAVY)
    if repeats_matter(found):
        doubt += f" The interval counts {counted(repeated, 'repeated row')} as new."
    known = sorted(one.dimensions_used for one in known_encoders(found.n_points))
    least = min(known[0], _ENOUGH * n)  # known encoders work, but few columns have fewer dimensions
    vague = used.high > _VAGUE * used.low and used.high - used.low > _VAGUE_SHARE * n
    if vague or (few and used.high >= least / 2):
        return few or f"{unknown} from these rows ({ends}).{doubt}"
    if is_cut_off(math.log(used.value), n):
        return TEXTS["like_a_ball"].format(columns=n, ends=ends, doubt=doubt)
    verdict = "Not collapsed" if used.low >= least else "Perhaps collapsed"
    verdict = "Collapsed" if used.high < least / 2 else verdict
    beside = f"known encoders use {known[0]:.0f} to {known[-1]:.0f} of theirs, at any number of columns"
    beside += ", and more is no sign of collapse" * (used.value > known[-1])
    if least < known[0]:
        beside = f"with so few columns, {_ENOUGH:.0%} is enough"
    text = f"{verdict}: they use about {write(used.value)} of {n:,} dimensions ({ends}); {beside}.{doubt}"
    advice = f"{_TRANSPOSE} first." if few else _COMPARE
    return text + advice * (verdict != "Not collapsed")


def _where(found: Survey, lines: Mapping[str, Line]) -> str:
    cosine = lines["average_cosine"].value
    if not _real(cosine):
        return "Their location is undefined, since fewer than two of them have a direction."
    pair = f"two random rows have a cosine of {decimals(cosine)} on average"
    if beyond_chance(found) >= _MEAN_FRACTION:
        centered = lines["average_cosine_centered"].value if "average_cosine_centered" in lines else None
        without = f", and {decimals(centered)} after subtracting the mean" if _real(centered) else ""
        return f"They lie to one side of the origin: {pair}{without}."
    if cosine < _MEAN_FRACTION:
        return f"They lie around the origin: {pair}."
    return f"Their mean vector is short, but many of them point to one side: {pair}."


def beyond_chance(found: Survey) -> float:
    """Return the fraction of the mean squared length due to the mean vector, beyond the 1/N due to chance."""
    n_points = found.n_points
    return max(0.0, (n_points * found.mean_fraction - 1.0) / (n_points - 1.0))


def _few_digits(value: float) -> str:
    return f"{value:#.3g}".rstrip(".") if round(value) < 1000 else f"{value:,.0f}"
