"""Isotropy and accuracy under transformations that are intended to increase isotropy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.isotropy import isoscore, partition_score_second_order
from isotropy_lab.retrieval._checks import as_embeddings, check_n_best
from isotropy_lab.retrieval.ranking import answer_ranks
from isotropy_lab.retrieval.relevance import as_judgments
from isotropy_lab.transforms import AllButTheTop, Whitening

__all__ = ["TRANSFORMS", "TransformedScores", "apply_to_both", "transformed_scores"]

Floats = npt.NDArray[np.float64]

TRANSFORMS = ("baseline", "standardized", "whitened", "all-but-the-top", "centered")
"""Named transformations; Table III calls "all-but-the-top" PCA."""


@dataclass(frozen=True, eq=False)
class TransformedScores(Result):
    """Accuracy and isotropy under several transformations."""

    #: One row per transformation: transform, accuracy (fraction of questions whose relevant document is among
    #: the top k), i_a, i_b. Fractions, not percentages.
    table: pd.DataFrame
    #: Ranks of the relevant documents by transformation, for intervals and comparisons.
    ranks: dict[str, npt.NDArray[np.int64]]
    transformers: dict[str, Any]  #: Transformers fitted on the documents; None for "baseline".


def transformed_scores(
    questions: checks.Points,
    documents: checks.Points,
    gold: Any,
    *,
    transforms: Sequence[str] | Mapping[str, Any] = TRANSFORMS,
    k: int = 10,
    renormalize: bool = True,
    floor: float = 1e-6,
    n_components: int | None = None,
) -> TransformedScores:
    """Compute accuracy at k, I_A, and I_B under transformations fitted on the documents and applied to all rows.

    `gold` is as in `isotropy_lab.retrieval.answer_ranks`. Rows are normalized first, like those of the
    paper's models. `transforms` are names in `TRANSFORMS`, or scikit-learn transformers under any names,
    which are cloned and fitted here (None for no transformation). "all-but-the-top", "PCA" in Table III,
    removes `n_components` leading principal directions, by default max(1, ⌊n/100⌋).

    With `renormalize`, isotropy is computed for normalized transformed rows, which cosines compare; the paper
    does not say whether it does so. Without it, I_A and I_B of whitened documents are 1 by construction.
    "centered" is a control that shows the part of any effect that is due to the mean. Roychowdhury et al.
    (2025), Section II-E and Table III.
    """
    left, right = as_embeddings(questions, documents)
    Q, D = unit_rows(left, "questions"), unit_rows(right, "documents")
    places, _ = as_judgments(gold, len(Q), len(D))
    n_best = check_n_best(k, len(D))
    chosen: dict[str, Any]
    if isinstance(transforms, Mapping):
        chosen = {str(name): transformer for name, transformer in transforms.items()}
    else:
        names = [transforms] if isinstance(transforms, str) else list(transforms)
        named = {
            "baseline": None,
            "standardized": StandardScaler(),
            "whitened": Whitening(floor=floor),
            "all-but-the-top": AllButTheTop(n_components),
            "centered": StandardScaler(with_std=False),
        }
        chosen = {name: named[name] for name in names}
    rows = []
    ranks: dict[str, npt.NDArray[np.int64]] = {}
    fitted = _fitted(chosen, D)
    for name, transformer in fitted.items():
        new_q, new_d = (Q, D) if transformer is None else apply_to_both(transformer, Q, D)
        ranks[name] = answer_ranks(new_q, new_d, places)
        measured = unit_rows(new_d, "documents") if renormalize else new_d
        rows.append(
            (
                name,
                float((ranks[name] <= n_best).mean()),
                partition_score_second_order(measured),
                isoscore(measured, estimator="plug-in"),
            )
        )
    table = pd.DataFrame(rows, columns=["transform", "accuracy", "i_a", "i_b"])
    return TransformedScores(table, ranks, fitted)


def _fitted(transformers: Mapping[str, Any], documents: Floats) -> dict[str, Any]:
    """Return copies of the transformers fitted on the documents."""
    return {
        name: None if transformer is None else clone(transformer).fit(documents)
        for name, transformer in transformers.items()
    }


def apply_to_both(
    transformer: Any, questions: checks.Points, documents: checks.Points
) -> tuple[Floats, Floats]:
    """Apply a fitted transformer to questions and documents.

    Two transformers fitted separately would map questions and documents to different spaces, in which a
    cosine between them is meaningless.

    >>> from sklearn.preprocessing import StandardScaler
    >>> documents = [[1.0, 2.0], [3.0, 5.0], [5.0, 3.0]]
    >>> centering = StandardScaler(with_std=False).fit(documents)
    >>> questions, _ = apply_to_both(centering, [[4.0, 4.0]], documents)
    >>> questions.round(3).tolist()
    [[1.0, 0.667]]
    """
    left, right = as_embeddings(questions, documents)
    moved_left, moved_right = (np.asarray(transformer.transform(rows), np.float64) for rows in (left, right))
    return moved_left, moved_right
