"""Tests that no output overwrites an input, for every option that names a file, also through links."""

import argparse
import json
import os

import numpy as np
import pytest

from isotropy_report import cli
from isotropy_report.card import report_card
from tests.isotropy_report.command_line import call

#: Free text that names no file.
NO_FILES = {"key", "column", "fail_behind", "accuracy", "against", "database", "query"}


def parser_of(name):
    top = cli.parser("isotropy-lab", cli.COMMANDS, name)
    (commands,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
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
    if takes_text(action) and action.dest not in NO_FILES
]


def required(name):
    return [action for action in parser_of(name)._actions if not action.option_strings]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for i, name in enumerate(("a.npy", "b.npy")):
        np.save(name, np.random.default_rng(i).standard_normal((30, 4)))
    return tmp_path


def test_every_argument_that_could_name_a_file_is_declared_as_an_input():
    assert {(name, action.dest) for name, action in INPUTS} >= {
        ("scores", "file"), ("scores", "groups"), ("compare", "files"),
        ("report", "labels"), ("report", "gold"), ("report", "questions"), ("report", "documents"),
    }  # fmt: skip
    for name, action in INPUTS:
        assert action.dest in parser_of(name).get_default("inputs"), f"{name} {action.dest}"


@pytest.mark.parametrize("link", [None, os.symlink, os.link])
@pytest.mark.parametrize(("name", "action"), INPUTS, ids=lambda value: getattr(value, "dest", value))
def test_an_input_stays(capsys, folder, monkeypatch, name, action, link):
    """Refused before anything is read, with both names; every byte stays."""
    command = cli.COMMANDS[name].load()
    monkeypatch.setattr(command, "run", lambda _: pytest.fail("it ran"))
    path = folder / "mine.json"
    path.write_text(json.dumps({"A": ["w"]}), encoding="utf-8")
    place = folder / "other.html"
    if link is None:
        place = path
    else:
        link(path, place)
    before = path.read_bytes()
    words = [path if one.dest == action.dest else "b.npy" for one in required(name)]
    options = [action.option_strings[-1], path] if action.option_strings else []
    code, out, err = call(capsys, name, *words, *options, "-o", place)
    assert (code, out) == (2, "")
    assert f"--output {place}" in err
    assert str(path) in err
    assert err.count("\n") == 1
    assert path.read_bytes() == before
    assert sorted(os.listdir(folder)) == sorted({"a.npy", "b.npy", path.name, place.name})


def test_the_default_output_is_no_input_either(capsys, folder):
    (folder / "report.html").write_text("a\n" * 30, encoding="utf-8")
    code, out, err = call(capsys, "report", "a.npy", "--labels", "report.html")
    assert (code, out) == (2, "")
    assert "--output report.html is the same file as --labels report.html" in err
    assert (folder / "report.html").read_text(encoding="utf-8") == "a\n" * 30
    assert call(capsys, "report", "a.npy", "--labels", "report.html", "--json")[0] == 0  # nothing is written


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_an_option_given_twice_is_refused(capsys, folder, name):
    """Of two values the last would win without a word."""
    code, out, err = call(capsys, name, *["a.npy"] * len(required(name)), "--json", *["-o", "new.json"] * 2)
    assert (code, out) == (2, "")
    assert "--output: given more than once" in err


# --- the card in Python -------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["X", "groups", "documents"])
def test_a_card_is_not_written_over_a_memory_map_that_it_read(folder, part):
    X = np.random.default_rng(0).standard_normal((40, 4))
    mapped = np.arange(40) // 4 if part == "groups" else X
    np.save("mapped.npy", mapped)
    os.rename("mapped.npy", "mapped.json")
    os.symlink("mapped.json", "link.html")
    given = {"X": X, part: np.load("mapped.json", mmap_mode="r")[:]}
    if part == "documents":
        given |= {"questions": X[:5], "gold": np.arange(5)}
    card = report_card(given.pop("X"), **given)
    before = (folder / "mapped.json").read_bytes()
    for place in ("mapped.json", "link.html"):
        with pytest.raises(ValueError, match=rf"path is '{place}', .*mapped\.json"):
            card.write(place)
    assert (folder / "mapped.json").read_bytes() == before
    card.write("free.json")
    assert "mapped" not in (folder / "free.json").read_text(encoding="utf-8")
