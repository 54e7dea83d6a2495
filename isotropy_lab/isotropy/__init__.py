"""Measures of how uniformly a cloud of points fills its space.

Each takes an array and returns a number or a frozen dataclass. `isotropy_scores` returns all of them at once,
`isoscore_interval` adds a confidence interval. `effective_rank`, `rankme`, `spectrum_decay`, `uniformity`, `alignment` and
`hubness` are what else people compare models by, each beside what an even cloud of the same size shows. `clouds` makes clouds with a known answer, `regularizer` gives a
gradient to a model in training; these two are imported on first use.
"""

from __future__ import annotations

import importlib
from typing import Any

from isotropy_lab.isotropy.cosine import average_cosine, average_cosine_score
from isotropy_lab.isotropy.hubness import Hubness, HubnessReference, hubness
from isotropy_lab.isotropy.intervals import IsoScoreInterval, isoscore_interval
from isotropy_lab.isotropy.intrinsic import id_score, intrinsic_dimension
from isotropy_lab.isotropy.participation import (
    dimensions_used,
    isoscore,
    isoscore_from_covariance,
    isoscore_from_eigenvalues,
    isotropy_defect,
)
from isotropy_lab.isotropy.partition import partition_score, partition_score_second_order
from isotropy_lab.isotropy.scores import INVARIANCES, Invariance, IsotropyScores, isotropy_scores
from isotropy_lab.isotropy.spectrum import (
    EffectiveRank,
    SpectrumDecay,
    effective_rank,
    rankme,
    spectrum_decay,
)
from isotropy_lab.isotropy.uniformity import Alignment, Uniformity, alignment, uniformity
from isotropy_lab.isotropy.variance import varex_score

__all__ = [
    "INVARIANCES",
    "Alignment",
    "EffectiveRank",
    "Hubness",
    "HubnessReference",
    "Invariance",
    "IsoScoreInterval",
    "IsotropyScores",
    "SpectrumDecay",
    "Uniformity",
    "alignment",
    "average_cosine",
    "average_cosine_score",
    "dimensions_used",
    "effective_rank",
    "hubness",
    "id_score",
    "intrinsic_dimension",
    "isoscore",
    "isoscore_from_covariance",
    "isoscore_from_eigenvalues",
    "isoscore_interval",
    "isotropy_defect",
    "isotropy_scores",
    "partition_score",
    "partition_score_second_order",
    "rankme",
    "spectrum_decay",
    "uniformity",
    "varex_score",
]

_ON_FIRST_USE = ("clouds", "regularizer")


def __getattr__(name: str) -> Any:
    if name in _ON_FIRST_USE:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE})
