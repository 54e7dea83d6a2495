"""Tests of the button that runs a page: its presence and data; the tests in tests/live click it."""

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
from .test_chapters import CASE_FILES, LESSONS, page_of, read_cells

cell_needs = script_module("cell_needs", "book/_ext")

#: The pages that have the button.
RUNNABLE_PAGES = LESSONS + CASE_FILES


@pytest.fixture
def extension() -> Any:
    import isotropy_lab_live

    return isotropy_lab_live


def included_scripts(extension: Any, path: Path, folder: Path, *, live: bool = True) -> list[Any]:
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


@pytest.mark.parametrize("path", RUNNABLE_PAGES, ids=page_of)
def test_page_has_a_file_with_sources_of_its_cells(extension: Any, path: Path, tmp_path: Path) -> None:
    (shared, _), (file, options) = included_scripts(extension, path, tmp_path)
    assert (shared, file) == ("tab.js", "run-page.js")
    page_cells = json.loads((tmp_path / options["data-cells"].partition("?")[0]).read_text(encoding="utf-8"))
    assert [(cell["index"], cell["source"]) for cell in page_cells] == [
        (i, cell["text"])
        for i, cell in enumerate(read_cells(path))
        if cell["cell_type"] == "code" and "remove-input" not in cell["metadata"].get("tags", [])
    ]


@pytest.mark.rest
@pytest.mark.parametrize("path", LESSONS, ids=page_of)
def test_exercise_prints_the_same_after_only_needed_cells(
    extension: Any, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing.Explored, "_repr_html_", lambda self: "")  # its frames print nothing
    page_cells = extension.runnable_cells(json.loads(path.read_text(encoding="utf-8")))

    def run_cells(indices: list[int]) -> dict[int, list[str]]:
        """Run cells in a new session, and return what each of them prints."""
        texts: list[str] = []
        session = live.Session(
            lambda kind, fields: texts.append(fields["text"]) if kind == "stream" else None
        )
        outputs = {}
        for i in indices:
            session.run("\n".join(page_cells[i]["first"]), "imports")
            texts.clear()
            assert session.run(page_cells[i]["source"], f"cell {i}"), texts
            outputs[i] = texts.copy()
        return outputs

    visible = [i for i, cell in enumerate(page_cells) if not cell["solution"]]
    exercises = [i for i in visible if re.search(r"(?m)^check\(", page_cells[i]["source"])]
    expected = run_cells(visible[: visible.index(exercises[-1]) + 1])
    for i in exercises:
        assert set(page_cells[i]["needs"]) < set(visible[: visible.index(i)])
        assert run_cells([*page_cells[i]["needs"], i])[i] == expected[i]


@pytest.mark.parametrize("path", LESSONS, ids=page_of)
def test_solutions_do_not_overwrite_names_of_visible_cells(extension: Any, path: Path) -> None:
    page_cells = extension.runnable_cells(json.loads(path.read_text(encoding="utf-8")))
    visible = [cell for cell in page_cells if not cell["solution"]]
    modules = {name.asname or name.name for cell in visible for node in ast.walk(ast.parse(cell["source"]))
               if isinstance(node, ast.Import) for name in node.names}  # fmt: skip
    student_names = {name for cell in visible for name in cell["gives"]} - modules
    for cell in page_cells:
        assert not cell["solution"] or not student_names & set(cell["gives"]), cell["source"]


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
def test_cell_needs_the_cells_that_assign_its_names(sources: list[str], needed: list[int]) -> None:
    assert cell_needs.needs(sources, [False] * len(sources))[-1] == (needed, [])


def test_only_imports_of_a_cell_may_be_needed() -> None:
    sources = ["import numpy as np\nx = 1", "from math import pi, e", "x = np.pi\nnp = 2", "np + pi", "x + e"]
    needs = cell_needs.needs(sources, [False] * len(sources))
    assert needs[2] == ([], ["import numpy as np"])
    assert needs[3] == ([2], ["import numpy as np", "from math import pi, e"])
    assert needs[4] == ([2], ["import numpy as np", "from math import pi, e"])
    assert needs[0] == needs[1] == ([], [])


def test_cells_have_imports_and_measured_seconds(extension: Any) -> None:
    source = "import numpy as np\nx = np.ones(3)\nfrom math import pi"
    cell = {"cell_type": "code", "metadata": {}, "source": [source]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_the_tab, "seconds", lambda: {in_the_tab.digest(source): 1.5})
        (result,) = extension.runnable_cells({"cells": [cell]})
    assert result["first"] == []
    assert result["imports"] == ["import numpy as np", "from math import pi"]
    assert result["seconds"] == 1.5
    (result,) = extension.runnable_cells({"cells": [cell | {"source": ["x = 1"]}]})
    assert "seconds" not in result


def test_solutions_are_not_needed() -> None:
    assert cell_needs.needs(["a = 1", "a = 2", "a"], [False, True, False]) == [([], []), ([], []), ([0], [])]


def test_page_for_files_has_a_script_without_network_access(extension: Any, tmp_path: Path) -> None:
    page = BOOK / f"{extension.PAGE_FOR_FILES}.md"
    assert [file for file, _ in included_scripts(extension, page, tmp_path)] == ["tab.js", "measure-files.js"]
    assert included_scripts(extension, page, tmp_path, live=False) == []
    script = (BOOK / "_live" / "page" / "measure-files.js").read_text(encoding="utf-8")
    assert not re.search(r"fetch\(|XMLHttpRequest|sendBeacon|WebSocket|https?://", script)


def test_button_is_present_if_the_files_are(built: Path) -> None:
    pages = {path for path in built.rglob("*.html") if "run-page.js" in path.read_text(encoding="utf-8")}
    files = (built / "_static" / "live" / "files.json").exists()
    assert pages == ({built / f"{page_of(path)}.html" for path in RUNNABLE_PAGES} if files else set())
