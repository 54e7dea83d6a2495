"""Reasons to fail a build: numbers on a card that are out of bounds or worse than on an earlier card."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_report._options import option
from isotropy_report._output import SCHEMA
from isotropy_report.card.card import VERDICTS, ReportCard
from isotropy_report.card.meanings import MEANINGS, TEXTS
from isotropy_report.card.parts import Line
from isotropy_report.card.words import count_text, number
from isotropy_report.io.lists import similar_names

__all__ = ["Failure", "failures"]

_HIGHER = (
    *("isoscore", "isoscore_corrected", "dimensions_used_corrected", "average_cosine_score", "varex_score"),
    *("partition_score", "mrr", "map"),
)
_LOWER = ("isotropy_defect", "median_rank", "n_duplicates", "n_zero", "n_equal_documents")
BETTER: Mapping[str, int] = MappingProxyType(dict.fromkeys(_HIGHER, 1) | dict.fromkeys(_LOWER, -1))
"""Numbers for which higher (1) or lower (−1) is better; for numbers such as accuracy@10, higher is better."""

_ONLY_WITH_TOLERANCE = frozenset(
    {"isoscore_corrected", "isoscore", "average_cosine_score", "varex_score", "isotropy_defect"}
)
"""Numbers that add nothing to the dimensions used; they are compared only if `tolerance` names them."""

_METRICS_AT_K = ("accuracy", "recall", "ndcg")
_MAX_BYTES = 64 * 2**20


@dataclasses.dataclass(frozen=True)
class Failure(Result):
    """A number that fails the check: its key, and the reason as a sentence."""

    key: str
    reason: str

    def __str__(self) -> str:
        """Return the reason."""
        return self.reason


def failures(
    card: ReportCard | Mapping[str, Any],
    *,
    below: Mapping[str, float] | None = None,
    above: Mapping[str, float] | None = None,
    worse_than: ReportCard | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    tolerance: Mapping[str, float] | None = None,
) -> tuple[Failure, ...]:
    """Return the failures of a card: numbers that are out of bounds or worse than in an earlier card.

    Parameters
    ----------
    card : ReportCard or mapping
        The card, or the contents of its ``to_dict()`` or JSON.
    below, above : mapping of str to float, optional
        Smallest and largest allowed values, by the keys of the JSON; retrieval tables give ``accuracy@10``,
        ``recall@10``, and ``ndcg@10``. An undefined number fails.
    worse_than : ReportCard, mapping, or path, optional
        An earlier card or its JSON file, made with the same options. A worse verdict fails if a number is
        significantly worse, too, or if it falls from not collapsed to collapsed: near a border, it changes by
        chance. A number is compared if it has a better direction (`BETTER`) and either both cards have an
        interval for it or `tolerance` has an amount. Rows of zeros fail if the earlier card has none.
    tolerance : mapping of str to float, optional
        How much worse a number may be; this replaces its interval. ``math.inf`` leaves a number out.

    Returns
    -------
    tuple of Failure
        Empty if nothing is wrong.

    Raises
    ------
    TypeError, ValueError
        If nothing can be compared, a key is unknown or not in the card, a bound is NaN, the cards have
        different confidence levels, or the earlier card has numbers that the card lacks.

    Notes
    -----
    A number is worse if the interval of the difference lies entirely on the worse side of 0. This interval
    is computed from the intervals of both cards as for independent samples (Zou and Donner 2008): the
    distances from the estimates to the limits that face each other are squared and added. If both cards
    measure the same rows, differences vary less, and the rule is conservative. The NDCG@1 is not compared if
    it is the accuracy@1 of both cards, as for judgments without grades. With m numbers compared,
    intervals are widened by the ratio of the normal quantiles at 1 − α/(2m) and 1 − α/2 (Bonferroni), so
    that without any change, some number fails in at most about α/2 of the comparisons.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_report import report_card
    >>> X = np.random.default_rng(0).standard_normal((500, 20))
    >>> before, now = report_card(X), report_card(X * np.geomspace(1, 9, 20))
    >>> [failure.key for failure in failures(now, below={"isoscore": 0.5}, worse_than=before)]
    ['isoscore', 'dimensions_used_corrected']
    """
    document = _as_document(card)
    numbers = _lines_by_key(document)
    results = []
    for mapping, name in ((below, "below"), (above, "above"), (tolerance, "tolerance")):
        if mapping is not None and not isinstance(mapping, Mapping):
            raise TypeError(f"{name} is {checks.describe(mapping)}; expected a mapping from keys to numbers")
    for bounds, side in ((below or {}, "below"), (above or {}, "above")):
        name = option(side, f"fail-{side}")
        check_keys(bounds, name)
        for key, bound in bounds.items():
            limit = checks.check_real(bound, f"{side}[{key!r}]", low=-math.inf, high=math.inf)
            results.append(Failure(key, _bound_reason(key, _line(numbers, key, name).value, limit, side)))
    if any("@" in key or key in ("mrr", "map") for key in (*(below or ()), *(above or ()))):
        cautions = document.get("cautions", ())
        results += [Failure(c["key"], c["text"]) for c in cautions if c["key"] == "repeated_questions"]
    if worse_than is None:
        if tolerance or not (below or above):
            raise ValueError("expected worse_than, an earlier card (tolerance needs one), or below or above")
    else:
        if isinstance(worse_than, (str, os.PathLike)):
            worse_than = read_card(worse_than, "worse_than")
        results += _compare_cards(document, numbers, _as_document(worse_than), dict(tolerance or {}))
    return tuple(failure for failure in results if failure.reason)


def read_card(path: str | os.PathLike[str], name: str = "path") -> dict[str, Any]:
    """Read the JSON of a card; `name` is the name of the path in error messages."""
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{name} {file} does not exist; expected the JSON file of a card")
    if file.stat().st_size > _MAX_BYTES:
        raise ValueError(f"{name} {file} exceeds {_MAX_BYTES >> 20} MiB; expected the JSON file of a card")
    try:
        document: Any = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{name} {file} is not JSON ({error}); expected the JSON file of a card (write one with `report "
            "-o card.json`)"
        ) from error
    schema = document.get("schema") if isinstance(document, dict) else None
    try:
        if schema != SCHEMA:
            raise TypeError(f"its schema is {schema!r}")
        if "kind" in document:
            raise TypeError(f"its kind is {document['kind']}")
        _lines_by_key(_as_document(document))
    except TypeError as error:
        raise ValueError(
            f"{name} {file} is not the JSON file of a card with schema {SCHEMA} ({error}); expected a card "
            "from this version (write one with `report -o card.json` or `scores --json`)"
        ) from error
    return dict(document)


def check_keys(keys: Mapping[str, Any], name: str) -> None:
    """Raise ValueError for a key that no card has, suggesting similar keys."""
    valid_keys = [*MEANINGS, *(f"{metric}@{k}" for metric in _METRICS_AT_K for k in (1, 3, 5, 10))]
    for key in keys:
        if key not in valid_keys:
            hint = similar_names(str(key), valid_keys)
            known = "dimensions_used_corrected, average_cosine, or n_zero (scores --json lists all)"
            raise ValueError(f"{name} has the unknown key {key!r}{hint}; expected a key such as {known}")


def _as_document(card: ReportCard | Mapping[str, Any]) -> Mapping[str, Any]:
    document = card.to_dict() if isinstance(card, ReportCard) else card
    if not isinstance(document, Mapping) or not all(
        isinstance(document.get(key), Mapping) for key in ("sections", "options")
    ):
        raise TypeError(f"card is {checks.describe(card)}; expected a ReportCard or the contents of its JSON")
    return document


def _lines_by_key(document: Mapping[str, Any]) -> dict[str, Line]:
    """Return all numbers by key, or by metric and depth for retrieval; raise TypeError for invalid data."""
    try:
        lines = {
            key: Line(key, entry["value"], entry["low"], entry["high"])
            for section in document["sections"].values()
            for key, entry in section["numbers"].items()
        }
        for row in document["sections"].get("retrieval", {"tables": {}})["tables"].get("accuracy", ()):
            for metric, title in zip(_METRICS_AT_K, ("accuracy", "recall", "NDCG"), strict=True):
                suffix = "" if metric == "accuracy" else f" of {title}"
                if f"{title}@K" in row:
                    lines[f"{metric}@{row['K']}"] = Line(
                        f"{metric}@{row['K']}", row[f"{title}@K"], row[f"low{suffix}"], row[f"high{suffix}"]
                    )
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise TypeError("card has malformed sections; expected the contents of a card's JSON") from error
    for key, line in lines.items():
        values = (None if isinstance(line.value, str) else line.value, line.low, line.high)
        if not all(x is None or (isinstance(x, (int, float)) and math.isfinite(x)) for x in values):
            raise TypeError(f"card has {key} with the values {values}; expected finite numbers or None")
    return lines


def _line(numbers: Mapping[str, Line], key: str, name: str) -> Line:
    if key not in numbers:
        raise ValueError(
            f"{name} contains {key!r}, which is missing from this card; expected one of {', '.join(numbers)}"
        )
    value = numbers[key].value
    if isinstance(value, (str, bool)):
        raise ValueError(f"{name} contains {key!r}, whose value is {value!r}; expected the key of a number")
    return numbers[key]


def _bound_reason(key: str, value: Any, limit: float, side: str) -> str:
    """Return the reason why a number is out of bounds, or an empty string if it is not."""
    if value is None:
        return f"{key} is undefined, expected {'at least' if side == 'below' else 'at most'} {limit:g}"
    out_of_bounds = value < limit if side == "below" else value > limit
    return f"{key} is {number(value)}, {side} {limit:g}" if out_of_bounds else ""


def _compare_cards(
    document: Mapping[str, Any],
    numbers: dict[str, Line],
    earlier: Mapping[str, Any],
    tolerance: dict[str, float],
) -> list[Failure]:
    before = _lines_by_key(earlier)
    check_keys(tolerance, option("tolerance"))
    for key, amount in tolerance.items():
        checks.check_real(amount, f"tolerance[{key!r}]", low=0.0, high=math.inf)
        if _sign(key) == 0:
            raise ValueError(
                f"{option('tolerance')} contains {key}, a number with no better direction; expected one of "
                f"{', '.join(BETTER)}"
            )
        _line(before, key, option("tolerance"))
    level = document["options"].get("confidence level")
    if earlier["options"].get("confidence level") != level:
        raise ValueError(
            f"the earlier card has confidence level {earlier['options'].get('confidence level')!r}, but this "
            f"card has {level!r}; expected equal levels"
        )
    by_interval = _compared_by_interval(numbers, before, tolerance)
    missing = [key for key in [*by_interval, *tolerance] if key not in numbers]
    if missing:
        raise ValueError(
            f"this card is missing {', '.join(missing)}, which the earlier card contains; expected two cards "
            "from the same command"
        )
    # A number that became undefined is worse.
    intervals = {key: (numbers[key].low, numbers[key].high) for key in by_interval}
    by_interval = [key for key in by_interval if None not in intervals[key] or numbers[key].value is None]
    amounts = {key: amount for key, amount in tolerance.items() if amount < math.inf}
    if not by_interval and not amounts and not tolerance:
        raise ValueError(
            "the earlier card has no number with an interval; expected a card with an interval, or a "
            "tolerance"
        )
    if "n_zero" in before and before["n_zero"].value == 0 and "n_zero" not in tolerance:
        amounts["n_zero"] = 0.0  # an encoder or a file without zeros does not get them by chance
    results = []
    for key, old in before.items():
        if key in by_interval:
            reason = _interval_reason(key, numbers[key], old, float(level), len(by_interval))
            results.append(Failure(key, reason))
        elif key in amounts and old.value is not None:
            results.append(Failure(key, _drop_reason(key, numbers[key].value, old.value, amounts[key])))
    words = [contents.get("verdict") for contents in (earlier, document)]  # others than VERDICTS are none
    first, second = (VERDICTS.index(word) if word in VERDICTS else -1 for word in words)
    if first > -1 and words[1] == "no verdict":
        found = next((text for text in document["summary"] if text.startswith("No verdict")), "No verdict")
        results.insert(0, Failure("verdict", f"the verdict was {words[0]!r} before: {found.rstrip('.')}"))
    # Near a border, the verdict also changes by chance, but not by two steps.
    if -1 < first < second and (second - first > 1 or any(failure.reason for failure in results)):
        reason = f"the verdict changed from {VERDICTS[first]} to {VERDICTS[second]}"
        results.insert(0, Failure("verdict", reason))
    return results


def _compared_by_interval(
    numbers: Mapping[str, Line], before: Mapping[str, Line], tolerance: Mapping[str, float]
) -> list[str]:
    """Return the keys of the earlier card that are compared by their intervals."""
    skipped = {*tolerance, *_ONLY_WITH_TOLERANCE}
    if all(c.get("ndcg@1") and c["ndcg@1"].value == c["accuracy@1"].value for c in (before, numbers)):
        skipped.add("ndcg@1")  # with binary judgments, it equals accuracy@1
    return [
        key
        for key, old in before.items()
        if _sign(key) and key not in skipped and None not in (old.low, old.high)
    ]


def passed(card: ReportCard, earlier: Mapping[str, Any], tolerance: Mapping[str, float]) -> str:
    """Return the sentence for a passed comparison, with the largest change that would also pass."""
    numbers, before = (_lines_by_key(_as_document(source)) for source in (card, earlier))
    keys = [key for key in _compared_by_interval(numbers, before, tolerance) if numbers[key].low is not None]
    within = [key for key, amount in tolerance.items() if amount < math.inf]
    counts = [(keys, "interval"), (within, "tolerance")]
    text = " and ".join(f"{count_text(len(n), 'number')} compared by {how}" for n, how in counts if n)
    text = f"{text or 'only the verdict compared'}, none significantly worse"
    of_search = [key for key in keys if key.startswith("accuracy@")]
    for key in (of_search or keys)[-1:]:
        level = float(card.options["confidence level"] or 0.0)
        fall = _interval_arms(numbers[key], before[key], level, len(keys))[_sign(key) > 0]
        text += f"; a {'fall' if _sign(key) > 0 else 'rise'} of {key} by up to about {number(fall)} passes"
    if of_search:
        return text + "; compare --fail-behind, on the same questions, usually finds smaller ones"
    return text + TEXTS["passes_blind"]


def _sign(key: str) -> int:
    return 1 if key.partition("@")[0] in _METRICS_AT_K else BETTER.get(key, 0)


def _interval_reason(key: str, new: Any, old: Any, level: float, count: int) -> str:
    """Return the reason if the interval of a difference lies on the worse side of 0, or an empty string."""
    if new.value is None:
        return f"{key} is undefined but was {number(old.value)}"
    change = new.value - old.value
    down, up = _interval_arms(new, old, level, count)
    if (change + up >= 0) if _sign(key) > 0 else (change - down <= 0):
        return ""
    numbers = "the one number" if count == 1 else f"all {count} numbers"
    return (
        f"{key} changed from {number(old.value)} to {number(new.value)}, by {number(change - down)} to "
        f"{number(change + up)} ({level:.0%} interval for {numbers} compared)"
    )


def _interval_arms(new: Any, old: Any, level: float, count: int) -> tuple[float, float]:
    """Return the lower and upper arm of a difference's interval, widened for `count` numbers."""
    alpha = 1.0 - level
    widening = float(stats.norm.isf(alpha / (2 * count)) / stats.norm.isf(alpha / 2))
    down = widening * math.hypot(new.value - new.low, old.high - old.value)
    return down, widening * math.hypot(new.high - new.value, old.value - old.low)


def _drop_reason(key: str, new: Any, old: Any, amount: float) -> str:
    """Return the reason if a number is worse by more than an amount, or an empty string."""
    if new is None:
        return f"{key} is undefined but was {number(old)}"
    worse = (old - new) * _sign(key) > amount
    return f"{key} changed from {number(old)} to {number(new)}, by more than {amount:g}" if worse else ""
