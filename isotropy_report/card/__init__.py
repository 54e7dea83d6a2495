"""The report card of a set of vectors: every measure with its meaning, interval, and warnings."""

from isotropy_report.card.build import report_card
from isotropy_report.card.card import ReportCard
from isotropy_report.card.gate import Failure, failures
from isotropy_report.card.parts import Caution, Figure, Line, Section, Table

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
