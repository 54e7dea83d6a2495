"""Word vectors that ship with the package, each file with a record of where it comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from isotropy_lab._core import checks

NAMES = ("glove-weat", "glove-pool")


def data_file(name: str) -> Path:
    """Return the path of a bundled file."""
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
        [(*record["shape"], record["dtype"], record["description"]) for record in records],
        columns=["words", "dimensions", "dtype", "description"],
        index=pd.Index(NAMES, name="name"),
    )


def provenance(name: str) -> dict[str, Any]:
    """Source, version, license, hash and script of bundled word vectors.

    Parameters
    ----------
    name : str
        One of `available`, or ValueError lists them.

    Returns
    -------
    dict
        The record that stands beside the file.

    Examples
    --------
    >>> provenance("glove-weat")["license"]
    'PDDL-1.0'
    """
    checks.check_option(name, "name", NAMES)
    record: dict[str, Any] = json.loads(data_file(f"{name}.json").read_text(encoding="utf-8"))
    return record
