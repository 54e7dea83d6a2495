"""A word association test on a space of vectors, reported whole: numbers, chance, words found, and what went wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.association.canonical import random_baseline, row_basis, scaled_trace
from isotropy_lab.association.keywords.lookup import FoundTest, find
from isotropy_lab.association.keywords.word_tests import WordTest, load
from isotropy_lab.association.nulls import null_intervals
from isotropy_lab.association.permutation import weat_permutation_test
from isotropy_lab.association.similarities import SIMILARITIES
from isotropy_lab.association.weat import weat, weat_effect_size

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

__all__ = ["CAUTION", "PAIRS", "SIDE_BY_SIDE", "weat_report"]

Array = npt.NDArray[np.float64]
T = TypeVar("T")

PAIRS = {"ac": ("A", "C"), "ad": ("A", "D"), "bd": ("B", "D"), "bc": ("B", "C")}
"""The four comparisons of a test, in the order of Table 1 of Kindel (2023)."""

SIDE_BY_SIDE = ("mean-cosine", "normalized", "canonical", "canonical-corrected")
"""The similarities that are reported together."""

CAUTION = (
    "These numbers describe word vectors: the texts they were trained on, and the words chosen. They measure no person "
    "and no group. A small p says that this division of the target words is unusual among all divisions, not why."
)
"""What every report ends with."""

# Scale of the canonical similarities whose chance level is not zero.
_SCALES = {"canonical": "geometric", "canonical-minimum": "minimum", "canonical-trace": None}
# Totals of `null_intervals` that are on the scale of a similarity.
_TOTALS = ("mean-cosine", "canonical", "canonical-trace")


def weat_report(
    test: WordTest | str,
    vectors: KeyedVectors,
    *,
    similarities: Sequence[str] = SIDE_BY_SIDE,
    spelling: str = "adjusted",
    missing: str = "drop",
    pool: Array | None = None,
    n_draws: int = 2_000,
    confidence: float = 0.95,
    n_resamples: str | int = "exact-if-feasible",
    rng: _checks.RandomState = None,
) -> dict[str, Any]:
    """Run a test and report it as plain data, ready for JSON: no NaN, no arrays.

    Parameters
    ----------
    test : WordTest or str
        As in `keywords.find`.
    vectors : gensim.models.KeyedVectors
        The space, or a bundled name or path, as in `keywords.find`.
    similarities : sequence of str
        Keys of `SIMILARITIES`. If some of several are undefined for these lists, that is reported; if all are, or the
        only one asked for, it is an error. An effect size or a permutation test that is undefined is reported.
    spelling, missing : str
        As in `keywords.find`.
    pool : array of shape (N, p), optional
        Vectors that random lists are drawn from; adds, for mean cosine and for canonical similarity, the interval in
        which the similarity of two random lists of these lengths lies.
    n_draws, confidence : int, float
        Of these intervals.
    n_resamples : str or int
        As in `weat_permutation_test`; "exact" is an error where it is not feasible. The test is of the first of the
        similarities.
    rng : numpy.random.Generator or int, optional
        Draws random divisions and lists.

    Returns
    -------
    dict
        test, title, note, spelling, dimensions; lists (role → label, asked, found, words); words (the report of
        `keywords.find`, one dict a word); similarities (each with ac, ad, bd, bc, score, chance, random, undefined);
        effect_size (of the mean cosine, or None); permutation (similarity, p_value, method, count, n_at_least, p_low,
        p_high; or None); notes (lists of unequal length, shared words, warnings).

    Raises
    ------
    TypeError, ValueError, ImportError
        As `keywords.find`, `weat`, `weat_permutation_test` and `null_intervals` do.

    Examples
    --------
    >>> report = weat_report("weat-7", "googlenews-weat", similarities=["mean-cosine"])
    >>> round(report["similarities"][0]["score"], 4), round(report["effect_size"], 2)
    (0.0282, 0.97)
    >>> report["permutation"]["method"], report["permutation"]["count"]
    ('exact', 12870)
    """
    if isinstance(similarities, str) or len(similarities) == 0:
        raise TypeError(
            f"similarities is {_checks.describe(similarities)}; expected a list of names, such as ['mean-cosine']"
        )
    for similarity in similarities:
        _checks.check_option(similarity, "similarities", tuple(SIMILARITIES))
    generator = _checks.as_generator(rng)
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
    intervals = _random_lists(found, pool, n_draws, confidence, generator) if pool is not None else {}
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
                "random": intervals.get(similarity),
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
            "p_value": float(outcome.p_value),
            "method": outcome.method,
            "count": int(outcome.count),
            "n_at_least": int(outcome.n_at_least),
            "p_low": float(outcome.p_low),
            "p_high": float(outcome.p_high),
        },
        "notes": notes,
    }


def _chance(similarity: str, ranks: dict[str, int], p: int) -> dict[str, float] | None:
    """Return the mean similarity of uniformly random subspaces of the lists' ranks, where it is known and not zero."""
    if similarity not in _SCALES:
        return None
    return {
        pair: float(
            scaled_trace(random_baseline(ranks[x], ranks[y], p).mean, ranks[x], ranks[y], _SCALES[similarity])
        )
        for pair, (x, y) in PAIRS.items()
    }


def _random_lists(
    found: FoundTest, pool: Array, n_draws: int, confidence: float, rng: np.random.Generator
) -> dict[str, dict[str, dict[str, float]]]:
    """Similarity → pair → interval of the similarity of two random lists of the same lengths."""
    intervals: dict[str, dict[str, dict[str, float]]] = {name: {} for name in _TOTALS}
    for pair, (x, y) in PAIRS.items():
        totals = null_intervals(
            getattr(found, x), getattr(found, y), pool, n_draws=n_draws, confidence=confidence, rng=rng
        ).totals
        both = totals[totals["null"] == "both random"]
        for name in _TOTALS:
            row = both[both["quantity"] == name].iloc[0]
            intervals[name][pair] = {key: float(row[key]) for key in ("low", "mean", "high", "p_value")}
    return intervals
