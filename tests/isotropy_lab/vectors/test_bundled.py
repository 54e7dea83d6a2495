"""The bundled data are what their records say, and what is known of them elsewhere."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from isotropy_lab.vectors import (
    available,
    decoder_scores,
    load_word_vectors,
    provenance,
    published_layer_scores,
)
from isotropy_lab.vectors.bundled import data_file

ROOT = Path(__file__).resolve().parents[3]
DATA = data_file("x").parent
RECORDS = sorted([*DATA.glob("*.json"), Path(__file__).with_name("minilm_reference.json")])
RECORDS = [path for path in RECORDS if path.name != "association_words.json"]
NAMES = ["googlenews-weat", "googlenews-pool", "glove-weat", "glove-pool"]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_file_has_the_hash_that_its_record_states(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    content = path.with_name(record["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == record["sha256"]
    assert "license" in record or "license" in record["source"]
    if record["script"] is not None:
        assert (ROOT / record["script"]).is_file()


def test_every_bundled_file_has_a_record_and_all_are_small():
    recorded = {json.loads(path.read_text(encoding="utf-8"))["file"] for path in RECORDS}
    files = [path for path in DATA.iterdir() if path.suffix != ".json"]
    assert {path.name for path in files} <= recorded
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 12e6


@pytest.mark.parametrize("name", NAMES)
def test_extracts_have_the_recorded_shape_and_no_bad_row(name):
    record = provenance(name)
    vectors = load_word_vectors(name)
    assert list(vectors.vectors.shape) == record["shape"]
    assert vectors.vectors.dtype == np.float32
    assert np.isfinite(vectors.vectors).all()
    lengths = np.linalg.norm(vectors.vectors.astype(float), axis=1)
    if record["normalized"]:
        assert np.abs(lengths - 1).max() < 1e-3  # what float16 leaves of 1
    else:
        assert lengths.std() > 0.1
    # One row per word: no two share a vector, as in pruned collections.
    assert len(np.unique(vectors.vectors, axis=0)) == len(vectors)


def test_words_asked_are_present_or_recorded_as_missing():
    lists = json.loads(data_file("association_words.json").read_text(encoding="utf-8"))["words"]
    words = {word for line in lists.values() for word in line.split()}
    for name, expected in (("googlenews-weat", words), ("glove-weat", {word.lower() for word in words})):
        present, missing = set(load_word_vectors(name).index_to_key), set(provenance(name)["missing"])
        assert present | missing == expected
        assert not present & missing
        assert provenance(name)["words_asked"] == len(expected)


def test_the_lists_of_table_s1_are_complete_in_both_spaces():
    words = (
        "male man boy brother he him his son female woman girl sister she her hers daughter joy love peace"
    )
    words += " wonderful pleasure friend laughter happy agony terrible horrible nasty evil war awful failure"
    for name in ("googlenews-weat", "glove-weat"):
        assert all(word in load_word_vectors(name) for word in words.split())


def test_the_two_extracts_of_googlenews_point_the_same_way():
    """Two packages, one raw and one normalized, give the same directions up to the rounding of float16."""
    raw, pool = load_word_vectors("googlenews-weat"), load_word_vectors("googlenews-pool")
    shared = [word for word in raw.index_to_key if word in pool]
    assert len(shared) > 100
    a = np.stack([raw[word] / np.linalg.norm(raw[word]) for word in shared])
    b = np.stack([pool[word] / np.linalg.norm(pool[word]) for word in shared])
    assert np.linalg.norm(a - b, axis=1).max() < 2.0**-11  # the rounding of float16


def test_effect_sizes_published_by_caliskan_come_out():
    """Flowers and insects, instruments and weapons: 1.54 and 1.63 on GoogleNews (Caliskan et al., 2017)."""
    vectors = load_word_vectors("googlenews-weat")
    lists = json.loads(data_file("association_words.json").read_text(encoding="utf-8"))["words"]

    def unit(words):
        rows = np.stack([vectors[word] for word in words.split() if word in vectors]).astype(float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    # The flat lists hold the words of WEAT 5 to 8 as well, behind these 25.
    pleasant = unit(" ".join(lists["pleasant"].split()[:25]))
    unpleasant = unit(" ".join(lists["unpleasant"].split()[:25]))
    for x, y, published in (("flowers", "insects", 1.54), ("instruments", "weapons", 1.63)):
        s_x, s_y = (
            (rows @ pleasant.T).mean(axis=1) - (rows @ unpleasant.T).mean(axis=1)
            for rows in (unit(lists[x]), unit(lists[y]))
        )
        effect = (s_x.mean() - s_y.mean()) / np.concatenate([s_x, s_y]).std(ddof=1)
        assert effect == pytest.approx(published, abs=0.01)


def test_the_pools_are_in_order_of_frequency():
    assert load_word_vectors("glove-pool", limit=6).index_to_key == ["the", ",", ".", "of", "to", "and"]
    assert load_word_vectors("googlenews-pool").index_to_key[0] == "in"


def test_the_glove_extract_holds_the_published_numbers():
    """The first numbers of "the" in glove.6B.100d, as often printed."""
    stored = load_word_vectors("glove-pool")["the"][:4]
    np.testing.assert_allclose(stored, [-0.038194, -0.24487, 0.72812, -0.39961], rtol=5e-4)


def test_available_lists_what_can_be_loaded():
    table = available()
    assert list(table.index) == NAMES
    assert table["words"].tolist() == [len(load_word_vectors(name)) for name in NAMES]


def test_an_unknown_record_is_refused_with_the_known_ones():
    with pytest.raises(
        ValueError, match=r"name is 'glove'; expected one of googlenews-weat, .*smollm2_scores"
    ):
        provenance("glove")


def test_published_layer_scores():
    table = published_layer_scores()
    assert table.groupby("model")["layer"].max().to_dict() == {
        "BERT": 12,
        "DistilBERT": 6,
        "GPT": 12,
        "GPT-2": 12,
    }
    assert not table.duplicated(["model", "layer"]).any()
    assert table["isoscore"].between(0, 1).all()
    assert table.set_index(["model", "layer"]).loc[("GPT", 12), "isoscore"] == 0.1791


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


def test_the_decoder_made_sensible_predictions():
    """A model whose weights were read wrongly has a perplexity in the thousands (its vocabulary has 49,152 tokens)."""
    record = provenance("smollm2_scores")
    assert record["n_tokens"] > 5_000
    assert 5 < record["perplexity"] < 150
