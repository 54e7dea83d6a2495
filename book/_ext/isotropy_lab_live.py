"""Button that runs a lesson or a case file in the browser, on sites that contain the required files.

Each code cell gets a class with its number. Beside such a page stands ``<page>.cells.json``: the sources of
its cells, as the notebook has them. The page loads nothing else of this before the reader asks for it.
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
MEASURES = "report/in-your-browser"


def add_files(app: Sphinx, config: Config) -> None:
    """Add the script and styles of the button to the site."""
    if config.isotropy_lab_live:
        config.html_static_path = [*config.html_static_path, "_live/page"]


def name_cells(app: Sphinx, doctree: nodes.document) -> None:
    """Add a class to each code cell, by which the script finds the cell."""
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            node["classes"].append(f"il-cell-{node['cell_index']}")


def cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the cells that a reader can run.

    Each has its place, its source, why it does not run in the tab, the cells that it needs, the imports that it
    needs first, the names that it gives, its own imports, and the seconds that were measured in a tab, if they were.
    """
    measured = in_the_tab.seconds()
    found = []
    for index, cell in enumerate(notebook["cells"]):
        if not lessons.is_runnable(cell):
            continue
        reason = cell["metadata"].get("isotropy_lab", {}).get("not_in_the_tab", "")
        found.append(
            {
                "index": index,
                "source": "".join(cell["source"]),
                "solution": lessons.is_solution(cell),
                "reason": reason,
            }
        )
    sources = [cell["source"] for cell in found]
    needed = cell_needs.needs(sources, [cell["solution"] for cell in found])
    for cell, (places, lines) in zip(found, needed, strict=True):
        cell["needs"], cell["first"] = places, lines
        cell["gives"] = sorted(cell_needs.names(cell["source"]).gives)
        cell["imports"] = cell_needs.imports(cell["source"])
        if (key := in_the_tab.digest(cell["source"])) in measured:
            cell["seconds"] = measured[key]
    return found


def megabytes() -> int:
    """Return the approximate download size in MB, rounded to 5 MB, including our own packages."""
    lock = json.loads((ROOT / "book" / "_live" / "lock.json").read_text(encoding="utf-8"))
    return 5 * round((sum(file["size"] for file in lock["files"]) / 1e6 + 3) / 5)


def offer(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the script to a lesson and write its cells; add another script to the page for readers' files."""
    if not app.config.isotropy_lab_live or doctree is None or app.builder.name != "html":
        return
    if pagename == MEASURES:
        app.add_css_file("run-page.css")
        app.add_js_file("tab.js", loading_method="defer")
        app.add_js_file("measure-files.js", loading_method="defer", **{"data-megabytes": str(megabytes())})
        return
    file = Path(app.env.doc2path(pagename))
    if file.suffix != ".ipynb":
        return
    notebook = json.loads(file.read_text(encoding="utf-8"))
    if notebook["metadata"].get("isotropy_lab", {}).get("kind") not in ("lesson", "case file"):
        return
    written = json.dumps(cells(notebook), ensure_ascii=False).encode()
    target = Path(app.outdir, f"{pagename}.cells.json")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(written)
    app.add_css_file("run-page.css")
    app.add_js_file("tab.js", loading_method="defer")
    app.add_js_file(
        "run-page.js",
        loading_method="defer",
        **{
            "data-cells": f"{pagename}.cells.json?{hashlib.sha256(written).hexdigest()[:8]}",
            "data-megabytes": str(megabytes()),
        },
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the Sphinx event handlers; ISOTROPY_LAB_LIVE, set by `make book`, enables the button."""
    app.add_config_value("isotropy_lab_live", bool(os.environ.get("ISOTROPY_LAB_LIVE")), "html")
    app.connect("config-inited", add_files)
    app.connect("doctree-read", name_cells)
    app.connect("html-page-context", offer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
