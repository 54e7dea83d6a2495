"""Datasets of the projection paper: those available here, and instructions for obtaining the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from reanalyses import records
from reanalyses.smelser2025.datasets import surveyed

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """A dataset with the names of its classes and columns."""

    name: str  #: Name accepted by `load`.
    X: FloatArray  #: Points in float64; those from the survey are scaled to [0, 1], all others are raw.
    #: Classes (integers that index `label_names`, if these are known) or a quantity (float64), for colors.
    labels: npt.NDArray[Any] | None
    label_names: tuple[str, ...] | None  #: Names of the classes.
    feature_names: tuple[str, ...]  #: Names of the n columns.


#: Well-known datasets of Table II: type, published numbers of points and dimensions, and the source here.
_WELL_KNOWN = {
    "iris": ("tabular", 149, 4, "scikit-learn"),
    "wine": ("tabular", 178, 13, "scikit-learn"),
    "swiss-roll": ("synthetic", 1500, 3, "generated"),
    "penguins": ("tabular", 342, 4, "bundled"),
    "auto-mpg": ("multivariate", 391, 5, "bundled"),
    "s-curve": ("synthetic", 1500, 3, "generated"),
}
#: Images that replace the paper's image sets, which are not available here.
_SUBSTITUTES = ("digits", "mnist-5k", "mnist-1500")
#: Names of the datasets that are available here.
HERE = (*_WELL_KNOWN, *_SUBSTITUTES)


def load(
    name: str, *, rows: str = "printed", folder: str | PathLike[str] | None = None, openml: bool = False
) -> Dataset:
    """Return a dataset by name, with the rows that the paper used ("printed") or with "all" of them.

    Nothing is downloaded unless `openml` is True. Files are never unpickled.
    """
    checks.check_option(name, "name", (*HERE, *surveyed.SURVEYED))
    if name in surveyed.SURVEYED:
        X, labels = surveyed.load(name, folder=folder, openml=openml)
        return Dataset(name, X, labels, None, tuple(f"x{i}" for i in range(X.shape[1])))
    return _LOADERS[name](rows)


def table_2() -> pd.DataFrame:
    """Return Table II of Smelser et al.: reported sizes, with the number of points and the source here."""
    rows = [
        (name, kind, n_points, n_dimensions, len(load(name).X), source)
        for name, (kind, n_points, n_dimensions, source) in _WELL_KNOWN.items()
    ]
    rows += [
        (name, entry.kind, *entry.reported, entry.n_points, "folder or OpenML" if entry.openml else "folder")
        for name, entry in surveyed.SURVEYED.items()
    ]
    columns = ["dataset", "type", "points", "dimensions", "points_here", "where"]
    return pd.DataFrame(rows, columns=columns).set_index("dataset")


def _with_classes(name: str, bunch: Any) -> Dataset:
    """Return a dataset of scikit-learn with named classes."""
    X = np.ascontiguousarray(bunch.data, dtype=np.float64)
    label_names = tuple(map(str, bunch.target_names))
    return Dataset(name, X, np.asarray(bunch.target), label_names, tuple(bunch.feature_names))


def _iris(rows: str) -> Dataset:
    """Return iris, of which the paper excludes row 142, a duplicate of row 101 (counted from 0)."""
    from sklearn.datasets import load_iris

    dataset = _with_classes("iris", load_iris())
    if rows == "all":
        return dataset
    distinct = np.sort(np.unique(dataset.X, axis=0, return_index=True)[1])
    return replace(dataset, X=dataset.X[distinct], labels=np.asarray(dataset.labels)[distinct])


def _wine(_: str) -> Dataset:
    """Return wine, whose raw distances depend almost only on proline, the one column in the hundreds."""
    from sklearn.datasets import load_wine

    return _with_classes("wine", load_wine())


def _digits(_: str) -> Dataset:
    from sklearn.datasets import load_digits

    return _with_classes("digits", load_digits())


def _surface(name: str, _: str) -> Dataset:
    """Return points on a surface, which the paper draws without a seed; labels are positions along it."""
    from sklearn.datasets import make_s_curve, make_swiss_roll

    make = make_swiss_roll if name == "swiss-roll" else make_s_curve
    X, positions = make(n_samples=1500, noise=0.0, random_state=0)
    return Dataset(name, np.ascontiguousarray(X), positions, None, ("x", "y", "z"))


def _penguins(_: str) -> Dataset:
    """Return penguins, whose raw distances depend almost only on body mass, which is in grams."""
    frame = pd.read_csv(records.data_file("smelser2025", "penguins.csv"))
    species = ("Adelie", "Chinstrap", "Gentoo")
    columns = [column for column in frame.columns if column != "species"]
    labels = frame["species"].map({name: i for i, name in enumerate(species)}).to_numpy(dtype=np.intp)
    return Dataset("penguins", _matrix(frame, columns), labels, species, tuple(columns))


def _auto_mpg(rows: str) -> Dataset:
    """Return cars, whose raw distances depend almost only on weight; the paper lost the first car to a header."""
    frame = pd.read_csv(records.data_file("smelser2025", "auto-mpg.csv"))
    if rows == "printed":
        # The paper's first pipeline treated the first row of this file, which has no header, as a header.
        frame = frame.iloc[1:]
    columns = ["acceleration", "cylinders", "displacement", "horsepower", "weight"]
    mpg = frame["mpg"].to_numpy(dtype=np.float64)
    return Dataset("auto-mpg", _matrix(frame, columns), mpg, None, tuple(columns))


def _matrix(frame: pd.DataFrame, columns: list[str]) -> FloatArray:
    return np.ascontiguousarray(frame[columns], dtype=np.float64)


def _mnist(name: str, per_digit: int, _: str) -> Dataset:
    """Return the first images of each digit, 28 × 28 pixels with gray values from 0 to 255."""
    with np.load(records.data_file("smelser2025", "mnist-5k.npz"), allow_pickle=False) as stored:
        X, y = stored["X"], stored["y"]
    rows = np.concatenate([np.flatnonzero(y == digit)[:per_digit] for digit in range(10)])
    label_names, feature_names = tuple(map(str, range(10))), tuple(f"pixel{i}" for i in range(784))
    return Dataset(name, X[rows].astype(np.float64), y[rows].astype(np.intp), label_names, feature_names)


_LOADERS: dict[str, Callable[[str], Dataset]] = {
    "iris": _iris,
    "wine": _wine,
    "swiss-roll": partial(_surface, "swiss-roll"),
    "penguins": _penguins,
    "auto-mpg": _auto_mpg,
    "s-curve": partial(_surface, "s-curve"),
    "digits": _digits,
    "mnist-5k": partial(_mnist, "mnist-5k", 500),
    "mnist-1500": partial(_mnist, "mnist-1500", 150),
}
