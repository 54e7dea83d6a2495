"""How well questions find their answers in a technical domain.

``questions`` and ``documents`` hold embeddings in rows, and ``gold`` the position of each question's right document.
From them come ``ranks`` (`answer_ranks`), from which accuracy, NDCG and reciprocal rank have their intervals, and
``samples`` of similarities (`similarity_samples`), from which overlaps are read; thresholds take the similarities
of `top_k`. `questions` has natural questions about YANG definitions, each with the one sentence that answers it;
`embedding_variants` embeds both in many ways, among them with encoders that were adapted to the domain beforehand
(`adapted_embeddings`).
"""

from isotropy_lab.retrieval.adaptation import LinearAdapter, centered, cross_fitted
from isotropy_lab.retrieval.bootstrap import (
    PAPER_MODE,
    BootstrapInterval,
    bootstrap_accuracy,
    bootstrap_mrr,
    bootstrap_ndcg,
)
from isotropy_lab.retrieval.comparison import Comparison, compare_all_models, compare_models, holm
from isotropy_lab.retrieval.correlations import (
    Correlation,
    PoolingEffect,
    correlation,
    correlations,
    pooling_effect,
)
from isotropy_lab.retrieval.crossfitting import EmbeddingVariant, folds
from isotropy_lab.retrieval.overlap import HitsAndOverlap, Overlap, hits_and_overlap, overlap, overlap_curve
from isotropy_lab.retrieval.ranking import (
    Duplicates,
    TopK,
    answer_ranks,
    duplicate_documents,
    pair_similarities,
    top_k,
)
from isotropy_lab.retrieval.separation import Separation, SeparationChange, compare_separation, separation
from isotropy_lab.retrieval.similarities import SimilaritySamples, similarity_densities, similarity_samples
from isotropy_lab.retrieval.thresholds import (
    SimilarityThreshold,
    Suppression,
    largest_loss,
    score_at_threshold,
    similarity_threshold,
    suppression,
    threshold_curve,
    threshold_percentile,
)
from isotropy_lab.retrieval.transformed import TransformedScores, apply_to_both, transformed_scores
from isotropy_lab.retrieval.widths import interval_width, ndcg_deviation_bounds, questions_needed

__all__ = [
    "PAPER_MODE",
    "BootstrapInterval",
    "Comparison",
    "Correlation",
    "Duplicates",
    "EmbeddingVariant",
    "HitsAndOverlap",
    "LinearAdapter",
    "Overlap",
    "PoolingEffect",
    "Separation",
    "SeparationChange",
    "SimilaritySamples",
    "SimilarityThreshold",
    "Suppression",
    "TopK",
    "TransformedScores",
    "answer_ranks",
    "apply_to_both",
    "bootstrap_accuracy",
    "bootstrap_mrr",
    "bootstrap_ndcg",
    "centered",
    "compare_all_models",
    "compare_models",
    "compare_separation",
    "correlation",
    "correlations",
    "cross_fitted",
    "duplicate_documents",
    "folds",
    "hits_and_overlap",
    "holm",
    "interval_width",
    "largest_loss",
    "ndcg_deviation_bounds",
    "overlap",
    "overlap_curve",
    "pair_similarities",
    "pooling_effect",
    "questions_needed",
    "score_at_threshold",
    "separation",
    "similarity_densities",
    "similarity_samples",
    "similarity_threshold",
    "suppression",
    "threshold_curve",
    "threshold_percentile",
    "top_k",
    "transformed_scores",
]
