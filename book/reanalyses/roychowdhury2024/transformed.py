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

from isotropy_lab._core.rows import unit_rows
from isotropy_lab.isotropy import average_cosine, isoscore, partition_score_second_order
from isotropy_lab.retrieval.ranking import answer_ranks
from isotropy_lab.retrieval.relevance import as_judgments
from isotropy_lab.transforms import AllButTheTop, Whitening
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant

TRANSFORMS = {
    "baseline": None,
    "standardized": StandardScaler(),
    "whitened": Whitening(floor=1e-6),
    "all-but-the-top": AllButTheTop(),
    "centered": StandardScaler(with_std=False),
}
"""Named transformations; Table III calls "all-but-the-top" PCA."""


@dataclass(frozen=True, eq=False)
class TransformedScores:
    """Accuracy and isotropy under several transformations."""

    #: One row per transformation: transform, accuracy (fraction of questions whose relevant document is among
    #: the top 10), i_a, i_b, average_cosine (means over models). Fractions, not percentages.
    table: pd.DataFrame
    #: Ranks of the relevant documents by transformation, for intervals and comparisons.
    ranks: dict[str, npt.NDArray[np.int64]]


def transformed_scores(
    variant: EmbeddingVariant,
    gold: Any,
    *,
    transforms: Sequence[str] | Mapping[str, Any] = tuple(TRANSFORMS),
) -> TransformedScores:
    """Compute accuracy at 10 and isotropy under transformations fitted on the documents and applied to all rows.

    `gold` is as in `isotropy_lab.retrieval.answer_ranks`. Rows are normalized first, like those of the
    paper's models. `transforms` are names in `TRANSFORMS`, or scikit-learn transformers under any names,
    which are cloned and fitted here (None for no transformation). "all-but-the-top", "PCA" in Table III,
    removes max(1, ⌊n/100⌋) leading principal directions. If the variant is cross-fitted, each question is
    ranked by its own model.

    Isotropy is computed for normalized transformed rows, which cosines compare; the paper does not say whether
    it does so. "centered" is a control that shows the part of any effect that is due to the mean. The others are
    in Section II-E and Table III of Roychowdhury et al. (2025).
    """
    transformers = (
        transforms if isinstance(transforms, Mapping) else {name: TRANSFORMS[name] for name in transforms}
    )
    positions, _ = as_judgments(gold, len(variant.questions), len(variant.documents[0]))
    ranks = {name: np.empty(len(positions), dtype=np.int64) for name in transformers}
    scores: dict[str, list[tuple[float, ...]]] = {name: [] for name in transformers}
    for indices, questions, documents in variant.parts():
        Q, D = unit_rows(questions, "questions"), unit_rows(documents, "documents")
        for name, transformer in transformers.items():
            mapped_Q, mapped_D = Q, D
            if transformer is not None:
                # Questions and documents need the same map: between two spaces, a cosine has no meaning.
                fitted = clone(transformer).fit(D)
                mapped_Q, mapped_D = fitted.transform(Q), fitted.transform(D)
            ranks[name][indices] = answer_ranks(mapped_Q, mapped_D, positions[indices])
            unit = unit_rows(mapped_D, "documents")
            i_a, i_b = partition_score_second_order(unit), isoscore(unit, estimator="plug-in")
            scores[name].append((i_a, i_b, average_cosine(unit)))
    rows = [
        (name, float((ranks[name] <= 10).mean()), *np.mean(scores[name], axis=0).tolist())
        for name in transformers
    ]
    table = pd.DataFrame(rows, columns=["transform", "accuracy", "i_a", "i_b", "average_cosine"])
    return TransformedScores(table, ranks)
