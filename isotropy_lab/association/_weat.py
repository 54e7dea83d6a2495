"""The word embedding association test (WEAT): score and effect size, for any similarity of word lists.

A and B are the target lists, and C and D the attribute lists. Caliskan et al. (2017) use the mean cosine.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.association import canonical, cosine
from isotropy_lab.association._checks import as_word_lists

__all__ = ["SIMILARITIES", "Weat", "weat", "weat_effect_size", "word_associations"]

Array = npt.NDArray[np.float64]

# These functions take two checked lists and their names, which are used in error messages.
_FUNCTIONS: Mapping[str, Callable[[checks.FloatArray, checks.FloatArray, tuple[str, str]], float]] = {
    "mean-cosine": cosine.mean_cosine,
    "paired": cosine.paired_cosine,
    "centroid": cosine.centroid_cosine,
    "normalized": cosine.normalized_cosine,
    "canonical": functools.partial(canonical.canonical, scale="geometric"),
    "canonical-minimum": functools.partial(canonical.canonical, scale="minimum"),
    "canonical-trace": functools.partial(canonical.canonical, scale=None),
    "canonical-corrected": canonical.corrected_canonical,
}

SIMILARITIES = tuple(_FUNCTIONS)
"""Names of the similarities between two word lists."""


@dataclasses.dataclass(frozen=True)
class Weat(Result):
    """A WEAT score and its four components.

    Attributes
    ----------
    score
        (ac + bd) − (bc + ad); positive if A is associated with C, and B with D.
    ac, ad, bd, bc
        Similarities of A and C, A and D, B and D, and B and C.
    similarity : Name of the similarity.
    """

    score: float
    ac: float
    ad: float
    bd: float
    bc: float
    similarity: str


def check_four_lists(
    A: checks.Points, B: checks.Points, C: checks.Points, D: checks.Points
) -> list[checks.FloatArray]:
    """Return the four lists of a WEAT, after checking their dimensions and that A and B share no word."""
    lists = as_word_lists({"A": A, "B": B, "C": C, "D": D})
    _check_no_shared_words(lists[0], lists[1])
    return lists


def weat(
    A: checks.Points, B: checks.Points, C: checks.Points, D: checks.Points, *, similarity: str = "mean-cosine"
) -> Weat:
    """Compute the WEAT score: how strongly A is associated with C, and B with D, rather than vice versa.

    Parameters
    ----------
    A, B, C, D : array-like of shape (k, p)
        Target lists A and B, which have no common word, and attribute lists C and D, with one nonzero word
        vector per row.
    similarity : str
        One of `SIMILARITIES`: "mean-cosine", "paired", "centroid" (of the attribute list), "normalized",
        "canonical" (scaled by the geometric mean of the ranks), "canonical-minimum", "canonical-trace", or
        "canonical-corrected".

    Returns
    -------
    Weat
        The score (ac + bd) − (bc + ad) and its components. The score is in [−4, 4] for means of cosines and
        cosines of means, and in [−2, 2] for "canonical" and "canonical-minimum"; it is 0 if there is no
        difference. Exchanging A and B, or C and D, changes its sign.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; if dimensions differ; if A
        and B share a word (a row); or if the similarity does not exist or is undefined for two of the lists.

    Warns
    -----
    UserWarning
        With uncorrected canonical similarities, if lists are so long that their spans must intersect.

    Notes
    -----
    The score has the invariances of the similarity. With the mean cosine, it is the mean of
    `word_associations` over A minus the mean over B. Cost: four similarities, which take O((k_a + k_b + k_c +
    k_d) p) for mean cosines. Kindel (2023), after Caliskan et al. (2017).

    Examples
    --------
    >>> from isotropy_lab.association import weat
    >>> A, B = [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]
    >>> C, D = [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]], [[0.0, 3.0, 0.0]]
    >>> weat(A, B, C, D)
    Weat(score=1.5, ac=0.5, ad=0.0, bd=1.0, bc=0.0, similarity='mean-cosine')
    """
    compare = _FUNCTIONS[checks.check_option(similarity, "similarity", SIMILARITIES)]
    a, b, c, d = check_four_lists(A, B, C, D)
    ac, ad = compare(a, c, ("A", "C")), compare(a, d, ("A", "D"))
    bd, bc = compare(b, d, ("B", "D")), compare(b, c, ("B", "C"))
    return Weat((ac + bd) - (bc + ad), ac, ad, bd, bc, similarity)


def word_associations(words: checks.Points, C: checks.Points, D: checks.Points) -> Array:
    """Return each word's mean cosine with attribute list C minus its mean cosine with attribute list D.

    Parameters
    ----------
    words : array-like of shape (k, p)
        Words, one nonzero vector per row.
    C, D : array-like of shape (k_c, p) and (k_d, p)
        Attribute lists.

    Returns
    -------
    array of shape (k,)
        s(w) = mean cos(w, C) − mean cos(w, D), float64, in [−2, 2]; positive if the word is closer to `C`.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; or if dimensions differ.

    Notes
    -----
    The association is invariant under rotation, positive rescaling of any word, and the order of the
    attributes. Cost: O((k + k_c + k_d) p). Caliskan et al. (2017).

    Examples
    --------
    >>> from isotropy_lab.association import word_associations
    >>> word_associations([[2.0, 0.0], [3.0, 4.0]], C=[[1.0, 0.0]], D=[[0.0, 1.0]]).round(6).tolist()
    [1.0, -0.2]
    """
    return associations(*as_word_lists({"words": words, "C": C, "D": D}))


def associations(words: checks.FloatArray, c: checks.FloatArray, d: checks.FloatArray) -> Array:
    """Return the associations of checked words with two checked attribute lists."""
    return np.asarray(unit_rows(words) @ (unit_rows(c).mean(axis=0) - unit_rows(d).mean(axis=0)))


def weat_effect_size(A: checks.Points, B: checks.Points, C: checks.Points, D: checks.Points) -> float:
    """Return the difference between the mean associations of A and B, in standard deviations over all words.

    Parameters
    ----------
    A, B, C, D : array-like of shape (k, p)
        Target lists A and B, which have no common word, and attribute lists C and D, with one nonzero word
        vector per row.

    Returns
    -------
    float
        Within ±√(n(n − 1)/(k_a k_b)) for n = k_a + k_b words. This limit, reached if all words of a target
        list have the same association, is less than 2 for lists of equal length, but 3.16 for 1 and 9 words.
        It is 0 if there is no difference. The effect size is not Cohen's d: its standard deviation, with the
        divisor n − 1 (n in the package WEFE), is over both lists together and includes their difference.

    Raises
    ------
    TypeError, ValueError
        If a list is not numeric, is empty, or contains NaN, inf, or a zero row; if dimensions differ; if A
        and B share a word; or if all words have the same association (up to p·2.2e−16).

    Notes
    -----
    The effect size is invariant under rotation, positive rescaling of any word, and the order of the words.
    Cost: O((k_a + k_b + k_c + k_d) p). Caliskan et al. (2017).

    Examples
    --------
    >>> from isotropy_lab.association import weat_effect_size
    >>> A, B = [[1.0, 0.0], [3.0, 4.0]], [[0.0, 1.0], [4.0, 3.0]]
    >>> round(weat_effect_size(A, B, C=[[1.0, 0.0]], D=[[0.0, 1.0]]), 6)
    0.960769
    """
    a, b, c, d = check_four_lists(A, B, C, D)
    s_a, s_b = associations(a, c, d), associations(b, c, d)
    spread = float(np.std(np.concatenate([s_a, s_b]), ddof=1))
    tolerance = a.shape[1] * float(np.finfo(np.float64).eps)
    if not spread > tolerance:
        raise ValueError(
            f"A and B have words with the same association (standard deviation {spread:.3g}, rounding: "
            f"{tolerance:.3g}); expected words with different associations"
        )
    return float(s_a.mean() - s_b.mean()) / spread


def _check_no_shared_words(a: checks.FloatArray, b: checks.FloatArray) -> None:
    """Raise ValueError, listing the rows, if a row of A equals a row of B."""
    # Compare at the lower precision. Adding 0 gives −0 and 0 the same bytes.
    dtype = min(a.dtype, b.dtype, key=lambda kind: kind.itemsize)
    with np.errstate(over="ignore", under="ignore"):
        a, b = (words.astype(dtype) + dtype.type(0) for words in (a, b))
    rows_of_b = {row.tobytes(): j for j, row in reversed(list(enumerate(b)))}
    shared = [(i, rows_of_b[row.tobytes()]) for i, row in enumerate(a) if row.tobytes() in rows_of_b]
    if shared:
        pairs = ", ".join(f"row {i} of A equals row {j} of B" for i, j in shared[:5])
        more = f" and {len(shared) - 5} more" if len(shared) > 5 else ""
        raise ValueError(
            f"A and B share {checks.how_many(len(shared), 'word')} ({pairs}{more}); "
            "expected lists without common words (drop these words from both)"
        )
