"""Test of curves of accuracy, NDCG, and suppressed documents as the threshold rises."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reanalyses.roychowdhury2024.threshold_curve import threshold_curve
from tests.isotropy_lab.retrieval.test_thresholds import random_retrieval


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 30),
    k=st.integers(1, 6),
    method=st.sampled_from(["pooled", "gamma"]),
)
def test_threshold_curve_is_monotone(seed, n, k, method):
    similarities, ranks = random_retrieval(n, k, seed)
    curve = threshold_curve(similarities, ranks, psi=[0, 10, 50, 90, 100], method=method, n_questions=5)
    for name in ("accuracy", "ndcg"):
        assert (curve[name].diff().dropna() <= 1e-12).all()
    for name in ("threshold", "suppressed"):
        assert (curve[name].diff().dropna() >= -1e-12).all()
    hidden = [np.mean(similarities < threshold) for threshold in curve["threshold"]]
    np.testing.assert_allclose(curve["suppressed"], hidden)
    first = curve.iloc[0]
    assert first["accuracy"] == np.mean(ranks <= k)
    assert first["suppressed"] == 0
    assert (curve["ndcg"] <= curve["accuracy"] + 1e-12).all()
    assert first["threshold"] == similarities.min()
    if method == "pooled":
        assert curve["threshold"].iloc[-1] == similarities.max()
        # ψ% of the retrieved documents are below the pooled percentile, up to one document.
        assert (np.abs(curve["suppressed"] - curve["psi"] / 100) <= 1 / (n * k) + 1e-9).iloc[:-1].all()
