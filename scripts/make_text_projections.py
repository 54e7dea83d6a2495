"""Compute the projections of the YANG definitions for `reanalyses.roychowdhury2024.datasets.drawings`.

Run: ``python scripts/make_text_projections.py``; it takes a few minutes on one core. The input are MiniLM's
embeddings, as they are bundled. The projections are written as float32 beside them, with a record.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from datetime import date

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from reanalyses import records
from reanalyses.roychowdhury2024.datasets import drawings, encoders
from reanalyses.smelser2025.datasets import embeddings

SCRIPT = "scripts/make_text_projections.py"


def main() -> None:
    """Project the embeddings by each method, and write file and record."""
    X = encoders.load("MiniLM", "yang").documents[0].astype(np.float64)
    made = {
        method: embeddings.compute(X, method, seed=0, init=init) for method, init in drawings.STARTS.items()
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{method: one.Y.astype(np.float32) for method, one in made.items()})
    content = buffer.getvalue()
    origin = encoders.encoder_provenance("MiniLM")
    record = {
        "file": f"{drawings.FILE}.npz",
        "sha256": hashlib.sha256(content).hexdigest(),
        "script": SCRIPT,
        "made": date.today().isoformat(),
        "source": (
            f"Computed by this project with the script above from {origin['file']}, embeddings of the "
            "YANG definitions"
        ),
        "version": (
            f"embeddings: {origin['version']}; the versions used in the computation stand with each method"
        ),
        "license": "MIT, as this project and its embeddings",
        "data": embeddings.fingerprint(X),
        "dtype": "float32",
        "projections": {
            method: {
                "start": one.init,
                "seed": one.seed,
                "parameters": dict(one.parameters),
                "versions": dict(one.versions),
                "seconds": round(one.seconds, 1),
                "warnings": list(one.warnings),
            }
            for method, one in made.items()
        },
    }
    records.data_file("roychowdhury2024", record["file"]).write_bytes(content)
    records.data_file("roychowdhury2024", f"{drawings.FILE}.json").write_text(
        json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
