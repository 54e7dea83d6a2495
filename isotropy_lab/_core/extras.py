"""Imports of optional packages, with an error that says what to install."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any


def require(module: str, purpose: str, *, install: str = '"isotropy-lab[text]"') -> Any:
    """Import `module`, or say which command installs it and what for."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is not None and error.name.partition(".")[0] != package:
            raise  # the package is there, and something *it* needs is not
        raise ImportError(
            f"{purpose} needs the package {package}, which is not installed: "
            f"`python -m pip install {install}`"
        ) from error


def package_folder(package: str) -> Path | None:
    """Where an installed package's files lie, found without running its code; None if not installed."""
    specification = importlib.util.find_spec(package)
    if specification is None or not specification.submodule_search_locations:
        return None
    return Path(next(iter(specification.submodule_search_locations)))
