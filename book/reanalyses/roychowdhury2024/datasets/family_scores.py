"""Stored accuracy and isotropy of eleven encoders from five families, untransformed and transformed."""

from __future__ import annotations

import io
from importlib import resources

import pandas as pd

__all__ = ["TRANSFORMATIONS", "load"]

TRANSFORMATIONS = {
    "baseline": "untransformed",
    "centered": "centered",
    "standardized": "standardized",
    "all-but-the-top": "all-but-the-top",
    "whitened": "whitened",
}


def load() -> pd.DataFrame:
    """Return 55 rows with columns encoder, family, transform, accuracy (accuracy@10 in percent), i_a, and i_b."""
    file = resources.files("reanalyses.roychowdhury2024.data") / "family-scores.csv"
    return pd.read_csv(io.BytesIO(file.read_bytes()))
