"""How uniformly a cloud of points fills its space.

Metrics take an array and return a number or a frozen dataclass. `experiments` runs the tests of Rudman et al.
(2022) as tidy tables, `figures` draws them, `clouds` makes clouds with a known answer; these three are imported
on first use.
"""

from __future__ import annotations

import importlib
from typing import Any

from isotropy_lab.isotropy.algorithm import IsoScoreSteps, isoscore_steps
from isotropy_lab.isotropy.cosine import average_cosine, average_cosine_score
from isotropy_lab.isotropy.estimates import DimensionEstimate, intrinsic_dimension_estimate
from isotropy_lab.isotropy.intervals import IsoScoreInterval, isoscore_interval
from isotropy_lab.isotropy.intrinsic import (
    IntrinsicDimension,
    id_score,
    intrinsic_dimension,
    intrinsic_dimension_details,
)
from isotropy_lab.isotropy.participation import (
    dimensions_used,
    isoscore,
    isoscore_from_covariance,
    isoscore_from_eigenvalues,
    isotropy_defect,
)
from isotropy_lab.isotropy.partition import log_partition_score, partition_score, partition_score_second_order
from isotropy_lab.isotropy.scores import INVARIANCES, Invariance, IsotropyScores, isotropy_scores
from isotropy_lab.isotropy.variance import varex_score

__all__ = [
    "INVARIANCES",
    "DimensionEstimate",
    "IntrinsicDimension",
    "Invariance",
    "IsoScoreInterval",
    "IsoScoreSteps",
    "IsotropyScores",
    "average_cosine",
    "average_cosine_score",
    "dimensions_used",
    "id_score",
    "intrinsic_dimension",
    "intrinsic_dimension_details",
    "intrinsic_dimension_estimate",
    "isoscore",
    "isoscore_from_covariance",
    "isoscore_from_eigenvalues",
    "isoscore_interval",
    "isoscore_steps",
    "isotropy_defect",
    "isotropy_scores",
    "log_partition_score",
    "partition_score",
    "partition_score_second_order",
    "varex_score",
]

_ON_FIRST_USE = ("clouds", "regularizer")


def __getattr__(name: str) -> Any:
    if name in _ON_FIRST_USE:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_FIRST_USE})
