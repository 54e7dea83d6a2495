import json
import math

import pytest
from scipy.spatial.distance import cdist

from benchmarks.calibration import HERE
from isotropy_lab.projection import kl, neighbors, ranks, stress
from isotropy_lab.projection.quality import projection_quality
from tests.isotropy_lab.projection.test_kl import of_dataset


def test_each_field_is_the_measure_of_its_name():
    X, Y = of_dataset("wine", "pca2x10")
    found = projection_quality(X, Y)
    sums = stress.pair_sums(X, Y)
    assert found.raw_stress == pytest.approx(sums.raw_stress(), rel=1e-12)
    forced = sums.normalized_stress(sums.max_d / sums.max_e)
    assert found.forced_scale_stress == pytest.approx(math.sqrt(forced), rel=1e-12)
    assert found.kl_at_infinity == kl.kl_divergence(X, Y, kernel="inverse-square")
    assert found.trustworthiness == neighbors.trustworthiness(X, Y, n_neighbors=7)
    assert found.continuity == neighbors.continuity(X, Y, n_neighbors=7)
    for module, names in (
        (stress, ("normalized_stress", "scale_normalized_stress", "optimal_scale")),
        (ranks, ("nonmetric_stress", "shepard_goodness")),
        (kl, ("kl_divergence", "forced_scale_kl")),
    ):
        for name in names:
            assert getattr(found, name) == pytest.approx(getattr(module, name)(X, Y), rel=1e-12), name
    assert found.gaussian_kl_divergence == kl.kl_divergence(X, Y, kernel="gaussian")
    smallest = kl.scale_normalized_kl(X, Y)
    assert (found.scale_normalized_kl, found.kl_scale) == (smallest.value, smallest.scale)
    assert (found.n_kl_minima, found.n_points, found.n_neighbors, found.perplexity) == (1, 178, 7, 30.0)


def test_a_map_wider_than_the_data_is_refused_and_the_way_out_works():
    X, Y = of_dataset("wine", "pca2")
    with pytest.raises(ValueError, match=rf"Y has {X.shape[1]} columns and X has 2.*precomputed"):
        projection_quality(Y, X)
    found = projection_quality(cdist(Y, Y), X, metric="precomputed")
    assert (found.n_points, found.normalized_stress > 0) == (len(X), True)


@pytest.mark.parametrize(("step", "shares"), [(1, 1.0), (-1, 0.0)])  # as they are, and in another order
def test_one_measure_of_each_recorded_cluster_is_printed_and_all_are_kept(step, shares):
    X, Y = of_dataset("wine", "pca2")
    found = projection_quality(X, Y[::step])
    rows = json.loads((HERE / "alike.json").read_text(encoding="utf-8"))["map-measures"]["rows"]
    printed = {row["cluster"]: row["measure"] for row in rows if row["printed"]}
    text = " ".join(str(found).split())
    assert len(printed) == text.count("is better") == 4
    for name in printed.values():
        assert f"{name} {getattr(found, name):.4g} {'less' if 'kl' in name else 'more'} is better" in text
    trust, kept, order = 2 * found.trustworthiness - 1, 2 * found.continuity - 1, found.shepard_goodness
    assert (trust, kept, order) == pytest.approx((shares,) * 3, abs=0.15)
    assert f"neighbors are at {trust:.0%} (trustworthiness) and {kept:.0%} (continuity), " in text
    assert f"distances at {order:.0%} (Shepard goodness)" in text
    assert found._repr_html_() == f"<pre>{found}</pre>"
    assert list(found.to_frame()) == list(found.to_dict())
