"""Means of cosines that the paper discusses beside its two similarities."""

from __future__ import annotations

from isotropy_lab._core import checks
from isotropy_lab.association._checks import as_pair
from isotropy_lab.association.cosine import centroid_cosine, normalized_cosine


def centroid_mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the mean cosine of the words of one list with the raw centroid of another: "WEAT_k" of the supplement."""
    return centroid_cosine(*as_pair(A, B))


def normalized_mean_cosine_similarity(A: checks.Points, B: checks.Points) -> float:
    """Return the cosine of the mean unit vectors: MCS(A, B)/√(MCS(A, A)·MCS(B, B)), so none is more like another than itself."""
    return normalized_cosine(*as_pair(A, B))
