"""Correction of p-values for multiple testing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks


def holm(pvalues: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return p-values adjusted by the step-down method of Holm (1979), in the given order.

    The probability of any false rejection is at most the level, however the tests depend on each other.

    >>> holm([0.01, 0.04, 0.03]).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(checks.as_array(pvalues, "pvalues", ndim=1), dtype=np.float64)
    if not p.size:
        raise ValueError("pvalues is empty; expected at least one number in [0, 1]")
    invalid = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if invalid.size:
        raise ValueError(
            f"pvalues has {invalid.size} of {p.size} values outside [0, 1], first {p[invalid[0]]:g} in entry "
            f"{invalid[0]}; expected probabilities"
        )
    order = np.argsort(p, kind="stable")
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return corrected
