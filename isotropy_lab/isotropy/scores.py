"""All isotropy scores of a cloud in one call, and their invariances."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.isotropy import participation
from isotropy_lab.isotropy.cosine import average_cosine
from isotropy_lab.isotropy.intrinsic import intrinsic_dimension_details
from isotropy_lab.isotropy.partition import partition_scores
from isotropy_lab.isotropy.variance import varex_score

__all__ = ["INVARIANCES", "Invariance", "IsotropyScores", "isotropy_scores"]


_MAX_ALL_QUERIES, _N_QUERIES = 20_000, 2_000
"""Number of points above which only a sample is queried for neighbors, and size of this sample."""


@dataclasses.dataclass(frozen=True)
class Invariance:
    """Whether X + c, X R (R orthogonal), and s X (s > 0) leave a score unchanged, up to rounding."""

    translation: bool
    rotation: bool
    scale: bool


_ALL = Invariance(translation=True, rotation=True, scale=True)
_NOT_TRANSLATION = Invariance(translation=False, rotation=True, scale=True)
_ROTATION = Invariance(translation=False, rotation=True, scale=False)

INVARIANCES: Mapping[str, Invariance] = MappingProxyType(
    {
        "isoscore": _ALL,
        "isotropy_defect": _ALL,
        "dimensions_used": _ALL,
        "average_cosine": _NOT_TRANSLATION,
        "average_cosine_score": _NOT_TRANSLATION,
        "partition_score": _ROTATION,
        "partition_score_second_order": _ROTATION,
        "intrinsic_dimension": _ALL,
        "id_score": _ALL,
        "varex_score": _ALL,
    }
)
"""Invariances of each score with default options, by the name of its function."""


@dataclasses.dataclass(frozen=True)
class IsotropyScores(Result):
    """All scores of one cloud, named after their functions.

    Attributes
    ----------
    isoscore, isoscore_corrected
        Plug-in and corrected IsoScore, in [0, 1].
    isotropy_defect
        Defect in [0, 1]; 0 for an isotropic cloud.
    dimensions_used
        Number of dimensions in [1, n].
    average_cosine, average_cosine_score
        Exact mean cosine over all pairs, and 1 minus its absolute value.
    partition_score, partition_score_second_order
        Score over the eigenvectors of XᵀX and their opposites, and its approximation.
    intrinsic_dimension, id_score
        Levina–Bickel estimate, and the estimate divided by n, at most 1.
    varex_score
        Score in (0, 1].
    n_points, n_dimensions, n_duplicates, n_queries
        Numbers of points, dimensions, rows that equal an earlier row, and rows queried for neighbors.
    """

    isoscore: float
    isoscore_corrected: float
    isotropy_defect: float
    dimensions_used: float
    average_cosine: float
    average_cosine_score: float
    partition_score: float
    partition_score_second_order: float
    intrinsic_dimension: float
    id_score: float
    varex_score: float
    n_points: int
    n_dimensions: int
    n_duplicates: int
    n_queries: int


def isotropy_scores(
    X: checks.Points, *, n_neighbors: int = 20, n_queries: int | None = None, rng: checks.RandomState = 0
) -> IsotropyScores:
    """Compute all scores of a cloud.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N points in n ≥ 2 dimensions, with more distinct points than `n_neighbors` and no zero row.
    n_neighbors, n_queries, rng
        Options of `intrinsic_dimension`. By default, all points are queries if there are at most 20,000, and
        otherwise 2,000 points drawn with seed 0; the result contains the number of queries.

    Returns
    -------
    IsotropyScores

    Raises
    ------
    TypeError, ValueError
        If `X` is not numeric, or if one of the scores is undefined; the message gives the reason.

    Notes
    -----
    `INVARIANCES` lists the invariances. Cost: `intrinsic_dimension`, by default with every point as a query,
    plus `partition_score`. Rudman et al. (2022), Sections 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.isotropy import isotropy_scores
    >>> scores = isotropy_scores(np.random.default_rng(0).standard_normal((500, 3)) + 10.0)
    >>> round(scores.isoscore, 2), round(scores.average_cosine_score, 2)
    (0.99, 0.01)
    """
    points = checks.as_points(X)
    traces = participation.centered_traces(points, fourth=True)
    n = traces.n_dimensions
    ratio = participation.participation_ratio(traces, estimator="plug-in")
    corrected = participation.participation_ratio(traces, estimator="corrected")
    cosine = average_cosine(points)
    if n_queries is None and len(points) > _MAX_ALL_QUERIES:
        n_queries = _N_QUERIES
    intrinsic = intrinsic_dimension_details(points, n_neighbors=n_neighbors, n_queries=n_queries, rng=rng)
    partition, second_order = partition_scores(points)
    return IsotropyScores(
        isoscore=participation.score_of_ratio(ratio, n),
        isoscore_corrected=participation.score_of_ratio(corrected, n),
        isotropy_defect=participation.defect_of_ratio(ratio, n),
        dimensions_used=ratio,
        average_cosine=cosine,
        average_cosine_score=1.0 - abs(cosine),
        partition_score=partition,
        partition_score_second_order=second_order,
        intrinsic_dimension=intrinsic.estimate,
        id_score=min(intrinsic.estimate / n, 1.0),
        varex_score=varex_score(points),
        n_points=points.shape[0],
        n_dimensions=n,
        n_duplicates=intrinsic.n_duplicates,
        n_queries=intrinsic.n_queries,
    )
