"""Models side by side, and new vectors beside old ones of the same model."""

from isotropy_report.card.paired import ModelDifference
from isotropy_report.comparison.drift import DriftReport, drift_report
from isotropy_report.comparison.models import ModelComparison, ModelPair, compare

__all__ = ["DriftReport", "ModelComparison", "ModelDifference", "ModelPair", "compare", "drift_report"]
