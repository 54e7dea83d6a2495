"""Two collections of questions and documents: the YANG definitions, and Open vSwitch's FAQ."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd

from reanalyses.corpora import yang_definitions
from reanalyses.records import data_file, record
from reanalyses.roychowdhury2024.datasets.questions import questions

COLLECTIONS = ("yang", "open-vswitch")
"""Available collections; the second one is an external test, on which nothing is tuned."""


@dataclass(frozen=True)
class Collection:
    """Questions, the documents that contain their answers, and the location of each document."""

    name: str  #: One of `COLLECTIONS`.
    #: questions, documents: texts.
    questions: tuple[str, ...]
    documents: tuple[str, ...]
    places: tuple[str, ...]  #: Location of each document: module and path, or the title of its page.
    #: Indices of the documents that answer each question. For Open vSwitch, these are all paragraphs of the
    #: published answer, regardless of quality; other paragraphs may also answer the question.
    gold: tuple[tuple[int, ...], ...]

    @property
    def placed(self) -> tuple[str, ...]:
        """Documents, each preceded by its location."""
        return tuple(f"{place}: {text}" for place, text in zip(self.places, self.documents, strict=True))


def collection(name: str) -> Collection:
    """Return one of the two collections by name."""
    if name == "yang":
        question_table, document_table = questions(), yang_definitions()
        places = document_table["module"] + " " + document_table["node"]
        gold: tuple[tuple[int, ...], ...] = tuple((int(row),) for row in question_table["gold"])
        texts = document_table["sentence"]
    else:
        question_table, document_table = open_vswitch()
        places, texts = document_table["section"], document_table["text"]
        row_of = {key: row for row, key in enumerate(document_table["id"])}
        gold = tuple(tuple(row_of[key] for key in answer) for answer in question_table["answer"])
    return Collection(name, tuple(question_table["question"]), tuple(texts), tuple(places), gold)


def open_vswitch() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the frequently asked questions in Open vSwitch's documentation, and the paragraphs of their answers.

    The authors and contributors of Open vSwitch published both, so the questions were written or edited by
    people who knew the answers. Debian packages them (Apache-2.0), and
    ``scripts/make_open_vswitch_questions.py`` converts them to tables. ``answer`` contains the IDs of the
    documents printed below a question; ``attrs`` of both tables contains the record.
    """
    tables = []
    for kind in ("questions", "documents"):
        metadata = record("roychowdhury2024", "open-vswitch")
        file = data_file("roychowdhury2024", metadata["variants"][kind]["file"])
        table = pd.DataFrame([json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()])
        table.attrs = metadata
        tables.append(table)
    return tables[0], tables[1]
