"""Embeddings by encoders adapted to the YANG definitions, computed in advance and read with NumPy."""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from isotropy_lab._core import checks
from reanalyses.records import data_file, record
from reanalyses.roychowdhury2024.datasets.embedding_variant import EmbeddingVariant

__all__ = ["ADAPTED_VARIANTS", "adapted_embeddings", "adapted_provenance"]

Singles = npt.NDArray[np.float32]

ADAPTED_VARIANTS = ("PT", "FT", "PT-FT", "FT-merged", "PT-FT-merged")
"""Bundled variants, in the order of Table II in the paper."""


def adapted_provenance() -> dict[str, Any]:
    """Return the record of the adapted embeddings: model, texts, settings, versions, hashes, and rounding."""
    return record("roychowdhury2024", "adapted")


def adapted_embeddings(variant: str) -> EmbeddingVariant:
    """Return the embeddings of the definitions and questions by an adapted encoder.

    ``scripts/make_adapted_embeddings.py`` describes the five methods of adapting all-MiniLM-L6-v2. Rows are
    normalized, in the order of `questions` and `yang_definitions`; ``agnostic`` contains the sentences of
    ``wikipedia_sentences(n=600)`` by the model of fold 0. All variants except "PT" have five models: a
    question is embedded by the model trained without this question and without all questions and templates
    about its answer, and `documents` has one matrix per model. `adapted_provenance` states the effect of
    rounding on ranks.
    """
    variant = checks.check_option(variant, "variant", ADAPTED_VARIANTS)
    entry = adapted_provenance()["variants"][variant]
    content = data_file("roychowdhury2024", entry["file"]).read_bytes()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        np.load(io.BytesIO(content), allow_pickle=False) as arrays,
    ):
        names = {name.removesuffix(".npy") for name in archive.namelist()}
        n_models = sum(name.startswith("documents_") for name in names)
        coded = [arrays[f"documents_{k}"] for k in range(n_models)]
        documents = tuple(unit_singles(whole * entry["step"]) for whole in decoded(coded))
        agnostic = unit_singles(arrays["agnostic"] * entry["agnostic_step"])
        asked = unit_singles(arrays["questions"].astype(np.float64))
        folds = arrays["folds"].astype(np.int64)
    return EmbeddingVariant(variant, "adapted", asked, documents, folds, agnostic)


def decoded(coded: list[npt.NDArray[Any]]) -> list[npt.NDArray[np.int64]]:
    """Undo `coded_differences`, which stores each integer matrix minus the mean of the preceding matrices."""
    whole: list[npt.NDArray[np.int64]] = []
    total = np.zeros(coded[0].shape, dtype=np.int64)
    for k, difference in enumerate(coded):
        whole.append(np.asarray(difference, dtype=np.int64) + (total // k if k else 0))
        total += whole[-1]
    return whole


def coded_differences(whole: list[npt.NDArray[np.int64]]) -> list[npt.NDArray[np.int64]]:
    """Return each integer matrix minus the rounded mean of preceding matrices, for better compression."""
    coded, total = [], np.zeros(whole[0].shape, dtype=np.int64)
    for k, matrix in enumerate(whole):
        coded.append(matrix - (total // k if k else 0))
        total += matrix
    return coded


def unit_singles(rows: npt.NDArray[Any]) -> Singles:
    """Return unit-norm rows in float32."""
    x = np.asarray(rows, dtype=np.float64)
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True), dtype=np.float32)


def text_hash(texts: list[str]) -> str:
    """Return the SHA-256 hash of the texts joined by line breaks."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
