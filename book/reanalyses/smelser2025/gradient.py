"""Derivatives of the divergence with respect to the scale of the projection (equations 8 to 10)."""

from __future__ import annotations

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.projection._pairs.kl_pairs import kl_pairs
from isotropy_lab.projection.kl import evaluator

__all__ = ["kl_gradient"]


def kl_gradient(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    scale: float = 1.0,
    kernel: str = "student-t",
    metric: str = "euclidean",
    order: int = 1,
) -> float:
    """Return the first or second derivative of `kl_divergence` with respect to the scale α ≥ 0.

    With g = e²/(1 + α²e²), and expectations E over pairs under P and Q, the first derivative of the Student-t
    divergence is 2α(E_P g − E_Q g), which is 0 at α = 0, and the second derivative is 2(E_P g − E_Q g) + 4α²(2
    E_Q g² − E_P g² − (E_Q g)²). For the Gaussian kernel, they are 2α(E_P e² − E_Q e²) and 2(E_P e² − E_Q e²) +
    4α² Var_Q e². These are equations (8) to (10) with distances of the projection, and with indices k and l in
    the sums over k ≠ l; as printed, they have distances of the data, and in part the indices i and j.

    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> [round(kl_gradient(X, X, perplexity=2.0, order=k), 4) for k in (1, 2)]
    [0.0987, -0.0648]
    """
    pairs = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    derivative = evaluator(pairs, kernel)(pairs.inner_scale(scale))[order]
    value = derivative * pairs.size * (pairs.size if order == 2 else 1.0)
    checks.check_representable(np.array([value]), "the derivative by the scale")
    return value
