"""Measures of how uniformly a cloud of points fills its space.

Each function takes an array and returns a number or a frozen dataclass. `isotropy_scores` computes all
scores, and `isoscore_interval` a confidence interval.
"""

from isotropy_lab.isotropy.cosine import average_cosine, average_cosine_score
from isotropy_lab.isotropy.intervals import isoscore_interval
from isotropy_lab.isotropy.intrinsic import id_score, intrinsic_dimension, intrinsic_dimension_details
from isotropy_lab.isotropy.participation import (
    dimensions_used,
    isoscore,
    isoscore_from_eigenvalues,
    isotropy_defect,
)
from isotropy_lab.isotropy.partition import partition_score, partition_score_second_order
from isotropy_lab.isotropy.scores import INVARIANCES, isotropy_scores
from isotropy_lab.isotropy.variance import varex_score

__all__ = [
    "INVARIANCES",
    "average_cosine",
    "average_cosine_score",
    "dimensions_used",
    "id_score",
    "intrinsic_dimension",
    "intrinsic_dimension_details",
    "isoscore",
    "isoscore_from_eigenvalues",
    "isoscore_interval",
    "isotropy_defect",
    "isotropy_scores",
    "partition_score",
    "partition_score_second_order",
    "varex_score",
]
