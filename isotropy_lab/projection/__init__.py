"""How faithful a picture of the data is.

``X`` holds N points in high dimension, or their distances with ``metric="precomputed"``; ``Y`` holds the same points in
the picture. Measures over all pairs of points are compiled by numba (the extra ``[projection]``) when they are first
called.
"""

from isotropy_lab.projection.curves import (
    Crossing,
    ScaleOrder,
    StressCurve,
    crossings,
    orders,
    stress_curve,
)
from isotropy_lab.projection.pair_sums import PairSums, pair_sums
from isotropy_lab.projection.ranks import RankScores, nonmetric_stress, rank_scores, shepard_goodness
from isotropy_lab.projection.stress import (
    forced_scale_stress,
    normalized_stress,
    optimal_scale,
    raw_stress,
    scale_normalized_stress,
)

__all__ = [
    "Crossing",
    "PairSums",
    "RankScores",
    "ScaleOrder",
    "StressCurve",
    "crossings",
    "forced_scale_stress",
    "nonmetric_stress",
    "normalized_stress",
    "optimal_scale",
    "orders",
    "pair_sums",
    "rank_scores",
    "raw_stress",
    "scale_normalized_stress",
    "shepard_goodness",
    "stress_curve",
]
