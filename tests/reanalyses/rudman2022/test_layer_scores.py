"""Stored scores of models that cannot be run here: whole, in range, and consistent with one another."""

import numpy as np
import pytest

from reanalyses.rudman2022.layer_scores import decoder_layer, decoder_scores, few_tokens


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


def test_the_layer_is_that_of_the_scores():
    layer = decoder_layer()
    used = decoder_scores().query("layer == 28 and score == 'dimensions_used'").set_index("tokens")["value"]
    for spectrum, plane, tokens in (
        (layer.eigenvalues, layer.plane, "all"),
        (layer.eigenvalues_of_others, layer.plane_of_others, "without_first"),
    ):
        assert (np.diff(spectrum) <= 0).all()
        assert spectrum.sum() ** 2 / (spectrum @ spectrum) == pytest.approx(used[tokens], rel=1e-5)
        np.testing.assert_allclose(plane.var(axis=0, ddof=1), spectrum[:2], rtol=1e-4)
        np.testing.assert_allclose(plane.mean(axis=0), 0, atol=0.01)
    # The first tokens are the first of their sentences, one each.
    assert layer.is_first.sum() == len(set(layer.sentence)) == 300
    assert len(layer.plane) - len(layer.plane_of_others) == 300


def test_few_tokens_are_those_of_the_scores():
    """The score, the coordinate and the size of its largest value are those of the other table."""
    table = few_tokens().set_index("layer")
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
    # The largest token of layer 28 is in the sentence that the stored view of the layer shows.
    layer = decoder_layer()
    others = layer.sentence[~layer.is_first]
    assert table.loc[28, "sentence_of_largest"] == others[np.abs(layer.plane_of_others[:, 0]).argmax()]
