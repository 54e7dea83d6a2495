"""A word association test on word vectors, as plain data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab.association._weat import SIMILARITIES, weat, weat_effect_size
from isotropy_lab.association.canonical import random_baseline, row_basis, scaled_trace
from isotropy_lab.association.keywords.lookup import find
from isotropy_lab.association.keywords.word_tests import WordTest, load
from isotropy_lab.association.permutation import weat_permutation_test

Array = npt.NDArray[np.float64]
T = TypeVar("T")

PAIRS = {"ac": ("A", "C"), "ad": ("A", "D"), "bd": ("B", "D"), "bc": ("B", "C")}
"""The four comparisons of a test, in the order of Table 1 of Kindel (2023)."""

SIDE_BY_SIDE = ("mean-cosine", "normalized", "canonical", "canonical-corrected")
"""The similarities that are reported together."""

CAUTION = (
    "These numbers describe word vectors: the texts they were trained on, and the words chosen. They measure "
    "no person and no group. A small p says that this division of the target words is unusual among all "
    "divisions, not why."
)
"""The last sentence of every report."""

# Scale of the canonical similarities whose chance level is not zero.
_SCALES = {"canonical": "geometric", "canonical-minimum": "minimum", "canonical-trace": None}


def weat_report(
    test: WordTest | str,
    vectors: Any,
    *,
    similarities: Sequence[str] = SIDE_BY_SIDE,
    spelling: str = "adjusted",
    missing: str = "drop",
    n_resamples: str | int = "exact-if-feasible",
    rng: checks.RandomState = None,
) -> dict[str, Any]:
    """Run a test and return it as plain data, ready for JSON: no NaN, no arrays.

    Test, vectors, spelling and missing are those of `keywords.find`. If some of several similarities are
    undefined for these lists, that is noted; if all are, or the only one asked for, it is a ValueError. The
    permutation test is of the first.

    Examples
    --------
    >>> from isotropy_report import load_word_vectors
    >>> report = weat_report("weat-7", load_word_vectors("glove-weat"), similarities=["mean-cosine"])
    >>> round(report["similarities"][0]["score"], 4), round(report["effect_size"], 2)
    (0.0457, 1.28)
    >>> report["permutation"]["method"], report["permutation"]["count"]
    ('exact', 12870)
    """
    if isinstance(similarities, str) or len(similarities) == 0:
        raise TypeError(
            f"similarities is {checks.describe(similarities)}; expected a list of names, such as "
            "['mean-cosine']"
        )
    for similarity in similarities:
        checks.check_option(similarity, "similarities", SIMILARITIES)
    generator = checks.as_generator(rng)
    test = load(test) if isinstance(test, str) else test
    found = find(test, vectors, spelling=spelling, missing=missing)
    notes = list(found.notes)
    reasons: list[str] = []

    def attempt(compute: Callable[[], T], what: str, *, needed: bool = False) -> T | None:
        """Compute; note what cannot be computed, unless it is needed."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            try:
                return compute()
            except ValueError as error:
                if needed:
                    raise
                reasons.append(str(error))
                notes.append(f"{what} is undefined: {error}")
                return None
            finally:
                notes.extend(message for w in caught if (message := str(w.message)) not in notes)

    ranks = {role: row_basis(rows).shape[1] for role, rows in zip("ABCD", found.lists, strict=True)}
    rows = []
    for similarity in similarities:
        score = attempt(
            lambda name=similarity: weat(*found.lists, similarity=name),  # type: ignore[misc]
            similarity,
            needed=len(similarities) == 1,
        )
        rows.append(
            {
                "similarity": similarity,
                **{pair: None if score is None else float(getattr(score, pair)) for pair in PAIRS},
                "score": None if score is None else float(score.score),
                "chance": _chance(similarity, ranks, found.A.shape[1]),
            }
        )
    if reasons and all(row["score"] is None for row in rows):
        raise ValueError(f"{found.name}: {reasons[0]}")
    effect = None
    if "mean-cosine" in similarities:
        effect = attempt(lambda: weat_effect_size(*found.lists), "effect size")
    outcome = attempt(
        lambda: weat_permutation_test(
            *found.lists, similarity=similarities[0], n_resamples=n_resamples, rng=generator
        ),
        "permutation test",
        needed=n_resamples == "exact",
    )
    return {
        "test": found.name,
        "title": found.title,
        "note": test.note,
        "spelling": spelling,
        "dimensions": int(found.A.shape[1]),
        "lists": {
            role: {
                "label": found.labels[role],
                "asked": int((found.report["role"] == role).sum()),
                "found": len(found.words[role]),
                "words": list(found.words[role]),
            }
            for role in "ABCD"
        },
        "words": [{str(k): str(v) for k, v in row.items()} for row in found.report.to_dict("records")],
        "similarities": rows,
        "effect_size": None if effect is None else float(effect),
        "permutation": None
        if outcome is None
        else {
            "similarity": similarities[0],
            "pvalue": float(outcome.pvalue),
            "method": outcome.method,
            "count": int(outcome.count),
            "n_at_least": int(outcome.n_at_least),
            "low": float(outcome.pvalue_low),
            "high": float(outcome.pvalue_high),
        },
        "notes": notes,
    }


def _chance(similarity: str, ranks: dict[str, int], p: int) -> dict[str, float] | None:
    """Return the mean similarity of random subspaces of the lists' ranks, where known and not zero."""
    if similarity not in _SCALES:
        return None
    return {
        pair: float(
            scaled_trace(random_baseline(ranks[x], ranks[y], p).mean, ranks[x], ranks[y], _SCALES[similarity])
        )
        for pair, (x, y) in PAIRS.items()
    }
