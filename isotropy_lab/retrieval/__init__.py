"""Measures of how well questions find their answers.

``questions`` and ``documents`` hold embeddings in rows, and ``gold`` the position of each question's right document, or
several with grades. `answer_ranks` gives the ranks from which accuracy, NDCG and reciprocal rank have their intervals and
models are compared, `relevant_ranks` those of all relevant documents, and `run_ranks` those in a TREC run; `top_k` gives
the similarities from which thresholds are chosen, `similarity_samples` those whose overlaps are measured.
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
from isotropy_lab.retrieval.ranking import TopK, answer_ranks, pair_similarities, relevant_ranks, top_k
from isotropy_lab.retrieval.relevance import RelevantRanks, question_scores
from isotropy_lab.retrieval.runs import gold_from_qrels, run_ranks
from isotropy_lab.retrieval.scores import (
    BootstrapInterval,
    bootstrap_accuracy,
    bootstrap_map,
    bootstrap_mrr,
    bootstrap_ndcg,
    bootstrap_recall,
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
    "RelevantRanks",
    "Separation",
    "SeparationChange",
    "SimilaritySamples",
    "SimilarityThreshold",
    "TopK",
    "answer_ranks",
    "bootstrap_accuracy",
    "bootstrap_map",
    "bootstrap_mrr",
    "bootstrap_ndcg",
    "bootstrap_recall",
    "compare_all_models",
    "compare_models",
    "compare_separation",
    "cross_fitted",
    "duplicate_documents",
    "gold_from_qrels",
    "overlap",
    "overlap_curve",
    "pair_similarities",
    "question_scores",
    "questions_needed",
    "relevant_ranks",
    "run_ranks",
    "score_at_threshold",
    "separation",
    "similarity_densities",
    "similarity_samples",
    "similarity_threshold",
    "threshold_curve",
    "threshold_percentile",
    "top_k",
]
