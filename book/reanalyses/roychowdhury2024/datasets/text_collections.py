"""Two collections of questions and documents: the YANG definitions, and Open vSwitch's answered questions."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd

from reanalyses.corpora import yang_definitions
from reanalyses.records import data_file, record
from reanalyses.roychowdhury2024.datasets.questions import questions

__all__ = ["COLLECTIONS", "Collection", "collection", "open_vswitch"]

COLLECTIONS = ("yang", "open-vswitch")
"""The collections that there are: the second is an external test, on which nothing is tuned."""


@dataclass(frozen=True)
class Collection:
    """Questions, the documents among which their answers are, and where each document stands."""

    name: str  #: One of `COLLECTIONS`.
    #: questions, documents: the texts.
    questions: tuple[str, ...]
    documents: tuple[str, ...]
    places: tuple[str, ...]  #: Where each document stands: module and path, or the title of its page.
    #: Positions of the documents that answer each question. For Open vSwitch these are the paragraphs that
    #: are printed as its answer, good and bad alike; others may answer it too.
    gold: tuple[tuple[int, ...], ...]

    @property
    def placed(self) -> tuple[str, ...]:
        """The documents with their place before them."""
        return tuple(f"{place}: {text}" for place, text in zip(self.places, self.documents, strict=True))


def collection(name: str) -> Collection:
    """Return one of the two collections, by its name."""
    if name == "yang":
        asked, definitions = questions(), yang_definitions()
        places = definitions["module"] + " " + definitions["node"]
        gold: tuple[tuple[int, ...], ...] = tuple((int(row),) for row in asked["gold"])
        texts = definitions["sentence"]
    else:
        asked, definitions = open_vswitch()
        places, texts = definitions["section"], definitions["text"]
        row_of = {key: row for row, key in enumerate(definitions["id"])}
        gold = tuple(tuple(row_of[key] for key in answer) for answer in asked["answer"])
    return Collection(name, tuple(asked["question"]), tuple(texts), tuple(places), gold)


def open_vswitch() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Load the frequently asked questions of Open vSwitch's documentation, and the paragraphs of their answers.

    Its authors and contributors published both, so that people who knew the answers worded or edited the
    questions. They are packaged by Debian (Apache-2.0), and made into tables by
    ``scripts/make_open_vswitch_questions.py``. ``answer`` has the ids of the documents that are printed under
    a question; ``attrs`` of both tables has the record.
    """
    tables = []
    for kind in ("questions", "documents"):
        about = record("roychowdhury2024", "open-vswitch")
        file = data_file("roychowdhury2024", about["variants"][kind]["file"])
        table = pd.DataFrame([json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()])
        table.attrs = about
        tables.append(table)
    return tables[0], tables[1]
