"""Tests of the invariances of the projection measures."""

import dataclasses

from isotropy_lab import projection
from tests.isotropy_lab.invariance import invariance_test
from tests.isotropy_lab.projection.test_stress import random_pair


def rank_measures(X, Y):
    return projection.shepard_goodness(X, Y), projection.nonmetric_stress(X, Y)


def neighborhood_values(X, Y):
    scores = projection.neighborhood_scores(X, Y, n_neighbors=[3, 15])
    return *scores.trustworthiness, *scores.continuity, projection.neighborhood_curve(X, Y).auc


def smallest_kl(X, Y):
    return projection.scale_normalized_kl(X, Y, perplexity=7).value


def estimate(measure):
    return lambda X, Y: dataclasses.astuple(
        projection.stress_estimate(X, Y, measure=measure, n_pairs=300, rng=3)
    )[:4]


MOTION = "rotation translation order map single"
SIZES = "scale:0 scale:1"
ALL_SIZES = f"{SIZES} tiny:0 tiny:1 huge:0 huge:1"
test_measures_are_invariant = invariance_test(
    lambda seed: random_pair(seed, 40),
    {
        "normalized stress": (projection.normalized_stress, f"{MOTION} scale", 1e-10),
        "scale-normalized stress": (projection.scale_normalized_stress, f"{MOTION} {ALL_SIZES}", 1e-10),
        "ranks": (rank_measures, f"rotation translation order map {ALL_SIZES}", 1e-9),
        "neighborhoods": (neighborhood_values, f"{MOTION} {ALL_SIZES}", 1e-12),
        "kl": (lambda X, Y: projection.kl_divergence(X, Y, perplexity=7), f"{MOTION} scale:0", 1e-9),
        "forced-scale kl": (
            lambda X, Y: projection.forced_scale_kl(X, Y, perplexity=7),
            f"{MOTION} {SIZES}",
            1e-9,
        ),
        "scale-normalized kl": (smallest_kl, f"{MOTION} {ALL_SIZES}", 1e-9),
        "stress estimate": (estimate("scale-normalized"), f"rotation translation map single {SIZES}", 1e-6),
        "Shepard estimate": (estimate("Shepard"), f"rotation map single {SIZES}", 1e-6),
        "non-metric estimate": (estimate("non-metric"), f"rotation map single {SIZES}", 1e-6),
    },
)
test_affinities_are_invariant = invariance_test(
    lambda seed: random_pair(seed, 40)[:1],
    {
        "affinities": (
            lambda X: projection.affinities(X, perplexity=7),
            "rotation translation map single scale",
            1e-9,
        )
    },
)
