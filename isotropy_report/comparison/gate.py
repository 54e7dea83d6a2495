"""Reasons to fail a build: a model that finds significantly fewer relevant documents than another."""

from __future__ import annotations

from math import ceil, log2
from typing import TYPE_CHECKING

from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab._core.multiplicity import holm
from isotropy_lab.retrieval.relevance import METRICS
from isotropy_report._options import option
from isotropy_report.card.gate import Failure
from isotropy_report.card.parts import GOLD_DOUBTS
from isotropy_report.card.words import count_text

if TYPE_CHECKING:
    from isotropy_report.comparison.models import ModelComparison


def judge(comparison: ModelComparison, model: str, within: float | None) -> tuple[list[Failure], str]:
    """Return the failures of a model, and a text that it has passed."""
    name = option("model", "fail-behind")
    checks.check_option(model, name, list(comparison.models))
    key = f"accuracy@{comparison.options['k']}"
    level = float(comparison.options["confidence level"] or 0.0)
    tests = [d for d in comparison.differences if d.measure == key and model in (d.first, d.second)]
    if not tests:
        raise ValueError("the comparison has no questions; expected a comparison with questions and gold")
    if within is not None:
        checks.check_real(within, "within", low=0.0, high=1.0, open_high=True)
    doubts = [c.text for c in comparison.cautions if c.key in (*GOLD_DOUBTS, "repeated_documents")]
    of_model = [text for text in doubts if text.startswith(f"{model}: ")]
    if of_others := [text for text in doubts if text not in of_model]:
        raise ValueError(f"{name} gets no verdict, as a compared model is in doubt: {of_others[0]}")
    n_questions = int(comparison.options["questions"] or 0)
    fewest = ceil(log2(2 * len(tests) / (1.0 - level)) - 1e-9)  # if all of these favor the other model
    if n_questions < fewest:
        raise ValueError(
            f"{model} is compared on {count_text(n_questions, 'question')}, too few for any model to "
            f"fail {count_text(len(tests), 'test')}; expected at least {fewest} questions"
        )
    if repeated := [c.text for c in comparison.cautions if c.key == "repeated_questions"]:
        return [Failure("repeated_questions", repeated[0])], ""
    corrected = f", corrected for {len(tests)} tests" * (len(tests) > 1)
    behind, scores = [], comparison.scores[key]
    for test, p in zip(tests, holm([test.pvalue for test in tests]), strict=True):
        other, lead = (test.second, 1) if test.first == model else (test.first, -1)
        if lead * test.estimate < 0.0 and p <= 1.0 - level + 1e-12:
            values = f"{scores[model].value:.4f} and {scores[other].value:.4f}"
            text = f"{model} is behind {other} in {key}: {values}, p = {p:.2g}"
            behind.append(f"{text}, McNemar's exact test{corrected}")
    fall = max(test.high if test.second == model else -test.low for test in tests)
    allowed = f"{level:.0%} intervals allow it to be lower by {ceil(1e4 * fall - 1e-6) / 1e4:.4f}"
    allowed = allowed if fall > 0.0 else f"{level:.0%} intervals exclude any fall"
    reasons = [] if within is not None and fall <= within else [*behind]
    if within is not None and fall > within:
        z = stats.norm.ppf(0.5 + level / 2.0)
        needed = ceil(z * z * (1.0 - within) / within) if within else 0  # Tango's, if no question changes
        few = f"; it takes {needed:,} questions even if no question changes" * (n_questions < needed)
        reasons.append(f"{model} is not shown to be within {within:g} in {key}: {allowed}{few}")
    if of_model and not reasons:
        raise ValueError(f"{name} gets no verdict: {of_model[0]}")
    not_behind = f"{model} is not significantly behind in {key} (McNemar's exact test{corrected})"
    passed = "; ".join(behind) or not_behind
    measures = [m for m in comparison.tied if m.partition("@")[0] in METRICS and m != key]
    others = [m for m in measures if model not in comparison.tied[m]]
    verb = "does" if len(others) == 1 else "do"
    passed += f"; it is significantly behind in {', '.join(others)}, which {verb} not decide" * bool(others)
    allowed += "" if within is None or fall <= 0.0 else f", which is within {within:g}"
    return [Failure(key, reason) for reason in reasons], f"{passed}; {allowed}"
