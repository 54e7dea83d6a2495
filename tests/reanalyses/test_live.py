"""Comparison of cells run in the browser's way with IPython."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from reanalyses import live, style


@pytest.fixture
def session() -> tuple[live.Session, list[tuple[str, dict[str, Any]]]]:
    said: list[tuple[str, dict[str, Any]]] = []
    return live.Session(lambda kind, fields: said.append((kind, fields))), said


def test_what_is_printed_and_shown_comes_in_order(session):
    cells, said = session
    assert cells.run("print('a')\ndisplay(1)\nprint('b', end='')\n2", "cell 1")
    assert [(kind, fields.get("text") or fields["data"]["text/plain"]) for kind, fields in said] == [
        ("stream", "a\n"),
        ("display", "1"),
        ("stream", "b"),
        ("display", "2"),
    ]


def test_names_stay_and_a_semicolon_is_silent(session):
    cells, said = session
    assert cells.run("x = 3", "cell 1")
    assert cells.run("x;", "cell 2")
    assert cells.run("x  # ;", "cell 3")
    assert cells.run("None", "cell 4")
    assert [fields["data"]["text/plain"] for _, fields in said] == ["3"]
    assert cells.evaluate("f'{x:.1f}'") == "3.0"


def test_a_traceback_has_the_lines_of_cells_and_the_place(session):
    cells, said = session
    assert cells.run("import numpy as np\ndef f(x):\n    return np.linalg.inv(x)", "cell 1")
    assert not cells.run("y = 1\nf(np.zeros((2, 2)))", "cell 2")
    ((kind, error),) = said
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


def test_what_a_cell_exits_with_is_an_error_and_no_end(session):
    cells, said = session
    assert not cells.run("raise SystemExit(1)", "cell 1")
    assert cells.run("1", "cell 2")
    assert said[0][1]["name"] == "SystemExit"


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
def test_values_are_written_as_ipython_writes_them(value):
    from IPython.lib.pretty import pretty

    assert live.pretty(value) == pretty(value)


def test_tables_and_figures(session):
    cells, said = session
    assert cells.run("import pandas as pd\npd.DataFrame({'a': [1]})", "cell 1")
    assert "<td>1</td>" in said[0][1]["data"]["text/html"]
    assert cells.run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", "cell 2")
    assert said[1][1]["data"]["image/svg+xml"].startswith('<svg class="il-drawn"')
    assert plt.get_fignums() == []
    with style.style():
        assert live.bundle(style.finish(plt.figure()))["image/svg+xml"].startswith("<svg")
