"""Store scores of the bundled projections of `reanalyses.smelser2025`: by seed, and with added noise.

Run: ``PYTHONPATH=book python scripts/make_projection_scores.py``, some minutes. Two ``.csv`` files are
written, each with a record. Repeated runs on the same kind of machine write identical files, except for the
date in the records.
"""

import hashlib
from datetime import date
from pathlib import Path

import pandas as pd
from making import write_record

from reanalyses.smelser2025 import stored
from reanalyses.smelser2025.experiments import WELL_KNOWN

DATA = Path(__file__).resolve().parents[1] / "book" / "reanalyses" / "smelser2025" / "data"


def write(table: pd.DataFrame, name: str, source: str) -> None:
    """Write a table with ten significant digits, and its record."""
    path = DATA / f"{name}.csv"
    table.to_csv(path, index=False, float_format="%.10g", lineterminator="\n")
    record = {
        "file": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "source": source,
        "version": "of the bundled projections; their records name the versions that made them",
        "license": "MIT, as this project",
        "script": "scripts/make_projection_scores.py",
        "made": date.today().isoformat(),
    }
    write_record(DATA / f"{name}.json", record)


def main() -> None:
    """Compute and write both tables."""
    tables = []
    for preprocess in ("consistent", "as-published"):
        for name in WELL_KNOWN:
            table = stored.compute_scores(name, preprocess=preprocess)
            # Scores without random numbers are the same for every seed, so they are stored once.
            is_constant = table.groupby("method")["sns"].transform("nunique") == 1
            rows = table[~is_constant | (table["seed"] == stored.SEEDS[0])]
            tables.append(rows.assign(preprocess=preprocess))
    write(
        pd.concat(tables),
        "scores",
        "Measures of this project on its bundled projections of six datasets, by seed",
    )
    tables = [
        stored.compute_noise(name, method, preprocess=preprocess, noise=level).assign(
            preprocess=preprocess, noise=level
        )
        for preprocess in ("consistent", "as-published")
        for level in stored.NOISE_LEVELS
        for name in stored.NOISY_DATASETS
        for method in ("mds", "tsne", "umap", "isomap", "pca", "random")
    ]
    write(
        pd.concat(tables),
        "noise",
        "Correlations of measures with steps of noise, of this project's bundled projections of four "
        "datasets, seed 0",
    )


if __name__ == "__main__":
    main()
