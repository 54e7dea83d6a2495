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
from isotropy_report.card.words import decimals, join, label_of, rename_in_errors, value_of

POWER = 0.8
"""Probability of detecting the minimum detectable difference."""

_ROUNDING = 1e-9
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
        The minimum difference (a ratio above 1) that would be detected with a probability of about 0.8,
        considering all pairs; None if it cannot be computed.
    paired : bool
        Whether both models were measured on the same items.
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


@dataclasses.dataclass(frozen=True, eq=False)
class Model:
    """The vectors of a model and the results of one pass over them."""

    name: str
    rows: Rows
    survey: Survey
    fractions: Floats


@dataclasses.dataclass(frozen=True)
class ScoreComparison:
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
        return f"the corrected IsoScore of {join(self.cut_off)} is {CUT_OFF}" if self.cut_off else ""


def compare_scores(
    models: Sequence[Model],
    *,
    paired: bool,
    groups: npt.NDArray[np.intp] | None = None,
    confidence_level: float,
    within_bounds: bool = False,
) -> ScoreComparison:
    """Return the differences between all pairs of models, in one pass over the rows of each model.

    Scores on a ratio scale are compared by their logarithms. Corrected scores are not cut off; with
    `within_bounds`, those that are reported at their largest value are not compared, since the differences
    would contradict the reported values. A model has no differences in a score that is undefined for it or
    becomes undefined without some row.
    """
    accumulators, full_scores = [], []
    for model in models:
        with rename_in_errors({"X": model.name}):
            accumulators.append(SpreadAccumulator(model.survey))
            full_scores.append(_full_scores(model))
    cut_off = tuple(
        model.name
        for model, spread in zip(models, accumulators, strict=True)
        if is_cut_off(spread.ratio.full, model.survey.n_dimensions)
    )
    omitted = _CORRECTED if within_bounds and cut_off else ()
    for model, scores in zip(models, full_scores, strict=True):
        if model.name in cut_off:
            scores |= dict.fromkeys(omitted, math.nan)
    blocks = [_leave_out(model, groups, spread) for model, spread in zip(models, accumulators, strict=True)]

    def jackknife_of(key: str, i: int, j: int | None = None) -> Jackknife:
        """Return the jackknife of a model's score, or of the difference between two models."""
        full, score = full_scores[i][key], blocks[i][key]
        if j is not None:
            full, score = full - full_scores[j][key], score - blocks[j][key]
        jackknife = Jackknife(full)
        jackknife.add(score)
        return jackknife

    differences: list[ModelDifference] = []
    for key in SCORES:
        estimates = []
        for i, j in itertools.combinations(range(len(models)), 2):
            jackknives = [jackknife_of(key, i, j)] if paired else [jackknife_of(key, i), jackknife_of(key, j)]
            error = math.hypot(*(jackknife.error() for jackknife in jackknives))
            degrees = min(jackknife.n_groups for jackknife in jackknives) - 1
            change = full_scores[i][key] - full_scores[j][key]
            if math.isfinite(change) and math.isfinite(error):
                estimates.append((models[i].name, models[j].name, change, error, degrees))
        differences += _test_differences(key, estimates, paired=paired, confidence_level=confidence_level)
    return ScoreComparison(
        spreads=tuple(spread.result(confidence_level) for spread in accumulators),
        differences=tuple(differences),
        values={
            key: {
                model.name: scores[key]
                for model, scores in zip(models, full_scores, strict=True)
                if math.isfinite(scores[key]) and key not in omitted
            }
            for key in SCORES
        },
        cut_off=cut_off,
    )


def _test_differences(
    key: str, estimates: list[tuple[str, str, float, float, int]], *, paired: bool, confidence_level: float
) -> list[ModelDifference]:
    """Return the differences in a measure with their tests, corrected for the number of tests."""
    if not estimates:
        return []
    pvalues = [_pvalue(change, error, degrees) for _, _, change, error, degrees in estimates]
    is_ratio = SCORES[key].scale == "ratio"
    differences = []
    tested = zip(estimates, pvalues, holm(pvalues), strict=True)
    for (first, second, change, error, degrees), p, corrected in tested:
        half_width = float(stats.t.ppf(0.5 + confidence_level / 2, degrees)) * error
        least = least_difference(error, degrees, len(estimates), confidence_level)
        scaled = (change, change - half_width, change + half_width, least)
        estimate, low, high, least = (math.exp(min(end, 700.0)) for end in scaled) if is_ratio else scaled
        differences.append(
            ModelDifference(
                key, first, second, SCORES[key].scale, estimate, low, high, p, float(corrected), least, paired
            )
        )
    return differences


def _pvalue(change: float, error: float, degrees: int) -> float:
    if abs(change) <= _ROUNDING:
        return 1.0
    return float(2.0 * stats.t.sf(abs(change) / error, degrees)) if error > 0 else 0.0


def least_difference(error: float, degrees: float, n_pairs: int, confidence_level: float) -> float:
    """Return the difference that a test with this standard error detects with probability `POWER`.

    The difference is (t(1 − α/(2m)) + t(power)) times the standard error, as required at the first and
    strictest step of Holm's method for m pairs.
    """
    alpha = 1.0 - confidence_level
    return error * float(stats.t.isf(alpha / (2 * n_pairs), degrees) + stats.t.ppf(POWER, degrees))


def best_or_tied(
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
    distinguished = {
        frozenset((difference.first, difference.second))
        for difference in differences
        if difference.pvalue_holm <= 1.0 - confidence_level + 1e-12
    }
    return tuple(name for name in order if frozenset((order[0], name)) not in distinguished)


def significantly_better(key: str, best: Sequence[str], lines: Mapping[str, Line]) -> tuple[str, bool]:
    """Return a clause on which models are significantly better, and whether it is a single model.

    `best` contains the models not significantly worse than the best, and `lines` the scores of all models. No
    model is called better if the difference is not significant or the scores are equal as reported.
    """
    reported = {name: value_of(line) for name, line in lines.items() if line.value is not None}
    others = [name for name in reported if name not in best]
    equal = [name for name in reported if reported[name] == reported[best[0]]]
    is_single = len(best) == len(equal) == 1
    if len(best) > 1:
        text = f"{join(best)} do not differ significantly"
        if len(reported) > 2:
            are = "is" if len(best) == 2 else "are"
            text = f"{best[0]} has the best value, and {join(best[1:])} {are} not significantly worse"
    elif len(equal) > 1:
        text = f"{join(equal)} differ significantly, but their scores are reported as {reported[best[0]]}"
    else:
        text = f"{best[0]} is significantly {'more isotropic' if key in SCORES else 'better'} than "
        text += others[0] if len(others) == 1 else "all other models"
    return f"{label_of(key)}: {text}", is_single


def verdict(
    key: str,
    best: Sequence[str],
    lines: Mapping[str, Line],
    level: float,
    differences: Sequence[ModelDifference] = (),
) -> str:
    """Return sentences on which models are significantly better, and on the minimum detectable difference."""
    sentence, is_single = significantly_better(key, best, lines)
    of_best = [d for d in differences if d.measure == key and best[0] in (d.first, d.second)]
    lead_text = ""
    if is_single and of_best and of_best[0].scale == "difference":
        closest = min(of_best, key=lambda difference: abs(difference.estimate))
        sign = math.copysign(1.0, closest.estimate)
        low, high = sorted(sign * end for end in (closest.low, closest.high))
        next_model = " over the next model" * (len(lines) > 2)
        lead_text = f" Its lead{next_model} is {decimals(sign * closest.estimate)} "
        lead_text += f"({decimals(low)} to {decimals(high)})."
    in_doubt = [d for d in of_best if {d.first, d.second} <= set(best) and d.scale == "difference"]
    if in_doubt:
        largest = max(max(-d.low, d.high) for d in in_doubt)
        lead_text += f" A difference of up to {math.ceil(1e3 * largest - 1e-6) / 1e3:.3f} is not excluded."
    condition = "" if key in SCORES else ", if the questions are independent"
    text = f"{sentence} (error rate {1 - level:.2g} for all pairs{condition}).{lead_text}"
    least = [d.least for d in of_best if d.least is not None and {d.first, d.second} <= set(best)]
    is_ratio = key in SCORES and SCORES[key].scale == "ratio"
    if least and max(least) > (1 if is_ratio else 0):  # equal vectors have no detectable difference
        quantity = f"ratio is {max(least):.4g}" if is_ratio else f"difference is {max(least):.2g}"
        text += f" The minimum detectable {quantity} (with a probability of {POWER:g})."
    return text


def _full_scores(model: Model) -> dict[str, float]:
    """Return the scores of all rows, on the scale of their intervals, with NaN for undefined scores."""
    cosine = model.survey.average_cosine
    logs = np.array([log_ratio(model.survey.moments)])
    cosines = np.array([math.nan if cosine is None else cosine])
    return {key: float(value[0]) for key, value in _scores(logs, cosines, model.survey.n_dimensions).items()}


def _scores(log: Floats, cosine: Floats, n: int) -> dict[str, Floats]:
    """Return the scores, of which IsoScores are the logarithm of (PR − 1)/(n − 1), or NaN unless PR > 1."""
    excess = np.expm1(log)
    score = np.log(np.where(excess > 0, excess, np.nan)) - math.log(n - 1)
    return {"isoscore_corrected": score, "dimensions_used_corrected": log, "average_cosine": cosine}


def _leave_out(
    model: Model, groups: npt.NDArray[np.intp] | None, accumulator: SpreadAccumulator
) -> dict[str, Floats]:
    """Return the scores without each row or group in turn."""
    scores = []
    with rename_in_errors({"X": model.name}):
        for block in statistics_without(model.rows, model.survey, groups, task="comparing"):
            accumulator.add(block)
            scores.append(_scores(block.log_ratio, block.cosine, model.survey.n_dimensions))
    return {key: np.concatenate([block[key] for block in scores]) for key in SCORES}
