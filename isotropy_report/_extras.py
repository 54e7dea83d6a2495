"""Imports of optional packages, with errors that say what to install."""

from __future__ import annotations

import importlib
from typing import Any


def require(module: str, purpose: str, *, install: str = '"isotropy-lab[text]"') -> Any:
    """Import `module`, or raise ImportError with the command that installs it and the purpose."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is not None and error.name.partition(".")[0] != package:
            raise  # the package is installed, but one of its own dependencies is not
        raise ImportError(
            f"{purpose} needs the package {package}, which is not installed. "
            f"Install it: `python -m pip install {install}`"
        ) from error
