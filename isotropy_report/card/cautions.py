"""The verdict in three sentences and warnings about misleading numbers.

Warnings are for unusual data: of 30 sets of ordinary vectors (`tests/reanalyses/test_ordinary_vectors.py`),
at most 20% trigger any given warning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from isotropy_lab.isotropy.jackknife import is_cut_off
from isotropy_report.card.known import dimensions_of, known_encoders
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
from isotropy_report.card.words import number

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
    values = {line.key: line.value for line in isotropy.lines}
    tests = (
        _huge_rows(found, values),
        _few_rows(found),
        _beyond_a_ball(found, isotropy),
        _mean(found, values),
        _duplicates(found),
        _constant(found),
        _outliers(found),
        _outlier_means(found),
        _half(found),
        _lengths(found, expect_unit),
        _zero(found),
    )
    return tuple(caution for caution in tests if caution is not None)


def _real(value: Value) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_huge(found: Survey, values: dict[str, Value]) -> bool:
    share = values.get("variance_of_few")
    return _real(share) and share * found.n_points > _ROWS_TIMES_EVEN * one_percent(found.n_points)


def _huge_rows(found: Survey, values: dict[str, Value]) -> Caution | None:
    share, count = values.get("variance_of_few"), one_percent(found.n_points)
    if not _are_huge(found, values) or not _real(share):
        return None
    rows = "The row" if count == 1 else f"The {count:,} rows"
    return Caution(
        "huge_rows",
        f"{rows} farthest from the mean ({count / found.n_points:.1%} of all) "
        f"{'holds' if count == 1 else 'hold'} {share:.0%} of the variance. IsoScore, the dimensions used and "
        "the dominating coordinates are mostly about such rows; where the published and the corrected score "
        "are far apart, this is why, and neither is to be trusted. Look at the lengths of the rows, and "
        "compute the scores again without the longest (rows "
        f"{_listed(found.longest)}), or with every row divided by its length.",
        "isotropy/layer-by-layer",
        where=f"the longest are {_listed(found.longest)}",
    )


def _few_rows(found: Survey) -> Caution | None:
    n_points, n = found.n_points, found.n_dimensions
    if n_points > n:
        return None
    return Caution(
        "few_rows",
        f"{n_points:,} rows are few for {n:,} dimensions: at most {n_points - 1:,} dimensions can show "
        "variance, so that IsoScore and the isotropy defect make the cloud look less isotropic than it is. "
        "Compare the corrected scores and their intervals; where tails are heavy, they can be too high. "
        "Or are the rows of this file its columns?",
        _MANY,
    )


def _beyond_a_ball(found: Survey, isotropy: Section) -> Caution | None:
    """Return a warning if the corrected ratio and its interval exceed the number of dimensions."""
    n = found.n_dimensions
    used = next(line for line in isotropy.lines if line.key == "dimensions_used_corrected")
    if (
        used.low is None
        or not is_cut_off(log := log_ratio(found.moments), n)
        or log <= math.log(n * n / used.low)
    ):
        return None
    return Caution(
        "beyond_a_ball",
        "The variance is more even than that of a ball, by more than chance gives to independent rows: "
        f"before it was cut off at {n:,}, the corrected number of dimensions was {number(math.exp(log))}. "
        "Were the axes fitted to these rows (PCA, SVD, whitening)? Then corrected scores are too high: fit "
        "on other rows.",
        _MANY,
    )


def _mean(found: Survey, values: dict[str, Value]) -> Caution | None:
    cosine, centered = values.get("average_cosine"), values.get("average_cosine_centered")
    if not _real(cosine) or cosine <= _most_cosine(found):  # largest average cosine of known encoders
        return None
    without = f" Without the mean vector it is {_score(centered)}." if _real(centered) else ""
    return Caution(
        "mean_drives_cosine",
        f"The mean vector drives the cosine: it holds {found.mean_fraction:.0%} of the mean squared length, "
        f"so that two rows drawn at random have a cosine of {_score(cosine)} on average.{without} The "
        "average cosine says nothing here about how many directions are used.",
        _FIVE,
        where="; ".join(_big_means(found)),
    )


def _big_means(found: Survey) -> list[str]:
    """Return the coordinates whose mean accounts for much of the average cosine."""
    cosine = found.average_cosine or math.inf
    least = max(_DOMINATES_COSINE, _TIMES_EVEN / found.n_dimensions)
    parts = [(i, part / cosine) for i, _, part in dominating_coordinates(found) if i not in found.constant]
    return [f"coordinate {i} with {part:.0%}" for i, part in parts if part > least]


def _listed(places: Sequence[int]) -> str:
    """Return the indices as text; if there are many, return only the first ones."""
    return ", ".join(map(str, places[:_MOST_NAMED])) + " and others" * (len(places) > _MOST_NAMED)


def _duplicates(found: Survey) -> Caution | None:
    equal = found.duplicates
    if not equal.n_duplicates:
        return None
    count = equal.n_duplicates
    text = (
        f"{_rows(count)} ({count / found.n_points:.2%}) {'repeats' if count == 1 else 'repeat'} an earlier "
        f"row: {_listed(equal.rows)}. A distance of 0 breaks the intrinsic dimension (repeated rows are left "
        "out there), and the intervals count each of them as new evidence."
    )
    if equal.largest > N_NEIGHBORS:
        text += f" One row occurs {equal.largest:,} times: check whether it stands for missing vectors."
    return Caution("duplicates", text, _FIVE)


def _constant(found: Survey) -> Caution | None:
    count, places = len(found.constant), _listed(found.constant)
    parts = dominating_coordinates(found, count=found.n_dimensions)
    share = sum(part for i, _, part in parts if i in found.constant) / (found.average_cosine or math.inf)
    if count <= found.n_dimensions / 100 and abs(share) <= 0.005:
        return None  # one constant coordinate in hundreds changes nothing
    held = (
        f", and {'makes' if count == 1 else 'make'} up {share:.0%} of the average cosine"
        if abs(share) > 0.005
        else ""
    )
    return Caution(
        "constant_columns",
        (
            f"Coordinate {places} holds one number in every row{held}. It counts as a dimension that the "
            "rows do not use; leave such a column out unless it is meant."
            if count == 1
            else f"{count:,} coordinates hold one number in every row ({places}){held}. They count as "
            "dimensions that the rows do not use; leave such columns out unless they are meant."
        ),
        "report/your-own-vectors",
    )


def _outliers(found: Survey) -> Caution | None:
    least = max(_DOMINATES, _TIMES_EVEN / found.n_dimensions)
    parts = dominating_coordinates(found)
    big = [f"{part:.0%} in coordinate {i}" for i, part, _ in parts if part > least]
    if not big:
        return None
    return Caution(
        "outlier_dimensions",
        f"The variance is mostly in a few coordinates: {'; '.join(big)}. Scores and distances depend on them "
        "that much; compute both again with each coordinate scaled to unit variance, unless the coordinates "
        "are components of PCA or SVD, which are meant to differ.",
        "isotropy/layer-by-layer",
        where="; ".join(big),
    )


def _outlier_means(found: Survey) -> Caution | None:
    cosine = found.average_cosine
    if cosine is None or not 0.05 < cosine <= _most_cosine(found):  # above it, the mean has its own warning
        return None
    big = _big_means(found)
    if not big:
        return None
    return Caution(
        "outlier_means",
        f"The average cosine comes mostly from the mean of a few coordinates: {'; '.join(big)}. Subtract the "
        "mean vector before you compare cosines.",
        "isotropy/layer-by-layer",
        where="; ".join(big),
    )


def _half(found: Survey) -> Caution | None:
    largest = found.lengths[-1]
    if found.dtype != "float16" or largest**2 <= _HALF_LARGEST:
        return None
    return Caution(
        "float16_overflow",
        f"The rows are float16, and the longest has a squared length of {number(largest**2)}, more than the "
        f"{number(65504)} that float16 can hold: cosines and distances computed in that type become infinite "
        "or undefined. Here they were computed in float64.",
        "report/your-own-vectors",
    )


def _lengths(found: Survey, expect_unit: bool) -> Caution | None:
    off = found.n_points - found.n_unit
    median = found.lengths[3]
    if not off or not (expect_unit or abs(median - 1.0) < _NEARLY_UNIT):
        return None
    return Caution(
        "not_unit",
        f"{off:,} of {found.n_points:,} rows do not have length 1 within a thousandth: lengths run from "
        f"{number(found.lengths[0])} to {number(found.lengths[-1])}. An index that takes inner products for "
        "cosines ranks them wrongly.",
        "report/your-own-vectors",
    )


def _zero(found: Survey) -> Caution | None:
    if not found.n_zero:
        return None
    return Caution(
        "zero_rows",
        f"{_rows(found.n_zero)} {'is' if found.n_zero == 1 else 'are'} zero, without a direction: left out "
        f"of cosines, and counted as points by the other scores. Counted from 0: {_listed(found.zero)}.",
        "report/your-own-vectors",
        where=_listed(found.zero),
    )


def summary(found: Survey, isotropy: Section, confidence_level: float) -> tuple[str, ...]:
    """Return the verdict on the dimensions used, a description of the vectors, and their location."""
    lines = {line.key: line for line in isotropy.lines}
    use = _use(found, lines, confidence_level)
    too = ", so that subtracting it is not enough" * use.startswith("Collapsed")
    if beyond_chance(found) > (1.0 + (most := _most_cosine(found))) / 2.0:  # halfway to 1
        use = (
            "Collapsed toward one direction: the average cosine is "
            f"{_score(found.average_cosine or 0.0)}, and that of known encoders at most {most:.2f}."
        )
        if _real(used := lines["dimensions_used_corrected"].value):
            use += f" Without the mean they use about {used:,.0f} of {found.n_dimensions:,} dimensions{too}."
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
        long = f"{_few_digits(found.lengths[0])} to {_few_digits(found.lengths[-1])} long"
    else:
        long = f"nine in ten of them {_few_digits(low)} to {_few_digits(high)} long"
    repeated = found.duplicates.n_duplicates
    repeats = "repeats an earlier one" if repeated == 1 else "repeat earlier ones"
    again = f"; {_rows(repeated)} {repeats}: {_listed(found.duplicates.rows)} (from 0)" if repeated else ""
    return f"These are {found.n_points:,} vectors of {found.n_dimensions:,} dimensions, {long}{again}."


def _use(found: Survey, lines: Mapping[str, Line], confidence_level: float) -> str:
    n = found.n_dimensions
    used, score = lines["dimensions_used_corrected"], lines["isoscore_corrected"]
    unknown = f"No verdict: how many of the {n:,} dimensions they use cannot be said"
    if not _real(used.value) or not _real(score.value):
        return f"{unknown}. {used.note}".rstrip()
    repeated = found.duplicates.n_duplicates
    if repeated > found.n_points / 2:
        return (
            f"No verdict: {repeated:,} of {found.n_points:,} rows repeat earlier ones; leave them out first."
        )
    if used.low is None or used.high is None or score.low is None or score.high is None:
        return f"{unknown} from so few rows."
    whole = "{:,.0f}".format
    write = whole if whole(used.low) != whole(used.high) else _few_digits
    ends = f"{confidence_level:.0%} interval {write(used.low)} to {write(used.high)}"
    ends += ", too narrow for tails so heavy" * (excess_kurtosis(found.moments) > HEAVY)
    ends += ", repeated rows counted as new" * (repeated > 0)
    if used.high > _VAGUE * used.low and used.high - used.low > _VAGUE_SHARE * n:
        return f"{unknown} from these rows ({ends})."
    if is_cut_off(math.log(used.value), n):
        return (
            f"Not collapsed: they cannot be told from a ball, which uses all {n:,} dimensions ({ends}), or "
            "their axes were fitted to them."
        )
    known = sorted(dimensions_of(one) for one in known_encoders(found.n_points))
    least = min(known[0], _ENOUGH * n)  # known encoders work, but few columns have fewer dimensions
    verdict = "Not collapsed" if used.low >= least else "Perhaps collapsed"
    verdict = "Collapsed" if used.high < least / 2 else verdict
    beside = f"known encoders use {known[0]:.0f} to {known[-1]:.0f} of theirs, at any number of columns"
    if least < known[0]:
        beside = f"of so few columns {_ENOUGH:.0%} is enough"
    text = f"{verdict}: they use about {write(used.value)} of {n:,} dimensions ({ends}); {beside}."
    if verdict == "Not collapsed":
        return text
    if found.n_points <= n:
        return f"{text} Or are the rows of this file its columns? Then transpose it."
    return f"{text} See whether your search suffers: isotropy-lab compare, beside an older model."


def _where(found: Survey, lines: Mapping[str, Line]) -> str:
    cosine = lines["average_cosine"].value
    if not _real(cosine):
        return "Where they lie cannot be said, since fewer than two of them have a direction."
    pair = f"two drawn at random have a cosine of {_score(cosine)} on average"
    if beyond_chance(found) >= _MEAN_FRACTION:
        centered = lines.get("average_cosine_centered")
        without = (
            f", {_score(centered.value)} with the mean taken away"
            if centered is not None and _real(centered.value)
            else ""
        )
        return f"They lie to one side of the origin: {pair}{without}."
    if cosine < _MEAN_FRACTION:
        return f"They lie around the origin: {pair}."
    return f"Their mean vector is short, but many point to one side: {pair}."


def beyond_chance(found: Survey) -> float:
    """Return the fraction of the mean squared length in the mean vector beyond the 1/N of a round cloud."""
    n_points = found.n_points
    return max(0.0, (n_points * found.mean_fraction - 1.0) / (n_points - 1.0))


def _score(value: float) -> str:
    """Return a score or a cosine with three decimals."""
    return f"{round(value, 3) + 0.0:.3f}".replace("-", "−")  # adding 0 turns −0 into 0


def _few_digits(value: float) -> str:
    return f"{value:#.3g}".rstrip(".") if round(value) < 1000 else f"{value:,.0f}"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
