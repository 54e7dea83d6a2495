"""Embeddings of two collections by encoders of several families, computed in advance and read with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reanalyses.records import data_file, record
from reanalyses.roychowdhury2024.datasets.adapted import ADAPTED_VARIANTS, adapted_embeddings, unit_float32
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant

ENCODERS = {
    "MiniLM": "MiniLM",
    "E5": "E5",
    "USE": "USE",
    "GloVe": "word vectors",
    "word2vec": "word vectors",
    "SmolLM2": "SmolLM2",
    **dict.fromkeys(ADAPTED_VARIANTS, "adapted"),
}
"""Encoders and their families; the family "adapted" contains MiniLM adapted to the YANG definitions."""

PLACED = ("MiniLM", "E5")
"""Encoders for which documents preceded by their location are also available."""

# A column is stored in multiples of 1/16 of its standard deviation, or a larger step if 8 bits do not suffice.
_STEPS_IN_A_DEVIATION = 16
_LARGEST = 127

Rows = npt.NDArray[np.floating[Any]]
Coded = dict[str, npt.NDArray[Any]]


def load(encoder: str, collection_name: str, *, placed: bool = False) -> EmbeddingVariant:
    """Return the embeddings of the questions and documents of a collection by an encoder.

    ``scripts/make_encoder_embeddings.py`` describes the five families; SmolLM2 is a language model that was
    not trained for search. "PT", "FT", and the like are MiniLM adapted to the YANG definitions, on which they
    are cross-fitted (`adapted_embeddings`); for Open vSwitch, one model each was trained on all YANG
    questions. Rows are normalized, in the order of `collection`; if `placed`, for `PLACED`, documents are
    preceded by their locations. `encoder_provenance` states the effect of rounding on ranks.
    """
    if ENCODERS[encoder] == "adapted" and collection_name == "yang":
        return adapted_embeddings(encoder)
    with np.load(data_file("roychowdhury2024", f"{file_name(encoder)}.npz"), allow_pickle=False) as arrays:
        questions, documents = (
            dequantize(
                {part: arrays[f"{collection_name}/{texts}/{part}"] for part in ("codes", "offset", "step")}
            )
            for texts in ("questions", "placed" if placed else "documents")
        )
    folds = np.zeros(len(questions), dtype=np.int64)
    return EmbeddingVariant(encoder, ENCODERS[encoder], questions, (documents,), folds)


def encoder_provenance(encoder: str) -> dict[str, Any]:
    """Return the record of an encoder's embeddings: weights, version, license, input, and effect of rounding."""
    return record("roychowdhury2024", file_name(encoder))


def quantize(rows: Rows) -> Coded:
    """Store unit-norm rows as 8-bit multiples of one step per column, relative to the column's mean."""
    x = np.asarray(rows, dtype=np.float64)
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    offset = x.mean(axis=0).astype(np.float32)
    centered = x - offset
    step = np.maximum(centered.std(axis=0) / _STEPS_IN_A_DEVIATION, np.abs(centered).max(axis=0) / _LARGEST)
    step = step.astype(np.float32)
    step[step == 0] = 1
    codes = np.clip(np.rint(centered / step), -_LARGEST, _LARGEST).astype(np.int8)
    return {"codes": codes, "offset": offset, "step": step}


def dequantize(stored: Coded) -> npt.NDArray[np.float32]:
    """Undo `quantize`, and return unit-norm rows."""
    return unit_float32(stored["codes"] * stored["step"].astype(np.float64) + stored["offset"])


def file_name(encoder: str) -> str:
    """Return the name of an encoder's file and record, without suffix."""
    return f"encoder-{encoder.lower()}"
