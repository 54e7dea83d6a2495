"""Tests of all public signatures against a list that is changed only deliberately.

If a default changes, the same call returns another number. ``python -m tests.test_defaults`` rewrites the
list.
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
    "isotropy_lab.projection", "isotropy_lab.retrieval", "isotropy_lab.transforms", "isotropy_report",
    "isotropy_report.card", "isotropy_report.comparison", "isotropy_report.io", "isotropy_report.measures",
)  # fmt: skip


def public_callables() -> Iterator[tuple[str, Any]]:
    """Yield the public functions, classes, and methods with their names."""
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                for method, function in sorted(inspect.getmembers(value, callable)):
                    package = getattr(function, "__module__", None) or ""
                    if package.startswith(("isotropy_lab", "isotropy_report")) and not method.startswith("_"):
                        yield f"{module_name}.{name}.{method}", function
            if callable(value):
                yield f"{module_name}.{name}", value


def untyped_signature(function: Any) -> str:
    """Return a signature as text with names, kinds, and defaults, but without types."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # a class that Python gives no signature, such as an exception
        return "(*args)"
    empty = inspect.Parameter.empty
    return str(
        signature.replace(
            parameters=[parameter.replace(annotation=empty) for parameter in signature.parameters.values()],
            return_annotation=inspect.Signature.empty,
        )
    )


def command_line_options() -> Iterator[tuple[str, str]]:
    """Yield the options of the command line with their default values."""
    for command in cli.COMMANDS:
        parser = cli.parser("isotropy-lab", cli.COMMANDS, command)
        commands = next(action for action in parser._actions if action.dest == "command")
        for action in commands.choices[command]._actions:  # type: ignore[index]
            for name in action.option_strings[:1]:
                yield f"cli {command} {name}", repr(action.default)


def current_defaults() -> dict[str, str]:
    """Return the signatures that have defaults, and the options of the command line."""
    signatures = {name: untyped_signature(function) for name, function in public_callables()}
    return {name: text for name, text in signatures.items() if "=" in text} | dict(command_line_options())


def test_defaults_equal_the_list() -> None:
    with LIST.open("rb") as stream:
        listed, current = tomllib.load(stream), current_defaults()
    changed = sorted(name for name in {*current, *listed} if current.get(name) != listed.get(name))
    assert not changed, f"changed defaults: {changed}; if intended, run python -m tests.test_defaults"


if __name__ == "__main__":
    text = "".join(f'"{name}" = {text!r}\n' for name, text in sorted(current_defaults().items()))
    LIST.write_text(
        "# Written by python -m tests.test_defaults; each line is a promise.\n" + text, encoding="utf-8"
    )
