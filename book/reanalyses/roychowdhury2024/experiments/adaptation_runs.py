"""Adapted encoders by run: folds by answers or by modules, several seeds, and the advantage of known sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab.retrieval import compare_models
from reanalyses.roychowdhury2024.datasets.adapted_runs import adapted_runs

__all__ = ["adaptation_runs", "loss_on_new_modules", "ranks_of_runs", "spread_of_runs"]


def adaptation_runs() -> pd.DataFrame:
    """Return the accuracy of every cross-fitted run of the adaptation, computed from the bundled ranks.

    ``advantage`` is the increase, due to training, of the cosine between held-out questions and sentences with
    other questions, relative to sentences without questions; ``fair`` is the accuracy after subtracting the
    advantage from the former.
    """
    return pd.DataFrame(
        [
            {
                "folds": run.folds,
                "seed": run.seed,
                "variant": run.variant,
                "accuracy": float((run.ranks <= 10).mean()),
                "advantage": run.advantage,
                "advantage_error": run.advantage_error,
                "fair": float((run.adjusted_ranks <= 10).mean()),
            }
            for run in adapted_runs()[0]
        ]
    )


def ranks_of_runs(folds: str) -> dict[str, npt.NDArray[np.int64]]:
    """Return the rank of each question's answer under MiniLM and every run with these folds, by name."""
    runs, base = adapted_runs()
    return {"MiniLM": base} | {run.variant: run.ranks for run in runs if (run.folds, run.seed) == (folds, 0)}


def spread_of_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Return, by folds and variant, the mean accuracy over seeds and its spread.

    The columns are variant, folds, seeds, accuracy, lowest, highest, sd (NaN for one seed), and fair.
    """
    groups = runs.groupby(["variant", "folds"], sort=False)
    table = groups.agg(
        seeds=("seed", "nunique"),
        accuracy=("accuracy", "mean"),
        lowest=("accuracy", "min"),
        highest=("accuracy", "max"),
        sd=("accuracy", "std"),
        fair=("fair", "mean"),
    )
    return table.reset_index()


def loss_on_new_modules(modules: Sequence[object], *, n_resamples: int = 10_000) -> pd.DataFrame:
    """Return the accuracy lost by holding out whole modules instead of answers, from ranks under every seed.

    Differences are means over the seeds that were run with both kinds of folds, in points. Intervals
    come from samples of questions, each with all seeds, and of whole `modules`, conditional on these training
    runs; ``lowest`` and ``highest`` are the differences of single seeds.
    """
    runs, base = adapted_runs()
    ranks = {
        folds: {run.seed: run.ranks for run in runs if (run.folds, run.variant) == (folds, "FT")}
        for folds in ("answers", "modules")
    }
    seeds = sorted(ranks["answers"].keys() & ranks["modules"].keys())
    sides = {
        "MiniLM": [base] * len(seeds),
        "by answers": [ranks["answers"][seed] for seed in seeds],
        "by modules": [ranks["modules"][seed] for seed in seeds],
    }
    groups = {"": np.arange(len(base)), "module_": np.asarray(modules)}
    rows = []
    for first, second in (("by answers", "MiniLM"), ("by modules", "MiniLM"), ("by modules", "by answers")):
        # Each question occurs once per seed and is drawn with all of them, by itself or with its module.
        a, b = np.concatenate(sides[first]), np.concatenate(sides[second])
        row = {"compared": f"{first} less {second}", "seeds": len(seeds)}
        for prefix, labels in groups.items():
            repeated_labels = np.tile(labels, len(seeds))
            gain = compare_models(a, b, k=10, groups=repeated_labels, n_resamples=n_resamples, rng=0)
            row |= {
                "difference": 100 * gain.estimate,
                f"{prefix}low": 100 * gain.low,
                f"{prefix}high": 100 * gain.high,
            }
        by_seed = [
            100 * float((x <= 10).mean() - (y <= 10).mean())
            for x, y in zip(sides[first], sides[second], strict=True)
        ]
        rows.append(row | {"lowest": min(by_seed), "highest": max(by_seed)})
    return pd.DataFrame(rows)
