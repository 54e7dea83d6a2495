"""Formulas behind the reported numbers of Rudman et al. (2022) that differ from the formulas in the text.

Three of the five scores were computed differently from their definitions in the paper. This module does the
same, to reproduce the printed numbers and to explain their deviations:

- Table 3's partition scores are reproduced with the *rows* of the eigenvector matrix of XᵀX
  (`partition_score_rows`), whereas (B.2) requires its columns, the eigenvectors. Rows do not rotate with the
  cloud, so that the score seems to depend on rotation. The use of rows is our inference.
- Figures 6 and 7 use a third formula (`partition_score_elementwise`): the exponentials of all products
  c_j x_j are summed over j, whereas (B.2) has the exponential of the inner product.
- VarEx is the reciprocal of the expression in Section 2.2, with an index that is one too high
  (`varex_score_off_by_one`): (k/n)/c, where c is the variance explained by k + 1 components.
- Table 3's cosines vary between orientations as much as means over 1,000 random pairs
  (`average_cosine_score_sampled`); over 100,000 pairs, as in the text, they would agree within 0.01.

Do not use these functions as measures.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from isotropy_lab._core import checks
from isotropy_lab._core.rows import unit_rows
from isotropy_lab.isotropy.intrinsic import id_score
from isotropy_lab.isotropy.participation import isoscore

Cloud = NDArray[np.float64]
Rng = np.random.Generator | int | None

#: Published Table 2: IsoScore of I_9^(k) for k = 1, …, 9.
TABLE_2 = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)

#: Published Table 3.
TABLE_3 = pd.DataFrame(
    {
        "isoscore": (0.216, 0.216, 0.216, 0.216),
        "average_cosine_score": (0.990, 0.968, 0.981, 0.993),
        "partition_score": (0.445, 0.673, 0.669, 0.446),
        "id_score": (1.0, 1.0, 1.0, 1.0),
        "varex_score": (0.5, 0.5, 0.5, 0.5),
    },
    index=pd.Index(["X", "X 120°", "X 240°", "X PCA"], name="cloud"),
)

#: Values in Section 4.2: dimensions used by the clouds of Figure 3, by the variance of the long axis.
PUBLISHED_K = {1: 1.9996, 3: 1.6105, 75: 1.0281}


def partition_score_rows(X: ArrayLike) -> float:
    """Return the partition score over the rows of the eigenvector matrix, as in Table 3; range [0, 1].

    The score is not rotation invariant: for a cloud rotated by R, the eigenvector matrix becomes RV, whose
    columns rotate with the cloud, unlike its rows.
    """
    cloud = np.asarray(X, dtype=np.float64)
    return _smallest_over_largest(logsumexp(cloud @ _eigenvector_matrix(cloud).T, axis=0))


def partition_score_elementwise(X: ArrayLike) -> float:
    """Return the partition score with exponentials of single products c_j·x_j, as in Figures 6 and 7.

    Z(c) = Σ_x Σ_j exp(c_j x_j), over the rows c of the eigenvector matrix of XᵀX. Range [0, 1]; about 0.99
    for most centered clouds, which is why it says little about the "skewered meatball".

    The rows, and therefore the score, depend on the signs and order in which a solver returns eigenvectors.
    Like the published numbers, the score uses the general (not the symmetric) eigensolver.
    """
    cloud = np.asarray(X, dtype=np.float64)
    logs = np.array([logsumexp(cloud * c) for c in _eigenvector_matrix(cloud)])
    return _smallest_over_largest(logs)


def varex_score_off_by_one(X: ArrayLike, *, fraction: float = 0.3) -> float:
    """Return VarEx as published: k/n over the variance explained by k + 1 components; range [k/n, 1]."""
    cloud = np.asarray(X, dtype=np.float64)
    n = cloud.shape[1]
    k = max(int(fraction * n), 1)
    eigenvalues = np.linalg.eigvalsh(np.cov(cloud.T))[::-1].clip(min=0.0)
    explained = float(eigenvalues[: k + 1].sum() / eigenvalues.sum())
    return float(k / n / explained)


def average_cosine_score_sampled(X: ArrayLike, *, n_pairs: int = 1_000, rng: Rng = None) -> float:
    """Return the average cosine score from a small number of random pairs, as in Table 3; range [0, 1].

    The mean of m independent cosines of isotropic points has standard deviation 1/√(n·m): for n = 2 and
    m = 1,000 it is 0.022, and the score falls short of 1 by 0.018 on average.
    """
    units, generator = unit_rows(np.asarray(X, dtype=np.float64)), checks.as_generator(rng)
    cosine_sum = 0.0
    pairs_per_block = max(1, 2**21 // units.shape[1])
    for start in range(0, n_pairs, pairs_per_block):
        size = min(pairs_per_block, n_pairs - start)
        i = generator.integers(len(units), size=size)
        j = generator.integers(len(units) - 1, size=size)
        j += j >= i  # uniform over all points except i
        cosine_sum += float(np.einsum("ij,ij->", units[i], units[j]))
    return 1.0 - abs(cosine_sum / n_pairs)


def five_scores(*, rng: Rng = 0) -> dict[str, Callable[[Cloud], float]]:
    """Return functions for the five scores by the formulas behind Figures 6 and 7, by name.

    The result is for the option ``scores`` of the functions in `experiments`.
    """
    generator = checks.as_generator(rng)
    return {
        "isoscore": isoscore,
        "average_cosine_score": lambda X: average_cosine_score_sampled(X, n_pairs=100_000, rng=generator),
        "partition_score": partition_score_elementwise,
        "id_score": lambda X: id_score(X, n_queries=250, rng=generator),
        "varex_score": varex_score_off_by_one,
    }


def table_3_scores(*, rng: Rng = 0) -> dict[str, Callable[[Cloud], float]]:
    """Return functions for the five scores by the formulas behind Table 3, by name."""
    generator = checks.as_generator(rng)
    return {
        **five_scores(rng=generator),
        "average_cosine_score": lambda X: average_cosine_score_sampled(X, rng=generator),
        "partition_score": partition_score_rows,
        "varex_score": lambda X: varex_score_off_by_one(X, fraction=0.51),
    }


def _eigenvector_matrix(cloud: Cloud) -> NDArray[np.float64]:
    """Return the eigenvectors of XᵀX as columns, from a general eigensolver."""
    return np.asarray(np.linalg.eig(cloud.T @ cloud)[1].real)


def _smallest_over_largest(log_values: NDArray[np.float64]) -> float:
    return float(np.exp(log_values.min() - log_values.max()))
