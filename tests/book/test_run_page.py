"""The button that runs a page: where it is, and what stands beside the page for it. tests/live presses it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .conftest import BOOK
from .test_chapters import CASE_FILES, LESSONS, cells
from .test_lessons import names as names_of

#: The pages that have the button.
RUN = LESSONS + CASE_FILES


def name(path: Path) -> str:
    return path.relative_to(BOOK).with_suffix("").as_posix()


@pytest.fixture
def extension() -> Any:
    import isotropy_lab_live

    return isotropy_lab_live


def offered(extension: Any, path: Path, folder: Path, *, live: bool = True) -> list[Any]:
    """Write a page as the build does; return the scripts that it gets."""
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
    extension.offer(app, name(path), "page.html", {}, object())
    return scripts


@pytest.mark.parametrize("path", RUN, ids=name)
def test_a_page_has_the_sources_of_its_cells_beside_it(extension: Any, path: Path, tmp_path: Path) -> None:
    (shared, _), (file, options) = offered(extension, path, tmp_path)
    assert (shared, file) == ("tab.js", "run-page.js")
    found = json.loads((tmp_path / options["data-cells"].partition("?")[0]).read_text(encoding="utf-8"))
    assert [(cell["index"], cell["source"]) for cell in found] == [
        (i, cell["text"])
        for i, cell in enumerate(cells(path))
        if cell["cell_type"] == "code" and "remove-input" not in cell["metadata"].get("tags", [])
    ]


def needed(found: list[dict[str, Any]], at: int) -> list[dict[str, Any]]:
    """Return what `run-page.js` runs before a cell: the cells that give a name that it mentions, and what these need."""
    names, taken = set(re.findall(r"\w+", found[at]["source"])), []
    for cell in reversed(found[:at]):
        if not cell["solution"] and (cell["set_up"] or names & set(cell["gives"])):
            names |= set(re.findall(r"\w+", cell["source"]))
            taken.insert(0, cell)
    return taken


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_cell_finds_its_names_in_the_cells_that_it_needs(extension: Any, path: Path) -> None:
    found = extension.cells(json.loads(path.read_text(encoding="utf-8")))
    saved = []
    for at, cell in enumerate(found):
        above = needed(found, at)
        saved.append(sum(not one["solution"] for one in found[:at]) - len(above))
        used, _ = names_of(cell["source"])
        given = {name for one in found[:at] if not one["solution"] for name in names_of(one["source"])[1]}
        assert used & given <= {name for one in above for name in names_of(one["source"])[1]}, cell["source"]
        for one, later in ((a, b) for a in found[:at] for b in above if b in found[found.index(a) + 1 :]):
            if not one["solution"] and names_of(one["source"])[1] & names_of(later["source"])[0]:
                assert one in above, (one["source"], later["source"])
    assert max(saved) > 0, "every cell needs all others"


def test_what_changes_a_name_gives_it(extension: Any) -> None:
    state: set[str] = set()
    assert extension.given("import numpy as np\nrng = np.random.default_rng(0)", state) == {"np", "rng"}
    extension.given("ball = np.random.default_rng(1).normal(size=3)", state)
    assert state == {"rng"}
    assert extension.given("X = rng.normal(size=3)\nY[0] = 1\nfound.rows.append(X)\nZ += 1\nprint(X)", state) == {
        "X", "Y", "Z", "found", "rng",
    }  # fmt: skip
    assert extension.given("def f(a):\n    return a + b", state) == {"f"}


def test_the_page_for_files_has_its_script_which_asks_nothing_of_the_network(
    extension: Any, tmp_path: Path
) -> None:
    page = BOOK / f"{extension.MEASURES}.md"
    assert [file for file, _ in offered(extension, page, tmp_path)] == ["tab.js", "measure-files.js"]
    assert offered(extension, page, tmp_path, live=False) == []
    script = (BOOK / "_live" / "page" / "measure-files.js").read_text(encoding="utf-8")
    assert not re.search(r"fetch\(|XMLHttpRequest|sendBeacon|WebSocket|https?://", script)


def test_the_button_is_where_the_files_are(built: Path) -> None:
    having = {path for path in built.rglob("*.html") if "run-page.js" in path.read_text(encoding="utf-8")}
    files = (built / "_static" / "live" / "files.json").exists()
    assert having == ({built / f"{name(path)}.html" for path in RUN} if files else set())
