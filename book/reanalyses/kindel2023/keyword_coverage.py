"""Coverage of the words of published association tests by a space of word vectors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from isotropy_lab.association.keywords import load, names
from isotropy_lab.association.keywords.lookup import DROPPED, Space, rows_of
from isotropy_lab.association.keywords.word_tests import WordTest


def coverage(vectors: Any, *, tests: Iterable[WordTest | str] | None = None) -> pd.DataFrame:
    """Count the (adjusted) words of each list of tests (default: all published ones) that are in a space.

    The columns are test, role, label, words, as_spelled, lower_cased, respelled, same_row (words that resolve
    to a row that is already used), n_missing, and missing (the words that are not in the space, separated by
    commas).
    """
    space = Space(vectors)
    rows = []
    for test in [load(test) if isinstance(test, str) else test for test in tests or names()]:
        for role, words in test.lists.items():
            outcomes = [(row.word, row.outcome) for row in rows_of(role, words, "adjusted", space)]
            missing = [word for word, outcome in outcomes if outcome == DROPPED]
            rows.append(
                {
                    "test": test.name,
                    "role": role,
                    "label": words.label,
                    "words": len(outcomes),
                    "as_spelled": sum(outcome == "as spelled" for _, outcome in outcomes),
                    "lower_cased": sum(outcome.startswith("lower-cased") for _, outcome in outcomes),
                    "respelled": sum(outcome.startswith("spelled") for _, outcome in outcomes),
                    "same_row": sum(outcome.startswith("same row") for _, outcome in outcomes),
                    "n_missing": len(missing),
                    "missing": ", ".join(missing),
                }
            )
    return pd.DataFrame(rows)
