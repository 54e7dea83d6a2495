"""The six tests of Rudman et al. (2022), Section 5.1 and Appendix E, and Tables 1, 2, and 3, as tidy tables.

Every test draws one base cloud and transforms it for each parameter (by shifting, stretching, or adding
coordinates or points). The paper draws a new cloud each time; one cloud represents the same populations and
gives a curve without sampling noise. Defaults are the paper's sizes. The tests return tidy tables with the
columns test, parameter, score, and value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab._core import checks
from isotropy_lab.isotropy.cosine import average_cosine_score
from isotropy_lab.isotropy.intrinsic import inverse_dimensions, nearest_others
from isotropy_lab.isotropy.participation import isoscore
from isotropy_lab.isotropy.partition import partition_score
from isotropy_lab.isotropy.variance import varex_score
from reanalyses.rudman2022 import clouds
from reanalyses.rudman2022.covariance import isoscore_from_covariance
from reanalyses.rudman2022.experiments.paper_mode import TABLE_2, table_3_scores

__all__ = [
    "all_tests",
    "five_scores",
    "mean_agnostic",
    "rotation_invariance",
    "scalar_covariance",
    "skewered_meatball",
    "table_2",
    "table_3",
]

Cloud = NDArray[np.float64]
Rng = np.random.Generator | int | None
Scores = Mapping[str, Callable[[Cloud], float]]

#: Numbers of ball points in Test 6, dense where the curve bends, up to 150,000 as in the text (Figure 7 of
#: the paper ends at 15,000).
MEATBALL_POINTS = (
    *(0, 100, 250, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000),
    *(25_000, 50_000, 100_000, 150_000),
)


def five_scores(*, n_queries: int = 250, rng: Rng = 0) -> dict[str, Callable[[Cloud], float]]:
    """Return the paper's five scores as functions of a cloud, keyed by the names of our functions."""
    seed = int(checks.as_generator(rng).integers(2**63))

    def sampled_id_score(X: Cloud) -> float:
        # `id_score` without its search for duplicates, which do not occur in samples from densities. The same
        # rows are queried each time, so that curves are smooth and a rotated cloud has the same score.
        queries = np.random.default_rng(seed).choice(len(X), size=min(n_queries, len(X)), replace=False)
        distances, _ = nearest_others(X, queries, 20)
        return float(min(1.0 / inverse_dimensions(distances).mean() / X.shape[1], 1.0))

    return {
        "isoscore": isoscore,
        "average_cosine_score": average_cosine_score,
        "partition_score": partition_score,
        "id_score": sampled_id_score,
        "varex_score": varex_score,
    }


def mean_agnostic(
    *,
    n_points: int = 100_000,
    means: Sequence[float] = tuple(range(21)),
    scores: Scores | None = None,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Test 1: shift an isotropic Gaussian cloud by μ in every coordinate; every score should remain 1."""
    generator = checks.as_generator(rng)
    base = clouds.isotropic_gaussian(n_points, 10, rng=generator)
    return _curve("mean_agnostic", ((mu, base + mu) for mu in means), scores, generator)


def scalar_covariance(
    *,
    n_points: int = 100_000,
    variances: Sequence[float] = tuple(range(1, 26)),
    scores: Scores | None = None,
    rng: Rng = 0,
) -> pd.DataFrame:
    """Test 2: multiply an isotropic covariance by λ with a fixed mean; every score should remain 1.

    The text and Figure 6 of Rudman et al. (2022) state zero mean, and Appendix E states mean (3, 3, 3, 3, 3).
    Only the latter, which is the default, makes the cosine and partition scores fail as in Table 1.
    """
    generator = checks.as_generator(rng)
    base = clouds.isotropic_gaussian(n_points, 5, rng=generator)
    return _curve("scalar_covariance", ((v, base * np.sqrt(v) + 3.0) for v in variances), scores, generator)


def maximum_variance(*, n_points: int = 100_000, scores: Scores | None = None, rng: Rng = 0) -> pd.DataFrame:
    """Test 3: stretch one axis of an isotropic cloud to variance x; every score should decrease to 0."""
    generator = checks.as_generator(rng)
    base = clouds.isotropic_gaussian(n_points, 10, rng=generator)
    is_stretched = np.arange(10) == 0
    cases = ((x, base * np.where(is_stretched, np.sqrt(x), 1.0)) for x in range(1, 76))
    return _curve("maximum_variance", cases, scores, generator)


def rotation_invariance(
    *, n_points: int = 100_000, scores: Scores | None = None, rng: Rng = 0
) -> pd.DataFrame:
    """Test 4: rotate a correlated cloud in the plane; every score should remain unchanged."""
    generator = checks.as_generator(rng)
    base = clouds.correlated_pair(n_points, correlation=0.8, rng=generator)
    rotated = [(f"X {angle:.0f}°", clouds.rotate(base, angle)) for angle in (120.0, 240.0)]
    cases = [("X", base), *rotated, ("X PCA", clouds.pca_reorient(base))]
    return _curve("rotation_invariance", cases, scores, generator)


def dimensions_used_fraction(
    *, n_points: int = 100_000, scores: Scores | None = None, rng: Rng = 0
) -> pd.DataFrame:
    """Test 5, part 1: use k of n dimensions; scores should increase linearly from 0 through 1/2 to 1."""
    generator = checks.as_generator(rng)
    n_dimensions = 25
    base = clouds.isotropic_gaussian(n_points, n_dimensions, rng=generator)
    used = np.arange(n_dimensions)
    cases = ((k, base * (used < k)) for k in range(1, n_dimensions + 1))
    return _curve("dimensions_used_fraction", cases, scores, generator)


def dimensions_used_high(
    *, n_points: int = 100_000, scores: Scores | None = None, rng: Rng = 0
) -> pd.DataFrame:
    """Test 5, part 2: increase the dimension n of isotropic clouds; every score should remain 1."""
    generator = checks.as_generator(rng)
    base = clouds.isotropic_gaussian(n_points, 100, rng=generator)
    views = ((n, np.ascontiguousarray(base[:, :n])) for n in range(2, 101))
    return _curve("dimensions_used_high", views, scores, generator)


def skewered_meatball(
    *, ball_points: Sequence[int] = MEATBALL_POINTS, scores: Scores | None = None, rng: Rng = 0
) -> pd.DataFrame:
    """Test 6: add points of a ball to a line; scores should increase from 0 to 1, with 1/2 at equal counts."""
    generator = checks.as_generator(rng)
    cloud = clouds.skewered_meatball(max(ball_points), n_line=1_000, rng=generator)
    return _curve("skewered_meatball", ((b, cloud[: 1_000 + b]) for b in ball_points), scores, generator)


def all_tests(
    *, n_points: int = 100_000, scores: Scores | None = None, rng: Rng = 0
) -> dict[str, pd.DataFrame]:
    """Run the six tests, and return their seven curves by name (Test 5 has two).

    At the paper's sizes, 263 clouds are scored; intrinsic dimension takes nearly all of the time.
    """
    generator = checks.as_generator(rng)
    balls = tuple(b for b in MEATBALL_POINTS if b <= 1.5 * n_points)
    curves = (
        mean_agnostic(n_points=n_points, scores=scores, rng=generator),
        scalar_covariance(n_points=n_points, scores=scores, rng=generator),
        maximum_variance(n_points=n_points, scores=scores, rng=generator),
        rotation_invariance(n_points=n_points, scores=scores, rng=generator),
        dimensions_used_fraction(n_points=n_points, scores=scores, rng=generator),
        dimensions_used_high(n_points=n_points, scores=scores, rng=generator),
        skewered_meatball(ball_points=balls, scores=scores, rng=generator),
    )
    return {str(curve["test"].iloc[0]): curve for curve in curves}


def table_2() -> pd.DataFrame:
    """Return Table 2, the IsoScore of the covariance I_n^(k), with (k − 1)/(n − 1) and the reported value.

    The columns are k, isoscore, formula, and printed.
    """
    n = 9
    ks = np.arange(1, n + 1)
    values = [isoscore_from_covariance(np.diag((np.arange(n) < k).astype(float))) for k in ks]
    return pd.DataFrame({"k": ks, "isoscore": values, "formula": (ks - 1) / (n - 1), "printed": TABLE_2})


def table_3(*, paper_mode: bool = False, n_points: int = 100_000, rng: Rng = 0) -> pd.DataFrame:
    """Return Table 3, the five scores of a correlated cloud in four orientations.

    The index is the cloud, and there is one column per score.
    """
    generator = checks.as_generator(rng)
    scores = table_3_scores(rng=generator) if paper_mode else five_scores(rng=generator)
    curve = rotation_invariance(n_points=n_points, scores=scores, rng=generator)
    table = curve.pivot(index="parameter", columns="score", values="value")
    table = table.loc[list(dict.fromkeys(curve["parameter"])), list(scores)]
    return table.rename_axis(index="cloud", columns=None)


def _curve(
    test: str,
    cases: Iterable[tuple[float, Cloud]] | Iterable[tuple[str, Cloud]],
    scores: Scores | None,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return every score of every cloud as tidy rows."""
    functions = five_scores(rng=generator) if scores is None else scores
    rows = [
        (test, parameter, name, float(function(cloud)))
        for parameter, cloud in cases
        for name, function in functions.items()
    ]
    return pd.DataFrame(rows, columns=["test", "parameter", "score", "value"])
