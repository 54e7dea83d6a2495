"""Compute the pictures that `reanalyses.smelser2025.datasets.embeddings` bundles: datasets × methods × seeds.

Run: ``python scripts/make_embeddings.py [--datasets NAME …] [--work FOLDER]``, with umap-learn installed for UMAP.

Every picture is written to a file of its own in the work folder as soon as it is there, so that the script can be
stopped at any time and goes on where it was. A picture in the work folder is taken as it is if its data and parameters are those
of now, else computed anew. At the end, and with ``--merge`` at once, the pictures of each dataset are
gathered in one ``.npz`` file without pickles (float32) with a record beside it: parameters, versions,
seeds, seconds, warnings, SHA-256. A kind of picture of which a seed is missing is left out and named.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from reanalyses.smelser2025 import datasets
from reanalyses.smelser2025.datasets import embeddings, preprocessing

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "book" / "reanalyses" / "smelser2025" / "data"
SCRIPT = "scripts/make_embeddings.py"
SEEDS = range(10)

# The quick ones first. The small ones in other scalings too: these differ in what the columns weigh.
SMALL = ("iris", "wine", "penguins", "auto-mpg")
LARGE = ("swiss-roll", "s-curve", "mnist-1500", "digits")

KINDS: tuple[tuple[str, str | None, bool], ...] = (
    ("random", None, True),
    ("pca", None, False),
    ("isomap", None, False),
    ("lle", None, False),
    ("mds", "classical", False),
    ("tsne", "random", True),
    ("umap", "random", True),
    ("mds", "random", True),
)
"""Method, start and whether it differs from seed to seed."""


def scalings(dataset: str) -> tuple[str, ...]:
    """Return the scalings in which a dataset is projected."""
    return preprocessing.SCALINGS if dataset in SMALL else ("minmax",)


def kinds() -> Iterator[tuple[str, str | None, tuple[int | None, ...]]]:
    """Yield method, start and seeds of each kind of picture."""
    for method, init, seeded in KINDS:
        yield method, init, tuple(SEEDS) if seeded else (None,)


def path_of(work: Path, dataset: str, key: str, seed: int | None) -> Path:
    """Return the file of one picture in the work folder."""
    number = "" if seed is None else f"-{seed}"
    return work / dataset / f"{key.replace('/', '-')}{number}.npz"


def stored(
    path: Path, fingerprint: str, parameters: dict[str, Any]
) -> tuple[np.ndarray, dict[str, Any]] | None:
    """Return a picture of the work folder and its record, or None if it is not there or of other data."""
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as content:
        record = json.loads(str(content["record"]))
        if record["data"] != fingerprint or record["parameters"] != parameters:
            return None
        return content["Y"], record


def compute(
    X: np.ndarray, method: str, init: str | None, seed: int | None, path: Path, fingerprint: str
) -> float:
    """Compute one picture and write it; return the seconds it took."""
    made = embeddings.compute(X, method, seed=seed, init=init)
    record = {
        "data": fingerprint,
        "parameters": dict(made.parameters),
        "versions": dict(made.versions),
        "seconds": round(made.seconds, 2),
        "warnings": list(made.warnings),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    with partial.open("wb") as file:
        np.savez(file, Y=made.Y, record=np.array(json.dumps(record)))
    partial.replace(path)
    return made.seconds


def parameters_of(method: str) -> dict[str, Any]:
    """Return the parameters that a picture of this method has."""
    return {**embeddings.PARAMETERS[method], "n_components": 2}


def merge(dataset: str, work: Path, output: Path) -> list[str]:
    """Gather the complete kinds of a dataset's pictures in one file; return the kinds that are incomplete."""
    arrays, pictures, missing = {}, {}, []
    fingerprints = {}
    for scaling in scalings(dataset):
        X = preprocessing.prepare(datasets.load(dataset).X, scaling=scaling).embedding
        fingerprints[scaling] = embeddings.fingerprint(X)
        for method, init, seeds in kinds():
            key = embeddings.picture_key(scaling, method, init)
            found = [
                stored(path_of(work, dataset, key, seed), fingerprints[scaling], parameters_of(method))
                for seed in seeds
            ]
            whole = [pair for pair in found if pair is not None]
            versions = {json.dumps(record["versions"], sort_keys=True) for _, record in whole}
            if len(whole) < len(seeds) or len(versions) > 1:
                missing.append(key)
                continue
            arrays[key] = np.stack([Y for Y, _ in whole]).astype(np.float32)
            pictures[key] = {
                "seeds": list(seeds),
                "parameters": whole[0][1]["parameters"],
                "versions": whole[0][1]["versions"],
                "seconds": [record["seconds"] for _, record in whole],
                "warnings": [record["warnings"] for _, record in whole],
            }
    if not arrays:
        print(f"{dataset}: no kind of picture is whole; missing: {', '.join(missing)}")
        return missing
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    content = buffer.getvalue()
    record = {
        "file": f"embeddings-{dataset}.npz",
        "sha256": hashlib.sha256(content).hexdigest(),
        "script": SCRIPT,
        "made": date.today().isoformat(),
        "data": fingerprints,
        "dtype": "float32",
        "pictures": pictures,
        "missing": missing,
    }
    (output / f"embeddings-{dataset}.npz").write_bytes(content)
    (output / f"embeddings-{dataset}.json").write_text(
        json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    print(
        f"{dataset}: {len(arrays)} kinds, {len(content) / 1e3:.0f} kB; missing: {', '.join(missing) or 'none'}"
    )
    return missing


def main() -> None:
    """Compute what is missing, one dataset after the other, then merge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", nargs="+", default=[*SMALL, *LARGE], metavar="NAME")
    parser.add_argument("--methods", nargs="+", default=list(embeddings.METHODS), metavar="METHOD")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "embeddings", help="keep pictures here")
    parser.add_argument("--output", type=Path, default=DATA)
    parser.add_argument("--merge", action="store_true", help="compute nothing, gather what is there")
    options = parser.parse_args()

    if not options.merge:
        todo = []
        for dataset in options.datasets:
            raw = datasets.load(dataset).X
            for scaling in scalings(dataset):
                X = preprocessing.prepare(raw, scaling=scaling).embedding
                mark = embeddings.fingerprint(X)
                for method, init, seeds in kinds():
                    if method not in options.methods:
                        continue
                    key = embeddings.picture_key(scaling, method, init)
                    for seed in seeds:
                        path = path_of(options.work, dataset, key, seed)
                        if stored(path, mark, parameters_of(method)) is None:
                            todo.append((dataset, key, X, method, init, seed, path, mark))
        began = time.perf_counter()
        for number, (dataset, key, X, method, init, seed, path, mark) in enumerate(todo, start=1):
            if stored(path, mark, parameters_of(method)) is not None:
                continue  # another run of this script has made it meanwhile
            seconds = compute(X, method, init, seed, path, mark)
            print(
                f"{number}/{len(todo)} {dataset} {key} seed {seed}: {seconds:.1f} s "
                f"({time.perf_counter() - began:.0f} s in all)",
                flush=True,
            )
    options.output.mkdir(parents=True, exist_ok=True)
    for dataset in options.datasets:
        merge(dataset, options.work, options.output)


if __name__ == "__main__":
    main()
