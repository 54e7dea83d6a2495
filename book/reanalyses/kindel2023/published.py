"""Published numbers of other authors, for comparison with our results."""

from __future__ import annotations

import pandas as pd

from reanalyses.records import data_file


def table_1() -> pd.DataFrame:
    """Return the published Table 1 of Kindel (2023): ten WEATs scored by two similarities.

    The values are based on 300-dimensional GloVe vectors (Wikipedia) that are not bundled; they are given for
    comparison with other spaces. The published n of weat-9 is 7, although it is 6.
    """
    return pd.read_csv(data_file("kindel2023", "table_1.csv"))


def table_1_full_precision() -> pd.DataFrame:
    """Return Table 1 of Kindel (2023) in full precision, as published with the paper's code.

    The table has the columns of `table_1` except for the labels.
    """
    return pd.read_csv(data_file("kindel2023", "table_1_full_precision.csv"))


def consistency() -> pd.DataFrame:
    """Return the counts of sublists in Table S1 outscored under mean cosine, as stored for Figure 1."""
    return pd.read_csv(data_file("kindel2023", "published_consistency.csv"))


def effect_sizes() -> pd.DataFrame:
    """Return the effect sizes of the ten WEATs on word2vec and GloVe, as reported by Caliskan et al. (2017).

    The space "word2vec" is GoogleNews, of which an extract is bundled; "GloVe" is 300-dimensional and
    case-sensitive, trained on Common Crawl, and differs from the bundled GloVe.
    """
    return pd.read_csv(data_file("kindel2023", "effect_sizes.csv"))
