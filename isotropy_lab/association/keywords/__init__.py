"""Keyword lists of association tests, and what a space of word vectors has of them.

`names` and `load` give the published tests, `custom` and `read` one's own, `find` looks the words up in word vectors
and says word by word what was found, `coverage` does so for all tests at once.
"""

from __future__ import annotations

from isotropy_lab.association.keywords.lookup import FoundTest, coverage, find
from isotropy_lab.association.keywords.word_tests import (
    ROLES,
    SPELLINGS,
    KeywordList,
    WordTest,
    custom,
    load,
    names,
    read,
)

__all__ = [
    "ROLES",
    "SPELLINGS",
    "FoundTest",
    "KeywordList",
    "WordTest",
    "coverage",
    "custom",
    "find",
    "load",
    "names",
    "read",
]
