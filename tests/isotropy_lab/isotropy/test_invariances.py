"""Tests of the invariances of the isotropy measures; test_scores checks when each score must change."""

import numpy as np

from isotropy_lab import isotropy
from tests.isotropy_lab.invariance import invariance_test


def random_points(seed):
    return (np.random.default_rng(seed).standard_normal((60, 24)) * np.arange(1, 25) ** -0.5 + 0.3,)


def isoscore_interval_values(X):
    interval = isotropy.isoscore_interval(X)
    return interval.low, interval.estimate, interval.high


MOTION = "rotation translation order map"
test_scores_are_invariant = invariance_test(
    random_points,
    {
        "isoscore": (isotropy.isoscore, f"{MOTION} scale tiny huge single", 1e-6),
        "average cosine": (isotropy.average_cosine, "rotation order map lengths tiny huge", 1e-11),
        "partition": (isotropy.partition_score, "rotation order map single", 1e-5),
        "varex": (isotropy.varex_score, f"{MOTION} scale tiny huge single", 1e-6),
        "dimension": (isotropy.intrinsic_dimension, f"{MOTION} scale huge single", 1e-9),
        "interval": (isoscore_interval_values, f"{MOTION} scale tiny huge", 1e-9),
    },
)
