"""Application that measures the vectors in your own files and compares models.

`report_card` measures any vectors and writes one page, `compare` compares several models, `threshold_report`
finds the cosine below which a search may hide documents, and `threshold_of_pairs` that below which pairs may
be rejected. `compression_costs` says what smaller vectors lose, `drift_report` whether texts have drifted,
`audit_accuracies` what printed accuracies can show, `failures` what is worse than on an earlier card, and
`map_page` where a map of vectors is wrong; `explore_map` shows maps in JupyterLab. `read` and
`load_word_vectors` read files, `read_gold` relevant documents, and `read_qrels` TREC judgments. Accuracies
with intervals are in `isotropy_lab.retrieval`, and more measures in `isotropy_report.measures`. The command
``isotropy-lab`` offers the same functions in a shell.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isotropy_report import measures as measures
    from isotropy_report.card import failures as failures
    from isotropy_report.card import report_card as report_card
    from isotropy_report.card.threshold import threshold_of_pairs as threshold_of_pairs
    from isotropy_report.card.threshold import threshold_report as threshold_report
    from isotropy_report.comparison import compare as compare
    from isotropy_report.comparison import drift_report as drift_report
    from isotropy_report.io import WordVectors as WordVectors
    from isotropy_report.io import load_word_vectors as load_word_vectors
    from isotropy_report.io import read as read
    from isotropy_report.io import read_qrels as read_qrels
    from isotropy_report.io.gold import read_gold as read_gold
    from isotropy_report.maps import map_page as map_page
    from isotropy_report.measures import audit_accuracies as audit_accuracies
    from isotropy_report.measures import compression_costs as compression_costs
    from isotropy_report.widgets import explore_map as explore_map

_SUBPACKAGES = ("card", "cli", "comparison", "io", "maps", "measures", "widgets")
_MODULES = {
    "WordVectors": "io",
    "audit_accuracies": "measures",
    "compare": "comparison",
    "compression_costs": "measures",
    "drift_report": "comparison",
    "explore_map": "widgets",
    "failures": "card",
    "load_word_vectors": "io",
    "map_page": "maps",
    "read": "io",
    "read_gold": "io.gold",
    "read_qrels": "io",
    "report_card": "card",
    "threshold_of_pairs": "card.threshold",
    "threshold_report": "card.threshold",
}

__all__ = ["measures", *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]
