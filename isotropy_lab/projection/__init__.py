"""Faithfulness of projections: stress, KL divergence, ranks, and neighbors.

``X`` contains N points in high dimension, or their distances with ``metric="precomputed"``; ``Y`` contains
the same points in the projection. Sums over all pairs of points are compiled where numba is installed (the
extra ``[fast]``), and run in NumPy where it is not.
"""

from isotropy_lab.projection.affinities import affinities
from isotropy_lab.projection.curves import crossings, stress_curve
from isotropy_lab.projection.estimates import stress_estimate
from isotropy_lab.projection.faulty_regions import faulty_regions
from isotropy_lab.projection.kl import forced_scale_kl, kl_curve, kl_divergence, scale_normalized_kl
from isotropy_lab.projection.neighbors import (
    continuity,
    neighborhood_curve,
    neighborhood_scores,
    trustworthiness,
)
from isotropy_lab.projection.point_quality import point_quality
from isotropy_lab.projection.quality import projection_quality
from isotropy_lab.projection.ranks import nonmetric_stress, shepard_goodness
from isotropy_lab.projection.stress import (
    normalized_stress,
    optimal_scale,
    pair_sums,
    scale_normalized_stress,
)

__all__ = [
    "affinities",
    "continuity",
    "crossings",
    "faulty_regions",
    "forced_scale_kl",
    "kl_curve",
    "kl_divergence",
    "neighborhood_curve",
    "neighborhood_scores",
    "nonmetric_stress",
    "normalized_stress",
    "optimal_scale",
    "pair_sums",
    "point_quality",
    "projection_quality",
    "scale_normalized_kl",
    "scale_normalized_stress",
    "shepard_goodness",
    "stress_curve",
    "stress_estimate",
    "trustworthiness",
]
