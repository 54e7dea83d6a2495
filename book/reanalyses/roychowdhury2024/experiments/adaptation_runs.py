"""Adapted encoders by run: folds by answers and by modules, several seeds, and the advantage of sentences that get asked."""

from __future__ import annotations

import pandas as pd

from reanalyses.roychowdhury2024.datasets.adapted import adapted_provenance

__all__ = ["adaptation_runs", "spread_of_runs"]


def adaptation_runs() -> pd.DataFrame:
    """Return the accuracies of every cross-fitted run of the adaptation, as the record of the embeddings has them.

    Columns folds ("answers" or "modules"), seed, variant, accuracy, low and high (at 10; 95% intervals from samples of
    questions), accuracy_1, advantage and advantage_error (how much more training raised the cosine between held-out
    questions and sentences that others ask for than that with sentences that nobody asks for, and its standard
    error), and fair and fair_1: accuracy at 10 and at 1 after that is taken from the former.

    Examples
    --------
    >>> adaptation_runs().columns[:4].to_list()
    ['folds', 'seed', 'variant', 'accuracy']
    """
    rows = [
        {
            "folds": run["folds"],
            "seed": run["seed"],
            "variant": run["variant"],
            "accuracy": run["accuracy_at_10"],
            "low": run["interval_at_10"][0],
            "high": run["interval_at_10"][1],
            "accuracy_1": run["accuracy_at_1"],
            "advantage": run["asked_advantage"],
            "advantage_error": run["asked_advantage_error"],
            "fair": run["without_advantage_at_10"],
            "fair_1": run["without_advantage_at_1"],
        }
        for run in adapted_provenance()["runs"]
    ]
    return pd.DataFrame(rows)


def spread_of_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return, by folds and variant, the mean accuracy of the seeds and how far they are apart.

    Columns folds, variant, seeds, accuracy, lowest, highest, sd (NaN for one seed), fair.
    """
    found = runs.groupby(["variant", "folds"], sort=False)
    table = found.agg(
        seeds=("seed", "nunique"),
        accuracy=("accuracy", "mean"),
        lowest=("accuracy", "min"),
        highest=("accuracy", "max"),
        sd=("accuracy", "std"),
        fair=("fair", "mean"),
    )
    return table.reset_index()
