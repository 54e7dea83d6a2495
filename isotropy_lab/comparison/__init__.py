"""Measures of two sets of vectors: of the same items by two models, or of other texts by the same model."""

from isotropy_lab.comparison.drift import Drift, DriftPower, drift_power, drift_test
from isotropy_lab.comparison.similarity import CKA, Procrustes, cka, procrustes_distance

__all__ = [
    "CKA",
    "Drift",
    "DriftPower",
    "Procrustes",
    "cka",
    "drift_power",
    "drift_test",
    "procrustes_distance",
]
