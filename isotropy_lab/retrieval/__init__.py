"""Measures of how well questions find their answers.

``questions`` and ``documents`` hold embeddings in rows, and ``gold`` the position of each question's right document.
`answer_ranks` gives the ranks from which accuracy, NDCG and reciprocal rank have their intervals and models are
compared; `top_k` the similarities from which thresholds are chosen; `similarity_samples` those whose overlaps are
measured.
"""

from isotropy_lab.retrieval.adaptation import LinearAdapter, cross_fitted
from isotropy_lab.retrieval.comparison import Comparison, compare_all_models, compare_models
from isotropy_lab.retrieval.duplicates import Duplicates, duplicate_documents
from isotropy_lab.retrieval.overlap import (
    Overlap,
    SimilaritySamples,
    overlap,
    overlap_curve,
    similarity_densities,
    similarity_samples,
)
from isotropy_lab.retrieval.ranking import TopK, answer_ranks, pair_similarities, top_k
from isotropy_lab.retrieval.scores import (
    BootstrapInterval,
    bootstrap_accuracy,
    bootstrap_mrr,
    bootstrap_ndcg,
    questions_needed,
)
from isotropy_lab.retrieval.separation import Separation, SeparationChange, compare_separation, separation
from isotropy_lab.retrieval.thresholds import (
    SimilarityThreshold,
    score_at_threshold,
    similarity_threshold,
    threshold_curve,
    threshold_percentile,
)

__all__ = [
    "BootstrapInterval",
    "Comparison",
    "Duplicates",
    "LinearAdapter",
    "Overlap",
    "Separation",
    "SeparationChange",
    "SimilaritySamples",
    "SimilarityThreshold",
    "TopK",
    "answer_ranks",
    "bootstrap_accuracy",
    "bootstrap_mrr",
    "bootstrap_ndcg",
    "compare_all_models",
    "compare_models",
    "compare_separation",
    "cross_fitted",
    "duplicate_documents",
    "overlap",
    "overlap_curve",
    "pair_similarities",
    "questions_needed",
    "score_at_threshold",
    "separation",
    "similarity_densities",
    "similarity_samples",
    "similarity_threshold",
    "threshold_curve",
    "threshold_percentile",
    "top_k",
]
