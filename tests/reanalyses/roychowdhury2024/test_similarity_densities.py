"""Tests of kernel density estimates of similarity samples."""

import numpy as np
import pytest
from scipy import stats

from isotropy_lab.retrieval import similarity_samples
from reanalyses.roychowdhury2024.similarity_densities import similarity_densities
from tests.isotropy_lab.retrieval.test_similarities import embeddings

pytestmark = pytest.mark.numbers


def test_densities_are_means_of_normal_densities():
    questions, documents, gold = embeddings(3, 150, 200, 8)
    samples = similarity_samples(questions, documents, gold, k=5, rng=0)
    table = similarity_densities(samples)
    assert table["sample"].drop_duplicates().to_list() == ["S_corr", "S_topK", "S_rand"]
    grids = [rows["similarity"].to_numpy() for _, rows in table.groupby("sample")]
    assert (grids[0] == grids[1]).all()
    assert (grids[0] == grids[2]).all()
    for name in ("S_corr", "S_topK", "S_rand"):
        values = getattr(samples, name).ravel()
        rows = table[table["sample"] == name]
        width = values.std(ddof=1) * values.size**-0.2  # Scott's rule
        expected = [np.mean(stats.norm.pdf(x, values, width)) for x in rows["similarity"]]
        np.testing.assert_allclose(rows["density"], expected, rtol=1e-9, atol=1e-12)
        assert np.trapezoid(rows["density"], rows["similarity"]) == pytest.approx(1, abs=0.004)
