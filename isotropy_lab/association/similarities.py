"""The similarities of two word lists by name."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType

from isotropy_lab import _checks
from isotropy_lab.association.canonical import canonical_similarity, corrected_canonical_similarity
from isotropy_lab.association.cosine import (
    centroid_mean_cosine_similarity,
    mean_cosine_similarity,
    normalized_mean_cosine_similarity,
    paired_mean_cosine_similarity,
)

__all__ = ["SIMILARITIES"]

SIMILARITIES: Mapping[str, Callable[..., float]] = MappingProxyType(
    {
        "mean-cosine": mean_cosine_similarity,
        "paired": paired_mean_cosine_similarity,
        "centroid": centroid_mean_cosine_similarity,
        "normalized": normalized_mean_cosine_similarity,
        "canonical": functools.partial(canonical_similarity, scale="geometric"),
        "canonical-minimum": functools.partial(canonical_similarity, scale="minimum"),
        "canonical-trace": functools.partial(canonical_similarity, scale=None),
        "canonical-corrected": corrected_canonical_similarity,
    }
)
"""Name → function of two word lists, which also takes `names`, what messages call the lists."""


def check_similarity(similarity: str) -> str:
    """Return the name of a similarity that exists."""
    return _checks.check_option(similarity, "similarity", tuple(SIMILARITIES))
