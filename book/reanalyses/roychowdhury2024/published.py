"""Published tables of Roychowdhury et al. (2025)."""

from __future__ import annotations

import re

import pandas as pd

from reanalyses.records import data_file

__all__ = ["documented_dimensions", "printed_correlations", "printed_performance", "printed_transforms"]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def documented_dimensions() -> pd.DataFrame:
    """Return the dimensions of six models that the paper names, as documented by their authors."""
    return pd.read_csv(data_file("roychowdhury2024", "documented-dimensions.csv"))


def printed_correlations() -> pd.DataFrame:
    """Return the published Table I: correlations between columns across models on the telecom dataset.

    The paper states neither the coefficient nor the rows; the 8 rows of `printed_performance` differ.
    """
    return pd.read_csv(data_file("roychowdhury2024", "printed-correlations.csv"))


def printed_performance() -> pd.DataFrame:
    """Return the published Table II: accuracy and NDCG with interval widths, overlaps, and thresholds of eight models.

    All columns except tau are percentages. ``full_`` metrics refer to all questions, without bootstrap.
    """
    return pd.read_csv(data_file("roychowdhury2024", "printed-performance.csv"))


def printed_transforms() -> pd.DataFrame:
    """Return the published Table III: accuracy, I_A, and I_B of eight models under four transformations.

    The scores under "Whitened" and "Standardized" look as if the headings were exchanged, since whitened data
    have I_B = 100. ``isotropy`` is the pair as printed, including "11.59. 13.93" (a period instead of a
    comma); ``odd`` says whether I_A is more than three times the median of its column.
    """
    table = pd.read_csv(data_file("roychowdhury2024", "printed-transforms.csv"), dtype={"isotropy": str})
    pairs = [[float(number) for number in _NUMBER.findall(text)] for text in table["isotropy"]]
    table[["i_a", "i_b"]] = pd.DataFrame(pairs, index=table.index)
    parts = table["model"].str.extract(r"^(bge_large|llm_embedder)_?(.*)$")
    table.insert(1, "family", parts[0])
    table.insert(2, "stage", parts[1].replace("", "base"))
    typical = table.groupby("transform")["i_a"].transform("median")
    table["odd"] = table["i_a"] > 3.0 * typical
    return table
