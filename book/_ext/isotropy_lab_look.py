"""How figures and tables of notebooks stand in a page.

A figure that `reanalyses.style` drew becomes part of the page, where its inks follow the page, light or dark; its alt
text becomes its label. Tables with captions get the number of their chapter, as figures have it.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform


class DrawnInThePage(SphinxPostTransform):
    """Put drawn figures into the page instead of linking them."""

    default_priority = 10
    formats = ("html",)

    def run(self, **options: Any) -> None:
        """Replace each image that is a drawn figure."""
        for image in list(self.document.findall(nodes.image)):
            file = Path(self.env.srcdir, image["uri"])
            if file.suffix != ".svg" or not file.is_file():
                continue
            drawn = file.read_text(encoding="utf-8")
            if drawn.startswith('<svg class="il-drawn'):
                label = f'<svg role="img" aria-label="{html.escape(image.get("alt", ""))}"'
                image.replace_self(
                    nodes.raw(
                        "", drawn.replace("<svg", label, 1), format="html"
                    )
                )


def number_tables(
    app: Sphinx,
    pagename: str,
    templatename: str,
    context: dict[str, Any],
    doctree: object,
) -> None:
    """Turn "Table 2." on the page of chapter 5 into "Table 5.2."."""
    chapter = app.env.toc_secnumbers.get(pagename, {}).get("")
    if chapter and "body" in context:
        number = ".".join(map(str, chapter))
        context["body"] = re.sub(
            r'(<span class="il-number"[^>]*>Table )(\d+\.</span>)',
            rf"\g<1>{number}.\g<2>",
            context["body"],
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the hooks."""
    app.add_post_transform(DrawnInThePage)
    app.connect("html-page-context", number_tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
