"""All searches on both collections: encoders of several families, words, both fused, and documents with their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from isotropy_lab import _checks
from isotropy_lab.retrieval import RelevantRanks, compare_models, question_scores
from isotropy_lab.retrieval.scores import (
    bootstrap_accuracy,
    bootstrap_map,
    bootstrap_mrr,
    bootstrap_ndcg,
)
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets.judgments import ANSWERS, judged_open_vswitch
from reanalyses.roychowdhury2024.datasets.text_collections import COLLECTIONS, collection
from reanalyses.roychowdhury2024.experiments.lexical import (
    AllRanks,
    bm25_ranks,
    encoder_ranks,
    fused_ranks,
    ranks_of_relevant,
)

__all__ = [
    "NEED_THEIR_PLACE",
    "Search",
    "compare_searches",
    "documents_that_need_their_place",
    "encoder_table",
    "judged_share",
    "metric_table",
    "place_table",
    "searches",
]

FUSED = " + BM25"
PLACED = ", with place"

NEED_THEIR_PLACE = (
    "Indicates whether this server should be preferred or not.",
    "If present, the change was caused by the server.",
    "Needed only if this target can receive InformRequest-PDUs.",
    "Represents a specific date in YYYY-MM-DD format.",
    "Some component (typically hardware) is missing.",
    "The timer is set to infinity.",
    "Value is one of 1 (true) or 2 (false).",
    "A UTF-8 description of this Thing.",
)
"""Answers that mean nothing alone: only their place says which server, change or timer. Found by reading all answers of
at most ten words, before any of them was searched for."""


@dataclass(frozen=True, eq=False)
class Search:
    """What one search makes of a collection.

    Attributes
    ----------
    name, family : str
        What it is called, and its kind: the encoder's, "words", or "fused".
    ranks : numpy.ndarray of shape (Q, N), int64
        Rank of every document for every question, 0 where it is not listed.
    found : RelevantRanks
        Ranks and grades of the relevant documents.
    """

    name: str
    family: str
    ranks: AllRanks
    found: RelevantRanks

    @property
    def answers(self) -> RelevantRanks:
        """The same, with only those documents as relevant that answer the question at least in part."""
        graded = self.found.grades.max() > 1
        return self.found.at_least(ANSWERS) if graded else self.found


@lru_cache(maxsize=2)
def searches(collection_name: str) -> dict[str, Search]:
    """Return all searches of a collection by name: encoders, BM25, each encoder fused with it; with place, where there is.

    On Open vSwitch relevance is graded, and questions that no document answers are left out.
    """
    name = _checks.check_option(collection_name, "collection_name", COLLECTIONS)
    texts = collection(name)
    gold: Any = [list(row) for row in texts.gold]
    asked = list(range(len(texts.questions)))
    if name == "open-vswitch":
        _, gold, asked = judged_open_vswitch()
    questions = [texts.questions[row] for row in asked]
    found: dict[str, Search] = {}

    def add(label: str, family: str, ranks: AllRanks) -> None:
        found[label] = Search(label, family, ranks, ranks_of_relevant(ranks, gold))

    for encoder, family in encoders.ENCODERS.items():
        add(encoder, family, encoder_ranks(encoders.load(encoder, name))[asked])
    add("BM25", "words", bm25_ranks(questions, texts.documents))
    for encoder in encoders.ENCODERS:
        add(encoder + FUSED, "fused", fused_ranks(found[encoder].ranks, found["BM25"].ranks))
    for encoder in encoders.PLACED:
        placed = encoders.load(encoder, name, placed=True)
        add(encoder + PLACED, found[encoder].family, encoder_ranks(placed)[asked])
    add("BM25" + PLACED, "words", bm25_ranks(questions, texts.placed))
    return found


def metric_table(
    of: Mapping[str, Search], *, names: Sequence[str] | None = None, n_resamples: int = 2000, rng: int = 0
) -> pd.DataFrame:
    """Return all metrics of all searches, with 95% intervals from samples of questions.

    Columns search, family, metric, estimate, low, high, n (questions): accuracy_1, accuracy_3, accuracy_10, mrr and map of
    documents that answer the question at least in part, ndcg_10 of grades. Where a question has one answer, map is mrr and
    is left out.
    """
    rows = []
    options: Any = {"n_resamples": n_resamples, "rng": rng}
    for search in of.values() if names is None else [of[name] for name in names]:
        answers = search.answers
        intervals = {f"accuracy_{k}": bootstrap_accuracy(answers, k=k, **options) for k in (1, 3, 10)} | {
            "ndcg_10": bootstrap_ndcg(search.found, k=10, **options),
            "mrr": bootstrap_mrr(answers, **options),
        }
        if answers.ranks.shape[1] > 1:
            intervals["map"] = bootstrap_map(answers, **options)
        for metric, one in intervals.items():
            rows.append(
                (search.name, search.family, metric, one.estimate, one.low, one.high, len(answers.ranks))
            )
    return pd.DataFrame(rows, columns=["search", "family", "metric", "estimate", "low", "high", "n"])


def encoder_table(collection_name: str, *, n_resamples: int = 2000, rng: int = 0) -> pd.DataFrame:
    """Return all encoders and BM25 on a collection, one row each.

    Columns search, accuracy_1, accuracy_3, accuracy_10, low and high (of accuracy_10), ndcg_10, ndcg_low, ndcg_high, mrr,
    and, where a question has several answers, map.
    """
    of = searches(collection_name)
    found = metric_table(of, names=[*encoders.ENCODERS, "BM25"], n_resamples=n_resamples, rng=rng)
    wide = found.pivot(index="search", columns="metric").loc[found["search"].unique()]
    table = wide["estimate"][["accuracy_1", "accuracy_3", "accuracy_10"]].assign(
        low=wide["low"]["accuracy_10"],
        high=wide["high"]["accuracy_10"],
        ndcg_10=wide["estimate"]["ndcg_10"],
        ndcg_low=wide["low"]["ndcg_10"],
        ndcg_high=wide["high"]["ndcg_10"],
        mrr=wide["estimate"]["mrr"],
    )
    if "map" in wide["estimate"]:
        table = table.assign(map=wide["estimate"]["map"])
    return table.rename_axis(columns=None).reset_index()


def compare_searches(
    of: Mapping[str, Search],
    pairs: Sequence[tuple[str, str]],
    *,
    metrics: Sequence[tuple[str, int]] = (("accuracy", 1), ("accuracy", 10), ("ndcg", 10)),
    n_resamples: int = 2000,
    rng: int = 0,
) -> pd.DataFrame:
    """Return paired differences of searches, the first less the second, on the same questions.

    Columns first, second, metric, k, difference, low, high (in points, hundredths), pvalue, n_better, n_worse.
    """
    rows = []
    for first, second in pairs:
        for metric, k in metrics:
            a, b = (of[name].found if metric == "ndcg" else of[name].answers for name in (first, second))
            one = compare_models(a, b, metric=metric, k=k, n_resamples=n_resamples, rng=rng)
            rows.append(
                (
                    first,
                    second,
                    metric,
                    k,
                    one.estimate,
                    one.low,
                    one.high,
                    one.pvalue,
                    one.n_better,
                    one.n_worse,
                )
            )
    points = ["difference", "low", "high"]
    columns = ["first", "second", "metric", "k", "difference", "low", "high", "pvalue", "n_better", "n_worse"]
    table = pd.DataFrame(rows, columns=columns)
    table[points] *= 100
    return table


def place_table(collection_name: str, *, k: int = 10, n_resamples: int = 2000, rng: int = 0) -> pd.DataFrame:
    """Return what it changes to put a document's place before it: accuracy with less accuracy without.

    Columns search, without, with_place (in per cent), difference, low, high (in points).
    """
    of = searches(collection_name)
    names = [name for name in of if name + PLACED in of]
    table = compare_searches(
        of,
        [(name + PLACED, name) for name in names],
        metrics=[("accuracy", k)],
        n_resamples=n_resamples,
        rng=rng,
    )
    both = [
        [
            100 * float(question_scores(of[one].answers, "accuracy", k=k).mean())
            for one in (name, name + PLACED)
        ]
        for name in names
    ]
    scores = pd.DataFrame(both, columns=["without", "with_place"])
    named = scores.assign(search=names)[["search", "without", "with_place"]]
    return pd.concat([named, table[["difference", "low", "high"]]], axis=1)


def documents_that_need_their_place(*, search: str = "MiniLM") -> pd.DataFrame:
    """Return the answers that mean nothing without their place, and their rank without and with it.

    Columns place, document, question, rank, rank_with_place.
    """
    texts, of = collection("yang"), searches("yang")
    rows = []
    for row, (answer,) in enumerate(texts.gold):
        if texts.documents[answer] in NEED_THEIR_PLACE:
            ranks = [int(of[name].ranks[row, answer]) for name in (search, search + PLACED)]
            rows.append((texts.places[answer], texts.documents[answer], texts.questions[row], *ranks))
    return pd.DataFrame(rows, columns=["place", "document", "question", "rank", "rank_with_place"])


def judged_share(of: Mapping[str, Search], judged: Any, *, k: int = 10) -> pd.Series:
    """Return which fraction of the first k documents of each search was judged; (Q, N) booleans say which were."""
    known = np.asarray(judged, dtype=bool)
    return pd.Series(
        {name: float(known[(one.ranks > 0) & (one.ranks <= k)].mean()) for name, one in of.items()}
    )
