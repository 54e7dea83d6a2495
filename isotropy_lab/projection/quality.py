"""Computation of all measures of a projection in one call."""

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
from isotropy_lab.projection.neighbors import both_neighborhood_scores

__all__ = ["ProjectionQuality", "projection_quality"]


@dataclass(frozen=True)
class ProjectionQuality(Result):
    """All measures of one projection.

    The text has one measure of each cluster of measures that order projections alike (Bae et al., 2025), and
    the share of the way from a random layout to a perfect map, on separate scales for neighbors and for
    distances. All measures are attributes, and in `to_dict` and `to_frame`.

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
        """Return four complementary measures, and how they compare with random layouts and perfect maps."""
        rows = (f"{name:17} {getattr(self, name):<8.4g} {text}\n" for name, text in _SHOWN_FIELDS.items())
        trust, continuity = (2.0 * score - 1.0 for score in (self.trustworthiness, self.continuity))
        return (
            f"{''.join(rows)}On the way from a random layout to a perfect map, neighbors are at {trust:.0%}\n"
            f"(trustworthiness) and {continuity:.0%} (continuity), distances at {self.shepard_goodness:.0%} "
            f"(Shepard goodness).\nto_frame() has all {len(self.to_dict())} numbers."
        )


_SHOWN_FIELDS = {
    "trustworthiness": "more is better, random 0.5; ignores cluster positions",
    "shepard_goodness": "more is better, random 0; ignores nearest neighbors",
    "forced_scale_kl": "less is better; hardly varies, farthest pair decides",
    "kl_at_infinity": "less is better; ignores far pairs, inf if two coincide",
}
"""Direction and limit of one measure per cluster, as chosen in ``benchmarks/calibration/alike.py``."""


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
    t)) for distances, O(N² log N) to sort them, and about 40·N² bytes. Smelser et al. (2025); Venna and Kaski
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
    divergences = kl_pairs(X, Y, perplexity=perplexity, metric=metric)
    smallest = scale_normalized_kl_of(divergences)
    inner = divergences.inner_scale(1.0)
    trust, continuity = both_neighborhood_scores(pairs, n_neighbors)
    return ProjectionQuality(
        raw_stress=sums.raw_stress(),
        normalized_stress=math.sqrt(sums.normalized_stress()),
        scale_normalized_stress=math.sqrt(min(sums.normalized_stress(sums.optimal_scale), 1.0)),
        forced_scale_stress=math.sqrt(sums.normalized_stress(sums.max_d / sums.max_e)),
        nonmetric_stress=ranks.stress(squared=False),
        optimal_scale=sums.optimal_scale,
        shepard_goodness=ranks.correlation(),
        kl_divergence=divergences.student(inner).value,
        gaussian_kl_divergence=divergences.gaussian(inner).value,
        scale_normalized_kl=smallest.value,
        forced_scale_kl=divergences.student(1.0 / math.sqrt(divergences.farthest)).value,
        kl_at_infinity=divergences.at_infinity(),
        kl_scale=smallest.scale,
        n_kl_minima=smallest.n_minima,
        trustworthiness=trust,
        continuity=continuity,
        n_points=n_points,
        n_neighbors=n_neighbors,
        perplexity=float(perplexity),
    )
