"""Ranks of the right definitions by every run of the adaptation: other folds, other seeds; computed beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from reanalyses.records import data_file, record

__all__ = ["AdaptedRun", "adapted_runs"]

Ranks = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AdaptedRun:
    """One cross-fitted run of training."""

    folds: str  #: What the folds part: "answers" or "modules".
    seed: int  #: Of the training.
    variant: str  #: What was trained, such as "FT".
    ranks: Ranks  #: Rank of each question's answer by the model of its fold, in the order of `questions`.
    fair: Ranks  #: The same after the advantage was taken off the sentences that have it.
    #: advantage, advantage_error: how much more training raised the cosine between held-out questions and
    #: sentences that others ask for than that with sentences that nobody asks for, and its standard error.
    advantage: float
    advantage_error: float


@lru_cache(maxsize=1)
def adapted_runs() -> tuple[tuple[AdaptedRun, ...], Ranks]:
    """Load the ranks of all runs, and those by the encoder as published: of the embeddings before any rounding."""
    about = record("roychowdhury2024", "adapted-runs")
    with np.load(data_file("roychowdhury2024", about["file"]), allow_pickle=False) as arrays:
        ranks = {name: arrays[name].astype(np.int64) for name in arrays.files}
    for array in ranks.values():
        array.setflags(write=False)  # all callers share them
    runs = []
    for row in about["runs"]:
        name = f"{row['folds']}-{row['seed']}/{row['variant']}"
        advantage = (row["asked_advantage"], row["asked_advantage_error"])
        runs.append(
            AdaptedRun(
                row["folds"], row["seed"], row["variant"], ranks[name], ranks[f"{name}/fair"], *advantage
            )
        )
    return tuple(runs), ranks["base"]
