"""Comparisons of models with one another, and of new vectors with old vectors of one model."""

from isotropy_report.comparison.drift import DriftReport, drift_report
from isotropy_report.comparison.models import ModelComparison, ModelPair, compare
from isotropy_report.comparison.paired import ModelDifference

__all__ = ["DriftReport", "ModelComparison", "ModelDifference", "ModelPair", "compare", "drift_report"]
