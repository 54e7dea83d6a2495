"""Coverage of the words of published association tests by a space of word vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from isotropy_lab.association.keywords import load, names
from isotropy_lab.association.keywords.lookup import DROPPED, Space, rows_of
from isotropy_lab.association.keywords.word_tests import WordTest


def coverage(vectors: Any, *, tests: Iterable[WordTest | str] | None = None) -> pd.DataFrame:
    """Count, list by list, the (adjusted) words of tests (default: all published ones) that are in a space.

    One row for each list: test, role, label, words, as_spelled, lower_cased, respelled, same_row (words that resolve to a
    row already used), n_missing, missing (the words that the space lacks, separated by commas).
    """
    space = Space(vectors)
    counted = []
    for test in [load(test) if isinstance(test, str) else test for test in tests or names()]:
        for role, words in test.lists.items():
            outcomes = [(row.word, row.outcome) for row in rows_of(role, words, "adjusted", space)]
            lacking = [word for word, outcome in outcomes if outcome == DROPPED]
            counted.append(
                {
                    "test": test.name,
                    "role": role,
                    "label": words.label,
                    "words": len(outcomes),
                    "as_spelled": sum(outcome == "as spelled" for _, outcome in outcomes),
                    "lower_cased": sum(outcome.startswith("lower-cased") for _, outcome in outcomes),
                    "respelled": sum(outcome.startswith("spelled") for _, outcome in outcomes),
                    "same_row": sum(outcome.startswith("same row") for _, outcome in outcomes),
                    "n_missing": len(lacking),
                    "missing": ", ".join(lacking),
                }
            )
    return pd.DataFrame(counted)
