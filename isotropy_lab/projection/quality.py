"""Computation of all measures of a projection together."""

from __future__ import annotations

import math
from dataclasses import dataclass

from isotropy_lab._core import checks
from isotropy_lab._core.results import Result
from isotropy_lab.projection._checks import check_neighbors, check_perplexity
from isotropy_lab.projection._pairs.distances import pairs_of
from isotropy_lab.projection._pairs.kl_pairs import kl_pairs
from isotropy_lab.projection._pairs.pair_sums import sums_of_pairs
from isotropy_lab.projection._pairs.rank_sums import rank_sums
from isotropy_lab.projection.kl import scale_normalized_kl_of
from isotropy_lab.projection.neighbors import both_scores_of

__all__ = ["ProjectionQuality", "projection_quality"]


@dataclass(frozen=True)
class ProjectionQuality(Result):
    """All measures of one projection.

    Attributes
    ----------
    raw_stress, normalized_stress : float
        Stress at the given size of the projection; normalized stress is the root.
    scale_normalized_stress, forced_scale_stress, nonmetric_stress : float
        Stress that does not depend on the size, with the root; 0 is best.
    optimal_scale : float
        Scaling factor at which `scale_normalized_stress` is attained.
    shepard_goodness : float
        Rank correlation of the distances, in [−1, 1]; 1 is best.
    kl_divergence, gaussian_kl_divergence : float
        Divergence at the given size of the projection, for Q from 1/(1 + e²) and from exp(−e²); 0 is best.
    scale_normalized_kl, forced_scale_kl, kl_at_infinity : float
        Divergence that does not depend on the size; 0 is best, and the limit at infinity can be infinite.
    kl_scale : float
        Scaling factor at which `scale_normalized_kl` is attained; 0 or ``math.inf`` for a limit.
    n_kl_minima : int
        Number of local minima of the divergence at scales between 0 and infinity.
    trustworthiness, continuity : float
        Scores in [0, 1] for whether neighbors in the projection are neighbors in the data, and vice versa.
    n_points, n_neighbors : int
        Numbers of points, and of neighbors per point for trustworthiness and continuity.
    perplexity : float
        Effective number of neighbors of a point in the divergences.
    """

    raw_stress: float
    normalized_stress: float
    scale_normalized_stress: float
    forced_scale_stress: float
    nonmetric_stress: float
    optimal_scale: float
    shepard_goodness: float
    kl_divergence: float
    gaussian_kl_divergence: float
    scale_normalized_kl: float
    forced_scale_kl: float
    kl_at_infinity: float
    kl_scale: float
    n_kl_minima: int
    trustworthiness: float
    continuity: float
    n_points: int
    n_neighbors: int
    perplexity: float

    def __str__(self) -> str:
        """Return the measures, grouped by their best value, with four significant digits."""
        numbers = {name: f"{name} {value:.4g}" for name, value in self.to_dict().items()}
        return "\n".join(f"{title}: {', '.join(numbers[name] for name in names)}" for title, names in _READ)


_STRESS = ("scale_normalized_stress", "forced_scale_stress", "nonmetric_stress")
_READ = (
    (
        "1 is best; a random map has about 0.5, 0.5 and 0",
        ("trustworthiness", "continuity", "shepard_goodness"),
    ),
    ("0 is best, at any size", (*_STRESS, "scale_normalized_kl", "forced_scale_kl", "kl_at_infinity")),
    ("At this size only", ("raw_stress", "normalized_stress", "kl_divergence", "gaussian_kl_divergence")),
    ("Sizes that fit best", ("optimal_scale", "kl_scale", "n_kl_minima")),
)


def projection_quality(
    X: checks.Points,
    Y: checks.Points,
    *,
    perplexity: float = 30.0,
    n_neighbors: int = 7,
    metric: str = "euclidean",
) -> ProjectionQuality:
    """Compute all measures of a projection: stress, divergence, ranks, and neighbors.

    Parameters
    ----------
    X : array-like of shape (N, n)
        N points; or, with ``metric="precomputed"``, their distances, of shape (N, N).
    Y : array-like of shape (N, t)
        Projection, with at most as many columns as the points.
    perplexity : float, default 30
        Effective number of neighbors of a point in the divergences: at least 1, and less than N − 1.
    n_neighbors : int, default 7
        Number of neighbors for trustworthiness and continuity: at least 1, and less than N/2.
    metric : {"euclidean", "precomputed"}, default "euclidean"
        Metric of `X`; "precomputed" allows any distances.

    Returns
    -------
    ProjectionQuality
        All measures; `to_dict()` returns them as a row of a table.

    Raises
    ------
    TypeError, ValueError
        If X or Y is not numeric, contains NaN or inf, or has only equal distances; if their lengths differ;
        if Y has more columns than the points, for example because X and Y are swapped; if precomputed
        distances are not distances; or if an option does not exist or is out of range.

    Notes
    -----
    All measures are invariant under translation and rotation. Under scaling of `Y`, `raw_stress`,
    `normalized_stress`, `kl_divergence`, and `gaussian_kl_divergence` change; both scales change inversely.

    Trustworthiness and continuity order equal distances by position: see `trustworthiness`. Cost: O(N²(n +
    t)) for distances, O(N² log N) to sort them, and some 40·N² bytes. Smelser et al. (2025); Venna and Kaski
    (2006).

    Examples
    --------
    >>> import numpy as np
    >>> from isotropy_lab.projection import projection_quality
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> quality = projection_quality(X, 100 * X[:, :2])
    >>> round(quality.normalized_stress, 2), round(quality.scale_normalized_stress, 2)
    (84.26, 0.23)
    """
    pairs = pairs_of(X, Y, metric=metric)
    n, t = pairs.x.n_dimensions, pairs.y.n_dimensions
    if t > n and not pairs.x.precomputed:
        raise ValueError(
            f"Y has {t} columns and X has {n}; expected a projection with at most as many columns as the "
            "data X (in Python, distances with metric='precomputed' allow any projection)"
        )
    n_points = pairs.x.n_points
    n_neighbors = check_neighbors(n_neighbors, n_points)
    check_perplexity(perplexity, n_points)
    sums, ranks = sums_of_pairs(pairs), rank_sums(pairs, ties="primary")
    of_kl = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    smallest = scale_normalized_kl_of(of_kl)
    size = of_kl.inner_scale(1.0)
    trust, kept = both_scores_of(pairs, n_neighbors)
    return ProjectionQuality(
        raw_stress=sums.raw_stress(),
        normalized_stress=math.sqrt(sums.normalized_stress()),
        scale_normalized_stress=math.sqrt(min(sums.normalized_stress(sums.optimal_scale), 1.0)),
        forced_scale_stress=math.sqrt(sums.normalized_stress(sums.max_d / sums.max_e)),
        nonmetric_stress=ranks.stress(squared=False),
        optimal_scale=sums.optimal_scale,
        shepard_goodness=ranks.correlation(),
        kl_divergence=of_kl.student(size).value,
        gaussian_kl_divergence=of_kl.gaussian(size).value,
        scale_normalized_kl=smallest.value,
        forced_scale_kl=of_kl.student(1.0 / math.sqrt(of_kl.farthest)).value,
        kl_at_infinity=of_kl.at_infinity(),
        kl_scale=smallest.scale,
        n_kl_minima=smallest.n_minima,
        trustworthiness=trust,
        continuity=kept,
        n_points=n_points,
        n_neighbors=n_neighbors,
        perplexity=float(perplexity),
    )
