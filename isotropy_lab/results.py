"""What the measures return: frozen dataclasses with `to_dict`, `to_frame` and a readable text."""

from isotropy_lab.retrieval._overlap import Overlap, SimilaritySamples
from isotropy_lab.retrieval._separation import Separation
from isotropy_lab.retrieval.comparison import Comparison
from isotropy_lab.retrieval.ranking import TopK
from isotropy_lab.retrieval.relevance import RelevantRanks
from isotropy_lab.retrieval.scores import BootstrapInterval
from isotropy_lab.retrieval.thresholds import SimilarityThreshold

__all__ = [
    "BootstrapInterval",
    "Comparison",
    "Overlap",
    "RelevantRanks",
    "Separation",
    "SimilaritySamples",
    "SimilarityThreshold",
    "TopK",
]
