"""Numbers reported by Smelser et al. (2025), for comparison with our results."""

from __future__ import annotations

import pandas as pd

from reanalyses.records import data_file

__all__ = ["older_mds", "survey_rows", "survey_scores", "table_3", "table_4", "table_5", "table_6"]


def table_3() -> pd.DataFrame:
    """Return the published Table III: how often a method has lower stress than MDS in 240 trials.

    The caption calls the last four measures "scale-sensitive", although they are the invariant ones.
    """
    return pd.read_csv(data_file("smelser2025", "table_3.csv"))


def table_4() -> pd.DataFrame:
    """Return the published Table IV: percentages of each order of three methods by divergence."""
    return pd.read_csv(data_file("smelser2025", "table_4.csv"))


def table_5() -> pd.DataFrame:
    """Return the published Table V: Spearman's correlations between measures of divergence.

    There is one row per pair of measures: first, second, spearman.
    """
    return pd.read_csv(data_file("smelser2025", "table_5.csv"))


def table_6() -> pd.DataFrame:
    """Return the published Table VI: ranks of the survey's projections by stress at their own and optimal scales.

    The projections by Espadoto et al. are in no package, so only these ranks are available here.
    """
    return pd.read_csv(data_file("smelser2025", "table_6.csv"))


def survey_scores() -> pd.DataFrame:
    """Return the authors' values for the projections of Table VI, and the values reported by the survey."""
    return pd.read_csv(data_file("smelser2025", "published_survey_scores.csv"))


def older_mds() -> pd.DataFrame:
    """Return SNS of MDS from random starts, computed with the published pipeline's scikit-learn (1.5.1).

    There is one row for each of six datasets and ten seeds: dataset, seed, sns.
    """
    return pd.read_csv(data_file("smelser2025", "older_mds.csv"))


def survey_rows() -> pd.DataFrame:
    """Return the sizes of the survey's data files, and their numbers of zero rows.

    There is one row for each of 13 datasets: dataset, n_points, n_dimensions, n_empty.
    """
    return pd.read_csv(data_file("smelser2025", "survey_rows.csv"))
