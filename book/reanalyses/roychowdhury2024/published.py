"""The printed tables of Roychowdhury et al. (2025)."""

from __future__ import annotations

import re

import pandas as pd

from reanalyses.records import data_file

__all__ = ["printed_correlations", "printed_performance", "printed_transforms"]

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def printed_correlations() -> pd.DataFrame:
    """Table I as printed: correlations between columns, said to be across models of the telecom dataset.

    Returns a table: one row per pair: first, second (columns of `printed_performance` or
    `printed_transforms`), correlation. The paper does not say which coefficient or which rows; the 8 rows of
    `printed_performance` give others.
    """
    return pd.read_csv(data_file("roychowdhury2024", "printed-correlations.csv"))


def printed_performance() -> pd.DataFrame:
    """Table II as printed: accuracy and NDCG with interval widths, overlaps and thresholds of eight models.

    Returns a table: one row per model. All columns are percentages, except tau.

    - ``model``: the name as printed.
    - ``accuracy``, ``accuracy_width``, ``ndcg``, ``ndcg_width``: means of bootstraps and widths of 95% intervals.
    - ``coe``, ``roe``: overlaps.
    - ``tau``: the threshold, a cosine; ``psi``: its percentile; ``accuracy_at_tau``.
    - ``full_accuracy``, ``full_ndcg``: of all questions, without bootstrap.
    """
    return pd.read_csv(data_file("roychowdhury2024", "printed-performance.csv"))


def printed_transforms() -> pd.DataFrame:
    """Table III as printed: accuracy, I_A and I_B of eight models under four transformations.

    Returns a table: one row per model and transformation, 32 in all.

    - ``model``: the name as printed; ``family`` and ``stage``: what it says ("bge_large" or "llm_embedder"; "base",
      "pretrained", "finetuned" or "pretrained_finetuned").
    - ``transform``: "Baseline", "Standardized", "Whitened" or "PCA", as printed. The scores under "Whitened" and
      "Standardized" look as if the headings were exchanged: whitened data have I_B = 100.
    - ``accuracy``: percent.
    - ``isotropy``: the pair as printed, "11.59. 13.93" (a full stop for the comma) included.
    - ``i_a``, ``i_b``: the pair read as two numbers, percent.
    - ``odd``: whether I_A is more than three times the median of its column: "73.0, 88.0" and "47.0, 65.52",
      which are also printed with other numbers of decimals than their neighbors.
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
