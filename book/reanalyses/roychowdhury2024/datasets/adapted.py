"""Embeddings by encoders adapted to the YANG definitions, computed in advance and read with NumPy."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from reanalyses.records import data_file, record
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant

Singles = npt.NDArray[np.float32]

ADAPTED_VARIANTS = ("PT", "FT", "PT-FT", "FT-merged", "PT-FT-merged")
"""Bundled variants, in the order of Table II in the paper."""


def adapted_embeddings(variant: str) -> EmbeddingVariant:
    """Return the embeddings of the definitions and questions by an adapted encoder.

    ``scripts/make_adapted_embeddings.py`` describes the five methods of adapting all-MiniLM-L6-v2. Rows are
    normalized, in the order of `questions` and `yang_definitions`; ``agnostic`` contains the sentences of
    ``wikipedia_sentences(n=600)`` by the model of fold 0. All variants except "PT" have five models: a
    question is embedded by the model trained without this question and without all questions and templates
    about its answer, and `documents` has one matrix per model. The record next to the files states the effect
    of rounding on ranks.
    """
    entry = record("roychowdhury2024", "adapted")["variants"][variant]
    with np.load(data_file("roychowdhury2024", entry["file"]), allow_pickle=False) as arrays:
        differences = [arrays[f"documents_{k}"] for k in range(entry["models"])]
        documents = tuple(unit_float32(codes * entry["step"]) for codes in decode_differences(differences))
        agnostic = unit_float32(arrays["agnostic"] * entry["agnostic_step"])
        questions = unit_float32(arrays["questions"].astype(np.float64))
        folds = arrays["folds"].astype(np.int64)
    return EmbeddingVariant(variant, "adapted", questions, documents, folds, agnostic)


def decode_differences(differences: list[npt.NDArray[Any]]) -> list[npt.NDArray[np.int64]]:
    """Undo `encode_differences`, which stores each integer matrix minus the mean of preceding matrices."""
    matrices: list[npt.NDArray[np.int64]] = []
    total = np.zeros(differences[0].shape, dtype=np.int64)
    for k, difference in enumerate(differences):
        matrices.append(difference + total // max(k, 1))
        total += matrices[-1]
    return matrices


def encode_differences(matrices: list[npt.NDArray[np.int64]]) -> list[npt.NDArray[np.int64]]:
    """Return each integer matrix minus the rounded mean of preceding matrices, for better compression."""
    differences = []
    total = np.zeros(matrices[0].shape, dtype=np.int64)
    for k, matrix in enumerate(matrices):
        differences.append(matrix - total // max(k, 1))
        total += matrix
    return differences


def unit_float32(rows: npt.NDArray[Any]) -> Singles:
    """Return rows scaled to unit norm, in float32."""
    x = np.asarray(rows, dtype=np.float64)
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True), dtype=np.float32)


def text_hash(texts: list[str]) -> str:
    """Return the SHA-256 hash of the texts joined by line breaks."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
