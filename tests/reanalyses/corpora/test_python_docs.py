"""Tests that documents, questions, and vectors of the Python documentation agree with their records."""

import re
from pathlib import Path

import numpy as np
import pytest

from isotropy_lab.retrieval import answer_ranks
from reanalyses import corpora
from reanalyses.corpora import MiniLM, python_docs

DATA = Path(corpora.__file__).with_name("data")
WORD = re.compile(r"[a-z0-9]+")


@pytest.fixture(scope="module", params=python_docs.MODELS)
def docs(request):
    return python_docs.load(request.param)


def read_table(name):
    lines = (DATA / f"python-docs-{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines[1:]]


def test_vectors_match_the_texts_in_shape(docs):
    n = 384 if docs.model == "MiniLM" else 100
    assert len(docs.names) == len(docs.documents) == 626
    assert docs.question_vectors.shape == (300, n)
    assert docs.document_vectors.shape == (626, n)
    assert docs.out_of_scope_vectors.shape == (60, n)
    for vectors in (docs.question_vectors, docs.document_vectors, docs.out_of_scope_vectors):
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        assert not vectors.flags.writeable


def test_gold_documents_match_the_table_of_questions(docs):
    assert docs.gold.shape == (300,)
    assert docs.gold.dtype == np.int64
    document_of = dict(read_table("documents"))
    answered = [(question, name) for question, name in read_table("questions") if name]
    for question, row, (asked, name) in zip(docs.questions, docs.gold, answered, strict=True):
        assert question == asked
        assert docs.names[row] == name
        assert docs.documents[row] == document_of[name]


def test_documents_are_unique_sentences():
    docs = python_docs.load()
    assert len(set(docs.names)) == len(docs.names)
    assert len({" ".join(WORD.findall(text.lower())) for text in docs.documents}) == len(docs.documents)
    for text in docs.documents:
        assert text == " ".join(text.split())
        assert 4 <= len(text.split()) <= 45
        assert text[-1] in ".!?"
        assert "`" not in text


def test_questions_share_no_four_word_run_with_their_document():
    docs = python_docs.load()
    assert len({*docs.questions, *docs.out_of_scope}) == 360
    assert len(set(docs.gold)) == 300
    for question in (*docs.questions, *docs.out_of_scope):
        assert question.endswith("?")
    for question, row in zip(docs.questions, docs.gold, strict=True):
        words, document_words = WORD.findall(question.lower()), WORD.findall(docs.documents[row].lower())
        assert 4 <= len(words) <= 25
        assert docs.names[row].rpartition(".")[2].lower() not in words
        runs = {tuple(document_words[i : i + 4]) for i in range(len(document_words) - 3)}
        assert not any(tuple(words[i : i + 4]) in runs for i in range(len(words) - 3)), question


def test_minilm_reproduces_stored_rows():
    docs = python_docs.load("MiniLM")
    for texts, vectors in (
        (docs.questions, docs.question_vectors),
        (docs.documents, docs.document_vectors),
        (docs.out_of_scope, docs.out_of_scope_vectors),
    ):
        # Half precision keeps 11 bits of each coordinate; a cosine with the exact row is 1 to six digits.
        np.testing.assert_allclose(MiniLM().encode(texts[:4]), vectors[:4], atol=2e-4)


def test_models_rank_as_expected_by_accuracy():
    accuracy = {}
    for model in python_docs.MODELS:
        docs = python_docs.load(model)
        accuracy[model] = np.mean(answer_ranks(docs.question_vectors, docs.document_vectors, docs.gold) <= 10)
    assert accuracy["MiniLM"] > accuracy["LSA"] > accuracy["GloVe"] > 10 / 626


def test_unknown_model_is_rejected():
    with pytest.raises(ValueError, match="model"):
        python_docs.load("BERT")
