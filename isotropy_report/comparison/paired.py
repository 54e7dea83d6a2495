"""Differences in scores between models, found by leaving the same row out of all models at once."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from isotropy_lab._core.multiplicity import holm
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import Floats
from isotropy_lab.isotropy.jackknife import Jackknife, is_cut_off
from isotropy_report.card.leaving_out import log_ratio, statistics_without
from isotropy_report.card.measures import CUT_OFF, Spread, SpreadAccumulator
from isotropy_report.card.parts import Line
from isotropy_report.card.rows import Rows
from isotropy_report.card.survey import Survey
from isotropy_report.card.words import decimals, label_of, listed, rename_in_errors, value_of

POWER = 0.8
"""Probability of detecting the minimum detectable difference."""

_SAME = 1e-9
"""Differences smaller than this are rounding errors."""


class Score(NamedTuple):
    """A compared score: its scale (ratio or difference) and the sign of a change toward isotropy (±1)."""

    scale: str
    better: int


SCORES: Mapping[str, Score] = {
    "isoscore_corrected": Score("ratio", 1),
    "dimensions_used_corrected": Score("ratio", 1),
    "average_cosine": Score("difference", 0),
}
"""Scores of the card that are compared, by key; the others change with the number of rows."""

_CORRECTED = ("isoscore_corrected", "dimensions_used_corrected")


@dataclasses.dataclass(frozen=True)
class ModelDifference(Result):
    """The difference or ratio of two models in one measure.

    Attributes
    ----------
    measure, first, second : str
        Key of the measure, and the names of the models.
    scale : str
        "difference", first − second, or "ratio", first/second.
    estimate, low, high : float
        Estimate, and an interval that is not corrected for the number of pairs.
    pvalue, pvalue_holm : float
        Two-sided p-value for no difference, and the same corrected for all pairs of models in this measure.
    least : float or None
        The minimum difference (a ratio above 1) that would be detected with a probability of about .8,
        considering all pairs; None if it cannot be computed.
    paired : bool
        Whether both models were measured on the same items.
    pvalue_exact : float or None
        For accuracies, the uncorrected p-value of McNemar's exact test.
    """

    measure: str
    first: str
    second: str
    scale: str
    estimate: float
    low: float
    high: float
    pvalue: float
    pvalue_holm: float
    least: float | None
    paired: bool
    pvalue_exact: float | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Model:
    """The vectors of a model and the results of one pass over them."""

    name: str
    rows: Rows
    found: Survey
    fractions: Floats


@dataclasses.dataclass(frozen=True)
class Compared:
    """Results of leaving out rows of all models."""

    spreads: tuple[Spread, ...] = ()
    differences: tuple[ModelDifference, ...] = ()
    values: Mapping[str, Mapping[str, float]] = dataclasses.field(default_factory=dict)
    """Measure → model → value on the scale of the intervals."""
    cut_off: tuple[str, ...] = ()
    """Models whose corrected scores are cut off."""

    @property
    def cut_off_text(self) -> str:
        """The reason why some corrected scores are not compared; empty if all are compared."""
        return f"the corrected IsoScore of {listed(self.cut_off)} is {CUT_OFF}" if self.cut_off else ""


def compare_scores(
    models: Sequence[Model],
    *,
    paired: bool,
    groups: npt.NDArray[np.intp] | None = None,
    confidence_level: float,
    within_bounds: bool = False,
) -> Compared:
    """Return the differences between all pairs of models, in one pass over the rows of each model.

    Scores on a ratio scale are compared by their logarithms. Corrected scores are not cut off; with
    `within_bounds`, those that are reported at their largest value are not compared, since the differences
    would contradict the reported values. A model has no differences in a score that is undefined for it or
    becomes undefined without some row.
    """
    spreading, whole = [], []
    for model in models:
        with rename_in_errors({"X": model.name}):
            spreading.append(SpreadAccumulator(model.found))
            whole.append(_values(model))
    cut_off = tuple(
        model.name
        for model, spread in zip(models, spreading, strict=True)
        if is_cut_off(spread.ratio.full, model.found.n_dimensions)
    )
    omitted = _CORRECTED if within_bounds and cut_off else ()
    for model, scores in zip(models, whole, strict=True):
        if model.name in cut_off:
            scores |= dict.fromkeys(omitted, math.nan)
    parts = [_parts(model, groups, spread) for model, spread in zip(models, spreading, strict=True)]

    def left_out(key: str, i: int, j: int | None = None) -> Jackknife:
        """Return the jackknife of a model's score, or of the difference between two models."""
        sizes, values = parts[i]
        full, own = whole[i][key], values[key]
        if j is not None:
            full, own = full - whole[j][key], own - parts[j][1][key]
        jackknife = Jackknife(full, models[i].found.n_points)
        jackknife.add(sizes, own)
        return jackknife

    differences: list[ModelDifference] = []
    for key in SCORES:
        found = []
        for i, j in itertools.combinations(range(len(models)), 2):
            sides = [left_out(key, i, j)] if paired else [left_out(key, i), left_out(key, j)]
            error = math.hypot(*(side.error() for side in sides))
            freedom = min(side.n_groups for side in sides) - 1
            change = whole[i][key] - whole[j][key]
            if math.isfinite(change) and math.isfinite(error):
                found.append((models[i].name, models[j].name, change, error, freedom))
        differences += _tested(key, found, paired=paired, confidence_level=confidence_level)
    return Compared(
        spreads=tuple(spread.result(confidence_level) for spread in spreading),
        differences=tuple(differences),
        values={
            key: {
                model.name: own[key]
                for model, own in zip(models, whole, strict=True)
                if math.isfinite(own[key]) and key not in omitted
            }
            for key in SCORES
        },
        cut_off=cut_off,
    )


def _tested(
    key: str, found: list[tuple[str, str, float, float, int]], *, paired: bool, confidence_level: float
) -> list[ModelDifference]:
    """Return the differences in a measure with their tests, corrected for the number of tests."""
    if not found:
        return []
    pvalues = [_pvalue(change, error, freedom) for _, _, change, error, freedom in found]
    ratio = SCORES[key].scale == "ratio"
    differences = []
    both = zip(found, pvalues, holm(pvalues), strict=True)
    for (first, second, change, error, freedom), p, corrected in both:
        reach = float(stats.t.ppf(0.5 + confidence_level / 2, freedom)) * error
        least = least_difference(error, freedom, len(found), confidence_level)
        ends = (change, change - reach, change + reach, least)
        estimate, low, high, least = (math.exp(min(end, 700.0)) for end in ends) if ratio else ends
        differences.append(
            ModelDifference(
                key, first, second, SCORES[key].scale, estimate, low, high, p, float(corrected), least, paired
            )
        )
    return differences


def _pvalue(change: float, error: float, freedom: int) -> float:
    if abs(change) <= _SAME:
        return 1.0
    return float(2.0 * stats.t.sf(abs(change) / error, freedom)) if error > 0 else 0.0


def least_difference(error: float, freedom: float, n_pairs: int, confidence_level: float) -> float:
    """Return the difference that a test with this standard error detects with probability `POWER`.

    The difference is (t(1 − α/(2m)) + t(power)) times the standard error, as required at the first and
    strictest step of Holm's method for m pairs.
    """
    alpha = 1.0 - confidence_level
    return error * float(stats.t.isf(alpha / (2 * n_pairs), freedom) + stats.t.ppf(POWER, freedom))


def not_shown_worse(
    values: Mapping[str, float], better: int, differences: Sequence[ModelDifference], confidence_level: float
) -> tuple[str, ...]:
    """Return the best model, followed by all models that no corrected test distinguishes from the best.

    The probability that the truly best model is missing is at most 1 − confidence_level, since this requires
    a false rejection among all pairs.
    """
    # Values that should be equal may differ by rounding; in this case, the given order decides.
    order = sorted(values, key=lambda name: (-better * round(values[name], 9), list(values).index(name)))
    if not order:
        return ()
    apart = {
        frozenset((one.first, one.second))
        for one in differences
        if one.pvalue_holm <= 1.0 - confidence_level + 1e-12
    }
    return tuple(name for name in order if frozenset((order[0], name)) not in apart)


def significantly_better(key: str, best: Sequence[str], lines: Mapping[str, Line]) -> tuple[str, bool]:
    """Return a clause on which models are significantly better, and whether it names a single one.

    `best` contains the models not significantly worse than the best, and `lines` the scores of all models. No
    model is called better if the difference is not significant or the scores are equal as reported.
    """
    shown = {name: value_of(line) for name, line in lines.items() if line.value is not None}
    others = [name for name in shown if name not in best]
    equal = [name for name in shown if shown[name] == shown[best[0]]]
    is_alone = len(best) == len(equal) == 1
    if len(best) > 1:
        said = f"{listed(best)} do not differ significantly"
        said += " from the best value" * (len(shown) > 2)
    elif len(equal) > 1:
        said = f"{listed(equal)} differ significantly, but their scores are reported as {shown[best[0]]}"
    else:
        said = f"{best[0]} is significantly {'more isotropic' if key in SCORES else 'better'} than "
        said += others[0] if len(others) == 1 else "all other models"
    return f"{label_of(key)}: {said}", is_alone


def verdict(
    key: str,
    best: Sequence[str],
    lines: Mapping[str, Line],
    level: float,
    differences: Sequence[ModelDifference] = (),
) -> str:
    """Return sentences on which models are significantly better, and on the minimum detectable difference."""
    said, is_alone = significantly_better(key, best, lines)
    leads = [one for one in differences if one.measure == key and best[0] in (one.first, one.second)]
    lead = ""
    if is_alone and leads and leads[0].scale == "difference":
        near = min(leads, key=lambda one: abs(one.estimate))
        sign = math.copysign(1.0, near.estimate)
        low, high = sorted(sign * end for end in (near.low, near.high))
        lead = f" Its lead over the next model is {decimals(sign * near.estimate)} "
        lead += f"({decimals(low)} to {decimals(high)})."
    where = "" if key in SCORES else ", if the questions are independent"
    text = f"{said} (error rate {1 - level:.2g} for all pairs{where}).{lead}"
    least = [one.least for one in leads if one.least is not None and {one.first, one.second} <= set(best)]
    ratio = key in SCORES and SCORES[key].scale == "ratio"
    if least and max(least) > (1 if ratio else 0):  # equal vectors have no detectable difference
        what = f"ratio is {max(least):.4g}" if ratio else f"difference is {max(least):.2g}"
        text += f" The minimum detectable {what} (with a probability of {POWER:g})."
    return text


def _values(model: Model) -> dict[str, float]:
    """Return the scores of all rows, on the scale of their intervals, with NaN for undefined scores."""
    cosine = model.found.average_cosine
    logs = np.array([log_ratio(model.found.moments)])
    cosines = np.array([math.nan if cosine is None else cosine])
    return {key: float(value[0]) for key, value in _scores(logs, cosines, model.found.n_dimensions).items()}


def _scores(log: Floats, cosine: Floats, n: int) -> dict[str, Floats]:
    """Return the scores, of which IsoScores are the logarithm of (PR − 1)/(n − 1), or NaN unless PR > 1."""
    above = np.expm1(log)
    score = np.log(np.where(above > 0, above, np.nan)) - math.log(n - 1)
    return {"isoscore_corrected": score, "dimensions_used_corrected": log, "average_cosine": cosine}


def _parts(
    model: Model, groups: npt.NDArray[np.intp] | None, spreading: SpreadAccumulator
) -> tuple[Floats, dict[str, Floats]]:
    """Return the numbers of rows left out in turn and the scores without these rows."""
    sizes, scores = [], []
    with rename_in_errors({"X": model.name}):
        for part in statistics_without(model.rows, model.found, groups, what="comparing"):
            spreading.add(part)
            sizes.append(part.sizes)
            scores.append(_scores(part.log_ratio, part.cosine, model.found.n_dimensions))
    return np.concatenate(sizes), {key: np.concatenate([one[key] for one in scores]) for key in SCORES}
