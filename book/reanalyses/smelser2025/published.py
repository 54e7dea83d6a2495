"""Numbers that Smelser et al. (2025) print, to set beside ours."""

from __future__ import annotations

import pandas as pd

from reanalyses.records import data_file

__all__ = ["older_mds", "survey_rows", "survey_scores", "table_3", "table_4", "table_5", "table_6"]


def table_3() -> pd.DataFrame:
    """Table III as printed: how often a method has less stress than MDS, of 240 trials.

    The caption calls the last four measures "scale-sensitive"; they are the invariant ones.
    """
    return pd.read_csv(data_file("smelser2025", "table_3.csv"))


def table_4() -> pd.DataFrame:
    """Table IV as printed: how often each order of three methods by divergence occurs, of 240 trials."""
    return pd.read_csv(data_file("smelser2025", "table_4.csv"))


def table_5() -> pd.DataFrame:
    """Table V as printed: Spearman's correlations between measures of divergence.

    Returns a table, one row for each pair of measures: first, second, spearman.
    """
    return pd.read_csv(data_file("smelser2025", "table_5.csv"))


def table_6() -> pd.DataFrame:
    """Table VI as printed: ranks of the survey's projections by stress at their own size and at the best size.

    The projections themselves, by Espadoto et al., are in no package; only these ranks are available here.
    """
    return pd.read_csv(data_file("smelser2025", "table_6.csv"))


def survey_scores() -> pd.DataFrame:
    """What the authors computed for the projections of Table VI, and what the survey reported of them."""
    return pd.read_csv(data_file("smelser2025", "published_survey_scores.csv"))


def older_mds() -> pd.DataFrame:
    """SNS of MDS from random starts with the version of scikit-learn that the published pipeline pins, 1.5.1.

    Returns a table, one row for each of six datasets and ten seeds: dataset, seed, sns.
    """
    return pd.read_csv(data_file("smelser2025", "older_mds.csv"))


def survey_rows() -> pd.DataFrame:
    """Sizes of the data files of the survey, and how many of their rows are zeros.

    Returns a table, one row for each of 13 datasets: dataset, n_points, n_dimensions, n_empty.
    """
    return pd.read_csv(data_file("smelser2025", "survey_rows.csv"))
