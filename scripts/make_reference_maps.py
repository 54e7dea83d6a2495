"""Score maps of eight bundled data sets, with which `isotropy-lab map` compares the scores of a map.

Run: ``python scripts/make_reference_maps.py``, in the book's environment, without network; about ten minutes.
It writes reference-maps.csv and its record into isotropy_report/maps/data.

PCA, MDS, Isomap, and t-SNE (which starts at the principal components, as in scikit-learn) are computed here.
UMAP maps are those that the repository holds of six of the data sets (scripts/make_embeddings.py); they
start at random positions.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from isotropy_report.maps.measures import map_scores
from reanalyses.roychowdhury2024.datasets import encoders
from reanalyses.smelser2025 import datasets
from reanalyses.smelser2025.datasets import embeddings, preprocessing

OUTPUT = Path(__file__).resolve().parents[1] / "isotropy_report" / "maps" / "data" / "reference-maps.csv"
WITH_UMAP = ("iris", "wine", "penguins", "auto-mpg", "digits", "mnist-1500")
INITS = {"PCA": None, "MDS": "classical", "Isomap": None, "t-SNE": "pca", "UMAP": "random"}
MEASURES = ("trustworthiness", "continuity", "stress", "false_neighbors", "reversed_triples",
            "density_correlation")  # fmt: skip
NEIGHBORS = 10


def data() -> Iterator[tuple[str, Any]]:
    """Yield the data sets, with columns of tables scaled to the unit interval, and unscaled embeddings."""
    for name in (*WITH_UMAP, "mnist-5k"):
        yield name, preprocessing.scale(datasets.load(name).X)
    yield "breast-cancer", preprocessing.scale(load_breast_cancer().data)
    yield "sentences", encoders.load("MiniLM", "yang").documents[0].astype(np.float64)


def placed(name: str, X: Any, kind: str) -> Any:
    """Return the map of a data set."""
    method, init = kind.lower().replace("-", ""), INITS[kind]
    if kind == "UMAP":
        return embeddings.bundled(name, method, 0, init=init).Y
    return embeddings.compute(X, method, seed=0, init=init).Y


def scored(X: Any, Y: Any) -> list[Any]:
    """Return the scores of a map for `MEASURES`, and its numbers of regions."""
    found = map_scores(X, Y, name="", n_neighbors=NEIGHBORS, rng=np.random.default_rng(0))
    values = [f"{getattr(found, measure):.4f}" for measure in MEASURES]
    return [*values, found.invented_regions, found.torn_regions]


def main() -> None:
    """Score the maps, and write the table and its record."""
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(("map", "data", "rows", "dimensions", *MEASURES, "invented_regions", "torn_regions"))
    for name, X in data():
        for kind in INITS:
            if (kind != "UMAP" or name in WITH_UMAP) and (kind != "MDS" or len(X) < 5_000):
                row = [kind, name, *X.shape, *scored(X, placed(name, X, kind))]
                table.writerow(row)
                print(*row, flush=True)
    content = stream.getvalue().encode()
    OUTPUT.write_bytes(content)
    record = {
        "file": OUTPUT.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "script": "scripts/make_reference_maps.py",
        "made": str(date.today()),
        "source": "Scores computed by this project with the script above, of maps of data that scikit-learn "
        "and the repository hold; no data are in the file",
        "version": ", ".join(f"{one} {metadata.version(one)}" for one in ("numpy", "scipy", "scikit-learn")),
        "license": "MIT, as this project",
        "data": "iris, wine, penguins, auto-mpg, digits, MNIST, and breast-cancer: columns scaled to the "
        "unit interval; sentences: 2,288 definitions, embedded by MiniLM. MDS of 5,000 points takes too long",
        "maps": {kind: {**embeddings.PARAMETERS[kind.lower().replace("-", "")], "seed": 0, "init": init}
                 for kind, init in INITS.items()},
        "neighbors": NEIGHBORS,
    }  # fmt: skip
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    OUTPUT.with_suffix(".json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
