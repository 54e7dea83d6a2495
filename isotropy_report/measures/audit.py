"""Conclusions from reported accuracies: their intervals, and the pairs that must differ significantly."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.multiplicity import holm
from isotropy_lab._core.results import Result
from isotropy_report._output import Document, wrap
from isotropy_report.measures._checks import TEXTS

__all__ = ["AccuracyAudit", "audit_accuracies"]

_POWER = 0.8


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyAudit(Document, Result):
    """Conclusions from reported accuracies on the same questions.

    Attributes
    ----------
    models : DataFrame
        For each ``model``: ``accuracy``, as reported; ``least_hits`` and ``most_hits``, the numbers of hits
        that round to it; ``low`` and ``high``, the interval; ``first`` and ``last``, the ranks that the model
        may have; ``tied``, whether it may be the best.
    pairs : DataFrame
        For each pair: ``better`` and ``worse``; ``difference``; ``p_least`` and ``p_most``, the p-values of
        McNemar's exact test over all outcomes that fit; ``p_unpaired``, the p-value of a z test if the models
        had answered different questions; ``verdict``, whether these are significant: "never",
        "always", or "open"; ``n_nested``, ``n_independent``, and ``n_apart``, about how many questions would
        show the difference, if it is real, with probability 0.8 and without correction: if the better model
        never fails alone, if errors are independent, and if they overlap least.
    n_questions : int
        Number of questions.
    least_difference : float
        The smallest difference that can be significant; above 1 if none can.
    confidence_level : float
        Nominal coverage of the intervals; 1 − confidence_level is the level of the tests.
    """

    JSON_KIND: ClassVar[str] = "audit"

    models: pd.DataFrame
    pairs: pd.DataFrame
    n_questions: int
    least_difference: float
    confidence_level: float

    def to_frame(self) -> pd.DataFrame:
        """Return the table of the pairs, or of the model if there is only one."""
        return self.pairs if len(self.pairs) else self.models

    def __str__(self) -> str:
        """Return the conclusions as lines of text."""
        return "\n".join(wrap(*self.summary, indent="  "))

    @property
    def summary(self) -> tuple[str, ...]:
        """The conclusions as sentences."""
        n, level = self.n_questions, f"{self.confidence_level:.0%} interval"
        intervals = [
            TEXTS["audit_interval"].format(**row, n=n, level=level) for row in self.models.to_dict("records")
        ]
        digits = max(3, 1 - math.floor(math.log10(self.least_difference)))
        smallest = math.floor(10**digits * self.least_difference + 1e-9) / 10**digits  # rounded down
        limit = f" below {smallest:.{digits - 2}%}" * (self.least_difference <= 1.0)
        sentences, shown = [], dict(zip(self.models["model"], self.models["accuracy"], strict=True))
        for row in self.pairs.to_dict("records"):
            least, most = (f"{row[column]:.2g}" for column in ("p_least", "p_most"))
            span = least if least == most else f"from {least} to {most}"
            models = {key: f"{row[key]} ({shown[row[key]]})" for key in ("better", "worse")}
            sentence = TEXTS[f"audit_{row['verdict']}"].format(**row | models, span=span)
            if row["verdict"] == "never" and np.isfinite(row["n_nested"]):
                fewest, most = (f"{row[column]:,.0f}" for column in ("n_nested", "n_apart"))
                needed = fewest if fewest == most else f"{fewest} (if both fail on the same ones) to {most}"
                sentence += TEXTS["audit_needed"].format(**row, needed=needed, power=_POWER)
                sentence += ", before correction for several pairs" * (len(self.pairs) > 1)
            sentences.append(f"{sentence}.")
        if len(self.models) > 2:
            best = self.models.loc[self.models["tied"], "model"]
            single_best = f"{best.iloc[0]} is significantly better than all others"
            possible_best = f"Any of {', '.join(best)} may be the best"
            sentences.insert(0, f"{single_best if len(best) == 1 else possible_best}.")
        same = " and the same for all models" * (len(self.models) > 1)
        limit_text = TEXTS["audit_limit"].format(n=n, limit=limit)
        return (*sentences, *intervals, limit_text, TEXTS["audit_assumes"].format(same=same))


def audit_accuracies(
    accuracies: Mapping[str, str], n_questions: int, *, confidence_level: float = 0.95
) -> AccuracyAudit:
    """Return the conclusions that reported accuracies allow, regardless of the individual answers.

    Parameters
    ----------
    accuracies : mapping of str to str
        Accuracies by model, as reported, since their decimals show the rounding: "0.70", "70.4%".
    n_questions : int
        Number of questions, which must be the same for all models.
    confidence_level : float, default 0.95
        Nominal coverage of each interval; 1 − confidence_level is the level of the tests.

    Returns
    -------
    AccuracyAudit

    Raises
    ------
    TypeError, ValueError
        If an accuracy is not a string, is not from 0 to 1 (or 100%), or matches no number of hits; or if an
        option is out of range.

    Notes
    -----
    All numbers of hits that round to the reported accuracy are considered. Intervals are those of Clopper
    and Pearson (1934), from the fewest hits to the most. McNemar's exact test compares two models by the
    questions that only one of them fails. These counts are not reported, but their difference is: the
    p-value is smallest if the better model never fails alone, and largest if errors overlap as little as
    possible. A verdict is "always" if the largest p-values are significant, corrected for the number of
    pairs by Holm's method, and "never" if the smallest one is not, even uncorrected. Ranks follow from
    "always" alone. For the numbers of questions, see Connor (1987). Questions must be independent.

    The result does not depend on the order of models. Cost: O(M²) for M models.

    Examples
    --------
    >>> from isotropy_report.measures import audit_accuracies
    >>> audit = audit_accuracies({"old": "0.70", "new": "0.74"}, 120)
    >>> print(audit)
    Whatever the answers were, new (0.74) and old (0.70) do not differ significantly: McNemar's exact p ...
    old, 0.70 of 120 questions: 95% interval 61.0% to 78.0%.
    new, 0.74 of 120 questions: 95% interval 65.4% to 81.7%.
    With 120 questions, no difference below 5.0% can be significant by McNemar's exact test.
    These conclusions assume that the questions are independent and the same for all models.
    """
    n = checks.check_integer(n_questions, "n_questions", low=1, high=10**9)
    level = checks.check_confidence_level(confidence_level)
    if not isinstance(accuracies, Mapping) or not accuracies:
        raise TypeError(
            f"accuracies is {checks.describe(accuracies)}; expected a mapping such as {{'A': '0.70'}}"
        )
    hits = {str(name): _possible_hits(text, n, str(name)) for name, text in accuracies.items()}
    intervals = [[stats.binomtest(h, n).proportion_ci(level) for h in pair] for pair in hits.values()]
    columns = {
        "model": list(hits),
        "accuracy": list(accuracies.values()),
        "least_hits": [fewest for fewest, _ in hits.values()],
        "most_hits": [most for _, most in hits.values()],
        "low": [float(interval.low) for interval, _ in intervals],
        "high": [float(interval.high) for _, interval in intervals],
    }
    models = pd.DataFrame(columns)
    by_hits = sorted(hits, key=lambda name: -sum(hits[name]))
    rows = [
        _compare_pair(better, worse, hits, n, 1.0 - level)
        for i, better in enumerate(by_hits)
        for worse in by_hits[i + 1 :]
    ]
    known_columns = ("better", "worse", "difference", "p_least", "p_most", "p_unpaired")
    pairs = pd.DataFrame(rows, columns=[*known_columns, "n_nested", "n_independent", "n_apart"])
    always = holm(pairs["p_most"]) <= 1.0 - level if len(pairs) else np.zeros(0, dtype=bool)
    pairs["verdict"] = np.where(always, "always", np.where(pairs["p_least"] > 1.0 - level, "never", "open"))
    n_better, n_worse = (
        pairs.loc[always, column].value_counts().reindex(list(hits), fill_value=0).to_numpy()
        for column in ("worse", "better")
    )
    models["first"], models["last"] = 1 + n_better, len(models) - n_worse
    models["tied"] = n_better == 0
    n_discordant = math.ceil(1.0 - math.log2(1.0 - level) - 1e-9)  # d discordant questions give p ≥ 2 · 2^−d
    return AccuracyAudit(models, pairs, n, n_discordant / n, level)


def _possible_hits(text: str, n: int, name: str) -> tuple[int, int]:
    """Return the smallest and largest number of hits out of n that round to a reported accuracy."""
    subject = f"accuracies[{name!r}] is"
    if not isinstance(text, str):
        raise TypeError(f"{subject} {checks.describe(text)}; expected a string as reported, such as '0.70'")
    digits = text.strip().removesuffix("%")
    unit = 1 if digits == text.strip() else 100
    value = float(digits) if re.fullmatch(r"\d+\.?\d*|\.\d+", digits) else -1.0  # 7e-1 hides its decimals
    if not 0.0 <= value <= unit:
        hint = f": write {digits}% for a percentage" if 1.0 < value <= 100.0 and unit == 1 else ""
        hint = f": write {text.replace(',', '.')} with a decimal point" if "," in text else hint
        raise ValueError(f"{subject} {text!r}; expected a number from 0 to 1 or from 0% to 100%{hint}")
    # Allow half a unit of the last decimal on either side: ties may have been rounded up or down.
    half_unit = 0.5 * 10.0 ** -len(digits.partition(".")[2])
    fewest = max(0, math.ceil((value - half_unit) * n / unit - 1e-9))
    most = min(n, math.floor((value + half_unit) * n / unit + 1e-9))
    if fewest > most:
        raise ValueError(
            f"{subject} {text!r}, which is impossible for {n:,} questions ({most} hits are {most / n:.2%}, "
            f"and {fewest} are {fewest / n:.2%}); expected a different accuracy or number of questions"
        )
    return fewest, most


def _compare_pair(
    better: str, worse: str, hits: Mapping[str, tuple[int, int]], n: int, alpha: float
) -> tuple[str | float, ...]:
    """Return a row of the pairs table, without the verdict."""
    # The counts that are closest to each other allow the most questions that only one model fails.
    (fewest, most), (low, high) = hits[better], hits[worse]
    lead, n_alone = fewest - high, min(n - fewest, high)
    p_most = 1.0 if lead <= 0 else float(stats.binomtest(n_alone, 2 * n_alone + lead).pvalue)
    p, q = (sum(hits[name]) / (2 * n) for name in (better, worse))
    discordant_rates = (p - q, p * (1 - q) + q * (1 - p), p - q + 2 * min(1 - p, q))
    n_needed = (_n_questions_needed(p - q, discordant, alpha) for discordant in discordant_rates)
    error = math.sqrt((p + q) * (2 - p - q) / (2 * n))
    unpaired = float(2 * stats.norm.sf((p - q) / error)) if error > 0 else 1.0
    return better, worse, p - q, min(1.0, 2.0 * 0.5 ** (most - low)), p_most, unpaired, *n_needed


def _n_questions_needed(difference: float, discordant: float, alpha: float) -> float:
    """Return the number of questions at which a difference is detected with probability 0.8."""
    if difference <= 0.0:
        return math.inf
    z, z_power = stats.norm.ppf([1.0 - alpha / 2.0, _POWER])
    numerator = z * math.sqrt(discordant) + z_power * math.sqrt(max(discordant - difference**2, 0.0))
    return float(math.ceil((numerator / difference) ** 2))
