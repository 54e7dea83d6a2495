"""Tests of the presence of the button that runs a page, and of its data; tests/live presses it."""

import ast
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reanalyses import drawing, in_the_tab, live
from tests.conftest import script_module

from .conftest import BOOK
from .test_chapters import CASE_FILES, LESSONS, cells, page_of

cell_needs = script_module("cell_needs", "book/_ext")

#: The pages that have the button.
RUN = LESSONS + CASE_FILES


@pytest.fixture
def extension() -> Any:
    import isotropy_lab_live

    return isotropy_lab_live


def offered(extension: Any, path: Path, folder: Path, *, live: bool = True) -> list[Any]:
    """Write a page as the build does, and return the scripts that it includes."""
    scripts: list[Any] = []
    app = SimpleNamespace(
        config=SimpleNamespace(isotropy_lab_live=live, html_static_path=["_static"]),
        builder=SimpleNamespace(name="html"),
        env=SimpleNamespace(doc2path=lambda page: str(path)),
        outdir=folder,
        add_css_file=lambda file: None,
        add_js_file=lambda file, **options: scripts.append((file, options)),
    )
    extension.add_files(app, app.config)
    assert ("_live/page" in app.config.html_static_path) == live
    extension.add_button(app, page_of(path), "page.html", {}, object())
    return scripts


@pytest.mark.parametrize("path", RUN, ids=page_of)
def test_a_page_has_the_sources_of_its_cells_beside_it(extension: Any, path: Path, tmp_path: Path) -> None:
    (shared, _), (file, options) = offered(extension, path, tmp_path)
    assert (shared, file) == ("tab.js", "run-page.js")
    found = json.loads((tmp_path / options["data-cells"].partition("?")[0]).read_text(encoding="utf-8"))
    assert [(cell["index"], cell["source"]) for cell in found] == [
        (i, cell["text"])
        for i, cell in enumerate(cells(path))
        if cell["cell_type"] == "code" and "remove-input" not in cell["metadata"].get("tags", [])
    ]


@pytest.mark.rest
@pytest.mark.parametrize("path", LESSONS, ids=page_of)
def test_an_exercise_says_after_the_cells_that_it_needs_what_it_says_after_all(
    extension: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing.Explored, "_repr_html_", lambda self: "")  # all frames, which print nothing
    found = extension.runnable_cells(json.loads(path.read_text(encoding="utf-8")))

    def said(places: list[int]) -> dict[int, list[str]]:
        """Run cells in a new session, and return what each of them prints."""
        texts: list[str] = []
        session = live.Session(
            lambda kind, fields: texts.append(fields["text"]) if kind == "stream" else None
        )
        printed = {}
        for at in places:
            session.run("\n".join(found[at]["first"]), "imports")
            texts.clear()
            assert session.run(found[at]["source"], f"cell {at}"), texts
            printed[at] = texts.copy()
        return printed

    visible = [at for at, cell in enumerate(found) if not cell["solution"]]
    exercises = [at for at in visible if re.search(r"(?m)^check\(", found[at]["source"])]
    after_all = said(visible[: visible.index(exercises[-1]) + 1])
    for at in exercises:
        assert set(found[at]["needs"]) < set(visible[: visible.index(at)])
        assert said([*found[at]["needs"], at])[at] == after_all[at]


@pytest.mark.parametrize("path", LESSONS, ids=page_of)
def test_run_all_keeps_what_a_student_has_called_something(extension: Any, path: Path) -> None:
    found = extension.runnable_cells(json.loads(path.read_text(encoding="utf-8")))
    own = [cell for cell in found if not cell["solution"]]
    modules = {name.asname or name.name for cell in own for one in ast.walk(ast.parse(cell["source"]))
               if isinstance(one, ast.Import) for name in one.names}  # fmt: skip
    named = {name for cell in own for name in cell["gives"]} - modules
    for cell in found:
        assert not cell["solution"] or not named & set(cell["gives"]), cell["source"]


@pytest.mark.parametrize(
    ("sources", "needed"),
    [
        (["a = 1", "b = 2", "a + 1"], [0]),
        (["a = 1", "a = 2", "a"], [1]),
        (["a = 1", "a += 1", "a"], [0, 1]),
        (["a = []", "a.append(1)", "a"], [0, 1]),
        (["a = {}", "a['b'] = 1", "a"], [0, 1]),
        (["a = 1", "if a:\n    a = 2", "a"], [0, 1]),
        (["a = 1", "for a in ():\n    pass", "a"], [0, 1]),
        (["a = 1", "def f():\n    return a", "b = 3", "f()"], [0, 1]),
        (["def f():\n    return a", "a = 1", "f()"], [0, 1]),
        (["a = 1", "b = 2", "def f():\n    return a\nf()"], [0]),
        (["a = 1", "a = 2\ndef f():\n    return a\nf()"], []),
        (["a = 1", "f = lambda a: a", "f(2)"], [1]),
        (["a = 1", "b = 2", "def f(x=a, *, y=b):\n    return x"], [0, 1]),
        (["a = 1", "b = 2", "while a:\n    print(b)"], [0, 1]),
        (["a = 1", "b = [a for a in range(3)]", "b"], [1]),
        (["r = default_rng(0)", "x = r.random()", "r.random()"], [0, 1]),
        (["r = default_rng(0)", "def f():\n    return r.random()", "x = f()", "f()"], [0, 1, 2]),
        (["f = len", "f([])", "f"], [0]),
        (["drawing.use()", "1", "plt.plot()"], [0]),
        (["print(1)", "print(2)"], []),
    ],
)  # fmt: skip
def test_a_cell_needs_what_gives_its_names(sources: list[str], needed: list[int]) -> None:
    assert cell_needs.needs(sources, [False] * len(sources))[-1] == (needed, [])


def test_an_import_is_enough_of_a_cell_that_only_imports_what_is_needed() -> None:
    sources = ["import numpy as np\nx = 1", "from math import pi, e", "x = np.pi\nnp = 2", "np + pi", "x + e"]
    found = cell_needs.needs(sources, [False] * len(sources))
    assert found[2] == ([], ["import numpy as np"])
    assert found[3] == ([2], ["import numpy as np", "from math import pi, e"])
    assert found[4] == ([2], ["import numpy as np", "from math import pi, e"])
    assert found[0] == found[1] == ([], [])


def test_the_page_knows_imports_and_measured_seconds(extension: Any) -> None:
    source = "import numpy as np\nx = np.ones(3)\nfrom math import pi"
    cell = {"cell_type": "code", "metadata": {}, "source": [source]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_the_tab, "seconds", lambda: {in_the_tab.digest(source): 1.5})
        (found,) = extension.runnable_cells({"cells": [cell]})
    assert found["first"] == []
    assert found["imports"] == ["import numpy as np", "from math import pi"]
    assert found["seconds"] == 1.5
    (found,) = extension.runnable_cells({"cells": [cell | {"source": ["x = 1"]}]})
    assert "seconds" not in found


def test_a_solution_is_needed_by_none() -> None:
    assert cell_needs.needs(["a = 1", "a = 2", "a"], [False, True, False]) == [([], []), ([], []), ([0], [])]


def test_the_page_for_files_has_its_script_which_asks_nothing_of_the_network(
    extension: Any, tmp_path: Path
) -> None:
    page = BOOK / f"{extension.PAGE_FOR_FILES}.md"
    assert [file for file, _ in offered(extension, page, tmp_path)] == ["tab.js", "measure-files.js"]
    assert offered(extension, page, tmp_path, live=False) == []
    script = (BOOK / "_live" / "page" / "measure-files.js").read_text(encoding="utf-8")
    assert not re.search(r"fetch\(|XMLHttpRequest|sendBeacon|WebSocket|https?://", script)


def test_the_button_is_where_the_files_are(built: Path) -> None:
    having = {path for path in built.rglob("*.html") if "run-page.js" in path.read_text(encoding="utf-8")}
    files = (built / "_static" / "live" / "files.json").exists()
    assert having == ({built / f"{page_of(path)}.html" for path in RUN} if files else set())
