"""The embedded questions and documents of Part 4, and functions shared by variants of the embeddings."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.isotropy import isoscore, partition_score_second_order
from isotropy_lab.retrieval._checks import as_gold, check_kind
from isotropy_lab.retrieval._overlap import SimilaritySamples, similarity_samples
from isotropy_lab.retrieval.ranking import pair_similarities
from reanalyses.corpora import cached_encoding, wikipedia_sentences, yang_definitions
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant
from reanalyses.roychowdhury2024.datasets.questions import questions, template_questions

__all__ = [
    "Collection",
    "Variants",
    "collection",
    "collection_table",
    "embedded",
    "isotropy_of",
    "named_variants",
    "question_examples",
    "ranks_of",
    "samples_of",
]

Variants: TypeAlias = Mapping[str, EmbeddingVariant] | Iterable[EmbeddingVariant] | EmbeddingVariant
"""One variant, several variants, or a mapping from names to variants."""

KINDS = ("natural", "template")


@dataclass(frozen=True, eq=False)
class Collection:
    """Questions, documents, and the index of each question's answer."""

    questions: pd.DataFrame  #: One row per question: question, module, node, sentence, gold.
    documents: pd.DataFrame  #: One row per document: module, node, kind, sentence.

    @property
    def gold(self) -> NDArray[np.int64]:
        """Index of the relevant document of each question."""
        return np.asarray(self.questions["gold"].to_numpy(), dtype=np.int64)


def collection(kind: str = "natural") -> Collection:
    """Return the YANG definitions, and natural questions or questions generated from names."""
    return Collection(questions() if kind == "natural" else template_questions(), yang_definitions())


def embedded(kind: str = "natural", *, agnostic: int | None = None) -> EmbeddingVariant:
    """Return the embeddings of questions and documents by the published encoder.

    The name is "MiniLM".
    """
    of = collection(kind)
    others = None
    if agnostic is not None:
        others = cached_encoding(wikipedia_sentences(n=agnostic, rng=0))
    return EmbeddingVariant(
        name="MiniLM",
        family="MiniLM",
        # All layers are computed, so that `embedding_variants` can use the same cached file.
        questions=cached_encoding(of.questions["question"].to_list(), layers=kind == "natural").reshape(
            -1, len(of.questions), 384
        )[-1],
        documents=(cached_encoding(of.documents["sentence"].to_list(), layers=True)[-1],),
        folds=np.zeros(len(of.questions), dtype=np.int64),
        agnostic=others,
    )


def collection_table(found: Collection) -> pd.DataFrame:
    """Return the numbers of items in a collection.

    Columns what, number.
    """
    asked, documents = found.questions, found.documents
    per_answer = asked["gold"].value_counts()
    words = {
        "question": asked["question"].str.split().str.len(),
        "document": documents["sentence"].str.split().str.len(),
    }
    rows = [
        ("questions", len(asked)),
        ("documents", len(documents)),
        ("modules with documents", documents["module"].nunique()),
        ("modules that are asked about", asked["module"].nunique()),
        ("documents that answer a question", len(per_answer)),
        ("questions to the document with most", int(per_answer.max())),
        ("words of a question, median", float(words["question"].median())),
        ("words of a document, median", float(words["document"].median())),
        ("documents with the same words as another", int(documents["sentence"].duplicated(keep=False).sum())),
    ]
    return pd.DataFrame(rows, columns=["what", "number"])


def question_examples(found: Collection, variant: EmbeddingVariant, *, n: int = 4) -> pd.DataFrame:
    """Return examples of questions with their answers, the top document, and the rank of the answer.

    Columns question, answer, found_first, rank; sorted by rank.
    """
    ranks, best = variant.ranks(found.gold), variant.top_k(1).indices[:, 0]
    kind = np.digitize(ranks, [2, 11])
    order = np.random.default_rng(0).permutation(len(ranks))
    turns = np.empty(len(ranks))
    for group in range(3):  # the first example of each kind precedes the second of any
        mine = order[kind[order] == group]
        turns[mine] = np.arange(len(mine)) + group / 3
    chosen = np.argsort(turns)[:n]
    chosen = chosen[np.argsort(ranks[chosen], kind="stable")]
    sentences = found.documents["sentence"].to_numpy()
    return pd.DataFrame(
        {
            "question": found.questions["question"].to_numpy()[chosen],
            "answer": sentences[found.gold[chosen]],
            "found_first": sentences[best[chosen]],
            "rank": ranks[chosen],
        }
    )


def named_variants(variants: Variants) -> dict[str, EmbeddingVariant]:
    """Return variants by name, given as a mapping or as a sequence."""
    if isinstance(variants, EmbeddingVariant):
        return {variants.name: variants}
    if isinstance(variants, Mapping):
        pairs = [(str(name), variant) for name, variant in variants.items()]
    else:
        pairs = [(getattr(variant, "name", ""), variant) for variant in variants]
    for name, variant in pairs:
        check_kind(variant, f"variants[{name!r}]", EmbeddingVariant)
    return dict(pairs)


def ranks_of(variants: Variants, gold: object) -> dict[str, NDArray[np.int64]]:
    """Return the rank of each question's relevant document under every variant, by name."""
    return {name: variant.ranks(gold) for name, variant in named_variants(variants).items()}


def samples_of(
    variant: EmbeddingVariant, gold: object, *, k: int = 10, rng: checks.RandomState = 0
) -> SimilaritySamples:
    """Return similarities to relevant, best, and random documents, by the model of each question's fold."""
    n_documents = len(variant.documents[0])
    places = as_gold(gold, len(variant.questions), n_documents)
    # Draw as `similarity_samples` does, but once for all folds, so that every variant uses the same documents.
    drawn = checks.as_generator(rng).integers(0, n_documents, size=len(places))
    corr, rand = np.empty((2, len(places)))
    best, hits = (np.empty((len(places), k)), np.empty(len(places), dtype=np.int64))
    for rows, asked, documents in variant.parts():
        if rows.size:
            found = similarity_samples(asked, documents, places[rows], k=k, rng=0)
            corr[rows], best[rows], hits[rows] = (found.S_corr, found.S_topK, found.hit_ranks)
            rand[rows] = pair_similarities(asked, documents, drawn[rows])
    return SimilaritySamples(
        S_corr=corr,
        S_topK=best,
        S_rand=rand,
        random_documents=drawn.astype(np.int64),
        hit_ranks=hits,
        n_documents=n_documents,
    )


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
