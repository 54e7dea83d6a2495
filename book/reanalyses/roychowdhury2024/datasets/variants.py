"""Many embeddings of the same questions and documents, so that scores can be correlated across them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core.rows import unit_rows
from isotropy_lab.retrieval.adaptation import LinearAdapter, cross_fitted
from reanalyses.corpora import cached_encoding, yang_definitions
from reanalyses.kindel2023 import spaces
from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.questions import questions as natural_questions

Floats = npt.NDArray[np.float64]

_WORD = re.compile(r"[A-Za-z0-9]+")
_LAYERS = range(7)
_TRUNCATIONS = (192, 96, 48, 24)
_LSA_DIMENSIONS = (100, 300)
_WORD_VECTORS = {
    "glove": ("glove-pool", False),
    "glove-idf": ("glove-pool", True),
    "googlenews": ("googlenews-pool", False),
}

VARIANT_FAMILIES: dict[str, str] = {
    **{f"minilm-layer-{layer}": "layer" for layer in _LAYERS},
    **{f"minilm-first-{n}": "truncated" for n in _TRUNCATIONS},
    "minilm-projected-96": "projected",
    **dict.fromkeys(_WORD_VECTORS, "words"),
    **{f"lsa-{n}": "counts" for n in _LSA_DIMENSIONS},
    "tfidf-projected-384": "counts",
    "minilm-centered": "control",
    "minilm-adapter": "adapter",
    **{f"minilm-{variant.lower()}": "adapted" for variant in ADAPTED_VARIANTS},
}
"""Name and family of every variant in `embedding_variants`, in the same order."""


@dataclass
class _Texts:
    """Questions and documents as texts, with representations that several variants share, computed on demand."""

    questions: list[str]
    documents: list[str]
    gold: npt.NDArray[np.int64]
    folds: npt.NDArray[np.int64]

    @cached_property
    def layers(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Hidden states of all layers of MiniLM, of shapes (7, Q, 384) and (7, N, 384)."""
        return cached_encoding(self.questions, layers=True), cached_encoding(self.documents, layers=True)

    @property
    def minilm(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        questions, documents = self.layers
        return questions[-1], documents[-1]

    @cached_property
    def counts(self) -> tuple[Any, Any]:
        """Sparse TF-IDF matrix of the documents; stop words are kept, so that no question is without words."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(sublinear_tf=True)
        documents = vectorizer.fit_transform(self.documents)
        return vectorizer.transform(self.questions), documents


def embedding_variants() -> Iterator[EmbeddingVariant]:
    """Yield embeddings of the questions and definitions, one method at a time.

    Variants are computed on demand, and what several of them share is computed once. Encoding 3,024 texts
    takes about 40 seconds and is then cached on disk (`cached_encoding`). "minilm-layer-6" is the published
    encoder; "truncated" and "projected" have fewer of its dimensions; "words" are means of the bundled
    vectors of a text's words; "counts" are fitted on the documents' TF-IDF matrix; "control" is MiniLM minus
    the documents' mean. Adapters are cross-fitted.

    These variants are not independent models: most are derived from one encoder, and correlations across them
    describe this collection. The bundled extracts of word vectors cover 78% (GloVe) and 75% (GoogleNews) of
    the running words of the definitions.
    """
    return _make_variants(VARIANT_FAMILIES, _yang_texts())


def _yang_texts() -> _Texts:
    questions = natural_questions()
    # Use the folds of the adapted encoders, so that gains refer to the same splits.
    return _Texts(
        questions["question"].to_list(),
        yang_definitions()["sentence"].to_list(),
        questions["gold"].to_numpy(dtype=np.int64),
        adapted_embeddings("FT").folds,
    )


def _make_variants(names: Iterable[str], texts: _Texts) -> Iterator[EmbeddingVariant]:
    for name in names:
        family = VARIANT_FAMILIES[name]
        if family == "adapted":
            stored_names = {variant.lower(): variant for variant in ADAPTED_VARIANTS}
            adapted = adapted_embeddings(stored_names[name.removeprefix("minilm-")])
            yield EmbeddingVariant(
                name, family, adapted.questions, adapted.documents, adapted.folds, adapted.agnostic
            )
            continue
        questions, documents = _MAKERS[family](name, texts)
        folds = texts.folds if family == "adapter" else np.zeros(len(questions), dtype=np.int64)
        yield EmbeddingVariant(
            name,
            family,
            unit_rows(questions, f"{name}: questions"),
            (unit_rows(documents, f"{name}: documents"),),
            folds,
        )


def _last_number(name: str) -> int:
    return int(name.rpartition("-")[2])


def _layer_states(name: str, texts: _Texts) -> tuple[Any, Any]:
    questions, documents = texts.layers
    return questions[_last_number(name)], documents[_last_number(name)]


def _truncate(name: str, texts: _Texts) -> tuple[Any, Any]:
    questions, documents = texts.minilm
    return questions[:, : _last_number(name)], documents[:, : _last_number(name)]


def _project(name: str, texts: _Texts) -> tuple[Any, Any]:
    questions, documents = texts.minilm
    rng = np.random.default_rng([0, 1])
    matrix = rng.standard_normal((questions.shape[1], _last_number(name)))
    return questions.astype(np.float64) @ matrix, documents.astype(np.float64) @ matrix


def subtract_document_mean(questions: npt.ArrayLike, documents: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Subtract the mean of the unit-norm documents from all unit-norm rows, and normalize them again.

    As a control for every adaptation, it uses neither questions nor answers.
    """
    Q, D = unit_rows(np.asarray(questions)), unit_rows(np.asarray(documents))
    mean = D.mean(axis=0)
    return unit_rows(Q - mean), unit_rows(D - mean)


def _adapt(name: str, texts: _Texts) -> tuple[Any, Any]:
    questions, documents = texts.minilm
    mapped = cross_fitted(questions, documents, texts.gold, texts.folds, adapter=LinearAdapter())
    return mapped, documents


def _count_vectors(name: str, texts: _Texts) -> tuple[Any, Any]:
    from sklearn.decomposition import TruncatedSVD

    questions, documents = texts.counts
    n = _last_number(name)
    if name.startswith("tfidf"):
        matrix = np.random.default_rng([0, 2]).standard_normal((documents.shape[1], n))
        return questions @ matrix, documents @ matrix
    svd = TruncatedSVD(n, random_state=0).fit(documents)
    return svd.transform(questions), svd.transform(documents)


def _word_vector_sums(name: str, texts: _Texts) -> tuple[Any, Any]:
    extract, weighted = _WORD_VECTORS[name]
    row_of = _row_lookup(extract)
    vectors = spaces.load(extract).vectors
    weights = np.ones(len(vectors))
    if weighted:
        frequencies = np.zeros(len(vectors))
        for text in texts.documents:
            frequencies[list({row for row in map(row_of, _WORD.findall(text)) if row >= 0})] += 1
        weights = np.log((len(texts.documents) + 1) / (frequencies + 1)) + 1
    return (
        _weighted_sums(texts.questions, row_of, vectors, weights),
        _weighted_sums(texts.documents, row_of, vectors, weights),
    )


def _row_lookup(extract: str) -> Callable[[str], int]:
    """Return the function from a word, as written or in lower case, to its row in an extract, or to −1."""
    index = spaces.load(extract).key_to_index
    return lambda word: index.get(word, index.get(word.lower(), -1))


def _weighted_sums(texts: list[str], row_of: Callable[[str], int], vectors: Any, weights: Floats) -> Floats:
    """Return the weighted sum of the vectors of each text's known words."""
    rows_by_text = [[row for row in map(row_of, _WORD.findall(text)) if row >= 0] for text in texts]
    return np.stack([weights[rows] @ vectors[rows].astype(np.float64) for rows in rows_by_text])


_MAKERS: dict[str, Callable[[str, _Texts], tuple[Any, Any]]] = {
    "layer": _layer_states,
    "truncated": _truncate,
    "projected": _project,
    "words": _word_vector_sums,
    "counts": _count_vectors,
    "control": lambda _, texts: subtract_document_mean(*texts.minilm),
    "adapter": _adapt,
}
