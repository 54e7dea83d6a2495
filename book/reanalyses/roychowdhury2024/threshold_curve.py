"""Costs and savings of similarity thresholds at many percentiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab.retrieval import score_at_threshold, threshold_percentile


def threshold_curve(similarities: Any, ranks: Any, *, psi: Any, **options: Any) -> pd.DataFrame:
    """Return one row per percentage: psi, threshold, accuracy, ndcg, suppressed, mean_kept, empty.

    The last three columns are the fraction of retrieved documents that the threshold hides, the mean number kept per
    question, and the fraction of questions without any document. Options are those of `threshold_percentile`.
    """
    values = np.asarray(similarities)
    rows = []
    for percentage, limit in zip(psi, threshold_percentile(values, psi, **options), strict=True):
        kept = (values >= limit).sum(axis=1)
        rows.append(
            {
                "psi": float(percentage),
                "threshold": float(limit),
                "accuracy": score_at_threshold(values, ranks, limit),
                "ndcg": score_at_threshold(values, ranks, limit, metric="ndcg"),
                "suppressed": 1.0 - float(kept.sum()) / values.size,
                "mean_kept": float(kept.mean()),
                "empty": float((kept == 0).mean()),
            }
        )
    return pd.DataFrame(rows)
