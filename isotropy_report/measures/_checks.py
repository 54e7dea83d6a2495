"""Argument checks shared by several measures: vectors of the same items, and relevant documents."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from isotropy_lab._core import checks
from isotropy_lab.retrieval import pair_similarities, relevant_ranks, top_k
from isotropy_lab.retrieval.relevance import RelevantRanks, as_judgments
from isotropy_report._options import read_texts

TEXTS = read_texts("isotropy_report.measures", "texts.toml")
"""Sentences of results, in which braces stand for values."""

_FEW_HITS = 0.1
"""Below this accuracy, chance is computed from the documents that are found and relevant to any question."""

_SHORTEST_END, _N_ERRORS = 16, 5.0
"""The last lines of gold are wrong if a sign test of at least 16 questions shows it by 5 standard errors."""


def check_gold_given(questions: Any, gold: Any, documents: Any = None) -> None:
    """Raise ValueError if only one of questions and gold is given, or documents without them."""
    given = {"questions": questions, "gold": gold, "documents": documents}
    for name, required in (("questions", "gold"), ("gold", "questions"), ("documents", "questions")):
        if given[name] is not None and given[required] is None:
            raise ValueError(f"{name} was given without {required}; expected {required} as well")


def as_pair(
    A: checks.Points, B: checks.Points, *, min_points: int
) -> tuple[checks.FloatArray, checks.FloatArray]:
    """Return two models' vectors of the same items, after checking that the numbers of rows are equal."""
    a = checks.as_points(A, "A", min_points=min_points)
    b = checks.as_points(B, "B", min_points=min_points)
    if len(a) != len(b):
        raise ValueError(
            f"A has {len(a)} rows, and B has {len(b)}; expected vectors of the same items in the same order"
        )
    return a, b


def matching_rows(
    ids: tuple[Any, Any], sizes: tuple[int, int], *, names: tuple[str, str], argument: str = "ids"
) -> NDArray[np.intp]:
    """Return the row of the second set for each row of the first; `names` are used in error messages."""
    rows: list[dict[Any, int]] = []
    for values, name, length in zip(ids, names, sizes, strict=True):
        entries = values.tolist() if hasattr(values, "tolist") else values
        if isinstance(entries, str) or not checks.is_iterable(entries):
            raise TypeError(
                f"{argument} of {name} is {checks.describe(values)}; expected a sequence with one ID per row"
            )
        entries = list(entries)
        if not all(isinstance(item, Hashable) for item in entries):
            raise TypeError(
                f"{argument} of {name} contains a mutable value, such as a list; expected numbers or strings"
            )
        if len(entries) != length:
            raise ValueError(
                f"{argument} of {name} has {len(entries)} entries for {length} rows; expected one ID per row"
            )
        row_of: dict[Any, int] = {}
        for row, item in enumerate(entries):
            if row_of.setdefault(item, row) != row:
                raise ValueError(
                    f"{argument} of {name} has {item!r} twice, in rows {row_of[item]} and {row}; expected "
                    "unique IDs"
                )
        rows.append(row_of)
    for i, j in ((0, 1), (1, 0)):
        missing = [item for item in rows[i] if item not in rows[j]]
        if missing:
            raise ValueError(
                f"{argument}: {len(missing)} of the {len(rows[i])} items of {names[i]} are not in "
                f"{names[j]} (first: {missing[0]!r}); expected the same items (keep only common items)"
            )
    return np.fromiter((rows[1][item] for item in rows[0]), dtype=np.intp, count=sizes[0])


def ranks_and_warnings(
    questions: Any, documents: Any, gold: Any, k: int
) -> tuple[RelevantRanks, dict[str, str]]:
    """Return the ranks of the relevant documents, and warnings about `gold`, by their keys."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always", UserWarning)
        ranks = relevant_ranks(questions, documents, gold)
    messages: dict[str, str] = {}
    for warning in issued:
        if warning.category is UserWarning:  # only warnings about gold become sentences
            messages.setdefault("gold_from_one", f"{warning.message}.")
        else:
            warnings.warn(warning.message, warning.category, stacklevel=2)
    n, hits = len(ranks.best), int((ranks.best <= k).sum())
    # In a random order, a relevant document is among the first k of D documents with probability k/D.
    chance = float(np.mean(1.0 - (1.0 - min(1.0, k / len(documents))) ** ranks.n_relevant))
    if not messages and hits < _FEW_HITS * n:  # documents that are relevant to other questions are found more
        relevant, _ = as_judgments(gold, n, len(documents))
        counts = np.bincount(relevant[relevant >= 0], minlength=len(documents))
        found = top_k(questions, documents, min(k, len(documents))).indices
        chance = max(chance, float(counts[found].sum()) / n**2)
    if not messages and chance < 0.5 and stats.binom.sf(hits - 1, n, chance) > 0.05:
        messages["found_by_chance"] = (
            f"accuracy@{k} is {hits / n:.3g} ({hits:,} of {n:,} questions), not significantly above chance "
            f"({chance:.2g}): check that one model encoded both, and that gold belongs to them."
        )
    return ranks, messages or _warnings_by_line(questions, documents, gold)


def _warnings_by_line(questions: Any, documents: Any, gold: Any) -> dict[str, str]:
    """Return a warning if questions are documents, or if the end of gold belongs to other questions."""
    relevant, _ = as_judgments(gold, len(questions), len(documents))
    own, after, before, far = (
        pair_similarities(questions, documents, np.roll(relevant, step, axis=0))
        for step in (0, -1, 1, len(relevant) // 2)
    )
    if (share := float(((own > 1.0 - 1e-6) & (far < 1.0 - 1e-6)).mean())) > 0.5:
        return {"documents_asked": TEXTS["documents_asked"].format(share=share)}
    if np.median(np.append(np.abs(own - far)[own != far], 1.0)) < 1e-6:  # rounding in float32
        return {"indistinct": TEXTS["indistinct"]}
    n = np.arange(len(own), 0, -1)  # of questions from each one on
    for similarities, other in ((after, "next"), (before, "previous")):
        nearer = np.cumsum(np.sign(similarities - own)[::-1])[::-1]
        if (nearer > _N_ERRORS * np.sqrt(np.maximum(n, _SHORTEST_END))).any():
            return {"shifted_gold": TEXTS["shifted_gold"].format(first=int(nearer.argmax()), other=other)}
    nearer = np.cumsum(np.sign(own - far)[::-1])[::-1]
    lead = (nearer[0] - nearer) / np.maximum(n[0] - n, 1) - nearer / n
    errors = np.where(nearer < 2.0 * np.sqrt(n), lead * np.sqrt(n * (n[0] - n) / n[0]), 0.0)
    if errors.max() > _N_ERRORS:
        return {"shifted_gold": TEXTS["other_gold"].format(first=int(errors.argmax()))}
    return {}
