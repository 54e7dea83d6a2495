"""Tests of lessons in JupyterLab, as Binder opens them: all cells run, and the prose is rendered.

The first lesson of each part is tested, and all lessons if the variable ISOTROPY_LAB_LARGE is set.
"""

import importlib.util
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

from isotropy_lab.projection import point_quality
from tests.conftest import skip_or_fail

from .conftest import ROOT, inline_expressions
from .test_chapters import LESSONS, name

pytestmark = [pytest.mark.browser, pytest.mark.rest]

#: Returns, for each cell after a run, the content of its model and what the page shows.
READ_CELLS = """() => jupyterapp.shell.currentWidget.content.widgets.map((cell) => {
  const model = cell.model.sharedModel.toJSON();
  const prose = cell.node.querySelector(".myst");
  // Hints, answers, and results are folded: unfold them, read them, and fold them again.
  const unfolded = cell.node.querySelectorAll(".myst details[open]").length;
  const folded = [...(prose?.querySelectorAll("details:not([open])") ?? [])];
  for (const part of folded) part.open = true;
  const snippets = [...(prose?.querySelectorAll("pre") ?? [])].map((code) => code.innerText);
  const text = snippets.reduce((rest, code) => rest.replace(code, ""), prose?.innerText ?? "");
  for (const part of folded) part.open = false;
  return {
    type: model.cell_type, source: cell.model.sharedModel.getSource(), outputs: model.outputs ?? [],
    tags: model.metadata.tags ?? [], figure: Boolean(model.metadata.mystnb?.figure),
    hidden: Boolean(cell.inputHidden), values: model.metadata.user_expressions ?? [],
    text, open: unfolded, codes: [...(prose?.querySelectorAll("code") ?? [])].map((code) => code.innerText),
    formulas: [...cell.node.querySelectorAll(".katex-error")].map((error) => error.innerText),
    pictures: cell.node.querySelectorAll(".jp-OutputArea-output :is(img, svg)").length,
  };
})"""


#: The code of a notebook with a map, whose controls the test operates by keyboard.
MAP_CODE = """import numpy as np
from isotropy_report import explore_map

X = np.random.default_rng(0).standard_normal((60, 5))
explore_map(X, X[:, :2], texts=[f"<b>text {i}</b>" for i in range(60)], n_neighbors=3)"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start JupyterLab with copies of the lessons and Binder's settings, and yield its address."""
    if importlib.util.find_spec("jupyterlab") is None:
        skip_or_fail("no JupyterLab in this environment")
    folder = tmp_path_factory.mktemp("lab")
    for lesson in LESSONS:
        copy = folder / "book" / lesson.relative_to(ROOT / "book")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(lesson, copy)
    cells, kernel = [nbformat.v4.new_code_cell(MAP_CODE)], {"name": "python3", "display_name": "Python 3"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / "book" / "map.ipynb")
    (folder / "settings").mkdir()
    shutil.copy(ROOT / "book" / "jupyterlab-overrides.json", folder / "settings" / "overrides.json")
    folders = ("CONFIG_DIR", "DATA_DIR", "RUNTIME_DIR")
    environment = os.environ | {f"JUPYTER_{kind}": str(folder / kind) for kind in folders}
    environment["OMP_NUM_THREADS"] = "1"  # more threads would compete with the browser
    environment |= {f"JUPYTERLAB_{kind}_DIR": str(folder / kind) for kind in ("SETTINGS", "WORKSPACES")}
    token = secrets.token_hex(16)
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": 0,
        "ServerApp.root_dir": folder / "book",
        "ServerApp.allow_root": True,
        "IdentityProvider.token": token,
        "LabApp.app_settings_dir": folder / "settings",
        "LabApp.expose_app_in_browser": True,
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser"]
    command += [f"--{key}={value}" for key, value in options.items()]
    log = folder / "log.txt"
    with open(log, "w", encoding="utf-8") as output:
        server = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=folder)
    try:
        deadline = time.monotonic() + 120
        while not (servers := list((folder / "RUNTIME_DIR").glob("jpserver-*.json"))):
            if server.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')}")
            time.sleep(0.1)
        port = json.loads(servers[0].read_text(encoding="utf-8"))["port"]
        yield f"http://127.0.0.1:{port}/lab/tree/PAGE?token={token}&reset"
    finally:
        server.terminate()
        server.wait(30)


def run_all(page: Any, address: str) -> list[dict[str, Any]]:
    """Open a notebook, run all cells, wait for the numbers in its prose, and return its cells."""
    page.set_default_timeout(120_000)
    page.goto(address)
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
    )
    notebook = "jupyterapp.shell.currentWidget.content"
    page.wait_for_function(
        f"() => {notebook}.widgets.every((cell) => cell.model.type === 'code' || cell.node.querySelector('.myst *'))"
    )
    page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
    cells: list[dict[str, Any]] = page.evaluate(READ_CELLS)
    for cell in cells:
        errors = [output for output in cell["outputs"] if output["output_type"] == "error"]
        assert errors == [], cell["source"]
    n_values = [
        len(inline_expressions.expressions(cell["source"])) * (cell["type"] == "markdown") for cell in cells
    ]
    page.wait_for_function(
        f"""(n_values) => {notebook}.widgets.every((cell, i) => !n_values[i] || (
          new Set((cell.model.getMetadata("user_expressions") ?? []).map((e) => e.expression)).size === n_values[i]
          && ![...cell.node.querySelectorAll(".myst code")].some((code) =>
            cell.model.getMetadata("user_expressions").some((e) => e.expression === code.textContent))))""",
        arg=n_values,
    )
    cells_with_values: list[dict[str, Any]] = page.evaluate(READ_CELLS)
    return cells_with_values


FIRST_LESSONS = list({path.parent: path for path in reversed(LESSONS)}.values())


@pytest.mark.parametrize("path", LESSONS if "ISOTROPY_LAB_LARGE" in os.environ else FIRST_LESSONS, ids=name)
def test_lesson_is_rendered_and_runs_in_jupyterlab(lab: str, browser: Any, path: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    cells = run_all(page, lab.replace("PAGE", path.relative_to(ROOT / "book").as_posix()))
    for cell in cells:
        source = cell["source"][:200]
        assert cell["formulas"] == [], source
        if cell["type"] == "markdown":
            raw = r"\{[\w:-]+\}`?|:::|```|\]\(|<\w+[^>]*>|\w+:\.\d[fg]|~\w+\.\w"
            assert re.findall(raw, cell["text"]) == [], source
            assert cell["open"] == 0, f"a part is unfolded: {source}"
            for value in cell["values"]:
                assert value["result"]["status"] == "ok", value
                shown = inline_expressions.display_text(value["result"]["data"]["text/plain"])
                assert shown in cell["text"], (source, shown)
        elif "solution" in cell["tags"]:
            assert cell["hidden"], source
            assert cell["outputs"] == [], f"a folded solution shows something: {source}"
        elif "set-up" in cell["tags"]:
            assert cell["hidden"], source
        else:
            assert not cell["hidden"], source
            assert cell["pictures"] or not cell["figure"], f"no picture: {source}"
    for figure in page.locator(".il-moving").all():
        assert figure.get_attribute("data-ready") is not None
        assert figure.locator("svg").count()
    page.close()


def test_map_is_explored_by_keyboard(lab: str, browser: Any) -> None:
    X = np.random.default_rng(0).standard_normal((60, 5))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    run_all(page, lab.replace("PAGE", "map.ipynb"))
    output = page.locator(".jp-OutputArea-output .widget-vbox")
    picture = output.locator("img")

    def check_tables(row: int, k: int) -> str:
        """Wait for the tables of a row and K, compare their rows, and return the address of the image."""
        output.get_by_text(f"<b>text {row}</b>", exact=True).first.wait_for()
        points = point_quality(X, X[:, :2], n_neighbors=k)
        for i, neighbors in enumerate((points.data_neighbors, points.map_neighbors), 1):
            lines = output.locator("table").nth(i).locator("tbody tr")
            lines.nth(k - 1).wait_for()
            listed = [line.split("\t")[:2] for line in lines.all_inner_texts()]
            assert listed == [[str(j), f"<b>text {j}</b>"] for j in neighbors[row]]
        return str(picture.get_attribute("src"))

    first_image = check_tables(0, 3)
    output.locator(".noUi-handle").press("ArrowRight")
    second_image = check_tables(0, 4)
    output.locator("input[type=number]").fill("7")
    output.locator("input[type=number]").press("Enter")
    assert len({first_image, second_image, check_tables(7, 4)}) == 3
    page.close()
