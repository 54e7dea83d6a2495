"""Questions about Python and NumPy, and the descriptions in their documentation that answer them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks

MODELS = ("MiniLM", "GloVe", "LSA")
"""Models that encode the texts, in order of decreasing accuracy."""

_DATA = Path(__file__).with_name("data")
_LSA_DIMENSIONS = 100

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PythonDocs:
    """Documents, questions with one answer each, and out-of-scope questions, with embeddings by one model."""

    names: tuple[str, ...]  #: What each document describes, such as ``random.shuffle``; not part of its text.
    documents: tuple[str, ...]  #: First paragraph of the object's docstring.
    questions: tuple[str, ...]  #: Questions of a student, worded differently from the documents.
    gold: npt.NDArray[np.int64]  #: Index of the document that answers each question.
    out_of_scope: tuple[str, ...]  #: Programmers' questions that no document answers.
    model: str  #: One of `MODELS`.
    question_vectors: Vectors  #: Unit-norm rows, in the order of ``questions``.
    document_vectors: Vectors  #: Unit-norm rows, in the order of ``documents``.
    out_of_scope_vectors: Vectors  #: Unit-norm rows, in the order of ``out_of_scope``.

    def __repr__(self) -> str:
        return (
            f"PythonDocs({len(self.documents)} documents, {len(self.questions)} questions and "
            f"{len(self.out_of_scope)} out-of-scope questions by {self.model})"
        )


def load(model: str = "MiniLM") -> PythonDocs:
    """Load documentation of Python and NumPy, questions about it, and embeddings by one model.

    The models are all-MiniLM-L6-v2 ("MiniLM", 384 dimensions), the mean of a text's word vectors in the
    bundled extract of 10,000 words ("GloVe", 100), and latent semantic analysis of the documents' TF-IDF
    matrix ("LSA", 100). The record of the file says how a language model wrote the questions; no question
    contains the name of its answer.
    """
    model = checks.check_option(model, "model", MODELS)
    names, documents, questions, answer_names, out_of_scope = _read_texts()
    document_index = {name: row for row, name in enumerate(names)}
    gold = np.array([document_index[name] for name in answer_names], dtype=np.int64)
    gold.setflags(write=False)
    vectors = _lsa_vectors() if model == "LSA" else _load_vectors(model)
    return PythonDocs(names, documents, questions, gold, out_of_scope, model, *vectors)


@lru_cache(maxsize=1)
def _read_texts() -> tuple[tuple[str, ...], ...]:
    """Return names and texts of documents, questions, names of their answers, and out-of-scope questions."""
    documents, questions = _read_table("python-docs-documents.tsv"), _read_table("python-docs-questions.tsv")
    return (
        tuple(name for name, _ in documents),
        tuple(text for _, text in documents),
        tuple(question for question, answer in questions if answer),
        tuple(answer for _, answer in questions if answer),
        tuple(question for question, answer in questions if not answer),
    )


def _read_table(name: str) -> list[tuple[str, str]]:
    """Return the rows of a file with two columns, without the header."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return [(left, right) for left, right in csv.reader(lines[1:], delimiter="\t", quoting=csv.QUOTE_NONE)]


@lru_cache(maxsize=len(MODELS))
def _load_vectors(model: str) -> tuple[Vectors, Vectors, Vectors]:
    with np.load(_DATA / f"python-docs-{model.lower()}.npz", allow_pickle=False) as arrays:
        return tuple(_normalize(arrays[texts]) for texts in ("questions", "documents", "out_of_scope"))  # type: ignore[return-value]


@lru_cache(maxsize=1)
def _lsa_vectors() -> tuple[Vectors, Vectors, Vectors]:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    _, documents, questions, _, out_of_scope = _read_texts()
    # Keep stop words: without them, some questions would have no word in common with the documents.
    vectorizer = TfidfVectorizer(sublinear_tf=True).fit(documents)
    svd = TruncatedSVD(_LSA_DIMENSIONS, random_state=0).fit(vectorizer.transform(documents))
    return tuple(  # type: ignore[return-value]
        _normalize(svd.transform(vectorizer.transform(texts)))
        for texts in (questions, documents, out_of_scope)
    )


def _normalize(rows: npt.NDArray[Any]) -> Vectors:
    """Return unit-norm rows in float32; the array is read-only, because all callers share it."""
    values = np.asarray(rows, dtype=np.float64)
    unit = np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True), dtype=np.float32)
    unit.setflags(write=False)
    return unit
