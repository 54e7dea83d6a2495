"""Compilation of all loops before their first use: ``python -m isotropy_lab.projection.warm_up``.

Compilation takes about a minute, or a few seconds if the loops are already compiled. The machine code is
stored next to the package or, if that folder is not writable, in the user's cache folder; ``NUMBA_CACHE_DIR``
selects another folder. Without numba, nothing is compiled.
"""

from __future__ import annotations

import itertools
import sys
import time

import numpy as np

from isotropy_lab import projection
from isotropy_lab.projection._pairs.compilation import available

_N_POINTS = 520
"""Number of points for two tiles of 512 columns; numba compiles a separate loop for a contiguous tile."""


def warm_up() -> None:
    """Call each compiled loop with all dtypes and memory layouts that the measures use."""
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((_N_POINTS, 32))
    for part in (wide[:30], wide):
        # The loops of these measures need only distances and affinities.
        flat = part[:, :2]
        projection.projection_quality(part, flat, perplexity=5.0)
        for ties in ("primary", "secondary"):
            projection.nonmetric_stress(part, flat, ties=ties)
        for kernel in ("student-t", "gaussian"):
            projection.kl_divergence(part, flat, perplexity=5.0, kernel=kernel)
            projection.scale_normalized_kl(part, flat, perplexity=5.0, kernel=kernel)
            projection.kl_curve(part, flat, [1.0], perplexity=5.0, kernel=kernel)
    # Points with many coordinates and points with few coordinates use different distance loops.
    for dtype, n in itertools.product((np.float64, np.float32), (9, 2)):
        points = wide[:, :n].astype(dtype)
        for part in (points[:30], points):
            projection.pair_sums(part, part)
        projection.neighborhood_scores(points[:30], points[:30])
        projection.neighborhood_curve(points[:30], points[:30])
    # Products use float32, or float64 if many distances are equal.
    many = rng.integers(2, size=(_N_POINTS, 17))
    projection.neighborhood_scores(many, many[:, :2])
    distances = np.linalg.norm(wide[:, None] - wide, axis=2)
    projection.affinities(distances, perplexity=5.0, metric="precomputed")
    for part in (distances[:30, :30], distances):
        projection.neighborhood_scores(part, wide[: len(part)], metric="precomputed")
        projection.neighborhood_curve(part, wide[: len(part)], metric="precomputed")


def main() -> int:
    """Compile all loops and print how long the compilation took."""
    if not available():
        print("Without numba, nothing is compiled, and sums over all pairs of points run in NumPy.")
        return 0
    start = time.monotonic()
    warm_up()
    print(f"The loops over pairs of points are compiled ({time.monotonic() - start:.0f} s).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
