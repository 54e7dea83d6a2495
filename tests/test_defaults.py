"""Tests of all public signatures against a list that is changed only deliberately.

A default is a promise: with another one the same call gives another number. ``python -m tests.test_defaults``
writes the list anew.
"""

import importlib
import inspect
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isotropy_report import cli

LIST = Path(__file__).parent / "defaults.toml"
MODULES = (
    "isotropy_lab", "isotropy_lab.association", "isotropy_lab.association.keywords", "isotropy_lab.isotropy",
    "isotropy_lab.projection",
    "isotropy_lab.retrieval",
    "isotropy_lab.transforms", "isotropy_report", "isotropy_report.card", "isotropy_report.comparison",
    "isotropy_report.io",
    "isotropy_report.measures",
)  # fmt: skip


def public() -> Iterator[tuple[str, Any]]:
    """Yield the public functions, classes, and methods with their names."""
    for module in MODULES:
        home = importlib.import_module(module)
        for name in home.__all__:
            thing = getattr(home, name)
            if inspect.isclass(thing):
                for method, function in sorted(inspect.getmembers(thing, callable)):
                    own = getattr(function, "__module__", None) or ""
                    if own.startswith(("isotropy_lab", "isotropy_report")) and not method.startswith("_"):
                        yield f"{module}.{name}.{method}", function
            if callable(thing):
                yield f"{module}.{name}", thing


def without_types(function: Any) -> str:
    """Return a signature as text: names, kinds, and defaults."""
    try:
        found = inspect.signature(function)
    except ValueError:  # a class that Python gives no signature, such as an exception
        return "(*args)"
    empty = inspect.Parameter.empty
    return str(
        found.replace(
            parameters=[parameter.replace(annotation=empty) for parameter in found.parameters.values()],
            return_annotation=inspect.Signature.empty,
        )
    )


def options() -> Iterator[tuple[str, str]]:
    """Yield the options of the command line with their default values."""
    for command in cli.COMMANDS:
        top = cli.parser("isotropy-lab", cli.COMMANDS, command)
        commands = next(action for action in top._actions if action.dest == "command")
        for action in commands.choices[command]._actions:  # type: ignore[index]
            for name in action.option_strings[:1]:
                yield f"cli {command} {name}", repr(action.default)


def found() -> dict[str, str]:
    """Return the signatures that have defaults, and the options of the command line."""
    signatures = {name: without_types(function) for name, function in public()}
    return {name: text for name, text in signatures.items() if "=" in text} | dict(options())


def test_every_default_is_what_the_list_says() -> None:
    with LIST.open("rb") as stream:
        listed, now = tomllib.load(stream), found()
    others = sorted(name for name in {*now, *listed} if now.get(name) != listed.get(name))
    assert not others, f"other defaults: {others}; if they are meant, run python -m tests.test_defaults"


if __name__ == "__main__":
    text = "".join(f'"{name}" = {text!r}\n' for name, text in sorted(found().items()))
    LIST.write_text(
        "# Written by python -m tests.test_defaults; each line is a promise.\n" + text, encoding="utf-8"
    )
