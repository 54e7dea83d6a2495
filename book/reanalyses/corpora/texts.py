"""Texts with their licenses: definitions from one technical domain, and sentences on general topics."""

from __future__ import annotations

import csv
import gzip
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from isotropy_lab._core import checks

_DATA = Path(__file__).with_name("data")


@lru_cache(maxsize=1)
def _read_definitions() -> pd.DataFrame:
    with gzip.open(_DATA / "yang-definitions.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        columns, *rows = csv.reader(stream)
    return pd.DataFrame(rows, columns=columns)


@lru_cache(maxsize=1)
def _read_sentences() -> tuple[str, ...]:
    with gzip.open(_DATA / "wikipedia-sentences.txt.gz", "rt", encoding="utf-8", newline="\n") as stream:
        return tuple(stream.read().removesuffix("\n").split("\n"))


def yang_definitions() -> pd.DataFrame:
    """Return definitions from 69 YANG modules, one sentence each: module, node, kind, and sentence.

    YANG is a language for data models of network management, used by the IETF and IANA; each sentence is the
    first one of a description. 2,288 of 4,289 descriptions are included: incomplete sentences, descriptions of
    obsolete items, repetitions, and descriptions that add no word to the name are omitted. ``node`` is the path of
    names from the top of the module.
    """
    return _read_definitions().copy()


def wikipedia_sentences(*, n: int | None = None, rng: np.random.Generator | int | None = 0) -> list[str]:
    """Return distinct sentences from 106 articles of the English Wikipedia, *Anarchism* to *Algorithm*.

    The sentences are running text of 5 to 80 words without formulas or templates. `n` of them are drawn without
    replacement and returned in the order of the articles; for one seed, a smaller sample is part of a larger one.
    """
    sentences = _read_sentences()
    if n is None:
        return list(sentences)
    n = checks.check_integer(n, "n", low=1, high=len(sentences), why="the number of sentences")
    indices = np.sort(np.random.default_rng(rng).permutation(len(sentences))[:n])
    return [sentences[i] for i in indices]
