"""The 18 datasets of the survey by Espadoto et al. that the projection paper uses, from a folder or OpenML.

No package provides them. The survey sampled most datasets without replacement, stratified by class, and scaled every
column to [0, 1] in float32, so that min–max scaling changes them only by rounding, and the published mismatch of
preprocessing does not affect them.
"""

from __future__ import annotations

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


SURVEYED: Mapping[str, Surveyed] = {
    "bank": Surveyed(
        "multivariate", (2059, 63), 2059, "5% of the 41,188 calls of bank-additional-full (UCI, bank marketing)"
    ),
    "cifar10": Surveyed(
        "image", (3250, 1024), 3250, "the green channel of 6.5% of the 50,000 training images of CIFAR-10",
        OpenML("CIFAR_10", 40927, (60_000, 3072), 50_000, (1024, 2048)),
    ),
    "cnae9": Surveyed(
        "text", (1080, 856), 1080, "word counts of descriptions of Brazilian companies (UCI, CNAE-9)",
        OpenML("cnae-9", 1468, (1080, 856), 1080, (0, 856)),
    ),
    "coil20": Surveyed("image", (1440, 400), 1440, "20 × 20 reductions of the images of COIL-20"),
    "epileptic": Surveyed(
        "tabular", (5750, 178), 5750, "half of the 11,500 recordings of epileptic seizure recognition (UCI)"
    ),
    "fashion-mnist": Surveyed(
        "image", (3000, 784), 3000, "5% of the 60,000 training images of Fashion-MNIST",
        OpenML("Fashion-MNIST", 40996, (70_000, 784), 60_000, (0, 784)),
    ),
    "fmd": Surveyed(
        "image", (997, 1536), 997, "Inception-ResNet-v2 features of the Flickr material database"
    ),
    "har": Surveyed(
        "multivariate", (735, 561), 735, "10% of the 7,352 training rows of human activity recognition with smartphones (UCI)",
        OpenML("har", 1478, (10_299, 561), 10_299, (0, 561)),
    ),
    "hatespeech": Surveyed(
        "text", (3222, 100), 3221, "TF-IDF of 13% of 24,783 tweets labeled for hate speech"
    ),
    "hiva": Surveyed(
        "tabular", (3076, 1617), 3076, "80% of the 3,845 training rows of HIVA (molecules screened against HIV)",
        OpenML("hiva_agnostic", 1039, (4229, 1617), 4229, (0, 1617)),
    ),
    "imdb": Surveyed("text", (3250, 700), 3250, "TF-IDF of 13% of the 25,000 training reviews of IMDB"),
    "orl": Surveyed(
        "image", (400, 396), 400, "22 × 18 reductions of the ORL faces"
    ),
    "secom": Surveyed(
        "multivariate", (1567, 590), 1567, "sensors of a semiconductor line (UCI, SECOM), gaps filled with 0"
    ),
    "seismic": Surveyed(
        "multivariate", (646, 24), 646, "a quarter of the 2,584 shifts of seismic-bumps (UCI), categories as 0 and 1"
    ),
    "sentiment": Surveyed("text", (2748, 200), 2748, "TF-IDF of labeled sentences (UCI, sentiment labeled sentences)"),
    "sms": Surveyed("text", (836, 500), 835, "TF-IDF of 15% of 5,572 text messages (UCI, SMS spam collection)"),
    "spambase": Surveyed(
        "text", (4601, 57), 4601, "word and character frequencies of e-mails (UCI, Spambase)",
        OpenML("spambase", 44, (4601, 57), 4601, (0, 57)),
    ),
    "svhn": Surveyed(
        "image", (733, 1024), 732, "the green channel of 1% of the 73,257 training images of SVHN, cropped digits"
    ),
}  # fmt: skip
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
