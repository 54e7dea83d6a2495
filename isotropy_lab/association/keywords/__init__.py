"""Word lists of association tests: published lists (`names`, `load`) and your own (`custom`, `read`).

`find` looks up the words of a test in word vectors and reports the outcome for each word.
"""

from __future__ import annotations

from isotropy_lab.association.keywords.lookup import find
from isotropy_lab.association.keywords.word_tests import ROLES, SPELLINGS, custom, load, names, read

__all__ = ["ROLES", "SPELLINGS", "custom", "find", "load", "names", "read"]
