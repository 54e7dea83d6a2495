"""What the measures return: frozen dataclasses with `to_dict`, `to_frame` and a readable text."""

from isotropy_lab.association._weat import Weat
from isotropy_lab.association.canonical import RandomBaseline
from isotropy_lab.association.keywords.lookup import FoundTest
from isotropy_lab.association.keywords.word_tests import KeywordList, WordTest
from isotropy_lab.association.nulls import NullIntervals
from isotropy_lab.association.permutation import PermutationTest
from isotropy_lab.association.regression import CosineRegression, RelabelingTest
from isotropy_lab.isotropy.intervals import IsoScoreInterval
from isotropy_lab.isotropy.intrinsic import IntrinsicDimension
from isotropy_lab.isotropy.scores import Invariance, IsotropyScores
from isotropy_lab.projection.curves import Crossing, StressCurve
from isotropy_lab.projection.estimates import PairEstimate
from isotropy_lab.projection.kl import ScaleNormalizedKL
from isotropy_lab.projection.neighbors import NeighborhoodCurve, NeighborhoodScores
from isotropy_lab.projection.quality import ProjectionQuality
from isotropy_lab.projection.stress import PairSums
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
    "CosineRegression",
    "Crossing",
    "FoundTest",
    "IntrinsicDimension",
    "Invariance",
    "IsoScoreInterval",
    "IsotropyScores",
    "KeywordList",
    "NeighborhoodCurve",
    "NeighborhoodScores",
    "NullIntervals",
    "Overlap",
    "PairEstimate",
    "PairSums",
    "PermutationTest",
    "ProjectionQuality",
    "RandomBaseline",
    "RelabelingTest",
    "RelevantRanks",
    "ScaleNormalizedKL",
    "Separation",
    "SimilaritySamples",
    "SimilarityThreshold",
    "StressCurve",
    "TopK",
    "Weat",
    "WordTest",
]
