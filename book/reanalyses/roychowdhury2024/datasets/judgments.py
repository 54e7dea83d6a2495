"""Judgments, in two passes, of the relevance of Open vSwitch's paragraphs and the naturalness of YANG questions."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.metrics import cohen_kappa_score

from reanalyses.records import data_file, record
from reanalyses.roychowdhury2024.datasets.text_collections import Collection, collection, open_vswitch

ANSWERS = 2
"""Minimum grade of a paragraph that answers a question at least in part."""


def agreement(first: npt.ArrayLike, second: npt.ArrayLike) -> dict[str, float]:
    """Return the agreement of two passes over the same n items.

    ``equal`` is the fraction with equal grades, ``kappa`` Cohen's kappa, in which all different grades are
    equally far apart, and ``weighted_kappa`` the same with quadratic weights. Kappas are at most 1; 0 is chance
    level.
    """
    return {
        "n": np.size(first),
        "equal": float(np.mean(np.equal(first, second))),
        "kappa": float(cohen_kappa_score(first, second)),
        "weighted_kappa": float(cohen_kappa_score(first, second, weights="quadratic")),
    }


def repeatability() -> pd.DataFrame:
    """Return the agreement of the two passes on relevance and naturalness, both by one language model.

    Most pairs of a question and a document are obviously unrelated, so a separate row has the agreement among
    pairs that either pass graded above 0.
    """
    pairs = relevance()
    tables = {
        "relevance, all pairs": pairs,
        "relevance, graded above 0 in either reading": pairs[pairs[["first", "second"]].max(axis=1) > 0],
        "naturalness of YANG questions": question_ratings(),
    }
    rows = [{"what": what, **agreement(table["first"], table["second"])} for what, table in tables.items()]
    return pd.DataFrame(rows)


def relevance() -> pd.DataFrame:
    """Return the judged pairs of Open vSwitch's questions and paragraphs.

    A language model judged the pairs in two passes following a written guide, which the record summarizes
    (``attrs``). ``grade`` is the mean of the two, rounded down: 3 answers, 2 answers in part, 1 helps, and 0
    does not help.
    """
    table = _read_two_passes("open-vswitch-relevance")
    table["grade"] = (table["first"] + table["second"]) // 2
    return table


def judged_open_vswitch() -> tuple[Collection, dict[int, dict[int, int]], list[int]]:
    """Return Open vSwitch's collection, its graded answers, and the rows of the questions with an answer.

    The second result maps question indices to document indices and grades (from 1), counted among the
    questions of the third, which have a document of grade `ANSWERS`. Others are omitted from all metrics.
    """
    texts = collection("open-vswitch")
    questions, paragraphs = open_vswitch()
    pairs = relevance()
    pairs = pairs[pairs["grade"] > 0]
    row_of = {key: row for row, key in enumerate(paragraphs["id"])}
    grades: dict[int, dict[int, int]] = {}
    answered: list[int] = []
    by_question = dict(iter(pairs.groupby("question")))
    for row, key in enumerate(questions["id"]):
        judgments = by_question.get(key)
        if judgments is not None and judgments["grade"].max() >= ANSWERS:
            grades[len(answered)] = {
                row_of[document]: int(grade)
                for document, grade in zip(judgments["document"], judgments["grade"], strict=True)
            }
            answered.append(row)
    return texts, grades, answered


def judged_mask() -> npt.NDArray[np.bool_]:
    """Return a mask, of shape (Q, N), of the documents judged for each question of `judged_open_vswitch`."""
    questions, paragraphs = open_vswitch()
    pairs = relevance()
    judged = np.zeros((len(questions), len(paragraphs)), dtype=bool)
    rows, columns = (pd.Index(table["id"]) for table in (questions, paragraphs))
    judged[rows.get_indexer(pairs["question"]), columns.get_indexer(pairs["document"])] = True
    return judged[judged_open_vswitch()[2]]


def question_ratings() -> pd.DataFrame:
    """Return naturalness ratings of the YANG questions for an engineer who has not read the text.

    A language model rated the questions in two passes by a written guide, summarized in ``attrs``. ``rating``
    is the mean of the two, rounded down, from 1 (no) to 5 (yes, in about these words).
    """
    table = _read_two_passes("question-ratings")
    table["rating"] = (table["first"] + table["second"]) // 2
    return table


def _read_two_passes(name: str) -> pd.DataFrame:
    metadata = record("roychowdhury2024", name)
    file = data_file("roychowdhury2024", metadata["file"])
    # IDs such as "12e345" must stay text, and a node may be called "null".
    table = pd.read_csv(file, sep="\t", dtype=str, keep_default_na=False)
    table = table.astype({"first": np.int64, "second": np.int64})
    table.attrs = metadata
    return table
