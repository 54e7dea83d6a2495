"""Small datasets with stored projections as arrays, which require neither pandas nor scikit-learn.

`scripts/make_lesson_layouts.py` stores the results of `experiments.projections`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from reanalyses import records

#: Name of the file and its record, without suffix.
FILE = "lesson-layouts"
#: Datasets that `load` accepts.
NAMES = ("iris", "wine", "penguins", "digits", "noise")

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Layouts:
    """A dataset with its projections to two dimensions."""

    X: FloatArray  #: Points; except for the noise, each column ranges from 0 to 1.
    labels: npt.NDArray[np.int64]  #: Class of each point; all zero if there are no classes.
    #: Projections by method, such as "t-SNE"; further runs are numbered, as in "t-SNE 2".
    Y: dict[str, FloatArray]


@cache
def load(name: str) -> Layouts:
    """Return a dataset of the lessons with its stored projections."""
    with np.load(records.data_file("smelser2025", f"{FILE}.npz"), allow_pickle=False) as stored:
        arrays = {key.partition("/")[2]: stored[key] for key in stored.files if key.startswith(f"{name}/")}
    X, labels = arrays.pop("X"), arrays.pop("labels")
    Y = {method: points.astype(np.float64) for method, points in arrays.items()}
    return Layouts(X.astype(np.float64), labels.astype(np.int64), Y)
