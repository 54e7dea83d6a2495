"""Store tokens of 120 sentences in the layers of the decoder-only model, and the effects of a few tokens.

Run in the environment of ``make_decoder_scores.py``, with the hidden states that it stores:
``python scripts/make_decoder_layer.py STATES``, a file from its option ``--states``. Takes seconds.
"""

import hashlib
import io
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from making import options_of, write_record
from numpy.typing import NDArray

from isotropy_lab.isotropy import isoscore
from reanalyses import records

LAYER = 28
MIN_LARGE = 300.0  # the median magnitude of a coordinate is at most 11 in every layer
COORDINATE = 507  # coordinate of the largest tokens in layers 3 to 29
#: Sentences of the lesson, chosen from several windows of 120. They omit sentence 79, in which a token other
#: than the first has a coordinate of 8,200.
WINDOW = range(100, 220)


def spectrum(cloud: NDArray[Any]) -> NDArray[np.float64]:
    """Return the eigenvalues of the covariance in descending order."""
    values: NDArray[np.float64] = np.linalg.eigvalsh(np.cov(cloud.T, dtype=np.float64))
    return values[::-1].clip(min=0.0)


def spectra(layers: NDArray[Any], first: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return eigenvalues by layer: all tokens, without first tokens, and without first and large tokens."""
    is_large = np.abs(layers[:, :, COORDINATE]) > MIN_LARGE
    return np.array(
        [
            [spectrum(cloud), spectrum(cloud[~first]), spectrum(cloud[~first & ~large])]
            for cloud, large in zip(layers, is_large, strict=True)
        ]
    )


def scores_without_outliers(layers: NDArray[np.float32], sentence: NDArray[np.int64]) -> pd.DataFrame:
    """Return the IsoScore of each layer without tokens with a large coordinate, and without one sentence."""
    rows = []
    for layer, cloud in enumerate(layers):
        magnitudes = np.abs(cloud)
        coordinate = int(magnitudes.max(axis=0).argmax())
        large = magnitudes[:, coordinate] > MIN_LARGE
        largest_sentence = sentence[magnitudes.max(axis=1).argmax()]
        rows.append(
            {
                "layer": layer,
                "isoscore": isoscore(cloud),
                "coordinate": coordinate,
                "n_large": int(large.sum()),
                "n_sentences_with_large": len(set(sentence[large])),
                "isoscore_without_large": isoscore(cloud[~large]),
                "sentence_of_largest": int(largest_sentence),
                "isoscore_without_sentence": isoscore(cloud[sentence != largest_sentence]),
            }
        )
    return pd.DataFrame(rows)


def write(content: bytes, facts: dict[str, str]) -> None:
    """Write one data file and its record."""
    scores = records.record("rudman2022", "smollm2_scores")
    record = {
        "file": facts["file"],
        "sha256": hashlib.sha256(content).hexdigest(),
        "script": "scripts/make_decoder_layer.py",
        "made": date.today().isoformat(),
        **{
            key: scores[key]
            for key in ("version", "license", "package", "model", "text", "n_tokens", "versions")
        },
        **{key: value for key, value in facts.items() if key != "file"},
    }
    records.data_file("rudman2022", record["file"]).write_bytes(content)
    path = records.data_file("rudman2022", f"{Path(record['file']).stem}.json")
    write_record(path, record, ensure_ascii=True)


def write_arrays(file: str, source: str, **arrays: NDArray[Any]) -> None:
    """Write arrays as one data file with its record."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    license_ = "MIT (computed by this project); weights: Apache-2.0, as the package declares"
    if "token" in arrays:
        license_ += "; text of the tokens: CC-BY-SA-3.0, as the sentences"
    write(buffer.getvalue(), {"file": file, "source": source, "license": license_})


def main() -> None:
    """Write the three files and their records."""
    parser = options_of(__doc__)
    parser.add_argument("states", type=Path)
    with np.load(parser.parse_args().states, allow_pickle=False) as stored:
        layers, sentence, position = stored["layers"], stored["sentence"], stored["position"]
        token = stored["token"]
    not_first = position > 0
    in_window = np.isin(sentence, WINDOW)
    source = f"sentences {WINDOW.start} to {WINDOW.stop - 1} of the states behind smollm2_scores.csv"
    write_arrays(
        f"smollm2_layer_{LAYER}.npz",
        f"All tokens of layer {LAYER} for {source}",
        X=layers[LAYER, in_window].astype(np.float16),
        token=token[in_window],
        sentence=(sentence[in_window] - WINDOW.start).astype(np.int16),
        position=position[in_window].astype(np.int16),
    )
    write_arrays(
        "smollm2_layers.npz",
        f"Coordinate {COORDINATE} of all tokens and eigenvalues of the covariance in each layer for {source}",
        coordinate=layers[:, in_window, COORDINATE].astype(np.float16),
        spectra=spectra(layers[:, in_window], position[in_window] == 0).astype(np.float32),
    )
    table = scores_without_outliers(layers[:, not_first], sentence[not_first])
    write(
        table.to_csv(index=False, float_format="%.8g", lineterminator="\n").encode(),
        {
            "file": "smollm2_few_tokens.csv",
            "source": "IsoScore of the states behind smollm2_scores.csv, each sentence's first token left "
            f"out: as it is, without the tokens whose largest coordinate is above {MIN_LARGE:g} either way, "
            "and without the one sentence that has the largest",
        },
    )


if __name__ == "__main__":
    main()
