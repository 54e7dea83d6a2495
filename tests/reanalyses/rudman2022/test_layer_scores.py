"""Tests that stored scores of models are complete, within their ranges, and consistent."""

import numpy as np
import pytest

from isotropy_lab.isotropy import dimensions_used
from reanalyses.rudman2022.layer_scores import decoder_scores, load_decoder_tokens, scores_without_outliers


def test_decoder_scores():
    table = decoder_scores()
    wide = table.pivot(index=["tokens", "layer"], columns="score", values="value")
    assert wide.index.levels[1].tolist() == list(range(31))
    assert not wide.isna().any().any()
    assert table["n_dimensions"].eq(576).all()
    n_points = table.groupby("tokens")["n_points"].first()
    assert n_points["all"] - n_points["without_first"] == 300  # one first token per sentence
    for score in ("isoscore", "average_cosine_score", "partition_score", "id_score", "varex_score"):
        assert wide[score].between(0, 1 + 1e-9).all()
    assert wide["dimensions_used"].between(1, 576).all()
    # IsoScore is an affine function of dimensions used (Rudman et al. 2022, Section 4.3).
    k = wide["dimensions_used"]
    np.testing.assert_allclose(wide["isoscore"], (k - 1) / 575, atol=2e-6)
    np.testing.assert_allclose(wide["average_cosine_score"], 1 - wide["average_cosine"].abs(), atol=1e-6)
    bounded = table.dropna(subset=["low"])
    assert set(bounded["score"]) >= {"isoscore"}
    assert (bounded["low"] <= bounded["value"]).all()
    assert (bounded["value"] <= bounded["high"]).all()


def test_the_tokens_are_those_of_the_scores():
    data = load_decoder_tokens()
    first = data.position == 0
    assert data.X.shape == (3_750, 576)
    assert data.coordinate.shape == (31, 3_750)
    assert data.spectra.shape == (31, 3, 576)
    # The first tokens are the first of their sentences, one each.
    assert first.sum() == len(set(data.sentence)) == 120
    np.testing.assert_array_equal(first, np.diff(data.sentence, prepend=-1) == 1)
    # Layer 28 is here in full: its coordinate, and its eigenvalues for three choices of tokens.
    np.testing.assert_array_equal(data.coordinate[28], data.X[:, 507])
    far = np.abs(data.coordinate[28]) > 300
    for spectrum, kept in zip(data.spectra[28], (first | ~first, ~first, ~first & ~far), strict=True):
        found = np.linalg.eigvalsh(np.cov(data.X[kept].T))[::-1]
        np.testing.assert_allclose(spectrum[:100], found[:100], rtol=1e-3)  # X is rounded to float16
    # All 300 sentences use about as many dimensions in that layer as these 120.
    stored = decoder_scores().query("layer == 28 and score == 'dimensions_used'").set_index("tokens")["value"]
    for tokens, cloud in (("all", data.X), ("without_first", data.X[~first])):
        assert dimensions_used(cloud) == pytest.approx(stored[tokens], rel=0.01)


def test_few_tokens_are_those_of_the_scores():
    """The score, the coordinate and the size of its largest value are those of the other table."""
    table = scores_without_outliers().set_index("layer")
    stored = (
        decoder_scores()
        .query("tokens == 'without_first'")
        .pivot(index="layer", columns="score", values="value")
    )
    np.testing.assert_allclose(table["isoscore"], stored["isoscore"], rtol=1e-6)
    np.testing.assert_array_equal(table["coordinate"], stored["dimension_of_largest_coordinate"])
    np.testing.assert_array_equal(table["n_large"] > 0, stored["largest_coordinate"] > 300)
    assert (table["n_sentences_with_large"] <= table["n_large"]).all()
    nothing_large = table.query("n_large == 0")
    np.testing.assert_array_equal(nothing_large["isoscore_without_large"], nothing_large["isoscore"])
