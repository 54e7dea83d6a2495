"""Stored outputs of executed notebooks, which Sphinx inserts into the pages without executing anything.

``book/_build/executed/<page>.json`` contains the outputs of the code cells and the texts of the expressions in the prose.
It is written only if it changes, and a page is written again if it is older than this file or another of its inputs.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

#: Texts by cell number and expression.
Texts = dict[str, dict[str, str]]
#: Key of the texts of a page while Sphinx reads the page.
TEXTS = "isotropy_lab_texts"


def expressions(markdown: str) -> list[str]:
    """Return the distinct expressions of a Markdown cell in order."""
    matches = re.findall(r"(?s)\{eval\}(`+)(.+?)(?<!`)\1(?!`)", markdown)
    return list(dict.fromkeys(text.replace("\n", " ").strip() for _, text in matches))


def outputs_folder(book: Path) -> Path:
    """Return the folder of the stored outputs of a book's pages."""
    return book / "_build" / "executed"


def outputs_file(folder: Path, page: str) -> Path:
    """Return the file with the stored outputs of a page."""
    return folder / f"{page}.json"


def source_digest(notebook: dict[str, Any]) -> str:
    """Return a digest of code, tags, and expressions by cell; other text may change."""
    cells = [
        ["".join(cell["source"]), cell["metadata"].get("tags", [])]
        if cell["cell_type"] == "code"
        else expressions("".join(cell["source"]))
        for cell in notebook["cells"]
    ]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def write_outputs(folder: Path, page: str, notebook: dict[str, Any], texts: Texts) -> None:
    """Write the outputs of an executed notebook."""
    metadata_keys = ("kernelspec", "language_info", "widgets")
    content = {
        "source": source_digest(notebook),
        "metadata": {key: notebook["metadata"][key] for key in metadata_keys if key in notebook["metadata"]},
        "cells": {
            str(index): {"execution_count": cell["execution_count"], "outputs": cell["outputs"]}
            for index, cell in enumerate(notebook["cells"])
            if cell["cell_type"] == "code"
        },
        "texts": texts,
    }
    file = outputs_file(folder, page)
    new_text = json.dumps(content, indent=1, ensure_ascii=False)
    if not file.exists() or file.read_text(encoding="utf-8") != new_text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(new_text, encoding="utf-8")


def read_outputs(folder: Path, page: str, notebook: dict[str, Any]) -> dict[str, Any] | None:
    """Return the stored outputs of a notebook, or None if there are none for its current code."""
    file = outputs_file(folder, page)
    if not file.exists():
        return None
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content if content["source"] == source_digest(notebook) else None


def insert_outputs(notebook: dict[str, Any], stored: dict[str, Any]) -> None:
    """Insert the stored outputs into a notebook."""
    notebook["metadata"] |= stored["metadata"]
    for index, outputs in stored["cells"].items():
        notebook["cells"][int(index)] |= outputs


def outputs_text(stored: dict[str, Any]) -> str:
    """Return a page's outputs as text, by cell: printed text, tables, texts of figures, and expressions."""
    lines = []
    for index, cell in stored["cells"].items():
        lines.append(f"cell {index}")
        for output in cell["outputs"]:
            data = output.get("data", {})
            texts_in_figure = re.findall(r"(?s)<text.*?</text>", "".join(data.get("image/svg+xml", "")))
            output_text = (
                "\n".join(texts_in_figure)
                or "".join(data.get("text/html", ""))
                or "".join(data.get("text/plain", output.get("text", "")))
            )
            output_text = re.sub(r"<[^<>]*>", " ", output_text)
            lines += [" ".join(line.split()) for line in html.unescape(output_text).splitlines()]
    for index, texts in stored["texts"].items():
        lines += [f"cell {index}", *texts.values()]
    return "\n".join(line for line in lines if line) + "\n"


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Pass a notebook with its outputs to Sphinx."""
    if not app.env.doc2path(page).endswith(".ipynb"):
        return
    folder = outputs_folder(Path(app.srcdir))
    app.env.note_dependency(str(outputs_file(folder, page)))
    notebook = json.loads(source[0])
    if stored := read_outputs(folder, page, notebook):
        insert_outputs(notebook, stored)
        app.env.temp_data[TEXTS] = stored["texts"]
        source[0] = json.dumps(notebook)


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages older than their inputs, which Sphinx may have read without writing the pages."""

    def time(name: str | os.PathLike[str]) -> float:
        path = Path(app.srcdir, name)
        return path.stat().st_mtime if path.exists() else 0.0

    if app.builder.name != "html":
        return []
    return [
        page
        for page in env.all_docs
        if max(map(time, env.dependencies[page]), default=0.0) > time(app.builder.get_outfilename(page))
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the Sphinx event handlers."""
    app.connect("source-read", fill_in)
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
