"""Ranks of the right definitions by every run of the adaptation: other folds, other seeds; computed beforehand."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from reanalyses.roychowdhury2024.datasets.adapted import check_texts

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
    folder = resources.files("reanalyses.roychowdhury2024").joinpath("data")
    record: dict[str, Any] = json.loads(folder.joinpath("adapted-runs.json").read_text(encoding="utf-8"))
    check_texts(record)
    content = folder.joinpath(record["file"]).read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != record["sha256"]:
        raise ValueError(
            f"{record['file']}, which holds the ranks of all runs, is damaged: its SHA-256 is {found}; expected "
            f"{record['sha256']}"
        )
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        ranks = {name: arrays[name].astype(np.int64) for name in arrays.files}
    for array in ranks.values():
        array.setflags(write=False)  # all callers share them
    runs = []
    for row in record["runs"]:
        name = f"{row['folds']}-{row['seed']}/{row['variant']}"
        about = (row["asked_advantage"], row["asked_advantage_error"])
        runs.append(
            AdaptedRun(row["folds"], row["seed"], row["variant"], ranks[name], ranks[f"{name}/fair"], *about)
        )
    return tuple(runs), ranks["base"]
