"""Measures of one or two sets of vectors, used only by the application.

`effective_rank`, `uniformity`, `alignment`, and `hubness` describe one set of vectors, each with a reference
value. `neighbor_overlap` and `cka` compare two models on the same items, each with the value of unrelated
models. `drift_test` tests whether new texts come from the same distribution, and `drift_power` reports the
shift that the test can detect. `compression_costs` measures the loss from fewer dimensions, bytes, or bits,
and `audit_accuracies` shows which reported accuracies differ.
"""

from isotropy_report.measures.audit import AccuracyAudit, audit_accuracies
from isotropy_report.measures.costs import CompressionCost, CompressionCosts, compression_costs
from isotropy_report.measures.drift import Drift, DriftPower, drift_power, drift_test
from isotropy_report.measures.hubness import Hubness, hubness
from isotropy_report.measures.neighbors import NeighborOverlap, neighbor_overlap
from isotropy_report.measures.similarity import CKA, cka
from isotropy_report.measures.spectrum import EffectiveRank, effective_rank
from isotropy_report.measures.uniformity import Alignment, Uniformity, alignment, uniformity

__all__ = [
    "CKA",
    "AccuracyAudit",
    "Alignment",
    "CompressionCost",
    "CompressionCosts",
    "Drift",
    "DriftPower",
    "EffectiveRank",
    "Hubness",
    "NeighborOverlap",
    "Uniformity",
    "alignment",
    "audit_accuracies",
    "cka",
    "compression_costs",
    "drift_power",
    "drift_test",
    "effective_rank",
    "hubness",
    "neighbor_overlap",
    "uniformity",
]
