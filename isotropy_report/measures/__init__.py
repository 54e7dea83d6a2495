"""Costs of smaller vectors, drift tests, neighbor overlap, CKA, and audits of accuracies.

`neighbor_overlap` and `cka` compare two models on the same items, each with the value of unrelated models.
`drift_test` tests whether new texts come from the same distribution, and `drift_power` reports the shift that
the test can detect. `compression_costs` measures the loss from fewer dimensions, bytes, or bits, and
`audit_accuracies` shows which reported accuracies differ.
"""

from isotropy_report.measures.audit import AccuracyAudit, audit_accuracies
from isotropy_report.measures.costs import CompressionCost, CompressionCosts, compression_costs
from isotropy_report.measures.drift import Drift, DriftPower, drift_power, drift_test
from isotropy_report.measures.neighbors import NeighborOverlap, neighbor_overlap
from isotropy_report.measures.similarity import CKA, cka

__all__ = [
    "CKA",
    "AccuracyAudit",
    "CompressionCost",
    "CompressionCosts",
    "Drift",
    "DriftPower",
    "NeighborOverlap",
    "audit_accuracies",
    "cka",
    "compression_costs",
    "drift_power",
    "drift_test",
    "neighbor_overlap",
]
