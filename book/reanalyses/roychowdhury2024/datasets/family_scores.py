"""Stored accuracy and isotropy of eleven encoders from five families, untransformed and transformed."""

from __future__ import annotations

import pandas as pd

from reanalyses.records import data_file

TRANSFORMATIONS = {
    "baseline": "untransformed",
    "centered": "centered",
    "standardized": "standardized",
    "all-but-the-top": "all-but-the-top",
    "whitened": "whitened",
}


def load() -> pd.DataFrame:
    """Return 55 rows with columns encoder, family, transform, accuracy (accuracy@10 in percent), i_a, and i_b."""
    return pd.read_csv(data_file("roychowdhury2024", "family-scores.csv"))
