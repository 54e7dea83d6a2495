"""Tests that the available datasets are those of the paper, and that errors say how to get the others."""

import math
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
import sklearn.datasets

from reanalyses.smelser2025.datasets import HERE, load, surveyed, table_2

# Table II of Smelser et al., as published.
TABLE_2 = {
    "iris": (149, 4), "wine": (178, 13), "swiss-roll": (1500, 3), "penguins": (342, 4), "auto-mpg": (391, 5),
    "s-curve": (1500, 3), "bank": (2059, 63), "cifar10": (3250, 1024), "cnae9": (1080, 856), "coil20": (1440, 400),
    "epileptic": (5750, 178), "fashion-mnist": (3000, 784), "fmd": (997, 1536), "har": (735, 561),
    "hatespeech": (3222, 100), "hiva": (3076, 1617), "imdb": (3250, 700), "orl": (400, 396), "secom": (1567, 590),
    "seismic": (646, 24), "sentiment": (2748, 200), "sms": (836, 500), "spambase": (4601, 57), "svhn": (733, 1024),
}  # fmt: skip

# The fraction that the survey sampled, and the number of rows from which it sampled.
SAMPLED = {
    "bank": (0.05, 41_188), "cifar10": (0.065, 50_000), "epileptic": (0.5, 11_500), "fashion-mnist": (0.05, 60_000),
    "har": (0.1, 7_352), "hatespeech": (0.13, 24_783), "hiva": (0.8, 3_845), "imdb": (0.13, 25_000),
    "seismic": (0.25, 2_584), "sms": (0.15, 5_572), "svhn": (0.01, 73_257),
}  # fmt: skip


def test_table_2_equals_the_published_table():
    table = table_2()
    shapes = dict(zip(table.index, zip(table["points"], table["dimensions"], strict=True), strict=True))
    assert shapes == TABLE_2


def test_survey_rounds_sample_sizes_down():
    """The survey rounds a fraction of N down; Table II rounds to the nearest, which is one more in three cases."""
    table = table_2()
    for name, (fraction, n) in SAMPLED.items():
        assert table.loc[name, "points_here"] == math.floor(fraction * n + 1e-9), name
        assert table.loc[name, "points"] == round(fraction * n), name
    differ = table.index[table["points"] != table["points_here"]]
    assert set(differ) == {"sms", "svhn", "hatespeech"}


@pytest.mark.parametrize("name", HERE)
def test_available_datasets_are_complete(name):
    data = load(name)
    assert data.name == name
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert np.isfinite(data.X).all()
    assert data.X.shape == (data.labels.size, len(data.feature_names))
    if name in TABLE_2:
        assert data.X.shape == TABLE_2[name]
    if data.label_names is not None:
        assert set(data.labels.tolist()) == set(range(len(data.label_names)))
    np.testing.assert_array_equal(load(name).X, data.X)


def test_published_iris_omits_its_duplicate():
    complete, published = load("iris", rows="all"), load("iris")
    np.testing.assert_array_equal(complete.X[142], complete.X[101])
    np.testing.assert_array_equal(published.X, np.delete(complete.X, 142, axis=0))
    np.testing.assert_array_equal(published.labels, np.delete(complete.labels, 142))
    assert np.unique(published.X, axis=0).shape[0] == 149


def test_published_auto_mpg_omits_the_first_car():
    complete, published = load("auto-mpg", rows="all"), load("auto-mpg")
    assert complete.X.shape == (392, 5)
    assert complete.X[0].tolist() == [12.0, 8.0, 307.0, 130.0, 3504.0]
    assert complete.labels[0] == 18.0
    np.testing.assert_array_equal(published.X, complete.X[1:])
    np.testing.assert_array_equal(published.labels, complete.labels[1:])


def write_survey_folder(folder, shape, *, y=True, dtype=np.float32):
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "X.npy", np.random.default_rng(0).random(shape).astype(dtype))
    if y:
        np.save(folder / "y.npy", np.arange(shape[0]) % 3)
    return folder


@pytest.mark.parametrize("inside", [False, True])
def test_survey_folder_is_loaded(tmp_path, inside):
    folder = write_survey_folder(tmp_path / "svhn" if inside else tmp_path, (732, 1024))
    data = load("svhn", folder=tmp_path)
    np.testing.assert_array_equal(data.X, np.load(folder / "X.npy").astype(np.float64))
    np.testing.assert_array_equal(data.labels, np.arange(732) % 3)


def test_datasets_are_downloaded_only_on_request(monkeypatch):
    fetch = Mock(side_effect=AssertionError("a download was started"))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    for name in HERE:
        load(name)
    for name in surveyed.SURVEYED:
        with pytest.raises(ValueError, match="expected folder="):
            load(name)
    with pytest.raises(AssertionError, match="a download was started"):
        load("spambase", openml=True)


@pytest.mark.parametrize("name", [name for name, entry in surveyed.SURVEYED.items() if entry.openml])
def test_openml_dataset_repeats_the_survey_sample(monkeypatch, name):
    entry, table = surveyed.SURVEYED[name], surveyed.SURVEYED[name].openml
    request = {}
    column = np.arange(table.shape[0], dtype=np.float32)

    def fetch(**options):
        request.update(options)
        # Each row is constant, so a value identifies its row, and the array takes no memory.
        data = np.broadcast_to(column[:, None], table.shape)
        return SimpleNamespace(data=data, target=np.array(["b", "a", "c"])[np.arange(table.shape[0]) % 3])

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    loaded = load(name, openml=True)
    assert request["data_id"] == table.data_id
    assert loaded.X.shape == (entry.n_points, TABLE_2[name][1])
    assert (loaded.X.min(), loaded.X.max()) == (0.0, 1.0)
    # Recover the row numbers by undoing the scaling; they are distinct and in the survey's range.
    rows = loaded.X[:, 0] * (table.n_train - 1)
    if entry.n_points < table.n_train:
        from sklearn.model_selection import train_test_split

        fraction = entry.n_points / table.n_train
        classes = np.array([1, 0, 2])[np.arange(table.n_train) % 3]
        expected, _ = train_test_split(
            np.arange(table.n_train), train_size=fraction + 1e-12, random_state=42, stratify=classes
        )
        width = expected.max() - expected.min()
        rows = loaded.X[:, 0] * width + expected.min()
        np.testing.assert_allclose(rows, expected, atol=1e-4)
    assert np.unique(rows.round()).size == entry.n_points
    np.testing.assert_array_equal(loaded.labels, np.array([1, 0, 2])[rows.round().astype(int) % 3])


def test_invalid_files_are_rejected_with_reason(tmp_path):
    with pytest.raises(FileNotFoundError, match="no data of 'bank'; expected one of"):
        load("bank", folder=tmp_path)
    write_survey_folder(tmp_path / "bank", (2059, 62))
    with pytest.raises(ValueError, match=r"shape \(2059, 62\); expected 2059 points in 63 dimensions"):
        load("bank", folder=tmp_path)
    folder = write_survey_folder(tmp_path / "seismic", (646, 24), dtype=np.float64)
    X = np.load(folder / "X.npy")
    X[7, 3] = np.nan
    np.save(folder / "X.npy", X)
    with pytest.raises(ValueError, match=r"X\.npy contains NaN or inf in 1 of 646 rows, first in row 7"):
        load("seismic", folder=folder)
    np.save(folder / "X.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="Python objects"):
        load("seismic", folder=folder)


def test_zero_rows_of_orl_are_rejected(tmp_path):
    folder = write_survey_folder(tmp_path, (400, 396))
    assert load("orl", folder=folder).X.shape == (400, 396)
    X = np.load(folder / "X.npy")
    X[40:] = 0.0
    np.save(folder / "X.npy", X)
    with pytest.raises(ValueError, match=r"X\.npy has 360 rows of zeros"):
        load("orl", folder=folder)
