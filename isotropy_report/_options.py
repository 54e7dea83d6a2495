"""Texts, and names of options in them: keywords in Python, ``--options`` on the command line."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from importlib import resources
from typing import Any, TypeVar

T = TypeVar("T")

_IN_COMMAND: ContextVar[bool] = ContextVar("in_command", default=False)


def read_texts(package: str, name: str) -> dict[str, Any]:
    """Return the texts in a TOML file of a package."""
    return tomllib.loads((resources.files(package) / name).read_text(encoding="utf-8"))


@contextmanager
def assign(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Assign a value to a context variable within this context."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def use_command_names() -> AbstractContextManager[None]:
    """Use the option names of the command line in messages within this context."""
    return assign(_IN_COMMAND, True)


def option(name: str, command: str | None = None) -> str:
    """Return the name of an option; `command` is its name on the command line (default: the same name)."""
    return f"--{(command or name).replace('_', '-')}" if _IN_COMMAND.get() else name


def setting(name: str, value: Any = None) -> str:
    """Return an option with its value, or only its name if no value has been chosen."""
    if not _IN_COMMAND.get():
        return f"{name}={'…' if value is None else short(repr(value))}"
    if value is None or value is True:
        return option(name)
    if value is False:
        return option(f"no-{name}")
    if isinstance(value, list):
        value = ",".join(f'"{entry}"' if "," in entry else entry for entry in value)
    return f"{option(name)} {short(shlex.quote(value))}"


def short(text: str, length: int = 200) -> str:
    """Return a text from a file, truncated to fit in a message."""
    return text if len(text) <= length else f"{text[:length]}…"
