"""How nearly dependent each sublist is, beside whether mean cosine similarity mistakes it for another."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab import _validation as validation
from isotropy_lab.association import lattice
from isotropy_lab.association.consistency import TOLERANCE
from isotropy_lab.association.cosine import unit_vectors

__all__ = ["subset_conditions"]

_MOST_SUBSETS = 200_000


def subset_conditions(W: validation.Points, q: int, *, tolerance: float = TOLERANCE) -> pd.DataFrame:
    """Return the condition numbers of every q-word sublist, and whether another sublist beats it.

    Parameters
    ----------
    W : array-like of shape (k, p)
        k ≥ 2 words, none of them zero.
    q : int
        Words in a sublist, from 1 to k − 1; C(k, q) may be at most 200,000.
    tolerance : float
        Mean cosines nearer than this are ties.

    Returns
    -------
    DataFrame
        One row per sublist in lexicographic order: subset (places in the list); vectors, unit_vectors and
        cosine_matrix (see `condition_numbers`: at least 1, inf if dependent); beaten; margin, the smallest mean cosine
        of a word of the sublist with the sublist less the largest of a word outside, negative if beaten.

    Raises
    ------
    TypeError
        If `W` does not hold real numbers or `q` is no whole number.
    ValueError
        If there are fewer than 2 words, a row is zero, a value is NaN or inf, `q` is outside 1 … k − 1, there are too
        many sublists, or the tolerance is outside [0, 1].

    Notes
    -----
    All but `vectors` are invariant under positive rescaling of any word; all under rotation. Kindel (2023), Figure 1,
    right panel, whose text does not say which of the three numbers it shows: of the cosine matrix by the main text, of
    the words by the definition of J. Cost: O(C(k, q) k q²).

    Examples
    --------
    >>> from isotropy_lab.association import subset_conditions
    >>> W = [[0.5, -0.75**0.5], [1.0, 0.0], [0.5, 0.75**0.5]]  # −60°, 0°, 60°
    >>> subset_conditions(W, 2)[["subset", "cosine_matrix", "beaten", "margin"]].round(6).values.tolist()
    [[(0, 1), 3.0, False, 0.75], [(0, 2), 3.0, True, -0.25], [(1, 2), 3.0, False, 0.75]]
    """
    words = validation.as_word_vectors(W, "W", min_words=2)
    units = unit_vectors(words, name="W")
    k, p = words.shape
    q = validation.check_sublist_length(q, k - 1, "W", k)
    slack = validation.check_real(tolerance, "tolerance", low=0.0, high=1.0)
    validation.check_table_size(math.comb(k, q), _MOST_SUBSETS, f"W has {k} words and q is {q}")
    subsets = lattice.combinations(k, q)
    limit = lattice.sublist_tolerance(words, q)
    raw = words.astype(np.float64)
    raw = np.ldexp(raw, -int(np.frexp(np.abs(raw).max())[1]))
    of_units = _conditions(lattice.coordinates(units), subsets, limit, p)
    members = np.zeros((len(subsets), k), dtype=np.bool_)
    np.put_along_axis(members, subsets, True, axis=1)
    means = members @ (units @ units.T) / q
    margins = np.where(members, means, np.inf).min(axis=1) - np.where(members, -np.inf, means).max(axis=1)
    return pd.DataFrame(
        {
            "subset": [tuple(row) for row in subsets.tolist()],
            "vectors": _conditions(lattice.coordinates(raw), subsets, limit, p),
            "unit_vectors": of_units,
            "cosine_matrix": of_units**2,
            "beaten": margins < -slack,
            "margin": margins,
        }
    )


def _conditions(
    rows: lattice.Array, subsets: lattice.Subsets, limit: float, p: int
) -> npt.NDArray[np.float64]:
    if subsets.shape[1] > p:
        return np.full(len(subsets), np.inf)
    values = np.linalg.svd(rows[subsets], compute_uv=False)
    largest, smallest = values[:, 0], values[:, -1]
    full = smallest > limit * largest
    return np.where(full, largest / np.where(full, smallest, 1.0), np.inf)
