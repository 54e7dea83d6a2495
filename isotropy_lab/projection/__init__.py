"""How faithful a picture of the data is.

``X`` holds N points in high dimension, or their distances with ``metric="precomputed"``; ``Y`` holds the same points in
the picture. Measures over all pairs of points are compiled by numba (the extra ``[fast]``) when they are first
called.
"""

from isotropy_lab.projection._pairs.kl_histogram import KLHistogram, kl_histogram
from isotropy_lab.projection._pairs.pair_sums import PairSums, pair_sums
from isotropy_lab.projection.affinities import affinities
from isotropy_lab.projection.curves import Crossing, ScaleOrder, StressCurve, crossings, orders, stress_curve
from isotropy_lab.projection.estimates import (
    PairEstimate,
    nonmetric_estimate,
    shepard_estimate,
    stress_estimate,
)
from isotropy_lab.projection.kl import forced_scale_kl, kl_at_infinity, kl_divergence, kl_gradient
from isotropy_lab.projection.kl_curves import ScaleNormalizedKL, kl_curve, scale_normalized_kl
from isotropy_lab.projection.quality import ProjectionQuality, projection_quality
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
    "KLHistogram",
    "PairEstimate",
    "PairSums",
    "ProjectionQuality",
    "RankScores",
    "ScaleNormalizedKL",
    "ScaleOrder",
    "StressCurve",
    "affinities",
    "crossings",
    "forced_scale_kl",
    "forced_scale_stress",
    "kl_at_infinity",
    "kl_curve",
    "kl_divergence",
    "kl_gradient",
    "kl_histogram",
    "nonmetric_estimate",
    "nonmetric_stress",
    "normalized_stress",
    "optimal_scale",
    "orders",
    "pair_sums",
    "projection_quality",
    "rank_scores",
    "raw_stress",
    "scale_normalized_kl",
    "scale_normalized_stress",
    "shepard_estimate",
    "shepard_goodness",
    "stress_curve",
    "stress_estimate",
]
