"""Tests that available datasets are those of the paper, and that others say how to get them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn.datasets

from reanalyses.smelser2025.datasets import HERE, load, surveyed, table_2

# Table II of Smelser et al., as printed.
TABLE_2 = {
    "iris": (149, 4), "wine": (178, 13), "swiss-roll": (1500, 3), "penguins": (342, 4), "auto-mpg": (391, 5),
    "s-curve": (1500, 3), "bank": (2059, 63), "cifar10": (3250, 1024), "cnae9": (1080, 856), "coil20": (1440, 400),
    "epileptic": (5750, 178), "fashion-mnist": (3000, 784), "fmd": (997, 1536), "har": (735, 561),
    "hatespeech": (3222, 100), "hiva": (3076, 1617), "imdb": (3250, 700), "orl": (400, 396), "secom": (1567, 590),
    "seismic": (646, 24), "sentiment": (2748, 200), "sms": (836, 500), "spambase": (4601, 57), "svhn": (733, 1024),
}  # fmt: skip

# What the survey drew: fraction and size of what it drew from.
DRAWN = {
    "bank": (0.05, 41_188), "cifar10": (0.065, 50_000), "epileptic": (0.5, 11_500), "fashion-mnist": (0.05, 60_000),
    "har": (0.1, 7_352), "hatespeech": (0.13, 24_783), "hiva": (0.8, 3_845), "imdb": (0.13, 25_000),
    "seismic": (0.25, 2_584), "sms": (0.15, 5_572), "svhn": (0.01, 73_257),
}  # fmt: skip


def test_table_2_is_the_printed_one():
    table = table_2()
    printed = dict(zip(table.index, zip(table["points"], table["dimensions"], strict=True), strict=True))
    assert printed == TABLE_2


def test_the_survey_drew_fewer_rows_than_are_printed():
    """A fraction of N is rounded down; Table II rounds to the nearest, which is one more three times."""
    table = table_2()
    for name, (fraction, n) in DRAWN.items():
        assert table.loc[name, "points_here"] == math.floor(fraction * n + 1e-9), name
        assert table.loc[name, "points"] == round(fraction * n), name
    differ = table.index[table["points"] != table["points_here"]]
    assert set(differ) == {"sms", "svhn", "hatespeech"}


@pytest.mark.parametrize("name", HERE)
def test_every_dataset_that_is_here_is_whole(name):
    found = load(name)
    assert found.name == name
    assert found.X.dtype == np.float64
    assert found.X.flags.c_contiguous
    assert np.isfinite(found.X).all()
    assert found.X.shape == (found.labels.size, len(found.feature_names))
    if name in TABLE_2:
        assert found.X.shape == TABLE_2[name]
    if found.label_names is not None:
        assert set(found.labels.tolist()) == set(range(len(found.label_names)))
    np.testing.assert_array_equal(load(name).X, found.X)


def test_iris_lacks_its_duplicate():
    whole, printed = load("iris", rows="all"), load("iris")
    np.testing.assert_array_equal(whole.X[142], whole.X[101])
    np.testing.assert_array_equal(printed.X, np.delete(whole.X, 142, axis=0))
    np.testing.assert_array_equal(printed.labels, np.delete(whole.labels, 142))
    assert np.unique(printed.X, axis=0).shape[0] == 149


def test_auto_mpg_lacks_the_car_that_was_read_as_a_header():
    whole, printed = load("auto-mpg", rows="all"), load("auto-mpg")
    assert whole.X.shape == (392, 5)
    assert whole.X[0].tolist() == [12.0, 8.0, 307.0, 130.0, 3504.0]
    assert whole.labels[0] == 18.0
    np.testing.assert_array_equal(printed.X, whole.X[1:])
    np.testing.assert_array_equal(printed.labels, whole.labels[1:])


def survey_folder(folder, shape, *, y=True, dtype=np.float32):
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "X.npy", np.random.default_rng(0).random(shape).astype(dtype))
    if y:
        np.save(folder / "y.npy", np.arange(shape[0]) % 3)
    return folder


@pytest.mark.parametrize("inside", [False, True])
def test_a_folder_of_the_survey(tmp_path, inside):
    folder = survey_folder(tmp_path / "svhn" if inside else tmp_path, (732, 1024))
    found = load("svhn", folder=tmp_path)
    np.testing.assert_array_equal(found.X, np.load(folder / "X.npy").astype(np.float64))
    np.testing.assert_array_equal(found.labels, np.arange(732) % 3)


def test_nothing_is_downloaded_unless_asked(monkeypatch):
    def fetch(**options):
        raise AssertionError("a download was begun")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    for name in HERE:
        load(name)
    for name in surveyed.SURVEYED:
        with pytest.raises(ValueError, match="expected folder="):
            load(name)
    with pytest.raises(AssertionError, match="a download was begun"):
        load("spambase", openml=True)


@pytest.mark.parametrize("name", [name for name, entry in surveyed.SURVEYED.items() if entry.openml])
def test_openml_repeats_what_the_survey_did(monkeypatch, name):
    entry, table = surveyed.SURVEYED[name], surveyed.SURVEYED[name].openml
    asked = {}
    column = np.arange(table.shape[0], dtype=np.float32)

    def fetch(**options):
        asked.update(options)
        # Each row is constant, so that a value tells which row it was, and the arrays take no memory.
        data = np.broadcast_to(column[:, None], table.shape)
        return SimpleNamespace(data=data, target=np.array(["b", "a", "c"])[np.arange(table.shape[0]) % 3])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    found = load(name, openml=True)
    assert asked["data_id"] == table.data_id
    assert found.X.shape == (entry.n_points, TABLE_2[name][1])
    assert (found.X.min(), found.X.max()) == (0.0, 1.0)
    # Which rows they are, from the values before scaling: distinct, and of those that the survey drew from.
    rows = found.X[:, 0] * (table.n_train - 1)
    if entry.n_points < table.n_train:
        from sklearn.model_selection import train_test_split

        fraction = entry.n_points / table.n_train
        classes = np.array([1, 0, 2])[np.arange(table.n_train) % 3]
        expected, _ = train_test_split(
            np.arange(table.n_train), train_size=fraction + 1e-12, random_state=42, stratify=classes
        )
        span = expected.max() - expected.min()
        rows = found.X[:, 0] * span + expected.min()
        np.testing.assert_allclose(rows, expected, atol=1e-4)
    assert np.unique(rows.round()).size == entry.n_points
    np.testing.assert_array_equal(found.labels, np.array([1, 0, 2])[rows.round().astype(int) % 3])


def test_bad_files_are_refused_in_words(tmp_path):
    with pytest.raises(FileNotFoundError, match="no data of 'bank'; expected one of"):
        load("bank", folder=tmp_path)
    survey_folder(tmp_path / "bank", (2059, 62))
    with pytest.raises(ValueError, match=r"shape \(2059, 62\); expected 2059 points in 63 dimensions"):
        load("bank", folder=tmp_path)
    folder = survey_folder(tmp_path / "seismic", (646, 24), dtype=np.float64)
    X = np.load(folder / "X.npy")
    X[7, 3] = np.nan
    np.save(folder / "X.npy", X)
    with pytest.raises(ValueError, match=r"X\.npy contains NaN or inf in 1 of 646 rows, first in row 7"):
        load("seismic", folder=folder)
    np.save(folder / "X.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="Python objects"):
        load("seismic", folder=folder)


def test_the_survey_s_lost_faces_are_refused(tmp_path):
    folder = survey_folder(tmp_path, (400, 396))
    assert load("orl", folder=folder).X.shape == (400, 396)
    X = np.load(folder / "X.npy")
    X[40:] = 0.0
    np.save(folder / "X.npy", X)
    with pytest.raises(ValueError, match=r"X\.npy has 360 rows of zeros"):
        load("orl", folder=folder)
