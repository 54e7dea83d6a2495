"""Measures of two sets of vectors: of the same items by two models, of other texts by one model, of vectors made smaller.

`neighbor_overlap`, `cka` and `procrustes_distance` say how far two models agree about the same items, each beside what
unrelated models would give; `drift_test` whether other texts come from the same distribution, `drift_power` what it could
have found; `compression_costs` what fewer dimensions, bytes or bits lose.
"""

from isotropy_lab.comparison.costs import CompressionCost, CompressionCosts, compression_costs
from isotropy_lab.comparison.drift import Drift, DriftPower, drift_power, drift_test
from isotropy_lab.comparison.neighbors import NeighborOverlap, neighbor_overlap
from isotropy_lab.comparison.similarity import CKA, Procrustes, cka, procrustes_distance

__all__ = [
    "CKA",
    "CompressionCost",
    "CompressionCosts",
    "Drift",
    "DriftPower",
    "NeighborOverlap",
    "Procrustes",
    "cka",
    "compression_costs",
    "drift_power",
    "drift_test",
    "neighbor_overlap",
    "procrustes_distance",
]
