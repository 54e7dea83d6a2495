"""All searches on both collections: encoders, words, fusions of both, and documents with their locations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab.results import RelevantRanks
from isotropy_lab.retrieval import bootstrap_interval, compare_models, question_scores
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.roychowdhury2024.datasets.judgments import ANSWERS, judged_mask, judged_open_vswitch
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.text_collections import COLLECTIONS, collection, open_vswitch
from reanalyses.roychowdhury2024.experiments.lexical import (
    OVERLAP_CLASSES,
    AllRanks,
    accuracy_by_overlap,
    bm25_ranks,
    encoder_ranks,
    fuse_ranks,
    ranks_of_relevant,
    word_overlap,
)

__all__ = [
    "accuracy_table",
    "answer_overlap",
    "compare_searches",
    "documents_that_need_their_place",
    "interval_table",
    "judged_share",
    "metric_table",
    "overlap_table",
    "place_table",
    "question_groups",
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
"""Answers that are meaningless by themselves: only their location identifies the server, change, or timer. They were
found by reading all answers of at most ten words before any search."""


@dataclass(frozen=True, eq=False)
class Search:
    """Results of one search on a collection."""

    #: name, family: name of the search, and its kind: the encoder's family, "words", or "fused".
    name: str
    family: str
    ranks: AllRanks  #: Rank of every document for every question, or 0 if it is not listed.
    found: RelevantRanks  #: Ranks and grades of the relevant documents.

    @property
    def answers(self) -> RelevantRanks:
        """Results in which only documents that answer the question at least in part are relevant."""
        graded = self.found.grades.max() > 1
        return self.found.at_least(ANSWERS) if graded else self.found

    def relevant(self, metric: str) -> RelevantRanks:
        """Return the results that a metric counts: with all grades for "ndcg", otherwise `answers`."""
        return self.found if metric == "ndcg" else self.answers


@lru_cache(maxsize=2)
def searches(collection_name: str) -> dict[str, Search]:
    """Return all searches of a collection by name: encoders, BM25, fusions, and searches with locations.

    For Open vSwitch, relevance is graded, and questions without an answer are omitted.
    """
    texts = collection(collection_name)
    gold: Any = [list(row) for row in texts.gold]
    question_rows = list(range(len(texts.questions)))
    if collection_name == "open-vswitch":
        _, gold, question_rows = judged_open_vswitch()
    wordings = [texts.questions[row] for row in question_rows]
    results: dict[str, Search] = {}

    def add(label: str, family: str, ranks: AllRanks) -> None:
        results[label] = Search(label, family, ranks, ranks_of_relevant(ranks, gold))

    for encoder, family in encoders.ENCODERS.items():
        add(encoder, family, encoder_ranks(encoders.load(encoder, collection_name))[question_rows])
    add("BM25", "words", bm25_ranks(wordings, texts.documents))
    for encoder in encoders.ENCODERS:
        add(encoder + FUSED, "fused", fuse_ranks(results[encoder].ranks, results["BM25"].ranks))
    for encoder in encoders.PLACED:
        placed = encoders.load(encoder, collection_name, placed=True)
        add(encoder + PLACED, results[encoder].family, encoder_ranks(placed)[question_rows])
    add("BM25" + PLACED, "words", bm25_ranks(wordings, texts.placed))
    return results


def question_groups(collection_name: str) -> NDArray[np.str_]:
    """Return the group of each question of `searches` for sampling of whole groups: YANG modules, or files."""
    if collection_name == "yang":
        return np.array(questions()["module"], dtype=np.str_)
    return np.array(open_vswitch()[0]["file"], dtype=np.str_)[judged_open_vswitch()[2]]


def answer_overlap(collection_name: str) -> NDArray[np.float64]:
    """Return each question's largest `word_overlap` with a document that answers it."""
    texts = collection(collection_name)
    if collection_name == "yang":
        return word_overlap(texts.questions, [texts.documents[answer] for (answer,) in texts.gold])
    _, grades, question_rows = judged_open_vswitch()
    overlaps = []
    for row, question in enumerate(question_rows):
        answers = [texts.documents[column] for column, grade in grades[row].items() if grade >= ANSWERS]
        overlaps.append(word_overlap([texts.questions[question]] * len(answers), answers).max())
    return np.array(overlaps)


def metric_table(
    by_name: Mapping[str, Search],
    *,
    names: Sequence[str] | None = None,
    groups: Any = None,
    n_resamples: int = 10_000,
) -> pd.DataFrame:
    """Return all metrics of all searches, with 95% intervals from samples of questions or of groups.

    Recall, MRR, and MAP count documents that answer the question at least in part, and NDCG uses grades. If
    each question has one answer, recall equals accuracy, MAP equals MRR, and both gains of NDCG are equal, so
    the second of each pair is omitted.
    """
    rows = []
    options: Any = {"groups": groups, "n_resamples": n_resamples, "rng": 0}
    for search in by_name.values() if names is None else [by_name[name] for name in names]:
        answers = search.answers
        intervals = {f"accuracy_{k}": bootstrap_interval(answers, k=k, **options) for k in (1, 3, 10)} | {
            "ndcg_10": bootstrap_interval(search.found, metric="ndcg", k=10, **options),
            "mrr": bootstrap_interval(answers, metric="mrr", k=None, **options),
        }
        if answers.ranks.shape[1] > 1:
            intervals |= {
                "recall_10": bootstrap_interval(answers, metric="recall", k=10, **options),
                "ndcg_10_exponential": bootstrap_interval(
                    search.found, metric="ndcg-exponential", k=10, **options
                ),
                "map": bootstrap_interval(answers, metric="map", k=None, **options),
            }
        for metric, interval in intervals.items():
            numbers = (interval.estimate, interval.low, interval.high, len(answers.ranks))
            rows.append((search.name, search.family, metric, *numbers))
    return pd.DataFrame(rows, columns=["search", "family", "metric", "estimate", "low", "high", "n"])


def interval_table(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the results of `metric_table` with one row per search and cells such as "0.75 (0.70 to 0.79)".

    The columns are search and the metrics.
    """
    cells = metrics.apply(lambda row: f"{row['estimate']:.2f} ({_interval_text(row)})", axis=1)
    wide = metrics.assign(cell=cells).pivot(index="search", columns="metric", values="cell")
    wide = wide.loc[metrics["search"].unique(), metrics["metric"].unique()]
    return wide.rename_axis(columns=None).reset_index()


def accuracy_table(*, n_resamples: int = 10_000) -> pd.DataFrame:
    """Return the accuracy of every search on both collections, with two kinds of 95% intervals.

    The second interval of each collection is based on samples of whole modules or files (`question_groups`).
    """
    options: Any = {"k": 10, "n_resamples": n_resamples, "rng": 0}
    columns: dict[str, dict[str, Any]] = {}
    for name, title, group in (("yang", "YANG", "module"), ("open-vswitch", "Open_vSwitch", "file")):
        for label, groups in (("question", None), (group, question_groups(name))):
            intervals = {
                key: bootstrap_interval(search.answers, groups=groups, **options)
                for key, search in searches(name).items()
            }
            columns[title] = {key: interval.estimate for key, interval in intervals.items()}
            columns[f"{title}_by_{label}"] = {
                key: _interval_text(interval.to_dict()) for key, interval in intervals.items()
            }
    return pd.DataFrame(columns).rename_axis("search").reset_index()


def _interval_text(interval: Mapping[Any, Any]) -> str:
    return f"{interval['low']:.2f} to {interval['high']:.2f}"


def overlap_table(names: Sequence[str]) -> pd.DataFrame:
    """Return accuracy for questions that share few or many stems with an answer (`answer_overlap`).

    The columns are collection, group (of `OVERLAP_CLASSES`), n, and the searches. Empty classes have no row.
    """
    tables = []
    for name in COLLECTIONS:
        by_name = searches(name)
        accuracy = accuracy_by_overlap({key: by_name[key].answers for key in names}, answer_overlap(name))
        wide = accuracy.pivot(index=["group", "n"], columns="search", values="accuracy")
        wide = wide.reindex(list(OVERLAP_CLASSES), level="group")[list(names)].rename_axis(columns=None)
        tables.append(wide.reset_index().assign(collection=name))
    table = pd.concat(tables, ignore_index=True)
    return table[["collection", "group", "n", *names]]


def compare_searches(
    by_name: Mapping[str, Search],
    pairs: Sequence[tuple[str, str]],
    *,
    metrics: Sequence[tuple[str, int]],
    groups: Any = None,
) -> pd.DataFrame:
    """Return paired differences of searches on the same questions, the first minus the second.

    Differences are in points. With `groups`, a label for each question, samples consist of whole groups.
    """
    rows = []
    for first, second in pairs:
        for metric, k in metrics:
            results = (by_name[name].relevant(metric) for name in (first, second))
            gain = compare_models(*results, metric=metric, k=k, groups=groups, rng=0)
            rows.append((first, second, metric, k, 100 * gain.estimate, 100 * gain.low, 100 * gain.high))
    return pd.DataFrame(rows, columns=["first", "second", "metric", "k", "difference", "low", "high"])


def place_table(collection_name: str) -> pd.DataFrame:
    """Return the change in accuracy when each document is preceded by its location.

    Intervals are based on samples of whole groups of questions (`question_groups`).
    """
    by_name = searches(collection_name)
    pairs = [(name + PLACED, name) for name in by_name if name + PLACED in by_name]
    groups = question_groups(collection_name)
    table = compare_searches(by_name, pairs, metrics=[("accuracy", 10)], groups=groups)
    accuracy = {
        name: 100 * float(question_scores(search.answers, "accuracy", k=10).mean())
        for name, search in by_name.items()
    }
    table = table.assign(
        search=table["second"],
        without=table["second"].map(accuracy),
        with_place=table["first"].map(accuracy),
    )
    return table[["search", "without", "with_place", "difference", "low", "high"]]


def documents_that_need_their_place() -> pd.DataFrame:
    """Return the answers that need their location to be understood, with their ranks without and with it.

    The columns are place, document, question, rank, and rank_with_place.
    """
    texts, by_name = collection("yang"), searches("yang")
    search, rows = "MiniLM", []
    for row, (answer,) in enumerate(texts.gold):
        if texts.documents[answer] in NEED_THEIR_PLACE:
            ranks = [int(by_name[name].ranks[row, answer]) for name in (search, search + PLACED)]
            rows.append((texts.places[answer], texts.documents[answer], texts.questions[row], *ranks))
    return pd.DataFrame(rows, columns=["place", "document", "question", "rank", "rank_with_place"])


def judged_share(by_name: Mapping[str, Search], *, k: int = 10) -> pd.Series:
    """Return the fraction of judged documents in each search's top k; unjudged ones count as irrelevant."""
    judged = judged_mask()
    return pd.Series(
        {
            name: float(judged[(search.ranks > 0) & (search.ranks <= k)].mean())
            for name, search in by_name.items()
        }
    )
