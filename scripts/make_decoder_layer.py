"""Write spectra and a view of one layer of the decoder-only model, and what a few tokens do to the score of
each layer.

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
import pandas as pd
from numpy.typing import NDArray

from isotropy_lab.isotropy import isoscore
from reanalyses import records

LAYER = 28
FILE = f"smollm2_layer_{LAYER}"
LARGE = 300.0  # the median size of a coordinate is at most 11 in every layer


def view(cloud: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Return the eigenvalues of the covariance, largest first, and the points along the first two axes."""
    centered = cloud - cloud.mean(axis=0)
    values, axes = np.linalg.eigh(centered.T @ centered / (len(cloud) - 1))
    plane = centered @ axes[:, :-3:-1]
    plane *= np.sign(plane[np.abs(plane).argmax(axis=0), [0, 1]])
    return values[::-1].clip(min=0.0), plane.astype(np.float32)


def few_tokens(layers: NDArray[np.float32], sentence: NDArray[np.int64]) -> pd.DataFrame:
    """IsoScore of each layer without the tokens that have a large coordinate, and without one sentence."""
    rows = []
    for layer, cloud in enumerate(layers):
        size = np.abs(cloud)
        coordinate = int(size.max(axis=0).argmax())
        large = size[:, coordinate] > LARGE
        one = sentence[size.max(axis=1).argmax()]
        rows.append(
            {
                "layer": layer,
                "isoscore": isoscore(cloud),
                "coordinate": coordinate,
                "n_large": int(large.sum()),
                "n_sentences_with_large": len(set(sentence[large])),
                "isoscore_without_large": isoscore(cloud[~large]),
                "sentence_of_largest": int(one),
                "isoscore_without_sentence": isoscore(cloud[sentence != one]),
            }
        )
    return pd.DataFrame(rows)


def write(content: bytes, about: dict[str, str]) -> None:
    """Write one data file and its record."""
    scores = records.record("rudman2022", "smollm2_scores")
    record = {
        "file": about["file"],
        "sha256": hashlib.sha256(content).hexdigest(),
        "script": "scripts/make_decoder_layer.py",
        "made": date.today().isoformat(),
        **{key: value for key, value in about.items() if key != "file"},
        **{
            key: scores[key]
            for key in ("version", "license", "package", "model", "text", "n_tokens", "versions")
        },
    }
    records.data_file("rudman2022", record["file"]).write_bytes(content)
    records.data_file("rudman2022", f"{Path(record['file']).stem}.json").write_text(
        json.dumps(record, indent=2) + "\n", encoding="utf-8"
    )


def main() -> None:
    """Write both files and their records."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("states", type=Path)
    with np.load(parser.parse_args().states, allow_pickle=False) as stored:
        layers, sentence, position = stored["layers"], stored["sentence"], stored["position"]
    rest = position > 0
    cloud = layers[LAYER].astype(np.float64)
    everything, others = view(cloud), view(cloud[rest])
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        eigenvalues=everything[0],
        eigenvalues_of_others=others[0],
        plane=everything[1],
        plane_of_others=others[1],
        sentence=sentence.astype(np.int16),
        position=position.astype(np.int16),
    )
    write(
        buffer.getvalue(),
        {
            "file": f"{FILE}.npz",
            "source": (
                f"Spectra and two principal axes of layer {LAYER} of the states behind smollm2_scores.csv"
            ),
        },
    )
    table = few_tokens(layers[:, rest], sentence[rest])
    write(
        table.to_csv(index=False, float_format="%.8g", lineterminator="\n").encode(),
        {
            "file": "smollm2_few_tokens.csv",
            "source": "IsoScore of the states behind smollm2_scores.csv, each sentence's first token left "
            "out: as it is, "
            f"without the tokens whose largest coordinate is above {LARGE:g} either way, and without "
            "the one sentence "
            "that has the largest",
        },
    )


if __name__ == "__main__":
    main()
