"""Button that runs a lesson or a case file in the browser, on sites that contain the required files.

Each code cell has a class with its number, and ``<page>.cells.json`` next to the page contains the sources of
the cells. The page loads nothing else for this until the reader clicks the button.
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

import cell_needs
from reanalyses import in_the_tab, lessons

ROOT = Path(__file__).resolve().parents[2]
#: Page that measures a reader's own files.
PAGE_FOR_FILES = "report/in-your-browser"


def add_files(app: Sphinx, config: Config) -> None:
    """Add the script and styles of the button to the site."""
    if config.isotropy_lab_live:
        config.html_static_path = [*config.html_static_path, "_live/page"]


def add_cell_classes(app: Sphinx, doctree: nodes.document) -> None:
    """Add a class with its number to each code cell, by which the script finds the cell."""
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            node["classes"].append(f"il-cell-{node['cell_index']}")


def runnable_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells that a reader can run, as dictionaries for run-page.js.

    Each has its index and source, whether it is a solution, a reason if it cannot run in the browser, the indices of the
    cells and the imports that must run first, the names that it changes, its own imports, and its measured seconds.
    """
    measured_seconds = in_the_tab.seconds()
    result = []
    for index, cell in enumerate(notebook["cells"]):
        if not lessons.is_runnable(cell):
            continue
        reason = cell["metadata"].get("isotropy_lab", {}).get("not_in_the_tab", "")
        result.append(
            {
                "index": index,
                "source": "".join(cell["source"]),
                "solution": lessons.is_solution(cell),
                "reason": reason,
            }
        )
    sources = [cell["source"] for cell in result]
    dependencies = cell_needs.needs(sources, [cell["solution"] for cell in result])
    for cell, (indices, imports) in zip(result, dependencies, strict=True):
        cell["needs"], cell["first"] = indices, imports
        cell["gives"] = sorted(cell_needs.names(cell["source"]).changes)
        cell["imports"] = cell_needs.imports(cell["source"])
        if (digest := in_the_tab.digest(cell["source"])) in measured_seconds:
            cell["seconds"] = measured_seconds[digest]
    return result


def download_megabytes() -> int:
    """Return the approximate size of the download in MB, including our packages, rounded to 5 MB."""
    lock = json.loads((ROOT / "book" / "_live" / "lock.json").read_text(encoding="utf-8"))
    return 5 * round((sum(file["size"] for file in lock["files"]) / 1e6 + 3) / 5)


def add_button(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the script and the cells of a lesson or case file; add another script to the page for readers' files."""
    if not app.config.isotropy_lab_live or doctree is None or app.builder.name != "html":
        return
    if pagename == PAGE_FOR_FILES:
        app.add_css_file("run-page.css")
        app.add_js_file("tab.js", loading_method="defer")
        app.add_js_file(
            "measure-files.js", loading_method="defer", **{"data-megabytes": str(download_megabytes())}
        )
        return
    file = Path(app.env.doc2path(pagename))
    if file.suffix != ".ipynb":
        return
    notebook = json.loads(file.read_text(encoding="utf-8"))
    if notebook["metadata"].get("isotropy_lab", {}).get("kind") not in ("lesson", "case file"):
        return
    content = json.dumps(runnable_cells(notebook), ensure_ascii=False).encode()
    output_file = Path(app.outdir, f"{pagename}.cells.json")
    output_file.parent.mkdir(parents=True, exist_ok=True)
    output_file.write_bytes(content)
    app.add_css_file("run-page.css")
    app.add_js_file("tab.js", loading_method="defer")
    app.add_js_file(
        "run-page.js",
        loading_method="defer",
        **{
            "data-cells": f"{pagename}.cells.json?{hashlib.sha256(content).hexdigest()[:8]}",
            "data-megabytes": str(download_megabytes()),
        },
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the Sphinx event handlers; ISOTROPY_LAB_LIVE, set by `make book`, enables the button."""
    app.add_config_value("isotropy_lab_live", bool(os.environ.get("ISOTROPY_LAB_LIVE")), "html")
    app.connect("config-inited", add_files)
    app.connect("doctree-read", add_cell_classes)
    app.connect("html-page-context", add_button)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
