"""Store the small datasets and projections of the lessons in Part 3 as arrays in one file.

Run: ``python scripts/make_lesson_layouts.py``; it takes seconds. All projections but one are bundled ones,
taken from `reanalyses.smelser2025.experiments`; the t-SNE layout of noise is computed here.
"""

import hashlib
import io
from datetime import date
from importlib import metadata

import numpy as np
from making import write_record
from sklearn.manifold import TSNE

from reanalyses import records
from reanalyses.smelser2025 import experiments, layouts
from reanalyses.smelser2025.experiments.projection_sets import label

SCRIPT = "scripts/make_lesson_layouts.py"
#: Methods, number of runs, and step of the rows that are kept, by dataset.
CHOSEN = {
    "iris": (("mds", "tsne", "random", "pca", "isomap", "lle", "umap"), 1, 1),
    "wine": (("mds", "tsne", "random", "pca"), 10, 1),
    "penguins": (("mds", "tsne", "pca", "random"), 1, 1),
    "digits": (("mds", "tsne", "random", "pca", "umap"), 4, 3),
}


def arrays() -> dict[str, np.ndarray]:
    """Return the arrays of the file, keyed by dataset and content."""
    found: dict[str, np.ndarray] = {}
    for name, (methods, n_runs, step) in CHOSEN.items():
        data = experiments.projections(name, methods, seeds=range(n_runs))
        found[f"{name}/X"] = data.X[::step]
        found[f"{name}/labels"] = np.asarray(data.dataset.labels)[::step].astype(np.uint8)
        for seed, by_method in data.by_seed.items():
            for method, points in by_method.items():
                several = seed > 0
                if several and method not in ("tsne", "mds"):
                    continue
                key = f"{label(method)} {seed}" if several else label(method)
                found[f"{name}/{key}"] = points[::step].astype(np.float32)
    noise = np.random.default_rng(0).standard_normal((300, 20)).astype(np.float32).astype(np.float64)
    found["noise/X"] = noise
    found["noise/labels"] = np.zeros(len(noise), np.uint8)
    found["noise/t-SNE"] = TSNE(perplexity=5, random_state=0).fit_transform(noise).astype(np.float32)
    return found


def main() -> None:
    """Write the file and its record."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays())
    content = buffer.getvalue()
    record = {
        "file": f"{layouts.FILE}.npz",
        "sha256": hashlib.sha256(content).hexdigest(),
        "source": (
            "Made by this project with the script below from iris, wine and digits in scikit-learn, from the "
            "bundled penguins, from Gaussian noise, and from the bundled projections of these data"
        ),
        "version": ", ".join(f"{name} {metadata.version(name)}" for name in ("numpy", "scikit-learn")),
        "license": (
            "The computation: MIT, as this project. The data: scikit-learn declares BSD 3-Clause and states "
            "no license for the measurements; the penguins are available under CC0."
        ),
        "script": SCRIPT,
        "made": date.today().isoformat(),
        "columns": "NAME/X, NAME/labels and NAME/METHOD for each dataset; digits are every third row",
    }
    records.data_file("smelser2025", record["file"]).write_bytes(content)
    write_record(records.data_file("smelser2025", f"{layouts.FILE}.json"), record, indent=1)


if __name__ == "__main__":
    main()
