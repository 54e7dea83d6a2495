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

__all__ = ["count_changes", "gains_on_open_vswitch"]


def gains_on_open_vswitch(names: Sequence[str], *, n_resamples: int = 10_000) -> pd.DataFrame:
    """Return the gains of one search over another on Open vSwitch's questions, in points, with 95% intervals.

    The gains use graded judgments and samples of questions; ``file_`` draws whole files of the FAQ (with 12
    unequal files, these intervals are too narrow), and ``printed`` counts only the paragraphs that the
    authors printed below the question as relevant. p-values are corrected for all rows of the table.
    """
    by_name = searches("open-vswitch")
    texts, _, question_rows = judged_open_vswitch()
    files = open_vswitch()[0]["file"].iloc[question_rows].to_numpy()
    gold = [list(texts.gold[row]) for row in question_rows]
    rows = []
    for name in names:
        for metric in ("accuracy", "ndcg"):
            options: Any = {"metric": metric, "k": 10, "n_resamples": n_resamples, "rng": 0}
            judged = [search.relevant(metric) for search in (by_name[name], by_name["MiniLM"])]
            graded = compare_models(*judged, **options)
            by_file = compare_models(*judged, groups=files, **options)
            as_published = (ranks_of_relevant(by_name[search].ranks, gold) for search in (name, "MiniLM"))
            printed = compare_models(*as_published, **options)
            rows.append(
                {
                    "first": name,
                    "metric": metric,
                    "difference": 100 * graded.estimate,
                    "low": 100 * graded.low,
                    "high": 100 * graded.high,
                    "pvalue": graded.pvalue,
                    "file_low": 100 * by_file.low,
                    "file_high": 100 * by_file.high,
                    "printed": 100 * printed.estimate,
                    "printed_low": 100 * printed.low,
                    "printed_high": 100 * printed.high,
                }
            )
    table = pd.DataFrame(rows)
    return table.assign(pvalue_holm=holm(table["pvalue"]))


def count_changes(after: Any, before: Any) -> pd.Series:
    """Return the number of questions that a search misses, and the numbers found and lost by another one."""
    new, old = (question_scores(ranks, "accuracy", k=10) > 0 for ranks in (after, before))
    return pd.Series({"missed": (~old).sum(), "found": (new & ~old).sum(), "lost": (old & ~new).sum()})
