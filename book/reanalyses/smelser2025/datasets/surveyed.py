"""The 18 datasets of the survey by Espadoto et al. that the projection paper uses, from a folder or OpenML.

No package provides them. The survey sampled most datasets without replacement, stratified by class, and scaled every
column to [0, 1] in float32, so that min–max scaling changes them only by rounding, and the published mismatch of
preprocessing does not affect them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from reanalyses.smelser2025.datasets import preprocessing

FloatArray: TypeAlias = npt.NDArray[np.float64]

SEED = 42
"""Seed that the survey used to draw rows."""


@dataclass(frozen=True)
class OpenML:
    """A table on OpenML, and its relation to the data of the survey."""

    #: name, data_id: identifiers for OpenML and scikit-learn's `fetch_openml`.
    name: str
    data_id: int
    shape: tuple[int, int]  #: Numbers of rows and of columns without the class; other tables are rejected.
    n_train: int  #: Number of leading rows from which the survey sampled.
    columns: tuple[int, int]  #: First column used, and one after the last.


@dataclass(frozen=True)
class Surveyed:
    """A dataset of the survey."""

    kind: str  #: Type according to Table II.
    reported: tuple[int, int]  #: Numbers of points and dimensions in Table II.
    #: Number of rows in the survey's file; for samples, scikit-learn rounds down, and Table II sometimes rounds up.
    n_points: int
    content: str  #: Description of the data.
    openml: OpenML | None = None  #: Location on OpenML.


def _read() -> dict[str, Surveyed]:
    entries = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for entry in entries.values():
        entry["reported"] = tuple(entry["reported"])
        if "openml" in entry:
            table: dict[str, Any] = entry["openml"]
            pairs = {key: tuple(table[key]) for key in ("shape", "columns")}
            entry["openml"] = OpenML(**table | pairs)
    return {name: Surveyed(**entry) for name, entry in entries.items()}


SURVEYED: Mapping[str, Surveyed] = _read()
"""Descriptions of the datasets, keyed by the name that `datasets.load` accepts."""


def load(
    name: str, *, folder: str | PathLike[str] | None = None, openml: bool = False
) -> tuple[FloatArray, npt.NDArray[Any] | None]:
    """Read the points and classes of a dataset of the survey from a folder, or fetch them from OpenML.

    The tables of OpenML have the rows and the order of the survey's sources, except that those of har and hiva
    have more rows, so that other rows are drawn from them.
    """
    entry = SURVEYED[name]
    if folder is not None:
        return _from_folder(name, entry, Path(folder))
    if openml and entry.openml is not None:
        return _from_openml(entry, entry.openml)
    remedy = (
        f"folder=…, the folder with X.npy and y.npy of {name!r} from the supplement of the survey of Espadoto et al. "
        '("Toward a quantitative survey of dimension reduction techniques", datasets page of its repository proj-quant-eval)'
    )
    if entry.openml is not None:
        remedy += ", or openml=True, which downloads it"
    if openml:
        raise ValueError(f"openml is True, but OpenML has no table of {name!r}; expected {remedy}")
    raise ValueError(f"{name!r} ({entry.content}) is not bundled with the package; expected {remedy}")


def _from_folder(name: str, entry: Surveyed, folder: Path) -> tuple[FloatArray, npt.NDArray[Any] | None]:
    spellings = dict.fromkeys((name, name.replace("-", "_"), name.replace("-", "")))
    folders = [folder, *(folder / spelling for spelling in spellings)]
    source = next((path for path in folders if (path / "X.npy").is_file()), None)
    if source is None:
        files = ", ".join(str(path / "X.npy") for path in folders)
        raise FileNotFoundError(f"folder contains no data of {name!r}; expected one of {files}")
    stored = np.load(source / "X.npy", mmap_mode="r", allow_pickle=False)
    _check_surveyed_shape(
        stored.shape, str(source / "X.npy"), {entry.n_points, entry.reported[0]}, entry.reported[1]
    )
    X = np.array(checks.as_points(np.array(stored), "X.npy"), dtype=np.float64)
    n_zero_rows = int(np.count_nonzero(~X.any(axis=1)))
    if name == "orl" and n_zero_rows:  # most of the survey's images of faces were lost when they were saved
        raise ValueError(
            f"X.npy has {n_zero_rows} rows of zeros, like the survey's damaged file of the ORL faces; expected the 400 faces "
            "(sklearn.datasets.fetch_olivetti_faces has a version of 64 × 64 pixels)"
        )
    labels = None
    if (source / "y.npy").is_file():
        labels = np.load(source / "y.npy", allow_pickle=False).squeeze()
    return X, labels


def _from_openml(entry: Surveyed, table: OpenML) -> tuple[FloatArray, npt.NDArray[Any]]:
    from sklearn.datasets import fetch_openml
    from sklearn.model_selection import train_test_split

    data = fetch_openml(data_id=table.data_id, as_frame=False, parser="auto")
    X = data.data.toarray() if checks.is_sparse(data.data) else np.asarray(data.data)
    source = f"OpenML, {table.name} (data_id {table.data_id})"
    _check_surveyed_shape(X.shape, source, {table.shape[0]}, table.shape[1])
    labels = np.unique(np.asarray(data.target), return_inverse=True)[1].ravel()
    rows = np.arange(table.n_train)
    if entry.n_points < table.n_train:
        rows, _ = train_test_split(
            rows, train_size=entry.n_points, random_state=SEED, stratify=labels[: table.n_train]
        )
    points = np.asarray(X[rows, table.columns[0] : table.columns[1]], dtype=np.float64)
    checks.raise_if_not_finite(points, source)
    return preprocessing.scale(points, scaling="minmax"), labels[rows]


def _check_surveyed_shape(shape: Sequence[int], source: str, n_points: Set[int], n_dimensions: int) -> None:
    """Raise ValueError unless a table has the known size."""
    if len(shape) != 2 or shape[0] not in n_points or shape[1] != n_dimensions:
        rows = " or ".join(str(number) for number in sorted(n_points))
        raise ValueError(
            f"{source} has shape {tuple(shape)}; expected {rows} points in {n_dimensions} dimensions"
        )
