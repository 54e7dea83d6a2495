"""The report card on anybody's vectors: every measure of the package with its meaning, its interval and its warnings.

`compare` sets several models side by side.
"""

from isotropy_lab.report.build import report_card
from isotropy_lab.report.card import ReportCard
from isotropy_lab.report.drift import DriftReport, drift_report
from isotropy_lab.report.gate import Failure, failures
from isotropy_lab.report.models import ModelComparison, ModelPair, compare
from isotropy_lab.report.paired import ModelDifference
from isotropy_lab.report.parts import Caution, Figure, Line, Section, Table

__all__ = [
    "Caution",
    "DriftReport",
    "Failure",
    "Figure",
    "Line",
    "ModelComparison",
    "ModelDifference",
    "ModelPair",
    "ReportCard",
    "Section",
    "Table",
    "compare",
    "drift_report",
    "failures",
    "report_card",
]
