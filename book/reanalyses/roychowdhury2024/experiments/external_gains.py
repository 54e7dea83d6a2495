"""Effect of adaptation to one collection on another: paired differences by question and file, for two gold sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from isotropy_lab._core.multiplicity import holm
from isotropy_lab.retrieval import compare_models, question_scores
from reanalyses.roychowdhury2024.datasets.judgments import judged_open_vswitch
from reanalyses.roychowdhury2024.datasets.text_collections import open_vswitch
from reanalyses.roychowdhury2024.experiments.lexical import ranks_of_relevant
from reanalyses.roychowdhury2024.experiments.searches import searches

__all__ = ["gains_on_open_vswitch", "missed_and_found"]

METRICS = ("accuracy", "ndcg")


def gains_on_open_vswitch(names: Sequence[str], *, n_resamples: int = 10_000) -> pd.DataFrame:
    """Return the gains of one search over another on Open vSwitch's questions, in points, with 95% intervals.

    The gains use graded judgments and samples of questions; ``file_`` draws whole files of the FAQ (with 12
    unequal files, these intervals are too narrow), and ``printed`` counts only the paragraphs that the
    authors printed below the question as relevant. p-values are corrected for all rows of the table.
    """
    of = searches("open-vswitch")
    texts, _, asked = judged_open_vswitch()
    files = open_vswitch()[0]["file"].iloc[asked].to_numpy()
    gold = [list(texts.gold[row]) for row in asked]
    rows = []
    for name in names:
        for metric in METRICS:
            judged = [of[one].found if metric == "ndcg" else of[one].answers for one in (name, "MiniLM")]
            printed = [ranks_of_relevant(of[one].ranks, gold) for one in (name, "MiniLM")]
            graded, by_file, of_printed, printed_by_file = (
                compare_models(*pair, metric=metric, k=10, groups=groups, n_resamples=n_resamples, rng=0)
                for pair in (judged, printed)
                for groups in (None, files)
            )
            rows.append(
                {
                    "first": name,
                    "metric": metric,
                    "difference": 100 * graded.estimate,
                    "low": 100 * graded.low,
                    "high": 100 * graded.high,
                    "pvalue": graded.pvalue,
                    "mcnemar": graded.mcnemar_pvalue,
                    "file_low": 100 * by_file.low,
                    "file_high": 100 * by_file.high,
                    "printed": 100 * of_printed.estimate,
                    "printed_low": 100 * of_printed.low,
                    "printed_high": 100 * of_printed.high,
                    "printed_pvalue": of_printed.pvalue,
                    "printed_file_low": 100 * printed_by_file.low,
                    "printed_file_high": 100 * printed_by_file.high,
                    "n_better": graded.n_better,
                    "n_worse": graded.n_worse,
                }
            )
    table = pd.DataFrame(rows)
    table.insert(table.columns.get_loc("pvalue") + 1, "pvalue_holm", holm(table["pvalue"]))
    return table


def missed_and_found(after: Any, before: Any, *, k: int = 10) -> pd.Series:
    """Return the number of questions that a search misses, and the numbers found and lost by another one.

    The fraction ``removed`` is (found − lost)/missed.
    """
    new, old = (question_scores(ranks, "accuracy", k=k) > 0 for ranks in (after, before))
    missed, found, lost = (float(rows.sum()) for rows in (~old, new & ~old, old & ~new))
    return pd.Series({"missed": missed, "found": found, "lost": lost, "removed": (found - lost) / missed})
