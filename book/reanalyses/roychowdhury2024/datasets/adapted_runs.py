"""Ranks of relevant definitions for every fine-tuning run, across fold assignments and seeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from reanalyses.records import data_file, record

Ranks = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AdaptedRun:
    """One cross-fitted training run."""

    folds: str  #: What the folds keep together: "answers" or "modules".
    seed: int  #: Random seed of the training.
    variant: str  #: Trained variant, such as "FT" (fine-tuned).
    #: Rank of each question's answer by the model that was not trained on its fold, in the order of `datasets.questions`.
    ranks: Ranks
    #: Ranks after `advantage` is subtracted from the cosines with sentences that are answers to training questions.
    adjusted_ranks: Ranks
    #: advantage, advantage_error: how much more training raises the cosine of a held-out question with answers to other
    #: questions than with sentences that answer none, and the standard error of this difference.
    advantage: float
    advantage_error: float


@lru_cache(maxsize=1)
def adapted_runs() -> tuple[tuple[AdaptedRun, ...], Ranks]:
    """Return all runs, and the ranks by the published encoder; all come from unrounded embeddings."""
    metadata = record("roychowdhury2024", "adapted-runs")
    with np.load(data_file("roychowdhury2024", metadata["file"]), allow_pickle=False) as arrays:
        ranks = {name: arrays[name].astype(np.int64) for name in arrays.files}
    for array in ranks.values():
        array.setflags(write=False)  # shared by all callers
    runs = []
    for entry in metadata["runs"]:
        key = f"{entry['folds']}-{entry['seed']}/{entry['variant']}"
        runs.append(
            AdaptedRun(
                folds=entry["folds"],
                seed=entry["seed"],
                variant=entry["variant"],
                ranks=ranks[key],
                adjusted_ranks=ranks[f"{key}/fair"],
                advantage=entry["asked_advantage"],
                advantage_error=entry["asked_advantage_error"],
            )
        )
    return tuple(runs), ranks["base"]
