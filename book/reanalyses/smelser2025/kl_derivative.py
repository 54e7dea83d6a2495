"""Derivatives of the KL divergence with respect to the scale of the projection."""

from __future__ import annotations

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab.projection._pairs.kl_pairs import KERNELS, kl_pairs
from isotropy_lab.projection.kl import evaluator


def kl_derivative(
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

    Let e be the distance of a pair in the projection, E_P and E_Q the expectations over pairs weighted by P and Q, and
    g = e²/(1 + α²e²).

    - Student-t, first: 2α(E_P g − E_Q g)
    - Student-t, second: 2(E_P g − E_Q g) + 4α²(2E_Q g² − E_P g² − (E_Q g)²)
    - Gaussian, first: 2α(E_P e² − E_Q e²)
    - Gaussian, second: 2(E_P e² − E_Q e²) + 4α² Var_Q e²

    The Student-t derivatives are equations (8) to (10) of Smelser et al. (2025) with two corrections: the
    distances are those in the projection, and the inner sums exclude k = l.

    >>> X = [[0.0], [1.0], [2.0], [5.0]]
    >>> [round(kl_derivative(X, X, perplexity=2.0, order=k), 4) for k in (1, 2)]
    [0.0987, -0.0648]
    """
    checks.check_option(kernel, "kernel", KERNELS[:2])
    order = checks.check_integer(order, "order", low=1, high=2)
    pairs = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    derivatives = evaluator(pairs, kernel)(pairs.inner_scale(scale))
    value = derivatives[order] * pairs.size**order  # `size` is the unit of length
    checks.check_representable(np.array([value]), "the derivative with respect to the scale")
    return value
