"""Invariances of the projection measures."""

import dataclasses

import numpy as np

from isotropy_lab import projection
from tests.isotropy_lab.invariance import invariance_test


def pair(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 4))
    return X, X[:, :2] @ rng.standard_normal((2, 2)) + 0.5 * rng.standard_normal((40, 2))


def ranks(X, Y):
    return projection.shepard_goodness(X, Y), projection.nonmetric_stress(X, Y)


def neighborhoods(X, Y):
    found = projection.neighborhood_scores(X, Y, n_neighbors=[3, 15])
    return *found.trustworthiness, *found.continuity, projection.neighborhood_curve(X, Y).auc


def smallest_kl(X, Y):
    return projection.scale_normalized_kl(X, Y, perplexity=7).value


def estimate(measure):
    return lambda X, Y: dataclasses.astuple(
        projection.stress_estimate(X, Y, measure=measure, n_pairs=300, rng=3)
    )[:4]


MOTION = "rotation translation order map single"
SIZES = "scale:0 scale:1"
ALL_SIZES = f"{SIZES} tiny:0 tiny:1 huge:0 huge:1"
test_measures_are_unchanged = invariance_test(
    pair,
    {
        "normalized stress": (projection.normalized_stress, f"{MOTION} scale", 1e-10),
        "scale-normalized stress": (projection.scale_normalized_stress, f"{MOTION} {ALL_SIZES}", 1e-10),
        "ranks": (ranks, f"rotation translation order map {ALL_SIZES}", 1e-9),
        "neighborhoods": (neighborhoods, f"{MOTION} {ALL_SIZES}", 1e-12),
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
test_affinities_are_unchanged = invariance_test(
    lambda seed: pair(seed)[:1],
    {
        "affinities": (
            lambda X: projection.affinities(X, perplexity=7),
            "rotation translation map single scale",
            1e-9,
        )
    },
)
