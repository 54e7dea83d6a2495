"""Retrieval: how well do questions find their answers among the sentences of a technical domain?

So far the wing has its data: natural questions about YANG definitions, each with the one sentence that answers it
(`questions`), and questions made from names, for training only (`template_questions`).
"""

from isotropy_lab.retrieval.questions import questions, template_questions

__all__ = ["questions", "template_questions"]
