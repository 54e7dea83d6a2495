"""The drawings of the YANG definitions: of these embeddings, by these methods, and as good as they must be."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist

from isotropy_lab.projection import optimal_scale, scale_normalized_stress
from reanalyses import records
from reanalyses.roychowdhury2024.datasets import drawings
from reanalyses.smelser2025.datasets import embeddings


def test_they_are_of_the_embeddings_that_are_bundled():
    found = drawings.load()
    record = records.record("roychowdhury2024", drawings.FILE)
    assert embeddings.fingerprint(found.X) == record["data"]
    assert {method: one["start"] for method, one in record["projections"].items()} == drawings.STARTS
    assert len(found.X) == len(found.texts) == len(found.modules)
    for Y in found.Y.values():
        assert Y.shape == (len(found.X), 2)
        assert np.isfinite(Y).all()


def test_principal_components_are_those_of_now_and_mds_comes_at_its_best_size():
    found = drawings.load()
    now = embeddings.compute(found.X, "pca").Y
    np.testing.assert_allclose(pdist(found.Y["pca"]), pdist(now), rtol=0, atol=1e-5)
    assert abs(optimal_scale(found.X, found.Y["mds"]) - 1) < 1e-4
    stress = {method: scale_normalized_stress(found.X, Y) for method, Y in found.Y.items()}
    assert min(stress, key=stress.__getitem__) == "mds"
