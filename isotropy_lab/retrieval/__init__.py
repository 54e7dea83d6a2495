"""Measures of how well embeddings of questions retrieve the documents that answer them.

``questions`` and ``documents`` contain embeddings in rows, and ``gold`` the position of each question's
relevant document, or of several with grades. `answer_ranks` returns the ranks used to compare models and to
compute accuracy, NDCG, and reciprocal rank with intervals; `relevant_ranks` returns the ranks of all relevant
documents, and `run_ranks` their ranks in a TREC run. `top_k` returns the similarities from which thresholds
are chosen, and `similarity_samples` the similarities whose overlap is measured.
"""

from isotropy_lab.retrieval._overlap import overlap, similarity_samples
from isotropy_lab.retrieval._separation import separation
from isotropy_lab.retrieval.adaptation import LinearAdapter, cross_fitted, folds
from isotropy_lab.retrieval.comparison import compare_all_models, compare_models
from isotropy_lab.retrieval.ranking import answer_ranks, pair_similarities, relevant_ranks, top_k
from isotropy_lab.retrieval.relevance import question_scores
from isotropy_lab.retrieval.runs import gold_from_qrels, run_ranks
from isotropy_lab.retrieval.scores import bootstrap_interval
from isotropy_lab.retrieval.thresholds import score_at_threshold, similarity_threshold, threshold_percentile

__all__ = [
    "LinearAdapter",
    "answer_ranks",
    "bootstrap_interval",
    "compare_all_models",
    "compare_models",
    "cross_fitted",
    "folds",
    "gold_from_qrels",
    "overlap",
    "pair_similarities",
    "question_scores",
    "relevant_ranks",
    "run_ranks",
    "score_at_threshold",
    "separation",
    "similarity_samples",
    "similarity_threshold",
    "threshold_percentile",
    "top_k",
]
