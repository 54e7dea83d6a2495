"""Direct computations of results that decide the claims of Roychowdhury et al. (2025)."""

import numpy as np
import pandas as pd
import pytest

from reanalyses.roychowdhury2024 import claims, experiments


def test_further_models_leave_the_printed_rows_between_their_bounds():
    alone = experiments.table_1_with_further_models(n_further=0)
    assert alone["least"].to_numpy() == pytest.approx(alone["from_rows"].to_numpy())
    assert alone["greatest"].to_numpy() == pytest.approx(alone["from_rows"].to_numpy())
    six = experiments.table_1_with_further_models()
    assert (six["least"] < alone["least"]).all()
    assert (six["greatest"] > alone["greatest"]).all()
    table = claims.printed()
    corners = pd.DataFrame({"accuracy": [57.12] * 3 + [81.67] * 3, "coe": [91.98] * 3 + [84.88] * 3})
    x, y = (np.r_[table[name], corners[name]] for name in ("accuracy", "coe"))
    assert six["least"][0] - 1e-9 <= np.corrcoef(x, y)[0, 1] <= six["greatest"][0]


def test_the_least_width_of_ndcg_does_not_depend_on_the_size_of_samples():
    values = np.array(claims.printed_ndcg_widths().values)
    at_100 = experiments.printed_ndcg_widths()["at_100_low"].to_numpy()
    normal = (
        20 * 1.959964 * np.sqrt(claims.printed()["accuracy"] / 100 * (1 - claims.printed()["accuracy"] / 100))
    )
    assert values == pytest.approx(at_100 * claims.printed()["accuracy_width"].to_numpy() / normal.to_numpy())


def test_the_least_width_of_a_whole_ranking_by_hand():
    # Accuracy at 1: hits have a gain of 1, so that the mean is more than is printed, whatever the misses have.
    assert np.isnan(experiments.whole_ranking_ndcg_widths(1)).all()
    # Misses that gain something leave less between them and the hits.
    assert (experiments.whole_ranking_ndcg_widths(7) < claims.least_ndcg_widths().to_numpy()).all()
