"""Tests that no output overwrites an input, for every option that names a file, also through links."""

import argparse
import json
import os

import numpy as np
import pytest

from isotropy_report import cli
from isotropy_report.card import report_card
from tests.isotropy_report.command_line import call

#: Arguments whose text names no file.
TEXT_ARGUMENTS = {"key", "column", "fail_behind", "accuracy", "against", "database", "query"}


def parser_of(name):
    parser = cli.parser("isotropy-lab", cli.COMMANDS, name)
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return commands.choices[name]


def takes_text(action):
    """Return whether an argument accepts text that may name a file."""
    return (
        action.nargs != 0 and action.choices is None and action.type in (None, str) and action.dest != "help"
    )


INPUTS = [
    (name, action)
    for name in cli.COMMANDS
    for action in parser_of(name)._actions
    if takes_text(action) and action.dest not in TEXT_ARGUMENTS
]


def positionals(name):
    return [action for action in parser_of(name)._actions if not action.option_strings]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i, name in enumerate(("a.npy", "b.npy")):
        np.save(name, np.random.default_rng(i).standard_normal((30, 4)))
    return tmp_path


def test_arguments_that_may_name_files_are_declared_as_inputs():
    assert {(name, action.dest) for name, action in INPUTS} >= {
        ("scores", "file"), ("scores", "groups"), ("compare", "files"),
        ("report", "labels"), ("report", "gold"), ("report", "questions"), ("report", "documents"),
    }  # fmt: skip
    for name, action in INPUTS:
        assert action.dest in parser_of(name).get_default("inputs"), f"{name} {action.dest}"


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
@pytest.mark.parametrize(("name", "action"), INPUTS, ids=lambda value: getattr(value, "dest", value))
def test_output_over_an_input_is_refused(capsys, folder, monkeypatch, name, action, link):
    """The error names both before anything is read, and no byte changes."""
    command = cli.COMMANDS[name].load()
    monkeypatch.setattr(command, "run", lambda _: pytest.fail("the command ran"))
    path = folder / "mine.json"
    path.write_text(json.dumps({"A": ["w"]}), encoding="utf-8")
    output_path = folder / "other.html"
    if link is None:
        output_path = path
    else:
        link(path, output_path)
    before = path.read_bytes()
    words = [path if argument.dest == action.dest else "b.npy" for argument in positionals(name)]
    options = [action.option_strings[-1], path] if action.option_strings else []
    code, out, err = call(capsys, name, *words, *options, "-o", output_path)
    assert (code, out) == (2, "")
    assert f"--output {output_path}" in err
    assert str(path) in err
    assert err.count("\n") == 1
    assert path.read_bytes() == before
    assert sorted(os.listdir(folder)) == sorted({"a.npy", "b.npy", path.name, output_path.name})


def test_default_output_over_an_input_is_refused(capsys, folder):
    (folder / "report.html").write_text("a\n" * 30, encoding="utf-8")
    code, out, err = call(capsys, "report", "a.npy", "--labels", "report.html")
    assert (code, out) == (2, "")
    assert "--output report.html is the same file as --labels report.html" in err
    assert (folder / "report.html").read_text(encoding="utf-8") == "a\n" * 30
    assert call(capsys, "report", "a.npy", "--labels", "report.html", "--json")[0] == 0  # nothing is written


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_repeated_options_are_refused(capsys, folder, name):
    """Otherwise the last of two values would silently win."""
    code, out, err = call(
        capsys, name, *["a.npy"] * len(positionals(name)), "--json", *["-o", "new.json"] * 2
    )
    assert (code, out) == (2, "")
    assert "--output: given more than once" in err


@pytest.mark.parametrize("argument", ["X", "groups", "documents"])
def test_writing_a_card_over_its_memory_map_is_refused(folder, argument):
    X = np.random.default_rng(0).standard_normal((40, 4))
    mapped = np.arange(40) // 4 if argument == "groups" else X
    np.save("mapped.npy", mapped)
    os.rename("mapped.npy", "mapped.json")
    os.symlink("mapped.json", "link.html")
    arguments = {"X": X, argument: np.load("mapped.json", mmap_mode="r")[:]}
    if argument == "documents":
        arguments |= {"questions": X[:5], "gold": np.arange(5)}
    card = report_card(arguments.pop("X"), **arguments)
    before = (folder / "mapped.json").read_bytes()
    for name in ("mapped.json", "link.html"):
        with pytest.raises(ValueError, match=rf"path is '{name}', .*mapped\.json"):
            card.write(name)
    assert (folder / "mapped.json").read_bytes() == before
    card.write("free.json")
    assert "mapped" not in (folder / "free.json").read_text(encoding="utf-8")
