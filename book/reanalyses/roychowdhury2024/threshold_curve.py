"""Costs and savings of similarity thresholds at many percentiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab.retrieval import score_at_threshold, threshold_percentile


def threshold_curve(similarities: Any, ranks: Any, *, psi: Any, **options: Any) -> pd.DataFrame:
    """Return accuracy and NDCG with a threshold at each percentage ψ of the similarities.

    The column ``suppressed`` is the fraction of retrieved documents that the threshold hides. Options are
    those of `threshold_percentile`.
    """
    values = np.asarray(similarities)
    rows = []
    for percentage, limit in zip(psi, threshold_percentile(values, psi, **options), strict=True):
        accuracy = score_at_threshold(values, ranks, limit)
        ndcg = score_at_threshold(values, ranks, limit, metric="ndcg")
        rows.append((float(percentage), float(limit), accuracy, ndcg, float((values < limit).mean())))
    return pd.DataFrame(rows, columns=["psi", "threshold", "accuracy", "ndcg", "suppressed"])
