"""What ledger and code owe each other."""

from __future__ import annotations

import inspect
import types


def findings(module: types.ModuleType) -> set[str]:
    """Dotted paths of the functions of a module that return a Finding."""
    return {
        f"{module.__name__}.{name}"
        for name, thing in vars(module).items()
        if inspect.isfunction(thing)
        and not name.startswith("_")
        and thing.__module__ == module.__name__
        and thing.__annotations__["return"] == "Finding"
    }
