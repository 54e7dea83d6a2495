"""Word vectors that ship with the package, each file with a record of where it comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from isotropy_lab import _checks

NAMES = ("glove-weat", "glove-pool")


def data_file(name: str) -> Path:
    """Path of a bundled file."""
    return Path(__file__).with_name("data") / name


def available() -> pd.DataFrame:
    """Word vectors that ship with the package, as a table.

    Returns
    -------
    pandas.DataFrame
        One row per name that `load_word_vectors` knows: words, dimensions, dtype as stored, description.

    Examples
    --------
    >>> available()["words"].to_dict()
    {'glove-weat': 387, 'glove-pool': 10000}
    """
    records = [provenance(name) for name in NAMES]
    return pd.DataFrame(
        {
            "words": [record["shape"][0] for record in records],
            "dimensions": [record["shape"][1] for record in records],
            "dtype": [record["dtype"] for record in records],
            "description": [record["description"] for record in records],
        },
        index=pd.Index(NAMES, name="name"),
    )


def provenance(name: str) -> dict[str, Any]:
    """Source, version, license, hash and script of bundled word vectors: the record that stands beside the file.

    Parameters
    ----------
    name : str
        One of `available`.

    Returns
    -------
    dict
        The record.

    Raises
    ------
    ValueError
        For a name that does not exist; the message lists those that do.

    Examples
    --------
    >>> provenance("glove-weat")["license"]
    'PDDL-1.0'
    """
    _checks.check_option(name, "name", NAMES)
    return read_record(data_file(f"{name}.json"))


def read_record(path: Path) -> dict[str, Any]:
    """Read the record of a data file."""
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record
