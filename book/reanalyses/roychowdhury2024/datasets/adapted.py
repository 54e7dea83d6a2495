"""Embeddings by encoders that were adapted to the YANG definitions beforehand; what torch made, numpy reads."""

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
"""The variants that are bundled, in the order of the paper's Table II."""


def adapted_provenance() -> dict[str, Any]:
    """Return the record of the adapted embeddings: model, texts, settings, versions, hashes, rounding."""
    return record("roychowdhury2024", "adapted")


def adapted_embeddings(variant: str) -> EmbeddingVariant:
    """Load what an adapted encoder makes of the definitions and of the questions about them.

    ``scripts/make_adapted_embeddings.py`` describes the five ways to adapt all-MiniLM-L6-v2. Rows have unit
    length, in the order of `questions` and of `yang_definitions`; ``agnostic`` has the sentences of
    ``wikipedia_sentences(n=600)`` by the model of fold 0. All but "PT" have five models: a question is
    embedded by the one whose training left out the question and all questions and templates about its answer,
    and `documents` has one matrix for each. What rounding does to the ranks is in `adapted_provenance`.
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
    """Undo `coded_differences`: whole numbers, each matrix stored as what it has over the mean of those before it."""
    whole: list[npt.NDArray[np.int64]] = []
    total = np.zeros(coded[0].shape, dtype=np.int64)
    for k, difference in enumerate(coded):
        whole.append(np.asarray(difference, dtype=np.int64) + (total // k if k else 0))
        total += whole[-1]
    return whole


def coded_differences(whole: list[npt.NDArray[np.int64]]) -> list[npt.NDArray[np.int64]]:
    """Return each matrix of whole numbers less the mean of those before it (rounded down): smaller, so packed better."""
    coded, total = [], np.zeros(whole[0].shape, dtype=np.int64)
    for k, matrix in enumerate(whole):
        coded.append(matrix - (total // k if k else 0))
        total += matrix
    return coded


def unit_singles(rows: npt.NDArray[Any]) -> Singles:
    """Rows of length 1 as float32."""
    x = np.asarray(rows, dtype=np.float64)
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True), dtype=np.float32)


def text_hash(texts: list[str]) -> str:
    """SHA-256 of texts, one a line."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
