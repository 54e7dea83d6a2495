"""Tests of cells run as in the browser, against IPython."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from reanalyses import live, style


@pytest.fixture
def session() -> tuple[live.Session, list[tuple[str, dict[str, Any]]]]:
    messages: list[tuple[str, dict[str, Any]]] = []
    return live.Session(lambda kind, fields: messages.append((kind, fields))), messages


def test_output_keeps_its_order(session):
    cells, messages = session
    assert cells.run("print('a')\ndisplay(1)\nprint('b', end='')\n2", "cell 1")
    assert [(kind, fields.get("text") or fields["data"]["text/plain"]) for kind, fields in messages] == [
        ("stream", "a\n"),
        ("display", "1"),
        ("stream", "b"),
        ("display", "2"),
    ]


def test_names_persist_and_semicolon_suppresses_output(session):
    cells, messages = session
    assert cells.run("x = 3", "cell 1")
    assert cells.run("x;", "cell 2")
    assert cells.run("x  # ;", "cell 3")
    assert cells.run("None", "cell 4")
    assert [fields["data"]["text/plain"] for _, fields in messages] == ["3"]
    assert cells.evaluate("f'{x:.1f}'") == "3.0"


def test_traceback_shows_cells_and_lines(session):
    cells, messages = session
    assert cells.run("import numpy as np\ndef f(x):\n    return np.linalg.inv(x)", "cell 1")
    assert not cells.run("y = 1\nf(np.zeros((2, 2)))", "cell 2")
    ((kind, error),) = messages
    assert (kind, error["name"]) == ("error", "LinAlgError")
    lines = error["traceback"].splitlines()
    assert lines[1:5] == [
        "  cell 2, line 2",
        "    f(np.zeros((2, 2)))",
        "  cell 1, line 3, in f",
        "    return np.linalg.inv(x)",
    ]
    assert lines[5].startswith("  numpy.linalg.")
    assert len(lines) == 6


def test_system_exit_is_reported_as_an_error(session):
    cells, messages = session
    assert not cells.run("raise SystemExit(1)", "cell 1")
    assert cells.run("1", "cell 2")
    assert messages[0][1]["name"] == "SystemExit"


@pytest.mark.parametrize(
    "value",
    [
        [1.5, "a", None],
        {"a": [1, 2], "b": (3,)},
        dict.fromkeys(range(4), "x" * 30),
        [list(range(30)), list(range(40))],
        {3, 1, 2},
        list(range(1200)),
        np.arange(3.0),
        "text",
        [],
        (np.float64(0.5), {"long": ["y" * 40, "z" * 40]}),
    ],
)
def test_pretty_equals_ipython(value):
    from IPython.lib.pretty import pretty

    assert live.pretty(value) == pretty(value)


def test_tables_and_figures_are_displayed(session):
    cells, messages = session
    assert cells.run("import pandas as pd\npd.DataFrame({'a': [1]})", "cell 1")
    assert "<td>1</td>" in messages[0][1]["data"]["text/html"]
    assert cells.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", "cell 2")
    assert messages[1][1]["data"]["image/svg+xml"].startswith('<svg class="il-drawn"')
    assert plt.get_fignums() == []
    with style.style():
        assert live.bundle(style.finish(plt.figure()))["image/svg+xml"].startswith("<svg")
