"""Retrieval: how well do questions find their answers among the sentences of a technical domain?

So far the wing has its data: natural questions about YANG definitions, each with the one sentence that answers it
(`questions`), and questions made from names, for training only (`template_questions`).
"""

from isotropy_lab.retrieval.crossfitting import folds
from isotropy_lab.retrieval.questions import questions, template_questions
from isotropy_lab.retrieval.ranking import (
    Duplicates,
    TopK,
    answer_ranks,
    duplicate_documents,
    pair_similarities,
    top_k,
)

__all__ = [
    "Duplicates",
    "TopK",
    "answer_ranks",
    "duplicate_documents",
    "folds",
    "pair_similarities",
    "questions",
    "template_questions",
    "top_k",
]
