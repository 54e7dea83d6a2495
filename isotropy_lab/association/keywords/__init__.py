"""Keyword lists of association tests: published (`names`, `load`) and your own (`custom`, `read`).

`find` looks the words of a test up in word vectors and reports word by word what was found; `coverage` counts them for
all tests at once.
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
