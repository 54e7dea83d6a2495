"""Write spectra and a view of one layer of the decoder-only model, for a picture in the book.

Run where ``make_decoder_scores.py`` runs, with the hidden states that it keeps:
``python scripts/make_decoder_layer.py STATES``, a file from its option ``--states``. Takes seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reanalyses import records

LAYER = 28
FILE = f"smollm2_layer_{LAYER}"


def view(cloud: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return the eigenvalues of the covariance, largest first, and the points along the first two axes."""
    centered = cloud - cloud.mean(axis=0)
    values, axes = np.linalg.eigh(centered.T @ centered / (len(cloud) - 1))
    plane = centered @ axes[:, :-3:-1]
    plane *= np.sign(plane[np.abs(plane).argmax(axis=0), [0, 1]])
    return values[::-1].clip(min=0.0), plane.astype(np.float32)


def main() -> None:
    """Write file and record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("states", type=Path)
    with np.load(parser.parse_args().states, allow_pickle=False) as stored:
        cloud = stored["layers"][LAYER].astype(np.float64)
        sentence, position = stored["sentence"].astype(np.int16), stored["position"].astype(np.int16)
    everything, others = view(cloud), view(cloud[position > 0])
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        eigenvalues=everything[0],
        eigenvalues_of_others=others[0],
        plane=everything[1],
        plane_of_others=others[1],
        sentence=sentence,
        position=position,
    )
    scores = records.record("rudman2022", "smollm2_scores")
    record = {
        "file": f"{FILE}.npz",
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest(),
        "script": "scripts/make_decoder_layer.py",
        "made": date.today().isoformat(),
        "source": f"Spectra and two principal axes of layer {LAYER} of the states behind {scores['file']}",
        **{
            key: scores[key]
            for key in ("version", "license", "package", "model", "text", "n_tokens", "versions")
        },
    }
    records.data_file("rudman2022", record["file"]).write_bytes(buffer.getvalue())
    records.data_file("rudman2022", f"{FILE}.json").write_text(
        json.dumps(record, indent=2) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
