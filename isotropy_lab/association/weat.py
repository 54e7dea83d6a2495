"""The Word Embedding Association Test: do the words of A go with those of C, and those of B with those of D?

A and B are the target lists, C and D the attribute lists. The score compares four similarities of lists, and any
similarity of two lists will do; Caliskan et al. (2017) take the mean cosine.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab import _checks
from isotropy_lab.association._checks import as_word_lists
from isotropy_lab.association.cosine import _units
from isotropy_lab.association.similarities import SIMILARITIES, check_similarity

__all__ = ["Weat", "weat", "weat_effect_size", "weat_statistic", "word_associations"]


@dataclasses.dataclass(frozen=True)
class Weat:
    """A WEAT score and its four components.

    Attributes
    ----------
    score : float
        (ac + bd) − (bc + ad); positive if A goes with C and B with D.
    ac, ad, bd, bc : float
        Similarities of the lists A and C, A and D, B and D, B and C.
    similarity : str
        What kind of similarity.
    """

    score: float
    ac: float
    ad: float
    bd: float
    bc: float
    similarity: str


def four_lists(
    A: _checks.Points, B: _checks.Points, C: _checks.Points, D: _checks.Points
) -> list[_checks.FloatArray]:
    """Return the checked lists of a WEAT: of one space, A and B without a common word."""
    lists = as_word_lists({"A": A, "B": B, "C": C, "D": D})
    _check_no_shared_words(lists[0], lists[1], ("A", "B"))
    return lists


def weat(
    A: _checks.Points,
    B: _checks.Points,
    C: _checks.Points,
    D: _checks.Points,
    *,
    similarity: str = "mean-cosine",
) -> Weat:
    """Return how much more A goes with C and B with D than the other way round.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Target lists, one word per row, none of them zero, without a common word.
    C, D : array-like of shape (k_c, p) and (k_d, p)
        Attribute lists.
    similarity : str
        How two lists are compared: a key of `SIMILARITIES`. "mean-cosine", "paired", "centroid" (the mean cosine of
        the words of the target list with the raw centroid of the attribute list), "normalized", "canonical" (scaled by
        the geometric mean of the ranks), "canonical-minimum", "canonical-trace" or "canonical-corrected".

    Returns
    -------
    Weat
        The score (ac + bd) − (bc + ad) and its components. In [−4, 4] for similarities that are means of
        cosines or cosines of means, in [−2, 2] for "canonical" and "canonical-minimum"; 0 if there is no difference. Exchanging A with B, or C with D, changes
        its sign.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        If A and B share a word (a row), a list is empty, the dimensions differ, a row is zero, a value is NaN or inf,
        the similarity does not exist, or it is undefined for two of the lists (see its own page).

    Warns
    -----
    UserWarning
        For "canonical", "canonical-minimum" and "canonical-trace", if two lists are so long that their spans must
        meet.

    Notes
    -----
    Invariant under rotation, and otherwise under what the similarity is invariant under. For the mean cosine it is the
    mean association of the words of A less that of B, see `word_associations`. Cost: that of four similarities.
    Kindel (2023), after Caliskan et al. (2017).

    Examples
    --------
    >>> from isotropy_lab.association import weat
    >>> A, B = [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]]
    >>> C, D = [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]], [[0.0, 3.0, 0.0]]
    >>> weat(A, B, C, D)
    Weat(score=1.5, ac=0.5, ad=0.0, bd=1.0, bc=0.0, similarity='mean-cosine')
    """
    check_similarity(similarity)
    a, b, c, d = four_lists(A, B, C, D)
    compare = SIMILARITIES[similarity]
    ac = compare(a, c, names=("A", "C"))
    ad = compare(a, d, names=("A", "D"))
    bd = compare(b, d, names=("B", "D"))
    bc = compare(b, c, names=("B", "C"))
    return Weat((ac + bd) - (bc + ad), ac, ad, bd, bc, similarity)


def word_associations(words: _checks.Points, C: _checks.Points, D: _checks.Points) -> npt.NDArray[np.float64]:
    """Return for every word its mean cosine with one attribute list less that with another.

    Parameters
    ----------
    words : array-like of shape (k, p)
        One word per row, none of them zero.
    C, D : array-like of shape (k_c, p) and (k_d, p)
        Attribute lists.

    Returns
    -------
    array of shape (k,)
        s(w) = mean cos(w, C) − mean cos(w, D), float64, in [−2, 2]; positive if the word is nearer to `C`.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        If a list is empty, the dimensions differ, a row is zero, or a value is NaN or inf.

    Notes
    -----
    Invariant under rotation, positive rescaling of any word and the order of the attributes. Cost:
    O((k + k_c + k_d) p). Caliskan et al. (2017).

    Examples
    --------
    >>> from isotropy_lab.association import word_associations
    >>> word_associations([[2.0, 0.0], [3.0, 4.0]], C=[[1.0, 0.0]], D=[[0.0, 1.0]]).round(6).tolist()
    [1.0, -0.2]
    """
    w, c, d = as_word_lists({"words": words, "C": C, "D": D})
    return associations(w, c, d)


def associations(
    words: _checks.FloatArray, c: _checks.FloatArray, d: _checks.FloatArray
) -> npt.NDArray[np.float64]:
    """Return the associations of the words of checked lists."""
    return np.asarray(_units(words) @ (_units(c).mean(axis=0) - _units(d).mean(axis=0)))


def weat_statistic(A: _checks.Points, B: _checks.Points, C: _checks.Points, D: _checks.Points) -> float:
    """Return the sum of the associations of the words of A less that of the words of B.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Target lists, one word per row, none of them zero, without a common word.
    C, D : array-like of shape (k_c, p) and (k_d, p)
        Attribute lists.

    Returns
    -------
    float
        Σ_a s(a) − Σ_b s(b), in [−2(k_a + k_b), 2(k_a + k_b)], with s as in `word_associations`. For target lists of
        equal length k it is k times the score of `weat`; for unequal ones it is not a multiple of it, and not 0 on
        average over permutations.

    Raises
    ------
    TypeError
        If a list does not hold real numbers.
    ValueError
        If A and B share a word, a list is empty, the dimensions differ, a row is zero, or a value is NaN or inf.

    Notes
    -----
    Invariant under rotation, positive rescaling of any word and the order of the words. Cost: O(p) per word. The test
    statistic of Caliskan et al. (2017).

    Examples
    --------
    >>> from isotropy_lab.association import weat_statistic
    >>> weat_statistic([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0]], C=[[1.0, 0.0]], D=[[0.0, 1.0]])
    3.0
    """
    a, b, c, d = four_lists(A, B, C, D)
    return float(associations(a, c, d).sum() - associations(b, c, d).sum())


def weat_effect_size(
    A: _checks.Points,
    B: _checks.Points,
    C: _checks.Points,
    D: _checks.Points,
    *,
    ddof: int = 1,
) -> float:
    """Return the difference of the mean associations of A and B in standard deviations over all words of both.

    Parameters
    ----------
    A, B : array-like of shape (k_a, p) and (k_b, p)
        Target lists, one word per row, none of them zero, without a common word.
    C, D : array-like of shape (k_c, p) and (k_d, p)
        Attribute lists.
    ddof : int
        The standard deviation divides by k_a + k_b − `ddof`. 1, the default, gives the published values of
        Caliskan et al. (2017); 0 is what the Python package WEFE does.

    Returns
    -------
    float
        For lists of equal length k within ±2√((2k − 1)/(2k)) with `ddof` 1 and within ±2 with 0; 0 if there is no
        difference. It is not Cohen's d: the standard deviation is over both lists together and so contains the
        difference itself, which is why there is a largest value.

    Raises
    ------
    TypeError
        If a list does not hold real numbers, or `ddof` is no whole number.
    ValueError
        If all words have the same association (a standard deviation of at most p·2.2e−16, which is rounding), `ddof` is
        not below the number of words, A and B share a word, a list is empty, the dimensions differ, a row is zero, or
        a value is NaN or inf.

    Notes
    -----
    Invariant under rotation, positive rescaling of any word and the order of the words. Cost: O(p) per word.
    Caliskan et al. (2017).

    Examples
    --------
    >>> from isotropy_lab.association import weat_effect_size
    >>> A, B = [[1.0, 0.0], [3.0, 4.0]], [[0.0, 1.0], [4.0, 3.0]]
    >>> round(weat_effect_size(A, B, C=[[1.0, 0.0]], D=[[0.0, 1.0]]), 6)
    0.960769
    >>> round(weat_effect_size(A, B, C=[[1.0, 0.0]], D=[[0.0, 1.0]], ddof=0), 6)
    1.1094
    """
    a, b, c, d = four_lists(A, B, C, D)
    s_a, s_b = associations(a, c, d), associations(b, c, d)
    n = s_a.size + s_b.size
    ddof = _checks.check_integer(ddof, "ddof", low=0, high=n - 1, why=f"A and B have {n} words together")
    spread = float(np.std(np.concatenate([s_a, s_b]), ddof=ddof))
    _check_spread(spread, a.shape[1] * float(np.finfo(np.float64).eps))
    return float(s_a.mean() - s_b.mean()) / spread


def _check_no_shared_words(a: npt.NDArray[Any], b: npt.NDArray[Any], names: tuple[str, str]) -> None:
    """Raise ValueError if a row of one list is a row of the other, naming the rows."""
    # A word is the same in single and in double precision. Adding 0 makes −0 and 0 the same bytes.
    dtype = min(a.dtype, b.dtype, key=lambda kind: kind.itemsize)
    with np.errstate(over="ignore", under="ignore"):
        a, b = a.astype(dtype) + dtype.type(0), b.astype(dtype) + dtype.type(0)
    places = {row.tobytes(): j for j, row in reversed(list(enumerate(b)))}
    shared = [(i, places.get(row.tobytes())) for i, row in enumerate(a)]
    shared = [(i, j) for i, j in shared if j is not None]
    if shared:
        listed = ", ".join(f"row {i} of {names[0]} is row {j} of {names[1]}" for i, j in shared[:5])
        more = f" and {len(shared) - 5} more" if len(shared) > 5 else ""
        raise ValueError(
            f"{names[0]} and {names[1]} share {_checks.how_many(len(shared), 'word')} ({listed}{more}); "
            "expected lists without a common word: drop it from both"
        )


def _check_spread(spread: float, tolerance: float) -> None:
    """Raise ValueError if the words of both target lists have the same association."""
    if not spread > tolerance:
        raise ValueError(
            f"A and B hold words that all have the same association (standard deviation {spread:.3g}, at most "
            f"{tolerance:.3g} is rounding), where the effect size is undefined; expected words that differ"
        )
