"""Tests of results that decide claims of Roychowdhury et al. (2025), by direct computation."""

import numpy as np
import pandas as pd
import pytest

from reanalyses.roychowdhury2024 import claims, experiments


def test_further_models_bound_the_published_correlations():
    without_further = experiments.table_1_with_further_models(n_further=0)
    assert without_further["least"].to_numpy() == pytest.approx(without_further["from_rows"].to_numpy())
    assert without_further["greatest"].to_numpy() == pytest.approx(without_further["from_rows"].to_numpy())
    with_further = experiments.table_1_with_further_models()
    assert (with_further["least"] < without_further["least"]).all()
    assert (with_further["greatest"] > without_further["greatest"]).all()
    table = claims.printed()
    corners = pd.DataFrame({"accuracy": [57.12] * 3 + [81.67] * 3, "coe": [91.98] * 3 + [84.88] * 3})
    x, y = (np.r_[table[name], corners[name]] for name in ("accuracy", "coe"))
    assert with_further["least"][0] - 1e-9 <= np.corrcoef(x, y)[0, 1] <= with_further["greatest"][0]


def test_least_ndcg_width_does_not_depend_on_sample_size():
    values = np.array(claims.printed_ndcg_widths().values)
    at_100 = experiments.printed_ndcg_widths()["at_100_low"].to_numpy()
    normal = (
        20 * 1.959964 * np.sqrt(claims.printed()["accuracy"] / 100 * (1 - claims.printed()["accuracy"] / 100))
    )
    assert values == pytest.approx(at_100 * claims.printed()["accuracy_width"].to_numpy() / normal.to_numpy())


def test_whole_ranking_ndcg_width_limits():
    # At rank 1, hits have a gain of 1, and the mean exceeds the published one for any gains of the misses.
    assert np.isnan(experiments.whole_ranking_ndcg_widths(1)).all()
    # Misses with a positive gain are closer to the hits.
    assert (experiments.whole_ranking_ndcg_widths(7) < claims.least_ndcg_widths().to_numpy()).all()
