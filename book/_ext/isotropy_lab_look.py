"""Presentation of figures and tables of notebooks on pages.

A figure drawn by `reanalyses.style` becomes part of the page, where its colors follow the light or dark theme; its alt text
becomes its label. Tables with captions are numbered within their chapter, like figures. A card that links to a lesson shows
a part of one of its figures, which the metadata of the figure's cell selects.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

import executed_pages


class EmbedFigures(SphinxPostTransform):
    """Embed figures in the page instead of linking to them."""

    default_priority = 10
    formats = ("html",)

    def run(self, **options: Any) -> None:
        """Replace each image that is a figure."""
        for image in list(self.document.findall(nodes.image)):
            file = Path(self.env.srcdir, image["uri"])
            if file.suffix != ".svg" or not file.is_file():
                continue
            svg = file.read_text(encoding="utf-8")
            if svg.startswith('<svg class="il-drawn'):
                label = f'<svg role="img" aria-label="{html.escape(image.get("alt", ""))}"'
                image.replace_self(nodes.raw("", svg.replace("<svg", label, 1), format="html"))


def add_pictures_to_cards(app: Sphinx, doctree: nodes.document) -> None:
    """Insert a part of a lesson's figure, without text, into the card whose title links to the lesson."""
    folder = executed_pages.outputs_folder(Path(app.srcdir))
    for link in list(doctree.findall(addnodes.pending_xref)):
        page, title = link["reftarget"], link.parent.parent
        file = Path(app.srcdir, f"{page}.ipynb")
        is_title = "sd-card-title" in title.get("classes", [])
        if not (is_title and file.exists()):
            continue
        grid_card = title.parent.parent
        app.env.note_dependency(str(file))
        app.env.note_dependency(str(executed_pages.outputs_file(folder, page)))
        notebook = json.loads(file.read_text(encoding="utf-8"))
        if stored := executed_pages.read_outputs(folder, page, notebook):
            executed_pages.insert_outputs(notebook, stored)
        for cell in notebook["cells"]:
            card = cell["metadata"].get("isotropy_lab", {}).get("card")
            if card and cell["outputs"]:
                data = cell["outputs"][-1]["data"]
                shapes = re.sub(
                    r"(?s)^.*?<svg[^>]*>|<text\b.*?</text>|</svg>.*",
                    "",
                    "".join(data.get("image/svg+xml") or data["text/html"]),
                )
                picture = (
                    f'<svg class="il-drawn il-card" role="img" aria-label="{html.escape(card["alt"])}" '
                    f'viewBox="{card["box"]}" width="320" height="180">{shapes}</svg>'
                )
                grid_card.insert(0, nodes.raw("", picture, format="html"))


def number_tables(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Change "Table 2." on the page of chapter 5 to "Table 5.2."."""
    chapter = app.env.toc_secnumbers.get(pagename, {}).get("")
    if chapter and "body" in context:
        number = ".".join(map(str, chapter))
        context["body"] = re.sub(
            r'(<span class="il-number"[^>]*>Table )(\d+\.</span>)', rf"\g<1>{number}.\g<2>", context["body"]
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the Sphinx event handlers."""
    app.add_post_transform(EmbedFigures)
    app.connect("doctree-read", add_pictures_to_cards)
    app.connect("html-page-context", number_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
