"""Store the small datasets and projections of the lessons in Part 3 as arrays in one file.

Run: ``python scripts/make_lesson_layouts.py``; it takes half a minute. Two t-SNE layouts are made here, of
noise and of the digits from PCA; all others are bundled ones from `reanalyses.smelser2025.experiments`.
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
from reanalyses.smelser2025.datasets import embeddings
from reanalyses.smelser2025.experiments.projection_sets import label

SCRIPT = "scripts/make_lesson_layouts.py"
#: Methods, number of runs, and step of the rows that are kept, by dataset.
SELECTION = {
    "iris": (("mds", "tsne", "random", "pca", "isomap", "lle", "umap"), 1, 1),
    "wine": (("mds", "tsne", "random", "pca"), 10, 1),
    "penguins": (("mds", "tsne", "pca", "random"), 1, 1),
    "digits": (("mds", "tsne", "random", "pca", "umap"), 4, 3),
}


def arrays() -> dict[str, np.ndarray]:
    """Return the arrays of the file, keyed by dataset and content."""
    result: dict[str, np.ndarray] = {}
    for name, (methods, n_runs, step) in SELECTION.items():
        data = experiments.projections(name, methods, seeds=range(n_runs))
        result[f"{name}/X"] = data.X[::step]
        result[f"{name}/labels"] = np.asarray(data.dataset.labels)[::step].astype(np.uint8)
        for seed, by_method in data.by_seed.items():
            for method, points in by_method.items():
                is_repeated = seed > 0
                if is_repeated and method not in ("tsne", "mds"):
                    continue
                key = f"{label(method)} {seed}" if is_repeated else label(method)
                result[f"{name}/{key}"] = points[::step].astype(np.float32)
    # The default start of scikit-learn; that of the other t-SNE runs is random.
    digits = experiments.projections("digits", ("pca",), seeds=range(1)).X
    result["digits/t-SNE from PCA"] = embeddings.compute(digits, "tsne", init="pca").Y[::3].astype(np.float32)
    noise = np.random.default_rng(0).standard_normal((300, 20)).astype(np.float32).astype(np.float64)
    result["noise/X"] = noise
    result["noise/labels"] = np.zeros(len(noise), np.uint8)
    result["noise/t-SNE"] = TSNE(perplexity=5, random_state=0).fit_transform(noise).astype(np.float32)
    return result


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
