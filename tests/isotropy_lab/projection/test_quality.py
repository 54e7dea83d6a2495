"""Tests that projection_quality returns all measures and prints one of each recorded cluster."""

import json
import math

import pytest
from scipy.spatial.distance import cdist

from benchmarks.calibration import HERE
from isotropy_lab.projection import kl, neighbors, ranks, stress
from isotropy_lab.projection.quality import projection_quality
from tests.isotropy_lab.projection.test_kl import data_and_projection


def test_fields_equal_their_measures():
    X, Y = data_and_projection("wine", "pca2x10")
    scores = projection_quality(X, Y)
    sums = stress.pair_sums(X, Y)
    assert scores.raw_stress == pytest.approx(sums.raw_stress(), rel=1e-12)
    forced_stress = sums.normalized_stress(sums.max_d / sums.max_e)
    assert scores.forced_scale_stress == pytest.approx(math.sqrt(forced_stress), rel=1e-12)
    assert scores.kl_at_infinity == kl.kl_divergence(X, Y, kernel="inverse-square")
    assert scores.trustworthiness == neighbors.trustworthiness(X, Y, n_neighbors=7)
    assert scores.continuity == neighbors.continuity(X, Y, n_neighbors=7)
    for module, names in (
        (stress, ("normalized_stress", "scale_normalized_stress", "optimal_scale")),
        (ranks, ("nonmetric_stress", "shepard_goodness")),
        (kl, ("kl_divergence", "forced_scale_kl")),
    ):
        for name in names:
            assert getattr(scores, name) == pytest.approx(getattr(module, name)(X, Y), rel=1e-12), name
    assert scores.gaussian_kl_divergence == kl.kl_divergence(X, Y, kernel="gaussian")
    smallest = kl.scale_normalized_kl(X, Y)
    assert (scores.scale_normalized_kl, scores.kl_scale) == (smallest.value, smallest.scale)
    assert (scores.n_kl_minima, scores.n_points, scores.n_neighbors, scores.perplexity) == (1, 178, 7, 30.0)


def test_maps_wider_than_the_data_need_precomputed_distances():
    X, Y = data_and_projection("wine", "pca2")
    with pytest.raises(ValueError, match=rf"Y has {X.shape[1]} columns and X has 2.*precomputed"):
        projection_quality(Y, X)
    quality = projection_quality(cdist(Y, Y), X, metric="precomputed")
    assert (quality.n_points, quality.normalized_stress > 0) == (len(X), True)


@pytest.mark.parametrize(("step", "expected"), [(1, 1.0), (-1, 0.0)])  # in the original and in reverse order
def test_one_measure_of_each_cluster_is_printed(step, expected):
    X, Y = data_and_projection("wine", "pca2")
    scores = projection_quality(X, Y[::step])
    rows = json.loads((HERE / "alike.json").read_text(encoding="utf-8"))["map-measures"]["rows"]
    measures = {row["cluster"]: row["measure"] for row in rows if row["printed"]}
    text = " ".join(str(scores).split())
    assert len(measures) == text.count("is better") == 4
    for name in measures.values():
        assert f"{name} {getattr(scores, name):.4g} {'less' if 'kl' in name else 'more'} is better" in text
    trust, kept, order = (2 * scores.trustworthiness - 1, 2 * scores.continuity - 1, scores.shepard_goodness)
    assert (trust, kept, order) == pytest.approx((expected,) * 3, abs=0.15)
    assert f"neighbors are at {trust:.0%} (trustworthiness) and {kept:.0%} (continuity), " in text
    assert f"distances at {order:.0%} (Shepard goodness)" in text
    assert str(scores) in scores._repr_html_()
    assert list(scores.to_frame()) == list(scores.to_dict())
