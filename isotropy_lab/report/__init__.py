"""The report card on anybody's vectors: every measure of the package with its meaning, its interval and its warnings."""

from isotropy_lab.report.build import report_card
from isotropy_lab.report.card import ReportCard
from isotropy_lab.report.gate import Failure, failures
from isotropy_lab.report.parts import Caution, Figure, Line, Section, Table

__all__ = [
    "Caution",
    "Failure",
    "Figure",
    "Line",
    "ReportCard",
    "Section",
    "Table",
    "failures",
    "report_card",
]
