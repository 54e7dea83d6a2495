"""The embedded questions and documents of Part 4, and functions shared by variants of the embeddings."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab._core.rows import unit_rows
from isotropy_lab.isotropy import isoscore, partition_score_second_order
from isotropy_lab.retrieval._overlap import SimilaritySamples, similarity_samples
from isotropy_lab.retrieval.ranking import pair_similarities
from reanalyses.corpora import cached_encoding, wikipedia_sentences, yang_definitions
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.questions import questions, template_questions

__all__ = [
    "collection",
    "collection_table",
    "isotropy_of",
    "minilm_variant",
    "question_examples",
    "ranks_of",
    "samples_of",
]

Variants: TypeAlias = Mapping[str, EmbeddingVariant] | Iterable[EmbeddingVariant] | EmbeddingVariant
"""One variant, several variants, or a mapping from names to variants."""


@dataclass(frozen=True, eq=False)
class YangCollection:
    """Questions, documents, and the index of each question's answer."""

    questions: pd.DataFrame  #: One row per question: question, module, node, sentence, gold.
    documents: pd.DataFrame  #: One row per document: module, node, kind, sentence.

    @property
    def gold(self) -> NDArray[np.int64]:
        """Index of the relevant document of each question."""
        return np.asarray(self.questions["gold"].to_numpy(), dtype=np.int64)


def collection(kind: str = "natural") -> YangCollection:
    """Return the YANG definitions, and natural questions or questions generated from names."""
    return YangCollection(questions() if kind == "natural" else template_questions(), yang_definitions())


def minilm_variant() -> EmbeddingVariant:
    """Return the embeddings by the published encoder, with 600 sentences from an encyclopedia."""
    yang = collection()
    # All layers are computed, so that `embedding_variants` can use the same cached files.
    queries, documents = (
        cached_encoding(texts.to_list(), layers=True)[-1]
        for texts in (yang.questions["question"], yang.documents["sentence"])
    )
    agnostic = cached_encoding(wikipedia_sentences(n=600, rng=0))
    folds = np.zeros(len(queries), dtype=np.int64)
    return EmbeddingVariant("MiniLM", "MiniLM", queries, (documents,), folds, agnostic)


def collection_table(texts: YangCollection) -> pd.DataFrame:
    """Return the numbers of items in a collection, with columns what and number."""
    asked, documents = texts.questions, texts.documents
    per_answer = asked["gold"].value_counts()
    words_asked, words = (texts.str.split().str.len() for texts in (asked["question"], documents["sentence"]))
    rows = [
        ("questions", len(asked)),
        ("documents", len(documents)),
        ("modules with documents", documents["module"].nunique()),
        ("modules that are asked about", asked["module"].nunique()),
        ("documents that answer a question", len(per_answer)),
        ("questions to the document with most", int(per_answer.max())),
        ("words of a question, median", float(words_asked.median())),
        ("words of a document, median", float(words.median())),
        ("documents with the same words as another", int(documents["sentence"].duplicated(keep=False).sum())),
    ]
    return pd.DataFrame(rows, columns=["what", "number"])


def question_examples(texts: YangCollection, variant: EmbeddingVariant, *, n: int = 4) -> pd.DataFrame:
    """Return examples of questions with their answers, the top document, and the rank of the answer.

    The columns are question, answer, found_first (the top document), and rank; rows are sorted by rank.
    """
    ranks, best = variant.ranks(texts.gold), variant.best_documents()
    category = np.digitize(ranks, [2, 11])
    order = np.random.default_rng(0).permutation(len(ranks))
    priority = np.empty(len(ranks))
    for group in range(3):  # the first example of each kind precedes the second of any
        members = order[category[order] == group]
        priority[members] = np.arange(len(members)) + group / 3
    chosen = np.argsort(priority)[:n]
    chosen = chosen[np.argsort(ranks[chosen], kind="stable")]
    sentences = texts.documents["sentence"].to_numpy()
    return pd.DataFrame(
        {
            "question": texts.questions["question"].to_numpy()[chosen],
            "answer": sentences[texts.gold[chosen]],
            "found_first": sentences[best[chosen]],
            "rank": ranks[chosen],
        }
    )


def named_variants(variants: Variants) -> dict[str, EmbeddingVariant]:
    """Return variants by name, given as a mapping or as a sequence."""
    if isinstance(variants, EmbeddingVariant):
        return {variants.name: variants}
    if isinstance(variants, Mapping):
        return dict(variants)
    return {variant.name: variant for variant in variants}


def ranks_of(variants: Variants, gold: object) -> dict[str, NDArray[np.int64]]:
    """Return the rank of each question's relevant document under every variant, by name."""
    return {name: variant.ranks(gold) for name, variant in named_variants(variants).items()}


def samples_of(variant: EmbeddingVariant, gold: object, *, k: int = 10) -> SimilaritySamples:
    """Return similarities to relevant, best, and random documents, by the model of each question's fold."""
    positions = np.asarray(gold)
    n_documents = len(variant.documents[0])
    # Draw as `similarity_samples` does, but once for all folds, so that every variant uses the same documents.
    random_documents = np.random.default_rng(0).integers(0, n_documents, size=len(positions))
    corr, rand = np.empty((2, len(positions)))
    best, hit_ranks = np.empty((len(positions), k)), np.empty(len(positions), dtype=np.int64)
    for rows, queries, documents in variant.parts():
        if rows.size:
            samples = similarity_samples(queries, documents, positions[rows], k=k, rng=0)
            corr[rows], best[rows], hit_ranks[rows] = (samples.S_corr, samples.S_topK, samples.hit_ranks)
            rand[rows] = pair_similarities(queries, documents, random_documents[rows])
    return SimilaritySamples(corr, best, rand, random_documents, hit_ranks, n_documents)


@functools.lru_cache(maxsize=64)
def isotropy_of(variant: EmbeddingVariant) -> tuple[float, float]:
    """Return I_A and I_B of a variant's documents as unit-norm rows, averaged over its models.

    I_A is in (−1, 1] and I_B in [0, 1]; both are best at 1.
    """
    scores = []
    for documents in variant.documents:
        rows = unit_rows(documents, "documents")
        scores.append((partition_score_second_order(rows), isoscore(rows)))
    i_a, i_b = np.mean(scores, axis=0)
    return float(i_a), float(i_b)
