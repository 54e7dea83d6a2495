"""Tests of the invariances of the comparisons."""

import numpy as np

from isotropy_report.measures import cka, compression_costs, drift_test, neighbor_overlap
from tests.isotropy_lab.invariance import invariance_test
from tests.isotropy_report.measures.test_drift import samples
from tests.isotropy_report.measures.test_similarity import related


def drift_values(A, B):
    result = drift_test(A, B, n_resamples=99, rng=0)
    return result.coefficient, result.pvalue


SIDES = "rotation translation order map scale:0 scale:1 tiny huge"
test_similarities_are_invariant = invariance_test(
    lambda seed: related(seed, 40),
    {
        "cka": (lambda A, B: cka(A, B, n_resamples=0).statistic, f"{SIDES} single exchange", 1e-8),
        "neighbors": (
            lambda A, B: (neighbor_overlap(A, B, k=6).overlap, neighbor_overlap(A, B, k=6).standard_error),
            "rotation order map lengths tiny huge single exchange",
            1e-12,
        ),
    },
)
test_drift_is_invariant = invariance_test(
    lambda seed: samples(seed, shift=0.3),
    {"energy": (drift_values, "rotation scale tiny huge map single", 1e-9)},
)
test_costs_are_invariant = invariance_test(
    lambda seed: (np.random.default_rng(seed).standard_normal((80, 16)),),
    {
        "costs": (
            lambda X: compression_costs(X, dimensions=[8], k=4, rng=0).to_frame()["overlap"],
            "scale tiny huge map",
            1e-12,
        )
    },
)
