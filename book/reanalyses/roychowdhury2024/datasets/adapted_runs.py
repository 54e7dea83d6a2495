"""Ranks of relevant definitions for every run of the adaptation, with several folds and seeds."""

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
    """One cross-fitted training run."""

    folds: str  #: Units that folds keep together: "answers" or "modules".
    seed: int  #: Random seed of the training.
    variant: str  #: Trained variant, such as "FT".
    ranks: Ranks  #: Rank of each question's answer under the model of its fold, in the order of `questions`.
    fair: Ranks  #: The same ranks after subtracting the advantage of sentences that training questions ask about.
    #: advantage, advantage_error: increase, due to training, of the cosine of held-out questions with sentences
    #: that other questions ask about, relative to that with all other sentences, and its standard error.
    advantage: float
    advantage_error: float


@lru_cache(maxsize=1)
def adapted_runs() -> tuple[tuple[AdaptedRun, ...], Ranks]:
    """Return the ranks of all runs and of the published encoder, computed from unrounded embeddings."""
    about = record("roychowdhury2024", "adapted-runs")
    with np.load(data_file("roychowdhury2024", about["file"]), allow_pickle=False) as arrays:
        ranks = {name: arrays[name].astype(np.int64) for name in arrays.files}
    for array in ranks.values():
        array.setflags(write=False)  # shared by all callers
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
