"""Keyword lists of association tests: published (`names`, `load`) and your own (`custom`, `read`).

`find` looks the words of a test up in word vectors and reports word by word what was found.
"""

from __future__ import annotations

from isotropy_lab.association.keywords.lookup import find
from isotropy_lab.association.keywords.word_tests import ROLES, SPELLINGS, custom, load, names, read

__all__ = ["ROLES", "SPELLINGS", "custom", "find", "load", "names", "read"]
